/* The channel between an array and a receiver under the pointer: what is told of it. The receiver has antennas in a row
 * along x, half a wavelength apart, about the place. Their fields are those of the last full result. */
#include "serve/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is answered. */
struct link {
    char station[PW_NAME_SIZE]; /* "": none yet */
    char sender[PW_NAME_SIZE];  /* one of its antennas */
    pw_place place[RECEIVER_ANTENNAS_MOST];
    int places;
    double spacing;                              /* m */
    double position[2 * RECEIVER_ANTENNAS_MOST]; /* m: where the field was taken */
    pw_pairs_shape shape;
    double power_db; /* what all antennas send together over the receiver's noise */
    int receivers, streams;
    pw_mimo_metrics metrics;
    double *response, *values; /* (receivers, transmitters, frequencies, re/im); (frequencies, streams), owned */
};

static const char *station_of(const pw_transmitter *one)
{
    return one->port.number > 0 ? one->port.station : one->name;
}

/* The station of this name, or of the antenna of this name; without a name the first. */
static pw_status station_find(const pw_result *result, const char *name, struct link *link, pw_error *error)
{
    const int count = pw_result_describe(result).transmitter_count;
    for (int t = 0; t < count && link->station[0] == '\0'; t++) {
        pw_transmitter one;
        TRY(pw_result_transmitter(result, t, &one, error));
        if (name[0] == '\0' || strcmp(name, one.name) == 0 || strcmp(name, station_of(&one)) == 0) {
            snprintf(link->station, sizeof link->station, "%s", station_of(&one));
            snprintf(link->sender, sizeof link->sender, "%s", one.name);
        }
    }
    FAIL_IF(link->station[0] == '\0', error, PW_BAD_INPUT, "the last full result has no transmitter '%s'", name);
    double sent = 0;
    for (int t = 0; t < count; t++) {
        pw_transmitter one;
        TRY(pw_result_transmitter(result, t, &one, error));
        sent += strcmp(link->station, station_of(&one)) == 0 ? pow(10, 0.1 * one.power) : 0;
    }
    const pw_mimo_options options = pw_mimo_options_default();
    link->power_db = 10 * log10(sent) - pw_noise_power(options.noise_bandwidth, options.noise_figure);
    return PW_OK;
}

/* A row about the place asked for, half a wavelength apart. */
static void row_place(const struct message *message, double half, struct link *link)
{
    link->spacing = half;
    for (int n = 0; n < link->places; n++) {
        link->place[n] = (pw_place){.x = message->at.x + (n - 0.5 * (link->places - 1)) * half, .y = message->at.y};
    }
}

/* Where the cells of the spectra stand too far apart to interpolate: a row of these, as near to half a wavelength apart
 * as they allow. */
static pw_status row_on_cells(const pw_result *result, double half, struct link *link, pw_error *error)
{
    int number;
    pw_transmitter one;
    TRY(pw_result_find_transmitter(result, link->sender, &number, error));
    TRY(pw_result_transmitter(result, number, &one, error));
    OWNED double *x = calloc((size_t)one.spectra_columns + (size_t)one.spectra_rows, sizeof *x);
    FAIL_IF(x == NULL, error, PW_NO_RESOURCE, "not enough memory for a channel");
    TRY(pw_result_spectra_axes(result, number, x, x + one.spectra_columns, error));
    const double pitch = one.spectra_columns > 1 ? x[1] - x[0] : half;
    const int stride = (int)fmax(1, round(half / pitch));
    const double middle = 0.5 * (link->place[0].x + link->place[link->places - 1].x);
    const int first = (int)round((middle - x[0]) / pitch - 0.5 * stride * (link->places - 1));
    const int last = first + stride * (link->places - 1);
    FAIL_IF(first < 0 || last >= one.spectra_columns, error, PW_BAD_INPUT,
            "%d antennas about x %g m reach outside the running spectra", link->places, middle);
    for (int n = 0; n < link->places; n++) {
        link->place[n].x = x[first + n * stride];
    }
    link->spacing = stride * pitch;
    return PW_OK;
}

/* Whether the fields are those of the places: between cells that stand too far apart they are those of the nearest. */
static bool row_is_there(const struct link *link)
{
    for (int n = 0; n < link->places; n++) {
        if (fabs(link->position[2 * n] - link->place[n].x) > 1e-6) {
            return false;
        }
    }
    return true;
}

