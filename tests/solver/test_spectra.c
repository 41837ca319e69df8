/* Running spectra against their definition, the sum X(f) = every dt sum of Ez(t_s) exp(-j omega t_s) in long double:
 * groups folded about their middle, samples that wait for the rest of their group, runs that are read early. That all
 * engines add alike is tested in test_cpu.c and test_gpu.c, that checkpoints keep waiting samples in test_checkpoint.c.
 */
#include "problem/spectra/spectra.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/support/solve.h"

typedef long double complex exact;

static double random_unit(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

/* A lattice without a grid: random frequencies up to the last that a sample every `every` steps can tell apart. */
static struct problem lattice_create(int frequencies, int every, pw_precision precision, unsigned *seed)
{
    struct problem problem = {.time_step = 1.7e-11, .precision = precision};
    problem.spectra = (struct spectra){.frequency_count = frequencies, .every = every};
    problem.spectra.omega = calloc((size_t)frequencies, sizeof(double));
    for (int f = 0; f < frequencies; f++) {
        problem.spectra.omega[f] = M_PI * random_unit(seed) / (every * problem.time_step);
    }
    return problem;
}

/* every dt exp(-j omega t_s) of sample s */
static exact exact_weight(const struct problem *problem, int f, int64_t s)
{
    long double interval = (long double)problem->spectra.every * (long double)problem->time_step;
    long double phase = (long double)problem->spectra.omega[f] * (long double)(s + 1) * interval;
    return interval * (cosl(phase) - I * sinl(phase));
}

/* How far a part of X may be from the exact sum of `count` samples, to first order. Sample s goes into X as x c C + x s
 * S, with |c C| + |s S|
 * <= every dt |x|, and each of the two products sees at most so many roundings: of the weight, of the turn and of the
 * sum or difference of a pair, one each; group/2 multiply-adds in its group; two multiply-adds for the turn of its
 * group and of each later one. Besides, angles are evaluated in double, a few roundings of omega t. `sum` is that of
 * |x|. */
static double folded_bound(const struct problem *problem, int f, int64_t count, double sum)
{
    const struct spectra *spectra = &problem->spectra;
    double interval = spectra->every * problem->time_step;
    double unit = problem->precision == PW_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    double group = spectra_group(spectra), groups = ceil((double)count / group);
    double roundings = 3 + group / 2 + 2 * groups, angle = spectra->omega[f] * (double)(count + (int)group) * interval;
    return interval * sum * (unit * roundings + DBL_EPSILON * (4 + 4 * angle));
}

/* The same of transformed groups. Until it is in X a sample sees a rounding of each weight it meets and of each sum: of
 * the window 2; of the two transforms of 16, two times (2 sums, a rotation of 3, 2 sums); of the rotation between them
 * 3, of the split 5; of the taps one more than their number; of the turn 3, and 2 for each later group. The window
 * makes it at most `growth` larger on the way, and the taps, which add up to one, spread it no further; a rounding may
 * be in both parts. What the taps leave out is their function's transform (closed form) beyond the bins of its
 * neighbours, over that at the group's edge. */
static double transformed_bound(const struct problem *problem, int f, int64_t count, double sum)
{
    double interval = problem->spectra.every * problem->time_step;
    double unit = problem->precision == PW_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    double taps = problem->precision == PW_SINGLE ? 8 : 16, groups = ceil((double)count / 256);
    double middle = 2.3 * taps, edge = sqrt(middle * middle - taps * taps * M_PI * M_PI / 16);
    double growth = sinh(middle) / middle * edge / sinh(edge), left_out = edge / sinh(edge);
    double roundings = 2 + 14 + 3 + 5 + (taps + 1) + 3 + 2 * groups;
    double angle = problem->spectra.omega[f] * (double)(count + 256) * interval;
    return interval * sum * (left_out + M_SQRT2 * growth * unit * roundings + DBL_EPSILON * (4 + 4 * angle));
}

static double error_bound(const struct problem *problem, int f, int64_t count, double sum)
{
    return spectra_group(&problem->spectra) == 256 ? transformed_bound(problem, f, count, sum)
                                                   : folded_bound(problem, f, count, sum);
}

static double round_to(pw_precision precision, double value)
{
    return precision == PW_SINGLE ? (double)(float)value : value;
}

/* One group, in the precision of the problem, through arrays of that precision. */
static void add_group(const struct problem *problem, const double *weights, const double *phases, const double *samples,
                      size_t nodes, double *sums)
{
    const struct spectra *spectra = &problem->spectra;
    size_t count = (size_t)spectra_group(spectra) * nodes, values = 2 * (size_t)spectra->frequency_count * nodes;
    if (problem->precision == PW_DOUBLE) {
        spectra_add_double(spectra, weights, phases, samples, nodes, 0, nodes, sums);
        return;
    }
    float *narrow = calloc(count + values, sizeof *narrow), *to = narrow + count;
    for (size_t n = 0; n < count; n++) {
        narrow[n] = (float)samples[n];
    }
    for (size_t n = 0; n < values; n++) {
        to[n] = (float)sums[n];
    }
    spectra_add_float(spectra, weights, phases, narrow, nodes, 0, nodes, to);
    for (size_t n = 0; n < values; n++) {
        sums[n] = (double)to[n];
    }
    free(narrow);
}

/* All groups of `count` samples (count rounded up to whole groups, nodes), zero from `count` on. */
static double *add_all(const struct problem *problem, const double *samples, int64_t count, size_t nodes)
{
    const struct spectra *spectra = &problem->spectra;
    int64_t group = spectra_group(spectra), groups = (count + group - 1) / group;
    size_t frequencies = (size_t)spectra->frequency_count, weight_count = spectra_weight_count(problem);
    double *weights = calloc(weight_count + 2 * (size_t)groups * frequencies, sizeof *weights);
    double *phases = weights + weight_count, *sums = calloc(2 * frequencies * nodes, sizeof *sums);
    spectra_weights(problem, weights);
    spectra_phases(problem, 0, groups, phases);
    for (int64_t g = 0; g < groups; g++) {
        add_group(problem, weights, phases + 2 * (size_t)g * frequencies, samples + (size_t)(g * group) * nodes, nodes,
                  sums);
    }
    free(weights);
    return sums;
}

static double *random_samples(const struct problem *problem, int64_t count, size_t nodes, unsigned *seed)
{
    double *samples = calloc((size_t)(count + spectra_group(&problem->spectra)) * nodes, sizeof *samples);
    for (size_t n = 0; n < (size_t)count * nodes; n++) {
        samples[n] = round_to(problem->precision, 2 * random_unit(seed) - 1);
    }
    return samples;
}

/* Four whole groups and a rest, more nodes than are added at once. */
static void check_definition(int frequencies, int group, pw_precision precision)
{
    enum { NODES = 700 };
    unsigned seed = (unsigned)frequencies;
    struct problem problem = lattice_create(frequencies, 12, precision, &seed);
    problem.spectra.omega[0] = 0;
    problem.spectra.omega[1] = M_PI / (12 * problem.time_step);
    problem.spectra.omega[2] += 2 * problem.spectra.omega[1]; /* bands may lie above half the rate of samples */
    assert_int_equal(spectra_group(&problem.spectra), group);
    int64_t count = 4 * group + group / 2 - 1;
    double *samples = random_samples(&problem, count, NODES, &seed), *sums = add_all(&problem, samples, count, NODES);
    double worst = 0;
    for (int f = 0; f < frequencies; f++) {
        exact *weights = calloc((size_t)count, sizeof *weights);
        for (int64_t s = 0; s < count; s++) {
            weights[s] = exact_weight(&problem, f, s);
        }
        for (size_t n = 0; n < NODES; n++) {
            exact sum = 0;
            double size = 0;
            for (int64_t s = 0; s < count; s++) {
                sum += weights[s] * (long double)samples[(size_t)s * NODES + n];
                size += fabs(samples[(size_t)s * NODES + n]);
            }
            const double *found = sums + 2 * ((size_t)f * NODES + n);
            double error = fmax(fabs((double)(creall(sum) - found[0])), fabs((double)(cimagl(sum) - found[1])));
            double bound = error_bound(&problem, f, count, size);
            assert_true(error <= bound);
            worst = fmax(worst, error / bound);
        }
        free(weights);
    }
    print_message("groups of %d, %s: at most %.2g of the bound\n", group, precision == PW_SINGLE ? "single" : "double",
                  worst);
    free(sums);
    free(samples);
    free(problem.spectra.omega);
}

static void test_groups_add_up_to_the_definition(void **state)
{
    (void)state;
    static const int FREQUENCIES[] = {3, 9, 20, 64}, GROUPS[] = {8, 16, 32, 256};
    for (int k = 0; k < 4; k++) {
        check_definition(FREQUENCIES[k], GROUPS[k], PW_SINGLE);
        check_definition(FREQUENCIES[k], GROUPS[k], PW_DOUBLE);
    }
}

/* What the sum was before: one multiply-add a sample, in order. */
static void add_plainly(const struct problem *problem, const double *samples, int64_t count, size_t nodes, double *sums)
{
    for (int f = 0; f < problem->spectra.frequency_count; f++) {
        for (size_t n = 0; n < nodes; n++) {
            float real = 0, imaginary = 0;
            for (int64_t s = 0; s < count; s++) {
                exact weight = exact_weight(problem, f, s);
                float sample = (float)samples[(size_t)s * nodes + n];
                real = fmaf(sample, (float)creall(weight), real);
                imaginary = fmaf(sample, (float)cimagl(weight), imaginary);
            }
            sums[2 * ((size_t)f * nodes + n)] = (double)real;
            sums[2 * ((size_t)f * nodes + n) + 1] = (double)imaginary;
        }
    }
}

static double square(long double value)
{
    return (double)(value * value);
}

/* A long run in single precision: noise at one node, at the others tones at some of the frequencies, whose sums only
 * grow. */
static void check_long_run(int frequencies)
{
    enum { COUNT = 20000, NODES = 4 };
    unsigned seed = 5;
    struct problem problem = lattice_create(frequencies, 12, PW_SINGLE, &seed);
    double *samples = random_samples(&problem, COUNT, NODES, &seed);
    double *plain = calloc(2 * (size_t)frequencies * NODES, sizeof *plain);
    for (int64_t s = 0; s < COUNT; s++) {
        for (int n = 1; n < NODES; n++) {
            exact phasor = exact_weight(&problem, 4 * n, s) / exact_weight(&problem, 4 * n, -1);
            samples[s * NODES + n] = (double)(float)creall(phasor);
        }
    }
    double *grouped = add_all(&problem, samples, COUNT, NODES), of_plain = 0, of_groups = 0, all = 0;
    add_plainly(&problem, samples, COUNT, NODES, plain);
    for (int f = 0; f < frequencies; f++) {
        exact sum[NODES] = {0};
        for (int64_t s = 0; s < COUNT; s++) {
            for (int n = 0; n < NODES; n++) {
                sum[n] += exact_weight(&problem, f, s) * (long double)samples[s * NODES + n];
            }
        }
        for (int n = 0; n < NODES; n++) {
            int at = 2 * (f * NODES + n);
            of_plain += square(plain[at] - creall(sum[n])) + square(plain[at + 1] - cimagl(sum[n]));
            of_groups += square(grouped[at] - creall(sum[n])) + square(grouped[at + 1] - cimagl(sum[n]));
            all += square(creall(sum[n])) + square(cimagl(sum[n]));
        }
    }
    print_message("error of %d samples: groups of %d %.2g, one after another %.2g of the sums\n", COUNT,
                  spectra_group(&problem.spectra), sqrt(of_groups / all), sqrt(of_plain / all));
    assert_true(of_groups <= of_plain);
    free(grouped);
    free(plain);
    free(samples);
    free(problem.spectra.omega);
}

static void test_long_runs_lose_no_more_than_plain_sums(void **state)
{
    (void)state;
    check_long_run(16);
    check_long_run(64);
}

/* ---- runs that are read early ---- */

/* Lengths are sums of powers of two, so that receivers stand on nodes exactly; the lattice begins at the corner of the
 * plan. */
static struct solved prepare(int frequencies, pw_precision precision, const char *backend)
{
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [1.25 m, 1 m], rectangles: [{from: [0.5 m, 0], to: [0.625 m, 0.5 m], material: brick}]}\n"
             "grid: {scheme: dd2, cell: 3.125 cm, absorber: {cells: 6}}\n"
             "band: {centre: 1.2 GHz, width: 400 MHz}\n"
             "transmitters: [{name: west, at: [0.3 m, 0.5 m]}]\n"
             "receivers: [{name: near, at: [0.375 m, 0.65625 m]}, {name: far, at: [1.125 m, 0.28125 m]}]\n"
             "spectra: {count: %d, spacing: 3 cells}\n"
             "stop: {steps: 9000}\n",
             frequencies);
    return solve_prepare(text, precision, backend);
}

