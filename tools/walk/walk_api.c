/* What is asked of a walk (planwave_walk.h). */
#include "walk/walk.h"

#include "walk/doppler.h"
#include "walk/walk_write.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

pw_walk_options pw_walk_options_default(void)
{
    return (pw_walk_options){.speed = 1.2, .rate = 100, .radius = 0.15, .height = 1.7};
}

static pw_status options_check(const pw_walk_options *options, pw_error *error)
{
    const double most_speed = 100, most_rate = 1e6, most_radius = 1, most_height = 10;
    if (options->person_count < 1 || options->person_count > PW_WALK_PERSONS) {
        return fail(error, PW_USAGE, "%d persons; allowed are 1 to %d", options->person_count, PW_WALK_PERSONS);
    }
    for (int n = 0; n < options->person_count; n++) {
        if (options->paths[n].count < 1 || options->paths[n].count > PW_WALK_CORNERS) {
            return fail(error, PW_USAGE, "path %d has %d points; allowed are 1 to %d", n + 1, options->paths[n].count,
                        PW_WALK_CORNERS);
        }
    }
    if (!(options->speed > 0 && options->speed <= most_speed)) {
        return fail(error, PW_USAGE, "a speed of %g m/s; allowed: above 0, at most %g m/s", options->speed, most_speed);
    }
    if (!(options->rate > 0 && options->rate <= most_rate)) {
        return fail(error, PW_USAGE, "%g poses a second; allowed: above 0, at most %g", options->rate, most_rate);
    }
    if (!(options->radius > 0 && options->radius <= most_radius)) {
        return fail(error, PW_USAGE, "a person of radius %g m; allowed: above 0, at most %g m", options->radius,
                    most_radius);
    }
    if (!(options->height > 0 && options->height <= most_height)) {
        return fail(error, PW_USAGE, "a person of height %g m; allowed: above 0, at most %g m", options->height,
                    most_height);
    }
    if (options->method < PW_WALK_CYLINDER || options->method > PW_WALK_WALLS) {
        return fail(error, PW_USAGE, "unknown method %d; allowed: cylinder, walls, exact", (int)options->method);
    }
    if (options->checks < 0 || (options->checks > 0 && options->method == PW_WALK_EXACT)) {
        return fail(error, PW_USAGE, "%d checks of %s", options->checks,
                    options->checks < 0 ? "a walk" : "a walk that is exact: there is nothing to check");
    }
    return PW_OK;
}

pw_status pw_walk_solve(const pw_scenario *scenario, const pw_walk_options *options, pw_walk **walk, pw_error *error)
{
    TRY(options_check(options, error));
    struct walk *own = allocate(1, sizeof *own, "a walk", error);
    TRY_MADE(own);
    pw_status status = walk_solve(scenario, options, own, error);
    if (status != PW_OK) {
        pw_walk_free(own);
        return status;
    }
    *walk = own;
    return PW_OK;
}

void pw_walk_free(pw_walk *walk)
{
    if (walk != NULL) {
        walk_free(walk);
        free(walk);
    }
}

/* ---- what it holds ----------------------------------------------------------------------------------------------- */

pw_walk_facts pw_walk_describe(const pw_walk *walk)
{
    return (pw_walk_facts){.persons = walk->persons,
                           .poses = walk->poses,
                           .transmitters = walk->transmitters,
                           .receivers = walk->receivers,
                           .frequencies = walk->frequencies,
                           .checks = walk->check_count,
                           .rate = walk->rate,
                           .least_rate = walk_most_shift(walk) * 2,
                           .runs = walk->runs,
                           .poses_a_second = walk->poses_a_second,
                           .fit_error = walk->fit_error,
                           .tissue_error = walk->tissue_error};
}

const char *pw_walk_station(const pw_walk *walk, int station)
{
    return walk->name[station];
}

const double *pw_walk_frequencies(const pw_walk *walk)
{
    return walk->frequency;
}

const double *pw_walk_positions(const pw_walk *walk)
{
    return walk->position[0];
}

const float *pw_walk_csi(const pw_walk *walk)
{
    return (const float *)walk->csi;
}

const double *pw_walk_empty(const pw_walk *walk)
{
    return (const double *)walk->empty;
}

const double *pw_walk_blockage(const pw_walk *walk)
{
    return walk->blockage;
}

pw_walk_check pw_walk_check_at(const pw_walk *walk, int check)
{
    return walk->check[check];
}

