/* Parts that do not wait for the host (crew_deferred.h) give the bits of the whole grid in whatever order their devices
 * come to what is on their queues. The devices are made up: solvers of the cpu, whose steps, patches and copies are
 * noted and done later, each time from a queue that is drawn. What waits for a mark is not drawn before. */
#include "backend/parts/crew_deferred.h"
#include "backend/parts/halo_memory.h"
#include "problem/physics/part.h"
#include "tests/parts/parts_cases.h"

#include <stdlib.h>

/* ---- queues ------------------------------------------------------------------------------------------------------ */

enum deed { ADVANCE, PATCH, COPY, MARK, FOLLOW };

struct noted {
    enum deed deed;
    int64_t steps;
    int run;
    struct patch patch;
    void *values;
    const void *from;
    size_t bytes;
    bool store, *mark;
};

enum { NOTED = 4096, PARTS = 8, MARKS = 1 << 16 };

static struct queue {
    void *state; /* of the solver */
    bool deferred;
    int next, count;
    struct noted noted[NOTED];
} queues[PARTS];

static bool marks[MARKS], reached, orderly;
static int queue_count, mark_count, copies;
static uint64_t drawn;
static const struct solver *real;
static struct solver deferring;

static struct queue *queue_of(const void *state)
{
    for (int q = 0; q < queue_count; q++) {
        if (queues[q].state == state) {
            return &queues[q];
        }
    }
    fail_msg("a part without a queue");
    return NULL;
}

static struct noted *note(struct queue *queue, enum deed deed)
{
    assert_true(queue->count < NOTED);
    queue->noted[queue->count] = (struct noted){.deed = deed};
    return &queue->noted[queue->count++];
}

/* False: it waits. */
static bool did_next(struct queue *queue)
{
    struct noted *own = &queue->noted[queue->next];
    pw_error error = {{0}};
    if (own->deed == FOLLOW && !*own->mark && orderly) {
        return false;
    }
    if (own->deed == ADVANCE) {
        assert_int_equal(real->advance(queue->state, own->steps, &error), PW_OK);
    } else if (own->deed == PATCH) {
        assert_int_equal(real->patch(queue->state, own->run, &own->patch, own->values, own->store, &error), PW_OK);
    } else if (own->deed == COPY) {
        memcpy(own->values, own->from, own->bytes);
    } else if (own->deed == MARK) {
        *own->mark = true;
    }
    queue->next++;
    return true;
}

/* Draws queues until one of them has nothing left. */
static void work_until_done(const struct queue *wanted)
{
    for (int idle = 0; wanted->next < wanted->count;) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        struct queue *queue = &queues[(drawn >> 33) % (uint64_t)queue_count];
        idle = queue->next < queue->count && did_next(queue) ? 0 : idle + 1;
        assert_true(idle < 10000); /* else they wait for each other */
    }
}

/* ---- the made-up solver and its devices -------------------------------------------------------------------------- */

static pw_status advance_later(void *state, int64_t steps, pw_error *error)
{
    struct queue *queue = queue_of(state);
    if (!queue->deferred) {
        return real->advance(state, steps, error);
    }
    note(queue, ADVANCE)->steps = steps;
    return PW_OK;
}

static pw_status patch_later(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error)
{
    struct queue *queue = queue_of(state);
    if (!queue->deferred) {
        return real->patch(state, run, patch, values, store, error);
    }
    struct noted *own = note(queue, PATCH);
    own->run = run;
    own->patch = *patch;
    own->values = values;
    own->store = store;
    return PW_OK;
}

static pw_status defer(void *state, bool on, void **queue, pw_error *error)
{
    struct queue *own = queue_of(state);
    (void)error;
    if (on) {
        own->next = own->count = 0;
    } else {
        work_until_done(own);
    }
    own->deferred = on;
    *queue = own;
    return PW_OK;
}

