/* The resolved scenario as YAML text: every default written out, every number with the fewest digits that read back to
 * the same bits. Loading the text gives the same scenario, and that scenario the same text. Comments and the layout of
 * the user are not kept. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "problem/stencil.h"
#include "scenario/antenna/antenna_array.h"
#include "scenario/antenna/antenna_choice.h"
#include "scenario/text/text_parts.h"

/* Zero is what the set-up has still to choose. */
static void write_chosen(FILE *out, const char *before, double value, pw_dimension dimension)
{
    if (value == 0) {
        fprintf(out, "%sauto", before);
    } else {
        write_quantity(out, before, value, dimension);
    }
}

static void write_symmetry(FILE *out, const struct grid_choice *grid)
{
    const char *before = "  symmetry: [";
    for (int a = 0; a < 3; a++) {
        if (grid->symmetric[a]) {
            fprintf(out, "%s%c", before, "xyz"[a]);
            before = ", ";
        }
    }
    fputs(before[0] == ',' ? "]\n" : "", out);
}

/* The ends whose kind is not that of all. */
static void write_sides(FILE *out, const struct grid_choice *grid, int dimensions)
{
    bool any = false;
    for (int s = 0; s < 2 * dimensions; s++) {
        enum absorber_kind kind = absorber_kind_at(&grid->absorber, s / 2, s % 2);
        if (kind != grid->absorber.kind && !(s % 2 == 0 && grid->symmetric[s / 2])) {
            fprintf(out, "%s%s: %s", any ? ", " : ", sides: {", ABSORBER_SIDES[s], absorber_model(kind)->name);
            any = true;
        }
    }
    fputs(any ? "}" : "", out);
}

static void write_absorber(FILE *out, const struct grid_choice *grid, int dimensions)
{
    const struct absorber *absorber = &grid->absorber;
    fprintf(out, "  absorber: {kind: %s", absorber_model(absorber->kind)->name);
    if (absorber->cells > 0) {
        fprintf(out, ", cells: %d", absorber->cells);
        write_quantity(out, ", order: ", absorber->order, PW_DIMENSION_NUMBER);
    }
    if (absorber->cells > 0 && !absorber_has(absorber, ABSORBER_MUR, dimensions)) {
        write_quantity(out, ", reflection: ", absorber->reflection, PW_DIMENSION_NUMBER);
    }
    if (absorber_has(absorber, ABSORBER_CPML, dimensions)) {
        write_quantity(out, ", kappa: ", absorber->kappa, PW_DIMENSION_NUMBER);
        write_quantity(out, ", alpha: ", absorber->alpha,
                       absorber->alpha_in_siemens ? PW_DIMENSION_CONDUCTIVITY : PW_DIMENSION_NUMBER);
    }
    write_sides(out, grid, dimensions);
    fputs("}\n", out);
}

static void write_grid(FILE *out, const struct grid_choice *grid, int dimensions)
{
    fprintf(out, "grid:\n  scheme: %s\n  averaging: %s\n", grid->scheme_open ? "auto" : scheme_name(grid->scheme),
            grid->averaging_open ? "auto" : averaging_rule(grid->averaging)->name);
    if (grid->cells_per_wavelength > 0) {
        write_quantity(out, "  cells_per_wavelength: ", grid->cells_per_wavelength, PW_DIMENSION_NUMBER);
    } else {
        write_chosen(out, "  cell: ", grid->cell, PW_DIMENSION_LENGTH);
    }
    write_chosen(out, "\n  courant: ", grid->courant, PW_DIMENSION_NUMBER);
    fputc('\n', out);
    write_symmetry(out, grid);
    if (grid->half) {
        fputs("  storage: half\n", out);
    }
    write_absorber(out, grid, dimensions);
}