static pw_status response_compute(const pw_result *result, struct link *link, pw_error *error)
{
    const char *station = link->station;
    pw_pairs_options options = pw_pairs_options_default();
    options.transmitters = &station;
    options.transmitter_count = 1;
    options.places = link->place;
    options.place_count = link->places;
    if (link->response == NULL) {
        TRY(pw_pairs_describe(result, &options, &link->shape, error));
        const size_t senders = (size_t)link->shape.transmitter_count, frequencies = (size_t)link->shape.frequency_count;
        link->receivers = link->places * link->shape.port_count;
        link->streams =
            link->receivers < link->shape.transmitter_count ? link->receivers : link->shape.transmitter_count;
        link->response = calloc((size_t)link->receivers * senders * frequencies, 2 * sizeof(double));
        link->values = calloc(frequencies * (size_t)link->streams, sizeof(double));
        FAIL_IF(link->response == NULL || link->values == NULL, error, PW_NO_RESOURCE,
                "not enough memory for a channel");
    }
    const pw_pairs pairs = {.response = link->response, .position = link->position};
    return pw_pairs_compute(result, &options, &pairs, error);
}

static pw_status link_solve(const pw_result *result, const struct message *message, struct link *link, pw_error *error)
{
    FAIL_IF(message->antennas != floor(message->antennas), error, PW_BAD_INPUT, "'antennas' must be a whole number");
    TRY(station_find(result, message->transmitter, link, error));
    const double half = 0.5 * PW_SPEED_OF_LIGHT / pw_result_describe(result).band_centre;
    link->places = (int)message->antennas;
    row_place(message, half, link);
    TRY(response_compute(result, link, error));
    if (!row_is_there(link)) {
        TRY(row_on_cells(result, half, link, error));
        TRY(response_compute(result, link, error));
    }
    const pw_mimo_channel channel = {.response = link->response,
                                     .receivers = link->receivers,
                                     .transmitters = link->shape.transmitter_count,
                                     .frequency_count = link->shape.frequency_count,
                                     .receiver_shape = {1, link->receivers, 1},
                                     .transmitter_shape = {1, link->shape.transmitter_count, 1}};
    pw_mimo_options read = pw_mimo_options_default();
    read.snr = message->snr;
    return pw_mimo_read(&channel, link->power_db, &read, &link->metrics, link->values, error);
}

/* Means over the band of each singular value, dB. */
static json_t *values_list(const struct link *link)
{
    json_t *list = json_array();
    for (int s = 0; s < link->streams; s++) {
        double power = 0;
        int usable = 0;
        for (int f = 0; f < link->shape.frequency_count; f++) {
            const double value = link->values[f * link->streams + s];
            power += isnan(value) ? 0 : value * value;
            usable += !isnan(value);
        }
        json_array_append_new(list, json_finite(10 * log10(power / usable)));
    }
    return list;
}

static char *link_text(const struct link *link, const struct message *message, uint32_t revision)
{
    const pw_mimo_metrics *metrics = &link->metrics;
    const double *first = link->position, *last = link->position + 2 * (link->places - 1);
    json_t *object =
        json_pack("{s:s, s:I, s:f, s:f, s:f, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "mimo",
                  "revision", (json_int_t)revision, "x", 0.5 * (first[0] + last[0]), "y", first[1], "spacing",
                  link->spacing, "transmitter", link->station, "transmitter_antennas", link->shape.transmitter_count,
                  "receiver_antennas", link->receivers, "gain_db", json_finite(metrics->gain_db), "snr_db",
                  json_finite(metrics->snr_db), "rank", json_finite(metrics->rank), "condition_db",
                  json_finite(metrics->condition_db), "capacity", json_finite(metrics->capacity), "water_capacity",
                  json_finite(metrics->water_capacity), "singular_db", values_list(link));
    if (message->id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(message->id));
    }
    return describe_dump(object);
}

struct blob *session_mimo(struct session *session, const struct message *message)
{
    pw_error error = {"not enough memory for a channel"};
    struct link link = {.station = ""};
    char *text = NULL;
    if (!pw_hdf5_lock(CHANNEL_PATIENCE)) {
        return refusal(message->id, "the result is being read; ask again");
    }
    if (session->full.result == NULL) {
        fail(&error, PW_BAD_INPUT, "there is no full result yet");
    } else if (link_solve(session->full.result, message, &link, &error) == PW_OK) {
        text = link_text(&link, message, session->full.revision);
    }
    pw_hdf5_unlock();
    PW_FREE_ALL(link.response, link.values);
    return text != NULL ? blob_of_text(text) : refusal(message->id, error.message);
}