/* A way there and back to somebody who comes. */
double walk_most_shift(const struct walk *walk)
{
    return walk->walks ? 2 * walk->speed * walk->frequency[walk->frequencies - 1] / PW_SPEED_OF_LIGHT : 0;
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* To a tenth, where "-0.0" is no number that people write. */
static double tenth(double level)
{
    return round(10 * level) / 10 + 0.0;
}

static void print_links(const struct walk *walk, FILE *stream)
{
    fprintf(stream, "blockage, the mean power of the empty floor over that with the person%s:\n",
            plural(walk->persons));
    for (size_t link = 0; link < walk_links(walk); link++) {
        double most = -INFINITY, least = INFINITY;
        int at = 0;
        for (int n = 0; n < walk->poses; n++) {
            const double blockage = walk->blockage[(size_t)n * walk_links(walk) + link];
            at = blockage > most ? n : at;
            most = fmax(most, blockage);
            least = fmin(least, blockage);
        }
        fprintf(stream, "  %s to %s: at most %.1f dB, at %.2f s; at least %.1f dB\n",
                walk->name[link % (size_t)walk->transmitters],
                walk->name[(size_t)walk->transmitters + link / (size_t)walk->transmitters], tenth(most),
                at / walk->rate, tenth(least));
    }
}

static void print_checks(const struct walk *walk, FILE *stream)
{
    double field = 0, scattered = 0;
    char off[PW_NUMBER_SIZE], change[PW_NUMBER_SIZE];
    fputs("against whole solves:\n", stream);
    for (int n = 0; n < walk->check_count; n++) {
        const pw_walk_check *check = &walk->check[n];
        const size_t link = (size_t)check->receiver * (size_t)walk->transmitters + (size_t)check->transmitter;
        fprintf(
            stream,
            "  %.2f s, %s to %s: blockage %.2f dB, whole solve %.2f dB; field %s %% off, what the person%s change%s "
            "%s %% off\n",
            check->pose / walk->rate, walk->name[check->transmitter], walk->name[walk->transmitters + check->receiver],
            walk->blockage[(size_t)check->pose * walk_links(walk) + link], check->blockage,
            pw_number_text(100 * check->field, 2, off), plural(walk->persons), walk->persons == 1 ? "s" : "",
            pw_number_text(100 * check->scattered, 2, change));
        field += check->field * check->field;
        scattered += check->scattered * check->scattered;
    }
    fprintf(stream, "  all of them: field %s %% off, what the person%s change%s %s %% off, root mean square\n",
            pw_number_text(100 * sqrt(field / walk->check_count), 2, off), plural(walk->persons),
            walk->persons == 1 ? "s" : "", pw_number_text(100 * sqrt(scattered / walk->check_count), 2, change));
}

void pw_walk_print(const pw_walk *walk, FILE *stream)
{
    char number[PW_NUMBER_SIZE], error[PW_NUMBER_SIZE];
    fprintf(stream, "%d pose%s of %d person%s, %d frequenc%s, %d transmitter%s, %d receiver%s\n", walk->poses,
            plural(walk->poses), walk->persons, plural(walk->persons), walk->frequencies,
            walk->frequencies == 1 ? "y" : "ies", walk->transmitters, plural(walk->transmitters), walk->receivers,
            plural(walk->receivers));
    if (walk->method != PW_WALK_EXACT) {
        fprintf(stream,
                "%s poses a second after the runs; the field around the person%s is that of waves in air to %s %%\n",
                pw_number_text(walk->poses_a_second, 3, number), plural(walk->persons),
                pw_number_text(100 * walk->fit_error, 2, error));
    }
    print_links(walk, stream);
    if (walk->check_count > 0) {
        print_checks(walk, stream);
    } else if (walk->method == PW_WALK_CYLINDER) {
        fputs("not included: waves that go back and forth between a person and the walls; check some poses, or choose "
              "the "
              "method walls\n",
              stream);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

pw_status pw_walk_write(const pw_walk *walk, const char *path, pw_error *error)
{
    const size_t length = strlen(path);
    char other[PATH_MAX];
    struct doppler doppler;
    if (length < 4 || length >= PATH_MAX - 4 || strcmp(path + length - 3, ".h5") != 0) {
        return fail(error, PW_USAGE, "'%.200s': the name of a walk must end in .h5", path);
    }
    pw_status status = doppler_make(walk, &doppler, error);
    THEN(status, walk_write_hdf5(walk, &doppler, path, error));
    snprintf(other, sizeof other, "%.*s.npy", (int)length - 3, path);
    THEN(status, walk_write_npy(walk, other, error));
    snprintf(other, sizeof other, "%.*s.png", (int)length - 3, path);
    THEN(status, walk_write_picture(walk, &doppler, 0, other, error));
    doppler_free(&doppler);
    return status;
}

pw_status pw_walk_film(const pw_walk *walk, const char *path, pw_error *error)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".gif") == 0
               ? walk_write_film(walk, path, error)
               : fail(error, PW_USAGE, "'%.200s': the name of a film must end in .gif", path);
}