/* Writes the keys that have a meaning for the kind (scenario_choices.c). */
static void write_waveform(FILE *out, const struct waveform_choice *waveform)
{
    const struct waveform_rule *rule = waveform_rule(waveform->kind);
    fprintf(out, "    waveform: {kind: %s", rule->name);
    write_quantity(out, ", amplitude: ", waveform->amplitude, PW_DIMENSION_NUMBER);
    if (rule->file) {
        fputs(", file: ", out);
        write_quoted(out, waveform->file);
    }
    if (rule->frequency) {
        write_quantity(out, ", frequency: ", waveform->frequency, PW_DIMENSION_FREQUENCY);
    }
    if (rule->ramp) {
        write_quantity(out, ", ramp: ", waveform->ramp, PW_DIMENSION_TIME);
    }
    if (rule->width && waveform->width > 0) {
        write_quantity(out, ", width: ", waveform->width, PW_DIMENSION_TIME);
    } else if (rule->width) {
        fputs(", width: auto", out);
    }
    if (rule->delay && isnan(waveform->delay)) {
        fputs(", delay: auto", out);
    } else if (rule->delay) {
        write_quantity(out, ", delay: ", waveform->delay, PW_DIMENSION_TIME);
    }
    fputs("}\n", out);
}

static void write_polarisation(FILE *out, const char *before, const struct scenario *scenario,
                               const struct direction *direction)
{
    fprintf(out, "%spolarisation: ", before);
    if (direction->y == 0 && direction->z == 0 && direction->x == 1) {
        fputc('x', out);
    } else if (direction->x == 0 && direction->z == 0 && direction->y == 1) {
        fputc('y', out);
    } else if (direction->x == 0 && direction->y == 0 && direction->z == 1) {
        fputs(scenario->horizontal ? "loop" : "vertical", out);
    } else {
        write_quantity(out, "[", direction->x, PW_DIMENSION_NUMBER);
        write_quantity(out, ", ", direction->y, PW_DIMENSION_NUMBER);
        if (!scenario->horizontal) {
            write_quantity(out, ", ", direction->z, PW_DIMENSION_NUMBER);
        }
        fputc(']', out);
    }
}

static void write_transmitters(FILE *out, const struct scenario *scenario)
{
    fputs("transmitters:\n", out);
    for (int i = 0; i < scenario->transmitter_count; i++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[i];
        fputs("  - name: ", out);
        write_quoted(out, transmitter->name);
        bool upright = transmitter->to_height != transmitter->height && !isnan(transmitter->height);
        write_place(out, "\n    at: [", transmitter->at, transmitter->height);
        if (transmitter->to.x != transmitter->at.x || transmitter->to.y != transmitter->at.y || upright) {
            write_place(out, "\n    to: [", transmitter->to, transmitter->to_height);
        }
        if ((scenario->dimensions == 3 && transmitter->antenna.kind != ANTENNA_PATTERN) || scenario->horizontal) {
            write_polarisation(out, "\n    ", scenario, &transmitter->polarisation);
        }
        antenna_write(out, "\n    ", scenario, &transmitter->antenna, NULL);
        port_write(out, "\n    ", &transmitter->port);
        if (!transmitter->has_conducted) {
            write_quantity(out, "\n    power: ", transmitter->power, PW_DIMENSION_POWER);
        } else {
            write_quantity(out, "\n    conducted_power: ", transmitter->conducted, PW_DIMENSION_POWER);
        }
        if (transmitter->channel.number > 0) {
            write_quantity(out, "\n    channel: {band: ", transmitter->channel.band, PW_DIMENSION_FREQUENCY);
            fprintf(out, ", number: %d", transmitter->channel.number);
            write_quantity(out, ", width: ", transmitter->channel.width, PW_DIMENSION_FREQUENCY);
            fputc('}', out);
        }
        fprintf(out, "\n    source: %s\n    sampled_at: %s\n", transmitter->source == SOURCE_HARD ? "hard" : "soft",
                transmitter->sampled_at_step_end ? "end" : "midpoint");
        write_waveform(out, &transmitter->waveform);
    }
}

