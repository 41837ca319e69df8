/* Plans from arrays (plan_arrays.h). Shapes that lie over them are floorplan.c's work. */
#include "plan/plan_arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_LIMIT = 1000000, SLOTS = 4096 /* of the table of media: a power of two, four times PW_PLAN_MEDIA */ };

/* A hash table of the media that have been seen: index of the material + 1 per slot, 0: free. */
struct media {
    uint16_t slots[SLOTS];
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

static bool is_same(const struct material *a, const struct material *b)
{
    return a->perfect_conductor == b->perfect_conductor && a->relative_permittivity == b->relative_permittivity &&
           a->conductivity == b->conductivity;
}

static uint64_t medium_hash(const struct material *medium)
{
    uint64_t permittivity, conductivity;
    memcpy(&permittivity, &medium->relative_permittivity, sizeof permittivity);
    memcpy(&conductivity, &medium->conductivity, sizeof conductivity);
    uint64_t hash = permittivity * 0x9e3779b97f4a7c15u ^ conductivity * 0xc2b2ae3d27d4eb4fu ^ medium->perfect_conductor;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
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

/* Index of the medium among the materials, added when it is new. */
static pw_status medium_find(struct media *media, struct material *medium, struct floorplan *plan, uint16_t *index,
                             pw_error *error)
{
    size_t slot = medium_hash(medium) & (SLOTS - 1);
    for (; media->slots[slot] != 0; slot = (slot + 1) & (SLOTS - 1)) {
        if (is_same(&plan->materials[media->slots[slot] - 1], medium)) {
            *index = (uint16_t)(media->slots[slot] - 1);
            return PW_OK;
        }
    }
    if (is_same(&plan->materials[0], medium)) {
        *index = 0;
    } else if (media->count == PW_PLAN_MEDIA) {
        return fail(error, PW_BAD_INPUT, "the plan's arrays hold more than %d distinct media; round their numbers",
                    PW_PLAN_MEDIA);
    } else {
        medium_name(medium);
        *index = (uint16_t)plan->material_count;
        plan->materials[plan->material_count++] = *medium;
        media->count++;
    }
    media->slots[slot] = (uint16_t)(*index + 1);
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
    OWNED struct media *media = allocate(1, sizeof *media, "the media of the plan", error);
    TRY_MADE(plan->pixels != NULL && media != NULL);
    for (size_t n = 0; n < count; n++) {
        struct material medium;
        TRY(pixel_medium(arrays, n, &medium, error));
        TRY(medium_find(media, &medium, plan, &plan->pixels[n], error));
    }
    return PW_OK;
}
