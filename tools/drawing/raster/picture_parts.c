/* Limits of pictures, and turning them (picture_parts.h). */
#include "drawing/raster/picture_parts.h"

#include <string.h>

pw_status picture_size_check(const char *path, uint32_t width, uint32_t height, pw_error *error)
{
    FAIL_IF(width < 1 || height < 1 || width > PW_PICTURE_SIDE_LIMIT || height > PW_PICTURE_SIDE_LIMIT, error,
            PW_BAD_INPUT, "'%s': %u x %u pixels; sides of 1 to %d are read", path, (unsigned)width, (unsigned)height,
            PW_PICTURE_SIDE_LIMIT);
    FAIL_IF((uint64_t)width * height > PW_PICTURE_PIXEL_LIMIT, error, PW_BAD_INPUT,
            "'%s': %u x %u pixels; at most %d million are read", path, (unsigned)width, (unsigned)height,
            PW_PICTURE_PIXEL_LIMIT / 1000000);
    return PW_OK;
}

/* How the place (x, y) in the picture as it is seen is found in the stored one. */
struct turn {
    bool transposed, x_backwards, y_backwards; /* of the stored picture, after the transposition */
};

pw_status picture_orient(pw_picture *image, int orientation, pw_error *error)
{
    static const struct turn TURNS[9] = {
        [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true}, [5] = {true, false, false},
        [6] = {true, false, true},  [7] = {true, true, true},  [8] = {true, true, false}};
    if (orientation < 2 || orientation > 8) {
        return PW_OK;
    }
    struct turn turn = TURNS[orientation];
    size_t width = (size_t)image->width, height = (size_t)image->height;
    size_t columns = turn.transposed ? height : width, rows = turn.transposed ? width : height;
    uint8_t *turned = allocate(width * height, 3, "the pixels of a turned picture", error);
    PW_TRY_MADE(turned);
    for (size_t y = 0; y < rows; y++) {
        for (size_t x = 0; x < columns; x++) {
            size_t from_x = turn.transposed ? y : x, from_y = turn.transposed ? x : y;
            from_x = turn.x_backwards ? width - 1 - from_x : from_x;
            from_y = turn.y_backwards ? height - 1 - from_y : from_y;
            memcpy(turned + 3 * (y * columns + x), image->rgb + 3 * (from_y * width + from_x), 3);
        }
    }
    pw_picture_free(image);
    *image = (pw_picture){(int)columns, (int)rows, turned};
    return PW_OK;
}
