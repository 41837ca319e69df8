/* Solving for a session (solve.h).
 *
 * A preview solves a third of the band, from its middle, on cells that are larger for it, at most twice as large as the
 * full ones: not larger than the law of errors was measured for, three to the wavelength in the slowest material at the
 * upper edge of that band. (On the flat of floorplans/ cells of 3.1 cm, 2.1 to that wavelength over the full band, are
 * 6 dB off; 2.3 cm and a third of the band 0.9 dB.) It ends when the energy is 10 dB under its peak. */
#include "live/solve/solve.h"

#include "base/clock.h"
#include "base/constants.h"
#include "plan/plan_cut.h"
#include "result/result_writer.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double QUICK_BAND = 1.0 / 3, QUICK_COARSER = 2, QUICK_CELLS = 3.01, QUICK_DECAY = -10 /* dB */,
                    QUICK_POINTS = 1.5 /* to a wavelength */;
enum { QUICK_FREQUENCIES = 8 };

/* ---- previews ---------------------------------------------------------------------------------------------------- */

/* The slowest wavelength at the upper edge of the band, which may be a part of the scenario's. */
static double slowest_wavelength(const struct scenario *scenario, const struct solve_task *task, double part)
{
    double edge = scenario->band_centre + 0.5 * part * scenario->band_width;
    return SPEED_OF_LIGHT / (edge * sqrt(task->largest_permittivity));
}

static double quick_cell(const struct scenario *scenario, const struct solve_task *task)
{
    double usual = slowest_wavelength(scenario, task, 1) / task->choices->cells;
    double coarsest = slowest_wavelength(scenario, task, QUICK_BAND) / QUICK_CELLS;
    return fmin(QUICK_COARSER * usual, fmax(usual, coarsest));
}

/* Cells between the points of the map, which is a local mean over a wavelength; 0: as usual. */
static int quick_spacing(const struct scenario *scenario)
{
    double cells = scenario->grid.cell > 0 ? SPEED_OF_LIGHT / (scenario->band_centre * scenario->grid.cell) : 0;
    return (int)floor(cells / QUICK_POINTS);
}

/* Without choices the preview chooses by itself. */
static void coarsen(struct scenario *scenario, const struct solve_task *task)
{
    const struct solve_choices *choices = task->choices;
    if (choices->known) {
        struct grid_choice *grid = &scenario->grid;
        grid->scheme = choices->scheme;
        grid->averaging = choices->averaging;
        grid->scheme_open = grid->averaging_open = false;
        grid->cells_per_wavelength = 0;
        grid->cell = quick_cell(scenario, task);
        grid->courant = 0;
    }
    scenario->band_width *= QUICK_BAND;
    scenario->spectra.enabled = true;
    scenario->spectra.count = QUICK_FREQUENCIES;
    scenario->spectra.spacing = quick_spacing(scenario);
    scenario->spectra.every = 0;
    scenario->stop.steps = 0;
    scenario->stop.decay_open = false;
    scenario->stop.decay = QUICK_DECAY;
    scenario->receiver_count = scenario->lattice_receiver_count = 0;
}

/* The chosen transmitter stands first while the others are left out; the plan stays cut where the first one has it. */
static pw_status leave_one(struct scenario *scenario, int only, pw_error *error)
{
    TRY(floorplan_cut_height(scenario, &scenario->plan.cut, error));
    struct transmitter_choice first = scenario->transmitters[0];
    scenario->transmitters[0] = scenario->transmitters[only];
    scenario->transmitters[only] = first;
    scenario->transmitter_count = 1;
    return PW_OK;
}

void quick_plan_free(struct quick_plan *plan)
{
    if (plan->common.has_plan) {
        floorplan_free(&plan->common.plan);
    }
    *plan = (struct quick_plan){0};
}

/* Keeps a copy of a set-up's forecast, where there is memory for it. */
static void transport_note(const struct setup *setup, uint32_t plan_revision, struct solve_choices *choices)
{
    choices->transport = choices->transport != NULL ? choices->transport : malloc(sizeof *choices->transport);
    if (choices->transport != NULL) {
        *choices->transport = *setup->transport;
        choices->plan_revision = plan_revision;
    }
}

/* The plan that was read before goes on if it is the same, and so does the forecast of how energy travels on it. */
static pw_status quick_setup(const struct solve_task *task, struct quick *quick, pw_error *error)
{
    bool forecast = task->choices->transport != NULL && task->choices->plan_revision == task->plan_revision;
    if (task->plan->revision != task->plan_revision) {
        quick_plan_free(task->plan);
        task->plan->revision = task->plan_revision;
    }
    task->plan->common.transport = forecast ? task->choices->transport : NULL;
    TRY(setup_create_common(quick->scenario, &task->plan->common, &quick->setup, error));
    if (!forecast) {
        transport_note(quick->setup, task->plan_revision, task->choices);
    }
    return PW_OK;
}

