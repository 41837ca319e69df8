/* Two results compared by what they mean: which transmitters both have, and the verdict. */
#include "map/agreement/agreement.h"

#include <stdarg.h>
#include <string.h>

/* ---- grids ------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void append(char *text, bool differs, const char *format, ...)
{
    size_t used = strlen(text);
    if (differs && used + 2 < PW_AGREEMENT_TEXT) {
        va_list list;
        va_start(list, format);
        used += (size_t)snprintf(text + used, PW_AGREEMENT_TEXT - used, "%s", used > 0 ? "; " : "");
        vsnprintf(text + used, PW_AGREEMENT_TEXT - used, format, list);
        va_end(list);
    }
}

const char *pw_agreement_grids(const pw_result *a, const pw_result *b, char text[PW_AGREEMENT_TEXT])
{
    pw_result_facts f = pw_result_describe(a), g = pw_result_describe(b);
    text[0] = '\0';
    append(text, f.dimensions != g.dimensions, "%d and %d dimensions", f.dimensions, g.dimensions);
    append(text, f.cell != g.cell, "cell %g mm and %g mm", f.cell * 1e3, g.cell * 1e3);
    append(text, strcmp(f.scheme, g.scheme) != 0, "scheme %s and %s", f.scheme, g.scheme);
    append(text, f.time_step != g.time_step, "time step %.6g ps and %.6g ps", f.time_step * 1e12, g.time_step * 1e12);
    append(text, f.nx != g.nx || f.ny != g.ny || f.nz != g.nz, "%d x %d x %d and %d x %d x %d cells", f.nx, f.ny, f.nz,
           g.nx, g.ny, g.nz);
    append(text, f.origin_x != g.origin_x || f.origin_y != g.origin_y || f.origin_z != g.origin_z,
           "grids that begin at other places");
    return text;
}

/* ---- two results ------------------------------------------------------------------------------------------------- */

static pw_status compare_transmitter(struct agreement *agreement, pw_result *const results[2], int first,
                                     pw_error *error)
{
    pw_transmitter facts;
    int numbers[2] = {first, -1};
    TRY(pw_result_transmitter(results[0], first, &facts, error));
    bool shared = pw_result_find_transmitter(results[1], facts.name, &numbers[1], NULL) == PW_OK;
    if (!shared) {
        return agreement_skip(agreement, "transmitter", facts.name, true, error, "only in the first file");
    }
    pw_transmitter other;
    TRY(pw_result_transmitter(results[1], numbers[1], &other, error));
    if (facts.hard_source || other.hard_source) {
        return agreement_skip(agreement, "transmitter", facts.name, facts.hard_source != other.hard_source, error,
                              "a hard source, whose current is not known, has no channels");
    }
    const pw_result *const readable[2] = {results[0], results[1]};
    TRY(agreement_links(agreement, readable, numbers, error));
    if (facts.spectra_rows > 0 && other.spectra_rows > 0) {
        return agreement_maps(agreement, results, facts.name, error);
    }
    bool neither = facts.spectra_rows == 0 && other.spectra_rows == 0;
    return agreement_skip(agreement, "maps", facts.name, !neither, error, "%s no running spectra of the floor",
                          neither                   ? "both files have"
                          : facts.spectra_rows == 0 ? "the first file has"
                                                    : "the second file has");
}

static pw_status compare_results(struct agreement *agreement, pw_result *const results[2], const pw_monitor *monitor,
                                 pw_error *error)
{
    pw_result_facts facts[2] = {pw_result_describe(results[0]), pw_result_describe(results[1])};
    agreement->flat[0] = facts[0].dimensions == 2;
    agreement->flat[1] = facts[1].dimensions == 2;
    pw_agreement_grids(results[0], results[1], agreement->grids);
    if (facts[0].horizontal != facts[1].horizontal && agreement->flat[0] && agreement->flat[1]) {
        return agreement_skip(agreement, "everything", "all links", true, error,
                              "one result has vertical polarisation, the other horizontal");
    }
    for (int t = 0; t < facts[0].transmitter_count; t++) {
        TRY(monitor_tell(monitor, (double)t / facts[0].transmitter_count, error));
        TRY(compare_transmitter(agreement, results, t, error));
    }
    for (int t = 0; t < facts[1].transmitter_count; t++) {
        pw_transmitter transmitter;
        int found;
        TRY(pw_result_transmitter(results[1], t, &transmitter, error));
        if (pw_result_find_transmitter(results[0], transmitter.name, &found, NULL) != PW_OK) {
            TRY(agreement_skip(agreement, "transmitter", transmitter.name, true, error, "only in the second file"));
        }
    }
    return monitor_tell(monitor, 1.0, error);
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

pw_status pw_agreement_create(const char *path_a, const char *path_b, const pw_channel_options *options,
                              double max_error, double max_db, const pw_monitor *monitor, pw_agreement **agreement,
                              pw_error *error)
{
    FAIL_IF(path_a == NULL || path_b == NULL || agreement == NULL, error, PW_USAGE,
            "pw_agreement_create: two paths and a place for the agreement must be given");
    *agreement = NULL;
    FAIL_IF(max_error < 0 || max_db < 0, error, PW_USAGE,
            "pw_agreement_create: the largest error is %g and %g dB; they must be 0 or more", max_error, max_db);
    struct agreement *made = allocate(1, sizeof *made, "an agreement", error);
    TRY_MADE(made);
    *made = (struct agreement){
        .path_a = strdup(path_a), .path_b = strdup(path_b), .max_error = max_error, .max_db = max_db};
    made->options = options != NULL ? *options : pw_channel_options_default();
    pw_result *results[2] = {NULL, NULL};
    pw_status status = made->path_a != NULL && made->path_b != NULL
                           ? pw_result_open(path_a, &results[0], error)
                           : fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    if (status == PW_OK) {
        status = pw_result_open(path_b, &results[1], error);
    }
    if (status == PW_OK) {
        status = compare_results(made, results, monitor, error);
    }
    pw_result_close(results[0]);
    pw_result_close(results[1]);
    if (status != PW_OK) {
        pw_agreement_free(made);
        return status;
    }
    *agreement = made;
    return PW_OK;
}

void pw_agreement_free(pw_agreement *agreement)
{
    if (agreement != NULL) {
        FREE_ALL(agreement->path_a, agreement->path_b, agreement->row, agreement->transfer.values,
                 agreement->profile.values, agreement->image.values, agreement);
    }
}

size_t pw_agreement_count(const pw_agreement *agreement)
{
    return agreement->count;
}

const pw_agreement_row *pw_agreement_at(const pw_agreement *agreement, size_t index)
{
    return index < agreement->count ? &agreement->row[index] : NULL;
}

bool pw_agreement_differs(const pw_agreement *agreement)
{
    bool different = false;
    for (size_t n = 0; n < agreement->count; n++) {
        different = different || agreement->row[n].different;
    }
    return different;
}
