/* See crew_deferred.h. What the queues of two parts hold:
 *
 *     part 0   steps | pack ->1 | . | unpack | . | steps ...
 *     part 1   steps | pack ->0 | . | unpack | . | steps ...      .  waits for its neighbours
 *
 * A part packs into its neighbour's memory where its device reaches that and rows are long; else into its own, which is
 * then copied, since short rows would cross the link in pieces. It waits before it unpacks until its neighbours have
 * packed, and before it goes on until they have unpacked, so that nobody packs over what is still wanted. All that a
 * queue waits for is on another queue before. */
#include "backend/parts/crew_deferred.h"
#include "base/clock.h"

/* Moments of an exchange on the queue of the first part. */
enum { BEGUN, PACKED, MET, UNPACKED, MOMENTS };

enum { LONG_ROW = 128 }; /* values, four of the largest pieces that cross a link */

struct exchange_times {
    void *moment[MOMENTS]; /* of the last exchange */
    int count;             /* exchanges */
};

bool crew_defers(const struct part_crew *crew)
{
    bool defers = crew->devices != NULL && crew->turns == NULL && crew->count > 1 &&
                  crew->count == cut_count(&crew->cut) && crew->halo.reaches_device;
    for (int p = 0; p < crew->count && defers; p++) {
        defers = crew->parts[p].stepper->solver->defer != NULL;
    }
    return defers;
}

/* ---- one part ---------------------------------------------------------------------------------------------------- */

/* The link of the neighbour to this part: it takes in what this one sends. */
static const struct part_link *facing(const struct part_crew *crew, const struct part *part,
                                      const struct part_link *link)
{
    const struct part *neighbour = &crew->parts[link->neighbour];
    for (int l = 0; l < neighbour->link_count; l++) {
        if (neighbour->links[l].neighbour == part->number) {
            return &neighbour->links[l];
        }
    }
    return NULL;
}

/* Whether a part packs what it sends where the neighbour takes it in. */
static bool packs_there(const struct part_crew *crew, const struct part *part, const struct part_link *link)
{
    const struct part *neighbour = &crew->parts[link->neighbour];
    return !crew->copies && link->outgoing.count[0] >= LONG_ROW &&
           crew->devices->reaches(part->stepper->device, neighbour->stepper->device);
}

static pw_status pack(const struct part_crew *crew, const struct part *part, pw_error *error)
{
    for (int l = 0; l < part->link_count; l++) {
        const struct part_link *link = &part->links[l], *to = facing(crew, part, link);
        const size_t bytes = link->outgoing_bytes;
        FAIL_IF(to == NULL || to->incoming_bytes != bytes, error, PW_USAGE,
                "part %d sends part %d %zu bytes that it does not expect", part->number, link->neighbour, bytes);
        const bool direct = packs_there(crew, part, link);
        char *values = direct ? to->taken : link->sent;
        for (int run = 0; run < crew->runs && bytes > 0; run++) {
            TRY(stepper_patch(part->stepper, run, &link->outgoing, values + (size_t)run * bytes, true, error));
        }
        if (!direct && bytes > 0) {
            TRY(crew->devices->copy_later(to->taken, link->sent, (size_t)crew->runs * bytes, part->queue, error));
        }
    }
    return PW_OK;
}

static pw_status unpack(const struct part_crew *crew, const struct part *part, pw_error *error)
{
    for (int l = 0; l < part->link_count; l++) {
        const struct part_link *link = &part->links[l];
        const size_t bytes = link->incoming_bytes;
        for (int run = 0; run < crew->runs && bytes > 0; run++) {
            TRY(stepper_patch(part->stepper, run, &link->incoming, link->taken + (size_t)run * bytes, false, error));
        }
    }
    return PW_OK;
}