static size_t spectra_size(const struct solved *solved)
{
    const struct spectra *spectra = &solved->setup->problem.spectra;
    return 2 * (size_t)spectra->frequency_count * (size_t)spectra->rows * (size_t)spectra->columns;
}

static void read_spectra(const struct solved *solved, double *out)
{
    pw_error error = {""};
    SOLVE_CHECK(pw_simulation_spectra(solved->simulation, 0, 0, solved->setup->problem.spectra.rows, out, &error),
                &error);
}

/* The place of a receiver's node on the lattice. */
static size_t lattice_node(const struct solved *solved, int receiver)
{
    const struct problem *problem = &solved->setup->problem;
    const struct placement *placement = &solved->setup->receivers[receiver].placement;
    assert_int_equal(placement->count, 1);
    assert_true(placement->weight[0] == 1);
    int64_t c = placement->node[0] % problem->axis[0].count - problem->spectra.x0;
    int64_t r = placement->node[0] / problem->axis[0].count - problem->spectra.y0;
    assert_int_equal(c % problem->spectra.spacing, 0);
    assert_int_equal(r % problem->spectra.spacing, 0);
    return (size_t)(r / problem->spectra.spacing * problem->spectra.columns + c / problem->spectra.spacing);
}

/* The spectra as they are read now are the sums over what the receivers have recorded until now. */
static void check_against_receivers(const struct solved *solved)
{
    const struct problem *problem = &solved->setup->problem;
    const struct spectra *spectra = &problem->spectra;
    int64_t steps = solved->simulation->step, count = spectra_samples(spectra, steps);
    size_t lattice = (size_t)spectra->rows * (size_t)spectra->columns;
    double *series = calloc(2 * (size_t)steps, sizeof *series), *read = calloc(spectra_size(solved), sizeof *read);
    pw_error error = {""};
    read_spectra(solved, read);
    SOLVE_CHECK(pw_simulation_receivers(solved->simulation, 0, series, &error), &error);
    for (int receiver = 0; receiver < 2; receiver++) {
        const double *ez = series + (size_t)receiver * (size_t)steps;
        size_t node = lattice_node(solved, receiver);
        for (int f = 0; f < spectra->frequency_count; f++) {
            exact sum = 0;
            double size = 0;
            for (int64_t s = 0; s < count; s++) {
                double sample = ez[(s + 1) * spectra->every - 1];
                sum += exact_weight(problem, f, s) * (long double)sample;
                size += fabs(sample);
            }
            const double *found = read + 2 * ((size_t)f * lattice + node);
            double bound = error_bound(problem, f, count, size);
            assert_true(size > 0 && cabsl(sum) > 8 * (long double)bound);
            assert_true(fabs((double)(creall(sum) - found[0])) <= bound);
            assert_true(fabs((double)(cimagl(sum) - found[1])) <= bound);
        }
    }
    free(read);
    free(series);
}

