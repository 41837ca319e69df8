/* Short dipoles for a pattern (vector_array.h): which places, of the smallest ball that does it. Leaves out the fit
 * itself (vector_fit.h). */
#include "discretize/antenna/vector_array.h"

#include "base/constants.h"
#include "discretize/antenna/drives.h"
#include "discretize/antenna/vector_fit.h"
#include "discretize/setup.h"
#include "discretize/volume/volume.h"
#include "scenario/antenna/antenna_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In wavelengths of the band's centre. */
static const double RADII[] = {0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 1};
static const double PITCH = 0.25, WIDE_PITCH = 0.3, WIDE_RADIUS = 0.6; /* of balls wider than that the latter */
static const double HOLLOW_RADIUS = 0.9, HOLLOW = 0.7; /* of balls wider than that this part is left out */
static const double GOOD = 0.25, GOOD_TURN = 2.5;      /* dB, degrees: a larger ball is not looked for */
static const double WIDE = 1.5;                        /* how much worse over a band that asks for more drives */
static const double DOUBTED = 0.5, DOUBTED_TURN = 5;   /* dB, degrees: what the set-up warns of */
static const double REFUSED = 3, REFUSED_TURN = 30;    /* dB, degrees */
static const double NARROW = 0.001, MIDDLE = 0.04;     /* of its centre: a band that is fitted at that alone */
enum {
    FIT_DIRECTIONS = 1000,
    FIT_SMOOTH = 200,
    CHECK_DIRECTIONS = 1500,
    CHECK_FREQUENCIES = 5,
    LEAST_PLACES = 4,
    MOST_UNKNOWNS = 1000
};
static const double SAME_PLACE = 1e-9; /* m */
static const double AIR = 0.02;        /* how far the permittivity of a place may be off that of air */

/* ---- places ------------------------------------------------------------------------------------------------------ */

struct ball {
    int count, walls; /* in air; not in air, of those that would be wanted */
    int64_t *place;   /* (count), ascending, owned */
    double (*at)[3];  /* (count) m, from the antenna, owned */
    int *axis;        /* (count), owned */
};

static void ball_free(struct ball *ball)
{
    FREE_ALL(ball->place, ball->at, ball->axis);
}

static bool place_is_air(const struct setup *setup, int c, const int node[3])
{
    const struct problem *problem = &setup->problem;
    for (int a = 0; a < 3; a++) {
        const int low = setup_absorber_cells(setup, a, 0), high = setup_absorber_cells(setup, a, 1);
        if (node[a] < low || node[a] > problem->axis[a].count - 1 - high) {
            return false;
        }
    }
    const struct medium_entry *entry =
        &setup->medium.palette[problem_coefficient_at(problem, c, node[0], node[1], node[2])];
    return !entry->perfect_conductor && fabs(entry->relative_permittivity - 1) <= AIR && entry->conductivity == 0;
}

/* The next place of component c on a lattice about `middle`, if it is within the radius. */
static void ball_add(const struct setup *setup, int c, const int node[3], const double at[3], struct ball *ball)
{
    const struct problem *problem = &setup->problem;
    if (!place_is_air(setup, c, node)) {
        ball->walls++;
        return;
    }
    ball->place[ball->count] = c * problem_nodes(problem) +
                               ((int64_t)node[2] * problem->axis[1].count + node[1]) * problem->axis[0].count + node[0];
    ball->axis[ball->count] = c;
    memcpy(ball->at[ball->count++], at, 3 * sizeof *at);
}

/* About the node of the grid that is next to the antenna, so that equal antennas have equal balls. */
static void ball_fill(const struct setup *setup, const double centre[3], int c, double radius, int stride, int reach,
                      struct ball *ball)
{
    const double cell = setup->problem.axis[0].spacing;
    const bool hollow = radius > HOLLOW_RADIUS * SPEED_OF_LIGHT / setup->scenario->band_centre;
    const double inner = hollow ? HOLLOW * radius : 0;
    const int across = 2 * reach + 1;
    for (int n = 0; n < across * across * across; n++) {
        const int step[3] = {n % across - reach, n / across % across - reach, n / across / across - reach};
        int node[3];
        double at[3], beside[3];
        for (int a = 0; a < 3; a++) {
            const double origin = volume_component_origin(setup, (a + 1) % 3, a),
                         own = volume_component_origin(setup, c, a);
            const int next = (int)round((centre[a] - origin) / cell);
            node[a] = next + step[a] * stride;
            beside[a] = own - origin + step[a] * stride * cell;
            at[a] = own + node[a] * cell - centre[a];
        }
        const double out = hypot(hypot(beside[0], beside[1]), beside[2]);
        if (out <= radius * (1 + 1e-9) && out >= inner) {
            ball_add(setup, c, node, at, ball);
        }
    }
}

