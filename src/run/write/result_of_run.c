/* A run as a result in memory (result_of_run.h). Each part names the same numbers as its writer in run/write/ and
 * its reader beside it. */
#include "run/write/result_of_run.h"

#include "plan/plan_cut.h"
#include "result/result_reading.h"
#include "run/delay_warning.h"
#include "run/write/result_parts.h"

#include <math.h>
#include <string.h>

static const char NAME[] = "a run that was not written"; /* what errors call it */

static pw_status copy_numbers(const double *from, size_t count, double **to, pw_error *error)
{
    TRY_MADE(*to = allocate(count, sizeof **to, "numbers of a result", error));
    memcpy(*to, from, count * sizeof **to);
    return PW_OK;
}

static pw_status copy_text(const char *from, char **to, pw_error *error)
{
    *to = strdup(from != NULL ? from : "");
    return *to != NULL ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for a text");
}

/* ---- the root ---------------------------------------------------------------------------------------------------- */

static void fill_grid(struct result *result, const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    result->nx = problem->axis[0].count;
    result->ny = problem->axis[1].count;
    result->nz = 1;
    result->dimensions = 2;
    result->horizontal = setup->scenario->horizontal;
    result->cell = problem->axis[0].spacing;
    result->time_step = problem->time_step;
    result->origin_x = setup->origin.x;
    result->origin_y = setup->origin.y;
    result->band_centre = setup->scenario->band_centre;
    result->band_width = setup->scenario->band_width;
    struct plan_over over;
    pw_error ignored;
    (void)floorplan_over(setup->scenario, &over, &ignored); /* the second cut is not solved here */
    result->over_height = over.height;
    result->over_from = over.from;
    result->layer = setup->scenario->grid.absorber.cells;
    for (int a = 0; a < 2; a++) {
        result->low[a] = setup_absorber_cells(setup, a, 0);
        result->high[a] = setup_absorber_cells(setup, a, 1);
    }
}

/* The file has them as frequencies, so that what is read differs from the set-up's in the last bit. */
static pw_status fill_frequencies(struct result *result, const struct setup *setup, pw_error *error)
{
    size_t count = (size_t)setup->frequency_count;
    TRY(copy_numbers(setup->frequency, count, &result->frequency, error));
    TRY(copy_numbers(setup->omega, count, &result->omega, error));
    for (size_t n = 0; n < count; n++) {
        result->omega[n] = result->omega[n] / (2 * M_PI) * (2 * M_PI);
    }
    result->frequency_count = (int)count;
    return PW_OK;
}

static pw_status fill_patterns(struct result *result, const struct scenario *scenario, pw_error *error)
{
    TRY_MADE(result->patterns = allocate((size_t)scenario->pattern_count, sizeof *result->patterns, "antennas", error));
    for (int n = 0; n < scenario->pattern_count; n++) {
        const struct antenna_pattern *from = scenario->patterns[n];
        struct antenna_pattern *to = &result->patterns[n];
        *to = *from;
        to->azimuth.level = to->elevation.level = to->field = NULL; /* as a file has it: cuts alone */
        to->rows = to->columns = 0;
        to->form = FORM_CUTS;
        result->pattern_count = n + 1;
        TRY(copy_numbers(from->azimuth.level, (size_t)from->azimuth.count, &to->azimuth.level, error));
        TRY(copy_numbers(from->elevation.level, (size_t)from->elevation.count, &to->elevation.level, error));
    }
    return PW_OK;
}

static pw_status fill_root(struct result *result, const struct setup *setup, pw_error *error)
{
    result->file = H5I_INVALID_HID;
    fill_grid(result, setup);
    TRY(copy_text(NAME, &result->path, error));
    TRY(copy_text(setup->scenario->title, &result->title, error));
    TRY(copy_text(scheme_name(setup->scenario->grid.scheme), &result->scheme, error));
    TRY(fill_frequencies(result, setup, error));
    return fill_patterns(result, setup->scenario, error);
}

/* ---- the transmitter --------------------------------------------------------------------------------------------- */

/* With horizontal polarisation a line of dipoles is one of Hertzian ones, as the file says. */
static void fill_antenna(struct result *result, const struct transmitter_choice *choice,
                         struct result_transmitter *transmitter)
{
    static const char *const WORDS[] = {"", "hertzian", "half_wave", "pattern"};
    struct antenna *antenna = &transmitter->antenna;
    *antenna = choice->antenna;
    if (result->horizontal && choice->polarisation.z == 0) {
        antenna->kind = ANTENNA_HERTZIAN;
    }
    snprintf(transmitter->antenna_word, NAME_SIZE, "%s",
             result->horizontal && choice->polarisation.z != 0 ? "loop" : WORDS[antenna->kind]);
    antenna->pattern = NULL;
    for (int n = 0; antenna->kind == ANTENNA_PATTERN && n < result->pattern_count; n++) {
        if (strcmp(result->patterns[n].name, choice->antenna.pattern->name) == 0) {
            antenna->pattern = &result->patterns[n];
        }
    }
}

