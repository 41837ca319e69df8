/* Says what compare.c found: a table for people, JSON for scripts. */
#include "file/json.h"
#include "result/compare.h"

#include <math.h>
#include <string.h>

enum { TUPLE_SIZE = 24 * COMPARE_RANK_LIMIT };

static const char *obstacle_sentence(enum obstacle obstacle)
{
    static const char *const sentences[] = {"", "only in the first file", "only in the second file", "another shape",
                                            "another type of element"};
    return sentences[obstacle];
}

/* Flat index as indices, the last dimension fastest. */
static void unflatten(const struct verdict *verdict, uint64_t flat, uint64_t *index)
{
    for (int r = verdict->rank - 1; r >= 0; r--) {
        index[r] = flat % verdict->extent[r];
        flat /= verdict->extent[r];
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

static const char *tuple_at(const struct verdict *verdict, uint64_t flat, char *text)
{
    uint64_t index[COMPARE_RANK_LIMIT];
    if (!verdict->any_difference) {
        return strcpy(text, "-");
    }
    unflatten(verdict, flat, index);
    return tuple(index, verdict->rank, text);
}

static size_t count_different(const struct verdicts *list)
{
    size_t count = 0;
    for (size_t n = 0; n < list->count; n++) {
        count += list->entry[n].different ? 1 : 0;
    }
    return count;
}

static bool all_identical(const struct verdicts *list)
{
    bool identical = true;
    for (size_t n = 0; n < list->count; n++) {
        identical = identical && list->entry[n].identical;
    }
    return identical;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_row(const struct verdict *verdict, int width, FILE *stream)
{
    char shape[TUPLE_SIZE], largest[TUPLE_SIZE], first[TUPLE_SIZE], decibels[16] = "-", correlation[16] = "-";
    fprintf(stream, "%c %-*s ", verdict->different ? '*' : ' ', width, verdict->path);
    if (verdict->obstacle != OBSTACLE_NONE) {
        fprintf(stream, "%s\n", obstacle_sentence(verdict->obstacle));
        return;
    }
    if (verdict->error > 0 && isfinite(verdict->error)) {
        snprintf(decibels, sizeof decibels, "%.1f", 20 * log10(verdict->error));
    }
    if (!isnan(verdict->correlation)) {
        snprintf(correlation, sizeof correlation, "%.9f", verdict->correlation);
    }
    fprintf(stream, "%-14s %10.3e %7s %10.3e %-14s %12s %-14s %s\n", tuple(verdict->extent, verdict->rank, shape),
            verdict->error, decibels, verdict->largest, tuple_at(verdict, verdict->largest_at, largest), correlation,
            tuple_at(verdict, verdict->first_at, first), verdict->identical ? "same" : "differ");
}

void compare_print_text(const struct verdicts *list, FILE *stream)
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
        fprintf(stream, "DIFFERENT: %zu of %zu datasets (*) are not bit for bit the same\n", different, list->count);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void print_field(const char *name, double value, FILE *stream)
{
    fprintf(stream, ", \"%s\": ", name);
    json_number(stream, value);
}

/* Where: an array of indices, or null. */
static void print_place(const char *name, const struct verdict *verdict, uint64_t flat, FILE *stream)
{
    char text[TUPLE_SIZE];
    fprintf(stream, ", \"%s\": %s", name, verdict->any_difference ? tuple_at(verdict, flat, text) : "null");
}

static void print_object(const struct verdict *verdict, FILE *stream)
{
    char text[TUPLE_SIZE];
    fputs("    {\"path\": ", stream);
    json_string(stream, verdict->path, strlen(verdict->path));
    fprintf(stream, ", \"different\": %s", verdict->different ? "true" : "false");
    if (verdict->obstacle != OBSTACLE_NONE) {
        fprintf(stream, ", \"obstacle\": \"%s\"}", obstacle_sentence(verdict->obstacle));
        return;
    }
    fprintf(stream, ", \"shape\": %s, \"identical\": %s", tuple(verdict->extent, verdict->rank, text),
            verdict->identical ? "true" : "false");
    print_field("error", verdict->error, stream);
    print_field("error_db", verdict->error > 0 ? 20 * log10(verdict->error) : -INFINITY, stream);
    print_field("largest_difference", verdict->largest, stream);
    print_place("largest_difference_at", verdict, verdict->largest_at, stream);
    print_field("correlation", verdict->correlation, stream);
    print_place("first_difference_at", verdict, verdict->first_at, stream);
    fputs("}", stream);
}

void compare_print_json(const struct verdicts *list, FILE *stream)
{
    size_t different = count_different(list);
    fputs("{\n  \"a\": ", stream);
    json_string(stream, list->path_a, strlen(list->path_a));
    fputs(",\n  \"b\": ", stream);
    json_string(stream, list->path_b, strlen(list->path_b));
    fputs(",\n  \"max_error\": ", stream);
    json_number(stream, list->max_error);
    fprintf(stream, ",\n  \"verdict\": \"%s\",\n  \"different\": %zu,\n  \"datasets\": [\n",
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
