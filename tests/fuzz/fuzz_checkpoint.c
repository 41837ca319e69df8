/* Any file as a checkpoint, as it is and with its block renewed, so that what lies behind the checksum is reached too:
 * refused, or the state of a run that can go on. */
#include <string.h>
#include <zlib.h>

#include "run/job/checkpoint.h"
#include "tests/fuzz/fuzz.h"

static const char SCENARIO[] = "plan: {size: [0.3 m, 0.2 m]}\n"
                               "grid: {scheme: yee, cell: 2.5 cm, averaging: point, absorber: {cells: 2}}\n"
                               "band: {centre: 1.5 GHz, width: 400 MHz}\n"
                               "transmitters: [{name: west, at: [0.1 m, 0.1 m]}]\n"
                               "receivers: [{name: near, at: [0.2 m, 0.1 m]}]\n"
                               "spectra: {count: 2, spacing: 4 cells}\n"
                               "stop: {steps: 60}\n";

static void try_file(const struct setup *setup, const struct checkpoint_store *store, const uint8_t *bytes, size_t size)
{
    char path[64];
    fuzz_file(bytes, size, path);
    struct checkpoint found;
    pw_error error = {""};
    if (checkpoint_file_check(store, path, &found, &error) == CHECKPOINT_GOOD) {
        pw_simulation *simulation = NULL;
        FUZZ_MUST(pw_simulation_create(setup, &(pw_compute){.backend = "reference", .threads = 1}, 0, 1, &simulation,
                                       &error) == PW_OK);
        pw_status status = checkpoint_file_load(store, path, simulation, &error);
        fuzz_check(status, &error);
        if (status == PW_OK && simulation->step < setup->problem.steps) {
            FUZZ_MUST(pw_simulation_advance(simulation, 1, &error) == PW_OK);
        }
        pw_simulation_free(simulation);
    } else {
        FUZZ_MUST(error.message[0] != '\0');
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static pw_scenario *scenario;
    static pw_setup *setup;
    static struct checkpoint_store *store;
    pw_error error = {""};
    if (store == NULL) {
        FUZZ_MUST(pw_scenario_parse("fuzz", SCENARIO, NULL, 0, &scenario, &error) == PW_OK);
        FUZZ_MUST(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) == PW_OK);
        FUZZ_MUST(checkpoint_store_create("fuzz.h5", setup, &store, &error) == PW_OK);
    }
    try_file(setup, store, bytes, size);
    if (size > CHECKPOINT_BLOCK) {
        uint8_t *copy = malloc(size);
        FUZZ_MUST(copy != NULL);
        memcpy(copy, bytes, size);
        uint32_t sum = (uint32_t)crc32(0, copy + CHECKPOINT_BLOCK, (uInt)(size - CHECKPOINT_BLOCK));
        checkpoint_block(size, sum, (char *)copy);
        try_file(setup, store, copy, size);
        free(copy);
    }
    return 0;
}
