/* pw_map_write: computes a map, writes its picture, CSV and .npy, all of them or none, and prints the summary. */
#include "base/constants.h"
#include "base/file/atomic_file.h"
#include "channel/slant/heights.h"
#include "map/map.h"
#include "map/map_doubt.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void csv_header(FILE *file, const struct map *map, const struct result *result, const pw_map_options *options)
{
    fprintf(file, "# planwave %s: %s", PW_VERSION, map->name);
    if (map->unit[0] != '\0') {
        fprintf(file, " [%s]", map->unit);
    }
    if (quantity_kind(map->quantity)->reference != NULL) {
        fprintf(file, ", %s", quantity_kind(map->quantity)->reference);
    }
    fprintf(file, ", of %s\n# %s", result->path,
            map->transmitter < 0 && map->quantity != PW_BEST_SERVER ? "at each cell the strongest of " : "");
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        if (map->transmitter < 0 || map->transmitter == t) {
            fprintf(file, "transmitter %d: %s at (%.6g, %.6g", t, from->name, from->x, from->y);
            if (!isnan(from->height)) {
                fprintf(file, ", %.6g", from->height);
            }
            char channel[PW_WIFI_TEXT];
            pw_wifi_channel_text(&from->channel, channel);
            fprintf(file, ") m, EIRP %.6g dBm%s%s; ", from->power, channel[0] != '\0' ? ", channel " : "", channel);
        }
    }
    char step[HEIGHTS_TEXT];
    fprintf(
        file, "middle of the band %.9g Hz\n# from 2D to 3D: %s\n", map->centre,
        heights_spreading_text(result, map->transmitter, options->channel.receiver_height, &options->channel, step));
    result_write_level_interval(result, file);
    if (result_is_vector(result)) {
        char sheet[MAP_SHEET_TEXT];
        fprintf(file, "# %s\n", map_sheet_text(result, map, sheet));
    }
    if (map->mean_width > 0.0) {
        fprintf(file, "# local mean of the power over %.6g m by %.6g m\n", map->mean_width, map->mean_width);
    }
    if (quantity_kind(map->quantity)->power && map->quantity != PW_PATH_GAIN && map->quantity != PW_PATH_LOSS) {
        fprintf(file, "# receiver: gain %.6g dBi", options->receiver_gain);
        if (map->quantity == PW_SNR || map->quantity == PW_SINR) {
            fprintf(file, ", noise %.6g dBm (k 290 K over %.9g Hz, noise figure %.6g dB)", map->noise,
                    options->noise_bandwidth, options->noise_figure);
        }
        fprintf(file, "\n");
    }
    struct map_doubt doubt = map_doubt(map);
    char masked[DOUBT_TEXT], small[DOUBT_TEXT];
    map_doubt_masked(&doubt, masked);
    map_doubt_small(&doubt, small);
    fprintf(file, "# nan: not defined%s%s\n", masked[0] != '\0' ? "; " : "", masked);
    if (map->mark != NULL) {
        fprintf(file,
                "# doubt: 0 none, 1 masked: run too short, 2 masked: too few frequencies, 3 below the resolution "
                "of %.3g ns%s%s\n",
                1e9 * doubt.resolution, small[0] != '\0' ? "; " : "", small);
    }
}

static pw_status csv_write(const struct map *map, const struct result *result, const pw_map_options *options,
                           const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    csv_header(file, map, result, options);
    const char *axes[2];
    map_axis_names(result, axes);
    fprintf(file, "%s_m,%s_m,%s%s\n", axes[0], axes[1], quantity_kind(map->quantity)->column,
            map->mark != NULL ? ",doubt" : "");
    for (int row = 0; row < map->rows; row++) {
        for (int column = 0; column < map->columns; column++) {
            size_t n = (size_t)row * (size_t)map->columns + (size_t)column;
            pw_csv_write(file, "%.6g,%.6g,%.6g", map->x0 + column * map->pitch_x, map->y0 + row * map->pitch_y,
                         map->value[n]);
            if (map->power != NULL) {
                pw_csv_write(file, ",%.6g", map->power[n]);
            }
            if (map->mark != NULL) {
                fprintf(file, ",%d", map->mark[n]);
            }
            fputc('\n', file);
        }
    }
    return disk_finish(file, path, error);
}

/* Float32, shape (rows, columns), row 0 at the bottom. Format: NEP 1, version 1.0. */
pw_status map_write_npy(const struct map *map, const char *path, pw_error *error)
{
    char header[128], text[118];
    int length = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", map->rows,
                          map->columns);
    /* Magic, version 1.0, length of the text, little-endian; blanks and a line feed up to a multiple of 64 bytes. */
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(header + 10, ' ', sizeof header - 11);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    fwrite(header, 1, sizeof header, file);
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        float value = (float)map->value[n];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                                        (unsigned char)(bits >> 24)};
        fwrite(bytes, 1, sizeof bytes, file);
    }
    return disk_finish(file, path, error);
}

