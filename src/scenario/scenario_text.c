/* The resolved scenario as YAML text: every default written out, every number with the fewest digits that read back to
 * the same bits. Loading the text gives the same scenario, and that scenario the same text. Comments and the layout of
 * the user are not kept. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/stencil.h"
#include "scenario/scenario_read.h"

static void write_quantity(FILE *out, const char *before, double value, enum dimension dimension)
{
    char text[QUANTITY_SIZE];
    fprintf(out, "%s%s", before, quantity_format(value, dimension, text));
}

/* In double quotes; bytes above 127 are UTF-8 and stay. */
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\x%02x", *at);
        } else if (at[0] == 0xc2 &&
                   (at[1] >= 0x80 && at[1] <= 0x9f)) { /* C1 control characters are not printable in YAML */
            fprintf(out, "\\x%02x", *++at);
        } else if (at[0] == 0xe2 && at[1] == 0x80 &&
                   (at[2] == 0xa8 || at[2] == 0xa9)) { /* line and paragraph separator */
            fprintf(out, "\\u20%02x", at[2] - 0x80);
            at += 2;
        } else if (at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf) { /* byte order mark */
            fputs("\\ufeff", out);
            at += 2;
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

/* Zero is what the set-up has still to choose. */
static void write_chosen(FILE *out, const char *before, double value, enum dimension dimension)
{
    if (value == 0) {
        fprintf(out, "%sauto", before);
    } else {
        write_quantity(out, before, value, dimension);
    }
}

static void write_point(FILE *out, const char *before, struct point point)
{
    write_quantity(out, before, point.x, DIMENSION_LENGTH);
    write_quantity(out, ", ", point.y, DIMENSION_LENGTH);
    fputc(']', out);
}

static void write_material(FILE *out, const struct material_choice *material)
{
    if (!material->own_values) {
        fputs(material->name, out);
        return;
    }
    char described[NAME_SIZE];
    material_describe(material, described);
    fputc('{', out);
    if (strcmp(described, material->name) != 0) {
        fputs("name: ", out);
        write_quoted(out, material->name);
        fputs(", ", out);
    }
    if (material->perfect_conductor) {
        fputs("perfect_conductor: true}", out);
        return;
    }
    write_quantity(out, "relative_permittivity: ", material->relative_permittivity, DIMENSION_NUMBER);
    write_quantity(out, ", conductivity: ", material->conductivity, DIMENSION_CONDUCTIVITY);
    fputc('}', out);
}

static void write_shape(FILE *out, const struct shape *shape)
{
    switch (shape->kind) {
    case SHAPE_POLYGON:
        fputs("    - {points: [", out);
        for (int i = 0; i < shape->point_count; i++) {
            write_point(out, i > 0 ? ", [" : "[", shape->points[i]);
        }
        fputc(']', out);
        break;
    case SHAPE_CIRCLE:
        write_point(out, "    - {centre: [", shape->points[0]);
        write_quantity(out, ", radius: ", shape->radius, DIMENSION_LENGTH);
        break;
    default:
        write_point(out, "    - {from: [", shape->points[0]);
        write_point(out, ", to: [", shape->points[1]);
        if (shape->kind == SHAPE_WALL) {
            write_quantity(out, ", thickness: ", shape->thickness, DIMENSION_LENGTH);
        }
        break;
    }
    if (shape->kind != SHAPE_OPENING) {
        fputs(", material: ", out);
        write_material(out, &shape->material);
    }
    fputs("}\n", out);
}

static void write_plan(FILE *out, const struct plan_choice *plan)
{
    fputs("plan:\n", out);
    if (plan->image != NULL) {
        fputs("  image: ", out);
        write_quoted(out, plan->image);
        write_quantity(out, "\n  pixel: ", plan->pixel, DIMENSION_LENGTH);
        fprintf(out, "\n  tolerance: %d\n  legend:\n", plan->tolerance);
        for (int i = 0; i < plan->legend_count; i++) {
            const struct legend_entry *entry = &plan->legend[i];
            fprintf(out, "    \"#%02x%02x%02x\": ", entry->red, entry->green, entry->blue);
            write_material(out, &entry->material);
            fputc('\n', out);
        }
    }
    if (plan->width > 0) {
        write_point(out, "  size: [", (struct point){plan->width, plan->height});
        fputc('\n', out);
    }
    for (int i = 0; i < plan->shape_count; i++) {
        if (i == 0 || plan->shapes[i].kind != plan->shapes[i - 1].kind) {
            fprintf(out, "  %s:\n", shape_list_key(plan->shapes[i].kind));
        }
        write_shape(out, &plan->shapes[i]);
    }
}

static void write_grid(FILE *out, const struct grid_choice *grid)
{
    fprintf(out, "grid:\n  scheme: %s\n  averaging: %s\n", grid->scheme_open ? "auto" : scheme_name(grid->scheme),
            grid->averaging_open ? "auto" : averaging_rule(grid->averaging)->name);
    if (grid->cells_per_wavelength > 0) {
        write_quantity(out, "  cells_per_wavelength: ", grid->cells_per_wavelength, DIMENSION_NUMBER);
    } else {
        write_chosen(out, "  cell: ", grid->cell, DIMENSION_LENGTH);
    }
    write_chosen(out, "\n  courant: ", grid->courant, DIMENSION_NUMBER);
    const struct absorber_model *absorber = absorber_model(grid->absorber.kind);
    fprintf(out, "\n  absorber: {kind: %s", absorber->name);
    if (!absorber->layered) {
        fputs("}\n", out);
        return;
    }
    fprintf(out, ", cells: %d", grid->absorber.cells);
    write_quantity(out, ", order: ", grid->absorber.order, DIMENSION_NUMBER);
    write_quantity(out, ", reflection: ", grid->absorber.reflection, DIMENSION_NUMBER);
    fputs("}\n", out);
}

/* Writes the keys that have a meaning for the kind (scenario_choices.c). */
static void write_waveform(FILE *out, const struct waveform_choice *waveform)
{
    const struct waveform_rule *rule = waveform_rule(waveform->kind);
    fprintf(out, "    waveform: {kind: %s", rule->name);
    write_quantity(out, ", amplitude: ", waveform->amplitude, DIMENSION_NUMBER);
    if (rule->file) {
        fputs(", file: ", out);
        write_quoted(out, waveform->file);
    }
    if (rule->frequency) {
        write_quantity(out, ", frequency: ", waveform->frequency, DIMENSION_FREQUENCY);
    }
    if (rule->ramp) {
        write_quantity(out, ", ramp: ", waveform->ramp, DIMENSION_TIME);
    }
    if (rule->width && waveform->width > 0) {
        write_quantity(out, ", width: ", waveform->width, DIMENSION_TIME);
    } else if (rule->width) {
        fputs(", width: auto", out);
    }
    if (rule->delay && isnan(waveform->delay)) {
        fputs(", delay: auto", out);
    } else if (rule->delay) {
        write_quantity(out, ", delay: ", waveform->delay, DIMENSION_TIME);
    }
    fputs("}\n", out);
}

static void write_transmitters(FILE *out, const struct scenario *scenario)
{
    fputs("transmitters:\n", out);
    for (int i = 0; i < scenario->transmitter_count; i++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[i];
        fputs("  - name: ", out);
        write_quoted(out, transmitter->name);
        write_point(out, "\n    at: [", transmitter->at);
        if (transmitter->to.x != transmitter->at.x || transmitter->to.y != transmitter->at.y) {
            write_point(out, "\n    to: [", transmitter->to);
        }
        write_quantity(out, "\n    power: ", transmitter->power, DIMENSION_POWER);
        fprintf(out, "\n    source: %s\n    sampled_at: %s\n", transmitter->source == SOURCE_HARD ? "hard" : "soft",
                transmitter->sampled_at_step_end ? "end" : "midpoint");
        write_waveform(out, &transmitter->waveform);
    }
}

/* Where the receivers of an entry stand. */
static void write_places(FILE *out, const struct receiver_entry *entry)
{
    switch (entry->kind) {
    case RECEIVER_GRID:
        write_point(out, ", grid: {from: [", entry->from);
        write_point(out, ", to: [", entry->to);
        write_quantity(out, ", spacing: ", entry->spacing, DIMENSION_LENGTH);
        fputc('}', out);
        return;
    case RECEIVER_LINE:
        write_point(out, ", from: [", entry->from);
        write_point(out, ", to: [", entry->to);
        if (entry->count > 0) {
            fprintf(out, ", count: %d", entry->count);
        } else {
            write_quantity(out, ", spacing: ", entry->spacing, DIMENSION_LENGTH);
        }
        return;
    case RECEIVER_FILE:
        fputs(", file: ", out);
        write_quoted(out, entry->file);
        return;
    case RECEIVER_POINT:
        break;
    }
    write_point(out, ", at: [", entry->from);
}

/* A point is recorded at every step unless something else is said. */
static void write_receivers(FILE *out, const struct scenario *scenario)
{
    fputs(scenario->receiver_entry_count > 0 ? "receivers:\n" : "receivers: []\n", out);
    for (int i = 0; i < scenario->receiver_entry_count; i++) {
        const struct receiver_entry *entry = &scenario->receiver_entries[i];
        fputs("  - {name: ", out);
        write_quoted(out, entry->name);
        write_places(out, entry);
        write_quantity(out, ", gain: ", entry->gain, DIMENSION_GAIN);
        if (entry->kind != RECEIVER_POINT || entry->record != RECORD_STEPS) {
            fprintf(out, ", record: %s", receiver_record_name(entry->record));
        }
        fputs("}\n", out);
    }
}

static void write_spectra(FILE *out, const struct spectra_choice *spectra)
{
    fprintf(out, "warp: %s\n", spectra->warp ? "on" : "off");
    if (!spectra->enabled) {
        fputs("spectra: off\n", out);
        return;
    }
    fputs("spectra:\n", out);
    write_chosen(out, "  count: ", spectra->count, DIMENSION_NUMBER);
    write_chosen(out, "\n  spacing: ", spectra->spacing, DIMENSION_CELLS);
    fputc('\n', out);
    if (spectra->has_region) {
        write_quantity(out, "  region: [", spectra->from.x, DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->from.y, DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->to.x, DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->to.y, DIMENSION_LENGTH);
        fputs("]\n", out);
    }
    write_chosen(out, "  every: ", spectra->every, DIMENSION_NUMBER);
    fputc('\n', out);
    write_quantity(out, "  aliasing: ", spectra->aliasing, DIMENSION_RATIO);
    fputc('\n', out);
}

static void write_stop(FILE *out, const struct stop_choice *stop)
{
    fputs("stop:\n", out);
    if (stop->after > 0 || stop->steps == 0) {
        write_chosen(out, "  after: ", stop->after, DIMENSION_TIME);
        fputc('\n', out);
    }
    if (stop->steps > 0) {
        fprintf(out, "  steps: %lld\n", (long long)stop->steps);
    }
    if (stop->decay < 0) {
        write_quantity(out, "  decay: ", stop->decay, DIMENSION_RATIO);
        fputc('\n', out);
    } else {
        fprintf(out, "  decay: %s\n", stop->decay_open ? "auto" : "off");
    }
}

static pw_status write_all(const struct scenario *scenario, char **text, pw_error *error)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (out == NULL) {
        return fail(error, PW_NO_RESOURCE, "no memory for the resolved scenario: %s", strerror(errno));
    }
    fputs("title: ", out);
    write_quoted(out, scenario->title);
    fputc('\n', out);
    if (scenario->accuracy.field > 0) {
        write_quantity(out, "accuracy: ", scenario->accuracy.field, DIMENSION_SHARE);
    } else {
        write_quantity(out, "accuracy: ", scenario->accuracy.decibels, DIMENSION_RATIO);
    }
    fputc('\n', out);
    write_plan(out, &scenario->plan);
    write_grid(out, &scenario->grid);
    write_quantity(out, "band: {centre: ", scenario->band_centre, DIMENSION_FREQUENCY);
    write_quantity(out, ", width: ", scenario->band_width, DIMENSION_FREQUENCY);
    fputs("}\n", out);
    write_transmitters(out, scenario);
    write_receivers(out, scenario);
    write_spectra(out, &scenario->spectra);
    write_stop(out, &scenario->stop);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(*text);
        *text = NULL;
        return fail(error, PW_NO_RESOURCE, "no memory for the resolved scenario");
    }
    return PW_OK;
}

/* Numbers have a decimal point whatever the locale of the program that uses this library. */
pw_status scenario_write(const struct scenario *scenario, char **text, pw_error *error)
{
    *text = NULL;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return fail(error, PW_NO_RESOURCE, "no memory for the resolved scenario");
    }
    locale_t before = uselocale(plain);
    pw_status status = write_all(scenario, text, error);
    uselocale(before);
    freelocale(plain);
    return status;
}