static int count_devices(void)
{
    return queue_count;
}
static pw_status select_any(int device, pw_error *error)
{
    (void)device, (void)error;
    return PW_OK;
}
static pw_status take(size_t bytes, void **memory, pw_error *error)
{
    (void)error;
    *memory = malloc(bytes + 1);
    return *memory != NULL ? PW_OK : PW_NO_RESOURCE;
}
static bool reaches(int device, int other)
{
    (void)device, (void)other;
    return reached;
}
static pw_status copy_later(void *to, const void *from, size_t bytes, void *queue, pw_error *error)
{
    struct noted *own = note(queue, COPY);
    (void)error;
    own->values = to;
    own->from = from;
    own->bytes = bytes;
    copies++;
    return PW_OK;
}
static pw_status mark(void *queue, void **made, pw_error *error)
{
    (void)error;
    assert_true(mark_count < MARKS);
    *made = note(queue, MARK)->mark = &marks[mark_count++];
    return PW_OK;
}
static pw_status follow(void *queue, void *made, pw_error *error)
{
    (void)error;
    note(queue, FOLLOW)->mark = made;
    return PW_OK;
}
static double between(void *from, void *to)
{
    (void)from, (void)to;
    return 0;
}
static void forget(void *made)
{
    (void)made;
}

static const struct device_functions DEVICES = {.count = count_devices,
                                                .select = select_any,
                                                .allocate = take,
                                                .release = free,
                                                .allocate_host = take,
                                                .release_host = free,
                                                .reaches = reaches,
                                                .copy_later = copy_later,
                                                .mark = mark,
                                                .follow = follow,
                                                .between = between,
                                                .forget = forget};

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static struct part_records records[PARTS];

static void crew_create(const struct problem *whole, const struct cut *cut, void *board, struct part_crew *crew)
{
    const struct part_options options = {.backend = "cpu", .threads = 1, .runs = whole->source_count};
    struct halo halo = halo_memory;
    pw_error error = {{0}};
    halo.context = board;
    halo.reaches_device = true;
    queue_count = 0;
    assert_int_equal(part_crew_create(cut, &halo, &options, cut_count(cut), crew, &error), PW_OK);
    crew->devices = &DEVICES;
    for (int p = 0; p < cut_count(cut); p++) {
        struct problem problem = {0};
        const struct part_box box = cut_box(cut, p);
        records[p] = (struct part_records){0};
        assert_int_equal(
            part_problem_create(&(struct part_cut){whole, &box, cut->margin, &records[p]}, &problem, &error), PW_OK);
        assert_int_equal(part_crew_add(crew, p, &problem, &options, &error), PW_OK);
        struct stepper *stepper = crew->parts[p].stepper;
        assert_true(queue_count == 0 || stepper->solver == real);
        real = stepper->solver;
        queues[queue_count] = (struct queue){.state = stepper->state};
        queue_count++;
    }
    deferring = *real;
    deferring.advance = advance_later;
    deferring.patch = patch_later;
    deferring.defer = defer;
    for (int p = 0; p < crew->count; p++) {
        crew->parts[p].stepper->solver = &deferring;
    }
}

/* How many values of the parts' own nodes are not those of the whole grid. */
static int64_t differing_values(const struct problem *problem, struct stepper *whole, const struct part_crew *crew)
{
    int64_t differ = 0, some = 0;
    pw_error error = {{0}};
    for (int p = 0; p < crew->count; p++) {
        const struct part *part = &crew->parts[p];
        const struct part_box all = {.end = {crew->cut.grid[0], crew->cut.grid[1], crew->cut.grid[2]}};
        const struct patch own = patch_in_part(&part->box, part->box.own, part->box.own_end, STATE_ALL),
                           there = patch_in_part(&all, part->box.own, part->box.own_end, STATE_ALL);
        const int64_t count = patch_values(problem, &there);
        float *found = malloc((size_t)count * sizeof *found), *wanted = malloc((size_t)count * sizeof *wanted);
        assert_true(found != NULL && wanted != NULL);
        assert_int_equal(patch_values(&part->problem, &own), count);
        for (int run = 0; run < crew->runs; run++) {
            assert_int_equal(stepper_patch(part->stepper, run, &own, found, true, &error), PW_OK);
            assert_int_equal(stepper_patch(whole, run, &there, wanted, true, &error), PW_OK);
            for (int64_t n = 0; n < count; n++) {
                differ += memcmp(&found[n], &wanted[n], sizeof *found) != 0;
                some += wanted[n] != 0;
            }
        }
        free(found);
        free(wanted);
    }
    assert_true(some > 0);
    return differ;
}

