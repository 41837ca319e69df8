/* Materials whose permittivity is known over the band, as poles: rows of the table, with `materials: auto` those that
 * constant values would miss by far, and what was measured, from a CSV (physics.md section 10). What was fitted becomes
 * a material of own values, so that the text of the scenario holds its poles and the error of the fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/file/atomic_file.h"
#include "base/status.h"
#include "problem/poles/pole_fit.h"
#include "scenario/material_table.h"
#include "scenario/scenario_read.h"

enum { MEASURED_LIMIT = 10000, LINE_LENGTH = 1000 };

static const double LARGEST_PERMITTIVITY = 1e4, LARGEST_FREQUENCY = 1e16; /* Hz */

struct fit_job {
    const struct scenario *scenario;
    const char *folder;
    double low, high;                                   /* Hz: the band */
    struct material_choice known[MATERIAL_NAMES_LIMIT]; /* rows that are fitted already */
    int known_count;
};

static double loss_of(double conductivity, double frequency)
{
    return conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY);
}

static void take_fit(const struct pole_fit *fit, struct material_choice *material)
{
    material->own_values = true;
    material->relative_permittivity = fit->relative_permittivity;
    material->conductivity = fit->conductivity;
    material->pole_count = fit->pole_count;
    memcpy(material->poles, fit->poles, sizeof material->poles);
    material->fit_error = fit->error;
}

/* ---- rows of the table ------------------------------------------------------------------------------------------- */

/* Whether constant values are too far off. Outside of its range a row is a guess, which is not worth poles. */
static bool row_moves(const struct material_row *row, const double band[2])
{
    return band[0] > 0 && band[1] > band[0] && material_row_covers(row, 1e-9 * band[0]) &&
           material_row_covers(row, 1e-9 * band[1]) && material_row_constant_error(row, band) > CONSTANT_ENOUGH;
}

static pw_status row_fit(struct fit_job *job, struct material_choice *material, pw_error *error)
{
    for (int k = 0; k < job->known_count; k++) {
        if (strcmp(job->known[k].name, material->name) == 0) {
            *material = job->known[k];
            return PW_OK;
        }
    }
    const double band[2] = {job->low, job->high};
    const struct material_row *row = material_row_find(material->name, 0.5e-9 * (job->low + job->high));
    if (job->scenario->material_mode == MATERIALS_AUTO && !row_moves(row, band)) {
        return PW_OK;
    }
    FAIL_IF(!material_row_covers(row, 1e-9 * job->low) || !material_row_covers(row, 1e-9 * job->high), error,
            PW_BAD_INPUT,
            "%s: materials: fitted: '%s' is known from %g to %g GHz (" MATERIAL_REVISION
            "), and the band is %g to %g GHz: use a material of own values, or materials: constant",
            job->scenario->file, row->name, row->low, row->high, 1e-9 * job->low, 1e-9 * job->high);
    struct pole_fit fit;
    TRY(material_row_fit(row, band, &fit, error));
    take_fit(&fit, material);
    if (job->known_count < MATERIAL_NAMES_LIMIT) {
        job->known[job->known_count++] = *material;
    }
    return PW_OK;
}

/* ---- what was measured ------------------------------------------------------------------------------------------- */

/* A CSV being read. */
struct measured_file {
    const struct node *node; /* that names it */
    FILE *stream;
    int line;
    bool conductivity;                   /* the third column is a conductivity in S/m, else the loss -Im eps */
    struct permittivity_sample *samples; /* (MEASURED_LIMIT), owned */
    int count;
};

/* A line "frequency, relative_permittivity, loss"; `samples` have room for it. */
static pw_status sample_parse(struct measured_file *file, char *text, pw_error *error)
{
    double value[3];
    char *at = text;
    for (int column = 0; column < 3; column++) {
        char *end = at;
        value[column] = strtod(at, &end);
        at = end + strspn(end, " \t");
        bool last = column == 2;
        NODE_FAIL_IF(end == text || !isfinite(value[column]) || (!last && *at != ',') || (last && *at != '\0'),
                     file->node, error,
                     "line %d of the CSV is not three numbers 'frequency, relative_permittivity, %s'", file->line,
                     file->conductivity ? "conductivity" : "loss");
        at += !last;
    }
    struct permittivity_sample *sample = &file->samples[file->count];
    *sample = (struct permittivity_sample){
        value[0], {value[1], file->conductivity && value[0] > 0 ? loss_of(value[2], value[0]) : value[2]}};
    NODE_FAIL_IF(!(value[0] > 0 && value[0] < LARGEST_FREQUENCY) ||
                     !(value[1] >= 1 && value[1] <= LARGEST_PERMITTIVITY) || !(value[2] >= 0),
                 file->node, error,
                 "line %d of the CSV: frequency %g Hz must be above 0, relative permittivity %g at least 1 and %s "
                 "%g not below 0 (that would be a gain)",
                 file->line, value[0], value[1], file->conductivity ? "conductivity" : "loss", value[2]);
    NODE_FAIL_IF(file->count > 0 && !(sample->frequency > file->samples[file->count - 1].frequency), file->node, error,
                 "line %d of the CSV: frequencies must ascend, and %g Hz does not", file->line, value[0]);
    file->count++;
    return PW_OK;
}

