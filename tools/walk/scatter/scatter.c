/* Channels with persons (scatter.h). With g_t and g_r the fields of a transmitter and of a receiver that sends, over
 * their currents and over h = -(k eta/4) H_0^(2)(k 1 m), as waves with coefficients a_m and c_m around the person,
 *
 *     dG = H_0^(2)(k 1 m) sum over m of (-1)^m T_m a_m c_-m
 *
 * since a wave T_m a_m H_m^(2) e^{jm phi} that leaves the person is received, by reciprocity, as c_-m is sent. */
#include "walk/scatter/scatter.h"

#include "walk/scatter/between.h"
#include "walk/scatter/person.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_EVERY = 8 /* places around which the fit is checked */ };

double scatter_radius(double radius, double pitch)
{
    return radius + pitch;
}

int scatter_spacing(double radius, double cell, double highest)
{
    return (int)fmax(1, floor(fmin(0.25 * PW_SPEED_OF_LIGHT / highest, 0.25 * radius) / cell * (1 + 1e-9)));
}

pw_status scatter_check(double radius, double pitch, double highest, pw_error *error)
{
    struct disc disc;
    TRY(disc_make(scatter_radius(radius, pitch), pitch, &disc, error));
    const int waves = 2 * waves_orders(2 * M_PI * highest / PW_SPEED_OF_LIGHT, disc.radius) + 1, points = disc.count;
    disc_free(&disc);
    return waves <= points
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "a person of radius %.3g m is too small for points of the field that are %.3g m apart: %d points "
                      "around it cannot tell %d waves. Choose a smaller grid.cell",
                      radius, pitch, points, waves);
}

static size_t stations_of(const struct walk *walk)
{
    return (size_t)walk->transmitters + (size_t)walk->receivers;
}

/* ---- what is the same at all poses ------------------------------------------------------------------------------- */

static pw_status make_frequency(struct scatter *scatter, int f, pw_error *error)
{
    const struct walk *walk = scatter->walk;
    const double k = 2 * M_PI * walk->frequency[f] / PW_SPEED_OF_LIGHT;
    const struct cylinder cylinder = {.radius = scatter->options->radius,
                                      .permittivity = muscle_permittivity(walk->frequency[f]),
                                      .across = walk->horizontal};
    TRY(fit_make(&scatter->disc, k, &scatter->fit[f], error));
    const int orders = scatter->fit[f].orders;
    scatter->answer[f] = allocate((size_t)orders + 1, sizeof **scatter->answer, "how a person scatters", error);
    TRY_MADE(scatter->answer[f]);
    cylinder_response(&cylinder, k, orders, scatter->answer[f]);
    scatter->scale[f] = j0(k) - I * y0(k);
    return PW_OK;
}

/* From the spectrum at a point to the field over the current and over that at 1 m. */
static pw_status make_units(struct scatter *scatter, pw_error *error)
{
    const struct walk *walk = scatter->walk;
    OWNED double *current = allocate(2 * (size_t)scatter->solved, sizeof *current, "the spectrum of a current", error);
    TRY_MADE(current);
    for (int s = 0; s < (int)stations_of(walk); s++) {
        TRY(pw_result_source_spectrum(scatter->result, s, current, error));
        for (int f = 0; f < walk->frequencies; f++) {
            const double complex sent = current[2 * scatter->pick[f]] + I * current[2 * scatter->pick[f] + 1];
            scatter->unit[(size_t)f * stations_of(walk) + (size_t)s] =
                field_unit(scatter->fit[f].k, sent, scatter->scale[f]);
        }
    }
    return PW_OK;
}

static pw_status make_lattice(struct scatter *scatter, pw_error *error)
{
    pw_transmitter facts;
    TRY(pw_result_transmitter(scatter->result, 0, &facts, error));
    scatter->rows = facts.spectra_rows;
    scatter->columns = facts.spectra_columns;
    scatter->x = allocate((size_t)scatter->columns, sizeof *scatter->x, "places of running spectra", error);
    scatter->y = allocate((size_t)scatter->rows, sizeof *scatter->y, "places of running spectra", error);
    TRY_MADE(scatter->x);
    TRY_MADE(scatter->y);
    TRY(pw_result_spectra_axes(scatter->result, 0, scatter->x, scatter->y, error));
    const double pitch = (scatter->x[scatter->columns - 1] - scatter->x[0]) / (scatter->columns - 1);
    return disc_make(scatter_radius(scatter->options->radius, pitch), pitch, &scatter->disc, error);
}

