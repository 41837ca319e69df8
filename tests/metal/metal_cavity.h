/* What tests of metal between the nodes have in common, whatever is polarised: cavities of air in a block of metal, the
 * frequency with which a mode turns, the energy over many steps, what receivers record. */
#ifndef METAL_CAVITY_H
#define METAL_CAVITY_H

#include "tests/volume/text_setup.h"
#include "tests/volume/volume_compare.h"

#include "discretize/setup.h"

/* Grids this small are slower by several. */
static const struct backend_options ONE_THREAD = {.threads = 1};

static const char *const SCHEMES_TRIED[] = {"yee", "fd4", "fd4o", "fd6", "fd8", "dd2", "dd3", "dd4"};
enum { SCHEMES_TRIED_COUNT = sizeof SCHEMES_TRIED / sizeof SCHEMES_TRIED[0] };

/* A cavity of air in a block of metal, and one of its modes. */
struct cavity {
    char shape[1200]; /* of the plan, after the metal */
    double x, y;      /* m: the middle */
    double turn, length, width;
    double radius;    /* of a round one, else 0 */
    double frequency; /* Hz: that of the mode, the test's to fill in */
};

/* A box of sides length and width, turned by `degrees`, its middle at (x, y). */
static inline struct cavity box_cavity(double x, double y, double length, double width, double degrees)
{
    struct cavity cavity = {.x = x, .y = y, .turn = degrees * M_PI / 180, .length = length, .width = width};
    char corners[300] = "";
    for (int c = 0; c < 4; c++) {
        const double u = 0.5 * length * (c == 1 || c == 2 ? 1 : -1), v = 0.5 * width * (c > 1 ? 1 : -1);
        snprintf(corners + strlen(corners), sizeof corners - strlen(corners), "%s[%.9f, %.9f]", c > 0 ? ", " : "",
                 x + u * cos(cavity.turn) - v * sin(cavity.turn), y + u * sin(cavity.turn) + v * cos(cavity.turn));
    }
    snprintf(cavity.shape, sizeof cavity.shape, "polygons: [{points: [%s], material: air}]", corners);
    return cavity;
}

static inline struct cavity round_cavity(double x, double y, double radius)
{
    struct cavity cavity = {.x = x, .y = y, .radius = radius};
    snprintf(cavity.shape, sizeof cavity.shape, "circles: [{centre: [%.9f, %.9f], radius: %.9f, material: air}]", x, y,
             radius);
    return cavity;
}

/* (x, y) from the middle along the sides of the cavity. */
static inline void cavity_place(const struct cavity *cavity, double x, double y, double along[2])
{
    along[0] = x * cos(cavity->turn) + y * sin(cavity->turn);
    along[1] = y * cos(cavity->turn) - x * sin(cavity->turn);
}

/* Where cavities are: a plan of `plan` m a side with metal from `metal` m off its edges on; `begin`: what the scenario
 * begins with. */
struct cavity_site {
    const char *begin;
    double plan, metal, cell; /* m */
};

static inline pw_setup *cavity_setup(const struct cavity_site *site, const struct cavity *cavity, const char *scheme,
                                     pw_precision precision, int steps, pw_scenario **scenario)
{
    char text[2400];
    snprintf(text, sizeof text,
             "%splan: {size: [%g, %g], rectangles: [{from: [%g, %g], to: [%g, %g], material: metal}], %s}\n"
             "grid: {cell: %g m, scheme: %s, absorber: {cells: 8}}\n"
             "band: {centre: %.9g Hz, width: 50 MHz}\n"
             "transmitters: [{name: t, at: [0.02, 0.02]}]\nspectra: off\nstop: {steps: %d, decay: off}\n",
             site->begin, site->plan, site->plan, site->metal, site->metal, site->plan - site->metal,
             site->plan - site->metal, cavity->shape, site->cell, scheme, cavity->frequency, steps);
    return text_setup_take(text, precision, NULL, 0, scenario);
}

/* The transmitter sends nothing. */
static inline void silence(pw_setup *setup)
{
    for (int64_t n = 0; n < setup->problem.sources[0].count; n++) {
        setup->problem.sources[0].weight[n] = 0;
    }
}

/* What a scheme makes of the mode's frequency in free space, of the plane waves that it consists of: along the box and
 * `slope` to both sides of it, or around all directions. */
