/* Reads the transmitters of a result file: their drive, the energy of the run, receivers. Their sheets of spectra are
 * in result_sheets.c. */
#include "result/antenna/result_antenna.h"
#include "result/result_reading.h"

#include <math.h>
#include <string.h>

/* x, y and the height, which in two dimensions is NAN unless it was given. */
static pw_status read_position(const struct reading *reading, hid_t group, double position[3], pw_error *error)
{
    const bool volume = reading->result->dimensions == 3;
    position[2] = NAN;
    TRY(hdf5_read_numbers(group, "position", position, volume ? 3 : 2, error));
    return !volume && hdf5_attribute_exists(group, "height")
               ? hdf5_read_numbers(group, "height", &position[2], 0, error)
               : PW_OK;
}

static pw_status read_polarisation(const struct reading *reading, hid_t group, double polarisation[3], pw_error *error)
{
    memcpy(polarisation, (double[]){0, 0, 1}, 3 * sizeof *polarisation);
    if (!result_is_vector(reading->result)) {
        return PW_OK;
    }
    TRY(hdf5_read_numbers(group, "polarisation", polarisation, 3, error));
    double length = hypot(hypot(polarisation[0], polarisation[1]), polarisation[2]);
    return fabs(length - 1) < 1e-6
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "attribute 'polarisation' has the length %g, not 1", length);
}

static pw_status read_receiver_members(const struct reading *reading, hid_t group, int64_t samples,
                                       struct result_receiver *receiver, pw_error *error)
{
    double position[3];
    hsize_t length;
    TRY(read_position(reading, group, position, error));
    TRY(read_polarisation(reading, group, receiver->polarisation, error));
    TRY(hdf5_read_numbers(group, "gain", &receiver->gain, 0, error));
    TRY(result_read_port(group, &receiver->port, error));
    char word[NAME_SIZE];
    TRY(result_read_antenna(reading->result, group, word, &receiver->antenna, error));
    for (int c = result_is_vector(reading->result) ? 0 : 2; c < 3; c++) {
        TRY(reading_length(reading, group, result_component_word(reading->result, c), 1, ELEMENT_REAL, &length, error));
        FAIL_IF(length != (hsize_t)samples, error, PW_BAD_INPUT, "receiver '%s' has %llu samples, its transmitter %lld",
                receiver->name, (unsigned long long)length, (long long)samples);
    }
    receiver->x = receiver->asked_x = position[0];
    receiver->y = receiver->asked_y = position[1];
    receiver->height = position[2];
    receiver->row = receiver->column = -1;
    return PW_OK;
}

static pw_status read_receivers(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                pw_error *error)
{
    if (!hdf5_member_exists(group, "receivers")) {
        return PW_OK;
    }
    OWNED_ID hid_t receivers = hdf5_group_open(group, "receivers", error);
    TRY_OPEN(receivers);
    OWNED char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(receivers, MEMBER_LIMIT, &names, &count, error));
    TRY_MADE(transmitter->receivers = allocate((size_t)count, sizeof *transmitter->receivers, "receivers", error));
    for (int r = 0; r < count; r++) {
        struct result_receiver *receiver = &transmitter->receivers[r];
        memcpy(receiver->name, names[r], NAME_SIZE);
        OWNED_ID hid_t member = hdf5_group_open(receivers, names[r], error);
        TRY_OPEN(member);
        TRY(read_receiver_members(reading, member, transmitter->samples, receiver, error));
    }
    transmitter->receiver_count = count;
    return PW_OK;
}

static pw_status read_source(hid_t group, struct result_transmitter *transmitter, pw_error *error)
{
    int64_t hard, at_end;
    TRY(hdf5_read_integer(group, "hard", 0, 1, &hard, error));
    TRY(hdf5_read_integer(group, "sampled_at_step_end", 0, 1, &at_end, error));
    transmitter->soft = hard == 0;
    transmitter->sampled_at_step_end = at_end == 1;
    return PW_OK;
}

