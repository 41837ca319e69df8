/* What stands around a map in its picture: axes, title, scale, colour bar or legend, and the stations on it
 * (map_drawing.h). */
#include "map/picture/map_drawing.h"

#include "base/constants.h"
#include "channel/slant/heights.h"
#include "map/map_doubt.h"
#include "result/result_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEGEND_LIMIT = 24,
    STATION_LABELS = 12,
    FIRST_TAG = 100, /* of labels on the map */
    TEXT_SIZE = 512,
    TITLE_OF_BAR = 420 /* pixels that it takes in one line */
};

static void frame_send(struct plot *plot, const struct drawing *drawing)
{
    const char *axes[2];
    map_axis_names(drawing->result, axes);
    const struct canvas *canvas = &drawing->canvas;
    double w = canvas->full_width, h = canvas->full_height;
    pw_plot_send(plot,
                 "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\nset tmargin at "
                 "screen %.6f\n",
                 LEFT / w, (LEFT + canvas->width) / w, BELOW / h, (BELOW + canvas->height) / h);
    pw_plot_send(plot, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", canvas->floor.left, canvas->floor.right,
                 canvas->floor.bottom, canvas->floor.top);
    pw_plot_send(plot,
                 "set border 15 lw 1.2 lc rgb '#404040' front\nset tics out nomirror scale 0.6 textcolor rgb "
                 "'#202020' font ',12'\n"
                 "set xlabel '%s [m]' font ',13'\nset ylabel '%s [m]' font ',13'\nunset key\n",
                 axes[0], axes[1]);
}

static void powers_span(const struct result *result, double *least, double *most)
{
    *least = *most = result->transmitters[0].power;
    for (int t = 1; t < result->transmitter_count; t++) {
        *least = fmin(*least, result->transmitters[t].power);
        *most = fmax(*most, result->transmitters[t].power);
    }
}

/* Who is heard, and by what receiver. */
static void source_text(const struct drawing *drawing, char text[TEXT_SIZE])
{
    const struct map *map = drawing->map;
    const pw_map_options *options = drawing->options;
    const int one = drawing->result->transmitter_count == 1 ? 0 : map->transmitter; /* one is the strongest of one */
    bool power = quantity_kind(map->quantity)->power && map->quantity != PW_PATH_GAIN && map->quantity != PW_PATH_LOSS;
    char from[2 * NAME_SIZE];
    double least, most;
    powers_span(drawing->result, &least, &most);
    snprintf(from, sizeof from, "the strongest of %d transmitters", drawing->result->transmitter_count);
    if (power && one < 0 && least == most) {
        snprintf(from, sizeof from, "the strongest of %d transmitters, %g dBm EIRP each",
                 drawing->result->transmitter_count, least);
    } else if (power && one < 0) {
        snprintf(from, sizeof from, "the strongest of %d transmitters, %g to %g dBm EIRP",
                 drawing->result->transmitter_count, least, most);
    }
    if (one >= 0) {
        const struct result_transmitter *transmitter = &drawing->result->transmitters[one];
        snprintf(from, sizeof from, "%s", transmitter->name);
        if (power) {
            snprintf(from, sizeof from, "%s, %g dBm EIRP", transmitter->name, transmitter->power);
        }
    }
    int length = snprintf(text, TEXT_SIZE, "%s", from);
    if (map->quantity == PW_PATH_GAIN) {
        snprintf(text + length, TEXT_SIZE - (size_t)length, ", Pr \u2212 Pt is %.1f dB less",
                 -20.0 * log10(SPEED_OF_LIGHT / (4.0 * M_PI * map->centre)));
    }
    if (power) {
        length += snprintf(text + length, TEXT_SIZE - (size_t)length, ", receiver %g dBi", options->receiver_gain);
    }
    if (map->quantity == PW_SNR || map->quantity == PW_SINR) {
        snprintf(text + length, TEXT_SIZE - (size_t)length, ", noise %.1f dBm in %g MHz", map->noise,
                 options->noise_bandwidth * 1e-6);
    }
}

