/* One layer in which nothing changes along z (physics.md section 11): the reference against a plain textbook code of
 * Ex, Ey and Hz, every scheme, in double; the cpu backend against the reference, the same bits for every scheme,
 * instruction set, tile and number of threads, with rows beside metal and without. */
#include "tests/volume/volume_compare.h"

/* ---- a textbook code --------------------------------------------------------------------------------------------- */

enum { NX = 17, NY = 14, STEPS = 120 };

/* SI units: E [V/m], H [A/m] in a conducting box; Ex at (i + 1/2, j), Ey at (i, j + 1/2), Hz at half places of both. */
struct textbook {
    double cell, time_step;
    int reach;
    double tap[REACH_LIMIT];
    double permittivity[2][NY][NX], conductivity[2][NY][NX]; /* of Ex and Ey, relative and S/m */
    double ex[NY][NX], ey[NY][NX], hz[NY][NX];
};

/* Ex is odd about the walls of y that it lies along, Ey about those of x, Hz even about all. */
static double odd(const double *line, ptrdiff_t stride, int i, int n)
{
    return i < 0 ? -odd(line, stride, -i, n) : i > n ? -odd(line, stride, 2 * n - i, n) : i == n ? 0 : line[i * stride];
}

static double even(const double *line, ptrdiff_t stride, int i, int n)
{
    return i < 0 ? even(line, stride, -1 - i, n) : i >= n ? even(line, stride, 2 * n - 1 - i, n) : line[i * stride];
}

static double slope(const struct textbook *book, const double *line, ptrdiff_t stride, int i, int n, bool of_nodes)
{
    double sum = 0;
    for (int l = 0; l < book->reach; l++) {
        sum += of_nodes ? book->tap[l] * (odd(line, stride, i + 1 + l, n) - odd(line, stride, i - l, n))
                        : book->tap[l] * (even(line, stride, i + l, n) - even(line, stride, i - 1 - l, n));
    }
    return sum / book->cell;
}

/* One step; `current` [A] is that of the driven place of Ex, per metre of z and times a metre along x. */
static void textbook_step(struct textbook *book, double current)
{
    const double eps0 = FREE_SPACE_PERMITTIVITY, mu0 = 1 / (eps0 * SPEED_OF_LIGHT * SPEED_OF_LIGHT),
                 dt = book->time_step;
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i < NX; i++) {
            book->hz[j][i] -=
                dt / mu0 *
                (slope(book, &book->ey[j][0], 1, i, NX, true) - slope(book, &book->ex[0][i], NX, j, NY, true));
        }
    }
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i < NX; i++) {
            double curl[2] = {slope(book, &book->hz[0][i], NX, j, NY, false),
                              -slope(book, &book->hz[j][0], 1, i, NX, false)};
            double *e[2] = {&book->ex[j][i], &book->ey[j][i]};
            if (j == 6 && i == 5) {
                curl[0] -= current / (book->cell * book->cell);
            }
            for (int c = 0; c < 2; c++) {
                double eps = eps0 * book->permittivity[c][j][i], loss = 0.5 * dt * book->conductivity[c][j][i];
                bool wall = c == 0 ? j == 0 : i == 0;
                *e[c] = wall ? 0 : ((eps - loss) * *e[c] + dt * curl[c]) / (eps + loss);
            }
        }
    }
}

/* The same media in the problem's table, an entry of its own for every place. */
static void media_of_textbook(struct problem *problem, struct textbook *book, double first_tap)
{
    pw_error error;
    unsigned seed = 5;
    const struct coefficient_step step = problem_coefficient_step(problem, first_tap * first_tap);
    free(problem->coefficients);
    free(problem->coefficient_index);
    assert_int_equal(problem_allocate_coefficients(problem, 2 * NX * NY + 1, &error), PW_OK);
    problem->layer_count = 3;
    problem->coefficient_index = calloc((size_t)3 * NX * NY, sizeof(uint16_t));
    for (int n = 0; n < 2 * NX * NY; n++) {
        double *permittivity = &book->permittivity[0][0][0] + n, *conductivity = &book->conductivity[0][0][0] + n;
        *permittivity = 1 + 5 * random_unit(&seed);
        *conductivity = random_next(&seed) % 2 ? 0.05 * random_unit(&seed) : 0;
        const struct plain_medium medium = {*permittivity, *conductivity};
        coefficient_fill(&medium, &step, problem_coefficient(problem, n + 1));
        problem->coefficient_index[n] = (uint16_t)(n + 1);
    }
    for (int c = 0; c < 3; c++) {
        problem->layer[c][0] = c;
    }
}

static double book_current(int64_t n)
{
    double t = ((double)n - 14) / 5;
    return t * exp(-t * t);
}

