/* Which solver of the CUDA backend takes a problem, by name and by cost. The device is made up: the functions
 * __wrap_... answer for the runtime, and no GPU is needed. Skipped in a build without CUDA. Leaves out: what the
 * solvers do (test_gpu.c). */
#include "tests/support/random_rooms.h" /* before cmocka, which has a macro fail() */

#include "tests/support/check.h"

/* ---- the device -------------------------------------------------------------------------------------------------- */

struct device {
    int processors, shared; /* multiprocessors, bytes of shared memory a block */
};

static const struct device H100 = {132, 232448}, T4 = {40, 65536}, NARROW = {40, 49152};
static struct device device;

enum { MULTIPROCESSOR_COUNT = 16, SHARED_MEMORY_OPTIN = 97 }; /* enum cudaDeviceAttr */

int __wrap_cudaGetDevice(int *number);
int __wrap_cudaGetDevice(int *number)
{
    *number = 0;
    return 0;
}

int __wrap_cudaDeviceGetAttribute(int *value, int attribute, int number);
int __wrap_cudaDeviceGetAttribute(int *value, int attribute, int number)
{
    assert_int_equal(number, 0);
    assert_true(attribute == MULTIPROCESSOR_COUNT || attribute == SHARED_MEMORY_OPTIN);
    *value = attribute == MULTIPROCESSOR_COUNT ? device.processors : device.shared;
    return 0;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

struct choice {
    struct device device;
    pw_precision precision;
    enum scheme scheme;
    int nx, ny, layer, runs;
    const char *name;   /* as asked for; NULL: the choice is free */
    const char *solver; /* that is taken; NULL: PW_USAGE */
};

/* One node of a medium with one Debye pole. */
static void give_pole(struct problem *problem)
{
    problem->pole_media = calloc(1, sizeof *problem->pole_media);
    problem->pole_steps = calloc(1, sizeof *problem->pole_steps);
    problem->pole_spans = calloc(1, sizeof *problem->pole_spans);
    problem->pole_medium_count = problem->pole_step_count = 1;
    problem->pole_media[0].relaxations = 1;
    problem->pole_spans[0].count = 1;
    problem->pole_span_count = 1;
    problem->pole_state_count = 2;
}

/* What a problem has beside plain media and walls or layers. */
enum special { NOTHING_ELSE, POLES, PLANES, EDGES };

static void check_choice(const struct choice *c, enum special special)
{
    struct random_options options = {.scheme = c->scheme,
                                     .precision = c->precision,
                                     .nx = c->nx,
                                     .ny = c->ny,
                                     .layer = c->layer,
                                     .steps = 30,
                                     .runs = c->runs,
                                     .palette_count = 3,
                                     .source_nodes = 4,
                                     .probes = 3,
                                     .symmetric = {special == PLANES, special == PLANES},
                                     .one_way = {{special == EDGES ? 2 : 0}},
                                     .seed = 7};
    struct problem problem;
    random_problem(&options, &problem);
    if (special == POLES) {
        give_pole(&problem);
    }
    const char *colon = c->name != NULL ? strchr(c->name, ':') : NULL;
    struct solver_request request = {
        .problem = &problem, .count = c->runs, .name = c->name, .detail = colon != NULL ? colon + 1 : NULL};
    pw_error error = {""};
    device = c->device;
    pw_status status = backend_choose(&backend_cuda, &request, &error);
    const char *taken = status == PW_OK ? request.solver->name : error.message;
    if (status != (c->solver != NULL ? PW_OK : PW_USAGE) || (c->solver != NULL && strcmp(taken, c->solver) != 0)) {
        fail_msg("%s %d x %d, layer %d, %d runs, asked for %s: wanted %s, got status %d, %s", scheme_name(c->scheme),
                 c->nx, c->ny, c->layer, c->runs, c->name != NULL ? c->name : "any",
                 c->solver != NULL ? c->solver : "a refusal", (int)status, taken);
    }
    problem_free(&problem);
}

static void cheapest_is_taken(void **state)
{
    (void)state;
    const struct choice choices[] = {
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "resident"},
        {H100, PW_SINGLE, SCHEME_DD4, 768, 768, 16, 1, NULL, "resident"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 2, NULL, "resident"},
        {H100, PW_SINGLE, SCHEME_YEE, 300, 300, 16, 10, NULL, "march"}, /* together, faster than run after run */
        {H100, PW_SINGLE, SCHEME_DD4, 300, 300, 16, 10, NULL, "resident"},
        {H100, PW_SINGLE, SCHEME_YEE, 1536, 1536, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_DD2, 1536, 1536, 16, 1, NULL, "streamed"},
        {H100, PW_SINGLE, SCHEME_DD4, 1536, 1537, 16, 1, NULL, "streamed"},
        {H100, PW_SINGLE, SCHEME_DD4, 3072, 3072, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_FD8, 1536, 1536, 0, 3, NULL, "streamed"},
        {H100, PW_SINGLE, SCHEME_FD4O, 640, 640, 16, 1, NULL, "resident"},
        {H100, PW_SINGLE, SCHEME_FD4O, 2048, 2048, 16, 1, NULL, "streamed"},
        {H100, PW_SINGLE, SCHEME_FD4, 1536, 1536, 0, 3, NULL, "streamed"},
        {H100, PW_SINGLE, SCHEME_FD4O, 3072, 3072, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_DD4, 49, 49, 16, 1, NULL, "tile"},
        {H100, PW_DOUBLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "plain"},
        {T4, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "march"},
        {T4, PW_SINGLE, SCHEME_YEE, 100, 100, 16, 1, NULL, "tile"},
        {T4, PW_SINGLE, SCHEME_DD4, 100, 100, 16, 1, NULL, "tile"},
        {NARROW, PW_SINGLE, SCHEME_DD4, 100, 100, 40, 1, NULL, "plain"},
    };
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        check_choice(&choices[k], NOTHING_ELSE);
    }
}

