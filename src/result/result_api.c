/* The numbers of a result for callers of the library: facts, names, and arrays into buffers of theirs. */
#include "result/result.h"
#include "result/result_format.h"

#include <string.h>

pw_result_facts pw_result_describe(const pw_result *result)
{
    return (pw_result_facts){.title = result->title,
                             .scheme = result->scheme,
                             .nx = result->nx,
                             .ny = result->ny,
                             .absorber_cells = result->layer,
                             .cell = result->cell,
                             .time_step = result->time_step,
                             .origin_x = result->origin_x,
                             .origin_y = result->origin_y,
                             .band_centre = result->band_centre,
                             .band_width = result->band_width,
                             .frequency_count = result->frequency_count,
                             .transmitter_count = result->transmitter_count,
                             .dimensions = result->dimensions,
                             .horizontal = result->horizontal,
                             .nz = result->nz,
                             .origin_z = result->origin_z,
                             .absorber_low = {result->low[0], result->low[1], result->low[2]},
                             .absorber_high = {result->high[0], result->high[1], result->high[2]}};
}

const char *pw_result_path(const pw_result *result)
{
    return result->path;
}

const char *pw_result_text(const pw_result *result, const char *name, int index, size_t *length)
{
    const char *text = summary_find(result->summary, name, length);
    while (text != NULL && index-- > 0) {
        text = summary_find(text + *length, name, length);
    }
    return text;
}

pw_face pw_result_face(const pw_result *result)
{
    return (pw_face){.rows = result->face.rows,
                     .columns = result->face.columns,
                     .column_first = result->face.column_first,
                     .row_first = result->face.row_first};
}

/* PW_USAGE when a pointer that must be there is NULL. */
static pw_status given_check(const char *function, const void *result, const void *buffer, pw_error *error)
{
    return result != NULL && buffer != NULL
               ? PW_OK
               : fail(error, PW_USAGE, "%s: no %s given", function, result == NULL ? "result" : "buffer");
}

static pw_status transmitter_check(const struct result *result, int transmitter, pw_error *error)
{
    return transmitter >= 0 && transmitter < result->transmitter_count
               ? PW_OK
               : fail(error, PW_USAGE, "transmitter %d: this result has transmitters 0 to %d", transmitter,
                      result->transmitter_count - 1);
}

static pw_status receiver_check(const struct result *result, int transmitter, int receiver, pw_error *error)
{
    TRY(transmitter_check(result, transmitter, error));
    int count = result->transmitters[transmitter].receiver_count;
    return receiver >= 0 && receiver < count
               ? PW_OK
               : fail(error, PW_USAGE, "receiver %d: transmitter '%s' has %d receivers, from 0 on", receiver,
                      result->transmitters[transmitter].name, count);
}

static pw_status spectra_check(const struct result *result, int transmitter, pw_error *error)
{
    TRY(transmitter_check(result, transmitter, error));
    const struct result_transmitter *from = &result->transmitters[transmitter];
    return from->rows > 0 && from->columns > 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s: transmitter '%s' has no running spectra", result->path, from->name);
}

pw_status pw_result_frequencies(const pw_result *result, double *frequency, pw_error *error)
{
    TRY(given_check(__func__, result, frequency, error));
    if (result->frequency_count > 0) {
        memcpy(frequency, result->frequency, (size_t)result->frequency_count * sizeof *frequency);
    }
    return PW_OK;
}

pw_status pw_result_permittivity(const pw_result *result, double *relative_permittivity, pw_error *error)
{
    TRY(given_check(__func__, result, relative_permittivity, error));
    return result_read_permittivity(result, relative_permittivity, error);
}

pw_status pw_result_transmitter(const pw_result *result, int transmitter, pw_transmitter *facts, pw_error *error)
{
    TRY(given_check(__func__, result, facts, error));
    TRY(transmitter_check(result, transmitter, error));
    const struct result_transmitter *from = &result->transmitters[transmitter];
    *facts = (pw_transmitter){.name = from->name,
                              .x = from->x,
                              .y = from->y,
                              .height = from->height,
                              .polarisation = {from->polarisation[0], from->polarisation[1], from->polarisation[2]},
                              .power = from->power,
                              .channel = from->channel,
                              .hard_source = !from->soft,
                              .samples = from->samples,
                              .receiver_count = from->receiver_count,
                              .spectra_rows = from->rows,
                              .spectra_columns = from->columns,
                              .port = from->port};
    return PW_OK;
}

pw_status pw_result_receiver(const pw_result *result, int transmitter, int receiver, pw_receiver *facts,
                             pw_error *error)
{
    TRY(given_check(__func__, result, facts, error));
    TRY(receiver_check(result, transmitter, receiver, error));
    const struct result_receiver *from = &result->transmitters[transmitter].receivers[receiver];
    *facts = (pw_receiver){.name = from->name,
                           .x = from->x,
                           .y = from->y,
                           .height = from->height,
                           .polarisation = {from->polarisation[0], from->polarisation[1], from->polarisation[2]},
                           .gain = from->gain,
                           .recorded = from->row < 0,
                           .port = from->port};
    return PW_OK;
}

pw_status pw_result_find_transmitter(const pw_result *result, const char *name, int *transmitter, pw_error *error)
{
    TRY(given_check(__func__, result, transmitter, error));
    *transmitter = result_find_transmitter(result, name, error);
    return *transmitter >= 0 ? PW_OK : PW_BAD_INPUT;
}