/* Where the receivers of an entry stand. */
static void write_places(FILE *out, const struct plan_choice *plan, const struct receiver_entry *entry)
{
    switch (entry->kind) {
    case RECEIVER_GRID:
        write_place(out, ", grid: {from: [", entry->from, entry->height);
        write_place(out, ", to: [", entry->to, entry->to_height);
        write_quantity(out, ", spacing: ", entry->spacing, PW_DIMENSION_LENGTH);
        fputc('}', out);
        return;
    case RECEIVER_LINE:
        write_place(out, ", from: [", entry->from, entry->height);
        write_place(out, ", to: [", entry->to, entry->to_height);
        if (entry->count > 0) {
            fprintf(out, ", count: %d", entry->count);
        } else {
            write_quantity(out, ", spacing: ", entry->spacing, PW_DIMENSION_LENGTH);
        }
        return;
    case RECEIVER_FILE:
        fputs(", file: ", out);
        write_quoted(out, entry->file);
        if (entry->storey != EVERY_STOREY && plan->storey_count > 0) {
            fputs(", storey: ", out);
            write_quoted(out, plan->storeys[entry->storey].name);
        }
        if (!isnan(entry->height)) {
            write_quantity(out, ", height: ", entry->height, PW_DIMENSION_LENGTH);
        }
        return;
    case RECEIVER_POINT:
        break;
    }
    write_place(out, ", at: [", entry->from, entry->height);
}

/* A point is recorded at every step unless something else is said. */
static void write_receivers(FILE *out, const struct scenario *scenario)
{
    fputs(scenario->receiver_entry_count > 0 ? "receivers:\n" : "receivers: []\n", out);
    for (int i = 0; i < scenario->receiver_entry_count; i++) {
        const struct receiver_entry *entry = &scenario->receiver_entries[i];
        fputs("  - {name: ", out);
        write_quoted(out, entry->name);
        write_places(out, &scenario->plan, entry);
        if ((scenario->dimensions == 3 && entry->antenna.kind != ANTENNA_PATTERN) || scenario->horizontal) {
            write_polarisation(out, ", ", scenario, &entry->polarisation);
        }
        if (scenario->dimensions == 2 || entry->array.rows > 0 || entry->antenna.kind != ANTENNA_HERTZIAN) {
            antenna_write(out, ", ", scenario, &entry->antenna, &entry->array);
        }
        port_write(out, ", ", &entry->port);
        write_quantity(out, ", gain: ", entry->gain, PW_DIMENSION_GAIN);
        if (entry->kind != RECEIVER_POINT || entry->record != RECORD_STEPS) {
            fprintf(out, ", record: %s", receiver_record_name(entry->record));
        }
        fputs("}\n", out);
    }
}

/* Planes, cuts and components of three dimensions, these unless the set-up is yet to choose them. */
static void write_sheets(FILE *out, const struct scenario *scenario)
{
    const struct spectra_choice *spectra = &scenario->spectra;
    const bool vector = scenario->dimensions == 3 || scenario->horizontal;
    for (int n = 0; n < spectra->height_count; n++) {
        write_quantity(out, n == 0 ? "  heights: [" : ", ", spectra->heights[n], PW_DIMENSION_LENGTH);
    }
    fputs(spectra->height_count > 0 ? "]\n" : "", out);
    fputs(spectra->cut_count > 0 ? "  cuts:\n" : "", out);
    for (int n = 0; n < spectra->cut_count; n++) {
        write_point(out, "    - {from: [", spectra->cuts[n].from);
        write_point(out, ", to: [", spectra->cuts[n].to);
        fputs("}\n", out);
    }
    bool usual = spectra->components[2] && !spectra->components[0] && !spectra->components[1];
    const char *before = "  components: [";
    for (int c = 0; c < 3 && !spectra->components_open && (vector || !usual); c++) {
        if (spectra->components[c]) {
            fprintf(out, "%s%s", before, component_word(scenario->horizontal, c));
            before = ", ";
        }
    }
    fputs(before[0] == ',' ? "]\n" : "", out);
}