static pw_status scatter_make(struct scatter *scatter, pw_error *error)
{
    const struct walk *walk = scatter->walk;
    const size_t frequencies = (size_t)walk->frequencies, stations = stations_of(walk);
    TRY(make_lattice(scatter, error));
    const size_t side = 2 * (size_t)scatter->disc.reach + 1;
    scatter->fit = allocate(frequencies, sizeof *scatter->fit, "waves around a person", error);
    scatter->answer = allocate(frequencies, sizeof *scatter->answer, "how a person scatters", error);
    scatter->unit = allocate(frequencies * stations, sizeof *scatter->unit, "units of fields", error);
    scatter->scale = allocate(frequencies, sizeof *scatter->scale, "units of fields", error);
    scatter->block_size = 2 * (size_t)scatter->solved * side * side;
    scatter->block = allocate((size_t)walk->persons * stations * scatter->block_size, sizeof *scatter->block,
                              "the field around the persons", error);
    TRY_MADE(scatter->fit);
    TRY_MADE(scatter->answer);
    TRY_MADE(scatter->unit);
    TRY_MADE(scatter->scale);
    TRY_MADE(scatter->block);
    pw_status status = PW_OK;
#pragma omp parallel for schedule(dynamic)
    for (int f = 0; f < walk->frequencies; f++) {
        pw_error own = {{0}};
        pw_status made = make_frequency(scatter, f, &own);
        if (made != PW_OK) {
#pragma omp critical(walk_frequency)
            status = fail(error, made, "%s", own.message);
        }
    }
    TRY(status);
    const int orders = scatter->fit[walk->frequencies - 1].orders; /* the most */
    scatter->work_size = 2 * (size_t)walk->persons * stations * (2 * (size_t)orders + 1) + between_work(walk, orders) +
                         around_work(walk, scatter->around, orders);
    scatter->work = allocate((size_t)omp_get_max_threads() * scatter->work_size, sizeof *scatter->work,
                             "waves around the persons", error);
    TRY_MADE(scatter->work);
    return make_units(scatter, error);
}

static void scatter_free(struct scatter *scatter)
{
    for (int f = 0; f < scatter->walk->frequencies; f++) {
        if (scatter->fit != NULL) {
            fit_free(&scatter->fit[f]);
        }
        if (scatter->answer != NULL) {
            free(scatter->answer[f]);
        }
    }
    disc_free(&scatter->disc);
    free(scatter->x);
    free(scatter->y);
    free(scatter->fit);
    free((void *)scatter->answer);
    free(scatter->unit);
    free(scatter->scale);
    free(scatter->block);
    free(scatter->work);
}

/* ---- poses ------------------------------------------------------------------------------------------------------- */

/* Poses that follow each other, while every person stays near one point of the lattice: anchor (persons). */
struct stretch {
    int first, count;
    int (*anchor)[2]; /* column and row */
    bool *moved;      /* (persons): since the stretch before */
};

static const double *place_of(const struct walk *walk, int person, int pose)
{
    return walk->position[(size_t)person * (size_t)walk->poses + (size_t)pose];
}

static int nearest(const double *axis, int count, double at)
{
    const double place = (at - axis[0]) / ((axis[count - 1] - axis[0]) / (count - 1));
    return (int)lround(fmin(fmax(place, 0), count - 1));
}

