/* Pictures through a projective map (rectify.h). The perspective of a rectangle is the map of the unit square to a
 * quadrilateral (Heckbert, Fundamentals of texture mapping and image warping, 1989, section 2.2.3). The turn of a sheet
 * is the one at which its edges, added up along straight lines, make the sharpest profile (Postl, 1986). */
#include "drawing/picture/rectify.h"

#include <math.h>
#include <stdlib.h>

/* Where a place (x, y) of the new picture lies in the old one, both with y downwards from the upper left corner:
 * ((m0 x + m1 y + m2) / w, (m3 x + m4 y + m5) / w) with w = m6 x + m7 y + m8. */
struct projection {
    double m[9];
};

/* The old picture at a place, between its pixels' middles, channel by channel; white outside. */
static void image_sample(const pw_picture *image, double x, double y, double rgb[3])
{
    double left = floor(x - 0.5), top = floor(y - 0.5), across = x - 0.5 - left, down = y - 0.5 - top;
    for (int n = 0; n < 4; n++) {
        double column = left + n % 2, row = top + n / 2;
        double weight = (n % 2 ? across : 1 - across) * (n / 2 ? down : 1 - down);
        bool inside = column >= 0 && row >= 0 && column < image->width && row < image->height;
        const uint8_t *pixel = inside ? image->rgb + 3 * ((size_t)image->width * (size_t)row + (size_t)column) : NULL;
        for (int c = 0; c < 3; c++) {
            rgb[c] += weight * (pixel != NULL ? pixel[c] : 255);
        }
    }
}

/* A pixel is the mean of `fine` x `fine` places in it, so that what is made smaller keeps its thin lines. */
static void pixel_project(const pw_picture *image, const struct projection *map, int column, int row, int fine,
                          uint8_t *pixel)
{
    double sum[3] = {0};
    for (int n = 0; n < fine * fine; n++) {
        double x = column + (n % fine + 0.5) / fine, y = row + (n / fine + 0.5) / fine;
        const double *m = map->m;
        double w = m[6] * x + m[7] * y + m[8];
        image_sample(image, (m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w, sum);
    }
    for (int c = 0; c < 3; c++) {
        pixel[c] = (uint8_t)(sum[c] / (fine * fine) + 0.5);
    }
}

static pw_status image_project(const pw_picture *image, const struct projection *map, int width, int height, int fine,
                               pw_picture *projected, pw_error *error)
{
    FAIL_IF(width < 1 || height < 1 || width > PW_PICTURE_SIDE_LIMIT || height > PW_PICTURE_SIDE_LIMIT ||
                (int64_t)width * height > PW_PICTURE_PIXEL_LIMIT,
            error, PW_BAD_INPUT, "a picture of %d x %d pixels: sides of 1 to %d and %d million pixels are possible",
            width, height, PW_PICTURE_SIDE_LIMIT, PW_PICTURE_PIXEL_LIMIT / 1000000);
    pw_picture made = {width, height, NULL};
    made.rgb = allocate((size_t)width * (size_t)height, 3, "a picture made straight", error);
    TRY_MADE(made.rgb);
#pragma omp parallel for
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            uint8_t *pixel = made.rgb + 3 * ((size_t)width * (size_t)row + (size_t)column);
            pixel_project(image, map, column, row, fine, pixel);
        }
    }
    *projected = made;
    return PW_OK;
}

