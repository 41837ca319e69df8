/* The guard on delays against converged runs: five plans, each solved once, long and at many receivers; what shorter
 * runs with fewer frequencies would have reported comes from the same series, so that a whole table costs one solve.
 * The converged spread is that of the whole run with a period of the profile that is as long. */
#include "validation/support/case.h"

#include "tests/support/delay_plans.h"

enum { STOPS = 5, COUNTS = 5 };

static const int counts[COUNTS] = {9, 17, 33, 65, 257};

static void table_row(struct validation *validation, const struct delay_plan *plan, double stop, int count,
                      const struct delay_score *score)
{
    case_text(validation, "| %s | %.0f | %d | %.0f | %.1f | %.0f | %.0f | %.0f | %.1f |\n", plan->name, stop * 1e9,
              count, (count - 1) / plan->band_width * 1e9, score->median * 1e9, 100 * score->wrong,
              100 * score->flagged, 100 * score->needless, 100 * score->largest);
}

/* All stops and counts of a plan; returns the largest error that was not flagged. */
static double plan_table(struct validation *validation, const struct delay_plan *plan, double *needless)
{
    struct delay_solved solved = delay_plan_solve(plan, validation->backend);
    const struct delay_series *series = &solved.series;
    double *converged = calloc((size_t)series->receivers, sizeof *converged), largest = 0;
    *needless = 0;
    int without = delay_converged(series, converged);
    double sorted[DELAY_RECEIVERS], end = delay_series_end(series);
    int known = 0;
    for (int r = 0; r < series->receivers; r++) {
        if (!isnan(converged[r])) {
            sorted[known++] = converged[r];
        }
    }
    qsort(sorted, (size_t)known, sizeof *sorted, delay_ascending);
    for (int s = 0; s < STOPS; s++) {
        double stop = plan->stops[s] > 0 ? fmin(plan->stops[s], end) : end;
        for (int c = 0; c < COUNTS; c++) {
            struct delay_score score = delay_score(series, stop, counts[c], PW_SPREADING_DELAY, converged);
            table_row(validation, plan, stop, counts[c], &score);
            largest = fmax(largest, score.largest);
            *needless = s == STOPS - 1 && c == COUNTS - 1 ? score.needless : *needless;
        }
    }
    case_text(validation, "| %s, converged | %.0f | | | %.1f | | | | %d of %d points without |\n", plan->name,
              end * 1e9, known > 0 ? 1e9 * sorted[known / 2] : NAN, without, series->receivers);
    free(converged);
    delay_solved_free(&solved);
    return largest;
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "delay_guard", "The guard on delays",
        "RMS delay spreads of runs of several lengths and counts of frequencies against those of a converged "
        "run, at the points of a grid: what is off by more than 10 % must be flagged. A closed metal room, "
        "which never converges; an office; a point source beside a metal mirror (two paths); a hall of "
        "concrete; a hall of metal with openings. A spread is exempt where it and the converged one lie "
        "below the resolution 1/B, and is marked so.");
    case_text(&validation,
              "| plan | run [ns] | frequencies | period [ns] | median spread [ns] | off by over 10 %% [%% of points] "
              "| flagged [%%] | flagged though off by under 3 %% [%%] | largest error not flagged [%%] |\n"
              "|---|---|---|---|---|---|---|---|---|\n");
    double largest[DELAY_PLANS], needless[DELAY_PLANS];
    int plans = validation.quick ? 2 : DELAY_PLANS;
    for (int p = 0; p < plans; p++) {
        largest[p] = plan_table(&validation, &delay_plans[p], &needless[p]);
    }
    case_text(&validation, "\n");
    for (int p = 0; p < plans; p++) {
        case_gate(&validation, largest[p], 0.1, "%s: largest error of a spread not flagged", delay_plans[p].name);
        if (delay_plans[p].converges) {
            case_gate(&validation, needless[p], 0.05,
                      "%s: flagged though right, whole run, most frequencies [of the points]", delay_plans[p].name);
        }
    }
    return case_end(&validation);
}
