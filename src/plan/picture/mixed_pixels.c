/* The list of pixels that hold two materials (mixed_pixels.h). Which pixels those are is for picture_match.c. */
#include "plan/picture/mixed_pixels.h"

pw_status mixed_pixels_add(struct mixed_pixels *mixed, const struct mixed_pixel *pixel, pw_error *error)
{
    TRY(array_grow(&mixed->list, &mixed->capacity, mixed->count, sizeof *mixed->list, "pixels at the edges of the plan",
                   error));
    mixed->list[mixed->count++] = *pixel;
    return PW_OK;
}

void mixed_pixels_free(struct mixed_pixels *mixed)
{
    FREE_ALL(mixed->list, mixed->start);
    *mixed = (struct mixed_pixels){0};
}

bool mixed_pixels_in_row(const struct mixed_pixels *mixed, int row)
{
    return mixed->start != NULL && mixed->start[row + 1] > mixed->start[row];
}

const struct mixed_pixel *mixed_pixel_find(const struct mixed_pixels *mixed, int row, int column)
{
    if (mixed->start == NULL) {
        return NULL;
    }
    size_t low = mixed->start[row], high = mixed->start[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mixed->list[middle].column < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < mixed->start[row + 1] && mixed->list[low].column == column;
    return found ? &mixed->list[low] : NULL;
}

bool mixed_pixel_is_other(const struct mixed_pixel *pixel, double x, double y)
{
    double share = (double)pixel->parts / MIXED_PARTS;
    switch ((enum mixed_side)pixel->side) {
    case MIXED_LEFT:
        return x < share;
    case MIXED_RIGHT:
        return x >= 1 - share;
    case MIXED_BELOW:
        return y < share;
    case MIXED_ABOVE:
        return y >= 1 - share;
    }
    return false;
}
