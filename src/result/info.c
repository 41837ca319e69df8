/* Says what is in a result file: an overview for people, the same as JSON for scripts. Reads the few attributes and
 * timings that nobody else needs; numbers of the channel are left to channel.c and the maps. */
#include "base/file/hdf5_read.h"
#include "base/file/json.h"
#include "result/antenna/antenna_info.h"
#include "result/result.h"
#include "result/result_format.h"

#include <math.h>
#include <string.h>

enum { TIMING_COUNT = 7 };

enum { RECEIVERS_SHOWN = 40 };

static const char *const timing_names[TIMING_COUNT] = {
    "setup", "solve", "write", "cell_updates", "cell_updates_per_second", "bytes_moved", "peak_memory"};

/* What struct result does not carry. */
struct overview {
    const struct result *result;
    double courant;
    int64_t steps_done, steps_asked, spectra_every;
    double timing[TIMING_COUNT]; /* NAN where the file has none */
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pw_status read_timing(struct overview *overview, pw_error *error)
{
    for (int n = 0; n < TIMING_COUNT; n++) {
        overview->timing[n] = NAN;
    }
    const struct result *result = overview->result;
    if (!hdf5_member_exists(result->file, "timing")) {
        return PW_OK;
    }
    OWNED_ID hid_t group = hdf5_group_open(result->file, "timing", error);
    TRY_OPEN(group);
    for (int n = 0; n < TIMING_COUNT; n++) {
        if (!hdf5_member_exists(group, timing_names[n])) {
            continue;
        }
        OWNED_ID hid_t dataset =
            hdf5_dataset_open(group, timing_names[n], ELEMENT_REAL, 0, result->file_bytes, NULL, error);
        TRY_OPEN(dataset);
        TRY(hdf5_block_read(dataset, timing_names[n], NULL, NULL, false, &overview->timing[n], error));
    }
    return PW_OK;
}

static pw_status read_overview(struct overview *overview, pw_error *error)
{
    const struct result *result = overview->result;
    int64_t most = INT64_C(1) << 53;
    TRY(hdf5_read_numbers(result->file, "courant", &overview->courant, 0, error));
    TRY(hdf5_read_integer(result->file, "steps_done", 0, most, &overview->steps_done, error));
    TRY(hdf5_read_integer(result->file, "steps_asked", 0, most, &overview->steps_asked, error));
    TRY(hdf5_read_integer(result->file, "spectra_every", 0, most, &overview->spectra_every, error));
    return read_timing(overview, error);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A number with an SI prefix: 2.4 G, 20 m, 1.5 k. */
static const char *scaled(double value, char *text, size_t size)
{
    static const char *const prefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    int step = value > 0 && isfinite(value) ? (int)floor(log10(value * 1.0005) / 3) : 0;
    step = step < -5 ? -5 : step > 5 ? 5 : step;
    char number[PW_NUMBER_SIZE];
    snprintf(text, size, "%s %s", pw_number_text(value / pow(1000, step), 3, number), prefixes[step + 5]);
    return text;
}

/* "name" of the summary, "?" when it is not there; at most `size` bytes. */
static const char *summary_text(const struct result *result, const char *name, char *text, size_t size)
{
    size_t length;
    const char *value = summary_find(result->summary, name, &length);
    snprintf(text, size, "%.*s", value != NULL ? (int)length : 1, value != NULL ? value : "?");
    return text;
}

static void print_head(const struct result *result, FILE *stream)
{
    char bytes[32], created[64], version[64], commit[64];
    fprintf(stream, "%s\n", result->title[0] != '\0' ? result->title : "(no title)");
    fprintf(stream, "%s, %sB, written %s by planwave %s (%s)\n\n", result->path,
            scaled((double)result->file_bytes, bytes, sizeof bytes),
            summary_text(result, "created", created, sizeof created),
            summary_text(result, "version", version, sizeof version),
            summary_text(result, "commit", commit, sizeof commit));
}

/* " but x_low, y_high": ends of a grid with an absorber that have none, as a scenario names them. */
static void print_bare_sides(const struct result *result, FILE *stream)
{
    char kinds[200];
    int bare = 0;
    bool by_side = strchr(summary_text(result, "absorber", kinds, sizeof kinds), ',') != NULL;
    for (int s = 0; result->layer > 0 && s < 2 * result->dimensions; s++) {
        if ((s % 2 == 0 ? result->low : result->high)[s / 2] > 0) {
            continue;
        }
        if (by_side) {
            fprintf(stream, "%s%c_%s", bare == 0 ? " but " : ", ", "xyz"[s / 2], s % 2 == 0 ? "low" : "high");
        } else if (bare == 0) {
            fputs(" but the planes of symmetry", stream);
        }
        bare++;
    }
}

static void print_numerics(const struct overview *overview, FILE *stream)
{
    const struct result *result = overview->result;
    char a[64], b[64], c[64], d[64];
    fprintf(stream, "grid          %d x %d", result->nx, result->ny);
    if (result->dimensions == 3) {
        fprintf(stream, " x %d", result->nz);
    }
    fprintf(stream, " cells of %sm, with %d absorber cells (%s) on every side", scaled(result->cell, a, sizeof a),
            result->layer, summary_text(result, "absorber", b, sizeof b));
    print_bare_sides(result, stream);
    const double inner[3] = {(result->nx - result->low[0] - result->high[0]) * result->cell,
                             (result->ny - result->low[1] - result->high[1]) * result->cell,
                             (result->nz - result->low[2] - result->high[2]) * result->cell};
    if (result->dimensions == 3) {
        fprintf(stream, "; %.3f m x %.3f m x %.3f m inside, from height %.3f m\n", inner[0], inner[1], inner[2],
                result->origin_z + result->low[2] * result->cell);
    } else {
        fprintf(stream, "; %.3f m x %.3f m inside%s\n", inner[0], inner[1],
                result->horizontal ? "; horizontal polarisation: Ex, Ey and Hz" : "");
    }
    fprintf(stream, "scheme        %s, courant %s, averaging %s, %s precision, warp %s\n", result->scheme,
            pw_number_text(overview->courant, 3, d), summary_text(result, "averaging", a, sizeof a),
            summary_text(result, "precision", b, sizeof b), summary_text(result, "warp", c, sizeof c));
    fprintf(stream, "band          %sHz wide at ", scaled(result->band_width, a, sizeof a));
    fprintf(stream, "%sHz, %d frequencies\n", scaled(result->band_centre, a, sizeof a), result->frequency_count);
    fprintf(stream, "steps         %lld of at most %lld, ", (long long)overview->steps_done,
            (long long)overview->steps_asked);
    fprintf(stream, "%ss each, ", scaled(result->time_step, a, sizeof a));
    fprintf(stream, "%ss in all; ended by %s\n", scaled((double)overview->steps_done * result->time_step, a, sizeof a),
            summary_text(result, "stop_reason", c, sizeof c));
}

static void print_forecast(const struct result *result, FILE *stream)
{
    char depths[256]; /* results of old have none */
    const bool told = summary_text(result, "forecast", depths, sizeof depths)[0] != '?';
    fprintf(stream, "forecast      %s%s%s%s\n", told ? "local means within " : "", told ? depths : "",
            told ? "\n              " : "", pw_forecast_words(false));
}

static void print_run(const struct overview *overview, FILE *stream)
{
    char backend[64], device[160], a[32], b[32];
    const double *timing = overview->timing;
    fprintf(stream, "run           %s on %s\n", summary_text(overview->result, "backend", backend, sizeof backend),
            summary_text(overview->result, "device", device, sizeof device));
    if (!isnan(timing[1])) {
        char time[3][PW_NUMBER_SIZE];
        for (int n = 0; n < 3; n++) {
            pw_number_text(timing[n], 3, time[n]);
        }
        fprintf(stream,
                "              %s s set-up, %s s solving, %s s writing; %scells/s, at most %sB of host memory\n",
                time[0], time[1], time[2], scaled(timing[4], a, sizeof a), scaled(timing[6], b, sizeof b));
    }
}

/* (x, y), in three dimensions (x, y, height). */
static void print_place(double x, double y, double height, FILE *stream)
{
    fprintf(stream, "(%.3f, %.3f", x, y);
    if (!isnan(height)) {
        fprintf(stream, ", %.3f", height);
    }
    fputs(") m", stream);
}

/* "vertical", "along x", or the direction. */
static const char *polarisation_text(const double along[3], char *text, size_t size)
{
    static const char *const axes[3] = {"along x", "along y", "vertical"};
    for (int c = 0; c < 3; c++) {
        if (fabs(fabs(along[c]) - 1) < 1e-9) {
            return axes[c];
        }
    }
    snprintf(text, size, "along (%.3g, %.3g, %.3g)", along[0], along[1], along[2]);
    return text;
}

/* In three dimensions the same for all transmitters: heights, then cuts by their numbers. */
static void print_sheets(const struct overview *overview, FILE *stream)
{
    const struct result *result = overview->result;
    const struct result_transmitter *first = &result->transmitters[0];
    int cuts = 0;
    fprintf(stream, "spectra       %d frequencies, sampled every %lld steps%s\n", result->frequency_count,
            (long long)overview->spectra_every, first->sheet_count > 0 ? "" : ": none");
    for (int s = 0; s < first->sheet_count; s++) {
        const struct result_sheet *sheet = &first->sheets[s];
        char place[64];
        bool again = false;
        for (int other = 0; other < s; other++) {
            again = again || result_sheet_partner(result, s, first->sheets[other].component) == other;
        }
        cuts += sheet->normal < 2 && !again ? 1 : 0;
        if (sheet->normal == 2) {
            snprintf(place, sizeof place, "height %.3f m", sheet->position);
        } else {
            snprintf(place, sizeof place, "cut %d, %c = %.3f m", cuts, "xy"[sheet->normal], sheet -> position);
        }
        fprintf(stream, "  %-24s E%c, %d x %d points, %c %.3f..%.3f m, %c %.3f..%.3f m%s\n", place,
                "xyz"[sheet->component], sheet -> rows, sheet -> columns, sheet -> normal == 0 ? 'y' : 'x',
                sheet->column_axis[0], sheet->column_axis[sheet->columns - 1], sheet->normal == 2 ? 'y' : 'z',
                sheet->row_axis[0], sheet->row_axis[sheet->rows - 1], s == result->sheet ? " (the default)" : "");
    }
}

/* In two dimensions: where a transmitter's spectra are, and with horizontal polarisation of which components. */
static void print_lattice(const struct overview *overview, const struct result_transmitter *transmitter, FILE *stream)
{
    const struct result *result = overview->result;
    fprintf(stream, "  %-14s spectra (%d, %d, %d)", "", result->frequency_count, transmitter->rows,
            transmitter->columns);
    for (int s = 0; result->horizontal && s < transmitter->sheet_count; s++) {
        fprintf(stream, "%s%s", s == 0 ? " of " : ", ",
                result_component_symbol(result, transmitter->sheets[s].component));
    }
    fprintf(stream, ", x %.3f..%.3f m, y %.3f..%.3f m, sampled every %lld steps\n", transmitter->x_axis[0],
            transmitter->x_axis[transmitter->columns - 1], transmitter->y_axis[0],
            transmitter->y_axis[transmitter->rows - 1], (long long)overview->spectra_every);
}

static void print_transmitters(const struct overview *overview, FILE *stream)
{
    const struct result *result = overview->result;
    fprintf(stream, "transmitters\n");
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *transmitter = &result->transmitters[t];
        char along[64];
        fprintf(stream, "  %-*s at ", pw_text_field(transmitter->name, 14), transmitter->name);
        print_place(transmitter->x, transmitter->y, transmitter->height, stream);
        if (strcmp(transmitter->antenna_word, "loop") == 0) {
            fputs(", loop", stream);
        } else if (result_is_vector(result) && transmitter->antenna.kind == ANTENNA_PATTERN) {
            fputs(", ", stream);
            antenna_print(&transmitter->antenna, stream);
            fprintf(stream, ", E ahead %s", polarisation_text(transmitter->polarisation, along, sizeof along));
        } else if (result_is_vector(result)) {
            fprintf(stream, ", %s dipole %s",
                    strcmp(transmitter->antenna_word, "half_wave") == 0 ? "half-wave" : "Hertzian",
                    polarisation_text(transmitter->polarisation, along, sizeof along));
        }
        fprintf(stream, ", %g dBm, %s source, %lld steps\n", transmitter->power, transmitter->soft ? "soft" : "hard",
                (long long)transmitter->samples);
        antenna_print_transmitter(result, transmitter, stream);
        if (transmitter->rows > 0 && result->dimensions == 2) {
            print_lattice(overview, transmitter, stream);
        }
        if (transmitter->energy_count > 0 && transmitter->energy[transmitter->energy_count - 1] > 0) {
            fprintf(stream, "  %-14s energy at the end %.1f dB of its peak\n", "",
                    10 * log10(transmitter->energy[transmitter->energy_count - 1]));
        }
    }
    const struct result_transmitter *first = &result->transmitters[0];
    fprintf(stream, "receivers%s\n", first->receiver_count > 0 ? "" : "     none");
    for (int r = 0; r < first->receiver_count && r < RECEIVERS_SHOWN; r++) {
        const struct result_receiver *receiver = &first->receivers[r];
        char along[64];
        fprintf(stream, "  %-*s at ", pw_text_field(receiver->name, 14), receiver->name);
        print_place(receiver->x, receiver->y, receiver->height, stream);
        if (result->horizontal && receiver->polarisation[2] != 0) {
            fputs(", loop", stream);
        } else if (result_is_vector(result)) {
            fprintf(stream, ", %s", polarisation_text(receiver->polarisation, along, sizeof along));
        }
        fprintf(stream, ", %g dBi%s", receiver->gain, receiver->row >= 0 ? ", of the spectra" : "");
        if (receiver->antenna.kind != ANTENNA_ISOTROPIC) {
            fputs(", ", stream);
            antenna_print(&receiver->antenna, stream);
        }
        fputc('\n', stream);
    }
    if (first->receiver_count > RECEIVERS_SHOWN) {
        fprintf(stream, "  and %d more\n", first->receiver_count - RECEIVERS_SHOWN);
    }
}

/* The next line of the summary with this key from *rest on, or NULL; moves *rest behind it. */
static const char *next_line(const char **rest, const char *key, size_t *length)
{
    const char *value = summary_find(*rest, key, length);
    if (value != NULL) {
        *rest = value + *length + (value[*length] == '\n' ? 1 : 0);
    }
    return value;
}

static const char *next_warning(const char **rest, size_t *length)
{
    return next_line(rest, "warning", length);
}

void pw_result_doubts(const pw_result *result, void (*tell)(const char *sentence, void *user), void *user)
{
    const char *rest = result->summary;
    size_t length;
    for (const char *value = next_line(&rest, "doubt", &length); value != NULL;
         value = next_line(&rest, "doubt", &length)) {
        char sentence[1024];
        snprintf(sentence, sizeof sentence, "%.*s", (int)length, value);
        tell(sentence, user);
    }
}

static void print_warnings(const struct result *result, FILE *stream)
{
    const char *rest = result->summary;
    size_t length;
    const char *value = next_warning(&rest, &length);
    fprintf(stream, "warnings%s\n", value != NULL ? "" : "      none");
    for (; value != NULL; value = next_warning(&rest, &length)) {
        fprintf(stream, "  %.*s\n", (int)length, value);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_summary(const struct result *result, FILE *stream)
{
    static const char *const names[] = {"title",           "version",  "commit",    "created",     "scheme",
                                        "averaging",       "absorber", "precision", "warp",        "material_revision",
                                        "time_convention", "backend",  "device",    "stop_reason", "forecast"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t length;
        const char *value = summary_find(result->summary, names[n], &length);
        fprintf(stream, ",\n  \"%s\": ", names[n]);
        if (value != NULL) {
            json_text_write(stream, value, length);
        } else {
            fputs("null", stream);
        }
    }
}

static void json_sheets(const struct result *result, FILE *stream)
{
    const struct result_transmitter *first = &result->transmitters[0];
    fputs(", \"sheets\": [", stream);
    for (int s = 0; s < first->sheet_count; s++) {
        const struct result_sheet *sheet = &first->sheets[s];
        const char normal[] = {"xyz"[sheet->normal], '\0'};
        fputs(s > 0 ? ",\n    " : "\n    ", stream);
        pw_json_write(stream,
                      "{\"name\": %s, \"component\": %s, \"normal\": %s, \"asked\": %g, \"position\": %g, "
                      "\"rows\": %d, \"columns\": %d}",
                      sheet->name, result_component_word(result, sheet->component), normal, sheet->asked,
                      sheet->position, sheet->rows, sheet->columns);
    }
    fputs("]", stream);
}

/* Nothing where the field is vertical and without heights. */
static void json_height(const struct result *result, double height, const double polarisation[3], FILE *stream)
{
    if (!isnan(height)) {
        pw_json_write(stream, ", \"height\": %g", height);
    }
    if (result_is_vector(result)) {
        fprintf(stream, ", \"polarisation\": [%.9g, %.9g, %.9g]", polarisation[0], polarisation[1], polarisation[2]);
    }
}

static void json_numerics(const struct overview *overview, FILE *stream)
{
    const struct result *result = overview->result;
    fprintf(stream, ",\n  \"bytes\": %llu, \"nx\": %d, \"ny\": %d, \"absorber_cells\": %d, \"frequency_count\": %d",
            (unsigned long long)result->file_bytes, result->nx, result->ny, result->layer, result->frequency_count);
    pw_json_write(stream,
                  ", \"dx\": %g, \"dt\": %g, \"courant\": %g, \"band_centre\": %g, \"band_width\": %g,\n  "
                  "\"origin\": [%g, %g], \"steps_done\": %lld, \"steps_asked\": %lld, \"spectra_every\": %lld",
                  result->cell, result->time_step, overview->courant, result->band_centre, result->band_width,
                  result->origin_x, result->origin_y, (long long)overview->steps_done, (long long)overview->steps_asked,
                  (long long)overview->spectra_every);
    if (result->dimensions == 3) {
        pw_json_write(stream, ",\n  \"dimensions\": 3, \"nz\": %d, \"origin_z\": %g", result->nz, result->origin_z);
        json_sheets(result, stream);
    }
    if (result->horizontal) {
        fputs(",\n  \"polarisation\": \"horizontal\"", stream);
        json_sheets(result, stream);
    }
}

static void json_receivers(const struct result *result, const struct result_transmitter *transmitter, FILE *stream)
{
    fputs(",\n     \"receivers\": [", stream);
    for (int r = 0; r < transmitter->receiver_count; r++) {
        const struct result_receiver *receiver = &transmitter->receivers[r];
        fputs(r > 0 ? ", " : "", stream);
        pw_json_write(stream, "{\"name\": %s, \"x\": %g, \"y\": %g", receiver->name, receiver->x, receiver->y);
        json_height(result, receiver->height, receiver->polarisation, stream);
        pw_json_write(stream, ", \"gain\": %g}", receiver->gain);
    }
    fputs("]", stream);
}

static void json_transmitters(const struct result *result, FILE *stream)
{
    fputs(",\n  \"transmitters\": [", stream);
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *transmitter = &result->transmitters[t];
        fputs(t > 0 ? ",\n    " : "\n    ", stream);
        pw_json_write(stream, "{\"name\": %s, \"x\": %g, \"y\": %g", transmitter->name, transmitter->x, transmitter->y);
        json_height(result, transmitter->height, transmitter->polarisation, stream);
        pw_json_write(stream, ", \"power\": %g", transmitter->power);
        antenna_json_transmitter(transmitter, stream);
        fprintf(stream, ", \"source\": \"%s\", \"samples\": %lld, \"spectra\": [%d, %d, %d]",
                transmitter->soft ? "soft" : "hard", (long long)transmitter->samples,
                transmitter->rows > 0 ? result->frequency_count : 0, transmitter->rows, transmitter->columns);
        json_receivers(result, transmitter, stream);
        fputs("}", stream);
    }
    fputs("\n  ]", stream);
}

static void json_warnings(const struct result *result, FILE *stream)
{
    const char *rest = result->summary, *separator = "";
    size_t length;
    fputs(",\n  \"warnings\": [", stream);
    for (const char *value = next_warning(&rest, &length); value != NULL; value = next_warning(&rest, &length)) {
        fputs(separator, stream);
        json_text_write(stream, value, length);
        separator = ", ";
    }
    fputs("]", stream);
}

static void print_json(const struct overview *overview, FILE *stream)
{
    const struct result *result = overview->result;
    pw_json_write(stream, "{\n  \"file\": %s", result->path);
    json_summary(result, stream);
    json_numerics(overview, stream);
    json_transmitters(result, stream);
    fputs(",\n  \"timing\": {", stream);
    for (int n = 0; n < TIMING_COUNT; n++) {
        pw_json_write(stream, n > 0 ? ", %s: %g" : "%s: %g", timing_names[n], overview->timing[n]);
    }
    fputs("}", stream);
    json_warnings(result, stream);
    fputs("\n}\n", stream);
}

pw_status pw_result_print(const pw_result *result, bool json, FILE *stream, pw_error *error)
{
    struct overview overview = {.result = result};
    HDF5_SILENCE;
    TRY(hdf5_name_file(error, read_overview(&overview, error), result->path));
    if (json) {
        print_json(&overview, stream);
    } else {
        print_head(result, stream);
        print_numerics(&overview, stream);
        print_forecast(result, stream);
        print_run(&overview, stream);
        if (result->dimensions == 3) {
            print_sheets(&overview, stream);
        }
        print_transmitters(&overview, stream);
        print_warnings(result, stream);
    }
    return ferror(stream) != 0 ? fail(error, PW_NO_RESOURCE, "cannot write what is in '%s'", result->path) : PW_OK;
}
