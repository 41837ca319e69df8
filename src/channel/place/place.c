/* Finds where the field of a receiver or a point stands in a result, and reads it (place.h). */
#include "channel/place/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool place_has(const struct place *place, int component)
{
    return place->part[component].sheet >= 0;
}

/* Checks that every component that is received was kept. */
static pw_status place_check(const struct result *result, const struct place *place, pw_error *error)
{
    for (int c = 0; c < 3; c++) {
        FAIL_IF(place->along[c] != 0.0 && !place_has(place, c), error, PW_BAD_INPUT,
                "%s: '%s' takes in the field along (%g, %g, %g), but %s was not kept%s", result->path, place->name,
                place->along[0], place->along[1], place->along[2], result_component_symbol(result, c),
                result_is_vector(result) ? "; spectra.components keeps it" : " in two dimensions");
    }
    return PW_OK;
}

/* Along one axis, where the caller names a component; else along `own`. */
static pw_status along_set(const struct result *result, struct place *place, pw_component asked, const double own[3],
                           pw_error *error)
{
    const pw_component component = result_component(result, asked);
    FAIL_IF(component == PW_COMPONENT_TOTAL, error, PW_USAGE,
            "a channel is that of one component: ex, ey or ez; the total power is for maps and coverage");
    FAIL_IF(component == PW_COMPONENT_HZ, error, PW_BAD_INPUT, "%s: %s", result->path,
            result->horizontal ? "horizontal polarisation has ex, ey and hz, but no ez"
                               : "hz is kept with horizontal polarisation in two dimensions alone");
    for (int c = 0; c < 3; c++) {
        place->along[c] = component == PW_COMPONENT_OWN ? own[c] : (int)component - PW_COMPONENT_EX == c ? 1.0 : 0.0;
    }
    return PW_OK;
}

/* Results of old were written without a look at the height. */
static pw_status height_check(const struct result *result, const struct result_receiver *receiver, pw_error *error)
{
    bool apart = receiver->row >= 0 && result->dimensions == 3 &&
                 fabs(receiver->height - receiver->asked_height) > SHEET_REACH + 0.5 * result->cell;
    return apart
               ? fail(error, PW_BAD_INPUT,
                      "receiver '%s' stands at a height of %.4g m, and the nearest plane of the spectra is at %.4g m: "
                      "spectra.heights keeps another plane, record: steps the receiver's own field",
                      receiver->name, receiver->asked_height, receiver->height)
               : PW_OK;
}

pw_status place_of_receiver(const struct result *result, int transmitter, int receiver, pw_component component,
                            struct place *place, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    const struct result_receiver *found = &from->receivers[receiver];
    *place = (struct place){.receiver = found->row < 0 ? receiver : -1,
                            .x = found->x,
                            .y = found->y,
                            .height = found->height,
                            .asked_x = found->asked_x,
                            .asked_y = found->asked_y,
                            .gain = found->gain,
                            .weighed = result->dimensions == 3 && found->antenna.kind == ANTENNA_PATTERN,
                            .port = found->port};
    if (!place->weighed) { /* else the field is what the antenna took in */
        place->antenna = found->antenna;
    }
    snprintf(place->name, sizeof place->name, "%s", found->name);
    for (int c = 0; c < 3; c++) {
        struct sheet_place *part = &place->part[c];
        part->sheet = found->row < 0 ? (result_is_vector(result) || c == 2 ? 0 : -1) : found->sheet[c];
        if (found->row >= 0 && part->sheet >= 0) {
            *part = result_sheet_place(result, from, part->sheet, (const double[]){found->asked_x, found->asked_y});
        }
    }
    FAIL_IF(place->weighed && component != PW_COMPONENT_OWN, error, PW_USAGE,
            "receiver '%s' has a pattern, by which its antenna weighs all components: leave out the component",
            place->name);
    TRY(height_check(result, found, error));
    TRY(along_set(result, place, component, found->polarisation, error));
    return place_check(result, place, error);
}

