/* How the solver in parts asks a part, wherever it is stepped (parted_read.h). */
#include "backend/parts/parted_read.h"

#include <stdlib.h>

bool parted_is_local(const struct parted *parted, int part)
{
    return parted->channel == NULL || part == parted->channel->rank;
}

static struct part *local_part(struct parted *parted, int part)
{
    return &parted->crew.parts[parted->channel == NULL ? part : 0];
}

void parted_say(struct parted *parted, const struct part_command *command, const void *bytes)
{
    const struct rank_channel *channel = parted->channel;
    if (!parted_is_local(parted, command->part)) {
        channel->send(channel->context, command->part, command, sizeof *command);
        channel->send(channel->context, command->part, bytes, command->bytes);
    }
}

pw_status parted_hear(struct parted *parted, int rank, void **answer, size_t *size, pw_error *error)
{
    const struct rank_channel *channel = parted->channel;
    struct part_answer head;
    channel->receive(channel->context, rank, &head, sizeof head);
    *size = head.bytes;
    *answer = NULL;
    FAIL_IF(head.status != PW_OK, error, head.status, "rank %d: %.900s", rank, head.error.message);
    *answer = allocate(head.bytes, 1, "what a part of the grid holds", error);
    channel->receive(channel->context, rank, *answer, head.bytes); /* whoever sends it waits */
    return *answer != NULL ? PW_OK : PW_NO_RESOURCE;
}

static pw_status hear(struct parted *parted, const struct part_command *command, const void *bytes, void **answer,
                      size_t *size, pw_error *error)
{
    return parted_is_local(parted, command->part)
               ? part_obey(&parted->crew, local_part(parted, command->part), command, bytes, answer, size, error)
               : parted_hear(parted, command->part, answer, size, error);
}

pw_status parted_take(struct parted *parted, const struct part_command *command, const void *bytes, void **answer,
                      size_t *size, pw_error *error)
{
    *size = 0;
    *answer = NULL;
    pw_status status = hear(parted, command, bytes, answer, size, error);
    if (status != PW_OK) {
        free(*answer);
        *answer = NULL;
    }
    return status;
}

pw_status parted_ask(struct parted *parted, const struct part_command *command, const void *bytes, void **answer,
                     pw_error *error)
{
    size_t size;
    parted_say(parted, command, bytes);
    return parted_take(parted, command, bytes, answer, &size, error);
}

pw_status parted_tell(struct parted *parted, const struct part_command *command, const void *bytes, pw_error *error)
{
    OWNED void *answer = NULL;
    return parted_ask(parted, command, bytes, &answer, error);
}