static void title_send(struct plot *plot, const struct drawing *drawing)
{
    const struct map *map = drawing->map;
    const struct result *result = drawing->result;
    char first[TEXT_SIZE], second[2 * TEXT_SIZE], from[TEXT_SIZE], mean[64] = "";
    char sheet[MAP_SHEET_TEXT], words[HEIGHTS_TEXT];
    const pw_channel_options *channel = &drawing->options->channel;
    const char *spreading = result->dimensions == 3 ? map_sheet_text(result, map, sheet)
                                                    : heights_spreading_words(result, map->transmitter,
                                                                              channel->receiver_height, channel, words);
    char flat[MAP_SHEET_TEXT + HEIGHTS_TEXT];
    if (result->horizontal) {
        snprintf(flat, sizeof flat, "%s, horizontal: %s", spreading, map_sheet_text(result, map, sheet));
        spreading = flat;
    }
    source_text(drawing, from);
    if (map->mean_width > 0.0) {
        snprintf(mean, sizeof mean, "   |   mean over %.3g m", map->mean_width);
    }
    const char *title = result->title != NULL ? result->title : "";
    snprintf(first, sizeof first, "%c%s%s%.300s", map->name[0] - (map->name[0] >= 'a' ? 'a' - 'A' : 0), map->name + 1,
             title[0] != '\0' ? ": " : "", title);
    snprintf(second, sizeof second, "%s   |   %.4g GHz, band %.4g MHz   |   %.300s%s", from, map->centre * 1e-9,
             result->band_width * 1e-6, spreading, mean);
    double x = (double)LEFT / drawing->canvas.full_width, h = drawing->canvas.full_height;
    const double room = drawing->canvas.full_width - LEFT - 8.0;
    pw_plot_send(plot, "set label 1 %s at screen %.6f,%.6f font ',18' textcolor rgb '#202020'\n",
                 pw_plot_quote_within(plot, first, 18.0, room), x, 1.0 - 36.0 / h);
    pw_plot_send(plot, "set label 2 %s at screen %.6f,%.6f font ',11' textcolor rgb '#606060'\n",
                 pw_plot_quote_within(plot, second, 11.0, room), x, 1.0 - 72.0 / h);
}

/* What the powers of the map are off by, and of what that is the error. Results of old know the second alone. */
static void forecast_send(struct plot *plot, const struct drawing *drawing)
{
    size_t length = 0;
    const char *depths = summary_find(drawing->result->summary, "forecast", &length);
    const double x = (double)LEFT / drawing->canvas.full_width, h = drawing->canvas.full_height;
    char line[TEXT_SIZE];
    if (!quantity_kind(drawing->map->quantity)->power) {
        return;
    }
    if (depths != NULL) {
        snprintf(line, sizeof line, "Local means within %.*s", (int)length, depths);
        pw_plot_send(plot, "set label 8 %s at screen %.6f,%.6f font ',9' textcolor rgb '#606060'\n",
                     pw_plot_quote(plot, line), x, 1.0 - 95.0 / h);
    }
    const double interval = result_level_interval(drawing->result);
    if (interval > 0.0) { /* what a calibration knows says more than what is off elsewhere */
        snprintf(line, sizeof line, "That is the grid's error. Calibrated: 19 of 20 measured levels lie within %.3g dB",
                 interval);
    } else {
        snprintf(line, sizeof line, "%s", pw_forecast_words(true));
    }
    pw_plot_send(plot, "set label 9 %s at screen %.6f,%.6f font ',9' textcolor rgb '#606060'\n",
                 pw_plot_quote(plot, line), x, 1.0 - 112.0 / h);
}

