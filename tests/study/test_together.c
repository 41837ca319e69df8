/* How runs share several devices (run/study/together.h): each takes the device of which least is taken, waits where
 * none has room, and has all of them where it is too large for one. The backend is made up, so that no GPU is needed.
 */
#include "tests/support/solve.h"

#include "run/study/together.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static const char ROOM[] = "plan: {size: [1 m, 0.8 m]}\n"
                           "grid: {scheme: yee, cell: 5 cm, absorber: {cells: 4}}\n"
                           "band: {centre: 600 MHz, width: 200 MHz}\n"
                           "transmitters: [{name: a, at: [0.2 m, 0.4 m]}]\n"
                           "stop: {steps: 10}\n";

enum { DEVICES = 3, EACH = 1000 };

static uint64_t wanted; /* bytes on a device, of the run that asks */

static pw_status takes_all(const struct solver_request *request, pw_error *error)
{
    (void)request;
    (void)error;
    return PW_OK;
}

static double costs_the_same(const struct solver_request *request)
{
    (void)request;
    return 1;
}

static void wants(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    (void)problem;
    (void)runs;
    *host = 0;
    *device = wanted;
}

static int one_at_a_time(const struct problem *problem)
{
    (void)problem;
    return 1;
}

static const struct solver SOLVER = {.name = "made up",
                                     .formulation = FORMULATION_TM2D,
                                     .applicable = takes_all,
                                     .cost = costs_the_same,
                                     .memory = wants};
static const struct solver *const SOLVERS[] = {&SOLVER, NULL};
static const struct backend BACKEND = {.name = "made up", .solvers = SOLVERS, .ensemble = one_at_a_time};
static const struct compute COMPUTE = {.backend = &BACKEND};

static struct setup *setup;

static void begin(struct together *together)
{
    *together = (struct together){.devices = DEVICES};
    for (int d = 0; d < DEVICES; d++) {
        together->device[d] = EACH;
    }
    pthread_mutex_init(&together->lock, NULL);
    pthread_cond_init(&together->left, NULL);
}

static int place_of(struct together *together, uint64_t bytes, struct together_room *room)
{
    wanted = bytes;
    together_enter(together, setup, &COMPUTE, room);
    return room->place;
}

static void each_takes_the_device_with_most_room(void **state)
{
    (void)state;
    struct together together;
    struct together_room rooms[5];
    begin(&together);
    assert_int_equal(place_of(&together, 600, &rooms[0]), 0);
    assert_int_equal(place_of(&together, 300, &rooms[1]), 1);
    assert_int_equal(place_of(&together, 200, &rooms[2]), 2);
    assert_int_equal(place_of(&together, 200, &rooms[3]), 2);
    assert_int_equal(place_of(&together, 650, &rooms[4]), 1); /* least is taken there */
    together_leave(&together, &rooms[0]);
    assert_int_equal(place_of(&together, 900, &rooms[0]), 0);
    for (int r = 0; r < 5; r++) {
        together_leave(&together, &rooms[r]);
    }
    for (int d = 0; d < DEVICES; d++) {
        assert_int_equal(together.device_taken[d], 0);
    }
    assert_int_equal(together.inside, 0);
    together_free(&together);
}

static void one_too_large_for_a_device_has_all(void **state)
{
    (void)state;
    struct together together;
    struct together_room room;
    begin(&together);
    assert_int_equal(place_of(&together, 2400, &room), -1);
    for (int d = 0; d < DEVICES; d++) {
        assert_int_equal(together.device_taken[d], 800);
    }
    together_leave(&together, &room);
    for (int d = 0; d < DEVICES; d++) {
        assert_int_equal(together.device_taken[d], 0);
    }
    together_free(&together);
}

static void *enter_later(void *together)
{
    static struct together_room room;
    together_enter(together, setup, &COMPUTE, &room);
    return &room;
}

static void who_finds_no_room_waits_for_one(void **state)
{
    (void)state;
    struct together together;
    struct together_room rooms[DEVICES];
    pthread_t thread;
    void *found = NULL;
    begin(&together);
    for (int d = 0; d < DEVICES; d++) {
        assert_int_equal(place_of(&together, 800, &rooms[d]), d);
    }
    wanted = 500;
    assert_int_equal(pthread_create(&thread, NULL, enter_later, &together), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    pthread_mutex_lock(&together.lock);
    assert_int_equal(together.inside, DEVICES); /* it waits */
    pthread_mutex_unlock(&together.lock);
    together_leave(&together, &rooms[2]);
    assert_int_equal(pthread_join(thread, &found), 0);
    assert_int_equal(((struct together_room *)found)->place, 2);
    together_free(&together);
}

int main(void)
{
    struct solved made = solve_prepare(ROOM, PW_SINGLE, "cpu");
    setup = made.setup;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_takes_the_device_with_most_room),
        cmocka_unit_test(one_too_large_for_a_device_has_all),
        cmocka_unit_test(who_finds_no_room_waits_for_one),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    solve_free(&made);
    return failed;
}
