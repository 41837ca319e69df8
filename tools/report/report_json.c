/* The texts of a page: the result, its options, its warnings and colours, and what the packed numbers mean, as JSON.
 * Leaves the numbers themselves to report.c. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void json_options(FILE *json, const pw_result *result, const pw_channel_options *options)
{
    char step[PW_SPREADING_SIZE];
    static const char *const windows[] = {"Hann", "rect", "Kaiser"};
    pw_spreading spreading = options->spreading == PW_SPREADING_AUTO ? PW_SPREADING_DELAY : options->spreading;
    fprintf(json, "\"options\":{\"window\":\"%s\",\"spreading\":\"%s\",\"padding\":%d", windows[options->window],
            pw_result_describe(result).dimensions == 3 ? "solved" : pw_spreading_name(spreading), options->padding);
    pw_json_write(json, ",\"step\":%s,\"beta\":%g,\"threshold\":%g,\"noise_margin\":%g},",
                  pw_channel_spreading_text(result, -1, options->receiver_height, options, step), options->kaiser_beta,
                  options->threshold_db, options->noise_margin_db);
}

static void json_head(FILE *json, const pw_result *result, struct report_detail detail)
{
    static const char *const names[] = {"averaging", "precision", "warp",    "stop_reason", "backend", "device",
                                        "version",   "commit",    "created", "absorber",    "forecast"};
    const pw_result_facts facts = pw_result_describe(result);
    const char *path = pw_result_path(result), *slash = strrchr(path, '/');
    pw_map_options map = pw_map_options_default();
    double edges[4];
    pw_result_edges(result, edges);
    pw_json_write(json,
                  "\"title\":%s,\"file\":%s,\"scheme\":%s,\"forecast_words\":%s,\"noise\":%g,\"level_interval\":%g,"
                  "\"cell\":%g,\"band_centre\":%g,\"band_width\":%g",
                  facts.title, slash != NULL ? slash + 1 : path, facts.scheme, pw_forecast_words(false),
                  pw_noise_power(map.noise_bandwidth, map.noise_figure), pw_result_level_interval(result), facts.cell,
                  facts.band_centre, facts.band_width);
    fprintf(json, ",\"frequencies\":%d,\"floor\":[%.17g,%.17g,%.17g,%.17g],", facts.frequency_count, edges[0], edges[1],
            edges[2], edges[3]);
    fprintf(json, "\"wall_steps\":%d,\"cell_step\":%d,\"facts\":{", REPORT_WALL_STEPS, detail.cell_step);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t length = 0;
        const char *value = pw_result_text(result, names[n], 0, &length);
        fprintf(json, "%s\"%s\":", n > 0 ? "," : "", names[n]);
        pw_json_text_write(json, value != NULL ? value : "?", value != NULL ? length : 1);
    }
    fputs("},", json);
}

static void json_warnings(FILE *json, const pw_result *result)
{
    size_t length = 0;
    const char *value;
    fputs("\"warnings\":[", json);
    for (int n = 0; (value = pw_result_text(result, "warning", n, &length)) != NULL; n++) {
        fputs(n > 0 ? "," : "", json);
        pw_json_text_write(json, value, length);
    }
    fputs("],", json);
}

static void json_colours(FILE *json)
{
    fputs("\"viridis\":\"", json);
    for (int n = 0; n < PW_COLORMAP_SIZE; n++) {
        pw_colour colour = pw_colormap_entry(PW_COLORMAP_VIRIDIS, n);
        fprintf(json, "%02x%02x%02x", colour.red, colour.green, colour.blue);
    }
    fputs("\",\"categories\":\"", json);
    for (int n = 0; n < PW_COLORMAP_CATEGORIES; n++) {
        pw_colour colour = pw_colormap_category(n);
        fprintf(json, "%02x%02x%02x", colour.red, colour.green, colour.blue);
    }
    fputs("\",", json);
}

static void json_planes(FILE *json, const pw_survey *survey, const struct report_quantiser *quantisers)
{
    fputs(",\"planes\":[", json);
    for (int p = 0; p < survey->plane_count; p++) {
        const pw_survey_plane *plane = &survey->planes[p];
        fprintf(json, "%s{\"key\":\"%s\",\"name\":\"%s\",\"unit\":\"%s\"", p > 0 ? "," : "", plane->key, plane->name,
                plane->unit);
        pw_json_write(json, ",\"frequency\":%g,\"offset\":%g,\"step\":%g,\"low\":%g,\"high\":%g}", plane->frequency,
                      quantisers[p].offset, quantisers[p].step, plane->low, plane->high);
    }
    fputs("]", json);
}

static pw_status json_receivers(FILE *json, const pw_result *result, int transmitter, const char *name,
                                const pw_channel_options *options, pw_error *error)
{
    const bool flat = pw_result_describe(result).dimensions == 2;
    pw_transmitter from;
    TRY(pw_result_transmitter(result, transmitter, &from, error));
    fputs(",\"receivers\":[", json);
    for (int r = 0; r < from.receiver_count; r++) {
        pw_receiver receiver;
        TRY(pw_result_receiver(result, transmitter, r, &receiver, error));
        if (!receiver.recorded) {
            break; /* those of the spectra come last, and may be thousands */
        }
        fputs(r > 0 ? ",{" : "{", json);
        pw_json_write(json, "\"name\":%s,\"x\":%g,\"y\":%g,\"height\":%g,\"gain\":%g", receiver.name, receiver.x,
                      receiver.y, receiver.height, receiver.gain);
        if (flat && r < REPORT_ANGLES) {
            report_json_angles(json, result, name, receiver.name, options);
        }
        fputc('}', json);
    }
    fputc(']', json);
    return PW_OK;
}