/* A triangle at an end of the colour bar, and how many cells lie beyond: their colour is that of the end. */
static void clipped_send(struct plot *plot, const struct drawing *drawing, bool above, double share)
{
    const struct canvas *canvas = &drawing->canvas;
    double w = canvas->full_width, h = canvas->full_height, left = LEFT + canvas->width + 28.0;
    double base = above ? BELOW + canvas->height : BELOW, tip = base + (above ? 16.0 : -16.0);
    bool falls = quantity_kind(drawing->map->quantity)->falls;
    pw_colour colour = pw_colormap_entry(drawing->options->turbo ? PW_COLORMAP_TURBO : PW_COLORMAP_VIRIDIS,
                                         above == falls ? 0 : PW_COLORMAP_SIZE - 1);
    if (share == 0.0) {
        return;
    }
    pw_plot_send(
        plot,
        "set object %d polygon from screen %.6f,%.6f to screen %.6f,%.6f to screen %.6f,%.6f to screen %.6f,%.6f "
        "front fc rgb '#%02x%02x%02x' fs solid border lc rgb '#404040'\n",
        above ? 2 : 3, left / w, base / h, (left + 24.0) / w, base / h, (left + 12.0) / w, tip / h, left / w, base / h,
        colour.red, colour.green, colour.blue);
    char part[PW_NUMBER_SIZE];
    pw_plot_send(plot, "set label %d '%s %g: %s %%' at screen %.6f,%.6f font ',10' textcolor rgb '#404040'\n",
                 above ? 6 : 7, above ? "over" : "under", above ? drawing->high : drawing->low,
                 pw_number_text(100.0 * share, 2, part), (left + 32.0) / w, (base + (above ? 15.0 : -15.0)) / h);
}

/* Marks the ends of the colour bar beyond which there are cells. */
static void clipping_send(struct plot *plot, const struct drawing *drawing)
{
    const struct map *map = drawing->map;
    size_t above = 0, below = 0, all = 0;
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        all += isnan(map->value[n]) ? 0U : 1U;
        above += map->value[n] > drawing->high ? 1U : 0U;
        below += map->value[n] < drawing->low ? 1U : 0U;
    }
    if (all > 0) {
        clipped_send(plot, drawing, true, (double)above / (double)all);
        clipped_send(plot, drawing, false, (double)below / (double)all);
    }
}

static void palette_send(struct plot *plot, const struct drawing *drawing)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct quantity_kind *kind = quantity_kind(drawing->map->quantity);
    double w = canvas->full_width, h = canvas->full_height;
    pw_plot_send(plot, "set palette maxcolors 256 defined (");
    for (int n = 0; n < PW_COLORMAP_SIZE; n++) {
        pw_colour colour = pw_colormap_entry(drawing->options->turbo ? PW_COLORMAP_TURBO : PW_COLORMAP_VIRIDIS,
                                             kind->falls ? PW_COLORMAP_SIZE - 1 - n : n);
        pw_plot_send(plot, "%s%d '#%02x%02x%02x'", n > 0 ? "," : "", n, colour.red, colour.green, colour.blue);
    }
    pw_plot_send(
        plot, ")\nset cbrange [%.9g:%.9g]\nset colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f border\n",
        drawing->low, drawing->high, (LEFT + canvas->width + 28.0) / w, BELOW / h, 24.0 / w, canvas->height / h);
    /* Not gnuplot's own title of the bar: each terminal puts it elsewhere, one over the numbers. */
    pw_plot_send(
        plot,
        "set label 5 \"%s [%s]%s%s\" at screen %.6f,%.6f center rotate by 90 font ',%d' textcolor rgb '#202020'\n"
        "set cbtics out scale 0.6 font ',12'\n",
        drawing->map->name, drawing->map->unit,
        kind->reference == NULL         ? ""
        : canvas->height < TITLE_OF_BAR ? "\\n"
                                        : " ",
        kind->reference != NULL ? kind->reference : "", (LEFT + canvas->width + 128.0) / w,
        (BELOW + 0.5 * canvas->height) / h, canvas->height < 300 ? 11 : 13);
    clipping_send(plot, drawing);
}