/* PW_BAD_INPUT: no spectra, or the point `at` is outside those of a sheet. */
static pw_status point_check(const struct result *result, const struct result_transmitter *from, int sheet,
                             const double *at, pw_error *error)
{
    FAIL_IF(from->sheet_count == 0, error, PW_BAD_INPUT,
            "%s: no running spectra for transmitter '%s', so only receivers have a channel", result->path, from->name);
    const struct result_sheet *own = &from->sheets[sheet];
    if (result_axis_nearest(own->column_axis, own->columns, at[0]) < 0 ||
        result_axis_nearest(own->row_axis, own->rows, at[1]) < 0) {
        const char *along = own->normal == 0 ? "y" : "x", *up = own->normal == 2 ? "y" : "z";
        return fail(error, PW_BAD_INPUT,
                    "point (%g, %g) m is outside the running spectra: %s from %g to %g m, %s from %g to %g m", at[0],
                    at[1], along, own->column_axis[0], own->column_axis[own->columns - 1], up, own->row_axis[0],
                    own->row_axis[own->rows - 1]);
    }
    return PW_OK;
}

/* The sheets that lie in the plane of `own`, at the point `at` of it; half a cell further they may just be
 * outside. */
static void partners_find(const struct result *result, const struct result_transmitter *from, int own,
                          const double at[2], struct place *place)
{
    for (int c = 0; c < 3; c++) {
        struct sheet_place *part = &place->part[c];
        part->sheet = result_is_vector(result) ? result_sheet_partner(result, own, c) : c == 2 ? 0 : -1;
        if (part->sheet >= 0) {
            const struct result_sheet *sheet = &from->sheets[part->sheet];
            bool inside = result_axis_nearest(sheet->row_axis, sheet->rows, at[1]) >= 0 &&
                          result_axis_nearest(sheet->column_axis, sheet->columns, at[0]) >= 0;
            *part = inside ? result_sheet_point(result, from, part->sheet, at) : (struct sheet_place){.sheet = -1};
        }
    }
}

/* Puts the place at a point of a sheet, and names it so. */
static void place_put(const struct result *result, const struct result_sheet *sheet, double u, double v,
                      struct place *place)
{
    int normal = sheet->normal;
    place->x = normal == 0 ? sheet->position : u;
    place->y = normal == 2 ? v : normal == 1 ? sheet->position : u;
    place->height = result->dimensions == 2 ? (double)NAN : normal == 2 ? sheet->position : v;
    if (result->dimensions == 2) {
        snprintf(place->name, sizeof place->name, "point (%.3f, %.3f) m", place->x, place->y);
    } else {
        snprintf(place->name, sizeof place->name, "point (%.3f, %.3f, %.3f) m", place->x, place->y, place->height);
    }
}

pw_status place_of_point(const struct result *result, int transmitter, const double *at, double height,
                         pw_component component, struct place *place, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    pw_sheet_choice choice = pw_sheet_choice_default();
    int sheet;
    choice.height = result->dimensions == 2 ? (double)NAN : height;
    TRY(pw_result_sheet_find(result, &choice, &sheet, error));
    const pw_component wanted = result_component(result, component);
    if (result_is_vector(result) && wanted >= PW_COMPONENT_EX && wanted <= PW_COMPONENT_EZ) {
        int named = result_sheet_partner(result, sheet, (int)wanted - PW_COMPONENT_EX);
        sheet = named >= 0 ? named : sheet;
    }
    TRY(point_check(result, from, sheet, at, error));
    const struct sheet_place taken = result_sheet_point(result, from, sheet, at);
    *place = (struct place){.receiver = -1, .asked_x = at[0], .asked_y = at[1]};
    place_put(result, &from->sheets[sheet], taken.at[0], taken.at[1], place);
    place->height = result->dimensions == 2 ? height : place->height;
    partners_find(result, from, sheet, taken.at, place);
    double own[3] = {0.0, 0.0, 0.0};
    own[from->sheets[sheet].component] = 1.0;
    TRY(along_set(result, place, component, own, error));
    return place_check(result, place, error);
}