/* What the summary is about: the cells that count as floor. */
struct counted_map {
    const struct map *map;
    pw_floor floor;
    double *value;         /* (floor.cells), owned: the values there; of the best server its power */
    int64_t *serves;       /* (transmitters), owned: cells that each serves */
    int64_t masked, small; /* cells whose delays are masked; whose spread is below the resolution */
    struct map_summary summary;
};

static void counted_free(struct counted_map *counted)
{
    FREE_ALL(counted->value, counted->serves);
}

static pw_status counted_fill(const struct result *result, const pw_map_options *options, uint8_t *mask,
                              struct counted_map *counted, pw_error *error)
{
    const struct map *map = counted->map;
    TRY(map_count_floor(result, options, map, mask, &counted->floor, error));
    bool servers = map->quantity == PW_BEST_SERVER;
    const double *values = servers ? map->power : map->value;
    int64_t kept = 0;
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        if (mask[n]) {
            enum map_mark mark = map->mark != NULL ? map->mark[n] : MAP_MARK_NONE;
            counted->masked += mark == MAP_MARK_RUN_SHORT || mark == MAP_MARK_SPECTRA_FEW;
            counted->small += mark == MAP_MARK_SMALL;
            counted->value[kept++] = values[n];
            if (servers && !isnan(map->value[n])) {
                counted->serves[(int)map->value[n]]++;
            }
        }
    }
    bool falls = quantity_kind(map->quantity)->falls;
    return map_summarise(counted->value, kept, options->threshold, falls, &counted->summary, error);
}

static pw_status counted_create(const struct map *map, const struct result *result, const pw_map_options *options,
                                struct counted_map *counted, pw_error *error)
{
    size_t count = (size_t)map->rows * (size_t)map->columns;
    *counted = (struct counted_map){.map = map};
    uint8_t *mask = allocate(count, 1, "the floor of a map", error);
    counted->value = allocate(count, sizeof *counted->value, "the floor of a map", error);
    counted->serves = allocate((size_t)result->transmitter_count, sizeof *counted->serves, "a summary", error);
    bool there = mask != NULL && counted->value != NULL && counted->serves != NULL;
    pw_status status = there ? counted_fill(result, options, mask, counted, error) : PW_NO_RESOURCE;
    free(mask);
    if (status != PW_OK) {
        counted_free(counted);
    }
    return status;
}

static double per_cent(int64_t part, int64_t whole)
{
    return 100.0 * (double)part / (double)whole;
}

/* Of the floor; cells without a value are not covered. */
static double covered_share(const struct counted_map *counted)
{
    const struct map_summary *summary = &counted->summary;
    return summary->count > 0 ? summary->share * (double)summary->count / (double)counted->floor.cells : 0.0;
}

