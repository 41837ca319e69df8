/* Pictures of the field while a run goes on (frames.h). */
#include "run/job/frames.h"

#include "base/clock.h"
#include "base/file/folder.h"
#include "base/picture/png_image.h"
#include "run/job/frame_picture.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct frames {
    const struct setup *setup; /* borrowed */
    char *folder;              /* owned */
    int folders_made;          /* for it */
    int64_t every;
    struct frame_picture picture;
};

/* Steps between frames: as asked for, or for the customary number of them. */
static int64_t interval(const struct setup *setup, int64_t every)
{
    int64_t customary = setup->problem.steps / FRAMES_CUSTOMARY;
    return every > 0 ? every : customary > 0 ? customary : 1;
}

pw_status frames_create(const struct setup *setup, const char *folder, int64_t every, struct frames **frames,
                        pw_error *error)
{
    FAIL_IF(every < 0 || folder[0] == '\0' || strlen(folder) > PATH_MAX - 2 * NAME_SIZE, error, PW_USAGE,
            "frames every %lld steps in '%.60s': give 1 step or more, and the name of a folder", (long long)every,
            folder);
    struct frames *made = allocate(1, sizeof *made, "frames", error);
    TRY_MADE(made);
    made->setup = setup;
    made->every = interval(setup, every);
    made->folder = strdup(folder);
    pw_status status = made->folder == NULL ? PW_NO_RESOURCE : frame_picture_create(setup, &made->picture, error);
    THEN(status, folders_make(made->folder, &made->folders_made, error));
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
        frame_picture_free(&frames->picture);
        if (frames->folder != NULL) {
            folders_unmake(frames->folder, frames->folders_made); /* when nothing came into it */
        }
        FREE_ALL(frames->folder, frames);
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
    struct frame_picture *picture = &frames->picture;
    const struct scenario *scenario = frames->setup->scenario;
    for (int run = 0; run < simulation->count; run++) {
        char stem[NAME_SIZE + 16], path[PATH_MAX];
        int transmitter = simulation->first + run;
        uint8_t *bytes = NULL;
        size_t size = 0;
        TRY(pw_simulation_field(simulation, run, picture->field, error));
        frame_compose(picture, transmitter, simulation->step);
        stem_make(scenario->transmitters[transmitter].name, transmitter, stem);
        snprintf(path, sizeof path, "%s/%s-%06lld.png", frames->folder, stem,
                 (long long)(simulation->step / frames->every - 1));
        TRY(png_image_encode_indexed(picture->width, picture->height, picture->palette, picture->pixels, &bytes, &size,
                                     error));
        pw_status status = png_bytes_write(path, bytes, size, error);
        free(bytes);
        TRY(status);
    }
    return PW_OK;
}

void frames_attach(struct frames *frames, struct simulation *simulation)
{
    simulation->pause_every = frames->every;
    simulation->pause = frames_write;
    simulation->pause_user = frames;
}

/* ---- what they will take ----------------------------------------------------------------------------------------- */

/* A field as rooms have it: waves from all sides over a level that falls away from the transmitter, as low as it is in
 * the middle of a run. What matters is that it takes a compressor about as long, and to about as many bytes, as a real
 * one. */
static void field_imagine(const struct setup *setup, double *field)
{
    enum { WAVES = 12 };
    const struct problem *problem = &setup->problem;
    double reference = frame_reference_field(setup, 0), wavenumber = 2 * M_PI * setup->scenario->band_centre / 3e8;
    struct point at = setup->scenario->transmitters[0].at;
    int nx = problem->axis[0].count, ny = problem->axis[1].count;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            double x = problem->axis[0].spacing * i, y = problem->axis[1].spacing * j, sum = 0.0;
            for (int w = 0; w < WAVES; w++) {
                double angle = 2.4 * w; /* the golden angle: no two alike */
                sum += cos(wavenumber * (x * cos(angle) + y * sin(angle)) + angle * angle);
            }
            double distance = 1.0 + hypot(x - at.x, y - at.y);
            field[(size_t)j * (size_t)nx + (size_t)i] = 0.04 * reference * sum / distance;
        }
    }
}

pw_status pw_forecast_frames(const pw_setup *setup, int64_t every, pw_frames_forecast *forecast, pw_error *error)
{
    OWNED_BY(frame_picture_free) struct frame_picture picture = {0};
    OWNED uint8_t *bytes = NULL;
    size_t size = 0;
    *forecast = (pw_frames_forecast){0};
    FAIL_IF(every < 0, error, PW_USAGE, "frames every %lld steps: allowed are 1 step or more", (long long)every);
    TRY(frame_picture_create(setup, &picture, error));
    field_imagine(setup, picture.field + picture.plane);
    frame_compose(&picture, 0, setup->problem.steps / 2); /* the first one starts threads */
    double start = clock_seconds();
    frame_compose(&picture, 0, setup->problem.steps / 2);
    TRY(png_image_encode_indexed(picture.width, picture.height, picture.palette, picture.pixels, &bytes, &size, error));
    double count = (double)(setup->problem.steps / interval(setup, every)) * setup->problem.source_count;
    *forecast = (pw_frames_forecast){.count = (int64_t)count,
                                     .width = picture.width,
                                     .height = picture.height,
                                     .seconds = count * (clock_seconds() - start),
                                     .bytes = count * (double)size};
    return PW_OK;
}
