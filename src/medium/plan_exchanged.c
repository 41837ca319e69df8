/* A floor plan with x and y exchanged (plan_exchanged.h). */
#include "medium/plan_exchanged.h"

#include <stdlib.h>

enum { PIXELS_TOGETHER = 32 };

static struct point point_exchanged(struct point point)
{
    return (struct point){point.y, point.x};
}

static pw_status outlines_exchange(const struct floorplan *plan, struct floorplan *exchanged, pw_error *error)
{
    exchanged->outlines = allocate((size_t)plan->shape_count, sizeof *plan->outlines, "the shapes of the plan", error);
    TRY_MADE(exchanged->outlines);
    for (int s = 0; s < plan->shape_count; s++) {
        const struct outline *from = &plan->outlines[s];
        struct outline *to = &exchanged->outlines[s];
        *to = *from;
        to->low = point_exchanged(from->low);
        to->high = point_exchanged(from->high);
        to->centre = point_exchanged(from->centre);
        to->points = NULL;
        exchanged->shape_count = s + 1;
        if (from->point_count > 0) {
            to->points = allocate((size_t)from->point_count, sizeof *to->points, "the shapes of the plan", error);
            TRY_MADE(to->points);
            for (int p = 0; p < from->point_count; p++) {
                to->points[p] = point_exchanged(from->points[p]);
            }
        }
    }
    return PW_OK;
}

static pw_status pixels_exchange(const struct floorplan *plan, struct floorplan *exchanged, pw_error *error)
{
    static const uint8_t OTHER_SIDE[] = {[MIXED_LEFT] = MIXED_BELOW,
                                         [MIXED_RIGHT] = MIXED_ABOVE,
                                         [MIXED_BELOW] = MIXED_LEFT,
                                         [MIXED_ABOVE] = MIXED_RIGHT};
    const size_t rows = (size_t)plan->pixel_columns, columns = (size_t)plan->pixel_rows;
    exchanged->pixel_rows = plan->pixel_columns;
    exchanged->pixel_columns = plan->pixel_rows;
    TRY_MADE(exchanged->pixels = allocate(rows * columns, sizeof *plan->pixels, "the pixels of the plan", error));
    /* Some rows at a time: a line of the cache has as many pixels of a column. */
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < rows; first += PIXELS_TOGETHER) {
        const size_t end = rows - first < PIXELS_TOGETHER ? rows : first + PIXELS_TOGETHER;
        for (size_t column = 0; column < columns; column++) {
            for (size_t row = first; row < end; row++) {
                exchanged->pixels[row * columns + column] = plan->pixels[column * rows + row];
            }
        }
    }
    if (plan->mixed.start == NULL) {
        return PW_OK;
    }
    exchanged->mixed.start = allocate(rows + 1, sizeof *exchanged->mixed.start, "the edges of the plan", error);
    TRY(exchanged->mixed.start != NULL ? PW_OK : PW_NO_RESOURCE);
    for (int row = 0; row < exchanged->pixel_rows; row++) {
        for (int column = 0; column < exchanged->pixel_columns; column++) {
            const struct mixed_pixel *from = mixed_pixel_find(&plan->mixed, column, row);
            if (from != NULL) {
                struct mixed_pixel to = {column, from->other, from->parts, OTHER_SIDE[from->side]};
                TRY(mixed_pixels_add(&exchanged->mixed, &to, error));
            }
        }
        exchanged->mixed.start[row + 1] = exchanged->mixed.count;
    }
    return PW_OK;
}

pw_status plan_exchanged_create(const struct floorplan *plan, struct floorplan *exchanged, pw_error *error)
{
    *exchanged = (struct floorplan){.width = plan->height,
                                    .height = plan->width,
                                    .materials = plan->materials,
                                    .material_count = plan->material_count,
                                    .pixel = plan->pixel,
                                    .shape_material = plan->shape_material};
    TRY(outlines_exchange(plan, exchanged, error));
    return plan->pixels != NULL ? pixels_exchange(plan, exchanged, error) : PW_OK;
}

void plan_exchanged_free(struct floorplan *exchanged)
{
    for (int s = 0; s < exchanged->shape_count; s++) {
        free(exchanged->outlines[s].points);
    }
    FREE_ALL(exchanged->outlines, exchanged->pixels);
    mixed_pixels_free(&exchanged->mixed);
    *exchanged = (struct floorplan){0};
}