/* The stretch that begins after the one before. */
static void find_stretch(const struct scatter *scatter, struct stretch *stretch)
{
    const struct walk *walk = scatter->walk;
    stretch->first += stretch->count;
    stretch->count = 0;
    for (int pose = stretch->first; pose < walk->poses; pose++, stretch->count++) {
        for (int person = 0; person < walk->persons; person++) {
            const double *place = place_of(walk, person, pose);
            const int column = nearest(scatter->x, scatter->columns, place[0]),
                      row = nearest(scatter->y, scatter->rows, place[1]);
            const bool moved = column != stretch->anchor[person][0] || row != stretch->anchor[person][1];
            if (moved && pose > stretch->first) {
                return;
            }
            stretch->moved[person] = pose == stretch->first ? moved : stretch->moved[person];
            stretch->anchor[person][0] = column;
            stretch->anchor[person][1] = row;
        }
    }
}

static double *block_of(const struct scatter *scatter, int person, size_t station)
{
    return scatter->block + ((size_t)person * stations_of(scatter->walk) + station) * scatter->block_size;
}

/* The fields of all stations around the points that persons have moved to. */
static pw_status read_blocks(const struct scatter *scatter, const struct stretch *stretch, pw_error *error)
{
    const int reach = scatter->disc.reach, side = 2 * reach + 1;
    for (int person = 0; person < scatter->walk->persons; person++) {
        const int *anchor = stretch->anchor[person];
        const pw_block block = {anchor[1] - reach, side, anchor[0] - reach, side};
        if (block.column_first < 0 || block.row_first < 0 || block.column_first + side > scatter->columns ||
            block.row_first + side > scatter->rows) {
            const double *place = place_of(scatter->walk, person, stretch->first);
            return fail(error, PW_BAD_INPUT, "at (%.4g, %.4g) m a person is too near to the edge of the plan", place[0],
                        place[1]);
        }
        for (size_t s = 0; stretch->moved[person] && s < stations_of(scatter->walk); s++) {
            TRY(pw_result_spectra(scatter->result, (int)s, &block, block_of(scatter, person, s), error));
        }
    }
    return PW_OK;
}

/* Waves of one station at one frequency around the anchor of a person; `square` may be NULL. */
static void fit_station(const struct scatter *scatter, int person, size_t station, int f, double complex *wave,
                        double *square)
{
    const struct disc *disc = &scatter->disc;
    const int side = 2 * disc->reach + 1;
    const double complex unit = scatter->unit[(size_t)f * stations_of(scatter->walk) + station];
    const double *block =
        block_of(scatter, person, station) + 2 * (size_t)scatter->pick[f] * (size_t)side * (size_t)side;
    double complex sample[disc->count];
    for (int n = 0; n < disc->count; n++) {
        const int at = (disc->offset[n][1] + disc->reach) * side + disc->offset[n][0] + disc->reach;
        sample[n] = unit * (block[2 * at] + I * block[2 * at + 1]);
    }
    fit_apply(&scatter->fit[f], disc, sample, wave);
    if (square != NULL) {
        fit_check(&scatter->fit[f], disc, sample, wave, square);
    }
}

/* Adds what the persons change to all links at one pose and frequency, csi (receivers, transmitters); `wave` (persons,
 * stations, waves) are those around the persons, and of transmitters what the persons send. */
static void add_links(const struct scatter *scatter, int f, const double complex *wave, float complex *csi)
{
    const struct walk *walk = scatter->walk;
    const int orders = scatter->fit[f].orders;
    const size_t waves = 2 * (size_t)orders + 1, stations = stations_of(walk);
    for (int person = 0; person < walk->persons; person++) {
        for (size_t link = 0; link < walk_links(walk); link++) {
            const double complex *sent = wave + ((size_t)person * stations + link % (size_t)walk->transmitters) * waves,
                                 *back = wave + ((size_t)person * stations + (size_t)walk->transmitters +
                                                 link / (size_t)walk->transmitters) *
                                                    waves;
            double complex sum = 0;
            for (int m = -orders; m <= orders; m++) {
                sum += (m % 2 == 0 ? sent[orders + m] : -sent[orders + m]) * back[orders - m];
            }
            csi[link] += (float complex)(scatter->scale[f] * sum);
        }
    }
}

