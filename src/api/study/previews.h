/* Previews: the powers on a plan in a fraction of the time of a run, for whoever changes the plan and looks. In two
 * dimensions. Cells are up to twice as large, 16 frequencies stand for the band, and a run ends early; each transmitter
 * is solved alone, and kept until it changes, or the plan does.
 *
 *     PW_TRY(pw_previews_create(NULL, &previews, error));
 *     PW_TRY(pw_previews_solve(previews, &(pw_preview_task){"flat", text, 1}, NULL, &facts, error));
 *     PW_TRY(pw_previews_map(previews, &options, &shape, &values, error));     // as pw_map_compute has them
 */
#ifndef PLANWAVE_PREVIEWS_H
#define PLANWAVE_PREVIEWS_H

#include "api/backend.h"
#include "api/map.h"
#include "api/scenario.h"

PW_C_BEGIN

typedef struct previews pw_previews;

/* `compute` NULL: zeros. What it points to must outlive the previews. The caller frees *previews with
 * pw_previews_free. One thread at a time. */
pw_status pw_previews_create(const pw_compute *compute, pw_previews **previews, pw_error *error);
/* NULL is allowed. */
void pw_previews_free(pw_previews *previews);

/* Of what. */
typedef struct pw_preview_task {
    const char *name, *text; /* the scenario in YAML, and what messages call it */
    uint32_t plan;           /* from 1 on: the same number as long as the plan is the same, its pictures too */
} pw_preview_task;

typedef struct pw_preview_facts {
    int transmitter_count, solved; /* all of them, and those that were not kept from before */
    double seconds;                /* that this took */
    double error;                  /* dB: forecast root mean square error of local means, of the worst transmitter */
} pw_preview_facts;

/* Solves the transmitters that were not solved so before. `monitor` may be NULL; it is asked during set-ups too. On
 * failure, PW_INTERRUPTED too, there are no maps, but what was solved is kept for the next time. */
pw_status pw_previews_solve(pw_previews *previews, const pw_preview_task *task, const pw_monitor *monitor,
                            pw_preview_facts *facts, pw_error *error);

/* A map of a quantity of powers (pw_quantity_is_power), as pw_map_compute makes it of a result; the caller frees
 * *values. PW_USAGE: another quantity, or nothing was solved. */
pw_status pw_previews_map(pw_previews *previews, const pw_map_options *options, pw_map_shape *shape, double **values,
                          pw_error *error);

/* Tells previews what a set-up of the whole scenario has chosen and forecast, so that they need not do it again. */
void pw_previews_learn(pw_previews *previews, const pw_setup *setup, uint32_t plan);

/* A set-up of one transmitter on the cells of a preview, for a film of its wave (simulation.h): a pulse of a third of
 * the band, until it has rung out. The caller frees the set-up, then the scenario that it stands on. PW_BAD_INPUT:
 * horizontal polarisation, which has no Ez. */
pw_status pw_previews_film(pw_previews *previews, const pw_preview_task *task, int transmitter, pw_scenario **scenario,
                           pw_setup **setup, pw_error *error);

PW_C_END

#endif
