/* The halo of a problem that stands alone: an exchange of no regions, which is nothing to do. */
#include "backend/halo.h"

static pw_status open_nothing(void *context, int own, const struct halo_region *regions, int count, void **exchange,
                              pw_error *error)
{
    (void)context;
    *exchange = NULL;
    if (count > 0) {
        return fail(error, PW_USAGE, "subdomain %d has a neighbour, %d, but no halo exchange was chosen", own,
                    regions[0].neighbour);
    }
    return PW_OK;
}

pw_status halo_exchange_nothing(void *exchange, void *stream, pw_error *error)
{
    (void)exchange;
    (void)stream;
    (void)error;
    return PW_OK;
}

static void close_nothing(void *exchange)
{
    (void)exchange;
}

const struct halo halo_none = {.name = "none",
                               .open = open_nothing,
                               .start = halo_exchange_nothing,
                               .finish = halo_exchange_nothing,
                               .close = close_nothing};

int halo_face_count(const struct problem *problem)
{
    int count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int end = 0; end < 2; end++) {
            count += problem->subdomain.neighbour[axis][end] != NO_NEIGHBOUR;
        }
    }
    return count;
}