static void fill_choice(struct result *result, const struct setup *setup, int t, struct result_transmitter *transmitter)
{
    const struct transmitter_choice *choice = &setup->scenario->transmitters[t];
    const struct array_report *array = setup->arrays != NULL ? &setup->arrays[t] : NULL;
    memcpy(transmitter->name, choice->name, NAME_SIZE);
    transmitter->x = choice->at.x;
    transmitter->y = choice->at.y;
    transmitter->height = isnan(choice->height) ? NAN : 0.5 * (choice->height + choice->to_height);
    transmitter->polarisation[2] = 1;
    if (result->horizontal) {
        memcpy(transmitter->polarisation,
               (double[]){choice->polarisation.x, choice->polarisation.y, choice->polarisation.z},
               sizeof transmitter->polarisation);
    }
    transmitter->power = choice->power;
    transmitter->channel = choice->channel;
    transmitter->port = choice->port;
    transmitter->conducted = choice->has_conducted ? choice->conducted : NAN;
    transmitter->pattern_error = array != NULL && array->count > 0 ? array->error : NAN;
    transmitter->soft = choice->source != SOURCE_HARD;
    transmitter->sampled_at_step_end = choice->sampled_at_step_end;
    fill_antenna(result, choice, transmitter);
}

static pw_status fill_energy(const struct simulation *simulation, int run, struct result_transmitter *transmitter,
                             pw_error *error)
{
    const struct energy_history *history = &simulation->history[run];
    double peak = simulation->peak_energy[run];
    if (history->count == 0 || !(peak > 0)) {
        return PW_OK;
    }
    TRY(copy_numbers(history->step, (size_t)history->count, &transmitter->energy_time, error));
    TRY(copy_numbers(history->energy, (size_t)history->count, &transmitter->energy, error));
    for (int n = 0; n < history->count; n++) {
        transmitter->energy_time[n] *= simulation->setup->problem.time_step;
        transmitter->energy[n] /= peak;
    }
    transmitter->energy_count = history->count;
    return PW_OK;
}

/* ---- its spectra ------------------------------------------------------------------------------------------------- */

static pw_status fill_axis(double first, double pitch, int count, double **axis, pw_error *error)
{
    *axis = allocate((size_t)count, sizeof **axis, "an axis", error);
    for (int n = 0; *axis != NULL && n < count; n++) {
        (*axis)[n] = first + (double)n * pitch;
    }
    return *axis != NULL ? PW_OK : PW_NO_RESOURCE;
}

static pw_status fill_sheet(const struct simulation *simulation, int run, int s, struct result_sheet *sheet,
                            pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const struct lattice lattice = result_lattice(setup, s);
    size_t count = 2 * (size_t)lattice.rows * (size_t)lattice.columns * (size_t)setup->problem.spectra.frequency_count;
    sheet->component = sheet->normal = 2;
    if (setup->sheets != NULL) {
        sheet->component = (int)setup->sheets[s].component % 3;
        sheet->normal = setup->sheets[s].normal;
        sheet->asked = setup->sheets[s].asked;
        sheet->position = setup->sheets[s].position;
        snprintf(sheet->name, NAME_SIZE, "%s", lattice.component);
    }
    sheet->rows = lattice.rows;
    sheet->columns = lattice.columns;
    TRY(fill_axis(lattice.column_first, lattice.pitch, lattice.columns, &sheet->column_axis, error));
    TRY(fill_axis(lattice.row_first, lattice.pitch, lattice.rows, &sheet->row_axis, error));
    TRY_MADE(sheet->values = allocate(count, sizeof *sheet->values, "spectra", error));
    TRY(result_read_lattice(simulation, run, &lattice, 0, lattice.rows, sheet->values, error));
    for (size_t n = 0; setup->problem.precision == PW_SINGLE && n < count; n++) {
        sheet->values[n] = (float)sheet->values[n];
    }
    return PW_OK;
}

static pw_status fill_spectra(const struct simulation *simulation, int run, struct result_transmitter *transmitter,
                              pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const struct spectra *spectra = &setup->problem.spectra;
    int count = setup->sheets != NULL ? spectra->sheet_count : 1;
    if (spectra->frequency_count == 0 || spectra->rows == 0 || spectra->columns == 0) {
        return PW_OK;
    }
    TRY_MADE(transmitter->sheets = allocate((size_t)count, sizeof *transmitter->sheets, "sheets of spectra", error));
    for (int s = 0; s < count; s++) {
        transmitter->sheet_count = s + 1;
        TRY(fill_sheet(simulation, run, s, &transmitter->sheets[s], error));
    }
    return PW_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static pw_status fill_transmitter(struct result *result, const struct simulation *simulation, int run, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    struct result_transmitter *transmitter = allocate(1, sizeof *transmitter, "a transmitter", error);
    TRY_MADE(transmitter);
    result->transmitters = transmitter;
    result->transmitter_count = 1;
    fill_choice(result, setup, simulation->first + run, transmitter);
    transmitter->samples = simulation->step;
    const struct pulse_time pulse = simulation_pulse_time(simulation, run);
    transmitter->waveform_centre = pulse.centre;
    transmitter->waveform_length = pulse.length;
    if (setup->frequency_count > 0) {
        transmitter->spectrum = allocate(2 * (size_t)setup->frequency_count, sizeof(double), "a spectrum", error);
        TRY(transmitter->spectrum == NULL
                ? PW_NO_RESOURCE
                : pw_simulation_source_spectrum(simulation, run, transmitter->spectrum, error));
    }
    TRY(fill_energy(simulation, run, transmitter, error));
    return fill_spectra(simulation, run, transmitter, error);
}

pw_status result_of_run(const struct simulation *simulation, int run, pw_result **result, pw_error *error)
{
    *result = NULL;
    FAIL_IF(setup_is_3d(simulation->setup) || simulation->step < 1, error, PW_USAGE,
            "a result without a file is of a run of some steps in two dimensions");
    OWNED_AS(pw_result) *made = allocate(1, sizeof *made, "a result", error);
    TRY_MADE(made);
    TRY(fill_root(made, simulation->setup, error));
    TRY(fill_transmitter(made, simulation, run, error));
    TRY(result_sheets_begin(made, error));
    *result = made;
    made = NULL;
    return PW_OK;
}