pw_status report_json_site(FILE *json, const pw_result *result, const struct report_site *site,
                           const pw_channel_options *options, const struct report_quantiser *quantisers,
                           pw_error *error)
{
    const pw_survey *survey = site->survey;
    pw_transmitter from;
    double edges[4];
    int rows, columns;
    TRY(pw_result_transmitter(result, site->transmitter, &from, error));
    TRY(pw_result_plan_permittivity(result, site->result_sheet, &rows, &columns, NULL, error));
    pw_result_sheet_edges(result, site->result_sheet, edges);
    pw_json_write(json, "{\"name\":%s,\"floor\":%s", from.name, survey->floor_text);
    fprintf(json, ",\"index\":%d,\"sheet\":%d,\"rows\":%d,\"columns\":%d,\"bins\":%d", site->index, site->sheet,
            survey->rows, survey->columns, survey->bin_count);
    fprintf(json, ",\"extent\":[%.17g,%.17g,%.17g,%.17g],\"nodes\":[%d,%d]", edges[0], edges[1], edges[2], edges[3],
            columns, rows);
    pw_json_write(json,
                  ",\"x\":%g,\"y\":%g,\"height\":%g,\"power\":%g,\"x0\":%g,\"y0\":%g,\"pitch_x\":%g,\"pitch_y\":%g,"
                  "\"budget\":%g,\"power_low\":%g,\"power_high\":%g,\"centre\":%g,\"rise\":%g,\"resolution\":%g,"
                  "\"bin\":%g,\"first_delay\":%g,\"profile_step\":%g",
                  from.x, from.y, from.height, from.power, survey->x0, survey->y0, survey->pitch_x, survey->pitch_y,
                  survey->budget, survey->power_low, survey->power_high, survey->centre, survey->rise,
                  1e9 * survey->resolution, 1e9 * survey->bin, 1e9 * survey->first_delay, PW_SURVEY_PROFILE_STEP);
    if (from.channel.number > 0) {
        char channel[PW_WIFI_TEXT];
        const double half = 0.5 * from.channel.width;
        fprintf(json, ",\"channel\":[%.17g,%.17g,\"%s\"]", from.channel.centre - half, from.channel.centre + half,
                pw_wifi_channel_text(&from.channel, channel));
    }
    TRY(json_receivers(json, result, site->transmitter, from.name, options, error));
    json_planes(json, survey, quantisers);
    pw_json_write(json, ",\"doubt\":%s}", survey->doubt_text);
    return PW_OK;
}

/* Heights and cuts as they were asked for, by which the page puts components together; nothing in two dimensions. */
static void json_sheets(FILE *json, const pw_result *result, const struct report_sheets *sheets)
{
    fputs("\"sheets\":[", json);
    for (int s = 0; pw_result_has_sheets(result) && s < sheets->count; s++) {
        pw_sheet sheet;
        if (pw_result_sheet_describe(result, sheets->sheet[s], &sheet, NULL) != PW_OK) {
            continue; /* it was counted: it is there */
        }
        fputs(s > 0 ? "," : "", json);
        pw_json_write(json, "{\"component\":%s,\"asked\":%g,\"normal\":%d,\"position\":%g}",
                      pw_component_symbol(result, sheet.component), sheet.asked, sheet.normal, sheet.position);
    }
    fputs("],", json);
}

/* What is thinner than two cells, [x0, y0, x1, y1] one after another for each sheet; nothing in vertical cuts, and
 * nothing where the scenario of the result cannot be read. */
static void json_thin(FILE *json, const pw_result *result, const struct report_sheets *sheets)
{
    pw_scenario *scenario = NULL;
    char *text = NULL;
    bool there = pw_result_scenario(result, &text, NULL) == PW_OK &&
                 pw_scenario_parse(pw_result_path(result), text, NULL, 0, &scenario, NULL) == PW_OK;
    fputs("\"thin\":[", json);
    for (int s = 0; s < sheets->count; s++) {
        pw_sheet sheet = {.normal = 2, .position = NAN};
        pw_thin_line *lines = NULL;
        size_t count = 0;
        if (pw_result_has_sheets(result)) {
            (void)pw_result_sheet_describe(result, sheets->sheet[s], &sheet, NULL);
        }
        if (there && sheet.normal == 2) {
            (void)pw_scenario_thin_lines(scenario, 2 * pw_result_describe(result).cell, sheet.position, &lines, &count,
                                         NULL);
        }
        fputs(s > 0 ? ",[" : "[", json);
        for (size_t n = 0; n < count; n++) {
            fprintf(json, "%s%.3f,%.3f,%.3f,%.3f", n > 0 ? "," : "", lines[n].x0, lines[n].y0, lines[n].x1,
                    lines[n].y1);
        }
        fputc(']', json);
        free(lines);
    }
    fputs("],", json);
    free(text);
    pw_scenario_free(scenario);
}

void report_json_head(FILE *json, const pw_result *result, const struct report_sheets *sheets,
                      const pw_channel_options *options, struct report_detail detail)
{
    json_head(json, result, detail);
    json_sheets(json, result, sheets);
    json_thin(json, result, sheets);
    json_options(json, result, options);
    json_warnings(json, result);
    json_colours(json);
}
