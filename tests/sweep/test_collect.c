/* What a sweep makes: the values of a Latin hypercube against what defines one; texts that --set reads to the same
 * scenario; and the collected file, read with HDF5 alone, against the outputs, also when both have been moved. */
#include "scenario/scenario_tree.h"
#include "sweep/collect/store.h"
#include "sweep/sweep.h"
#include "tests/support/check.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ROOM[] = "plan:\n"
                           "  size: [1.6 m, 1.2 m]\n"
                           "  walls: [{from: [0.8, 0.2], to: [0.8, 1], thickness: 10 cm, material: brick}]\n"
                           "band: {centre: 900 MHz, width: 200 MHz}\n"
                           "grid: {scheme: fd4, cell: 4 cm, courant: 0.5, absorber: {cells: 8}}\n"
                           "transmitters: [{name: ap, at: [0.4 m, 0.6 m]}]\n"
                           "receivers: [{name: rx, at: [1.2 m, 0.6 m]}]\n"
                           "spectra: {count: 4, spacing: 4 cells}\n"
                           "stop: {after: 20 ns}\n";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static pw_sweep *load(const char *text)
{
    pw_sweep *sweep = NULL;
    pw_error error = {""};
    write_file("study.yaml", text);
    if (pw_sweep_load("study.yaml", &sweep, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return sweep;
}

/* ---- designs ----------------------------------------------------------------------------------------------------- */

/* Each n-th part of the range, or of its logarithm, has one sample. */
static void check_strata(const pw_sweep_axis *axis, int64_t first, int64_t samples, double from, double to,
                         bool log_scale)
{
    bool *hit = calloc((size_t)samples, sizeof *hit);
    for (int64_t n = 0; n < samples; n++) {
        double value = axis->numbers[first + n];
        double part = log_scale ? log(value / from) / log(to / from) : (value - from) / (to - from);
        int64_t stratum = (int64_t)floor(part * (double)samples);
        assert_in_range(stratum, 0, samples - 1);
        assert_false(hit[stratum]);
        hit[stratum] = true;
    }
    free(hit);
}

static void hypercube_is_latin(void **state)
{
    (void)state;
    enum { SAMPLES = 40 };
    pw_sweep *sweep =
        load("scenario: room.yaml\n"
             "hypercube:\n"
             "  samples: 40\n"
             "  seeds: [3, 8]\n"
             "  keys:\n"
             "    grid.cell: {from: 2 cm, to: 5 cm}\n"
             "    loss: {key: plan.walls.0.material.conductivity, from: 1e-3 S/m, to: 1 S/m, scale: log}\n");
    pw_sweep_axis cell, loss, seed;
    assert_int_equal(pw_sweep_describe(sweep).case_count, 2 * SAMPLES);
    assert_int_equal(pw_sweep_axis_describe(sweep, 0, &cell, NULL), PW_OK);
    assert_int_equal(pw_sweep_axis_describe(sweep, 1, &loss, NULL), PW_OK);
    assert_int_equal(pw_sweep_axis_describe(sweep, 2, &seed, NULL), PW_OK);
    assert_string_equal(cell.units, "m");
    assert_string_equal(loss.units, "S/m");
    assert_string_equal(loss.name, "loss");
    double correlation = 0;
    for (int64_t first = 0; first < 2 * SAMPLES; first += SAMPLES) {
        check_strata(&cell, first, SAMPLES, 0.02, 0.05, false);
        check_strata(&loss, first, SAMPLES, 1e-3, 1, true);
        assert_true(seed.numbers[first] == (first == 0 ? 3 : 8));
    }
    int moved = 0;
    for (int64_t n = 0; n < SAMPLES; n++) {
        moved += cell.numbers[n] != cell.numbers[n + SAMPLES];
        correlation += (cell.numbers[n] - 0.035) / 0.03 * log(loss.numbers[n] / 0.0316) / log(1000) * 12 / SAMPLES;
    }
    assert_true(moved > SAMPLES / 2);     /* another seed, other samples */
    assert_true(fabs(correlation) < 0.5); /* the orders of two keys have nothing to do with each other: 3 sigma */
    pw_sweep_free(sweep);
}

/* The same text, the same samples; and the cases have the values of the axes. */
static void hypercube_repeats(void **state)
{
    (void)state;
    const char text[] =
        "scenario: room.yaml\nhypercube: {samples: 5, seed: 2, keys: {grid.cell: {from: 2 cm, to: 5 cm}}}\n";
    pw_sweep *one = load(text), *two = load(text);
    for (int64_t c = 0; c < 5; c++) {
        pw_sweep_case *a, *b;
        assert_int_equal(pw_sweep_case_create(one, c, &a, NULL), PW_OK);
        assert_int_equal(pw_sweep_case_create(two, c, &b, NULL), PW_OK);
        assert_int_equal(a->override_count, 1);
        assert_string_equal(a->overrides[0], b->overrides[0]);
        pw_sweep_case_free(a);
        pw_sweep_case_free(b);
    }
    pw_sweep_free(one);
    pw_sweep_free(two);
}

static void grid_counts_like_an_odometer(void **state)
{
    (void)state;
    pw_sweep *sweep = load("scenario: room.yaml\n"
                           "grid:\n"
                           "  grid.cell: {from: 1 cm, to: 100 cm, count: 3, scale: log}\n"
                           "  band: [2 GHz, 3 GHz]\n");
    static const char *const EXPECTED[6][2] = {{"grid.cell=1 cm", "band=2 GHz"},  {"grid.cell=1 cm", "band=3 GHz"},
                                               {"grid.cell=10 cm", "band=2 GHz"}, {"grid.cell=10 cm", "band=3 GHz"},
                                               {"grid.cell=1 m", "band=2 GHz"},   {"grid.cell=1 m", "band=3 GHz"}};
    for (int64_t c = 0; c < 6; c++) {
        pw_sweep_case *made;
        assert_int_equal(pw_sweep_case_create(sweep, c, &made, NULL), PW_OK);
        assert_string_equal(made->overrides[0], EXPECTED[c][0]);
        assert_string_equal(made->overrides[1], EXPECTED[c][1]);
        pw_sweep_case_free(made);
    }
    pw_sweep_case *none;
    assert_int_equal(pw_sweep_case_create(sweep, 6, &none, NULL), PW_BAD_INPUT);
    assert_int_equal(pw_sweep_case_create(sweep, -1, &none, NULL), PW_BAD_INPUT);
    pw_sweep_free(sweep);
}

/* A value that stands in the sweep and one that stands in the scenario itself make the same scenario. */
static void values_read_back(void **state)
{
    (void)state;
    static const char *const VALUES[] = {
        "{a: plain, b: 'x, y', c: \"tab\\there: #no\", d: [1, -2.5e-3, \"[z]\"], e: \"\", f: \"~\", g: {}}",
        "[[1 m, -2 m], [3 m, 4 m]]",
        "'it''s \"quoted\" \\ so'",
        "-60 dB",
        "\"- no list\"",
        "\" blanks \"",
        "{\"key: odd\": 1, '#b5523b': brick}",
    };
    for (size_t v = 0; v < sizeof VALUES / sizeof VALUES[0]; v++) {
        char text[400], assignment[400];
        struct tree first = {0}, second = {0};
        char *one, *two;
        pw_error error = {""};
        snprintf(text, sizeof text, "v: %s\n", VALUES[v]);
        assert_int_equal(tree_parse(&first, "first", text, strlen(text), &error), PW_OK);
        assert_int_equal(value_write(first.root->first, &one, &error), PW_OK);
        snprintf(assignment, sizeof assignment, "v=%s", one);
        assert_int_equal(tree_parse(&second, "second", "v: 1\n", 5, &error), PW_OK);
        if (tree_override(&second, assignment, &error) != PW_OK) {
            fail_msg("%s: %s", assignment, error.message);
        }
        assert_int_equal(value_write(second.root->first, &two, &error), PW_OK);
        assert_string_equal(one, two);
        assert_null(strchr(one, '\n'));
        const struct node *a = first.root->first, *b = second.root->first;
        assert_true(a->kind == b->kind && a->count == b->count && strcmp(a->text, b->text) == 0);
        for (a = a->first, b = b->first; a != NULL; a = a->next, b = b->next) {
            assert_true(a->kind == b->kind && a->count == b->count && strcmp(a->text, b->text) == 0 &&
                        (a->key == NULL || strcmp(a->key, b->key) == 0));
        }
        free(one);
        free(two);
        tree_free(&first);
        tree_free(&second);
    }
}

static void paths_lead_from_one_to_the_other(void **state)
{
    (void)state;
    static const char *const CASES[][3] = {{"all.h5", "out", "out/"},        {"out/all.h5", "out", ""},
                                           {"a/b/all.h5", "a/bc", "../bc/"}, {"a/bc/all.h5", "a/b", "../b/"},
                                           {"a/b/all.h5", ".", "../../"},    {"all.h5", "a/b", "a/b/"},
                                           {"a/all.h5", "50%", "../50%%/"}};
    mkdir("a", 0777);
    mkdir("a/b", 0777);
    mkdir("a/bc", 0777);
    mkdir("out", 0777);
    mkdir("50%", 0777);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        char *relative;
        assert_int_equal(outputs_folder(CASES[c][0], CASES[c][1], &relative, NULL), PW_OK);
        assert_string_equal(relative, CASES[c][2]);
        free(relative);
    }
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

enum { FREQUENCIES = 4, CASES = 4 };

/* The whole of a dataset as floats, (*count); its dimensions in `extent`. */
static float *read_floats(hid_t file, const char *path, int *rank, hsize_t extent[8], size_t *count)
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    *rank = H5Sget_simple_extent_dims(space, extent, NULL);
    size_t parts = H5Tget_class(type) == H5T_COMPOUND ? 2 : 1;
    *count = parts * (size_t)H5Sget_simple_extent_npoints(space);
    float *values = calloc(*count, sizeof *values);
    hid_t memory = H5T_NATIVE_FLOAT;
    if (parts == 2) {
        memory = H5Tcreate(H5T_COMPOUND, 2 * sizeof(float));
        H5Tinsert(memory, "r", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(memory, "i", sizeof(float), H5T_NATIVE_FLOAT);
    }
    assert_true(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (parts == 2) {
        H5Tclose(memory);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

static herr_t note_name(hid_t dataset, unsigned dimension, hid_t scale, void *user)
{
    (void)dataset;
    (void)dimension;
    return H5DSget_scale_name(scale, user, 64) >= 0 ? 1 : -1;
}

/* Whether the one scale of that dimension has this name. */
static void check_scale(hid_t file, const char *path, unsigned dimension, const char *name)
{
    char found[64] = "";
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    assert_int_equal(H5DSget_num_scales(dataset, dimension), 1);
    assert_int_equal(H5DSiterate_scales(dataset, dimension, NULL, note_name, found), 1);
    assert_string_equal(found, name);
    H5Dclose(dataset);
}

/* Every output stands at its place in the array, and nothing at that of a missing one. */
static void check_places(const char *collected, const char *folder, const char *dataset, int inner_rank, int missing)
{
    hsize_t extent[8], inner[8];
    size_t count, inner_count;
    int rank;
    hid_t file = H5Fopen(collected, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    float *all = read_floats(file, dataset, &rank, extent, &count);
    assert_int_equal(rank, 2 + inner_rank);
    assert_int_equal(extent[0] * extent[1], CASES);
    for (int c = 0; c < CASES; c++) {
        char path[200];
        const float *part = all + (size_t)c * (count / CASES);
        if (c == missing) {
            for (size_t n = 0; n < count / CASES; n++) {
                assert_true(isnan(part[n]));
            }
            continue;
        }
        snprintf(path, sizeof path, "%s/case-%04d.h5", folder, c);
        hid_t output = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        float *own = read_floats(output, dataset, &rank, inner, &inner_count);
        assert_int_equal(rank, inner_rank);
        assert_true(inner_count <= count / CASES);
        assert_memory_equal(own, part, inner_count * sizeof(float));
        free(own);
        H5Fclose(output);
    }
    free(all);
    H5Fclose(file);
}

static void solve_all(const pw_sweep *sweep)
{
    const pw_run_options options = {.compute.backend = "reference"};
    for (int64_t c = 0; c < pw_sweep_describe(sweep).case_count; c++) {
        bool skipped;
        pw_error error = {""};
        if (pw_sweep_run_case(sweep, c, false, &options, &skipped, &error) != PW_OK) {
            fail_msg("%s", error.message);
        }
        assert_false(skipped);
    }
}

static void grid_becomes_one_array(void **state)
{
    (void)state;
    write_file("room.yaml", ROOM);
    pw_sweep *sweep = load("scenario: room.yaml\n"
                           "grid:\n"
                           "  thickness: {key: plan.walls.0.thickness, values: [8 cm, 16 cm]}\n"
                           "  material: {key: plan.walls.0.material, values: [brick, metal]}\n");
    pw_sweep_collected collected;
    pw_error error = {""};
    solve_all(sweep);
    assert_int_equal(pw_sweep_collect(sweep, "study.h5", NULL, &collected, &error), PW_OK);
    assert_int_equal(collected.present, CASES);
    assert_int_equal(collected.dataset_count, 4);
    assert_int_equal(pw_sweep_collect(sweep, "study.h5", NULL, &collected, &error), PW_BAD_INPUT); /* is there */
    check_places("study.h5", "study", "/transmitters/ap/spectra/ez", 3, -1);
    check_places("study.h5", "study", "/transmitters/ap/spectrum", 1, -1);
    check_places("study.h5", "study", "/transmitters/ap/receivers/rx/ez", 1, -1);
    check_places("study.h5", "study", "/plan/relative_permittivity", 2, -1);

    hid_t file = H5Fopen("study.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    static const char *const NAMES[] = {"thickness", "material", "frequency", "y", "x"};
    for (unsigned d = 0; d < 5; d++) {
        check_scale(file, "/transmitters/ap/spectra/ez", d, NAMES[d]);
    }
    hsize_t extent[8];
    size_t count;
    int rank;
    float *thickness = read_floats(file, "/transmitters/ap/spectra/thickness", &rank, extent, &count);
    assert_true(count == 2 && thickness[0] == 0.08f && thickness[1] == 0.16f);
    float *frequency = read_floats(file, "/transmitters/ap/spectra/frequency", &rank, extent, &count);
    assert_true(count == FREQUENCIES && frequency[0] == 800e6f);
    free(frequency);
    free(thickness);
    H5Fclose(file);

    /* Both together stand for themselves wherever they are. */
    mkdir("elsewhere", 0777);
    assert_int_equal(rename("study.h5", "elsewhere/study.h5"), 0);
    assert_int_equal(rename("study", "elsewhere/study"), 0);
    check_places("elsewhere/study.h5", "elsewhere/study", "/transmitters/ap/spectra/ez", 3, -1);
    assert_int_equal(rename("elsewhere/study", "study"), 0);

    assert_int_equal(remove("study/case-0002.h5"), 0);
    assert_int_equal(pw_sweep_collect(sweep, "study.h5", NULL, &collected, &error), PW_OK);
    assert_int_equal(collected.missing, 1);
    check_places("study.h5", "study", "/transmitters/ap/spectra/ez", 3, 2);
    check_places("study.h5", "study", "/transmitters/ap/receivers/rx/ez", 1, 2);
    pw_sweep_free(sweep);
}

/* Runs of other lengths: what is beyond the end of one is NaN. */
static void shorter_series_end_in_nothing(void **state)
{
    (void)state;
    pw_sweep *sweep = load("scenario: room.yaml\n"
                           "output: lengths\n"
                           "cases: [{name: long, stop.after: 20 ns}, {name: short, stop.after: 10 ns}]\n");
    pw_sweep_collected collected;
    solve_all(sweep);
    assert_int_equal(pw_sweep_collect(sweep, "lengths.h5", NULL, &collected, NULL), PW_OK);
    hid_t file = H5Fopen("lengths.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t extent[8];
    size_t count;
    int rank;
    float *ez = read_floats(file, "/transmitters/ap/receivers/rx/ez", &rank, extent, &count);
    float *time = read_floats(file, "/transmitters/ap/receivers/rx/time", &rank, extent, &count);
    hid_t output = H5Fopen("lengths/short.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    size_t shorter;
    float *own = read_floats(output, "/transmitters/ap/receivers/rx/ez", &rank, extent, &shorter);
    assert_true(fabsf(time[count - 1] - 20e-9f) < 0.1e-9f && fabsf(time[shorter - 1] - 10e-9f) < 0.1e-9f);
    assert_memory_equal(own, ez + count, shorter * sizeof(float));
    for (size_t n = 0; n < count; n++) {
        assert_true(!isnan(ez[n]));
        assert_true((isnan(ez[count + n]) != 0) == (n >= shorter));
    }
    free(own);
    H5Fclose(output);
    check_scale(file, "/transmitters/ap/receivers/rx/ez", 0, "case");
    free(time);
    free(ez);
    H5Fclose(file);
    pw_sweep_free(sweep);
}

/* Planes in three dimensions have a group each. */
static void planes_are_collected(void **state)
{
    (void)state;
    write_file("space.yaml", "dimensions: 3\n"
                             "plan:\n"
                             "  size: [0.8 m, 0.6 m]\n"
                             "  storey: {height: 0.6 m}\n"
                             "band: {centre: 900 MHz, width: 200 MHz}\n"
                             "grid: {scheme: yee, cell: 5 cm, absorber: {cells: 6}}\n"
                             "transmitters: [{name: ap, at: [0.3 m, 0.3 m, 0.3 m]}]\n"
                             "receivers: [{name: rx, at: [0.6 m, 0.3 m, 0.3 m]}]\n"
                             "spectra: {count: 3, spacing: 2 cells, heights: [0.2 m, 0.4 m], components: [ez, ex]}\n"
                             "stop: {after: 5 ns}\n");
    pw_sweep *sweep = load("scenario: space.yaml\n"
                           "output: space\n"
                           "grid: {\"transmitters.0.polarisation\": [vertical, x], "
                           "\"transmitters.0.power\": [10 dBm, 20 dBm]}\n");
    pw_sweep_collected collected;
    pw_error error = {""};
    solve_all(sweep);
    if (pw_sweep_collect(sweep, "space.h5", NULL, &collected, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(collected.dataset_count, 1 + 4 + 3); /* spectrum, planes, components at the receiver */
    check_places("space.h5", "space", "/transmitters/ap/spectra/z0.200_ez/ez", 3, -1);
    check_places("space.h5", "space", "/transmitters/ap/spectra/z0.400_ex/ex", 3, -1);
    check_places("space.h5", "space", "/transmitters/ap/receivers/rx/ex", 1, -1);
    pw_sweep_free(sweep);
}

int main(void)
{
    char folder[] = "/tmp/sweep-XXXXXX";
    const struct CMUnitTest tests[] = {cmocka_unit_test(hypercube_is_latin),
                                       cmocka_unit_test(hypercube_repeats),
                                       cmocka_unit_test(grid_counts_like_an_odometer),
                                       cmocka_unit_test(values_read_back),
                                       cmocka_unit_test(paths_lead_from_one_to_the_other),
                                       cmocka_unit_test(grid_becomes_one_array),
                                       cmocka_unit_test(shorter_series_end_in_nothing),
                                       cmocka_unit_test(planes_are_collected)};
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return (chdir("/") != 0) + (system(command) != 0) + failed;
}
