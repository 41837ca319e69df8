/* See recorded.h. */
#include "channel/asked/recorded.h"

#include "base/constants.h"
#include "channel/link.h"
#include "channel/slant/heights.h"
#include "channel/slant/slanted_sum.h"

#include <math.h>
#include <string.h>

enum { LATTICE_MOST = 16384 };

/* Frequencies between the ends of `observed`, on which those asked for lie where these are equally spaced, and so near
 * to each other that the record does not fold twice over. */
struct lattice {
    double first, spacing; /* Hz */
    int count;
};

static struct lattice lattice_make(const struct channel_band *observed, const int ends[2], double record,
                                   const double *frequency, int count)
{
    const double bottom = observed->frequency[ends[0]], top = observed->frequency[ends[1]];
    double lowest = frequency[0], highest = frequency[0];
    for (int n = 1; n < count; n++) {
        lowest = fmin(lowest, frequency[n]);
        highest = fmax(highest, frequency[n]);
    }
    const double most = fmax(fmin(0.5 / record, observed->spacing), (top - bottom) / LATTICE_MOST);
    const double apart = count > 1 ? (frequency[count - 1] - frequency[0]) / (count - 1) : most;
    struct lattice lattice = {.spacing = apart > 0.0 ? apart / ceil(apart / most - 1e-9) : most};
    lattice.first = frequency[0] - floor((frequency[0] - bottom) / lattice.spacing + 1e-9) * lattice.spacing;
    lattice.count = (int)floor((top - lattice.first) / lattice.spacing + 1e-6) + 1;
    if (lattice.first > lowest) { /* those that are not equally spaced may lie just beyond */
        lattice.first -= lattice.spacing;
        lattice.count++;
    }
    lattice.count += lattice.first + (lattice.count - 1) * lattice.spacing < highest - 1e-6 * lattice.spacing;
    return lattice;
}

/* The result at the lattice. */
static pw_status view_make(const struct result *result, int transmitter, const struct lattice *lattice,
                           struct recorded *made, pw_error *error)
{
    OWNED double *frequency = allocate((size_t)lattice->count, sizeof *frequency, "frequencies", error);
    TRY_MADE(frequency);
    for (int f = 0; f < lattice->count; f++) {
        frequency[f] = lattice->first + f * lattice->spacing;
    }
    return result_at_frequencies(result, transmitter, frequency, lattice->count, &made->at, error);
}

static pw_status buffers_make(struct recorded *made, pw_error *error)
{
    const size_t count = (size_t)made->band.frequency_count;
    made->field = allocate(2 * count, sizeof *made->field, "a spectrum", error);
    made->taps = allocate(2 * count, sizeof *made->taps, "taps", error);
    made->delay = allocate(count, sizeof *made->delay, "taps", error);
    made->values = allocate(2 * count, sizeof *made->values, "a response", error);
    TRY_MADE(made->field != NULL && made->taps != NULL && made->delay != NULL && made->values != NULL);
    return channel_create(&made->band, &made->channel, error);
}

pw_status recorded_create(const struct result *result, int transmitter, const struct channel_band *observed,
                          const double *frequency, int count, struct recorded *recorded, pw_error *error)
{
    const double record = (double)result->transmitters[transmitter].samples * result->time_step;
    int ends[2];
    *recorded = (struct recorded){0};
    TRY(asked_check(observed, frequency, count, ends, error));
    const struct lattice lattice = lattice_make(observed, ends, record, frequency, count);
    pw_channel_options options = observed->options;
    options.padding = 1;
    options.window = PW_WINDOW_RECT;
    options.width = 0.0; /* the lattice is as wide */
    *recorded =
        (struct recorded){.transmitter = transmitter, .centre = observed->centre, .phase = grid_phase_find(result)};
    pw_status status =
        lattice.count >= MINIMUM_FREQUENCIES
            ? view_make(result, transmitter, &lattice, recorded, error)
            : fail(error, PW_BAD_INPUT, "%.9g MHz: no frequencies were solved around it", 1e-6 * frequency[0]);
    THEN(status,
         channel_band_create(result->dimensions, recorded->at.frequency, recorded->at.frequency_count,
                             recorded->at.transmitters[transmitter].spectrum, &options, &recorded->band, error));
    THEN(status, link_band_storey(&recorded->at, transmitter, &recorded->band, error));
    THEN(status, asked_create(&recorded->band, observed, frequency, count, &recorded->asked, error));
    THEN(status, buffers_make(recorded, error));
    if (status != PW_OK) {
        recorded_free(recorded);
    }
    return status;
}

void recorded_free(struct recorded *recorded)
{
    result_at_frequencies_free(&recorded->at, recorded->transmitter);
    channel_free(&recorded->channel);
    channel_band_free(&recorded->band);
    asked_free(&recorded->asked);
    FREE_ALL(recorded->field, recorded->taps, recorded->delay, recorded->values);
    *recorded = (struct recorded){0};
}

pw_status recorded_response(struct recorded *recorded, const struct place *place, int c, double *out, pw_error *error)
{
    const struct channel_band *band = &recorded->band;
    const struct result_transmitter *from = &recorded->at.transmitters[recorded->transmitter];
    const struct slant_end to = {place->x, place->y, place->height, place->antenna};
    struct slant slant = slant_between(&recorded->at, from, &to, &band->options);
    slant.exact = true;
    const struct sum_axis axis = {band->frequency[0], band->spacing, band->centre, band->frequency_count};
    TRY(place_read(&recorded->at, recorded->transmitter, place, c, recorded->field, error));
    grid_phase_remove(&recorded->phase, &recorded->at, from, place, 1, recorded->field);
    channel_set_field(band, recorded->field, 1, &recorded->channel);
    channel_transform(band, place_distance(&recorded->at, place, from), &slant, &recorded->channel);
    channel_taps_fill(band, &recorded->channel, recorded->taps, recorded->delay);
    slanted_sum(&axis, band->tap_count, recorded->taps, recorded->delay, recorded->values);
    asked_take(&recorded->asked, recorded->values, out);
    const double scale = SPEED_OF_LIGHT / (4.0 * M_PI * recorded->centre); /* the reference of all of the run's links */
    for (int n = 0; n < 2 * recorded->asked.count; n++) {
        out[n] *= scale;
    }
    return PW_OK;
}