/* A bar under the map, about a fifth of its width, of a round length. */
static void scale_bar_send(struct plot *plot, const struct drawing *drawing)
{
    const struct canvas *canvas = &drawing->canvas;
    double span = canvas->floor.right - canvas->floor.left, w = canvas->full_width, h = canvas->full_height;
    double decade = pow(10.0, floor(log10(span / 5.0))), parts = span / 5.0 / decade;
    double length = decade * (parts < 1.5 ? 1.0 : parts < 3.5 ? 2.0 : parts < 7.5 ? 5.0 : 10.0);
    double end = LEFT + length / span * canvas->width, y = 22.0 / h;
    pw_plot_send(plot,
                 "set arrow 1 from screen %.6f,%.6f to screen %.6f,%.6f heads size screen 0.005,90 lw 2 lc rgb "
                 "'#202020' front\n",
                 LEFT / w, y, end / w, y);
    pw_plot_send(plot, "set label 4 '%g m' at screen %.6f,%.6f font ',12' textcolor rgb '#202020'\n", length,
                 (end + 12.0) / w, y);
}

/* Says what grey means, where there is any outside metal, in which there is no field. */
static void undefined_send(struct plot *plot, const struct drawing *drawing)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct plan_walls *walls = &drawing->walls;
    const struct map *map = drawing->map;
    struct map_doubt doubt = map_doubt(map);
    bool any = false;
    for (int row = 0; row < map->rows && !any; row++) {
        double y = round((map->y0 + row * map->pitch_y - walls->y0) / walls->cell);
        size_t line = (size_t)walls->columns * (size_t)fmin(fmax(y, 0.0), walls->rows - 1.0);
        for (int column = 0; column < map->columns && !any; column++) {
            double x = round((map->x0 + column * map->pitch_x - walls->x0) / walls->cell);
            size_t node = line + (size_t)fmin(fmax(x, 0.0), walls->columns - 1.0);
            size_t at = (size_t)row * (size_t)map->columns + (size_t)column;
            any = isnan(map->value[at]) && walls->wall[node] != WALL_METAL &&
                  (map->mark == NULL || map->mark[at] == MAP_MARK_NONE);
        }
    }
    char lines[2][DOUBT_TEXT], wide[DOUBT_TEXT], half[PW_NUMBER_SIZE];
    const bool coherence = map->quantity == PW_COHERENCE_50 || map->quantity == PW_COHERENCE_90;
    snprintf(wide, sizeof wide, "over %s MHz, half the band",
             pw_number_text(0.5e-6 * drawing->result->band_width, 3, half));
    int count = map_doubt_legend(&doubt, !any ? NULL : coherence ? wide : "not defined", lines);
    for (int n = 0; n < count; n++) {
        pw_plot_send(plot, "set label %d %s at screen %.6f,%.6f right font ',10' textcolor rgb '#606060'\n", 90 + n,
                     pw_plot_quote(plot, lines[n]), (LEFT + canvas->width) / (double)canvas->full_width,
                     (10.0 + 15.0 * n) / canvas->full_height);
    }
}

/* What the white line is, at it and under the map with the share of the floor that is within it. */
static void threshold_send(struct plot *plot, const struct drawing *drawing)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct map *map = drawing->map;
    char line[PW_WIDER_SIZE], share[TEXT_SIZE] = "";
    if (isnan(drawing->options->threshold) || map->quantity == PW_BEST_SERVER) {
        return;
    }
    snprintf(line, sizeof line, "%g %s", drawing->options->threshold, map->unit);
    if (!isnan(drawing->line_x)) {
        pw_plot_send(plot, "set label 80 %s at first %.9g,%.9g center boxed font ',10' textcolor rgb '#101010' front\n",
                     pw_plot_quote(plot, line), drawing->line_x, drawing->line_y);
    }
    if (map->floor_text != NULL) {
        snprintf(share, sizeof share, "%s%s: %.1f %% of the %s at or %s it", drawing->line ? "white line, " : "", line,
                 100.0 * map->covered, map->floor_text, quantity_kind(map->quantity)->falls ? "under" : "over");
    }
    pw_plot_send(plot, "set label 81 %s at screen %.6f,%.6f right font ',10' textcolor rgb '#202020'\n",
                 pw_plot_quote_within(plot, share, 10.0, canvas->width),
                 (LEFT + canvas->width) / (double)canvas->full_width, 40.0 / canvas->full_height);
}

