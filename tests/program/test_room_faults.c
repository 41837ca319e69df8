/* What happens to the things made of a result when memory or the disk run out at any one moment: channels, maps,
 * coverage tables, calibration, reports, pictures of plans and of fields. Every allocation and every call that touches
 * a file fails once, and from then on. After each of them: the right status, a sentence, no memory lost, nothing
 * half-written. gnuplot is a stand-in that writes a line, since what is drawn does not matter here. Leaves out: the run
 * itself (test_faults.c). */
#include "report/planwave_report.h"
#include "tests/faults/faults_job.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/picture/png_image.h"
#include "calibrate/planwave_calibrate.h"
#include "discretize/picture/space_view.h"
#include "result/result.h"

static char output[96], measured[96];

/* ---- what is made of a result ------------------------------------------------------------------------------------ */

typedef pw_status (*maker)(const pw_result *result, const char *path, pw_error *error);

static pw_status make_channel(const pw_result *result, const char *path, pw_error *error)
{
    return pw_channel_write(result, "west", "near", NULL, NULL, path, NULL, error);
}

static pw_status make_channel_at_point(const pw_result *result, const char *path, pw_error *error)
{
    static const double at[2] = {0.3, 0.3};
    pw_metrics metrics;
    return pw_channel_write(result, "east", NULL, at, NULL, path, &metrics, error);
}

static pw_status make_map(const pw_result *result, pw_quantity quantity, bool local_mean, const char *path,
                          pw_error *error)
{
    FILE *nowhere = fopen("/dev/null", "w");
    pw_map_options options = pw_map_options_default();
    options.quantity = quantity;
    options.local_mean = local_mean;
    options.threshold = -70;
    pw_status status = pw_map_write(result, &options, path, nowhere, error);
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    return status;
}

static pw_status make_power_map(const pw_result *result, const char *path, pw_error *error)
{
    return make_map(result, PW_RECEIVED_POWER, true, path, error);
}

static pw_status make_spread_map(const pw_result *result, const char *path, pw_error *error)
{
    return make_map(result, PW_RMS_DELAY_SPREAD, false, path, error);
}

static pw_status make_server_map(const pw_result *result, const char *path, pw_error *error)
{
    return make_map(result, PW_BEST_SERVER, false, path, error);
}

static pw_status make_coverage(const pw_result *result, const char *path, pw_error *error)
{
    static const pw_area areas[] = {{"corner", 0.1, 0.1, 0.5, 0.5}};
    pw_coverage_options options = {
        .map = pw_map_options_default(), .areas = areas, .area_count = sizeof areas / sizeof areas[0]};
    options.map.quantity = PW_SINR;
    return pw_coverage_write(result, &options, path, NULL, error);
}

static pw_status make_pairs(const pw_result *result, const char *path, pw_error *error)
{
    char csv[220];
    const pw_place places[] = {{.x = 0.3, .y = 0.3, .name = "here"}, {.x = 0.4, .y = 0.4}};
    pw_pairs_options options = pw_pairs_options_default();
    options.places = places;
    options.place_count = sizeof places / sizeof places[0];
    snprintf(csv, sizeof csv, "%s.csv", path);
    return pw_pairs_write(result, &options, path, csv, NULL, error);
}

static pw_status make_report(const pw_result *result, const char *path, pw_error *error)
{
    return pw_report_write(result, NULL, path, NULL, error);
}

static pw_status make_calibration(const pw_result *result, const char *path, pw_error *error)
{
    pw_calibration calibration;
    return pw_calibrate(result, measured, NULL, path, NULL, &calibration, error);
}

static pw_status make_calibration_of_materials(const pw_result *result, const char *path, pw_error *error)
{
    pw_calibration calibration;
    pw_calibration_options options = pw_calibration_options_default();
    options.materials[options.material_count++] = "concrete";
    options.compute.backend = "cpu";
    options.compute.threads = 1;
    return pw_calibrate(result, measured, &options, path, NULL, &calibration, error);
}

