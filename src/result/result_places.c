/* Places in the planes of running spectra: the points that have the field there, and the receivers that are taken from
 * them. */
#include "result/antenna/result_antenna.h"
#include "result/result_reading.h"

#include "problem/spectra/sheet_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LATTICE_RECEIVER_LIMIT = 1 << 20 };

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* One axis of a sheet; *at becomes where the field is taken [m]. */
static struct sheet_line axis_line(const double *axis, int count, double turn, double *at)
{
    double spacing = count > 1 ? (axis[count - 1] - axis[0]) / (count - 1) : 1;
    struct sheet_line line = sheet_line_at((*at - axis[0]) / spacing, count, turn);
    *at = turn > 0 ? fmin(fmax(*at, axis[0]), axis[count - 1]) : axis[line.first];
    return line;
}

static double turn_of(const struct result *result, const struct result_transmitter *transmitter, int sheet)
{
    const struct result_sheet *from = &transmitter->sheets[sheet];
    const double *longer = from->columns > 1 ? from->column_axis : from->row_axis;
    double pitch = from->columns > 1 || from->rows > 1 ? longer[1] - longer[0] : 0;
    return result->frequency_count > 0 ? sheet_turn(pitch, result->frequency[result->frequency_count - 1]) : 0;
}

struct sheet_place result_sheet_point(const struct result *result, const struct result_transmitter *transmitter,
                                      int sheet, const double at[2])
{
    const struct result_sheet *from = &transmitter->sheets[sheet];
    const double turn = turn_of(result, transmitter, sheet);
    struct sheet_place place = {.sheet = sheet, .at = {at[0], at[1]}};
    place.column = axis_line(from->column_axis, from->columns, turn, &place.at[0]);
    place.row = axis_line(from->row_axis, from->rows, turn, &place.at[1]);
    return place;
}

struct sheet_place result_sheet_place(const struct result *result, const struct result_transmitter *transmitter,
                                      int sheet, const double at[2])
{
    const struct result_sheet *from = &transmitter->sheets[sheet];
    const int column = result_axis_nearest(from->column_axis, from->columns, at[0]);
    const int row = result_axis_nearest(from->row_axis, from->rows, at[1]);
    const double cell[2] = {from->column_axis[column < 0 ? 0 : column], from->row_axis[row < 0 ? 0 : row]};
    return result_sheet_point(result, transmitter, sheet, result_is_vector(result) ? at : cell);
}

void sheet_place_sum(const struct sheet_place *place, const double *points, size_t columns, size_t plane, size_t count,
                     double *field)
{
    memset(field, 0, 2 * count * sizeof *field);
    for (size_t f = 0; f < count; f++) {
        for (int row = 0; row < place->row.count; row++) {
            for (int column = 0; column < place->column.count; column++) {
                double weight = place->row.weight[row] * place->column.weight[column];
                const double *point = points + 2 * (f * plane + (size_t)row * columns + (size_t)column);
                field[2 * f] += weight * point[0];
                field[2 * f + 1] += weight * point[1];
            }
        }
    }
}

pw_status result_read_place(const struct result *result, int transmitter, const struct sheet_place *place,
                            double *field, pw_error *error)
{
    const pw_block block = {place->row.first, place->row.count, place->column.first, place->column.count};
    size_t plane = (size_t)place->row.count * (size_t)place->column.count, count = (size_t)result->frequency_count;
    OWNED double *points = allocate(count * plane, 2 * sizeof *points, "the spectra around a place", error);
    TRY_MADE(points);
    TRY(result_read_sheet(result, transmitter, place->sheet, &block, points, error));
    sheet_place_sum(place, points, (size_t)place->column.count, plane, count, field);
    return PW_OK;
}

/* ---- receivers of the running spectra ---------------------------------------------------------------------------- */

/* What the file holds of them. */
struct lattice_table {
    hsize_t count;
    char *name;              /* (count, NAME_SIZE), owned */
    int axes;                /* 2, or 3 with the height */
    double *position, *gain; /* (count, axes), (count), owned */
    double *polarisation;    /* (count, 3), owned; NULL of Ez alone */
    double *antenna;         /* (count, ANTENNA_NUMBERS), owned; NULL: all are isotropic */
    double *height;          /* (count), owned: two dimensions, NAN of those without; NULL: none has one */
};