static void a_name_is_taken_or_refused(void **state)
{
    (void)state;
    const struct choice choices[] = {
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "plain", "plain"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:2", "tile"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:3", "march"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "resident:1", "resident"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "resident:2", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:x", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:0", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "plain:1", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "fastest", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 100, 100, 16, 1, "march", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 4000, 4000, 16, 1, "resident", NULL},
        {H100, PW_DOUBLE, SCHEME_YEE, 768, 768, 16, 1, "march", NULL},
        {NARROW, PW_SINGLE, SCHEME_DD4, 100, 100, 40, 1, "tile", NULL},
    };
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        check_choice(&choices[k], NOTHING_ELSE);
    }
}

/* Passes of several steps take media with poles; what keeps fields on the chip does not. */
static void media_with_poles(void **state)
{
    (void)state;
    const struct choice choices[] = {
        {H100, PW_SINGLE, SCHEME_YEE, 640, 170, 9, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_FD4O, 640, 170, 9, 1, "march", "march"},
        {H100, PW_SINGLE, SCHEME_DD4, 640, 170, 9, 2, "march:1", "march"},
        {H100, PW_SINGLE, SCHEME_FD4O, 2048, 2048, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_YEE, 100, 100, 16, 1, NULL, "tile"},
        {H100, PW_SINGLE, SCHEME_YEE, 100, 9000, 16, 1, NULL, "plain"}, /* too narrow for a march */
        {H100, PW_DOUBLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "plain"},
        {NARROW, PW_SINGLE, SCHEME_DD4, 100, 100, 40, 1, NULL, "plain"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:1", "tile"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:2", "tile"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:8", "march"},
        {T4, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:8", "march"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "resident", NULL},
        {H100, PW_SINGLE, SCHEME_FD4O, 2048, 2048, 16, 1, "streamed", NULL},
    };
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        check_choice(&choices[k], POLES);
    }
}

/* Symmetry planes are taken by what makes images, with room before the opposite wall; edges of Mur by the plain solver.
 */
static void other_walls(void **state)
{
    (void)state;
    const struct choice planes[] = {
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_DD4, 768, 768, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_FD4O, 2048, 2048, 16, 1, NULL, "march"},
        {H100, PW_SINGLE, SCHEME_DD4, 49, 49, 16, 1, NULL, "tile"},
        {H100, PW_SINGLE, SCHEME_DD4, 29, 49, 16, 1, NULL, "plain"},
        {H100, PW_DOUBLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "plain"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:4", "march"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:4", "tile"},
        {H100, PW_SINGLE, SCHEME_DD4, 29, 49, 16, 1, "tile", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "resident", NULL},
        {H100, PW_SINGLE, SCHEME_FD4O, 2048, 2048, 16, 1, "streamed", NULL},
    };
    const struct choice edges[] = {
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, NULL, "plain"},
        {H100, PW_DOUBLE, SCHEME_DD4, 768, 768, 16, 2, NULL, "plain"},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "march:1", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "tile:1", NULL},
        {H100, PW_SINGLE, SCHEME_YEE, 768, 768, 16, 1, "resident", NULL},
    };
    for (size_t k = 0; k < sizeof planes / sizeof planes[0]; k++) {
        check_choice(&planes[k], PLANES);
    }
    for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++) {
        check_choice(&edges[k], EDGES);
    }
}

int main(void)
{
    if (backend_cuda.solvers[0] == NULL) {
        printf("skipped: this build has no CUDA\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheapest_is_taken),
        cmocka_unit_test(a_name_is_taken_or_refused),
        cmocka_unit_test(media_with_poles),
        cmocka_unit_test(other_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