static void summary_report(const struct counted_map *counted, const struct result *result,
                           const pw_map_options *options, FILE *report)
{
    const struct map *map = counted->map;
    const struct map_summary *summary = &counted->summary;
    const struct quantity_kind *kind = quantity_kind(map->quantity);
    const char *unit = map->quantity == PW_BEST_SERVER ? "dBm" : map->unit;
    bool best = map->transmitter < 0 && map->quantity != PW_BEST_SERVER;
    char a[PW_NUMBER_SIZE], b[PW_NUMBER_SIZE], c[PW_NUMBER_SIZE];
    fprintf(report, "%s%s%s%s%s%s: %d x %d cells of %s m\n", map->name, kind->reference != NULL ? " " : "",
            kind->reference != NULL ? kind->reference : "", best || map->transmitter >= 0 ? " from " : "",
            best                    ? "the strongest transmitter"
            : map->transmitter >= 0 ? result->transmitters[map->transmitter].name
                                    : "",
            map->mean_width > 0.0 ? ", local mean" : "", map->columns, map->rows, pw_number_text(map->pitch_x, 3, a));
    if (result_is_vector(result)) {
        char sheet[MAP_SHEET_TEXT];
        fprintf(report, "  %s\n", map_sheet_text(result, map, sheet));
    }
    fprintf(report, "  counted: %s, %s m2 of %s m2\n", counted->floor.text,
            pw_number_text(counted->floor.square_metres, 3, a),
            pw_number_text(counted->floor.plan_square_metres, 3, b));
    if (map->quantity == PW_SNR || map->quantity == PW_SINR) {
        fprintf(report, "  noise %.1f dBm: bandwidth %g MHz, noise figure %g dB\n", map->noise,
                options->noise_bandwidth * 1e-6, options->noise_figure);
    }
    if (map->quantity == PW_PATH_GAIN) {
        fprintf(report, "  Pr - Pt between isotropic antennas: %.1f dB less (free space at 1 m)\n",
                -20.0 * log10(SPEED_OF_LIGHT / (4.0 * M_PI * map->centre)));
    }
    for (int t = 0; map->quantity == PW_BEST_SERVER && t < result->transmitter_count; t++) {
        fprintf(report, "  %-*s serves %5.1f %%\n", pw_text_field(result->transmitters[t].name, 24),
                result->transmitters[t].name, per_cent(counted->serves[t], counted->floor.cells));
    }
    if (summary->count > 0) {
        fprintf(report, "  minimum %s %s, median %s %s, maximum %s %s\n", pw_number_text(summary->minimum, 3, a), unit,
                pw_number_text(summary->median, 3, b), unit, pw_number_text(summary->maximum, 3, c), unit);
    } else {
        fprintf(report, "  no point has a value\n");
    }
    char wider[PW_WIDER_SIZE];
    int64_t masked = counted->masked, small = counted->small;
    if (small > 0) {
        fprintf(report, "  < %s ns, the resolution, in %.1f %%; %s\n", pw_number_text(1e9 * map->resolution, 2, a),
                per_cent(small, counted->floor.cells), pw_wider_text(map->resolution, wider));
    }
    if (masked > 0) {
        fprintf(report, "  masked, since it may be over 10 %% wrong, in %.1f %%\n",
                per_cent(masked, counted->floor.cells));
    }
    if (summary->count + masked < counted->floor.cells) {
        fprintf(report, "  not defined in %.1f %%\n",
                per_cent(counted->floor.cells - masked - summary->count, counted->floor.cells));
    }
    if (!isnan(options->threshold)) {
        fprintf(report, "  at or %s %g %s: %.1f %% of the %s\n", kind->falls ? "under" : "over", options->threshold,
                unit, 100.0 * covered_share(counted), counted->floor.text);
    }
}

/* `path` with the ending of a picture replaced by `suffix`, or with `suffix` added. */
static pw_status sibling_path(const char *path, const char *suffix, char sibling[PATH_MAX], pw_error *error)
{
    size_t length = strlen(path);
    if (pw_is_picture(path)) {
        length -= 4;
    }
    FAIL_IF(length + strlen(suffix) >= PATH_MAX, error, PW_USAGE, "the name '%.60s...' is too long", path);
    memcpy(sibling, path, length);
    strcpy(sibling + length, suffix);
    return PW_OK;
}

static pw_status files_write(const struct map *map, const struct result *result, const pw_map_options *options,
                             const char *path, pw_error *error)
{
    char csv[PATH_MAX], npy[PATH_MAX];
    TRY(sibling_path(path, ".csv", csv, error));
    TRY(sibling_path(path, ".npy", npy, error));
    TRY(csv_write(map, result, options, csv, error));
    pw_status status = map_write_npy(map, npy, error);
    if (status != PW_OK) {
        (void)unlink(csv); /* both or none */
        return status;
    }
    status = map_write_plot(map, result, options, path, error);
    if (status != PW_OK && status != PW_INTERRUPTED) { /* a picture needs gnuplot and a temporary folder */
        pw_error first = {""};
        if (error != NULL) {
            first = *error;
        }
        return fail(error, status, "%.600s; its numbers are in '%.150s' and '%.150s'", first.message, csv, npy);
    }
    return status;
}

/* What is wrong with the map, for whoever asked for it. */
static void doubt_tell(const struct map *map, const pw_map_options *options)
{
    struct map_doubt doubt = map_doubt(map);
    char text[DOUBT_TEXT];
    map_doubt_masked(&doubt, text);
    if (text[0] != '\0' && options->note != NULL) {
        options->note(text, options->note_user);
    }
}

pw_status pw_map_write(const pw_result *result, const pw_map_options *options, const char *path, FILE *report,
                       pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    options = options != NULL ? options : &defaults;
    FAIL_IF(result == NULL || path == NULL || path[0] == '\0', error, PW_USAGE, "pw_map_write: no %s given",
            result == NULL ? "result" : "name for the picture");
    struct map map;
    TRY(map_compute(result, options, &map, error));
    struct counted_map counted;
    pw_status status = counted_create(&map, result, options, &counted, error);
    if (status == PW_OK) {
        map.covered = covered_share(&counted);
        map.floor_text = counted.floor.text;
        status = files_write(&map, result, options, path, error);
        if (status == PW_OK) {
            doubt_tell(&map, options);
        }
        if (status == PW_OK && report != NULL) {
            summary_report(&counted, result, options, report);
        }
        counted_free(&counted);
    }
    map_free(&map);
    return status;
}