static inline double frequency_on_grid(const struct cavity *cavity, double cell, const char *scheme, double slope)
{
    enum { ANGLES = 16 };
    enum scheme number;
    assert_true(scheme_from_name(scheme, &number));
    const double k = 2 * M_PI * cavity->frequency / SPEED_OF_LIGHT;
    const struct stencil stencil =
        stencil_get(number, &(struct stencil_band){2 * M_PI / (k * cell), 0.05e9 / cavity->frequency, 2});
    double sum = 0;
    for (int n = 0; n < ANGLES; n++) {
        const double angle =
            cavity->radius > 0 ? 0.25 * M_PI * (n + 0.5) / ANGLES : cavity->turn + slope * (n % 2 == 0 ? 1 : -1);
        sum += hypot(stencil_symbol(&stencil, k * cell * cos(angle)), stencil_symbol(&stencil, k * cell * sin(angle))) /
               ANGLES;
    }
    return SPEED_OF_LIGHT * sum / (M_PI * cell);
}

/* How much of the mode that the run began with the field has now. */
typedef double mode_share(const pw_setup *setup, const struct run_state *start, const struct run_state *now);

/* The resonance [Hz] by leapfrog, whose time is exact at a warped frequency: from s[n+1] + s[n-1] = 2 cos(w dt) s[n], s
 * being what the field has of the mode. */
static inline double resonance_from(const pw_setup *setup, const struct run_state *start, mode_share *share)
{
    struct stepper *stepper = volume_stepper(&backend_cpu, &setup->problem, &ONE_THREAD);
    pw_error error;
    assert_int_equal(stepper_load(stepper, 0, start, &error), PW_OK);
    double s[3] = {0}, product = 0, square = 0;
    for (int64_t n = 0; n < setup->problem.steps; n++) {
        volume_advance(stepper, 1);
        struct run_state now = volume_state(&setup->problem, stepper);
        s[0] = s[1];
        s[1] = s[2];
        s[2] = share(setup, start, &now);
        run_state_free(&now);
        if (n >= 2) {
            product += s[1] * (s[2] + s[0]);
            square += 2 * s[1] * s[1];
        }
    }
    stepper_destroy(stepper);
    const double dt = setup->problem.time_step, turn = acos(product / square);
    return 2 / dt * sin(0.5 * turn) / (2 * M_PI);
}

/* Mean of the energy over `steps` steps. */
static inline double mean_energy(struct stepper *stepper, int steps)
{
    pw_error error;
    double sum = 0;
    for (int n = 0; n < steps; n += 10) {
        double energy;
        volume_advance(stepper, 10);
        assert_int_equal(stepper_energy(stepper, 0, &energy, &error), PW_OK);
        sum += energy;
    }
    return 10 * sum / steps;
}

/* From `start`, all without loss, nothing makes energy in `steps` steps. So many modes beat that the mean wavers by
 * 2 %. */
static inline void check_energy_from(const pw_setup *setup, const struct run_state *start, const char *scheme,
                                     int steps)
{
    struct stepper *stepper = volume_stepper(&backend_cpu, &setup->problem, &ONE_THREAD);
    pw_error error;
    assert_int_equal(stepper_load(stepper, 0, start, &error), PW_OK);
    const double before = mean_energy(stepper, 2000);
    volume_advance(stepper, steps);
    const double after = mean_energy(stepper, 2000);
    if (!(after < 1.04 * before && after > 0.96 * before)) {
        fail_msg("%s: energy %g, after %d steps %g", scheme, before, steps, after);
    }
    stepper_destroy(stepper);
}

static inline pw_setup *text_setup(const char *text, const char *scheme, const char *more, pw_scenario **scenario)
{
    char set[64];
    snprintf(set, sizeof set, "grid.scheme=%s", scheme);
    const char *overrides[] = {set, more};
    return text_setup_take(text, PW_DOUBLE, overrides, more != NULL ? 2 : 1, scenario);
}

/* All that the receivers record, (steps, probe_count); *count numbers. */
static inline double *records(const pw_setup *setup, const struct backend *backend, size_t *count)
{
    struct stepper *stepper = volume_stepper(backend, &setup->problem, &ONE_THREAD);
    pw_error error;
    *count = (size_t)setup->problem.steps * (size_t)setup->problem.probe_count;
    double *values = calloc(*count, sizeof *values);
    volume_advance(stepper, setup->problem.steps);
    assert_int_equal(stepper_read_probes(stepper, 0, values, &error), PW_OK);
    stepper_destroy(stepper);
    return values;
}

#endif