/* `work` holds twice the waves (persons, stations, waves), and what scatter_between() needs. */
static void add_frequency(const struct scatter *scatter, const struct stretch *stretch, int f, double complex *work,
                          double *square)
{
    const struct walk *walk = scatter->walk;
    const struct fit *fit = &scatter->fit[f];
    const size_t stations = stations_of(walk), waves = 2 * (size_t)fit->orders + 1,
                 all = (size_t)walk->persons * stations * waves;
    double complex *wave = work, *moved = work + all;
    for (size_t n = 0; n < (size_t)walk->persons * stations; n++) {
        fit_station(scatter, (int)(n / stations), n % stations, f, wave + n * waves, square);
    }
    for (int pose = stretch->first; pose < stretch->first + stretch->count; pose++) {
        for (size_t n = 0; n < (size_t)walk->persons * stations; n++) {
            const int person = (int)(n / stations);
            const double *place = place_of(walk, person, pose);
            waves_move(fit, wave + n * waves, place[0] - scatter->x[stretch->anchor[person][0]],
                       place[1] - scatter->y[stretch->anchor[person][1]], moved + n * waves);
        }
        double complex *returned = moved + all + between_work(walk, fit->orders);
        const struct between between = {.walk = walk,
                                        .answer = scatter->answer[f],
                                        .k = fit->k,
                                        .orders = fit->orders,
                                        .pose = pose,
                                        .returned = scatter->around->count > 0 ? returned : NULL};
        if (between.returned != NULL) {
            around_fill(walk, scatter->around, pose, f, fit->orders, returned,
                        returned + (size_t)(walk->persons * walk->persons) * waves * waves);
        }
        scatter_between(&between, moved, moved + all);
        add_links(scatter, f, moved,
                  walk->csi + ((size_t)pose * (size_t)walk->frequencies + (size_t)f) * walk_links(walk));
    }
}

static pw_status add_stretch(struct scatter *scatter, const struct stretch *stretch, bool check, pw_error *error)
{
    double left = 0, all = 0;
    TRY(read_blocks(scatter, stretch, error));
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : left, all)
    for (int f = 0; f < scatter->walk->frequencies; f++) {
        double square[2] = {0, 0};
        add_frequency(scatter, stretch, f, scatter->work + (size_t)omp_get_thread_num() * scatter->work_size,
                      check ? square : NULL);
        left += square[0];
        all += square[1];
    }
    scatter->square[0] += left;
    scatter->square[1] += all;
    return PW_OK;
}

static pw_status add_poses(struct scatter *scatter, const pw_monitor *monitor, pw_error *error)
{
    const struct walk *walk = scatter->walk;
    struct stretch stretch = {0};
    stretch.anchor = allocate((size_t)walk->persons, sizeof *stretch.anchor, "persons", error);
    stretch.moved = allocate((size_t)walk->persons, sizeof *stretch.moved, "persons", error);
    pw_status status = stretch.anchor == NULL || stretch.moved == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int person = 0; status == PW_OK && person < walk->persons; person++) {
        stretch.anchor[person][0] = -1;
    }
    for (int n = 0; status == PW_OK && stretch.first + stretch.count < walk->poses; n++) {
        find_stretch(scatter, &stretch);
        status = add_stretch(scatter, &stretch, n % CHECK_EVERY == 0, error);
        THEN(status, pw_monitor_tell(monitor, (double)(stretch.first + stretch.count) / walk->poses, error));
    }
    free(stretch.anchor);
    free(stretch.moved);
    return status;
}

pw_status scatter_poses(struct walk *walk, const pw_walk_options *options, const pw_result *result, const int *pick,
                        struct around *around, pw_error *error)
{
    struct scatter scatter = {.walk = walk,
                              .around = around,
                              .options = options,
                              .result = result,
                              .pick = pick,
                              .solved = pw_result_describe(result).frequency_count};
    pw_status status = scatter_make(&scatter, error);
    if (around->count > 0) {
        THEN(status, around_take_floor(walk, result, pick, (int)stations_of(walk), around, error));
    }
    const double started = pw_clock();
    THEN(status, add_poses(&scatter, &options->monitor, error));
    walk->poses_a_second = walk->poses / fmax(pw_clock() - started, 1e-9);
    walk->fit_error = scatter.square[1] > 0 ? sqrt(scatter.square[0] / scatter.square[1]) : 0;
    scatter_free(&scatter);
    return status;
}
