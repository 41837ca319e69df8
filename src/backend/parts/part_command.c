/* What a part does when it is asked (part_command.h), and the process that does nothing else (channel.h). */
#include "backend/parts/part_command.h"
#include "backend/parts/channel.h"
#include "problem/physics/problem_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- one part ---------------------------------------------------------------------------------------------------- */

/* Spectra and waiting samples into a run at `step`; its fields stay as they are. */
static pw_status load_records(struct part *part, const struct part_command *command, const double *values,
                              pw_error *error)
{
    const struct spectra *spectra = &part->problem.spectra;
    const size_t points = (size_t)spectra->rows * (size_t)spectra->columns;
    struct run_state state = {.step = command->steps};
    if (command->bytes > 0 && spectra->frequency_count > 0) {
        state.spectra = (double *)(uintptr_t)values; /* load only reads it */
        state.samples = state.spectra + 2 * (size_t)spectra->frequency_count * points;
    }
    return stepper_load(part->stepper, command->run, &state, error);
}

/* Bytes of the answer. */
static size_t answer_size(const struct part_crew *crew, const struct part *part, const struct part_command *command)
{
    const struct problem *problem = &part->problem;
    const size_t points = (size_t)command->row_count * (size_t)problem->spectra.columns;
    switch (command->verb) {
    case PART_TAKE:
        return (size_t)patch_values(problem, &command->patch) * problem_value_size(problem);
    case PART_PROBES:
        return (size_t)command->steps * (size_t)problem->probe_count * sizeof(double);
    case PART_SPECTRA:
        return 2 * (size_t)problem->spectra.frequency_count * points * sizeof(double);
    case PART_SAMPLES:
        return (size_t)spectra_waiting(&problem->spectra, command->steps) * points * sizeof(double);
    case PART_CLOCK:
        return sizeof crew->clock;
    default:
        return 0;
    }
}

pw_status part_obey(struct part_crew *crew, struct part *part, const struct part_command *command, const void *bytes,
                    void **answer, size_t *answer_bytes, pw_error *error)
{
    const int run = command->run;
    if (command->verb == PART_ENERGY) {
        size_t count = 0;
        double *sums = NULL;
        const pw_status status = part_energy(crew, part, run, &sums, &count, error);
        *answer = sums;
        *answer_bytes = count * sizeof *sums;
        return status;
    }
    *answer_bytes = answer_size(crew, part, command);
    *answer = allocate(*answer_bytes, 1, "what a part of the grid holds", error);
    TRY_MADE(*answer);
    switch (command->verb) {
    case PART_TAKE:
        return stepper_patch(part->stepper, run, &command->patch, *answer, true, error);
    case PART_PUT:
        crew->since = 0;
        return stepper_patch(part->stepper, run, &command->patch, (void *)(uintptr_t)bytes, false, error);
    case PART_PROBES:
        return stepper_read_probes(part->stepper, run, *answer, error);
    case PART_SPECTRA:
        return stepper_read_spectra(part->stepper, run, command->row_first, command->row_count, *answer, error);
    case PART_SAMPLES:
        return stepper_read_samples(part->stepper, run, command->row_first, command->row_count, *answer, error);
    case PART_LOAD:
        return load_records(part, command, bytes, error);
    case PART_CLOCK:
        memcpy(*answer, &crew->clock, sizeof crew->clock);
        return PW_OK;
    default:
        return fail(error, PW_USAGE, "a part of the grid was asked for %d, which it does not know", command->verb);
    }
}

/* ---- a process that obeys ---------------------------------------------------------------------------------------- */

uint32_t part_checksum(const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    uLong sum = crc32(0, Z_NULL, 0);
    while (size > 0) { /* crc32() takes lengths of 32 bits */
        uInt some = size > (1U << 30) ? 1U << 30 : (uInt)size;
        sum = crc32(sum, next, some);
        next += some;
        size -= some;
    }
    return (uint32_t)sum;
}

static pw_status create(const struct rank_channel *channel, struct part_crew *crew, const char *bytes, size_t size,
                        pw_error *error)
{
    struct part_setting setting;
    OWNED_BY(problem_free) struct problem problem = {0};
    FAIL_IF(size < sizeof setting, error, PW_NUMERICAL, "a part of the grid came with bytes missing");
    memcpy(&setting, bytes, sizeof setting);
    FAIL_IF(part_checksum(bytes + sizeof setting, size - sizeof setting) != setting.checksum, error, PW_NUMERICAL,
            "a part of the grid came with other bytes than were sent");
    TRY(problem_from_bytes(bytes + sizeof setting, size - sizeof setting, &problem, error));
    TRY(part_crew_create(&setting.cut, channel->halo, &setting.options, 1, crew, error));
    crew->here = channel->here;
    return part_crew_add(crew, channel->rank, &problem, &setting.options, error);
}

/* A part whose creation failed has no stepper. */
static pw_status obey(const struct rank_channel *channel, struct part_crew *crew, const struct part_command *command,
                      const char *bytes, void **answer, size_t *answer_bytes, pw_error *error)
{
    if (command->verb == PART_CREATE) {
        return create(channel, crew, bytes, command->bytes, error);
    }
    if (command->verb == PART_END) {
        part_crew_free(crew);
        return PW_OK;
    }
    FAIL_IF(crew->parts == NULL || crew->parts[0].stepper == NULL, error, PW_USAGE,
            "a part of the grid was asked for something before it was there");
    return command->verb == PART_ADVANCE
               ? part_crew_advance(crew, command->steps, error)
               : part_obey(crew, &crew->parts[0], command, bytes, answer, answer_bytes, error);
}

static void answer_one(const struct rank_channel *channel, struct part_crew *crew, const struct part_command *command)
{
    struct part_answer head = {.status = PW_NO_RESOURCE};
    void *answer = NULL;
    size_t size = 0;
    char *bytes = allocate(command->bytes, 1, "what a part of the grid is sent", &head.error);
    channel->receive(channel->context, 0, bytes, command->bytes); /* rank 0 waits until they are taken */
    if (bytes != NULL) {
        head.status = obey(channel, crew, command, bytes, &answer, &size, &head.error);
    }
    free(bytes);
    head.bytes = head.status == PW_OK ? size : 0;
    channel->send(channel->context, 0, &head, sizeof head);
    channel->send(channel->context, 0, answer, head.bytes);
    free(answer);
}

pw_status channel_serve(const struct rank_channel *channel, pw_error *error)
{
    struct part_crew crew = {0};
    (void)error;
    for (;;) {
        struct part_command command;
        channel->wait(channel->context);
        channel->receive(channel->context, 0, &command, sizeof command);
        if (command.part < 0) {
            break;
        }
        answer_one(channel, &crew, &command);
    }
    if (crew.parts != NULL) {
        part_crew_free(&crew);
    }
    return PW_OK;
}

void channel_dismiss(const struct rank_channel *channel)
{
    const struct part_command command = {.verb = PART_END, .part = -1};
    for (int rank = 1; rank < channel->count; rank++) {
        channel->send(channel->context, rank, &command, sizeof command);
    }
}