void place_tell(const struct place *place, pw_metrics *metrics)
{
    metrics->x = place->x;
    metrics->y = place->y;
    metrics->height = place->height;
}

double place_distance(const struct result *result, const struct place *place, const struct result_transmitter *from)
{
    double flat = hypot(place->x - from->x, place->y - from->y);
    return result->dimensions == 2 ? flat : hypot(flat, place->height - from->height);
}

/* X(f) = dt sum ez[n] exp(-j omega (n+1) dt): sample n was taken at the end of step n. `out` (count, 2). */
static void series_transform(const double *ez, int64_t samples, double time_step, const double *omega, int count,
                             double *out)
{
    const int64_t stretch = 256; /* steps over which the phase is turned on before it is taken afresh */
#pragma omp parallel for schedule(static)
    for (int f = 0; f < count; f++) {
        double re = 0.0, im = 0.0, turn_re = cos(omega[f] * time_step), turn_im = -sin(omega[f] * time_step);
        for (int64_t first = 0; first < samples; first += stretch) {
            double phase = fmod(omega[f] * (double)(first + 1) * time_step, 2.0 * M_PI);
            double phasor_re = cos(phase), phasor_im = -sin(phase);
            for (int64_t n = first; n < samples && n < first + stretch; n++) {
                re += ez[n] * phasor_re;
                im += ez[n] * phasor_im;
                double next = phasor_re * turn_re - phasor_im * turn_im;
                phasor_im = phasor_re * turn_im + phasor_im * turn_re;
                phasor_re = next;
            }
        }
        out[2 * f] = re * time_step;
        out[2 * f + 1] = im * time_step;
    }
}

/* Samples of Hz were taken half a step before those of E. */
static void half_step_back(const struct result *result, double *field)
{
    for (int f = 0; f < result->frequency_count; f++) {
        const double phase = 0.5 * result->omega[f] * result->time_step, re = field[2 * f], im = field[2 * f + 1];
        field[2 * f] = re * cos(phase) - im * sin(phase);
        field[2 * f + 1] = re * sin(phase) + im * cos(phase);
    }
}

/* The receiver of this name; transmitters may list them in another order. */
static int receiver_of(const struct result *result, int transmitter, const struct place *place, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    return place->receiver < from->receiver_count && strcmp(from->receivers[place->receiver].name, place->name) == 0
               ? place->receiver
               : result_find_receiver(result, transmitter, place->name, error);
}

pw_status place_read(const struct result *result, int transmitter, const struct place *place, int component,
                     double *field, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    if (place->receiver < 0) {
        return result_read_place(result, transmitter, &place->part[component], field, error);
    }
    int receiver = receiver_of(result, transmitter, place, error);
    if (receiver < 0) {
        return PW_BAD_INPUT;
    }
    OWNED double *series = allocate((size_t)from->samples, sizeof *series, "the field at a receiver", error);
    TRY_MADE(series);
    TRY(result_read_receiver_component(result, transmitter, receiver, component, series, error));
    series_transform(series, from->samples, result->time_step, result->omega, result->frequency_count, field);
    if (result->horizontal && component == 2) {
        half_step_back(result, field);
    }
    return PW_OK;
}

pw_status place_series(const struct result *result, int transmitter, const struct place *place, double *series,
                       pw_error *error)
{
    size_t samples = (size_t)result->transmitters[transmitter].samples;
    int receiver = receiver_of(result, transmitter, place, error);
    TRY(receiver < 0 ? PW_BAD_INPUT : PW_OK);
    OWNED double *one = allocate(samples, sizeof *one, "the field at a receiver", error);
    TRY_MADE(one);
    memset(series, 0, samples * sizeof *series);
    for (int c = 0; c < 3; c++) {
        if (place->along[c] == 0.0) {
            continue;
        }
        TRY(result_read_receiver_component(result, transmitter, receiver, c, one, error));
        for (size_t n = 0; n < samples; n++) {
            series[n] += place->along[c] * one[n];
        }
    }
    return PW_OK;
}