static pw_status read_names(hid_t group, uint64_t file_bytes, struct lattice_table *table, pw_error *error)
{
    OWNED_ID hid_t dataset = hdf5_dataset_open(group, "name", ELEMENT_OTHER, 1, file_bytes, &table->count, error);
    TRY_OPEN(dataset);
    OWNED_ID hid_t stored = H5Dget_type(dataset), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, NAME_SIZE);
    H5Tset_cset(type, H5Tget_cset(stored));
    bool fixed = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
    TRY(fixed ? PW_OK : fail(error, PW_BAD_INPUT, "dataset 'receivers/name' does not hold texts of one length"));
    TRY_MADE(table->name = allocate((size_t)table->count, NAME_SIZE, "the names of receivers", error));
    TRY(hdf5_block_read_as(dataset, "receivers/name", (hsize_t[]){0}, &table->count, type, table->name, error));
    for (hsize_t r = 0; r < table->count; r++) {
        table->name[(r + 1) * NAME_SIZE - 1] = '\0';
    }
    return PW_OK;
}

/* Finite numbers, (count, width), or (count) where the width is 1. */
static pw_status read_numbers(const struct result *result, const char *path, int width, hsize_t count, double **values,
                              pw_error *error)
{
    const hsize_t extent[2] = {count, (hsize_t)width};
    int rank = width > 1 ? 2 : 1;
    size_t size = (size_t)count * (size_t)width;
    TRY_MADE(*values = allocate(size, sizeof **values, "the places of receivers", error));
    const struct stored what = {path, ELEMENT_REAL, rank, false};
    TRY(reading_stored(result, &what, (hsize_t[]){0, 0}, extent, *values, error));
    for (size_t n = 0; n < size; n++) {
        FAIL_IF(!isfinite((*values)[n]), error, PW_BAD_INPUT, "dataset '%s' holds a number that is not finite at %zu",
                path, n);
    }
    return PW_OK;
}

/* Heights in two dimensions: NAN, or finite. */
static pw_status read_heights(const struct result *result, struct lattice_table *table, pw_error *error)
{
    static const char path[] = "receivers/height";
    const struct stored what = {path, ELEMENT_REAL, 1, false};
    TRY_MADE(table->height = allocate((size_t)table->count, sizeof *table->height, "the heights of receivers", error));
    TRY(reading_stored(result, &what, (hsize_t[]){0}, &table->count, table->height, error));
    for (hsize_t r = 0; r < table->count; r++) {
        FAIL_IF(isinf(table->height[r]), error, PW_BAD_INPUT, "dataset '%s' holds a number that is not finite at %llu",
                path, (unsigned long long)r);
    }
    return PW_OK;
}

/* In three dimensions the nearest horizontal sheet of each component; -1 where there is none. */
static void sheets_nearest(const struct result *result, const struct result_transmitter *transmitter,
                           struct result_receiver *receiver)
{
    for (int c = 0; c < 3; c++) {
        receiver->sheet[c] = -1;
        double nearest = INFINITY;
        for (int s = 0; s < transmitter->sheet_count; s++) {
            const struct result_sheet *sheet = &transmitter->sheets[s];
            double away = result->dimensions == 2 ? 0 : fabs(sheet->position - receiver->height);
            if (sheet->normal == 2 && sheet->component == c && away < nearest) {
                nearest = away;
                receiver->sheet[c] = s;
            }
        }
    }
}

/* The component that counts most of those that were kept: it says where the receiver is. -1: none was. */
static int component_most(const struct result_receiver *receiver)
{
    int most = -1;
    for (int c = 2; c >= 0; c--) {
        double own = fabs(receiver->polarisation[c]);
        if (receiver->sheet[c] >= 0 && (most < 0 || own > fabs(receiver->polarisation[most]))) {
            most = c;
        }
    }
    return most;
}

