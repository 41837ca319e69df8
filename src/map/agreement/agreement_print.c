/* Prints agreements: a table for people, JSON for scripts. */
#include "map/agreement/agreement.h"

#include <math.h>
#include <string.h>

static size_t count_different(const struct agreement *agreement, bool compared)
{
    size_t count = 0;
    for (size_t n = 0; n < agreement->count; n++) {
        count += agreement->row[n].different && (agreement->row[n].count > 0) == compared ? 1 : 0;
    }
    return count;
}

static size_t count_compared(const struct agreement *agreement)
{
    size_t count = 0;
    for (size_t n = 0; n < agreement->count; n++) {
        count += agreement->row[n].count > 0 ? 1 : 0;
    }
    return count;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_rows(const struct agreement *agreement, FILE *stream)
{
    int width = (int)strlen("transmitter or link");
    for (size_t n = 0; n < agreement->count; n++) {
        int length = (int)strlen(agreement->row[n].of);
        width = length > width ? length : width;
    }
    fprintf(stream, "  %-24s %-*s %8s %10s %8s %8s %8s %11s  %s\n", "quantity", width, "transmitter or link", "values",
            "error", "median", "rms", "90 %", "largest", "at");
    for (size_t n = 0; n < agreement->count; n++) {
        const pw_agreement_row *row = &agreement->row[n];
        if (row->count > 0) {
            fprintf(stream, "%c %-24s %-*s %8lld %10.3e %8.3f %8.3f %8.3f %8.3f %s  %s\n", row->different ? '*' : ' ',
                    row->what, pw_text_field(row->of, width), row->of, (long long)row->count, row->error, row->median,
                    row->rms, row->p90, row->largest, row->unit, row->where);
        }
    }
}

/* Each kind of note once, with the first that it is about. */
static bool is_repeated(const struct agreement *agreement, size_t index)
{
    const pw_agreement_row *row = &agreement->row[index];
    bool repeated = false;
    for (size_t n = 0; n < index && row->count > 0; n++) {
        const pw_agreement_row *earlier = &agreement->row[n];
        repeated = repeated || (earlier->count > 0 && strcmp(earlier->what, row->what) == 0 &&
                                strcmp(earlier->note, row->note) == 0);
    }
    return repeated;
}

static void print_notes(const struct agreement *agreement, bool compared, const char *title, FILE *stream)
{
    for (size_t n = 0; n < agreement->count; n++) {
        const pw_agreement_row *row = &agreement->row[n];
        if ((row->count > 0) == compared && row->note[0] != '\0' && !is_repeated(agreement, n)) {
            fprintf(stream, "%s%c %s%s%s: %s\n", title, row->different && !compared ? '*' : ' ', row->what,
                    compared ? "" : ", ", compared ? "" : row->of, row->note);
            title = "";
        }
    }
}

/* "0.2", "1 dB", "0.2 and 1 dB" */
static const char *limits_text(const struct agreement *agreement, char text[64])
{
    bool error = !isnan(agreement->max_error), levels = !isnan(agreement->max_db);
    int used = error ? snprintf(text, 64, "%g%s", agreement->max_error, levels ? " and " : "") : 0;
    if (levels) {
        snprintf(text + used, 64 - (size_t)used, "%g dB rms", agreement->max_db);
    }
    return error || levels ? text : "any error";
}

static void print_text(const struct agreement *agreement, FILE *stream)
{
    char limits[64];
    fprintf(stream, "A  %s\nB  %s (reference of the error)\n", agreement->path_a, agreement->path_b);
    fprintf(stream, "compared by frequency, delay and place%s%s\n\n",
            agreement->grids[0] != '\0' ? ", since the grids differ: " : "; the grids are the same", agreement->grids);
    if (count_compared(agreement) > 0) {
        print_rows(agreement, stream);
    }
    print_notes(agreement, true, "\nhow:\n", stream);
    print_notes(agreement, false, "\nnot compared:\n", stream);
    size_t beyond = count_different(agreement, true), one_sided = count_different(agreement, false);
    size_t compared = count_compared(agreement);
    fprintf(stream, "\n");
    if (beyond > 0) {
        fprintf(stream, "DIFFERENT: %zu of %zu quantities (*) by more than %s\n", beyond, compared,
                limits_text(agreement, limits));
    }
    if (one_sided > 0) {
        fprintf(stream, "DIFFERENT: %zu that only one file has, or that do not match (*)\n", one_sided);
    }
    if (beyond + one_sided == 0) {
        fprintf(stream, "within %s: %zu quantities\n", limits_text(agreement, limits), compared);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void print_object(const pw_agreement_row *row, FILE *stream)
{
    pw_json_write(stream, "    {\"quantity\": %s, \"of\": %s", row->what, row->of);
    fprintf(stream, ", \"different\": %s, \"values\": %lld", row->different ? "true" : "false", (long long)row->count);
    if (row->count > 0) {
        pw_json_write(stream,
                      ", \"error\": %g, \"median_difference\": %g, \"rms_difference\": %g, \"p90_difference\": %g, "
                      "\"largest_difference\": %g, \"unit\": %s, \"largest_difference_at\": %s",
                      row->error, row->median, row->rms, row->p90, row->largest, row->unit, row->where);
    }
    pw_json_write(stream, ", \"note\": %s}", row->note);
}

static void print_json(const struct agreement *agreement, FILE *stream)
{
    pw_json_write(stream,
                  "{\n  \"a\": %s,\n  \"b\": %s,\n  \"grids_differ_in\": %s,\n  \"max_error\": %g,\n  \"max_db\": %g,\n"
                  "  \"verdict\": %s,\n  \"quantities\": [\n",
                  agreement->path_a, agreement->path_b, agreement->grids, agreement->max_error, agreement->max_db,
                  pw_agreement_differs(agreement) ? "different" : "within");
    for (size_t n = 0; n < agreement->count; n++) {
        print_object(&agreement->row[n], stream);
        fputs(n + 1 < agreement->count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}

pw_status pw_agreement_print(const pw_agreement *agreement, bool json, FILE *stream, pw_error *error)
{
    FAIL_IF(agreement == NULL || stream == NULL, error, PW_USAGE, "pw_agreement_print: no %s given",
            agreement == NULL ? "agreement" : "stream");
    (json ? print_json : print_text)(agreement, stream);
    return ferror(stream) != 0 ? fail(error, PW_NO_RESOURCE, "cannot write the comparison") : PW_OK;
}