static pw_status read_energy(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                             pw_error *error)
{
    if (hdf5_attribute_exists(group, "waveform_centre")) {
        TRY(hdf5_read_numbers(group, "waveform_centre", &transmitter->waveform_centre, 0, error));
    }
    if (hdf5_attribute_exists(group, "waveform_length")) {
        TRY(hdf5_read_numbers(group, "waveform_length", &transmitter->waveform_length, 0, error));
    }
    if (!hdf5_member_exists(group, "energy")) {
        return PW_OK;
    }
    hsize_t length;
    TRY(reading_line(reading, group, (struct line){"energy_time", false, 0}, &transmitter->energy_time, &length,
                     error));
    TRY(reading_line(reading, group, (struct line){"energy", false, length}, &transmitter->energy, &length, error));
    for (hsize_t n = 0; n < length; n++) {
        FAIL_IF(!(transmitter->energy[n] >= 0 && transmitter->energy[n] <= 1) ||
                    (n > 0 && !(transmitter->energy_time[n] > transmitter->energy_time[n - 1])),
                error, PW_BAD_INPUT, "the energy of transmitter '%s' is %g at %g s, look %llu", transmitter->name,
                transmitter->energy[n], transmitter->energy_time[n], (unsigned long long)n);
    }
    transmitter->energy_count = (int)length;
    return PW_OK;
}

static pw_status read_antenna(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                              pw_error *error)
{
    transmitter->conducted = transmitter->pattern_error = NAN;
    TRY(result_read_antenna(reading->result, group, transmitter->antenna_word, &transmitter->antenna, error));
    if (hdf5_attribute_exists(group, "conducted_power")) {
        TRY(hdf5_read_numbers(group, "conducted_power", &transmitter->conducted, 0, error));
    }
    if (hdf5_attribute_exists(group, "pattern_error")) {
        TRY(hdf5_read_numbers(group, "pattern_error", &transmitter->pattern_error, 0, error));
    }
    return result_is_vector(reading->result) && transmitter->antenna_word[0] == '\0'
               ? fail(error, PW_BAD_INPUT, "attribute 'antenna' is missing")
               : PW_OK;
}

static pw_status read_channel(hid_t group, struct result_transmitter *transmitter, pw_error *error)
{
    int64_t number;
    double band, width;
    if (!hdf5_attribute_exists(group, "channel")) {
        return PW_OK;
    }
    TRY(hdf5_read_integer(group, "channel", 1, 233, &number, error));
    TRY(hdf5_read_numbers(group, "channel_band", &band, 0, error));
    TRY(hdf5_read_numbers(group, "channel_width", &width, 0, error));
    return pw_wifi_channel_find(band, (int)number, width, &transmitter->channel, error);
}

static pw_status read_transmitter(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                                  pw_error *error)
{
    double position[3];
    hsize_t length, count = (hsize_t)reading->result->frequency_count;
    TRY(read_position(reading, group, position, error));
    TRY(read_polarisation(reading, group, transmitter->polarisation, error));
    TRY(read_antenna(reading, group, transmitter, error));
    transmitter->x = position[0];
    transmitter->y = position[1];
    transmitter->height = position[2];
    TRY(hdf5_read_numbers(group, "power", &transmitter->power, 0, error));
    TRY(read_channel(group, transmitter, error));
    TRY(result_read_port(group, &transmitter->port, error));
    TRY(read_source(group, transmitter, error));
    TRY(reading_length(reading, group, "waveform", 1, ELEMENT_REAL, &length, error));
    transmitter->samples = (int64_t)length;
    if (count > 0) {
        TRY(reading_line(reading, group, (struct line){"spectrum", true, count}, &transmitter->spectrum, &length,
                         error));
    }
    TRY(read_energy(reading, group, transmitter, error));
    TRY(read_receivers(reading, group, transmitter, error));
    TRY(reading_sheets(reading, group, transmitter, error));
    return result_is_vector(reading->result) ? PW_OK : reading_over(reading, group, transmitter, error);
}

pw_status reading_transmitters(const struct reading *reading, pw_error *error)
{
    struct result *result = reading->result;
    OWNED_ID hid_t group = hdf5_group_open(result->file, "transmitters", error);
    TRY_OPEN(group);
    OWNED char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    FAIL_IF(count == 0, error, PW_BAD_INPUT, "holds no transmitter");
    TRY_MADE(result->transmitters = allocate((size_t)count, sizeof *result->transmitters, "transmitters", error));
    result->transmitter_count = count;
    for (int t = 0; t < count; t++) {
        memcpy(result->transmitters[t].name, names[t], NAME_SIZE);
        OWNED_ID hid_t member = hdf5_group_open(group, names[t], error);
        TRY_OPEN(member);
        TRY(read_transmitter(reading, member, &result->transmitters[t], error));
    }
    return PW_OK;
}