/* Of a grid in so many parts, all steps. */
static int64_t compare_with_whole(struct random_volume_options options, const int parts[3], int depth, uint64_t seed)
{
    struct problem problem = random_volume(options);
    const struct cut_request request = {
        .count = parts[0] * parts[1] * parts[2], .parts = {parts[0], parts[1], parts[2]}, .depth = depth};
    const int64_t batches[] = {1, 7, 13, 3, 29};
    struct part_crew crew;
    struct cut cut;
    pw_error error = {{0}};
    drawn = seed;
    mark_count = copies = 0;
    memset(marks, 0, sizeof marks);
    assert_int_equal(cut_choose(&problem, &request, &cut, &error), PW_OK);
    void *board = halo_memory_create(cut_count(&cut), &DEVICES, &error);
    crew_create(&problem, &cut, board, &crew);
    assert_true(crew_defers(&crew));
    struct stepper *whole = create(&problem, &(struct way){.backend = &backend_cpu});
    int64_t step = 0;
    for (int b = 0; step < problem.steps; b++) {
        const int64_t left = problem.steps - step, some = batches[b % 5] < left ? batches[b % 5] : left;
        assert_int_equal(part_crew_advance(&crew, some, &error), PW_OK);
        assert_int_equal(stepper_advance(whole, some, &error), PW_OK);
        step += some;
    }
    assert_true(crew.clock.steps == problem.steps && crew.clock.exchanges == (problem.steps - 1) / cut.depth);
    const int64_t differ = differing_values(&problem, whole, &crew);
    stepper_destroy(whole);
    for (int p = 0; p < crew.count; p++) {
        part_records_free(&records[p]);
    }
    part_crew_free(&crew);
    halo_memory_free(board);
    problem_free(&problem);
    return differ;
}

enum { LONG = 67 }; /* a third of a row that is long enough to be written over there */

static const int WAYS[][3] = {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}, {3, 1, 1}};

static void test_any_order_gives_the_bits_of_the_whole(void **unused)
{
    (void)unused;
    orderly = true;
    for (size_t w = 0; w < sizeof WAYS / sizeof WAYS[0]; w++) {
        for (int way = 0; way < 2; way++) {
            struct random_volume_options options = volume_usual(w % 2 ? SCHEME_FD4 : SCHEME_YEE);
            options.sources = 1 + way;
            options.n[0] = 3 * LONG;
            reached = way == 0;
            assert_int_equal(compare_with_whole(options, WAYS[w], 1 + (int)w % 3, 7 * w + 1), 0);
            assert_true((copies == 0) == (reached && WAYS[w][0] == 1)); /* cut along x rows are short */
        }
    }
}

/* Without the marks values differ, so that the draws do try what the marks are there for. */
static void test_the_marks_are_needed(void **unused)
{
    (void)unused;
    int wrong = 0;
    struct random_volume_options options = volume_usual(SCHEME_FD4);
    options.n[0] = 3 * LONG;
    orderly = false;
    reached = true;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        wrong += compare_with_whole(options, WAYS[1], 1, seed) > 0;
    }
    assert_true(wrong > 0);
}

/* A part is alone in its process where others are behind a channel: nothing is deferred there. */
static void test_who_does_not_defer(void **unused)
{
    (void)unused;
    struct part parts[2] = {{.number = 0}};
    struct part_crew crew = {.count = 1, .parts = parts, .devices = &DEVICES, .halo = halo_memory};
    crew.cut = (struct cut){.parts = {1, 2, 1}};
    crew.halo.reaches_device = true;
    assert_false(crew_defers(&crew));
    crew.devices = NULL;
    crew.count = 2;
    assert_false(crew_defers(&crew));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order_gives_the_bits_of_the_whole),
        cmocka_unit_test(test_the_marks_are_needed),
        cmocka_unit_test(test_who_does_not_defer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
