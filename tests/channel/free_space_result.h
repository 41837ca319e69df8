/* The result of a real run in free space, where every field is a Hankel function. */
#ifndef FREE_SPACE_RESULT_H
#define FREE_SPACE_RESULT_H

#include <stdio.h>
#include <stdlib.h>

#include "map/map.h"
#include "result/result.h"
#include "tests/support/check.h"
#include "tests/support/text_solve.h"

/* A room without walls, 2.4 m by 1.8 m, two transmitters, 3 cm cells: ten cells a wavelength at 1 GHz. */
static const char scenario_text[] = "title: Free space\n"
                                    "plan: {size: [2.4 m, 1.8 m]}\n"
                                    "grid: {scheme: dd4, cell: 3 cm, courant: 0.5}\n"
                                    "band: {centre: 1 GHz, width: 300 MHz}\n"
                                    "transmitters:\n"
                                    "  - {name: left, at: [0.6 m, 0.9 m], power: 20 dBm}\n"
                                    "  - {name: right, at: [1.8 m, 0.9 m], power: 20 dBm}\n"
                                    "receivers: [{name: probe, at: [2.1 m, 1.2 m], gain: 2 dBi}]\n"
                                    "spectra: {count: 48, spacing: 2 cells}\n"
                                    "stop: {after: 60 ns, decay: off}\n";

static char folder[] = "/tmp/planwave-coverage-XXXXXX";
static char result_path[64];

static int run_once(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(result_path, sizeof result_path, "%s/free.h5", folder);
    return text_solve(scenario_text, NULL, 0, PW_DOUBLE, "reference", result_path) ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    return folder_delete(folder);
}

static inline struct map map_get(const pw_result *result, pw_map_options options)
{
    struct map map;
    pw_error error = {""};
    if (map_compute(result, &options, &map, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return map;
}

#endif
