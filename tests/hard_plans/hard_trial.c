/* Solving a hard plan twice (hard_trial.h), in memory, and comparing the running spectra. */
#include "tests/hard_plans/hard_trial.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "run/simulation.h"

enum { TEXT_SIZE = 1 << 15, OVERRIDES = 8, WORD = 64, FREQUENCIES = 5 };

/* What has to be freed. */
struct solution {
    pw_scenario *scenario;
    pw_setup *setup;
    pw_simulation *simulation;
};

static void solution_end(struct solution *solution)
{
    pw_simulation_free(solution->simulation);
    pw_setup_free(solution->setup);
    pw_scenario_free(solution->scenario);
    *solution = (struct solution){0};
}

static pw_status set_up(const char *text, char overrides[][WORD], size_t count, struct solution *solution,
                        pw_error *error)
{
    const char *words[OVERRIDES];
    for (size_t n = 0; n < count; n++) {
        words[n] = overrides[n];
    }
    TRY(pw_scenario_parse("hard plan", text, words, count, &solution->scenario, error));
    return pw_setup_create(solution->scenario, PW_SINGLE, false, &solution->setup, error);
}

/* The running spectra over the current, of the component that stands third. */
static pw_status read_floor(const struct solution *solution, struct plan_floor *floor, pw_error *error)
{
    const struct setup *setup = solution->setup;
    const struct spectra *lattice = &setup->problem.spectra;
    const struct setup_sheet *sheet = setup->sheets;
    const double cell = setup->problem.axis[0].spacing;
    *floor = (struct plan_floor){.frequencies = lattice->frequency_count,
                                 .rows = sheet != NULL ? sheet->rows : lattice->rows,
                                 .columns = sheet != NULL ? sheet->columns : lattice->columns,
                                 .x0 = sheet != NULL ? sheet->column_first : setup->origin.x + lattice->x0 * cell,
                                 .y0 = sheet != NULL ? sheet->row_first : setup->origin.y + lattice->y0 * cell,
                                 .pitch = sheet != NULL ? sheet->pitch : lattice->spacing * cell,
                                 .source = {setup->chosen.transmitters[0].at.x, setup->chosen.transmitters[0].at.y}};
    const size_t points = (size_t)floor->rows * (size_t)floor->columns;
    double *current = allocate(2 * (size_t)floor->frequencies, sizeof *current, "a spectrum", error);
    floor->value = allocate(points * (size_t)floor->frequencies, sizeof *floor->value, "a floor", error);
    pw_status status = current == NULL || floor->value == NULL ? PW_NO_RESOURCE : PW_OK;
    status = status == PW_OK
                 ? pw_simulation_spectra(solution->simulation, 0, 0, lattice->rows, (double *)floor->value, error)
                 : status;
    status = status == PW_OK ? pw_simulation_source_spectrum(solution->simulation, 0, current, error) : status;
    for (int f = 0; f < floor->frequencies && status == PW_OK; f++) {
        double complex unit = current[2 * f] + I * current[2 * f + 1];
        if (setup->scenario->horizontal) { /* Hz is half a step older */
            unit *= cexp(-0.5 * I * setup->omega[f] * setup->problem.time_step) / setup->magnetic_scale;
        }
        for (size_t n = 0; n < points; n++) {
            floor->value[(size_t)f * points + n] /= unit;
        }
    }
    free(current);
    return status;
}

static pw_status solve_floor(struct solution *solution, const char *backend, struct plan_floor *floor, pw_error *error)
{
    TRY(pw_simulation_create(solution->setup, &(pw_compute){.backend = backend}, 0, 1, &solution->simulation, error));
    TRY(pw_simulation_run(solution->simulation, NULL, NULL, error));
    return read_floor(solution, floor, error);
}

static double node_updates(const pw_facts *facts, double steps)
{
    return (double)facts->nx * (double)facts->ny * (double)facts->nz * steps;
}

/* The same plan, scheme and end on cells `finer` times as small: an odd number, so that nodes stay nodes. */
static size_t finer_words(const struct solution *coarse, const struct hard_trial *trial, char words[][WORD])
{
    const pw_facts *facts = &trial->facts;
    size_t count = 0;
    snprintf(words[count++], WORD, "grid.cell=%.17g", facts->cell / trial->finer);
    snprintf(words[count++], WORD, "grid.scheme=%s", facts->scheme);
    snprintf(words[count++], WORD, "grid.averaging=%s", facts->averaging);
    snprintf(words[count++], WORD, "spectra.count=%d", FREQUENCIES);
    snprintf(words[count++], WORD, "spectra.spacing=1");
    snprintf(words[count++], WORD, "stop.after=%.17g", (double)coarse->simulation->step * facts->time_step);
    snprintf(words[count++], WORD, "stop.decay=off");
    if (trial->plan.volume) {
        snprintf(words[count++], WORD, "spectra.heights=[%.17g]", coarse->setup->sheets[0].position);
    }
    return count;
}

