/* Levels as CSV, a line for each place and a column for each candidate, and back (siting.h). */
#include "place/siting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COORDINATES = 5 }; /* columns before the levels: place, x, y, height, weight */

static const char *const KIND = "planwave levels";

/* What the levels depend on besides the points, in one line. */
static void basis_print(const struct pw_siting *siting, char *text, size_t size)
{
    const pw_siting_options *options = &siting->options;
    snprintf(text, size,
             "%d dimensions, band %.9g Hz wide around %.9g Hz, EIRP %.9g dBm, receiver %.9g dBi, mean over %.9g m, "
             "spreading %s",
             siting->asked.dimensions, siting->asked.band_width, siting->asked.band_centre, siting_model(siting).power,
             options->receiver_gain, pw_siting_describe(siting).mean_width, pw_spreading_name(options->spreading));
}

/* A line of the heading: one coordinate of every candidate. */
static void coordinate_print(const struct pw_siting *siting, FILE *file, const char *title, size_t offset)
{
    fprintf(file, "%s,,,,", title);
    for (int c = 0; c < siting->candidates.count; c++) {
        pw_csv_write(file, ",%.9g", *(const double *)((const char *)&siting->candidates.site[c] + offset));
    }
    fputc('\n', file);
}

static void levels_print(const struct pw_siting *siting, FILE *file)
{
    char basis[512], label[PW_NAME_SIZE];
    basis_print(siting, basis, sizeof basis);
    fprintf(file, "# %s [dBm] of %d candidates (columns) at %d places (lines)\n# %s\n", KIND, siting->candidates.count,
            siting->places.count, basis);
    fprintf(file, "place,x_m,y_m,height_m,weight");
    for (int c = 0; c < siting->candidates.count; c++) {
        pw_csv_write(file, ",%s", site_label(&siting->candidates, c, label));
    }
    fputc('\n', file);
    coordinate_print(siting, file, "x_m", offsetof(pw_site, x));
    coordinate_print(siting, file, "y_m", offsetof(pw_site, y));
    coordinate_print(siting, file, "height_m", offsetof(pw_site, height));
    for (int p = 0; p < siting->places.count; p++) {
        const pw_site *place = &siting->places.site[p];
        pw_csv_write(file, "%s,%.9g,%.9g,%.9g,%.9g", site_label(&siting->places, p, label), place->x, place->y,
                     place->height, place->weight);
        for (int c = 0; c < siting->candidates.count; c++) {
            pw_csv_write(file, ",%.9g", siting->level[(size_t)c * (size_t)siting->places.count + (size_t)p]);
        }
        fputc('\n', file);
    }
}

pw_status pw_siting_levels_write(const pw_siting *siting, const char *path, pw_error *error)
{
    FAIL_IF(siting->level == NULL, error, PW_USAGE, "the levels are not known yet: solve, or read them");
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    levels_print(siting, file);
    return pw_file_finish(file, path, error);
}

/* ---- back ---- */

/* A file that is read line by line. */
struct reader {
    struct pw_siting *siting;
    const char *path;
    FILE *file;
    char *line; /* owned */
    size_t size;
    int number;
    char **field;  /* (columns) of the line, owned */
    double *value; /* (columns), owned; NAN where a field is no number */
};

static pw_status line_next(struct reader *reader, pw_error *error)
{
    FAIL_IF(getline(&reader->line, &reader->size, reader->file) < 0, error, PW_BAD_INPUT,
            "%s: ends after %d lines; expected are %d candidates and %d places", reader->path, reader->number,
            reader->siting->candidates.count, reader->siting->places.count);
    reader->number++;
    return PW_OK;
}

/* The fields of a line as numbers; the first is a word. */
static pw_status values_next(struct reader *reader, pw_error *error)
{
    int wanted = COORDINATES + reader->siting->candidates.count;
    TRY(line_next(reader, error));
    int count = pw_line_cut(reader->line, reader->field, wanted);
    for (int n = 0; n < count; n++) {
        char *end;
        double value = strtod(reader->field[n], &end);
        reader->value[n] = end != reader->field[n] ? value : (double)NAN;
    }
    return count == wanted
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s:%d: %s columns than the %d of %d candidates, as they are now",
                      reader->path, reader->number, count < 0 ? "more" : "fewer", wanted,
                      reader->siting->candidates.count);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-6 * fmax(1.0, fabs(b));
}