/* Whether the corners go around counterclockwise without turning back. */
static bool corners_are_convex(const struct drawing_point corner[4])
{
    for (int n = 0; n < 4; n++) {
        struct drawing_point a = corner[n], b = corner[(n + 1) % 4], c = corner[(n + 2) % 4];
        if (!((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 1)) {
            return false;
        }
    }
    return true;
}

/* From the new picture, width x height with y downwards, to the quadrilateral of the old one. */
static struct projection projection_of(const pw_picture *image, const struct drawing_point corner[4], double width,
                                       double height)
{
    double x[4], y[4];
    for (int n = 0; n < 4; n++) { /* upper left, upper right, lower right, lower left, y downwards */
        x[n] = corner[3 - n].x;
        y[n] = image->height - corner[3 - n].y;
    }
    double x1 = x[1] - x[2], x2 = x[3] - x[2], x3 = x[0] - x[1] + x[2] - x[3];
    double y1 = y[1] - y[2], y2 = y[3] - y[2], y3 = y[0] - y[1] + y[2] - y[3];
    double whole = x1 * y2 - x2 * y1, g = (x3 * y2 - x2 * y3) / whole, h = (x1 * y3 - x3 * y1) / whole;
    return (struct projection){{(x[1] - x[0] + g * x[1]) / width, (x[3] - x[0] + h * x[3]) / height, x[0],
                                (y[1] - y[0] + g * y[1]) / width, (y[3] - y[0] + h * y[3]) / height, y[0], g / width,
                                h / height, 1}};
}

static double side_length(const struct drawing_point corner[4], int from, int to)
{
    return hypot(corner[to].x - corner[from].x, corner[to].y - corner[from].y);
}

pw_status picture_rectify(pw_picture *image, const struct drawing_point corner[4], const double sides[2],
                          pw_error *error)
{
    FAIL_IF(!corners_are_convex(corner), error, PW_BAD_INPUT,
            "the corners (%g, %g), (%g, %g), (%g, %g), (%g, %g) are not those of a rectangle in a photograph, "
            "in the order lower left, lower right, upper right, upper left",
            corner[0].x, corner[0].y, corner[1].x, corner[1].y, corner[2].x, corner[2].y, corner[3].x, corner[3].y);
    FAIL_IF(!(sides[0] >= 1 && sides[1] >= 1 && sides[0] <= PW_PICTURE_SIDE_LIMIT && sides[1] <= PW_PICTURE_SIDE_LIMIT),
            error, PW_BAD_INPUT, "a picture stretched to %g x %g pixels: sides of 1 to %d are possible", sides[0],
            sides[1], PW_PICTURE_SIDE_LIMIT);
    struct projection map = projection_of(image, corner, sides[0], sides[1]);
    double shrunk = fmax(fmax(side_length(corner, 0, 1), side_length(corner, 3, 2)) / sides[0],
                         fmax(side_length(corner, 0, 3), side_length(corner, 1, 2)) / sides[1]);
    int fine = (int)fmin(4, fmax(1, ceil(shrunk)));
    pw_picture straight = {0};
    TRY(image_project(image, &map, (int)lround(sides[0]), (int)lround(sides[1]), fine, &straight, error));
    pw_picture_free(image);
    *image = straight;
    return PW_OK;
}

/* ---- turns about the middle ---- */

/* From the turned picture to the one before; y downwards changes the sign of the sine. */
static struct projection turn_projection(int width, int height, const pw_picture *turned, double angle)
{
    double c = cos(angle), s = sin(angle), x = 0.5 * turned->width, y = 0.5 * turned->height;
    return (struct projection){{c, s, 0.5 * width - c * x - s * y, -s, c, 0.5 * height + s * x - c * y, 0, 0, 1}};
}

pw_picture picture_turned_size(int width, int height, double angle)
{
    double c = fabs(cos(angle)), s = fabs(sin(angle));
    return (pw_picture){(int)ceil(width * c + height * s), (int)ceil(height * c + width * s), NULL};
}

static pw_status picture_turn(const pw_picture *image, double angle, pw_picture *turned, pw_error *error)
{
    pw_picture size = picture_turned_size(image->width, image->height, angle);
    struct projection map = turn_projection(image->width, image->height, &size, angle);
    return image_project(image, &map, size.width, size.height, 1, turned, error);
}

struct drawing_point picture_turned_back(int width, int height, const pw_picture *turned, double angle,
                                         struct drawing_point at)
{
    struct projection map = turn_projection(width, height, turned, angle);
    return (struct drawing_point){map.m[0] * at.x + map.m[1] * at.y + map.m[2],
                                  map.m[3] * at.x + map.m[4] * at.y + map.m[5]};
}

/* ---- the turn of a sheet ---- */

enum { EDGE_STEP = 64, EDGE_POINTS = 200000, COARSE_STEPS = 60, FINE_STEPS = 25 };
static const double MOST_TURN = 15 * M_PI / 180;
static const double LEAST_TURN = 5e-4; /* rad: a pixel in two thousand */

static int grey_at(const pw_picture *image, int x, int y)
{
    const uint8_t *p = image->rgb + 3 * ((size_t)image->width * (size_t)y + (size_t)x);
    return (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000;
}

/* Pixels on edges, seen from the middle of the picture, y upwards; every n-th of them, so that there is room. */
static size_t edge_points(const pw_picture *image, size_t every, struct drawing_point *points)
{
    size_t met = 0, count = 0;
    for (int y = 1; y + 1 < image->height; y++) {
        for (int x = 1; x + 1 < image->width; x++) {
            int step = abs(grey_at(image, x + 1, y) - grey_at(image, x - 1, y)) +
                       abs(grey_at(image, x, y + 1) - grey_at(image, x, y - 1));
            if (step >= EDGE_STEP && met++ % every == 0 && points != NULL && count < EDGE_POINTS) {
                points[count++] = (struct drawing_point){x + 0.5 - 0.5 * image->width, 0.5 * image->height - y - 0.5};
            }
        }
    }
    return points != NULL ? count : met;
}

/* The sum of squares of how many points lie on each line along the turned axes, a pixel apart. */
static double profile_sharpness(const struct drawing_point *points, size_t count, double turn, uint32_t *profile,
                                int lines)
{
    double c = cos(turn), s = sin(turn), sharpness = 0;
    for (int n = 0; n < 2 * lines; n++) {
        profile[n] = 0;
    }
    for (size_t p = 0; p < count; p++) {
        int across = (int)lround(points[p].x * c + points[p].y * s) + lines / 2;
        int up = (int)lround(points[p].y * c - points[p].x * s) + lines / 2;
        profile[across]++;
        profile[lines + up]++;
    }
    for (int n = 0; n < 2 * lines; n++) {
        sharpness += (double)profile[n] * profile[n];
    }
    return sharpness;
}

static double sharpest_turn(const struct drawing_point *points, size_t count, uint32_t *profile, int lines)
{
    double best = 0, most = profile_sharpness(points, count, 0, profile, lines), step = MOST_TURN / COARSE_STEPS;
    for (int round = 0; round < 2; round++) {
        double middle = round == 0 ? 0 : best;
        int steps = round == 0 ? COARSE_STEPS : FINE_STEPS;
        step = round == 0 ? step : step / FINE_STEPS;
        for (int n = -steps; n <= steps; n++) {
            double sharpness = profile_sharpness(points, count, middle + n * step, profile, lines);
            if (sharpness > most * (1 + 1e-9)) {
                most = sharpness;
                best = middle + n * step;
            }
        }
    }
    return best;
}

static pw_status skew_find(const pw_picture *image, double *skew, pw_error *error)
{
    int lines = (int)hypot(image->width, image->height) + 4;
    size_t every = 1 + edge_points(image, 1, NULL) / EDGE_POINTS;
    struct drawing_point *points = allocate(EDGE_POINTS, sizeof *points, "the edges of a picture", error);
    uint32_t *profile = allocate(2 * (size_t)lines, sizeof *profile, "the edges of a picture", error);
    bool room = points != NULL && profile != NULL;
    if (room) {
        size_t count = edge_points(image, every, points);
        *skew = count > 0 ? sharpest_turn(points, count, profile, lines) : 0;
    }
    PW_FREE_ALL(points, profile);
    return room ? PW_OK : PW_NO_RESOURCE;
}

pw_status picture_deskew(pw_picture *image, double *turned, pw_error *error)
{
    double skew = 0;
    *turned = 0;
    TRY(skew_find(image, &skew, error));
    if (fabs(skew) < LEAST_TURN) {
        return PW_OK;
    }
    pw_picture turned_one = {0};
    TRY(picture_turn(image, skew, &turned_one, error));
    pw_picture_free(image);
    *image = turned_one;
    *turned = -skew;
    return PW_OK;
}