static pw_status make_plan(const pw_result *result, const char *path, pw_error *error)
{
    (void)result;
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_status status = pw_scenario_parse("faults", job_scenario, NULL, 0, &scenario, error);
    status = status == PW_OK ? pw_setup_create(scenario, PW_SINGLE, false, &setup, error) : status;
    status = status == PW_OK ? pw_rasterize_picture(setup, path, NULL, error) : status;
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

/* A building of two storeys with a picture, seen from above; small, so that every call can fail once. */
static pw_status make_building(const pw_result *result, const char *path, pw_error *error)
{
    (void)result;
    static const char BUILDING[] =
        "dimensions: 3\n"
        "plan:\n"
        "  size: [2 m, 1 m]\n"
        "  walls: [{from: [0.2, 0.2], to: [1.8, 0.2], thickness: 0.1, material: brick}]\n"
        "  storeys:\n"
        "    - {name: low, height: 1 m, openings: [{from: [0.5, 0], to: [1, 1], sill: 0.2, head: 0.6}]}\n"
        "    - {name: high, height: 1 m, floor: {material: wood, thickness: 0.1},\n"
        "       boxes: [{from: [0.4, 0.4, 0], to: [1, 1, 0.5], material: metal}]}\n"
        "band: 2 GHz\n"
        "transmitters: [{at: [1 m, 0.8 m], height: 0.5 m, storey: high, polarisation: x}]\n"
        "receivers: [{from: [0.2, 0.8, 0.1], to: [1.8, 0.8, 0.9], count: 3}]\n"
        "spectra: {heights: [0.5 m], cuts: [{from: [0, 0.5], to: [2, 0.5]}]}\n";
    static const uint32_t colours[256] = {0};
    static const bool glass[256] = {false};
    const struct space_look look = {colours, glass};
    pw_scenario *scenario = NULL;
    pw_notes warnings = {0};
    struct building building = {0};
    struct solid solid = {0};
    struct space_image image = {.pixel = 0.1};
    pw_status status = pw_scenario_parse("faults", BUILDING, NULL, 0, &scenario, error);
    status = status == PW_OK ? building_create(scenario, false, &warnings, &building, error) : status;
    status = status == PW_OK ? solid_create(&building, 1, 1.1, 2.1, 0.05, &solid, error) : status;
    status = status == PW_OK ? space_view_render(&solid, &look, &image, error) : status;
    status = status == PW_OK ? png_image_write(path, image.columns, image.rows, 3, image.rgb, error) : status;
    free(image.rgb);
    solid_free(&solid);
    building_free(&building);
    warnings_free(&warnings);
    pw_scenario_free(scenario);
    return status;
}

static const struct product {
    const char *name, *file;
    maker make;
    long stride; /* of failing calls, where there are very many */
} PRODUCTS[] = {
    {"channel of a receiver", "channel", make_channel, 1},
    {"channel of a point, a picture", "channel.svg", make_channel_at_point, 1},
    {"map of received power", "power.png", make_power_map, 7},
    {"map of delay spread", "spread.svg", make_spread_map, 11},
    {"map of the best server", "server.png", make_server_map, 13},
    {"coverage", "coverage.csv", make_coverage, 1},
    {"all pairs", "pairs.h5", make_pairs, 1},
    {"report", "report.html", make_report, 1},
    {"calibration", "residuals.csv", make_calibration, 1},
    {"calibration of a material", "residuals.csv", make_calibration_of_materials, 41},
    {"picture of the plan", "plan.png", make_plan, 1},
    {"picture of a building", "building.png", make_building, 3},
};
enum { PRODUCT_COUNT = sizeof PRODUCTS / sizeof PRODUCTS[0] };

/* Opens the result, makes the thing, closes the result. */
static pw_status produce(const struct product *product, pw_error *error)
{
    char path[200];
    pw_result *result = NULL;
    snprintf(path, sizeof path, "%s/%s", output, product->file);
    TRY(pw_result_open(job_path, &result, error));
    pw_status status = product->make(result, path, error);
    pw_result_close(result);
    return status;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static int found_count;
static char first_found[400];

static int look(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)place;
    if (kind == FTW_F && found_count++ == 0) {
        snprintf(first_found, sizeof first_found, "%s", path);
    }
    return 0;
}

static int discard(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind;
    return place->level > 0 ? remove(path) : 0;
}

/* Files below a folder. */
static int files_below(const char *folder)
{
    found_count = 0;
    nftw(folder, look, 8, FTW_PHYS);
    return found_count;
}

static void folder_empty(const char *folder)
{
    nftw(folder, discard, 8, FTW_PHYS | FTW_DEPTH);
}

/* What a product leaves when nothing fails. */
static struct {
    char path[400];
    uint64_t content;
} whole[32];
static int whole_count;

/* A number of the bytes of a file (FNV-1a). */
static uint64_t content_of(const char *path)
{
    uint64_t number = 14695981039346656037u;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int byte; (byte = fgetc(file)) != EOF;) {
        number = (number ^ (uint64_t)byte) * 1099511628211u;
    }
    (void)fclose(file);
    return number;
}

static int whole_add(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)place;
    if (kind == FTW_F) {
        assert_true(whole_count < 32);
        snprintf(whole[whole_count].path, sizeof whole[0].path, "%s", path);
        whole[whole_count++].content = content_of(path);
    }
    return 0;
}

/* 1 at a file that is not in that list or has other bytes. */
static int whole_check(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)place;
    for (int w = 0; kind == FTW_F && w < whole_count; w++) {
        if (strcmp(path, whole[w].path) == 0 && content_of(path) == whole[w].content) {
            return 0;
        }
    }
    if (kind == FTW_F) {
        snprintf(first_found, sizeof first_found, "%s", path);
    }
    return kind == FTW_F;
}

/* A stand-in for gnuplot: writes a line, which ends as a picture does, where the script says `set output`. */
static bool write_gnuplot(void)
{
    char path[96], search[200];
    snprintf(path, sizeof path, "%s/bin", job_folder);
    snprintf(search, sizeof search, "%s:%s", path, getenv("PATH"));
    if (mkdir(path, 0777) != 0 || setenv("PATH", search, 1) != 0 || setenv("TMPDIR", output, 1) != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%s/bin/gnuplot", job_folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file, "#!/bin/sh\nfor script; do :; done\n"
                  "while read -r a b c; do case $a.$b in set.output) eval \"echo drawn by a stand-in for gnuplot, IEND "
                  "> $c\";; esac; done < "
                  "\"$script\"\n");
    return fclose(file) == 0 && chmod(path, 0777) == 0;
}