static pw_status coordinate_check(struct reader *reader, size_t offset, pw_error *error)
{
    const struct site_list *candidates = &reader->siting->candidates;
    TRY(values_next(reader, error));
    for (int c = 0; c < candidates->count; c++) {
        double wanted = *(const double *)((const char *)&candidates->site[c] + offset);
        FAIL_IF(!same(reader->value[COORDINATES + c], wanted), error, PW_BAD_INPUT,
                "%s:%d: candidate %d is at another place: %g m in the file, %g m now. Use the same "
                "--candidates, or simulate again without --from-levels",
                reader->path, reader->number, c + 1, reader->value[COORDINATES + c], wanted);
    }
    return PW_OK;
}

static pw_status heading_check(struct reader *reader, pw_error *error)
{
    char basis[512];
    basis_print(reader->siting, basis, sizeof basis);
    TRY(line_next(reader, error));
    FAIL_IF(strncmp(reader->line, "# ", 2) != 0 || strncmp(reader->line + 2, KIND, strlen(KIND)) != 0, error,
            PW_BAD_INPUT, "%s: no file of levels that planwave place wrote", reader->path);
    TRY(line_next(reader, error));
    reader->line[strcspn(reader->line, "\r\n")] = '\0';
    FAIL_IF(strcmp(reader->line + (reader->line[0] == '#' ? 2 : 0), basis) != 0, error, PW_BAD_INPUT,
            "%s: levels of something else: %.300s; and now: %.300s", reader->path, reader->line, basis);
    TRY(line_next(reader, error));
    TRY(coordinate_check(reader, offsetof(pw_site, x), error));
    TRY(coordinate_check(reader, offsetof(pw_site, y), error));
    return coordinate_check(reader, offsetof(pw_site, height), error);
}

static pw_status places_read(struct reader *reader, double *level, pw_error *error)
{
    const struct site_list *places = &reader->siting->places;
    for (int p = 0; p < places->count; p++) {
        const pw_site *place = &places->site[p];
        TRY(values_next(reader, error));
        FAIL_IF(!same(reader->value[1], place->x) || !same(reader->value[2], place->y) ||
                    !same(reader->value[3], place->height),
                error, PW_BAD_INPUT, "%s:%d: place %d is elsewhere: (%g, %g) m, and now (%g, %g) m", reader->path,
                reader->number, p + 1, reader->value[1], reader->value[2], place->x, place->y);
        for (int c = 0; c < reader->siting->candidates.count; c++) {
            level[(size_t)c * (size_t)places->count + (size_t)p] = reader->value[COORDINATES + c];
        }
    }
    return PW_OK;
}

pw_status pw_siting_levels_read(pw_siting *siting, const char *path, pw_error *error)
{
    size_t count = (size_t)siting->candidates.count * (size_t)siting->places.count;
    struct reader reader = {.siting = siting, .path = path, .file = pw_file_open(path, error)};
    if (reader.file == NULL) {
        return PW_BAD_INPUT;
    }
    OWNED double *level = allocate(count, sizeof *level, "the levels of all candidates at all places", error);
    reader.value =
        allocate(COORDINATES + (size_t)siting->candidates.count, sizeof *reader.value, "a line of levels", error);
    reader.field =
        allocate(COORDINATES + (size_t)siting->candidates.count, sizeof *reader.field, "a line of levels", error);
    pw_status status =
        level != NULL && reader.value != NULL && reader.field != NULL ? heading_check(&reader, error) : PW_NO_RESOURCE;
    THEN(status, places_read(&reader, level, error));
    if (status == PW_OK) {
        free(siting->level);
        siting->level = level;
        level = NULL;
    }
    PW_FREE_ALL(reader.value, (void *)reader.field, reader.line);
    fclose(reader.file);
    return status;
}