pw_status quick_create(const struct solve_task *task, int only, struct quick *quick, pw_error *error)
{
    *quick = (struct quick){.plan = task->plan};
    TRY(pw_scenario_parse(task->name, task->text, NULL, 0, &quick->scenario, error));
    struct scenario *scenario = quick->scenario;
    quick->transmitter_count = scenario->transmitter_count;
    quick->receiver_count = scenario->receiver_count;
    quick->lattice_receiver_count = scenario->lattice_receiver_count;
    coarsen(scenario, task);
    bool alone = only >= 0 && only < scenario->transmitter_count;
    pw_status status = alone ? leave_one(scenario, only, error) : PW_OK;
    status = status == PW_OK ? quick_setup(task, quick, error) : status;
    if (status != PW_OK) {
        quick_free(quick);
    }
    return status;
}

void quick_free(struct quick *quick)
{
    setup_free_common(quick->setup, quick->plan != NULL ? &quick->plan->common : NULL);
    if (quick->scenario != NULL) {
        quick->scenario->transmitter_count = quick->transmitter_count;
        quick->scenario->receiver_count = quick->receiver_count;
        quick->scenario->lattice_receiver_count = quick->lattice_receiver_count;
    }
    pw_scenario_free(quick->scenario);
    *quick = (struct quick){0};
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

struct stretch {
    const struct solve_task *task;
    int first, total;
};

static bool tell_progress(const pw_progress *progress, void *user)
{
    const struct stretch *stretch = user;
    double done = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0;
    return stretch->task->go_on((stretch->first + done) / stretch->total, progress->seconds_left, stretch->task->user);
}

/* One transmitter after the other: each has the bits that it has in an ensemble. */
static pw_status transmitters_solve(const struct solve_task *task, const struct setup *setup,
                                    struct result_writer *writer, pw_error *error)
{
    int total = setup->problem.source_count;
    pw_status status = PW_OK;
    for (int t = 0; t < total && status == PW_OK; t++) {
        struct stretch stretch = {task, t, total};
        pw_simulation *simulation = NULL;
        TRY(pw_simulation_create(setup, task->backend, task->threads, t, 1, &simulation, error));
        status = pw_simulation_run(simulation, tell_progress, &stretch, error);
        if (status == PW_OK) {
            pthread_mutex_lock(task->files);
            status = result_add(writer, simulation, error);
            pthread_mutex_unlock(task->files);
        }
        pw_simulation_free(simulation);
    }
    return status;
}

static pw_status setup_solve(const struct solve_task *task, const struct setup *setup, double began, pw_error *error)
{
    struct result_writer *writer = NULL;
    pthread_mutex_lock(task->files);
    pw_status status = result_create(task->path, true, setup, &writer, error);
    pthread_mutex_unlock(task->files);
    TRY(status);
    double created = clock_seconds();
    status = transmitters_solve(task, setup, writer, error);
    pthread_mutex_lock(task->files);
    if (status == PW_OK) {
        status = result_commit(writer, created - began, clock_seconds() - created, error);
    } else {
        result_abandon(writer);
    }
    pthread_mutex_unlock(task->files);
    return status;
}

static void choices_note(const struct solve_task *task, const struct setup *setup)
{
    struct solve_choices *choices = task->choices;
    choices->known = true;
    choices->scheme = setup->chosen.grid.scheme;
    choices->averaging = setup->chosen.grid.averaging;
    choices->cells = slowest_wavelength(&setup->chosen, task, 1) / setup->chosen.grid.cell;
    transport_note(setup, task->plan_revision, choices);
}

static pw_status full_solve(const struct solve_task *task, double began, double *error_db, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    TRY(pw_scenario_parse(task->name, task->text, NULL, 0, &scenario, error));
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        choices_note(task, setup);
        *error_db = setup->error.local_mean;
        status = setup_solve(task, setup, began, error);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return status;
}

static pw_status quick_solve(const struct solve_task *task, double began, double *error_db, pw_error *error)
{
    struct quick quick;
    TRY(quick_create(task, -1, &quick, error));
    *error_db = quick.setup->error.local_mean;
    pw_status status = setup_solve(task, quick.setup, began, error);
    quick_free(&quick);
    return status;
}

pw_status solve_run(const struct solve_task *task, struct solved *solved, pw_error *error)
{
    double began = clock_seconds();
    *solved = (struct solved){0};
    if (task->threads > 0) {
        omp_set_num_threads(task->threads);
    }
    TRY(task->full ? full_solve(task, began, &solved->error_db, error)
                   : quick_solve(task, began, &solved->error_db, error));
    snprintf(solved->path, sizeof solved->path, "%s", task->path);
    pthread_mutex_lock(task->files);
    pw_status status = pw_result_open(task->path, &solved->result, error);
    pthread_mutex_unlock(task->files);
    if (status != PW_OK) {
        (void)unlink(task->path);
    }
    solved->seconds = clock_seconds() - began;
    return status;
}

void solved_close(struct solved *solved)
{
    if (solved->result != NULL) {
        pw_result_close(solved->result);
        (void)unlink(solved->path);
    }
    *solved = (struct solved){0};
}
