/* Which walls decide the level at each receiver of the scenario, for the page: one run for each transmitter and
 * receiver (api/study/gradients.h), of the scenario that the result keeps. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { WALLS_MOST = 64, RECEIVERS_MOST = 64 };

static void wall_write(FILE *json, const pw_gradients_wall *wall)
{
    const double *line = wall->line;
    pw_json_write(json,
                  "{\"from\":[%.6g,%.6g],\"to\":[%.6g,%.6g],\"thickness\":%.6g,\"material\":%s,"
                  "\"db_per_10_percent\":%g,\"db_per_cm\":%g}",
                  line[0], line[1], line[2], line[3], wall->thickness, wall->material, 0.1 * wall->per_relative,
                  0.01 * wall->per_metre);
}

static pw_status link_write(FILE *json, const pw_scenario *scenario, const pw_gradients *made, int t, int r,
                            pw_gradients_wall *walls, pw_error *error)
{
    const pw_scenario_transmitter from = pw_scenario_describe_transmitter(scenario, t);
    const pw_scenario_receiver to = pw_scenario_describe_receiver(scenario, r);
    int count = 0;
    TRY(pw_gradients_walls(made, t, r, WALLS_MOST, walls, &count, error));
    pw_json_write(json, "{\"transmitter\":%s,\"receiver\":%s,\"x\":%.9g,\"y\":%.9g,\"walls\":[", from.name, to.name,
                  to.x, to.y);
    for (int n = 0; n < count; n++) {
        fputs(n > 0 ? "," : "", json);
        wall_write(json, &walls[n]);
    }
    fputs("]}", json);
    return PW_OK;
}

static pw_status links_write(FILE *json, const pw_scenario *scenario, const pw_gradients *made, pw_error *error)
{
    const pw_gradients_facts facts = pw_gradients_describe(made);
    PW_OWNED pw_gradients_wall *walls = allocate(WALLS_MOST, sizeof *walls, "walls", error);
    PW_TRY_MADE(walls);
    fprintf(json, "\"nodes\":%lld,\"nodes_left_out\":%lld,\"deciding\":[", (long long)facts.nodes,
            (long long)facts.left_out);
    for (int link = 0; link < facts.transmitters * facts.receivers; link++) {
        fputs(link > 0 ? "," : "", json);
        PW_TRY(link_write(json, scenario, made, link / facts.receivers, link % facts.receivers, walls, error));
    }
    fputs("],", json);
    return PW_OK;
}

static pw_status scenario_take(const pw_result *result, const pw_report_options *options, pw_scenario **scenario,
                               pw_error *error)
{
    char *text = NULL;
    FAIL_IF(pw_result_describe(result).dimensions != 2, error, PW_BAD_INPUT,
            "which walls decide is known of results in two dimensions");
    TRY(pw_result_scenario(result, &text, error));
    pw_status status = pw_scenario_parse(pw_result_path(result), text, NULL, 0, scenario, error);
    free(text);
    TRY(status);
    if (options->transmitter != NULL) {
        const int one = pw_scenario_find_transmitter(*scenario, options->transmitter);
        TRY(one >= 0 ? pw_scenario_keep_transmitters(*scenario, &one, 1, error)
                     : fail(error, PW_USAGE, "the scenario has no transmitter '%s'", options->transmitter));
    }
    const int receivers = pw_scenario_describe(*scenario).receiver_count;
    return receivers <= RECEIVERS_MOST
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "to tell which walls decide takes a run for each of the %d receivers; at most %d are allowed",
                      receivers, RECEIVERS_MOST);
}

pw_status report_walls_solve(const pw_result *result, const pw_report_options *options, char **members, pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_gradients) *made = NULL;
    size_t size = 0;
    const pw_gradients_options asked = {.monitor = options->monitor, .thickness = true};
    TRY(scenario_take(result, options, &scenario, error));
    TRY(pw_gradients_solve(scenario, &asked, &made, error));
    FILE *json = open_memstream(members, &size);
    FAIL_IF(json == NULL, error, PW_NO_RESOURCE, "not enough memory for the page");
    const pw_status status = links_write(json, scenario, made, error);
    const bool whole = pw_text_close(json, members);
    TRY(status);
    return whole ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for the page");
}