/* Takes the receiver to where its field is taken. */
static pw_status receiver_place(const struct result *result, const struct result_transmitter *transmitter,
                                struct result_receiver *receiver, pw_error *error)
{
    sheets_nearest(result, transmitter, receiver);
    int most = component_most(receiver);
    const struct result_sheet *sheet = most >= 0 ? &transmitter->sheets[receiver->sheet[most]] : NULL;
    receiver->column = sheet == NULL ? -1 : result_axis_nearest(sheet->column_axis, sheet->columns, receiver->asked_x);
    receiver->row = sheet == NULL ? -1 : result_axis_nearest(sheet->row_axis, sheet->rows, receiver->asked_y);
    FAIL_IF(receiver->column < 0 || receiver->row < 0, error, PW_BAD_INPUT,
            "receiver '%s' at (%g, %g) m lies outside the spectra of '%s'", receiver->name, receiver->asked_x,
            receiver->asked_y, transmitter->name);
    struct sheet_place place = result_sheet_place(result, transmitter, receiver->sheet[most],
                                                  (const double[]){receiver->asked_x, receiver->asked_y});
    receiver->x = place.at[0];
    receiver->y = place.at[1];
    receiver->height = result->dimensions == 2 ? receiver->asked_height : sheet->position;
    for (int other = 0; other < 3; other++) { /* half a cell further, it may just be outside */
        const struct result_sheet *beside =
            receiver->sheet[other] >= 0 ? &transmitter->sheets[receiver->sheet[other]] : sheet;
        if (result_axis_nearest(beside->column_axis, beside->columns, receiver->asked_x) < 0 ||
            result_axis_nearest(beside->row_axis, beside->rows, receiver->asked_y) < 0) {
            receiver->sheet[other] = -1;
        }
    }
    return PW_OK;
}

static pw_status lattice_append(const struct result *result, struct result_transmitter *transmitter,
                                const struct lattice_table *table, pw_error *error)
{
    size_t before = (size_t)transmitter->receiver_count, count = (size_t)table->count;
    struct result_receiver *all = allocate(before + count, sizeof *all, "receivers", error);
    TRY_MADE(all);
    if (before > 0) {
        memcpy(all, transmitter->receivers, before * sizeof *all);
    }
    free(transmitter->receivers);
    transmitter->receivers = all;
    for (size_t r = 0; r < count; r++) {
        struct result_receiver *receiver = &all[before + r];
        memcpy(receiver->name, table->name + r * NAME_SIZE, NAME_SIZE);
        const double *at = table->position + (size_t)table->axes * r;
        receiver->asked_x = at[0];
        receiver->asked_y = at[1];
        receiver->asked_height = table->axes == 3 ? at[2] : table->height != NULL ? table->height[r] : (double)NAN;
        receiver->height = receiver->asked_height;
        receiver->gain = table->gain[r];
        memcpy(receiver->polarisation,
               table->polarisation != NULL ? table->polarisation + 3 * r : (const double[]){0, 0, 1},
               sizeof receiver->polarisation);
        if (table->antenna != NULL) {
            TRY(result_antenna_of_numbers(result, table->antenna + ANTENNA_NUMBERS * r, &receiver->antenna, error));
        }
        TRY(receiver_place(result, transmitter, receiver, error));
    }
    transmitter->receiver_count = (int)(before + count);
    return PW_OK;
}

pw_status result_read_lattice_receivers(struct result *result, pw_error *error)
{
    if (!hdf5_member_exists(result->file, "receivers")) {
        return PW_OK;
    }
    struct lattice_table table = {.axes = result->dimensions};
    hid_t group = hdf5_group_open(result->file, "receivers", error);
    const bool has_heights = group >= 0 && hdf5_member_exists(group, "height");
    pw_status status = group < 0 ? PW_BAD_INPUT : read_names(group, result->file_bytes, &table, error);
    H5Gclose(group);
    if (status == PW_OK && table.count > LATTICE_RECEIVER_LIMIT) {
        status = fail(error, PW_BAD_INPUT, "holds %llu receivers; at most %d are read", (unsigned long long)table.count,
                      LATTICE_RECEIVER_LIMIT);
    }
    THEN(status, read_numbers(result, "receivers/position", table.axes, table.count, &table.position, error));
    if (status == PW_OK && result_is_vector(result)) {
        status = read_numbers(result, "receivers/polarisation", 3, table.count, &table.polarisation, error);
    }
    THEN(status, read_numbers(result, "receivers/gain", 1, table.count, &table.gain, error));
    if (status == PW_OK && hdf5_member_exists(result->file, "receivers/antenna")) {
        status = read_numbers(result, "receivers/antenna", ANTENNA_NUMBERS, table.count, &table.antenna, error);
    }
    status = status == PW_OK && table.axes == 2 && has_heights ? read_heights(result, &table, error) : status;
    for (int t = 0; status == PW_OK && t < result->transmitter_count; t++) {
        status = lattice_append(result, &result->transmitters[t], &table, error);
    }
    FREE_ALL(table.name, table.position, table.polarisation, table.gain, table.antenna, table.height);
    return status;
}
