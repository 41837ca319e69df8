/* Plans from arrays (plan_arrays.h). Shapes that lie over them are floorplan.c's work. */
#include "plan/plan_arrays.h"

#include "base/numbers/distinct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_LIMIT = 1000000 };

/* What tells one medium from another. */
struct medium_key {
    double relative_permittivity, conductivity, perfect_conductor;
};

/* The media that have been seen. */
struct media {
    struct distinct keys;
    uint16_t index[PW_PLAN_MEDIA + 2]; /* of the material of each */
    size_t known;
    int count; /* besides air */
};

static pw_status size_check(const struct scenario *scenario, const pw_plan *arrays, pw_error *error)
{
    const struct plan_choice *choice = &scenario->plan;
    FAIL_IF(arrays->rows < 1 || arrays->columns < 1 || arrays->rows > SIDE_LIMIT || arrays->columns > SIDE_LIMIT ||
                !(arrays->pixel > 0.0 && isfinite(arrays->pixel)) || arrays->relative_permittivity == NULL,
            error, PW_BAD_INPUT,
            "a plan of %d x %d pixels of %g m: 1 to %d rows and columns, a pixel over 0 and the permittivity are "
            "wanted",
            arrays->columns, arrays->rows, arrays->pixel, SIDE_LIMIT);
    FAIL_IF(choice->image != NULL, error, PW_BAD_INPUT, "%s: plan.image '%s' and a plan from arrays: give one of them",
            scenario->file, choice->image);
    double width = arrays->columns * arrays->pixel, height = arrays->rows * arrays->pixel;
    FAIL_IF(fabs(choice->width - width) > 0.5 * arrays->pixel || fabs(choice->height - height) > 0.5 * arrays->pixel,
            error, PW_BAD_INPUT, "%s: plan.size is %g x %g m, but the arrays have %d x %d pixels of %g m: %g x %g m",
            scenario->file, choice->width, choice->height, arrays->columns, arrays->rows, arrays->pixel, width, height);
    return PW_OK;
}

/* The medium of pixel n; a perfect conductor has the numbers of air. */
static pw_status pixel_medium(const pw_plan *arrays, size_t n, struct material *medium, pw_error *error)
{
    *medium = (struct material){.relative_permittivity = 1.0};
    if (arrays->perfect_conductor != NULL && arrays->perfect_conductor[n]) {
        medium->perfect_conductor = true;
        return PW_OK;
    }
    medium->relative_permittivity = arrays->relative_permittivity[n];
    medium->conductivity = arrays->conductivity != NULL ? arrays->conductivity[n] : 0.0;
    if (!(medium->relative_permittivity > 0.0 && isfinite(medium->relative_permittivity)) ||
        !(medium->conductivity >= 0.0 && isfinite(medium->conductivity))) {
        size_t columns = (size_t)arrays->columns;
        return fail(error, PW_BAD_INPUT,
                    "row %zu, column %zu of the plan: relative permittivity %g must be above 0 and conductivity %g S/m "
                    "not below 0",
                    n / columns, n % columns, medium->relative_permittivity, medium->conductivity);
    }
    medium->conductivity += 0.0; /* -0 is 0 */
    return PW_OK;
}

static void media_free(struct media *media)
{
    distinct_free(&media->keys);
}

static bool is_same(const struct material *a, const struct material *b)
{
    return a->perfect_conductor == b->perfect_conductor && a->relative_permittivity == b->relative_permittivity &&
           a->conductivity == b->conductivity;
}

static void medium_name(struct material *medium)
{
    if (medium->perfect_conductor) {
        snprintf(medium->name, sizeof medium->name, "perfect conductor");
    } else {
        snprintf(medium->name, sizeof medium->name, "permittivity %.6g, %.4g S/m", medium->relative_permittivity,
                 medium->conductivity);
    }
}

/* Index of a medium that was not seen before, added to the materials. */
static pw_status medium_add(struct media *media, struct material *medium, struct floorplan *plan, uint16_t *index,
                            pw_error *error)
{
    *index = 0;
    if (is_same(&plan->materials[0], medium)) {
        return PW_OK;
    }
    FAIL_IF(media->count == PW_PLAN_MEDIA, error, PW_BAD_INPUT,
            "the plan's arrays hold more than %d distinct media; round their numbers", PW_PLAN_MEDIA);
    medium_name(medium);
    *index = (uint16_t)plan->material_count;
    plan->materials[plan->material_count++] = *medium;
    media->count++;
    return PW_OK;
}

static pw_status medium_find(struct media *media, struct material *medium, struct floorplan *plan, uint16_t *index,
                             pw_error *error)
{
    const struct medium_key key = {medium->relative_permittivity, medium->conductivity, medium->perfect_conductor};
    uint32_t number;
    TRY(distinct_number(&media->keys, &key, "the media of the plan", &number, error));
    if (number == media->known) {
        TRY(medium_add(media, medium, plan, &media->index[number], error));
        media->known++;
    }
    *index = media->index[number];
    return PW_OK;
}

pw_status plan_arrays_place(const struct scenario *scenario, const pw_plan *arrays, struct floorplan *plan,
                            pw_error *error)
{
    TRY(size_check(scenario, arrays, error));
    size_t count = (size_t)arrays->rows * (size_t)arrays->columns;
    plan->width = arrays->columns * arrays->pixel;
    plan->height = arrays->rows * arrays->pixel;
    plan->pixel = arrays->pixel;
    plan->pixel_rows = arrays->rows;
    plan->pixel_columns = arrays->columns;
    plan->pixels = allocate(count, sizeof *plan->pixels, "the plan", error);
    OWNED_BY(media_free) struct media media = {.keys.size = sizeof(struct medium_key)};
    TRY_MADE(plan->pixels);
    for (size_t n = 0; n < count; n++) {
        struct material medium;
        TRY(pixel_medium(arrays, n, &medium, error));
        TRY(medium_find(&media, &medium, plan, &plan->pixels[n], error));
    }
    return PW_OK;
}
