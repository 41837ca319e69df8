/* A hundred hard plans (tests/hard_plans): what was forecast of the error, and what it is. HARD_FIRST in the
 * environment is the number of the first, for plans that nobody has looked at. */
#include "validation/support/case.h"

#include "tests/hard_plans/hard_trial.h"

enum { PLANS = 100, QUICK = 4 };
static const double WORK = 4e9;

static void show_plan(struct validation *validation, FILE *file, unsigned seed, const struct hard_trial *trial)
{
    const struct plan_error *found = &trial->found;
    fprintf(file, "%g %g %d\n", 100 * trial->facts.field_error, 100 * found->field, (int)trial->plan.kind);
    case_text(validation,
              "| %u | %s | %s | %.1f | %.0f | %.0f / %.0f | %.2f / %.2f | %.2f / %.2f | %.2f, %.2f, %.2f |\n", seed,
              hard_kind_name(trial->plan.kind),
              trial->plan.volume       ? "3D"
              : trial->plan.horizontal ? "horizontal"
                                       : "vertical",
              1e-9 * trial->plan.frequency, 1e-6 * trial->plan.band, 100 * found->field, 100 * trial->facts.field_error,
              found->local_mean, trial->facts.local_mean_error, found->point, trial->facts.point_error,
              found->by_depth[0], found->by_depth[1], found->by_depth[2]);
}

static void gate_all(struct validation *validation, const struct hard_tally *tally)
{
    case_gate(validation, tally->failed, 0, "plans that could not be solved or compared");
    for (int q = 0; q < HARD_QUANTITIES; q++) {
        case_gate_between(validation, (double)tally->within_two[q] / tally->tried, 0.95, 1,
                          "%s: share of the forecasts within a factor of two", hard_quantity_name(q));
        case_gate(validation, tally->silent[q], 0, "%s: silently more than three times too good",
                  hard_quantity_name(q));
        case_figure(validation, tally->too_good[q], "%s: more than three times too good", hard_quantity_name(q));
    }
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "hard_plans", "The forecast of the error on hard plans",
                   "Plans with cupboards, posts, radiators, sheets and doors of metal, coated glass, lifts and thick "
                   "concrete, 0.9 to 28 GHz, made up from a number, with nothing set but plan, band and transmitter, "
                   "against the same on cells a fifth or a third as large.");
    const char *first = getenv("HARD_FIRST");
    const int plans = validation.quick ? QUICK : PLANS;
    static struct hard_trial trial[PLANS];
    struct hard_tally tally = {0};
    pw_error error[PLANS] = {{{0}}};
    pw_status status[PLANS];
    const unsigned start = first != NULL ? (unsigned)atoi(first) : 0;
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_SINGLE, false))
    for (int p = 0; p < plans; p++) {
        status[p] = hard_trial_run(start + (unsigned)p, validation.backend, WORK, &trial[p], &error[p]);
    }
    for (int p = 0; p < plans; p++) {
        if (status[p] == PW_OK) {
            hard_tally_add(&tally, start + (unsigned)p, &trial[p]);
        } else {
            printf("plan %u: %s\n", start + (unsigned)p, error[p].message);
            tally.failed++;
        }
    }
    gate_all(&validation, &tally);
    case_text(
        &validation,
        "\nFound / forecast; the last column is the error of local means in the strongest half of the floor, 20 "
        "and 40 dB under its median.\n\n| plan | kind | | GHz | MHz | field [%%] | local mean [dB] | point [dB] | by "
        "depth [dB] |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    FILE *file = case_data(&validation, "field");
    for (int p = 0; p < plans; p++) {
        if (status[p] == PW_OK) {
            show_plan(&validation, file, start + (unsigned)p, &trial[p]);
        }
    }
    case_close(file);
    case_plot(&validation, "field", "Error of the field that was found over that forecast; grey: a factor of two",
              "set logscale xy\nset xlabel 'forecast [%]'\nset ylabel 'found [%]'\nset xrange [1:200]\nset yrange "
              "[1:200]\nset key off\nplot data.'-field.dat' using 1:2:($3+1) with points pt 7 ps 1 lc variable, x with "
              "lines lc rgb '#888888', 2*x with lines dt 2 lc rgb '#bbbbbb', 0.5*x with lines dt 2 lc rgb '#bbbbbb'");
    return case_end(&validation);
}
