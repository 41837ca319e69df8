/* Writes the antennas of a scenario into its result (result_antenna.h). */
#include "base/file/hdf5_write.h"
#include "result/antenna/result_antenna.h"

#include <math.h>
#include <stdlib.h>

static pw_status write_cut(hid_t group, const char *name, const char *long_name, const struct antenna_cut *cut,
                           pw_error *error)
{
    const struct layout layout = {.name = name,
                                  .units = "dB",
                                  .long_name = long_name,
                                  .type = H5T_IEEE_F64LE,
                                  .rank = 1,
                                  .extent = {(hsize_t)cut->count}};
    return hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, cut->level, error);
}

static pw_status write_pattern(hid_t group, const struct antenna_pattern *pattern, pw_error *error)
{
    if (pattern->make[0] != '\0') {
        TRY(hdf5_write_text(group, "make", pattern->make, error));
    }
    if (pattern->frequency > 0) {
        TRY(hdf5_write_number(group, "frequency", pattern->frequency, error));
    }
    if (!isnan(pattern->gain)) {
        TRY(hdf5_write_number(group, "gain", pattern->gain, error));
        TRY(hdf5_write_text(group, "gain_units", "dBi", error));
    }
    if (!isnan(pattern->electrical_tilt)) {
        TRY(hdf5_write_number(group, "electrical_tilt", pattern->electrical_tilt, error));
    }
    TRY(write_cut(group, "horizontal",
                  "level against the maximum at equal steps once around, clockwise from straight ahead",
                  &pattern->azimuth, error));
    return write_cut(group, "vertical",
                     "level against the maximum at equal steps once around, from straight ahead downwards",
                     &pattern->elevation, error);
}

pw_status result_write_patterns(hid_t file, const struct scenario *scenario, pw_error *error)
{
    if (scenario->pattern_count == 0) {
        return PW_OK;
    }
    OWNED_ID hid_t group = hdf5_group_create(file, "antennas", error);
    TRY_MADE(group >= 0);
    for (int n = 0; n < scenario->pattern_count; n++) {
        OWNED_ID hid_t member = hdf5_group_create(group, scenario->patterns[n]->name, error);
        TRY_MADE(member >= 0);
        TRY(write_pattern(member, scenario->patterns[n], error));
    }
    return PW_OK;
}

pw_status result_write_antenna(hid_t group, const struct antenna *antenna, pw_error *error)
{
    static const char *const WORDS[] = {"isotropic", "hertzian", "half_wave", "pattern"};
    if (antenna->kind == ANTENNA_ISOTROPIC) {
        return PW_OK;
    }
    TRY(hdf5_write_fixed_text(group, "antenna", WORDS[antenna->kind], error));
    if (antenna->kind != ANTENNA_PATTERN) {
        return PW_OK;
    }
    TRY(hdf5_write_text(group, "pattern", antenna->pattern->name, error));
    TRY(hdf5_write_number(group, "bearing", antenna->bearing, error));
    return hdf5_write_number(group, "downtilt", antenna->downtilt, error);
}

pw_status result_write_port(hid_t group, const pw_port *port, pw_error *error)
{
    if (port->number == 0) {
        return PW_OK;
    }
    const double shape[3] = {port->shape[0], port->shape[1], port->shape[2]};
    TRY(hdf5_write_text(group, "station", port->station, error));
    TRY(hdf5_write_integer(group, "port", port->number, error));
    return hdf5_write_numbers(group, "array", shape, 3, error); /* rows, columns, polarisations */
}

pw_status result_write_antennas(hid_t group, const struct scenario *scenario, pw_error *error)
{
    const size_t count = (size_t)scenario->lattice_receiver_count;
    bool any = false;
    OWNED double *rows = allocate(count * ANTENNA_NUMBERS, sizeof *rows, "the antennas of receivers", error);
    TRY_MADE(rows);
    for (size_t r = 0; r < count; r++) {
        const struct antenna *antenna = &scenario->lattice_receivers[r].antenna;
        double *row = rows + r * ANTENNA_NUMBERS;
        row[0] = antenna->kind;
        row[1] = -1;
        row[2] = antenna->bearing;
        row[3] = antenna->downtilt;
        for (int n = 0; antenna->kind == ANTENNA_PATTERN && n < scenario->pattern_count; n++) {
            row[1] = scenario->patterns[n] == antenna->pattern ? n : row[1];
        }
        any = any || antenna->kind != ANTENNA_ISOTROPIC;
    }
    const struct layout layout = {.name = "antenna",
                                  .units = "1",
                                  .long_name = "kind (0 isotropic, 1 Hertzian dipole, 2 half-wave dipole, 3 pattern), "
                                               "number of the pattern in /antennas, bearing and downtilt in radians",
                                  .type = H5T_IEEE_F64LE,
                                  .rank = 2,
                                  .extent = {count, ANTENNA_NUMBERS}};
    return any ? hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, rows, error) : PW_OK;
}
