/* An office with cupboards of metal, to be timed. See bench_plan.h. */
#include "run/bench_plan.h"

#include "base/numbers/splitmix.h"

#include <math.h>
#include <stdlib.h>

static double draw(uint64_t *state, double low, double high)
{
    return low + (high - low) * splitmix_unit(splitmix_next(state));
}

static void write_wall(FILE *to, const double ends[4], double thickness, const char *material)
{
    fprintf(to, "    - {from: [%.4f, %.4f], to: [%.4f, %.4f], thickness: %.3f m, material: %s}\n", ends[0], ends[1],
            ends[2], ends[3], thickness, material);
}

/* Brick around, and plasterboard every five metres but for a corridor in the middle. */
static void write_walls(FILE *to, const struct bench_plan *plan)
{
    const double w = plan->width, h = plan->height, rim = fmin(0.6, 0.1 * fmin(w, h));
    for (int k = 0; k < 2; k++) {
        const double x = k == 0 ? rim : w - rim, y = k == 0 ? rim : h - rim;
        write_wall(to, (double[]){x, rim, x, h - rim}, 0.24, "brick");
        write_wall(to, (double[]){rim, y, w - rim, y}, 0.24, "brick");
    }
    for (int k = 1; 5.0 * k < w - rim; k++) {
        write_wall(to, (double[]){5.0 * k, rim, 5.0 * k, 0.4 * h}, 0.1, "plasterboard");
        write_wall(to, (double[]){5.0 * k, 0.52 * h, 5.0 * k, h - rim}, 0.1, "plasterboard");
    }
}

/* 1.2 m by 0.5 m. Of three one lies along x, one along y, and one is turned. */
static void write_cupboards(FILE *to, const struct bench_plan *plan)
{
    const double rim = fmin(1.6, 0.3 * fmin(plan->width, plan->height));
    uint64_t state = 71;
    for (int k = 0; k < plan->cupboards; k++) {
        const double x = draw(&state, rim, plan->width - rim), y = draw(&state, rim, plan->height - rim),
                     turn = draw(&state, 0, M_PI), angle = k % 3 < 2 ? M_PI / 2 * (k % 3) : turn, a = 0.6 * cos(angle),
                     b = 0.6 * sin(angle);
        write_wall(to, (double[]){x - a, y - b, x + a, y + b}, 0.5, "metal");
    }
}

static void write_plan(FILE *to, const struct bench_plan *plan)
{
    const double wave_length = 8 * plan->cell; /* about what a run chooses */
    fprintf(to, "plan:\n  size: [%.6g m, %.6g m]\n", plan->width, plan->height);
    if (plan->space) {
        fprintf(to, "  storey: {height: 2.6 m, floor: {material: concrete, thickness: 20 cm}, "
                    "ceiling: {material: concrete, thickness: 20 cm}}\n");
    }
    fprintf(to, "  walls:\n");
    write_walls(to, plan);
    write_cupboards(to, plan);
    fprintf(to,
            "dimensions: %d\ngrid: {scheme: %s, cell: %.9g mm, absorber: {cells: %d}}\n"
            "band: {centre: %.6g MHz, width: %.6g MHz}\ntransmitters: [{name: a, at: [%.6g m, %.6g m%s]}]\n"
            "stop: {steps: %lld}\n",
            plan->space ? 3 : 2, scheme_name(plan->scheme), 1e3 * plan->cell, plan->layer, 299.792458 / wave_length,
            10 / wave_length, 0.31 * plan->width, 0.46 * plan->height, plan->space ? ", 1.5 m" : "",
            (long long)plan->steps);
}

pw_status bench_plan_create(const struct bench_plan *plan, struct setup **setup, pw_error *error)
{
    OWNED char *text = NULL;
    size_t size = 0;
    OWNED_AS(pw_scenario) *scenario = NULL;
    FILE *to = open_memstream(&text, &size);
    FAIL_IF(to == NULL, error, PW_NO_RESOURCE, "not enough memory for the plan of this benchmark");
    write_plan(to, plan);
    FAIL_IF(fclose(to) != 0, error, PW_NO_RESOURCE, "not enough memory for the plan of this benchmark");
    TRY(pw_scenario_parse("the benchmark's office", text, NULL, 0, &scenario, error));
    return pw_setup_create(scenario, plan->precision, false, setup, error);
}