/* A header names the third column; comments begin with '#'. */
static pw_status line_take(struct measured_file *file, char *text, pw_error *error)
{
    text[strcspn(text, "\r\n#")] = '\0';
    text = pw_line_begin(text);
    for (size_t end = strlen(text); end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'); end--) {
        text[end - 1] = '\0';
    }
    if (*text == '\0') {
        return PW_OK;
    }
    if (file->count == 0 && strncmp(text, "frequency", 9) == 0) {
        file->conductivity = strstr(text, "conductivity") != NULL;
        return PW_OK;
    }
    NODE_FAIL_IF(file->count == MEASURED_LIMIT, file->node, error, "the CSV has more than %d lines of values",
                 MEASURED_LIMIT);
    return sample_parse(file, text, error);
}

static pw_status file_read(struct measured_file *file, pw_error *error)
{
    char text[LINE_LENGTH];
    while (fgets(text, sizeof text, file->stream) != NULL) {
        file->line++;
        NODE_FAIL_IF(!pw_line_is_whole(text, file->stream), file->node, error,
                     "line %d of the CSV is longer than %d letters", file->line, LINE_LENGTH - 2);
        TRY(line_take(file, text, error));
    }
    NODE_FAIL_IF(ferror(file->stream), file->node, error, "cannot be read");
    return file->count > 0
               ? PW_OK
               : node_fail(file->node, error,
                           "the CSV is empty: it needs lines 'frequency [Hz], relative_permittivity, loss'");
}

/* The samples within the band, with the next one on each side. */
static pw_status samples_fit(const struct fit_job *job, const struct measured_file *file,
                             struct material_choice *material, pw_error *error)
{
    int first = 0, last = file->count - 1;
    double slack = 1e-6;
    NODE_FAIL_IF(file->samples[0].frequency > job->low * (1 + slack) ||
                     file->samples[last].frequency < job->high * (1 - slack),
                 file->node, error, "the CSV goes from %g to %g Hz and must cover the band, %g to %g Hz",
                 file->samples[0].frequency, file->samples[last].frequency, job->low, job->high);
    while (first < last && file->samples[first + 1].frequency <= job->low) {
        first++;
    }
    while (last > first && file->samples[last - 1].frequency >= job->high) {
        last--;
    }
    struct pole_fit fit;
    TRY(pole_fit(file->samples + first, last - first + 1, FIT_ENOUGH, &fit, error));
    take_fit(&fit, material);
    return PW_OK;
}

static pw_status measured_fit(const struct fit_job *job, struct material_choice *material, pw_error *error)
{
    struct measured_file file = {.node = material->measured};
    char *path = strdup(material->measured->text);
    material->measured = NULL;
    file.samples = allocate(MEASURED_LIMIT, sizeof *file.samples, "a measured material", error);
    pw_status status = path != NULL && file.samples != NULL ? path_resolve(job->folder, &path, error) : PW_NO_RESOURCE;
    THEN(status, input_file_look(path, error));
    if (status == PW_OK) {
        file.stream = fopen(path, "r");
        status = file.stream != NULL ? file_read(&file, error) : node_fail(file.node, error, "cannot open '%s'", path);
    }
    THEN(status, samples_fit(job, &file, material, error));
    if (file.stream != NULL) {
        fclose(file.stream);
    }
    FREE_ALL(file.samples, path);
    return status;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static pw_status choice_fit(struct fit_job *job, struct material_choice *material, pw_error *error)
{
    if (material->measured != NULL) {
        return measured_fit(job, material, error);
    }
    bool row = !material->own_values && !material->perfect_conductor && strcmp(material->name, "air") != 0;
    bool fitted = job->scenario->material_mode != MATERIALS_CONSTANT && row && material->name[0] != '\0';
    return fitted ? row_fit(job, material, error) : PW_OK;
}

pw_status materials_fit(struct scenario *scenario, const char *folder, pw_error *error)
{
    struct plan_choice *plan = &scenario->plan;
    struct fit_job job = {.scenario = scenario,
                          .folder = folder,
                          .low = scenario->band_centre - 0.5 * scenario->band_width,
                          .high = scenario->band_centre + 0.5 * scenario->band_width};
    for (int n = 0; n < plan->legend_count; n++) {
        TRY(choice_fit(&job, &plan->legend[n].material, error));
    }
    for (int n = 0; n < plan->shape_count; n++) {
        TRY(choice_fit(&job, &plan->shapes[n].material, error));
    }
    for (int n = 0; n < plan->storey_count; n++) {
        TRY(choice_fit(&job, &plan->storeys[n].floor.material, error));
        TRY(choice_fit(&job, &plan->storeys[n].ceiling.material, error));
    }
    for (int n = 0; n < plan->clutter_count; n++) {
        for (int m = 0; m < plan->clutter[n].material_count; m++) {
            TRY(choice_fit(&job, &plan->clutter[n].materials[m], error));
        }
    }
    return PW_OK;
}
