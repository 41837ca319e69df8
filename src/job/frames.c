/* Pictures of the field while a run goes on (frames.h). */
#include "job/frames.h"

#include "base/hankel.h"
#include "draw/colormap.h"
#include "file/png_image.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BAR_HEIGHT = 4 }; /* pixels: the bar that grows with the time */

struct frames {
    const struct setup *setup; /* borrowed */
    char *folder;              /* owned */
    int64_t every;
    int width, height; /* pixels, both even because video encoders want that */
    double *field;     /* (ny, nx) [V/m], owned */
    uint8_t *pixels;   /* (height, width, 3), owned */
};

static pw_status folder_make(char *path, pw_error *error)
{
    struct stat found;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* only the last mkdir has to succeed */
        *slash = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return fail(error, PW_NO_RESOURCE, "cannot make the folder '%s' for frames: %s", path, strerror(errno));
    }
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode)) {
        return fail(error, PW_BAD_INPUT, "'%s' exists and is not a folder for frames", path);
    }
    return PW_OK;
}

static int even(double pixels)
{
    return 2 * (int)fmax(16.0, round(0.5 * pixels));
}

pw_status frames_create(const struct setup *setup, const char *folder, int64_t every, struct frames **frames,
                        pw_error *error)
{
    const struct problem *problem = &setup->problem;
    if (every < 0 || folder[0] == '\0' || strlen(folder) > PATH_MAX - 2 * NAME_SIZE) {
        return fail(error, PW_USAGE,
                    "frames every %lld steps in '%.60s': allowed are 1 step or more, and a folder's name",
                    (long long)every, folder);
    }
    struct frames *made = allocate(1, sizeof *made, "frames", error);
    if (made == NULL) {
        return PW_NO_RESOURCE;
    }
    int64_t customary = problem->steps / FRAMES_CUSTOMARY;
    int wide = problem->axis[0].count - 2 * problem_layer(problem),
        tall = problem->axis[1].count - 2 * problem_layer(problem);
    double scale = (double)FRAMES_LONG_SIDE / (wide > tall ? wide : tall);
    made->setup = setup;
    made->every = every > 0 ? every : customary > 0 ? customary : 1;
    made->width = even(scale * wide);
    made->height = even(scale * tall);
    made->folder = strdup(folder);
    made->field = allocate((size_t)problem->axis[0].count * (size_t)problem->axis[1].count, sizeof *made->field,
                           "a frame", error);
    made->pixels = allocate((size_t)made->width * (size_t)made->height, 3, "a frame", error);
    pw_status status = made->folder == NULL || made->field == NULL || made->pixels == NULL
                           ? PW_NO_RESOURCE
                           : folder_make(made->folder, error);
    if (status != PW_OK) {
        frames_free(made);
        return status;
    }
    *frames = made;
    return PW_OK;
}

void frames_free(struct frames *frames)
{
    if (frames != NULL) {
        free(frames->folder);
        free(frames->field);
        free(frames->pixels);
        free(frames);
    }
}

/* The field [V/m] that is drawn as 0 dB: that of the peak current at 1 m, or the imposed field carried to 1 m by the
 * Hankel function. */
static double reference_field(const struct setup *setup, int transmitter)
{
    const struct problem *problem = &setup->problem;
    const struct source *source = &problem->sources[transmitter];
    double peak = 0.0, re, im, near_re, near_im, centre = setup->scenario->band_centre;
    for (int64_t n = 0; n < problem->steps; n++) {
        peak = fmax(peak, fabs(source->hard ? source->drive[n] : source->current[n]));
    }
    line_current_field(centre, 1.0, &re, &im);
    if (source->hard) {
        line_current_field(centre, 0.2 * problem->axis[0].spacing, &near_re, &near_im);
        peak /= hypot(near_re, near_im);
    }
    peak *= hypot(re, im);
    return peak > 0.0 ? peak : 1.0;
}