static bool write_measured(void)
{
    snprintf(measured, sizeof measured, "%s/measured.txt", job_folder);
    FILE *file = fopen(measured, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file, "x,y,dBm\n");
    for (int n = 0; n < 28; n += n % 4 < 2 ? 1 : 2) { /* three of every four */
        fprintf(file, "%.2f,%.2f,%.1f\n", 0.1 + 0.02 * n, 0.12 + 0.1 * (n % 4), -30.0 - 0.2 * n);
    }
    return fclose(file) == 0;
}

static int result_create_all(void **state)
{
    if (job_folder_create(state) != 0) {
        return -1;
    }
    snprintf(output, sizeof output, "%s/made", job_folder);
    char *count = strstr(job_scenario, "count: 3,"), *steps = strstr(job_scenario, "steps: 18");
    if (count == NULL || steps == NULL || mkdir(output, 0777) != 0 || !write_gnuplot() || !write_measured()) {
        return -1;
    }
    strcpy(steps, "steps: 240}\n"); /* the field is everywhere by then */
    memmove(count + 10, count + 9, strlen(count + 9) + 1);
    memcpy(count, "count: 16,", 10);
    struct job job = {.backend = "cpu"};
    pw_error error = {""};
    return job_run_text(&job, job_path, &error) == PW_OK ? 0 : -1;
}

static int result_remove_all(void **state)
{
    (void)state;
    folder_empty(job_folder);
    return rmdir(job_folder);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Makes one thing with one call failing; false when it has fewer. */
static bool try_product(const struct product *product, struct fault_plan *plan, enum fault fault, long at,
                        long *absorbed)
{
    pw_error error = {""};
    folder_empty(output);
    memory_count(plan == &memory_faults);
    *plan = (struct fault_plan){.fault = fault, .at = at};
    pw_status status = produce(product, &error);
    plan->fault = FAULT_NONE;
    bool reached = plan->calls >= at;
    size_t blocks = memory_left();
    memory_count(false);
    if (blocks > 0) {
        fail_msg("%s, call %ld failing: %zu blocks of memory were not given back", product->name, at, blocks);
    }
    bool cannot_read = status == PW_BAD_INPUT && strstr(error.message, "Input/output error") != NULL;
    if (status != PW_OK && ((status != PW_NO_RESOURCE && !cannot_read) || !reached || strlen(error.message) < 15)) {
        fail_msg("%s, call %ld failing: status %d: '%s'", product->name, at, status, error.message);
    }
    /* Tables stay where the picture alone could not be made, and the message says so. */
    const bool told = strstr(error.message, " are in '") != NULL;
    const int stays = files_below(output);
    if (told && stays == 0) {
        fail_msg("%s, call %ld failing ('%s'): nothing is there", product->name, at, error.message);
    }
    if (told ? nftw(output, whole_check, 8, FTW_PHYS) != 0 : status != PW_OK && stays > 0) {
        fail_msg("%s, call %ld failing ('%s'): '%s' stays", product->name, at, error.message, first_found);
    }
    if (status == PW_OK && stays == 0) {
        fail_msg("%s, call %ld failing: status 0 and no file", product->name, at);
    }
    *absorbed += reached && status == PW_OK;
    return reached;
}

static void check_products(struct fault_plan *plan, enum fault fault)
{
    for (size_t k = 0; k < PRODUCT_COUNT; k++) {
        const struct product *product = &PRODUCTS[k];
        long stride = product->stride * fault_stride(fault), tried = 0, absorbed = 0;
        pw_error error;
        folder_empty(output);
        pw_status made = produce(product, &error);
        if (made != PW_OK) {
            fail_msg("%s: %s", product->name, error.message);
        }
        whole_count = 0;
        nftw(output, whole_add, 8, FTW_PHYS);
        for (long at = 1; try_product(product, plan, fault, at, &absorbed); at += stride) {
            tried++;
        }
        print_message("             %-30s %4ld calls failed, %ld of them without need to stop\n", product->name, tried,
                      absorbed);
        assert_true(tried > 0 && tried > absorbed);
    }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    check_products(&memory_faults, FAULT_ONCE);
}

static void memory_is_gone_for_good(void **state)
{
    (void)state;
    check_products(&memory_faults, FAULT_EVER);
}

static void every_disk_call_fails_once(void **state)
{
    (void)state;
    check_products(&disk_faults, FAULT_ONCE);
}

static void the_disk_is_gone_for_good(void **state)
{
    (void)state;
    check_products(&disk_faults, FAULT_EVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(memory_is_gone_for_good),
        cmocka_unit_test(every_disk_call_fails_once),
        cmocka_unit_test(the_disk_is_gone_for_good),
    };
    return cmocka_run_group_tests(tests, result_create_all, result_remove_all);
}
