/* The kinds of absorber beside one another: what is left long after a pulse, and time a step. What they reflect is
 * absorber_kinds.c. */
#include "validation/boundary/kinds.h"
#include "validation/support/case.h"

enum { SCHEMES = 2 };
static const char *const SCHEME[SCHEMES] = {"yee", "dd4"};

/* ---- late time --------------------------------------------------------------------------------------------------- */

enum { EARLY = 4000 };

static struct text room(const char *scheme, int kind, int side)
{
    struct text text = {0};
    text_add(&text,
             "plan:\n  size: [%g, %g]\n  rectangles: [{from: [0, %g], to: [%g, %g], material: concrete}]\n"
             "band: {centre: 1 GHz, width: 0.4 GHz}\ntransmitters: [{name: t, at: [0.3, 0.2]}]\nspectra: off\n"
             "stop: {steps: 64000, decay: off}\ngrid: {scheme: %s, cell: 2 cm, absorber: {kind: %s",
             0.02 * side, 0.02 * side, 0.008 * side, 0.02 * side, 0.012 * side, scheme, KIND[kind].name);
    if (KIND[kind].order > 0) {
        text_add(&text, ", order: %d, cells: 20", KIND[kind].order);
    }
    text_add(&text, "}}\n");
    return text;
}

/* Energy at the last of so many steps, over its peak and over that after step EARLY [dB]. */
struct late {
    double left, growth;
};

static struct late watch_late(const char *scheme, int kind, int64_t steps, const char *backend)
{
    struct text text = room(scheme, kind, 48);
    struct solved solved = solve_prepare(text.text, PW_SINGLE, backend);
    pw_error error = {{0}};
    double early = 0, peak = 0, energy = 0;
    for (int look = 0; look < 40; look++) {
        case_require(stepper_advance(solved.simulation->stepper, EARLY / 40, &error), error.message);
        case_require(stepper_energy(solved.simulation->stepper, 0, &early, &error), error.message);
        peak = fmax(peak, early);
    }
    case_require(stepper_advance(solved.simulation->stepper, steps - EARLY, &error), error.message);
    case_require(stepper_energy(solved.simulation->stepper, 0, &energy, &error), error.message);
    solve_free(&solved);
    free(text.text);
    return (struct late){10 * log10(energy / peak), 10 * log10(energy / early)};
}

/* A number is rounded by at most 2^-24 of itself at each step: if all of a field at rest were rounded away from zero at
 * every step, its energy would grow by twice that a step. More is growth. */
static void gate_late(struct validation *validation)
{
    int schemes = validation->quick ? 1 : SCHEMES;
    int64_t steps = validation->quick ? 12000 : 64000;
    double rounding = 10 * log10(1 + 2.0 * (double)(steps - EARLY) * 0x1p-24);
    struct late late[SCHEMES * KINDS];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int n = schemes * KINDS - 1; n >= 0; n--) {
        late[n] = watch_late(SCHEME[schemes - 1 - n / KINDS], n % KINDS, steps, validation->backend);
    }
    for (int n = 0; n < schemes * KINDS; n++) {
        const char *scheme = SCHEME[schemes - 1 - n / KINDS];
        int kind = n % KINDS;
        if (kind != BERENGER) {
            case_gate(validation, late[n].growth, rounding, "%s, %s: energy after %d steps over that after %d [dB]",
                      KIND[kind].title, scheme, (int)steps, EARLY);
        } else {
            case_figure(validation, late[n].growth, "%s, %s: energy after %d steps over that after %d [dB]",
                        KIND[kind].title, scheme, (int)steps, EARLY);
        }
        case_figure(validation, late[n].left, "%s, %s: energy after %d steps over its peak [dB]", KIND[kind].title,
                    scheme, (int)steps);
    }
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time a step over upml's, the median of rounds in which all kinds take turns, each round beginning with another. */
static void gate_cost(struct validation *validation, const char *scheme)
{
    enum { ROUNDS = 15, STEPS = 60 };
    struct solved solved[KINDS];
    double ratio[KINDS][ROUNDS];
    pw_error error = {{0}};
    for (int kind = 0; kind < KINDS; kind++) {
        struct text text = room(scheme, kind, 400);
        solved[kind] = solve_prepare(text.text, PW_SINGLE, validation->backend);
        case_require(stepper_advance(solved[kind].simulation->stepper, STEPS, &error), error.message);
        free(text.text);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < KINDS; n++) {
            int kind = (n + round) % KINDS;
            double began = clock_seconds(), energy;
            case_require(stepper_advance(solved[kind].simulation->stepper, STEPS, &error), error.message);
            case_require(stepper_energy(solved[kind].simulation->stepper, 0, &energy, &error), error.message);
            ratio[kind][round] = clock_seconds() - began;
        }
        for (int kind = KINDS - 1; kind >= 0; kind--) {
            ratio[kind][round] /= ratio[UPML][round];
        }
    }
    for (int kind = CPML; kind < KINDS; kind++) {
        qsort(ratio[kind], ROUNDS, sizeof(double), ascending);
        double median = ratio[kind][ROUNDS / 2];
        if (kind == CPML) {
            case_gate(validation, median, 1.1, "%s, %s, 400 × 400 cells: time a step over upml", KIND[kind].title,
                      scheme);
        } else {
            case_figure(validation, median, "%s, %s, 400 × 400 cells: time a step over upml", KIND[kind].title, scheme);
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        solve_free(&solved[kind]);
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "absorber_late", "Kinds of absorber: late times and cost",
        "A room of 48 × 48 cells with a concrete wall that runs into the absorber, each kind as a scenario gets it, "
        "single "
        "precision: the energy of the field long after the pulse. It may wander by roundings, 2⁻²⁴ a step at most. "
        "`berenger`, whose pole is not shifted, is known to let roundings grow (physics.md section 3), and has no "
        "gate. "
        "Cost: the time of a step over that with `upml`, the median of 15 rounds in which the kinds take turns; `mur` "
        "is "
        "stepped by plain loops.");
    gate_late(&validation);
    if (!validation.quick) {
        for (int s = 0; s < SCHEMES; s++) {
            gate_cost(&validation, SCHEME[s]);
        }
    }
    return case_end(&validation);
}