/* Mean of |Ez|^2 and the share of wall over the nodes of a pixel, of which there is at least one. */
static void pixel_gather(const struct frames *frames, int column, int row, double *power, double *wall)
{
    const struct problem *problem = &frames->setup->problem;
    const struct medium *medium = &frames->setup->medium;
    int wide = problem->axis[0].count - 2 * problem_layer(problem),
        tall = problem->axis[1].count - 2 * problem_layer(problem);
    int i0 = (int)((int64_t)column * wide / frames->width), i1 = (int)((int64_t)(column + 1) * wide / frames->width);
    int j0 = (int)((int64_t)row * tall / frames->height), j1 = (int)((int64_t)(row + 1) * tall / frames->height);
    int count = 0;
    *power = *wall = 0.0;
    for (int j = j0; j < (j1 > j0 ? j1 : j0 + 1); j++) {
        for (int i = i0; i < (i1 > i0 ? i1 : i0 + 1); i++) {
            size_t n = (size_t)(j + problem_layer(problem)) * (size_t)problem->axis[0].count +
                       (size_t)(i + problem_layer(problem));
            const struct medium_entry *entry = &medium->palette[medium->index[n]];
            *power += frames->field[n] * frames->field[n];
            *wall += entry->perfect_conductor || entry->relative_permittivity > 1.1 ? 1.0 : 0.0;
            count++;
        }
    }
    *power /= count;
    *wall /= count;
}

static void frame_compose(const struct frames *frames, double reference, double passed)
{
    int bar = (int)(passed * frames->width);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < frames->height; row++) {
        for (int column = 0; column < frames->width; column++) {
            double power, wall;
            pixel_gather(frames, column, row, &power, &wall);
            double level = 10.0 * log10(power / (reference * reference) + 1e-30);
            struct colour colour = colormap_at(COLORMAP_VIRIDIS, 1.0 + level / FRAMES_DEPTH);
            /* Row 0 of a PNG is at the top. */
            uint8_t *pixel =
                frames->pixels + 3 * ((size_t)(frames->height - 1 - row) * (size_t)frames->width + (size_t)column);
            double light = 1.0 - 0.55 * wall;
            pixel[0] = (uint8_t)(light * colour.red);
            pixel[1] = (uint8_t)(light * colour.green);
            pixel[2] = (uint8_t)(light * colour.blue);
            if (row < BAR_HEIGHT && column < bar) {
                memset(pixel, 255, 3);
            }
        }
    }
}

/* The beginning of a file's name, such as "tx1-ap1"; characters that could mean something to a file system or to an
 * encoder become '_'. */
static void stem_make(const char *name, int transmitter, char stem[NAME_SIZE + 16])
{
    int length = snprintf(stem, NAME_SIZE + 16, "tx%d-%s", transmitter + 1, name);
    for (int n = 0; n < length && n < NAME_SIZE + 15; n++) {
        bool plain = (stem[n] >= 'a' && stem[n] <= 'z') || (stem[n] >= 'A' && stem[n] <= 'Z') ||
                     (stem[n] >= '0' && stem[n] <= '9') || stem[n] == '-';
        stem[n] = plain ? stem[n] : '_';
    }
}

static pw_status frames_write(struct simulation *simulation, void *user, pw_error *error)
{
    struct frames *frames = user;
    const struct setup *setup = frames->setup;
    for (int run = 0; run < simulation->count; run++) {
        char stem[NAME_SIZE + 16], path[PATH_MAX];
        int transmitter = simulation->first + run;
        TRY(pw_simulation_field(simulation, run, frames->field, error));
        frame_compose(frames, reference_field(setup, transmitter),
                      (double)simulation->step / (double)setup->problem.steps);
        stem_make(setup->scenario->transmitters[transmitter].name, transmitter, stem);
        snprintf(path, sizeof path, "%s/%s-%06lld.png", frames->folder, stem,
                 (long long)(simulation->step / frames->every - 1));
        TRY(png_image_write(path, frames->width, frames->height, 3, frames->pixels, error));
    }
    return PW_OK;
}

void frames_attach(struct frames *frames, struct simulation *simulation)
{
    simulation->pause_every = frames->every;
    simulation->pause = frames_write;
    simulation->pause_user = frames;
}
