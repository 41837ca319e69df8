/* Solving a strip (strip.h). The scenario language has no such boundary, so the set-up is changed between deciding and
 * computing: the layers beside the strip become plain cells, up to the PEC edge of the grid, and the source gets the
 * profile of the mode. */
#include "validation/support/strip.h"

#include <assert.h>

struct cross_section {
    int across, half_waves; /* cells, half waves between the PEC walls */
};

/* The narrowest cross-section that holds the layers and whose mode has about the angle. */
static struct cross_section choose_cross_section(const struct strip *strip)
{
    if (strip->horizontal && strip->angle == 0) {
        return (struct cross_section){2 * strip->layer + 4, 0};
    }
    double half_wave = SPEED_OF_LIGHT / strip->frequency / (2 * sin(strip->angle)) / strip->cell; /* cells */
    struct cross_section section = {0, (int)ceil((2 * strip->layer + 4) / half_wave)};
    section.across = (int)nearbyint(section.half_waves * half_wave);
    return section;
}

double strip_wave_number_across(const struct strip *strip)
{
    struct cross_section section = choose_cross_section(strip);
    return M_PI * section.half_waves / (section.across * strip->cell);
}

double strip_angle(const struct strip *strip, double frequency)
{
    return asin(strip_wave_number_across(strip) * SPEED_OF_LIGHT / (2 * M_PI * frequency));
}

double strip_profile(bool horizontal, int half_waves, int across, int row)
{
    return horizontal ? cos(M_PI * (half_waves * (2 * row + 1) % (4 * across)) / (2.0 * across))
                      : sin(M_PI * (half_waves * row % (2 * across)) / across);
}

static double profile(const struct strip *strip, const struct cross_section *section, int row)
{
    return strip_profile(strip->horizontal, section->half_waves, section->across, row);
}

static struct text strip_scenario(const struct strip *strip, const struct cross_section *section)
{
    struct text text = {0};
    double height = (section->across - 2 * strip->layer) * strip->cell;
    int row = strip->layer;
    for (int j = strip->layer; j < section->across - strip->layer; j++) {
        row = fabs(profile(strip, section, j)) > fabs(profile(strip, section, row)) ? j : row;
    }
    double y = (row - strip->layer + (strip->horizontal ? 0.5 : 0)) * strip->cell;
    const char *along = strip->horizontal ? ", polarisation: y" : "";
    double duration = strip->duration > 0 ? strip->duration
                                          : 6.5 / strip->width + 4 * strip->length / SPEED_OF_LIGHT / cos(strip->angle);
    text_add(&text, "polarisation: %s\n", strip->horizontal ? "horizontal" : "vertical");
    char waveform[160] = "";
    if (strip->pulse > 0) {
        snprintf(waveform, sizeof waveform,
                 ", waveform: {kind: modulated-gaussian, frequency: %.17g Hz, width: %.17g s, delay: %.17g s}",
                 strip->frequency, strip->pulse, 6 * strip->pulse);
    }
    text_add(&text, "plan:\n  size: [%.17g, %.17g]\n", strip->length, height);
    if (strip->wall != NULL) {
        text_add(&text, "  rectangles: [{from: [%.17g, 0], to: [%.17g, %.17g], material: %s}]\n", strip->face,
                 strip->face + strip->thickness, height, strip->wall);
    }
    text_add(&text,
             "grid: {scheme: %s, averaging: %s, cell: %.17g, courant: 0.5,\n"
             "  absorber: {kind: upml, cells: %d, order: %.17g, reflection: %.17g}}\n"
             "band: {centre: %.17g, width: %.17g}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g]%s%s}]\n"
             "spectra: off\nstop: {after: %.17g, decay: off}\nreceivers:\n",
             strip->scheme, strip->averaging, strip->cell, strip->layer, strip->order > 0 ? strip->order : 4,
             strip->reflection > 0 ? strip->reflection : 1e-10, strip->frequency, strip->width, strip->source, y, along,
             waveform, duration);
    for (int r = 0; r < strip->receiver_count; r++) {
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]%s}\n", r, strip->receiver[r], y, along);
    }
    return text;
}

void strip_spread_source(const struct problem *problem, bool horizontal, int half_waves, struct source *source)
{
    const int first = horizontal ? 0 : 1, across = problem->axis[1].count; /* Ez is zero on the wall */
    const int64_t places = horizontal ? COMPONENT_EY * problem_nodes(problem) : 0;
    int64_t column = source->node[0] % problem->axis[0].count;
    double weight = source->weight[0];
    free(source->node);
    free(source->weight);
    assert(across > 1);
    source->count = across - first;
    source->node = calloc((size_t)source->count, sizeof(int64_t));
    source->weight = calloc((size_t)source->count, sizeof(double));
    for (int j = first; j < across; j++) {
        source->node[j - first] = places + (int64_t)j * problem->axis[0].count + column;
        source->weight[j - first] = weight * strip_profile(horizontal, half_waves, across, j);
    }
}

void strip_solve(const struct strip *strip, const char *backend, int count, const double *frequency,
                 double complex *transfer)
{
    struct cross_section section = choose_cross_section(strip);
    struct text text = strip_scenario(strip, &section);
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_parse("strip", text.text, NULL, 0, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, PW_DOUBLE, false, &solved.setup, &error), error.message);
    struct problem *problem = &solved.setup->problem;
    for (int j = 0; j < problem->axis[1].count; j++) {
        problem->axis[1].half[j] = problem->axis[1].node[j] = (struct absorber_filter){1, 1, 0};
    }
    strip_spread_source(problem, strip->horizontal, section.half_waves, &problem->sources[0]);
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = 1}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    case_require(pw_simulation_run(solved.simulation, NULL, NULL, &error), error.message);
    case_transfer(&solved, 0, count, frequency, true, transfer);
    solve_free(&solved);
    free(text.text);
}