static void advance(const struct solved *solved, int64_t steps)
{
    pw_error error = {""};
    SOLVE_CHECK(pw_simulation_advance(solved->simulation, steps, &error), &error);
}

/* Read in the middle of a group twice, with whole groups before it that an engine may still hold; against a run that is
 * not read. */
static void check_early_reads(int frequencies, pw_precision precision, const char *backend)
{
    struct solved read = prepare(frequencies, precision, backend), alone = prepare(frequencies, precision, backend);
    const struct problem *problem = &read.setup->problem;
    const struct spectra *spectra = &problem->spectra;
    int64_t group = spectra_group(spectra), every = spectra->every;
    assert_in_range(every * (4 * group + 3), 1, problem->steps);
    advance(&read, every * (group + group / 2));
    assert_int_equal(spectra_waiting(spectra, read.simulation->step), group / 2);
    check_against_receivers(&read);
    advance(&read, every * (3 * group - 1) + every / 2 - read.simulation->step);
    assert_int_equal(spectra_waiting(spectra, read.simulation->step), group - 1);
    check_against_receivers(&read);
    advance(&read, every * (4 * group + 3) - read.simulation->step);
    advance(&alone, read.simulation->step);
    check_against_receivers(&read);

    size_t count = spectra_size(&read);
    double *one = calloc(count, sizeof *one), *two = calloc(count, sizeof *two);
    read_spectra(&read, one);
    read_spectra(&alone, two);
    assert_memory_equal(one, two, count * sizeof *one);
    free(two);
    free(one);
    solve_free(&alone);
    solve_free(&read);
}

static void test_early_reads_change_nothing(void **state)
{
    (void)state;
    static const int FREQUENCIES[] = {3, 9, 20, 64};
    for (size_t b = 0; b < pw_backend_count(); b++) {
        pw_backend_info info = pw_backend_describe(b);
        for (int k = 0; k < 4 && info.available; k++) {
            check_early_reads(FREQUENCIES[k], PW_SINGLE, info.name);
            check_early_reads(FREQUENCIES[k], PW_DOUBLE, info.name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_add_up_to_the_definition),
        cmocka_unit_test(test_long_runs_lose_no_more_than_plain_sums),
        cmocka_unit_test(test_early_reads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
