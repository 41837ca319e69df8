/* Prints comparisons: a table for people, JSON for scripts. */
#include "result/compare.h"

#include "base/file/json.h"

#include <math.h>
#include <string.h>

enum { TUPLE_SIZE = 24 * PW_DATASET_RANK };

static const char *obstacle_sentence(pw_obstacle obstacle)
{
    static const char *const sentences[] = {"", "only in the first file", "only in the second file", "another shape",
                                            "another type of element"};
    return sentences[obstacle];
}

/* Flat index as indices, the last dimension fastest. */
static void unflatten(const pw_difference *difference, uint64_t flat, uint64_t *index)
{
    for (int r = difference->rank - 1; r >= 0; r--) {
        index[r] = flat % difference->extent[r];
        flat /= difference->extent[r];
    }
}

/* "[1,2,3]", also a piece of JSON. */
static const char *tuple(const uint64_t *values, int rank, char *text)
{
    size_t used = (size_t)snprintf(text, TUPLE_SIZE, "[");
    for (int r = 0; r < rank; r++) {
        used +=
            (size_t)snprintf(text + used, TUPLE_SIZE - used, "%s%llu", r > 0 ? "," : "", (unsigned long long)values[r]);
    }
    snprintf(text + used, TUPLE_SIZE - used, "]");
    return text;
}

static const char *tuple_at(const pw_difference *difference, uint64_t flat, char *text)
{
    uint64_t index[PW_DATASET_RANK];
    if (!difference->any_difference) {
        return strcpy(text, "-");
    }
    unflatten(difference, flat, index);
    return tuple(index, difference->rank, text);
}

static size_t count_different(const struct comparison *list)
{
    size_t count = 0;
    for (size_t n = 0; n < list->count; n++) {
        count += list->entry[n].different ? 1 : 0;
    }
    return count;
}

