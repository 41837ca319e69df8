/* A run that stays in memory: maps of every quantity have the bits that they have when the run is written to a file and
 * read back; what only a file has is refused with a sentence. */
#include "tests/support/check.h"

#include "map/map.h"
#include "run/write/result_of_run.h"
#include "run/write/result_writer.h"

#include <string.h>
#include <unistd.h>

#define WALLS                                                                                                          \
    "plan: {size: [3 m, 2 m], walls: [{from: [1.5 m, 0 m], to: [1.5 m, 1.2 m], thickness: 10 cm, material: brick}]}\n" \
    "band: {centre: 1.2 GHz, width: 300 MHz}\n"                                                                        \
    "spectra: {count: 24}\n"

static const char PLAIN[] = WALLS "transmitters: [{name: ap, at: [0.7 m, 0.8 m], power: 17 dBm}]\n";
/* One that has all that a transmitter in two dimensions can have. */
static const char PATTERN[] = WALLS "antennas: [{name: panel, file: floorplans/panel_65.msi}]\n"
                                    "transmitters:\n"
                                    "  - {name: ap, at: [0.7 m, 0.8 m], height: 2 m, conducted_power: 12 dBm,\n"
                                    "     antenna: {pattern: panel, bearing: 90 deg, downtilt: 10 deg}}\n";
static const char HORIZONTAL[] = WALLS "polarisation: horizontal\n"
                                       "transmitters: [{name: loop, at: [0.7 m, 0.8 m]}]\n";
static const char DIPOLE[] = WALLS "polarisation: horizontal\n"
                                   "transmitters: [{name: dipole, at: [0.7 m, 0.8 m], polarisation: [1, 1]}]\n";

static void must(pw_status status, const pw_error *error)
{
    if (status != PW_OK) {
        fail_msg("%s", error->message);
    }
}

/* A run solved, its file and what it is in memory. */
struct solved {
    pw_scenario *scenario;
    pw_setup *setup;
    pw_result *file, *memory;
    char path[64];
};

static void solve(const char *text, struct solved *solved)
{
    pw_error error = {""};
    pw_simulation *simulation = NULL;
    struct result_writer *writer = NULL;
    snprintf(solved->path, sizeof solved->path, "/tmp/test-result-memory-%ld.h5", (long)getpid());
    must(pw_scenario_parse("floorplans/made.yaml", text, NULL, 0, &solved->scenario, &error), &error);
    must(pw_setup_create(solved->scenario, PW_SINGLE, false, &solved->setup, &error), &error);
    must(pw_simulation_create(solved->setup, &(pw_compute){.backend = "cpu", .threads = 2}, 0, 1, &simulation, &error),
         &error);
    must(pw_simulation_run(simulation, NULL, NULL, &error), &error);
    must(result_create(solved->path, true, solved->setup, &writer, &error), &error);
    must(result_add(writer, simulation, &error), &error);
    must(result_commit(writer, 0, 0, &error), &error);
    must(result_of_run(simulation, 0, &solved->memory, &error), &error);
    pw_simulation_free(simulation);
    solved->file = result_get(solved->path);
}

static void drop(struct solved *solved)
{
    pw_result_close(solved->file);
    pw_result_close(solved->memory);
    pw_setup_free(solved->setup);
    pw_scenario_free(solved->scenario);
    (void)unlink(solved->path);
}

/* The bits of a map, or the reason why there is none. */
static void compare_maps(const struct solved *solved, const pw_map_options *options)
{
    struct map a, b;
    pw_error error_a = {""}, error_b = {""};
    pw_status status_a = map_compute(solved->file, options, &a, &error_a);
    pw_status status_b = map_compute(solved->memory, options, &b, &error_b);
    assert_int_equal(status_a, status_b);
    if (status_a != PW_OK) {
        return;
    }
    size_t cells = (size_t)a.rows * (size_t)a.columns;
    assert_int_equal(a.rows, b.rows);
    assert_int_equal(a.columns, b.columns);
    assert_true(a.x0 == b.x0 && a.y0 == b.y0 && a.pitch_x == b.pitch_x && a.pitch_y == b.pitch_y);
    assert_true(a.mean_width == b.mean_width && a.noise == b.noise && a.centre == b.centre);
    assert_memory_equal(a.value, b.value, cells * sizeof *a.value);
    if (a.mark != NULL) {
        assert_memory_equal(a.mark, b.mark, cells);
    }
    map_free(&a);
    map_free(&b);
}

static void compare(const char *text)
{
    struct solved solved = {0};
    solve(text, &solved);

    for (int quantity = 0; quantity <= PW_PATH_LOSS; quantity++) {
        for (int component = PW_COMPONENT_OWN; component <= PW_COMPONENT_HZ; component++) {
            pw_map_options options = pw_map_options_default();
            options.quantity = (pw_quantity)quantity;
            options.channel.component = (pw_component)component;
            options.local_mean = quantity == PW_RECEIVED_POWER;
            options.channel.receiver_height = quantity == PW_PATH_LOSS ? 1.2 : options.channel.receiver_height;
            compare_maps(&solved, &options);
        }
    }

    drop(&solved);
}

static void test_plain(void **state)
{
    (void)state;
    compare(PLAIN);
}

static void test_pattern(void **state)
{
    (void)state;
    compare(PATTERN);
}

static void test_horizontal(void **state)
{
    (void)state;
    compare(HORIZONTAL);
    compare(DIPOLE);
}

static void test_refuses_what_a_file_has(void **state)
{
    (void)state;
    struct solved solved = {0};
    pw_error error = {""};
    double values[8];
    char *text = NULL;
    solve(PLAIN, &solved);
    assert_int_equal(result_read_permittivity(solved.memory, values, &error), PW_BAD_INPUT);
    assert_int_not_equal(error.message[0], '\0');
    error.message[0] = '\0';
    assert_int_not_equal(result_read_scenario(solved.memory, &text, &error), PW_OK);
    assert_int_not_equal(error.message[0], '\0');
    assert_int_equal(
        result_read_spectra(solved.memory, 0, 0, solved.memory->transmitters[0].rows + 1, 0, 1, values, &error),
        PW_USAGE);
    drop(&solved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_horizontal),
        cmocka_unit_test(test_refuses_what_a_file_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
