/* The texts of a page: the result, its options, its warnings and colours, and what the packed numbers mean, as JSON.
 * Leaves the numbers themselves to report.c. */
#include "channel/slant/heights.h"
#include "draw/colormap.h"
#include "file/json.h"
#include "map/map.h"
#include "map/map_doubt.h"
#include "report/report.h"
#include "result/result_format.h"

#include <string.h>

static void json_text(FILE *json, const char *name, const char *text)
{
    fprintf(json, "\"%s\":", name);
    json_text_write(json, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void json_value(FILE *json, const char *name, double value)
{
    fprintf(json, ",\"%s\":", name);
    json_number_write(json, value);
}

static void json_options(FILE *json, const struct result *result, const pw_channel_options *options)
{
    char step[HEIGHTS_TEXT];
    static const char *const windows[] = {"Hann", "rect", "Kaiser"};
    static const char *const spreadings[] = {"none", "distance", "delay", "delay"};
    fprintf(json, "\"options\":{\"window\":\"%s\",\"spreading\":\"%s\",\"padding\":%d", windows[options->window],
            result->dimensions == 3 ? "solved" : spreadings[options->spreading], options->padding);
    fputc(',', json);
    json_text(json, "step", heights_spreading_text(result, -1, options->receiver_height, options, step));
    json_value(json, "beta", options->kaiser_beta);
    json_value(json, "threshold", options->threshold_db);
    json_value(json, "noise_margin", options->noise_margin_db);
    fputs("},", json);
}

static void json_head(FILE *json, const struct result *result, struct report_detail detail)
{
    static const char *const names[] = {"averaging", "precision", "warp",    "stop_reason", "backend", "device",
                                        "version",   "commit",    "created", "absorber",    "forecast"};
    const char *slash = strrchr(result->path, '/');
    pw_map_options map = pw_map_options_default();
    struct plan_floor floor = map_floor(result);
    json_text(json, "title", result->title);
    fputc(',', json);
    json_text(json, "file", slash != NULL ? slash + 1 : result->path);
    fputc(',', json);
    json_text(json, "scheme", result->scheme);
    fputc(',', json);
    json_text(json, "forecast_words", pw_forecast_words(false));
    json_value(json, "noise", pw_noise_power(map.noise_bandwidth, map.noise_figure));
    json_value(json, "cell", result->cell);
    json_value(json, "band_centre", result->band_centre);
    json_value(json, "band_width", result->band_width);
    fprintf(json, ",\"frequencies\":%d,\"floor\":[%.17g,%.17g,%.17g,%.17g],", result->frequency_count, floor.left,
            floor.right, floor.bottom, floor.top);
    fprintf(json, "\"wall_steps\":%d,\"cell_step\":%d,\"facts\":{", REPORT_WALL_STEPS, detail.cell_step);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t length = 0;
        const char *value = summary_find(result->summary, names[n], &length);
        fprintf(json, "%s\"%s\":", n > 0 ? "," : "", names[n]);
        json_text_write(json, value != NULL ? value : "?", value != NULL ? length : 1);
    }
    fputs("},", json);
}

static void json_warnings(FILE *json, const struct result *result)
{
    size_t length = 0;
    const char *separator = "", *value = summary_find(result->summary, "warning", &length);
    fputs("\"warnings\":[", json);
    for (; value != NULL; value = summary_find(value + length, "warning", &length)) {
        fputs(separator, json);
        json_text_write(json, value, length);
        separator = ",";
    }
    fputs("],", json);
}

static void json_colours(FILE *json)
{
    fputs("\"viridis\":\"", json);
    for (int n = 0; n < COLORMAP_SIZE; n++) {
        struct colour colour = colormap_entry(COLORMAP_VIRIDIS, n);
        fprintf(json, "%02x%02x%02x", colour.red, colour.green, colour.blue);
    }
    fputs("\",\"categories\":\"", json);
    for (int n = 0; n < COLORMAP_CATEGORIES; n++) {
        struct colour colour = colormap_category(n);
        fprintf(json, "%02x%02x%02x", colour.red, colour.green, colour.blue);
    }
    fputs("\",", json);
}

static void json_planes(FILE *json, const struct report_site *site, const struct report_quantiser *quantisers)
{
    fputs(",\"planes\":[", json);
    for (int p = 0; p < site->plane_count; p++) {
        const struct report_plane *plane = &site->planes[p];
        fprintf(json, "%s{\"key\":\"%s\",\"name\":\"%s\",\"unit\":\"%s\"", p > 0 ? "," : "", plane->key, plane->name,
                plane->unit);
        json_value(json, "frequency", plane->frequency);
        json_value(json, "offset", quantisers[p].offset);
        json_value(json, "step", quantisers[p].step);
        json_value(json, "low", plane->low);
        json_value(json, "high", plane->high);
        fputc('}', json);
    }
    fputs("]", json);
}

/* Which part of the cells has masked delays, and a sentence that says why; "" when there is none. */
static void json_doubt(FILE *json, const struct report_site *site)
{
    size_t count = (size_t)site->rows * (size_t)site->columns;
    struct map_doubt doubt = {.masked = 0.0};
    for (size_t n = 0; n < count; n++) {
        doubt.run_short += (site->doubt[n] == PW_DELAY_RUN_SHORT) / (double)count;
        doubt.spectra_few += (site->doubt[n] == PW_DELAY_SPECTRA_FEW) / (double)count;
    }
    doubt.masked = doubt.run_short + doubt.spectra_few;
    char text[DOUBT_TEXT];
    map_doubt_masked(&doubt, text);
    fputc(',', json);
    json_text(json, "doubt", text);
}

void report_json_site(FILE *json, const struct result *result, const struct report_site *site,
                      const pw_channel_options *options, const struct report_quantiser *quantisers)
{
    const struct result_transmitter *from = &result->transmitters[site->transmitter];
    fputc('{', json);
    json_text(json, "name", from->name);
    fputc(',', json);
    json_text(json, "floor", site->floor_text);
    const struct plan_floor floor = map_floor(result);
    fprintf(json, ",\"index\":%d,\"sheet\":%d,\"rows\":%d,\"columns\":%d,\"bins\":%d", site->index, site->sheet,
            site->rows, site->columns, site->bin_count);
    fprintf(json, ",\"extent\":[%.17g,%.17g,%.17g,%.17g],\"nodes\":[%d,%d]", floor.left, floor.right, floor.bottom,
            floor.top, result->face.inner_columns, result->face.inner_rows);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"x", from->x},
                   {"y", from->y},
                   {"height", from->height},
                   {"power", from->power},
                   {"x0", site->x0},
                   {"y0", site->y0},
                   {"pitch_x", site->pitch_x},
                   {"pitch_y", site->pitch_y},
                   {"budget", site->budget},
                   {"power_low", site->power_low},
                   {"power_high", site->power_high},
                   {"centre", site->centre},
                   {"rise", site->rise},
                   {"bin", 1e9 * site->bin},
                   {"first_delay", 1e9 * site->first_delay},
                   {"profile_step", REPORT_PROFILE_STEP}};
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        json_value(json, numbers[n].name, numbers[n].value);
    }
    fputs(",\"receivers\":[", json);
    for (int r = 0; r < from->receiver_count && from->receivers[r].row < 0; r++) { /* not thousands of the spectra */
        const struct result_receiver *receiver = &from->receivers[r];
        fputs(r > 0 ? ",{" : "{", json);
        json_text(json, "name", receiver->name);
        json_value(json, "x", receiver->x);
        json_value(json, "y", receiver->y);
        json_value(json, "height", receiver->height);
        json_value(json, "gain", receiver->gain);
        if (result->dimensions == 2 && r < REPORT_ANGLES) {
            report_json_angles(json, result, from->name, receiver->name, options);
        }
        fputc('}', json);
    }
    fputc(']', json);
    json_planes(json, site, quantisers);
    json_doubt(json, site);
    fputc('}', json);
}

/* Heights and cuts as they were asked for, by which the page puts components together; nothing in two dimensions. */
static void json_sheets(FILE *json, const struct result *result, const struct report_sheets *sheets)
{
    fputs("\"sheets\":[", json);
    for (int s = 0; result_is_vector(result) && s < sheets->count; s++) {
        const struct result_sheet *sheet = &result->transmitters[0].sheets[sheets->sheet[s]];
        fprintf(json, "%s{\"component\":\"%s\"", s > 0 ? "," : "", result_component_symbol(result, sheet->component));
        json_value(json, "asked", sheet->asked);
        fprintf(json, ",\"normal\":%d", sheet->normal);
        json_value(json, "position", sheet->position);
        fputc('}', json);
    }
    fputs("],", json);
}

void report_json_head(FILE *json, const struct result *result, const struct report_sheets *sheets,
                      const pw_channel_options *options, struct report_detail detail)
{
    json_head(json, result, detail);
    json_sheets(json, result, sheets);
    json_options(json, result, options);
    json_warnings(json, result);
    json_colours(json);
}