pw_status pw_result_find_receiver(const pw_result *result, int transmitter, const char *name, int *receiver,
                                  pw_error *error)
{
    TRY(given_check(__func__, result, receiver, error));
    TRY(transmitter_check(result, transmitter, error));
    *receiver = result_find_receiver(result, transmitter, name, error);
    return *receiver >= 0 ? PW_OK : PW_BAD_INPUT;
}

pw_status pw_result_source_spectrum(const pw_result *result, int transmitter, double *spectrum, pw_error *error)
{
    TRY(given_check(__func__, result, spectrum, error));
    TRY(transmitter_check(result, transmitter, error));
    if (result->frequency_count > 0) {
        memcpy(spectrum, result->transmitters[transmitter].spectrum,
               2 * (size_t)result->frequency_count * sizeof *spectrum);
    }
    return PW_OK;
}

pw_status pw_result_series(const pw_result *result, int transmitter, int receiver, double *ez, pw_error *error)
{
    TRY(given_check(__func__, result, ez, error));
    TRY(receiver_check(result, transmitter, receiver, error));
    return result_read_receiver(result, transmitter, receiver, ez, error);
}

pw_status pw_result_series_of(const pw_result *result, int transmitter, int receiver, pw_component component, double *e,
                              pw_error *error)
{
    TRY(given_check(__func__, result, e, error));
    TRY(receiver_check(result, transmitter, receiver, error));
    FAIL_IF(component < PW_COMPONENT_EX || component > PW_COMPONENT_EZ, error, PW_USAGE,
            "pw_result_series_of: component %d; allowed are PW_COMPONENT_EX, _EY and _EZ", (int)component);
    return result_read_receiver_component(result, transmitter, receiver, (int)component - PW_COMPONENT_EX, e, error);
}

pw_status pw_result_spectra_axes(const pw_result *result, int transmitter, double *x, double *y, pw_error *error)
{
    TRY(given_check(__func__, result, x, error));
    TRY(given_check(__func__, result, y, error));
    TRY(spectra_check(result, transmitter, error));
    const struct result_transmitter *from = &result->transmitters[transmitter];
    memcpy(x, from->x_axis, (size_t)from->columns * sizeof *x);
    memcpy(y, from->y_axis, (size_t)from->rows * sizeof *y);
    return PW_OK;
}

pw_status pw_result_spectra(const pw_result *result, int transmitter, const pw_block *block, double *spectra,
                            pw_error *error)
{
    TRY(given_check(__func__, result, spectra, error));
    TRY(given_check(__func__, result, block, error));
    TRY(spectra_check(result, transmitter, error));
    return result_read_spectra(result, transmitter, block->row_first, block->row_count, block->column_first,
                               block->column_count, spectra, error);
}

double pw_result_energy_after(const pw_result *result, int transmitter, double delay)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    double energy = 0.0;
    for (int n = 0; n < from->energy_count; n++) {
        if (n == 0 || from->energy_time[n] - from->waveform_centre <= delay) {
            energy = from->energy[n];
        }
    }
    return energy;
}

void pw_result_edges(const pw_result *result, double edges[4])
{
    const struct result_face *face = &result->face;
    edges[0] = face->column_first + face->column_low * result->cell;
    edges[1] = face->column_first + (face->column_low + face->inner_columns) * result->cell;
    edges[2] = face->row_first + face->row_low * result->cell;
    edges[3] = face->row_first + (face->row_low + face->inner_rows) * result->cell;
}

void pw_result_sheet_edges(const pw_result *result, int sheet, double edges[4])
{
    struct result view;
    pw_error error;
    if (result_view_create(result, sheet, &view, &error) == PW_OK) {
        pw_result_edges(&view, edges);
        result_view_free(&view);
    } else {
        pw_result_edges(result, edges);
    }
}

bool pw_result_has_sheets(const pw_result *result)
{
    return result_is_vector(result);
}

const char *pw_component_symbol(const pw_result *result, pw_component component)
{
    return result_component_symbol(result, component == PW_COMPONENT_HZ ? 2 : (int)component - PW_COMPONENT_EX);
}

/* The plan's part of a face. */
static void face_cut(const struct result_face *face, const double *whole, double *inner)
{
    for (int j = 0; j < face->inner_rows; j++) {
        memcpy(inner + (size_t)j * (size_t)face->inner_columns,
               whole + (size_t)(j + face->row_low) * (size_t)face->columns + (size_t)face->column_low,
               (size_t)face->inner_columns * sizeof *inner);
    }
}

pw_status pw_result_plan_permittivity(const pw_result *result, int sheet, int *rows, int *columns,
                                      double *relative_permittivity, pw_error *error)
{
    OWNED_BY(result_view_free) struct result view = {0};
    TRY(result_view_create(result, sheet, &view, error));
    const struct result_face *face = &view.face;
    *rows = face->inner_rows;
    *columns = face->inner_columns;
    if (relative_permittivity != NULL) {
        OWNED double *whole =
            allocate((size_t)face->columns * (size_t)face->rows, sizeof *whole, "the permittivity of a plan", error);
        TRY_MADE(whole);
        TRY(result_read_permittivity(&view, whole, error));
        face_cut(face, whole, relative_permittivity);
    }
    return PW_OK;
}