static pw_status compare(const char *text, struct solution *coarse, const char *backend, double work,
                         struct hard_trial *trial, pw_error *error)
{
    struct plan_floor floor[2] = {{0}};
    struct solution fine = {0};
    char words[OVERRIDES][WORD];
    pw_status status = solve_floor(coarse, backend, &floor[0], error);
    if (status == PW_OK) {
        const double updates = node_updates(&trial->facts, (double)coarse->simulation->step);
        trial->finer = (trial->plan.volume ? 625 : 125) * updates < work ? 5 : 3;
        status = set_up(text, words, finer_words(coarse, trial, words), &fine, error);
    }
    status = status == PW_OK ? solve_floor(&fine, backend, &floor[1], error) : status;
    if (status == PW_OK && !plan_floors_match(&floor[0], &floor[1])) {
        status = fail(error, PW_BAD_INPUT, "the finer solution has other points");
    }
    if (status == PW_OK) {
        trial->found = plan_error_find(&floor[0], &floor[1], 299792458.0 / trial->plan.frequency);
    }
    plan_floor_free(&floor[0]);
    plan_floor_free(&floor[1]);
    solution_end(&fine);
    return status;
}

/* Whether something is said about how right it will be. */
static bool is_warned(const pw_setup *setup)
{
    bool warned = false;
    for (size_t n = 0; n < pw_setup_warning_count(setup); n++) {
        const char *warning = pw_setup_warning(setup, n);
        warned = warned || strstr(warning, "cell") != NULL || strstr(warning, "forecast") != NULL;
    }
    return warned;
}

pw_status hard_trial_run(unsigned seed, const char *backend, double work, struct hard_trial *trial, pw_error *error)
{
    const double started = clock_seconds();
    struct solution coarse = {0};
    char words[2][WORD], *text = allocate(TEXT_SIZE, 1, "a plan", error);
    FILE *stream = text != NULL ? fmemopen(text, TEXT_SIZE - 1, "w") : NULL;
    *trial = (struct hard_trial){.plan = hard_plan_facts(seed)};
    if (stream == NULL) {
        free(text);
        return fail(error, PW_NO_RESOURCE, "no memory for a plan");
    }
    hard_plan_write(seed, stream);
    fclose(stream);
    snprintf(words[0], WORD, "spectra.count=%d", FREQUENCIES);
    snprintf(words[1], WORD, "spectra.spacing=1");
    pw_status status = set_up(text, words, 2, &coarse, error);
    if (status == PW_OK) {
        trial->facts = pw_setup_facts(coarse.setup);
        trial->warned = is_warned(coarse.setup);
        snprintf(trial->scheme, sizeof trial->scheme, "%s", trial->facts.scheme);
        status = compare(text, &coarse, backend, work, trial, error);
    }
    solution_end(&coarse);
    free(text);
    trial->seconds = clock_seconds() - started;
    return status;
}

const char *hard_quantity_name(int quantity)
{
    static const char *const NAMES[HARD_QUANTITIES] = {"field", "local mean", "point"};
    return NAMES[quantity];
}

/* A depth that a few points have says nothing. */
enum { POINTS_LEAST = 50 };

static void tally_depth(struct depth_tally *tally, double ratio, int points)
{
    if (points >= POINTS_LEAST) {
        tally->tried++;
        tally->within_two += ratio >= 0.5 && ratio <= 2;
        tally->too_good += !(ratio >= 1.0 / 3);
    }
}

void hard_tally_add(struct hard_tally *tally, unsigned seed, const struct hard_trial *trial)
{
    const struct hard_facts *plan = &trial->plan;
    const pw_facts *facts = &trial->facts;
    const struct plan_error *found = &trial->found;
    const double forecast[HARD_QUANTITIES] = {facts->field_error, facts->local_mean_error, facts->point_error};
    const double error[HARD_QUANTITIES] = {found->field, found->local_mean, found->point};
    printf("%3u %-12s %s %4.1f GHz, %4.1f MHz, %.1f x %.1f wavelengths, %.1f cells, 1/%d:", seed,
           hard_kind_name(plan->kind),
           plan->volume       ? "3D  "
           : plan->horizontal ? "hor."
                              : "ver.",
           1e-9 * plan->frequency, 1e-6 * plan->band, plan->width * plan->frequency / 299792458.0,
           plan->height * plan->frequency / 299792458.0, 299792458.0 / plan->frequency / facts->cell, trial->finer);
    tally->tried++;
    for (int q = 0; q < HARD_QUANTITIES; q++) {
        const double ratio = forecast[q] / error[q];
        tally->within_two[q] += ratio >= 0.5 && ratio <= 2;
        tally->too_good[q] += !(ratio >= 1.0 / 3);
        tally->silent[q] += !(ratio >= 1.0 / 3) && !trial->warned;
        printf("  %s %.3g of %.3g (%.2f)", hard_quantity_name(q), forecast[q], error[q], ratio);
    }
    printf("  by depth");
    for (int d = 0; d < PLAN_DEPTHS; d++) {
        printf("%s %.2f of %.2f dB, %.0f of %.0f %%", d > 0 ? ";" : "", facts->local_mean_error_by_depth[d],
               found->by_depth[d], 100 * facts->field_error_by_depth[d], 100 * found->field_by_depth[d]);
        tally_depth(&tally->depth[d], facts->local_mean_error_by_depth[d] / found->by_depth[d], found->at_depth[d]);
    }
    printf("%s, %.0f s\n", trial->warned ? ", warned" : "", trial->seconds);
    fflush(stdout);
}

bool hard_tally_holds(const struct hard_tally *tally)
{
    bool holds = tally->failed == 0 && tally->tried > 0;
    for (int q = 0; q < HARD_QUANTITIES; q++) {
        holds = holds && 100 * tally->within_two[q] >= 95 * tally->tried && tally->silent[q] == 0;
    }
    return holds;
}