static void check_scheme(enum scheme scheme)
{
    const struct stencil stencil = stencil_get(scheme, &(struct stencil_band){12, 0, 3});
    struct problem problem = random_volume((struct random_volume_options){.scheme = scheme,
                                                                          .precision = PW_DOUBLE,
                                                                          .n = {NX, NY, 1},
                                                                          .flat = true,
                                                                          .steps = STEPS,
                                                                          .sources = 1,
                                                                          .places = 1});
    struct textbook *book = calloc(1, sizeof *book);
    book->cell = problem.axis[0].spacing;
    book->time_step = problem.time_step;
    book->reach = stencil.reach;
    memcpy(book->tap, stencil.difference, sizeof stencil.difference);
    media_of_textbook(&problem, book, stencil.difference[0]);
    /* Weights are those of the source's dispersion model: dt/(eps0 eps cell^2 (1 + a)). */
    const double eps = FREE_SPACE_PERMITTIVITY * book->permittivity[0][6][5];
    struct source *source = &problem.sources[0];
    source->node[0] = volume_place(&problem, COMPONENT_EX, 5, 6, 0);
    source->weight[0] =
        -problem.time_step / (book->cell * book->cell) / (eps + 0.5 * problem.time_step * book->conductivity[0][6][5]);
    for (int64_t n = 0; n < STEPS; n++) {
        source->drive[n] = book_current(n);
        textbook_step(book, book_current(n));
    }
    struct run_state end = volume_reference(&problem);
    /* h = eta0 H/(K a(0)). */
    const double k = SPEED_OF_LIGHT * problem.time_step / book->cell;
    for (int n = 0; n < NX * NY; n++) {
        (&book->hz[0][0])[n] /= FREE_SPACE_PERMITTIVITY * SPEED_OF_LIGHT * k * stencil.difference[0];
    }
    const double *wanted[6] = {&book->ex[0][0], &book->ey[0][0], NULL, NULL, NULL, &book->hz[0][0]};
    for (int c = 0; c < 6; c++) {
        const double largest = wanted[c] != NULL ? largest_of(wanted[c], NX * NY) : 0;
        assert_true(c > 1 && c < 5 ? largest_of(end.field[c], NX * NY) == 0 : largest > 0);
        assert_true(wanted[c] == NULL || largest_difference(end.field[c], wanted[c], 1, NX * NY) < 1e-12 * largest);
    }
    run_state_free(&end);
    problem_free(&problem);
    free(book);
}

static void test_textbook_code(void **unused)
{
    (void)unused;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        check_scheme((enum scheme)scheme);
    }
}

/* ---- the cpu backend --------------------------------------------------------------------------------------------- */

static struct random_volume_options busy(enum scheme scheme, pw_precision precision)
{
    struct random_volume_options options = volume_usual(scheme, precision);
    options.n[0] = 35;
    options.n[1] = 47;
    options.n[2] = 1;
    options.absorber[2] = 0;
    options.flat = true;
    options.steps = 31;
    options.tensors = scheme % 2 ? 20 : 0;
    options.seed = 3 + scheme;
    return options;
}

static struct random_volume_options busy_metal(enum scheme scheme, pw_precision precision)
{
    struct random_volume_options options = busy(scheme, precision);
    options.metal = 60;
    return options;
}

static void test_every_scheme_and_instruction_set(void **unused)
{
    (void)unused;
    compare_instruction_sets(busy);
    compare_instruction_sets(busy_metal);
}

static void test_any_tile_and_number_of_threads(void **unused)
{
    (void)unused;
    const char *tiles[] = {"1x1", "3x2", "5x7", "2x64", "8x3", "31x16", "40x5"};
    const enum scheme schemes[] = {SCHEME_YEE, SCHEME_FD4O, SCHEME_DD4};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        for (int s = 0; s < 3; s++) {
            char solver[32];
            struct random_volume_options options = busy(schemes[s], PW_SINGLE);
            options.tensors = t % 2 ? 20 : 0;
            options.metal = t % 3 ? 50 : 0;
            options.absorber[1] = (int)t;
            options.seed = (unsigned)t;
            snprintf(solver, sizeof solver, "%s:%s", tiled_solver(&options), tiles[t]);
            for (int threads = 1; threads <= 5; threads += 2) {
                compare_with_cpu(&options, solver, threads, threads == 5 ? 5 : 0, threads < 5);
            }
        }
    }
}

/* Sizes down to less than the stencil, symmetry planes, no absorber. */
static void test_random_layers(void **unused)
{
    (void)unused;
    unsigned seed = 23;
    for (int trial = 0; trial < 40; trial++) {
        struct random_volume_options options =
            busy((enum scheme)random_between(&seed, 0, SCHEME_COUNT - 1), trial % 4 == 0 ? PW_DOUBLE : PW_SINGLE);
        options.seed = (unsigned)trial;
        options.extruded = trial % 3 == 0;
        options.metal = trial % 3 == 1 ? 30 : 0;
        for (int a = 0; a < 2; a++) {
            options.n[a] = trial % 2 ? random_between(&seed, 2, 20) : random_between(&seed, 15, 70);
            options.absorber[a] = random_between(&seed, 0, 1) ? random_between(&seed, 0, options.n[a] / 2) : 0;
            options.symmetric[a] = random_between(&seed, 0, 3) == 0;
        }
        compare_with_cpu(&options, NULL, random_between(&seed, 1, 4), random_between(&seed, 0, 9), trial % 2 == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook_code),
        cmocka_unit_test(test_every_scheme_and_instruction_set),
        cmocka_unit_test(test_any_tile_and_number_of_threads),
        cmocka_unit_test(test_random_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