static void legend_send(struct plot *plot, const struct drawing *drawing)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct result *result = drawing->result;
    double w = canvas->full_width, h = canvas->full_height;
    int count = result->transmitter_count < LEGEND_LIMIT ? result->transmitter_count : LEGEND_LIMIT;
    for (int t = 0; t < count; t++) {
        pw_colour colour = pw_colormap_category(t);
        double x = LEFT + canvas->width + 24.0, y = BELOW + canvas->height - 20.0 - 28.0 * t;
        pw_plot_send(
            plot,
            "set object %d rect from screen %.6f,%.6f to screen %.6f,%.6f front fc rgb '#%02x%02x%02x' fs solid "
            "border lc rgb "
            "'#404040'\n",
            10 + t, x / w, (y - 9.0) / h, (x + 24.0) / w, (y + 9.0) / h, colour.red, colour.green, colour.blue);
        pw_plot_send(plot, "set label %d %s at screen %.6f,%.6f font ',12' textcolor rgb '#202020'\n", 10 + t,
                     pw_plot_quote_within(plot, result->transmitters[t].name, 12.0, w - x - 36.0), (x + 32.0) / w,
                     y / h);
    }
}

/* A mark with a name on a light ground, beside it or, where that would leave the map, on its other side; shortened
 * where it fits on neither. */
static void station_send(struct plot *plot, const struct drawing *drawing, int tag, double x, double y,
                         const char *name, bool transmitter)
{
    const struct plan_floor *floor = &drawing->canvas.floor;
    const double beside = 20.0, points = 11.0; /* pixels from the mark to its name */
    const double left_of = (x - floor->left) / (floor->right - floor->left) * drawing->canvas.width - beside;
    const double right_of = drawing->canvas.width - left_of - 2.0 * beside;
    const bool right = name == NULL || pw_plot_text_width(name, points) <= right_of || right_of >= left_of;
    pw_plot_send(plot, "set label %d '' at first %.9g,%.9g point pt 7 ps %s lc rgb '#ffffff' front\n", tag, x, y,
                 transmitter ? "2.6" : "1.9");
    pw_plot_send(plot, "set label %d '' at first %.9g,%.9g point pt %d ps %s lc rgb '%s' front\n", tag + 1, x, y,
                 transmitter ? 9 : 7, transmitter ? "1.6" : "1.2", transmitter ? "#d01c1c" : "#202020");
    if (name != NULL) {
        pw_plot_send(
            plot, "set label %d %s at first %.9g,%.9g %s offset %s,0 boxed font ',11' textcolor rgb '#101010' front\n",
            tag + 2, pw_plot_quote_within(plot, name, points, right ? right_of : left_of), x, y,
            right ? "left" : "right", right ? "1.6" : "-1.6");
    }
}

static bool inside(const struct plan_floor *floor, double x, double y)
{
    return x >= floor->left && x <= floor->right && y >= floor->bottom && y <= floor->top;
}

static const double station_reach = 1.0; /* m: receivers farther from a sheet are not shown on it */

/* m between the sheet and a place. */
static double sheet_distance(const struct result *result, const double at[3])
{
    const struct result_transmitter *first = &result->transmitters[0];
    if (result->dimensions == 2 || result->sheet >= first->sheet_count) {
        return 0.0;
    }
    const struct result_sheet *sheet = &first->sheets[result->sheet];
    return fabs(at[sheet->normal] - sheet->position);
}

/* Where a station at (x, y, height) stands on the map, as seen along the sheet's normal; and its name, with how far
 * from the sheet it is when that is more than `near`. */
enum { STATION_NAME = NAME_SIZE + 40 };
static void station_place(const struct result *result, const double at[3], const char *name, double place[2],
                          char text[STATION_NAME])
{
    const double near = 0.15; /* m */
    int normal = map_is_cut(result) ? result->transmitters[0].sheets[result->sheet].normal : 2;
    place[0] = at[normal == 0 ? 1 : 0];
    place[1] = at[normal == 2 ? 1 : 2];
    snprintf(text, STATION_NAME, "%s", name);
    if (sheet_distance(result, at) > near) {
        snprintf(text, STATION_NAME, "%s, %c = %.2f m", name, "xyz"[normal], at[normal]);
    }
}

