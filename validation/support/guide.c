/* Reflection at the end of a guide (guide.h). Two places behind the source tell the wave that comes from the one that
 * goes, since the scheme's wave number along the guide is known. The pulse has next to nothing at the cutoff, where
 * waves hardly move: its spectrum there is exp(-16) of its peak, exp(-27) where the mode does not travel and nothing
 * takes away what does, and exp(-12) before Mur's edges, which reflect far more than that. */
#include "validation/support/guide.h"

static const double CELL = 0.02; /* m */
enum {
    SOURCE = 10,    /* cells from the low layer to the source */
    CLEAR = 12,     /* from the source to the first place: what else a wide stencil carries has died out */
    FACE = 10,      /* from the second place to the absorber, likewise */
    MUR_CELLS = 20, /* from the plan to Mur's edge */
};

/* What a guide is made of. */
struct section {
    int across, half_waves, beside, apart; /* cells between the walls; between plan and wall; between the two places */
    double frequency, width;               /* Hz; s of the pulse's envelope, half, to 1/e */
};

/* The narrowest guide that holds the layers which the sides would have. */
static struct section choose_section(const struct guide *guide)
{
    bool mur = strcmp(guide->kind, "mur") == 0;
    int least = mur ? 2 * MUR_CELLS + 6 : 2 * guide->layer + 6;
    struct section section = {.beside = mur ? MUR_CELLS : 0};
    double half_wave = guide->cells / (2 * guide->sine), off = 1;
    while (section.across < least || off > 0.02) {
        section.half_waves++;
        section.across = (int)lround(section.half_waves * half_wave);
        off = fabs(section.across / (section.half_waves * half_wave) - 1);
    }
    double cells = 2 * guide->sine * section.across / section.half_waves, along = sqrt(fabs(1 - pow(guide->sine, 2)));
    double apart = cells / (4 * along), to_cutoff = fabs(1 - guide->sine);
    section.apart = (int)fmin(fmax(nearbyint(apart), 3), guide->sine > 1 ? 6 : fmax(16, cells / 5));
    section.frequency = SPEED_OF_LIGHT / (cells * CELL);
    double power = guide->sine > 1 ? 27 : mur ? 12 : 16;
    section.width = fmax(sqrt(power) / (M_PI * to_cutoff), 2) / section.frequency;
    return section;
}

/* Time for the pulse, and for what goes back and forth between the ends of a guide: Mur's take little at grazing
 * angles. */
static double duration(const struct guide *guide, const struct section *section, double length)
{
    double cosine = sqrt(fmax(0, 1 - pow(guide->sine, 2))), trips = 4;
    if (cosine == 0) {
        return 12 * section->width + 40 / section->frequency;
    }
    if (section->beside > 0) {
        trips = fmax(trips, -10 / (guide->order * log((1 - cosine) / (1 + cosine))));
    }
    return 12 * section->width + trips * length / (SPEED_OF_LIGHT * cosine) + 20 / section->frequency;
}

static void write_absorber(const struct guide *guide, struct text *text)
{
    if (strcmp(guide->kind, "mur") == 0) {
        text_add(text, "{kind: mur, order: %d, cells: %d}", guide->order, MUR_CELLS);
        return;
    }
    bool wall = strcmp(guide->kind, "pec") == 0;
    text_add(text, "{kind: %s, cells: %d, ", wall ? "upml" : guide->kind, guide->layer);
    if (guide->reflection > 0) {
        text_add(text, "reflection: %.17g, ", guide->reflection);
    }
    text_add(text, "sides: {y_low: pec, y_high: pec%s}}", wall ? ", x_high: pec" : "");
}

