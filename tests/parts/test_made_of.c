/* What a problem is made of, by the table of physics: every number that a physics calls decisive changes the checksum
 * and no other does; bytes keep all of it; and a solver that does not list a physics declines the problems that have
 * it, with that physics's own words. */
#include "backend/solver.h"
#include "problem/physics/physics.h"
#include "problem/physics/problem_bytes.h"
#include "tests/parts/parts_cases.h"

static struct problem volume(void)
{
    struct random_volume_options options = volume_usual(SCHEME_FD4);
    options.n[0] = 37;
    options.stretched = options.extruded = true;
    options.symmetric[1] = true;
    options.tensors = 20;
    struct problem problem = random_volume(options);
    random_poles(&problem, 50, 7);
    return problem;
}

static struct problem layer(void)
{
    struct random_volume_options options = volume_usual(SCHEME_YEE);
    options.flat = true;
    options.n[2] = 1;
    options.absorber[2] = 0;
    options.metal = 30;
    struct problem problem = random_volume(options);
    random_poles(&problem, 50, 7);
    return problem;
}

static struct problem plane(void)
{
    struct random_problem_options options = random_problem_usual(SCHEME_YEE, PW_SINGLE, 8);
    options.further = 2;
    struct problem problem = random_problem(options);
    random_poles(&problem, 50, 7);
    return problem;
}

/* ---- the checksum ------------------------------------------------------------------------------------------------ */

struct flipping {
    struct array_walk walk;
    const struct problem *problem;
    uint32_t sum;
    int decisive, idle;
};

static void flip(struct flipping *flipping, char *byte, bool decides)
{
    *byte ^= 1;
    assert_int_equal(problem_checksum(flipping->problem) != flipping->sum, decides);
    *byte ^= 1;
    flipping->decisive += decides;
    flipping->idle += !decides;
}

/* Each member of the last element. */
static void flip_array(struct array_walk *walk, const struct array *array)
{
    struct flipping *flipping = (struct flipping *)walk;
    char *elements;
    memcpy(&elements, array->place, sizeof elements);
    if (elements == NULL || array->count == 0) {
        return;
    }
    char *last = elements + (size_t)(array->count - 1) * array->size;
    if (array->decides == WHOLE) {
        flip(flipping, last + array->size - 1, true);
    }
    for (const struct member *member = array->decides; member != NULL && member->size > 0; member++) {
        flip(flipping, last + member->offset, true);
    }
    for (int64_t n = 0; array->each != NULL && n < array->count; n++) {
        array->each(walk, elements + (size_t)n * array->size);
    }
}

static void check_numbers(struct problem *problem, int least)
{
    struct flipping flipping = {.walk = {.problem = problem, .array = flip_array, .values = flip_array},
                                .problem = problem,
                                .sum = problem_checksum(problem)};
    problem_visit(&flipping.walk);
    assert_true(flipping.decisive >= least);
    /* By what is known elsewhere: a filter by the scenario's text, a current by the drive. */
    flip(&flipping, (char *)&problem->axis[0].node[3].gain, false);
    flip(&flipping, (char *)problem->sources[0].current, false);
    flip(&flipping, (char *)&problem->pole_spans[1].state, false);
    assert_int_equal(problem_checksum(problem), flipping.sum);
}

static void test_numbers_that_decide(void **unused)
{
    (void)unused;
    struct problem problem = volume();
    check_numbers(&problem, 35);
    problem_free(&problem);
    problem = layer();
    check_numbers(&problem, 30);
    problem_free(&problem);
    problem = plane();
    check_numbers(&problem, 25);
    problem_free(&problem);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void check_bytes(struct problem *problem)
{
    struct problem copy;
    char *bytes, *again;
    size_t size, size_again;
    pw_error error = {{0}};
    assert_int_equal(problem_to_bytes(problem, &bytes, &size, &error), PW_OK);
    assert_int_equal(problem_from_bytes(bytes, size, &copy, &error), PW_OK);
    assert_int_equal(problem_to_bytes(&copy, &again, &size_again, &error), PW_OK);
    assert_int_equal(size, size_again);
    assert_int_equal(problem_checksum(&copy), problem_checksum(problem));
    problem_free(&copy);
    problem_free(problem);
    for (const char *byte = (const char *)&copy; byte < (const char *)(&copy + 1); byte++) {
        assert_int_equal(*byte, 0);
    }
    free(bytes);
    free(again);
}

static void test_bytes_keep_everything(void **unused)
{
    (void)unused;
    struct problem problem = volume();
    check_bytes(&problem);
    problem = layer();
    check_bytes(&problem);
    problem = plane();
    check_bytes(&problem);
}

/* ---- who takes what ---------------------------------------------------------------------------------------------- */

/* A list with all but one of the physics that not every problem has. */
static int check_lists(const struct problem *problem)
{
    int present = 0;
    for (const struct physics *const *left_out = PHYSICS; *left_out != NULL; left_out++) {
        const struct physics *list[32] = {NULL};
        pw_error error = {{0}};
        int listed = 0;
        for (const struct physics *const *physics = PHYSICS; *physics != NULL; physics++) {
            if (*physics != *left_out) {
                list[listed++] = *physics;
            }
        }
        const bool has = (*left_out)->present != NULL && (*left_out)->present(problem);
        const struct solver solver = {.name = "some", .takes = list};
        assert_int_equal(solver_takes(&solver, problem, &error), has ? PW_USAGE : PW_OK);
        assert_string_equal(error.message, has ? (*left_out)->declined : "");
        present += has;
    }
    return present;
}

static void test_solvers_take_what_they_list(void **unused)
{
    (void)unused;
    struct problem problem = volume();
    assert_int_equal(check_lists(&problem), 3); /* tensors, poles, symmetry planes */
    problem_free(&problem);
    problem = layer();
    assert_int_equal(check_lists(&problem), 2); /* metal, poles */
    problem_free(&problem);
    problem = plane();
    problem.axis[1].high.one_way = 2;
    assert_int_equal(check_lists(&problem), 3); /* poles, phases, one-way edges */
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_decide),
        cmocka_unit_test(test_bytes_keep_everything),
        cmocka_unit_test(test_solvers_take_what_they_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