static void write_spectra(FILE *out, const struct scenario *scenario)
{
    const struct spectra_choice *spectra = &scenario->spectra;
    fprintf(out, "warp: %s\n", spectra->warp ? "on" : "off");
    if (!spectra->enabled) {
        fputs("spectra: off\n", out);
        return;
    }
    fputs("spectra:\n", out);
    write_chosen(out, "  count: ", spectra->count, PW_DIMENSION_NUMBER);
    write_chosen(out, "\n  spacing: ", spectra->spacing, PW_DIMENSION_CELLS);
    fputc('\n', out);
    if (spectra->has_region) {
        write_quantity(out, "  region: [", spectra->from.x, PW_DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->from.y, PW_DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->to.x, PW_DIMENSION_LENGTH);
        write_quantity(out, ", ", spectra->to.y, PW_DIMENSION_LENGTH);
        fputs("]\n", out);
    }
    write_chosen(out, "  every: ", spectra->every, PW_DIMENSION_NUMBER);
    fputc('\n', out);
    write_quantity(out, "  aliasing: ", spectra->aliasing, PW_DIMENSION_RATIO);
    fputc('\n', out);
    write_sheets(out, scenario);
}

static void write_stop(FILE *out, const struct stop_choice *stop)
{
    fputs("stop:\n", out);
    if (stop->after > 0 || stop->steps == 0) {
        write_chosen(out, "  after: ", stop->after, PW_DIMENSION_TIME);
        fputc('\n', out);
    }
    if (stop->steps > 0) {
        fprintf(out, "  steps: %lld\n", (long long)stop->steps);
    }
    if (stop->decay < 0) {
        write_quantity(out, "  decay: ", stop->decay, PW_DIMENSION_RATIO);
        fputc('\n', out);
    } else {
        fprintf(out, "  decay: %s\n", stop->decay_open ? "auto" : "off");
    }
}

static pw_status write_all(const struct scenario *scenario, char **text, pw_error *error)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    FAIL_IF(out == NULL, error, PW_NO_RESOURCE, "no memory for the resolved scenario: %s", strerror(errno));
    fputs("title: ", out);
    write_quoted(out, scenario->title);
    fputc('\n', out);
    if (scenario->material_mode ==
        MATERIALS_CONSTANT) { /* else a row that still has its name needs no fit, and is not fitted again */
        fputs("materials: constant\n", out);
    }
    if (scenario->level_interval > 0) {
        write_quantity(out, "level_interval: ", scenario->level_interval, PW_DIMENSION_RATIO);
        fputc('\n', out);
    }
    if (scenario->dimensions == 3) {
        fputs("dimensions: 3\n", out);
    }
    if (scenario->horizontal) {
        fputs("polarisation: horizontal\n", out);
    }
    if (scenario->accuracy.field > 0) {
        write_quantity(out, "accuracy: ", scenario->accuracy.field, PW_DIMENSION_SHARE);
    } else {
        write_quantity(out, "accuracy: ", scenario->accuracy.decibels, PW_DIMENSION_RATIO);
    }
    fputc('\n', out);
    write_plan(out, &scenario->plan);
    write_grid(out, &scenario->grid, scenario->dimensions);
    write_quantity(out, "band: {centre: ", scenario->band_centre, PW_DIMENSION_FREQUENCY);
    write_quantity(out, ", width: ", scenario->band_width, PW_DIMENSION_FREQUENCY);
    fputs("}\n", out);
    antennas_write(out, scenario);
    write_transmitters(out, scenario);
    write_receivers(out, scenario);
    write_spectra(out, scenario);
    write_stop(out, &scenario->stop);
    return pw_text_close(out, text) ? PW_OK : fail(error, PW_NO_RESOURCE, "no memory for the resolved scenario");
}

pw_status scenario_write(const struct scenario *scenario, char **text, pw_error *error)
{
    *text = NULL;
    pw_plain_numbers numbers;
    TRY(pw_plain_numbers_begin(&numbers, error));
    pw_status status = write_all(scenario, text, error);
    pw_plain_numbers_end(&numbers);
    return status;
}
