/* The delay profile under the pointer, from the last full result. It is asked for often and must not wait: while the
 * result is being read for something else the question is refused. */
#include "serve/session.h"

#include <math.h>
#include <stdlib.h>

static const double LEAST_DB = -200;

static json_t *nanoseconds(double seconds)
{
    return json_finite(1e9 * seconds);
}

static json_t *profile_object(const pw_channel *channel, const pw_channel_facts *facts)
{
    size_t count = (size_t)(facts->delay_count > 0 ? facts->delay_count : 0);
    double *delay = calloc(count + 1, sizeof *delay), *power = calloc(count + 1, sizeof *power);
    json_t *list = json_array();
    bool there =
        delay != NULL && power != NULL && count > 0 && pw_channel_profile(channel, delay, power, NULL) == PW_OK;
    double first = there ? delay[0] : NAN;
    for (size_t n = 0; n < count && there; n++) {
        double db = power[n] > 0 ? 10 * log10(power[n]) : NAN;
        json_array_append_new(list, json_finite(db >= LEAST_DB ? round(1e3 * db) / 1e3 : NAN));
    }
    PW_FREE_ALL(delay, power);
    return json_pack("{s:o, s:o, s:o}", "delay_first_ns", nanoseconds(first), "delay_step_ns",
                     nanoseconds(facts->delay_step), "power_db", list);
}

static char *channel_text(const pw_channel *channel, const struct message *message, const pw_transmitter *transmitter,
                          uint32_t revision)
{
    pw_channel_facts facts = pw_channel_describe(channel);
    pw_metrics metrics = pw_channel_metrics(channel);
    char note[PW_NOTE_SIZE];
    pw_metrics_note(&metrics, note, sizeof note);
    const int *shape = transmitter->port.shape;
    const int antennas = transmitter->port.number > 0 ? shape[0] * shape[1] * shape[2] : 1;
    bool doubtful = metrics.delay_cause != PW_DELAY_SOUND;
    json_t *object = json_pack(
        "{s:s, s:I, s:f, s:f, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "type", "channel", "revision",
        (json_int_t)revision, "x", facts.x, "y", facts.y, "transmitter", transmitter->name, "antennas", antennas,
        "path_gain_db", json_finite(metrics.path_gain_db), "received_power_dbm",
        json_finite(metrics.received_power_dbm), "rms_delay_spread_ns",
        nanoseconds(doubtful ? NAN : metrics.rms_delay_spread), "mean_excess_delay_ns",
        nanoseconds(doubtful ? NAN : metrics.mean_excess_delay), "rician_k_db", json_finite(metrics.rician_k_db),
        "delay_resolution_ns", nanoseconds(metrics.delay_resolution), "note", note);
    json_t *profile = profile_object(channel, &facts);
    if (object != NULL && profile != NULL) {
        json_object_update(object, profile);
    }
    json_decref(profile);
    if (message->id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(message->id));
    }
    return describe_dump(object);
}

/* pw_hdf5_lock() is held. */
static char *channel_find(struct session *session, const struct message *message, pw_error *error)
{
    const double at[2] = {message->at.x, message->at.y};
    const pw_result *result = session->full.result;
    if (result == NULL) {
        fail(error, PW_BAD_INPUT, "there is no full result yet");
        return NULL;
    }
    int number = 0;
    pw_transmitter transmitter;
    pw_channel *channel = NULL;
    if (pw_result_find_transmitter(result, message->transmitter[0] != '\0' ? message->transmitter : NULL, &number,
                                   error) != PW_OK ||
        pw_result_transmitter(result, number, &transmitter, error) != PW_OK ||
        pw_channel_create(result, transmitter.name, NULL, at, NULL, &channel, error) != PW_OK) {
        return NULL;
    }
    char *text = channel_text(channel, message, &transmitter, session->full.revision);
    pw_channel_free(channel);
    return text;
}

struct blob *session_channel(struct session *session, const struct message *message)
{
    pw_error error = {"not enough memory for a channel"};
    if (!pw_hdf5_lock(CHANNEL_PATIENCE)) {
        return refusal(message->id, "the result is being read; ask again");
    }
    char *text = channel_find(session, message, &error);
    pw_hdf5_unlock();
    return text != NULL ? blob_of_text(text) : refusal(message->id, error.message);
}