/* Places of a lattice of each component within the radius [m]. */
static pw_status ball_find(const struct setup *setup, const double centre[3], double radius, struct ball *ball,
                           pw_error *error)
{
    static const char WHAT[] = "the places of an antenna";
    const double cell = setup->problem.axis[0].spacing, wavelength = SPEED_OF_LIGHT / setup->scenario->band_centre;
    const double pitch = radius > WIDE_RADIUS * wavelength ? WIDE_PITCH : PITCH;
    const int stride = (int)fmax(1, round(fmin(pitch * wavelength, radius / 1.5) / cell));
    const int reach = (int)ceil(radius / (cell * stride)) + 1;
    const size_t across = 2 * (size_t)reach + 1, most = 3 * across * across * across;
    *ball = (struct ball){.place = allocate(most, sizeof *ball->place, WHAT, error),
                          .at = allocate(most, sizeof *ball->at, WHAT, error),
                          .axis = allocate(most, sizeof *ball->axis, WHAT, error)};
    TRY_MADE(ball->place != NULL && ball->at != NULL && ball->axis != NULL);
    for (int c = 0; c < 3; c++) {
        ball_fill(setup, centre, c, radius, stride, reach, ball);
    }
    return PW_OK;
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

struct question_arrays {
    double (*direction)[3]; /* owned, as are the others */
    double complex (*wanted)[3];
    double *wave_number, *basis;
};

static void arrays_free(struct question_arrays *arrays)
{
    FREE_ALL(arrays->direction, arrays->wanted, arrays->wave_number, arrays->basis);
}

/* As the grid has it, which matters for coarse ones. */
static double wave_number(const struct setup *setup, double frequency, const double direction[3])
{
    const double dt = setup->problem.time_step, exact = 2 * M_PI * frequency / SPEED_OF_LIGHT;
    const double stepped =
        setup->scenario->spectra.warp ? exact : 2 * sin(M_PI * frequency * dt) / (SPEED_OF_LIGHT * dt);
    const double k = stencil_wave_number_along(&setup->stencil, setup->problem.axis[0].spacing, stepped, direction);
    return isfinite(k) ? k : exact;
}

static pw_status question_fill(const struct setup *setup, const struct antenna *antenna, int directions,
                               int frequencies, struct question_arrays *arrays, struct vector_question *question,
                               pw_error *error)
{
    static const char WHAT[] = "the pattern of an antenna";
    const size_t count = (size_t)directions, size = count * (size_t)frequencies;
    const struct antenna_frame frame = antenna_frame_of(antenna);
    *arrays = (struct question_arrays){allocate(count, sizeof *arrays->direction, WHAT, error),
                                       allocate(count, sizeof *arrays->wanted, WHAT, error),
                                       allocate(size, sizeof(double), WHAT, error),
                                       allocate((size_t)frequencies * ARRAY_TERMS, sizeof(double), WHAT, error)};
    TRY_MADE(arrays->direction != NULL && arrays->wanted != NULL && arrays->wave_number != NULL &&
             arrays->basis != NULL);
    for (int d = 0; d < directions; d++) {
        vector_direction(d, directions, arrays->direction[d]);
        antenna_field(antenna->pattern, &frame, arrays->direction[d], arrays->wanted[d]);
        for (int f = 0; f < frequencies; f++) {
            arrays->wave_number[f * directions + d] =
                wave_number(setup, drive_frequency(setup, f, frequencies), arrays->direction[d]);
        }
    }
    drive_basis(setup, frequencies, arrays->basis);
    question->directions = directions;
    question->direction = (const double(*)[3])arrays->direction;
    question->wanted = (const double complex(*)[3])arrays->wanted;
    question->phase_free = !antenna_has_phase(antenna->pattern);
    question->frequencies = frequencies;
    question->wave_number = arrays->wave_number;
    question->basis = arrays->basis;
    question->centre = frequencies / 2;
    return PW_OK;
}

static pw_status answer_check(const struct setup *setup, const struct antenna *antenna,
                              const struct vector_question *asked, struct vector_answer *answer, pw_error *error)
{
    struct vector_question question = *asked;
    OWNED_BY(arrays_free) struct question_arrays arrays = {NULL};
    TRY(question_fill(setup, antenna, CHECK_DIRECTIONS, CHECK_FREQUENCIES, &arrays, &question, error));
    return vector_check(&question, answer, error);
}

/* Of a wider band the middle has to be fitted too. */
static int fit_frequencies(const struct setup *setup, int terms)
{
    const double part = setup->scenario->band_width / setup->scenario->band_centre;
    return part < NARROW ? 1 : part < MIDDLE && terms == 2 ? 2 : 3;
}

static bool band_is_narrow(const struct setup *setup)
{
    return setup->scenario->band_width < NARROW * setup->scenario->band_centre;
}

/* What is left of the attempts. */
struct ball_best {
    struct ball ball;
    struct vector_answer answer;
    int terms;
    double radius; /* m */
};

static void best_free(struct ball_best *best)
{
    ball_free(&best->ball);
    vector_answer_free(&best->answer);
}

static bool answer_is_good(const struct vector_answer *answer)
{
    return answer->error <= GOOD && answer->turned <= GOOD_TURN;
}

/* In steps of what is good, whichever is worse. */
static double badness(const struct vector_answer *answer)
{
    return fmax(answer->error / GOOD, answer->turned / GOOD_TURN);
}

static pw_status ball_question(const struct setup *setup, const struct antenna *antenna, const struct ball_best *tried,
                               struct question_arrays *arrays, struct vector_question *question, pw_error *error)
{
    const double degree = 5 + 2 * M_PI * tried->radius * setup->scenario->band_centre / SPEED_OF_LIGHT;
    const bool smooth = antenna_has_phase(antenna->pattern);
    const int directions = (int)fmax(smooth ? FIT_SMOOTH : FIT_DIRECTIONS, (smooth ? 2.5 : 5) * degree * degree),
              frequencies = fit_frequencies(setup, tried->terms);
    *question = (struct vector_question){.count = tried->ball.count,
                                         .at = (const double(*)[3])tried->ball.at,
                                         .axis = tried->ball.axis,
                                         .terms = tried->terms};
    return question_fill(setup, antenna, directions, frequencies, arrays, question, error);
}

static pw_status fit_ball(const struct setup *setup, const struct antenna *antenna, struct ball_best *tried,
                          pw_error *error)
{
    struct vector_question question;
    OWNED_BY(arrays_free) struct question_arrays arrays = {NULL};
    TRY(ball_question(setup, antenna, tried, &arrays, &question, error));
    TRY(vector_fit(&question, &tried->answer, error));
    if (tried->answer.error <= REFUSED) { /* else its own directions tell enough */
        TRY(answer_check(setup, antenna, &question, &tried->answer, error));
    }
    return PW_OK;
}

static pw_status try_radius(const struct setup *setup, const struct vector_terminal *terminal, double radius,
                            struct ball_best *best, pw_error *error)
{
    bool wide = true;
    for (int terms = 2; terms <= ARRAY_TERMS && wide && !answer_is_good(&best->answer); terms += 2) {
        struct ball_best tried = {.terms = terms, .radius = radius};
        pw_status status = ball_find(setup, terminal->at, radius, &tried.ball, error);
        if (status == PW_OK && tried.ball.count >= LEAST_PLACES && terms * tried.ball.count <= MOST_UNKNOWNS) {
            status = fit_ball(setup, terminal->antenna, &tried, error);
            wide = !band_is_narrow(setup) && tried.answer.error > WIDE * tried.answer.error_centre &&
                   tried.answer.error_centre < 2 * GOOD;
            if (status == PW_OK && badness(&tried.answer) < badness(&best->answer)) {
                const struct ball_best before = *best;
                *best = tried;
                tried = before;
            }
        }
        best_free(&tried);
        TRY(status);
    }
    return PW_OK;
}

/* ---- equal antennas ---------------------------------------------------------------------------------------------- */

struct vector_memory {
    struct antenna antenna;
    struct ball_best best;
};

void vector_memory_free(struct vector_memory *memory)
{
    if (memory != NULL) {
        best_free(&memory->best);
        free(memory);
    }
}

static bool antennas_alike(const struct antenna *one, const struct antenna *other)
{
    return one->pattern == other->pattern && one->bearing == other->bearing && one->downtilt == other->downtilt &&
           one->roll == other->roll && one->slant == other->slant;
}

/* Whether a ball is another one moved as a whole, and by how much. */
static bool ball_is_moved(const struct ball *ball, const struct ball *from, double move[3])
{
    bool same = ball->count == from->count;
    for (int a = 0; a < 3 && same; a++) {
        move[a] = ball->at[0][a] - from->at[0][a];
    }
    for (int k = 0; k < ball->count && same; k++) {
        same = ball->axis[k] == from->axis[k];
        for (int a = 0; a < 3 && same; a++) {
            same = fabs(ball->at[k][a] - from->at[k][a] - move[a]) < SAME_PLACE;
        }
    }
    return same;
}

static pw_status moved_find(const struct setup *setup, const struct antenna *antenna, const double move[3],
                            struct ball_best *found, pw_error *error)
{
    const struct ball_best *from = &setup->antennas->best;
    OWNED_BY(arrays_free) struct question_arrays arrays = {NULL};
    struct vector_question question;
    found->terms = from->terms;
    found->radius = from->radius;
    found->answer = from->answer;
    found->answer.system = NULL;
    found->answer.weight =
        allocate((size_t)from->terms * (size_t)from->ball.count, sizeof(double), "the pattern of an antenna", error);
    TRY_MADE(found->answer.weight);
    TRY(ball_question(setup, antenna, from, &arrays, &question, error));
    vector_move(&question, &from->answer, move, found->answer.weight);
    question.at = (const double(*)[3])found->ball.at;
    return answer_check(setup, antenna, &question, &found->answer, error);
}

/* Another antenna of the same pattern that looks the same way, among the same walls, radiates the same field in
 * amplitude and phase, by the equations of the first. Of what has no phase that is what makes an array of them one. */
static pw_status find_again(const struct setup *setup, const struct vector_terminal *terminal, struct ball_best *best,
                            pw_error *error)
{
    const struct vector_memory *memory = setup->antennas;
    struct ball_best found = {0};
    double move[3];
    pw_status status = PW_OK;
    if (memory == NULL || !antennas_alike(&memory->antenna, terminal->antenna)) {
        return PW_OK;
    }
    status = ball_find(setup, terminal->at, memory->best.radius, &found.ball, error);
    const bool moved = status == PW_OK && ball_is_moved(&found.ball, &memory->best.ball, move);
    THEN(status, moved ? moved_find(setup, terminal->antenna, move, &found, error) : PW_OK);
    if (status == PW_OK && moved && badness(&found.answer) <= fmax(1, WIDE * badness(&memory->best.answer))) {
        best_free(best);
        *best = found;
        return PW_OK;
    }
    best_free(&found);
    return status;
}

static pw_status find_first(struct setup *setup, const struct vector_terminal *terminal, struct ball_best *best,
                            pw_error *error)
{
    const double wavelength = SPEED_OF_LIGHT / setup->scenario->band_centre;
    for (size_t r = 0; r < sizeof RADII / sizeof *RADII && !answer_is_good(&best->answer); r++) {
        TRY(try_radius(setup, terminal, RADII[r] * wavelength, best, error));
    }
    return PW_OK;
}

/* Keeps the equations of what was found, for others like it. */
static pw_status remember(struct setup *setup, const struct vector_terminal *terminal, struct ball_best *best,
                          pw_error *error)
{
    static const char WHAT[] = "the pattern of an antenna";
    const size_t count = (size_t)best->ball.count, unknowns = count * (size_t)best->terms;
    if (best->answer.system == NULL) {
        return PW_OK;
    }
    vector_memory_free(setup->antennas);
    setup->antennas = allocate(1, sizeof *setup->antennas, WHAT, error);
    TRY_MADE(setup->antennas);
    struct ball_best *kept = &setup->antennas->best;
    setup->antennas->antenna = *terminal->antenna;
    *kept = *best;
    best->answer.system = NULL;
    kept->ball.place = NULL;
    kept->ball.at = allocate(count, sizeof *kept->ball.at, WHAT, error);
    kept->ball.axis = allocate(count, sizeof *kept->ball.axis, WHAT, error);
    kept->answer.weight = allocate(unknowns, sizeof(double), WHAT, error);
    TRY_MADE(kept->ball.at != NULL && kept->ball.axis != NULL && kept->answer.weight != NULL);
    memcpy(kept->ball.at, best->ball.at, count * sizeof *kept->ball.at);
    memcpy(kept->ball.axis, best->ball.axis, count * sizeof *kept->ball.axis);
    memcpy(kept->answer.weight, best->answer.weight, unknowns * sizeof(double));
    return PW_OK;
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static pw_status refuse(const struct setup *setup, const struct vector_terminal *terminal, const struct ball_best *best,
                        pw_error *error)
{
    const char *file = setup->scenario->file, *pattern = terminal->antenna->pattern->name;
    const double wavelength = SPEED_OF_LIGHT / setup->scenario->band_centre;
    FAIL_IF(best->answer.weight == NULL, error, PW_BAD_INPUT,
            "%s:%d: %s '%s': an antenna with a pattern needs air around it: put it at least a tenth of a "
            "wavelength, %.2g m, before the wall",
            file, terminal->line, terminal->what, terminal->name, 0.1 * wavelength);
    FAIL_IF(best->answer.error > REFUSED || best->answer.turned > REFUSED_TURN, error, PW_BAD_INPUT,
            "%s:%d: %s '%s': currents within %.3g m radiate the pattern '%s' %.1f dB and %.0f degrees off; "
            "allowed are %g dB and %g degrees down to -15 dB. Its beam is too narrow for so small a source, E turns "
            "too fast over its poles, or walls leave it no room: take an array of antennas with wide beams, or "
            "dimensions: 2",
            file, terminal->line, terminal->what, terminal->name, best->radius, pattern, best->answer.error,
            best->answer.turned, REFUSED, REFUSED_TURN);
    return PW_OK;
}

static void say(struct setup *setup, const struct vector_terminal *terminal, const struct ball_best *best)
{
    const struct antenna_pattern *pattern = terminal->antenna->pattern;
    const struct vector_answer *answer = &best->answer;
    char deep[96] = "";
    if (answer->exceeded > -INFINITY) {
        snprintf(deep, sizeof deep, "; exceeded by at most %.1f dB where it is less", fmax(0, answer->exceeded));
    }
    warn(&setup->choices,
         "%s '%s': pattern '%s' from %d short dipoles within %.3g m, off by at most %.2f dB at the centre and %.2f dB "
         "over the band, and by %.1f degrees of polarisation%s, down to -15 dB%s%s",
         terminal->what, terminal->name, pattern->name, best->ball.count, best->radius, answer->error_centre,
         answer->error, answer->turned, antenna_has_phase(pattern) ? " and phase" : "", deep,
         antenna_has_phase(pattern) ? "" : "; its phase, which is not known, is that of this source");
    if (answer->error > DOUBTED || answer->turned > DOUBTED_TURN) {
        warn(&setup->warnings,
             "%s '%s': the pattern '%s' is radiated up to %.1f dB and %.0f degrees off (down to -15 dB; %.1f dB at the "
             "band's centre)",
             terminal->what, terminal->name, pattern->name, answer->error, answer->turned, answer->error_centre);
    }
    if (best->ball.walls > 0) {
        warn(&setup->warnings,
             "%s '%s': a wall is less than %.3g m from the antenna, in its near field. The pattern is that of an "
             "antenna in air; move the antenna away from the wall for a better match",
             terminal->what, terminal->name, best->radius);
    }
    array_warn_pattern(setup, pattern);
}

void vector_places_free(struct vector_places *places)
{
    FREE_ALL(places->place, places->weight);
    *places = (struct vector_places){0};
}

pw_status vector_places_find(struct setup *setup, const struct vector_terminal *terminal, struct vector_places *places,
                             struct array_report *report, pw_error *error)
{
    struct ball_best best = {.answer = {.error = INFINITY, .turned = INFINITY}};
    pw_status status = find_again(setup, terminal, &best, error);
    THEN(status, best.answer.weight == NULL ? find_first(setup, terminal, &best, error) : PW_OK);
    THEN(status, refuse(setup, terminal, &best, error));
    THEN(status, remember(setup, terminal, &best, error));
    if (status != PW_OK) {
        best_free(&best);
        return status;
    }
    say(setup, terminal, &best);
    *report = (struct array_report){.count = best.ball.count,
                                    .terms = best.terms,
                                    .radius = best.radius,
                                    .error_centre = best.answer.error_centre,
                                    .error = best.answer.error,
                                    .exceeded = best.answer.exceeded,
                                    .turned = best.answer.turned,
                                    .current = best.answer.current};
    *places = (struct vector_places){best.ball.count, best.terms, best.ball.place, best.answer.weight};
    best.ball.place = NULL;
    best.answer.weight = NULL;
    best_free(&best);
    return PW_OK;
}