static void stations_send(struct plot *plot, const struct drawing *drawing)
{
    const struct result *result = drawing->result;
    const struct plan_floor *floor = &drawing->canvas.floor;
    const struct result_transmitter *first =
        &result->transmitters[drawing->map->transmitter < 0 ? 0 : drawing->map->transmitter];
    /* Over the marks, whose labels have the numbers before. */
    int tag = FIRST_TAG + 2 * drawing->options->dot_count + drawing->options->outline_count + 3;
    double place[2];
    char name[STATION_NAME];
    for (int r = 0; r < first->receiver_count && first->receivers[r].row < 0; r++) { /* not thousands of the spectra */
        const struct result_receiver *receiver = &first->receivers[r];
        const double at[3] = {receiver->x, receiver->y, receiver->height};
        station_place(result, at, receiver->name, place, name);
        if (sheet_distance(result, at) <= station_reach && inside(floor, place[0], place[1])) {
            station_send(plot, drawing, tag, place[0], place[1], r < STATION_LABELS ? name : NULL, false);
            tag += 3;
        }
    }
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        station_place(result, (const double[]){from->x, from->y, from->height}, from->name, place, name);
        if ((drawing->map->transmitter < 0 || drawing->map->transmitter == t) && inside(floor, place[0], place[1])) {
            station_send(plot, drawing, tag, place[0], place[1], t < STATION_LABELS ? name : NULL, true);
            tag += 3;
        }
    }
}

/* A dark dot with a light edge, as labels `tag` and the next. */
static void dot_send(struct plot *plot, int tag, const char *place)
{
    pw_plot_send(plot, "set label %d '' at %s point pt 7 ps 0.8 lc rgb '#ffffff' front\n", tag, place);
    pw_plot_send(plot, "set label %d '' at %s point pt 7 ps 0.5 lc rgb '#404040' front\n", tag + 1, place);
}

/* Areas and places that somebody wants to see on the map, under the stations. */
static void marks_send(struct plot *plot, const struct drawing *drawing)
{
    const pw_map_options *options = drawing->options;
    int tag = FIRST_TAG;
    char place[64];
    for (int n = 0; n < options->dot_count; n++, tag += 2) {
        snprintf(place, sizeof place, "first %.9g,%.9g", options->dots[2 * n], options->dots[2 * n + 1]);
        dot_send(plot, tag, place);
    }
    if (options->dot_count > 0 && options->dot_text != NULL) {
        dot_send(plot, tag, "graph 0.02,0.03");
        tag += 2;
        pw_plot_send(plot, "set label %d %s at graph 0.02,0.03 left offset 1.2,0 boxed font ',11' front\n", tag++,
                     pw_plot_quote(plot, options->dot_text));
    }
    for (int n = 0; n < options->outline_count; n++, tag++) {
        const pw_area *area = &options->outlines[n];
        pw_plot_send(
            plot,
            "set object %d rect from first %.9g,%.9g to first %.9g,%.9g front fs empty border lc rgb '#ff8c1a' "
            "lw 2.5 dt 2\n",
            1000 + n, area->x0, area->y0, area->x1, area->y1);
        pw_plot_send(plot,
                     "set label %d %s at first %.9g,%.9g left offset 0.4,-0.8 boxed font ',11' textcolor rgb '#8a4500' "
                     "front\n",
                     tag, pw_plot_quote(plot, area->name), fmin(area->x0, area->x1), fmax(area->y0, area->y1));
    }
}

void map_annotate(struct plot *plot, const struct drawing *drawing)
{
    pw_plot_send(plot, "set style textbox opaque fillcolor rgb '#40ffffff' noborder margins 0.6,0.4\n");
    frame_send(plot, drawing);
    title_send(plot, drawing);
    forecast_send(plot, drawing);
    scale_bar_send(plot, drawing);
    undefined_send(plot, drawing);
    threshold_send(plot, drawing);
    if (drawing->map->quantity == PW_BEST_SERVER) {
        legend_send(plot, drawing);
    } else {
        palette_send(plot, drawing);
    }
    if (!map_is_cut(drawing->result)) {
        marks_send(plot, drawing);
    }
    stations_send(plot, drawing);
}
