/* Pictures of a storey, one over the other (levels.h). */
#include "discretize/forecast/levels.h"

#include <math.h>

/* Pictures that are as fine as that of a plan without heights; more than these share their pixels. */
static const int AT_FULL = 4;
static const double SAME_HEIGHT = 1e-9; /* m */

pw_status levels_create(const struct building *building, const struct slabs *slabs, bool parallel,
                        struct levels *levels, pw_error *error)
{
    const int first = slabs->some ? building_band_at(building, slabs->low) : 0;
    int last = first;
    while (slabs->some && last + 1 < building->band_count && building->borders[last] < slabs->high - SAME_HEIGHT) {
        last++;
    }
    const int count = last - first + 1;
    levels->picture = allocate((size_t)count, sizeof *levels->picture, "pictures of the plan", error);
    levels->top = allocate((size_t)count, sizeof *levels->top, "pictures of the plan", error);
    TRY_MADE(levels->picture != NULL && levels->top != NULL);
    for (int n = 0; n < count; n++) {
        levels->count = n + 1;
        levels->picture[n].parallel = parallel;
        levels->top[n] = n + 1 < count ? building->borders[first + n] : HUGE_VAL;
        TRY(picture_create(&building->bands[first + n], fmin((double)AT_FULL / count, 1), &levels->picture[n], error));
    }
    return PW_OK;
}

void levels_free(struct levels *levels)
{
    for (int n = 0; n < levels->count; n++) {
        picture_free(&levels->picture[n]);
    }
    FREE_ALL(levels->picture, levels->top);
}

int levels_at(const struct levels *levels, double z)
{
    int n = 0;
    while (n + 1 < levels->count && z >= levels->top[n]) {
        n++;
    }
    return n;
}

double levels_thickness(const struct levels *levels, const struct ray *ray, int level, uint16_t material)
{
    const int up = ray->slope < 0 ? -1 : 1;
    uint16_t there = material;
    int end = level;
    while (end >= 0 && end < levels->count && picture_material_at(&levels->picture[end], ray->x, ray->y, &there) &&
           there == material) {
        end += up;
    }
    if (end < 0 || end == levels->count) {
        return HUGE_VAL; /* down to the floor, or up to the ceiling */
    }
    return up > 0 ? levels->top[end - 1] - levels->top[level - 1] : levels->top[level] - levels->top[end];
}