static struct text guide_scenario(const struct guide *guide, const struct section *section)
{
    struct text text = {0};
    int length = SOURCE + CLEAR + section->apart + FACE, height = section->across - 2 * section->beside, row = 1;
    for (int j = 1; j < height; j++) { /* where the mode is strong */
        double here = strip_profile(false, section->half_waves, section->across, section->beside + j);
        double best = strip_profile(false, section->half_waves, section->across, section->beside + row);
        row = fabs(here) > fabs(best) ? j : row;
    }
    double ends = 2.0 * (section->beside > 0 ? section->beside : guide->layer);
    text_add(&text,
             "plan: {size: [%.17g, %.17g]}\nband: {centre: %.17g, width: %.17g}\ngrid: {scheme: %s, cell: %.17g, "
             "absorber: ",
             length * CELL, height * CELL, section->frequency, 0.1 * section->frequency, guide->scheme, CELL);
    write_absorber(guide, &text);
    text_add(&text,
             "}\ntransmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: %.17g, "
             "width: %.17g, delay: %.17g}}]\nspectra: off\nstop: {after: %.17g, decay: off}\nreceivers:\n",
             SOURCE * CELL, row * CELL, section->frequency, section->width, 6 * section->width,
             duration(guide, section, (length + ends) * CELL));
    for (int place = 0; place < 2; place++) {
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", place,
                 (SOURCE + CLEAR + place * section->apart) * CELL, row * CELL);
    }
    return text;
}

/* Mur's condition at the sides would let the mode out: there are walls. */
static void close_sides(struct problem *problem)
{
    problem->axis[1].low.one_way = problem->axis[1].high.one_way = 0;
}

/* Phase along the guide over a cell, whose symbol is `wanted`; what falls off has a negative imaginary part. */
static double complex phase_of_a_cell(const struct stencil *stencil, double complex wanted)
{
    double complex theta = 2 * wanted;
    for (int n = 0; n < 30; n++) {
        double complex symbol = 0, slope = 0;
        for (int l = 0; l < stencil->reach; l++) {
            symbol += stencil->difference[l] * csin((l + 0.5) * theta);
            slope += stencil->difference[l] * (l + 0.5) * ccos((l + 0.5) * theta);
        }
        theta -= (symbol - wanted) / slope;
    }
    return cimag(theta) > 0 ? -theta : theta;
}

/* Cells from the second place to where the absorber begins; Mur's stands between the last node and the one before. */
static double cells_to_face(const struct solved *solved, const struct guide *guide)
{
    const struct problem *problem = &solved->setup->problem;
    int64_t column = problem->probes[1].node % problem->axis[0].count;
    double face = problem->axis[0].count; /* the wall */
    if (problem->axis[0].high.one_way > 0) {
        face -= 1.5;
    } else if (strcmp(guide->kind, "pec") != 0) {
        face -= guide->layer;
    }
    return face - (double)column;
}

struct guide_outcome guide_solve(const struct guide *guide, const char *backend)
{
    struct section section = choose_section(guide);
    struct text text = guide_scenario(guide, &section);
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_parse("guide", text.text, NULL, 0, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, PW_DOUBLE, false, &solved.setup, &error), error.message);
    struct problem *problem = &solved.setup->problem;
    const struct stencil *stencil = &solved.setup->stencil;
    case_require(problem->axis[1].count == section.across ? PW_OK : PW_BAD_INPUT, "a guide of another width");
    close_sides(problem);
    strip_spread_source(problem, false, section.half_waves, &problem->sources[0]);
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = 1}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    case_require(pw_simulation_run(solved.simulation, NULL, NULL, &error), error.message);
    double across = stencil_symbol(stencil, M_PI * section.half_waves / section.across), half = across / guide->sine;
    double frequency = SPEED_OF_LIGHT / (M_PI * CELL) * half; /* half: that of the wave number in air, times the cell */
    double complex e[2], along = half * csqrt(1 - pow(guide->sine, 2)), theta = phase_of_a_cell(stencil, along);
    double complex turn = cexp(-I * theta * section.apart);
    case_transfer(&solved, 0, 1, &frequency, true, e);
    double complex back = (e[1] - e[0] * turn) / (e[0] / turn - e[1]); /* at the first place */
    double to_face = section.apart + cells_to_face(&solved, guide);
    struct guide_outcome outcome = {.reflection = cabs(back * cexp(2 * I * theta * to_face)),
                                    .cells = M_PI / half,
                                    .across = section.across,
                                    .half_waves = section.half_waves,
                                    .courant = SPEED_OF_LIGHT * problem->time_step / CELL};
    solve_free(&solved);
    free(text.text);
    return outcome;
}