/* Its neighbours go on when it has come so far. */
static pw_status hold_neighbours(const struct part_crew *crew, const struct part *part, pw_error *error)
{
    void *mark = NULL;
    TRY(crew->devices->select(part->stepper->device, error));
    pw_status status = crew->devices->mark(part->queue, &mark, error);
    for (int l = 0; l < part->link_count && status == PW_OK; l++) {
        status = crew->devices->follow(crew->parts[part->links[l].neighbour].queue, mark, error);
    }
    crew->devices->forget(mark);
    return status;
}

/* ---- all parts --------------------------------------------------------------------------------------------------- */

typedef pw_status part_step(const struct part_crew *crew, const struct part *part, pw_error *error);

static pw_status for_all(const struct part_crew *crew, part_step *step, pw_error *error)
{
    for (int p = 0; p < crew->count; p++) {
        TRY(step(crew, &crew->parts[p], error));
    }
    return PW_OK;
}

static pw_status note(const struct part_crew *crew, struct exchange_times *times, int moment, pw_error *error)
{
    crew->devices->forget(times->moment[moment]);
    times->moment[moment] = NULL;
    TRY(crew->devices->select(crew->parts[0].stepper->device, error));
    return crew->devices->mark(crew->parts[0].queue, &times->moment[moment], error);
}

static pw_status exchange(struct part_crew *crew, struct exchange_times *times, pw_error *error)
{
    TRY(note(crew, times, BEGUN, error));
    TRY(for_all(crew, pack, error));
    TRY(note(crew, times, PACKED, error));
    TRY(for_all(crew, hold_neighbours, error));
    TRY(note(crew, times, MET, error));
    TRY(for_all(crew, unpack, error));
    TRY(note(crew, times, UNPACKED, error));
    TRY(for_all(crew, hold_neighbours, error));
    times->count++;
    part_crew_exchanged(crew);
    return PW_OK;
}

static pw_status advance(struct part_crew *crew, int64_t steps, struct exchange_times *times, pw_error *error)
{
    while (steps > 0) {
        if (crew->since == crew->cut.depth) {
            TRY(exchange(crew, times, error));
        }
        const int64_t left = crew->cut.depth - crew->since, some = steps < left ? steps : left;
        for (int p = 0; p < crew->count; p++) {
            TRY(stepper_advance(crew->parts[p].stepper, some, error));
        }
        crew->clock.steps += some;
        crew->since += some;
        steps -= some;
    }
    return PW_OK;
}

/* Divides the seconds of a call. */
static void add_times(struct part_crew *crew, const struct exchange_times *times, double seconds)
{
    double packing = 0, travelling = 0;
    if (times->count > 0) {
        const double own = crew->devices->between(times->moment[BEGUN], times->moment[PACKED]) +
                           crew->devices->between(times->moment[MET], times->moment[UNPACKED]);
        packing = times->count * own;
        travelling = times->count * crew->devices->between(times->moment[PACKED], times->moment[MET]);
    }
    crew->clock.packing += packing;
    crew->clock.travelling += travelling;
    crew->clock.stepping += seconds > packing + travelling ? seconds - packing - travelling : 0;
}

pw_status crew_advance_deferred(struct part_crew *crew, int64_t steps, pw_error *error)
{
    const double begun = clock_seconds();
    struct exchange_times times = {{NULL}, 0};
    pw_status status = PW_OK;
    int deferred = 0;
    for (; deferred < crew->count && status == PW_OK; deferred++) {
        struct part *part = &crew->parts[deferred];
        status = stepper_defer(part->stepper, true, &part->queue, error);
    }
    THEN(status, advance(crew, steps, &times, error));
    for (int p = 0; p < deferred; p++) {
        pw_error own = {{0}};
        const pw_status ended = stepper_defer(crew->parts[p].stepper, false, &crew->parts[p].queue, &own);
        if (status == PW_OK && ended != PW_OK) {
            status = fail(error, ended, "%s", own.message);
        }
    }
    if (status == PW_OK) {
        add_times(crew, &times, clock_seconds() - begun);
    }
    for (int m = 0; m < MOMENTS; m++) {
        crew->devices->forget(times.moment[m]);
    }
    return status;
}
