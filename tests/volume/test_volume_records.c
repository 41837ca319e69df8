/* The reference backend in three dimensions: what is recorded (probes, samples and spectra over sheets, energy), and
 * the state that runs exchange. */
#include "problem/spectra/spectra.h"
#include "tests/volume/volume_compare.h"

/* ---- what is recorded ---------------------------------------------------------------------------------------------
 */

static double place_value(const struct problem *problem, const struct run_state *state, int64_t place)
{
    int64_t nodes = problem_nodes(problem);
    return state->field[place / nodes][place % nodes];
}

static double probe_value(const struct problem *problem, const struct run_state *state, const struct probe *probe)
{
    double sum = 0;
    for (int p = 0; p < probe->count; p++) {
        sum += probe->weight[p] * place_value(problem, state, probe->place[p]);
    }
    return probe->count > 0 ? sum
                            : place_value(problem, state, probe->component * problem_nodes(problem) + probe->node);
}

/* The sum over the points of all sheets of sample number s (from 1) times exp(-j omega t), into sums (frequency, point,
 * 2). */
static void add_sample(const struct problem *problem, const struct run_state *state, int64_t s, double *sums)
{
    const struct spectra *spectra = &problem->spectra;
    double interval = spectra->every * problem->time_step;
    size_t point = 0;
    for (int h = 0; h < spectra->sheet_count; h++) {
        const struct spectra_sheet *sheet = &spectra->sheets[h];
        for (int n = 0; n < sheet->rows * sheet->columns; n++, point++) {
            double value = place_value(problem, state,
                                       sheet->first + n % sheet->columns * sheet->column_stride +
                                           n / sheet->columns * sheet->row_stride);
            for (int f = 0; f < spectra->frequency_count; f++) {
                double phase = spectra->omega[f] * (double)s * interval;
                double *sum = sums + 2 * ((size_t)f * (size_t)spectra->rows + point);
                sum[0] += interval * value * cos(phase);
                sum[1] -= interval * value * sin(phase);
            }
        }
    }
}

/* Step by step: probes are what the fields say, spectra are the sums over their samples, the waiting samples the last
 * of them. */
static void test_records_are_what_the_fields_say(void **unused)
{
    (void)unused;
    struct random_volume_options options = volume_usual(SCHEME_FD6, PW_DOUBLE);
    options.steps = 2 * 2 * 8 + 6; /* two groups of eight samples, and three that wait */
    struct problem problem = random_volume(options);
    const struct spectra *spectra = &problem.spectra;
    size_t points = (size_t)spectra->rows, count = 2 * points * (size_t)spectra->frequency_count;
    double *sums = calloc(count, sizeof(double));
    struct stepper *stepper = volume_stepper(&backend_reference, &problem, NULL);
    for (int64_t step = 0; step < options.steps; step++) {
        volume_advance(stepper, 1);
        struct run_state state = volume_state(&problem, stepper);
        for (int p = 0; p < problem.probe_count; p++) {
            double wanted = probe_value(&problem, &state, &problem.probes[p]);
            assert_true(fabs(state.probes[step * problem.probe_count + p] - wanted) <= 1e-14 * fabs(wanted) + 1e-17);
        }
        if ((step + 1) % spectra->every == 0 && (step + 1) / spectra->every <= 16) {
            add_sample(&problem, &state, (step + 1) / spectra->every, sums);
        }
        run_state_free(&state);
    }
    struct run_state state = volume_state(&problem, stepper);
    assert_int_equal(spectra_waiting(spectra, options.steps), 3);
    assert_true(largest_of(sums, count) > 0);
    assert_true(largest_difference(state.spectra, sums, 1, count) < 1e-12 * largest_of(sums, count));
    const struct spectra_sheet *plane = &spectra->sheets[0];
    assert_same_values("sample", &state.samples[2 * points + 1],
                       &state.field[COMPONENT_EZ][plane->first % problem_nodes(&problem) + 2], 1);
    double energy, wanted = 0;
    pw_error error;
    assert_int_equal(stepper_energy(stepper, 0, &energy, &error), PW_OK);
    for (int c = 0; c < 3; c++) {
        for (int64_t n = 0; n < problem_nodes(&problem); n++) {
            wanted += state.field[c][n] * state.field[c][n];
        }
    }
    assert_true(wanted > 0 && fabs(energy - wanted) < 1e-12 * wanted);
    run_state_free(&state);
    stepper_destroy(stepper);
    free(sums);
    problem_free(&problem);
}

/* read_field gives Ex, Ey, Ez; the spectra and the samples by rows are those of the state; two runs do not meet. */
static void test_reads_agree_with_the_state(void **unused)
{
    (void)unused;
    struct random_volume_options options = volume_usual(SCHEME_YEE, PW_SINGLE);
    options.sources = 2;
    struct problem problem = random_volume(options);
    size_t nodes = (size_t)problem_nodes(&problem), points = (size_t)problem.spectra.rows;
    struct stepper *stepper = NULL;
    pw_error error;
    assert_int_equal(stepper_create(&backend_reference, &problem, 0, 2, NULL, &stepper, &error), PW_OK);
    volume_advance(stepper, options.steps);
    double *field = calloc(3 * nodes, sizeof(double)), *part = calloc(2 * 3 * points, sizeof(double));
    struct run_state state;
    assert_int_equal(run_state_create(&problem, options.steps, &state, &error), PW_OK);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(stepper_save(stepper, run, &state, &error), PW_OK);
        assert_int_equal(stepper_read_field(stepper, run, field, &error), PW_OK);
        for (int c = 0; c < 3; c++) {
            assert_same_values("field", field + (size_t)c * nodes, state.field[c], nodes);
        }
        assert_int_equal(stepper_read_spectra(stepper, run, 7, 5, part, &error), PW_OK);
        for (size_t f = 0; f < 3; f++) {
            assert_same_values("spectra", part + f * 10, state.spectra + 2 * (f * points + 7), 10);
        }
        assert_int_equal(stepper_read_samples(stepper, run, 7, 5, part, &error), PW_OK);
        assert_same_values("samples", part + 5, state.samples + points + 7, 5);
        struct problem alone = problem;
        alone.sources = &problem.sources[run];
        alone.source_count = 1;
        struct run_state other = volume_reference(&alone);
        assert_same_states(&problem, &state, &other);
        run_state_free(&other);
    }
    run_state_free(&state);
    stepper_destroy(stepper);
    free(field);
    free(part);
    problem_free(&problem);
}

static void test_a_saved_run_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    for (int precision = 0; precision < 2; precision++) {
        struct random_volume_options options = volume_usual(SCHEME_FD4O, (pw_precision)precision);
        options.tensors = 8;
        options.hard = precision == 1;
        struct problem problem = random_volume(options);
        struct run_state whole = volume_reference(&problem);
        struct stepper *first = volume_stepper(&backend_reference, &problem, NULL);
        volume_advance(first, 37);
        struct run_state middle = volume_state(&problem, first);
        stepper_destroy(first);
        struct run_state resumed = volume_solve(&backend_reference, &problem, NULL, &middle, 0);
        assert_same_states(&problem, &whole, &resumed);
        run_state_free(&whole);
        run_state_free(&middle);
        run_state_free(&resumed);
        problem_free(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_are_what_the_fields_say),
        cmocka_unit_test(test_reads_agree_with_the_state),
        cmocka_unit_test(test_a_saved_run_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