static bool all_identical(const struct comparison *list)
{
    bool identical = true;
    for (size_t n = 0; n < list->count; n++) {
        identical = identical && list->entry[n].identical;
    }
    return identical;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_row(const pw_difference *difference, int width, FILE *stream)
{
    char shape[TUPLE_SIZE], largest[TUPLE_SIZE], first[TUPLE_SIZE], decibels[16] = "-", correlation[16] = "-";
    fprintf(stream, "%c %-*s ", difference->different ? '*' : ' ', pw_text_field(difference->path, width),
            difference->path);
    if (difference->obstacle != PW_OBSTACLE_NONE) {
        fprintf(stream, "%s\n", obstacle_sentence(difference->obstacle));
        return;
    }
    if (difference->error > 0 && isfinite(difference->error)) {
        snprintf(decibels, sizeof decibels, "%.1f", 20 * log10(difference->error));
    }
    if (!isnan(difference->correlation)) {
        snprintf(correlation, sizeof correlation, "%.9f", difference->correlation);
    }
    fprintf(stream, "%-14s %10.3e %7s %10.3e %-14s %12s %-14s %s\n", tuple(difference->extent, difference->rank, shape),
            difference->error, decibels, difference->largest, tuple_at(difference, difference->largest_at, largest),
            correlation, tuple_at(difference, difference->first_at, first), difference->identical ? "same" : "differ");
}

static void print_text(const struct comparison *list, FILE *stream)
{
    int width = (int)strlen("dataset");
    double worst = 0;
    for (size_t n = 0; n < list->count; n++) {
        int length = (int)strlen(list->entry[n].path);
        width = length > width ? length : width;
        worst = fmax(worst, list->entry[n].error);
    }
    fprintf(stream, "A  %s\nB  %s (reference of the error)\n\n", list->path_a, list->path_b);
    fprintf(stream, "  %-*s %-14s %10s %7s %10s %-14s %12s %-14s %s\n", width, "dataset", "shape", "error", "dB",
            "largest", "at", "correlation", "first differs", "bits");
    for (size_t n = 0; n < list->count; n++) {
        print_row(&list->entry[n], width, stream);
    }
    size_t different = count_different(list);
    fprintf(stream, "\n");
    if (all_identical(list)) {
        fprintf(stream, "identical: %zu datasets, every bit\n", list->count);
    } else if (different == 0) {
        fprintf(stream, "within %g: %zu datasets, largest error %.3e\n", list->max_error, list->count, worst);
    } else if (list->max_error > 0) {
        fprintf(stream, "DIFFERENT: %zu of %zu datasets (*) by more than %g\n", different, list->count,
                list->max_error);
    } else {
        fprintf(stream, "DIFFERENT: %zu of %zu datasets (*) do not have the same bits\n", different, list->count);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Where: an array of indices, or null. */
static void print_place(const char *name, const pw_difference *difference, uint64_t flat, FILE *stream)
{
    char text[TUPLE_SIZE];
    fprintf(stream, ", \"%s\": %s", name, difference->any_difference ? tuple_at(difference, flat, text) : "null");
}

static void print_object(const pw_difference *difference, FILE *stream)
{
    char text[TUPLE_SIZE];
    pw_json_write(stream, "    {\"path\": %s", difference->path);
    fprintf(stream, ", \"different\": %s", difference->different ? "true" : "false");
    if (difference->obstacle != PW_OBSTACLE_NONE) {
        fprintf(stream, ", \"obstacle\": \"%s\"}", obstacle_sentence(difference->obstacle));
        return;
    }
    fprintf(stream, ", \"shape\": %s, \"identical\": %s", tuple(difference->extent, difference->rank, text),
            difference->identical ? "true" : "false");
    pw_json_write(stream, ", \"error\": %g, \"error_db\": %g, \"largest_difference\": %g", difference->error,
                  difference->error > 0 ? 20 * log10(difference->error) : -INFINITY, difference->largest);
    print_place("largest_difference_at", difference, difference->largest_at, stream);
    pw_json_write(stream, ", \"correlation\": %g", difference->correlation);
    print_place("first_difference_at", difference, difference->first_at, stream);
    fputs("}", stream);
}

static void print_json(const struct comparison *list, FILE *stream)
{
    size_t different = count_different(list);
    pw_json_write(stream,
                  "{\n  \"a\": %s,\n  \"b\": %s,\n  \"max_error\": %g,\n  \"verdict\": %s,\n  \"different\": %zu,\n"
                  "  \"datasets\": [\n",
                  list->path_a, list->path_b, list->max_error,
                  different > 0         ? "different"
                  : all_identical(list) ? "identical"
                                        : "within",
                  different);
    for (size_t n = 0; n < list->count; n++) {
        print_object(&list->entry[n], stream);
        fputs(n + 1 < list->count ? ",\n" : "\n", stream);
    }
    fputs("  ]\n}\n", stream);
}

pw_status pw_comparison_print(const pw_comparison *comparison, bool json, FILE *stream, pw_error *error)
{
    FAIL_IF(comparison == NULL || stream == NULL, error, PW_USAGE, "pw_comparison_print: no %s given",
            comparison == NULL ? "comparison" : "stream");
    (json ? print_json : print_text)(comparison, stream);
    return ferror(stream) != 0 ? fail(error, PW_NO_RESOURCE, "cannot write the comparison") : PW_OK;
}

pw_status pw_compare(const char *path_a, const char *path_b, double max_error, bool json, FILE *stream, pw_error *error)
{
    pw_comparison *comparison = NULL;
    TRY(pw_comparison_create(path_a, path_b, max_error, NULL, &comparison, error));
    pw_status status = pw_comparison_print(comparison, json, stream, error);
    bool different = pw_comparison_differs(comparison);
    pw_comparison_free(comparison);
    FAIL_IF(status == PW_OK && different, error, PW_DIFFERENT, "'%s' and '%s' differ by more than allowed", path_a,
            path_b);
    return status;
}
