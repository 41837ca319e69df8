/* Rays through a storey (space_view.h). Each ray falls from the cut under the ceiling; squares with nothing near are
 * passed in one stride. */
#include "discretize/picture/space_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 2, STRAIGHT = 4, SMOOTH = 3, TOUCHED_MOST = 3 };

static const double TURN = 28, RISE = 52;          /* degrees: from which side, and how high above the horizon */
static const double CREASE = 0.8;                  /* faces whose normals have less in common meet in a line */
static const double STEP = 3.5;                    /* squares: what stands out more has a line at its end */
static const double PANE = 0.3;                    /* how much of a pane's colour lies over what is behind it */
static const double NEAR_WALL = 0.3, SHADE = 0.22; /* m, and how much darker the floor is beside a wall */
static const double LINE[3] = {44, 44, 50};
static const float NO_DEPTH = 1e9F;

/* ---- projection ---- */

struct projection projection_usual(void)
{
    const double degree = acos(-1) / 180;
    return (struct projection){cos(TURN * degree), sin(TURN * degree), cos(RISE * degree), sin(RISE * degree)};
}

struct point project(const struct projection *projection, double x, double y, double z)
{
    double away = y * projection->cos_turn - x * projection->sin_turn;
    return (struct point){x * projection->cos_turn + y * projection->sin_turn,
                          away * projection->sin_rise + z * projection->cos_rise};
}

/* ---- one ray ---- */

enum face { FACE_NONE, FACE_TOP, FACE_X, FACE_Y };

/* What a ray met. */
struct hit {
    float place[3]; /* m; place[0] NO_DEPTH: nothing */
    float normal[3];
    float colour[3]; /* shaded, 0..255 */
    uint8_t material;
};

/* A ray on its way: at t squares from its start, in a square, in a band. */
struct ray {
    const struct solid *solid;
    double x, y;    /* squares, at t = 0 */
    double dx, dy;  /* of unit length */
    double z, fall; /* m: height at t = 0, and how much it loses in a square */
    double t;
    int column, row, band;
    enum face through; /* how it came into the square */
};

/* What panes have laid over the rest of a ray. */
struct tint {
    float colour[3], clear; /* clear: the share of what is behind them */
    uint8_t inside;         /* the pane that the ray is in, or 0 */
};

static double ray_height(const struct ray *ray, double t)
{
    return ray->z - ray->fall * t;
}

/* The first t >= 0 at which the ray is over the squares; false when it passes them by. */
static bool ray_enter(struct ray *ray, double *end)
{
    const double start[2] = {ray->x, ray->y}, way[2] = {ray->dx, ray->dy},
                 size[2] = {ray->solid->columns, ray->solid->rows};
    double from = 0;
    *end = (ray->z - ray->solid->low) / ray->fall;
    ray->through = FACE_TOP;
    for (int a = 0; a < 2; a++) {
        double near = (way[a] > 0 ? 0 : size[a]) - start[a], far = (way[a] > 0 ? size[a] : 0) - start[a];
        if (near / way[a] > from) {
            from = near / way[a];
            ray->through = a == 0 ? FACE_X : FACE_Y;
        }
        *end = fmin(*end, far / way[a]);
    }
    ray->t = from;
    return from < *end;
}

static void ray_place(struct ray *ray)
{
    const struct solid *solid = ray->solid;
    int column = (int)floor(ray->x + ray->dx * (ray->t + 1e-9)), row = (int)floor(ray->y + ray->dy * (ray->t + 1e-9));
    ray->column = column < 0 ? 0 : column >= solid->columns ? solid->columns - 1 : column;
    ray->row = row < 0 ? 0 : row >= solid->rows ? solid->rows - 1 : row;
}

/* t at which the ray leaves its square. */
static double ray_leave(const struct ray *ray, enum face *through)
{
    double tx = (ray->column + (ray->dx > 0 ? 1 : 0) - ray->x) / ray->dx,
           ty = (ray->row + (ray->dy > 0 ? 1 : 0) - ray->y) / ray->dy;
    *through = tx < ty ? FACE_X : FACE_Y;
    return tx < ty ? tx : ty;
}

/* ---- faces ---- */

static bool is_filled(const struct solid *solid, int band, int column, int row, uint8_t material)
{
    return column >= 0 && row >= 0 && column < solid->columns && row < solid->rows &&
           solid_at(solid, band, column, row) == material;
}

/* Whether the face runs on straight beside the square, so that it is a wall along an axis. */
static bool is_straight(const struct ray *ray, uint8_t material)
{
    bool x = ray->through == FACE_X;
    int back_column = x ? (ray->dx > 0 ? -1 : 1) : 0, back_row = x ? 0 : (ray->dy > 0 ? -1 : 1), run = 1;
    for (int side = -1; side <= 1; side += 2) {
        for (int n = 1; n <= STRAIGHT; n++) {
            int column = ray->column + (x ? 0 : side * n), row = ray->row + (x ? side * n : 0);
            if (!is_filled(ray->solid, ray->band, column, row, material) ||
                is_filled(ray->solid, ray->band, column + back_column, row + back_row, material)) {
                break;
            }
            run++;
        }
    }
    return run > STRAIGHT;
}

/* Of a face along an axis that axis; of an oblique or a round one, whose squares are steps, away from the squares that
 * are filled around. */
static void normal_find(const struct ray *ray, uint8_t material, float normal[3])
{
    double x = 0, y = 0;
    normal[0] = normal[1] = normal[2] = 0;
    if (ray->through == FACE_TOP) {
        normal[2] = 1;
        return;
    }
    if (is_straight(ray, material)) {
        normal[ray->through == FACE_X ? 0 : 1] =
            ray->through == FACE_X ? (ray->dx > 0 ? -1.0F : 1.0F) : (ray->dy > 0 ? -1.0F : 1.0F);
        return;
    }
    for (int r = -SMOOTH; r <= SMOOTH; r++) {
        for (int c = -SMOOTH; c <= SMOOTH; c++) {
            if (is_filled(ray->solid, ray->band, ray->column + c, ray->row + r, material)) {
                x -= c;
                y -= r;
            }
        }
    }
    double length = hypot(x, y);
    if (length > 0) {
        normal[0] = (float)(x / length);
        normal[1] = (float)(y / length);
    } else {
        normal[ray->through == FACE_X ? 0 : 1] = -1;
    }
}

/* The colour of a face in the light: from above, and from the south more than from the east. A floor is pale, so that
 * what stands on it is seen, and darker beside a wall; what the cut goes through is as in the legend. */
static void face_shade(const struct ray *ray, uint32_t colour, struct hit *hit)
{
    const struct solid *solid = ray->solid;
    const float *n = hit->normal;
    bool cut = n[2] > 0 && hit->place[2] > solid->high - 1e-6, floor = hit->place[2] < solid->floor + 1e-6;
    double white = cut ? 0 : floor ? (n[2] > 0 ? 0.8 : 0.35) : 0.22;
    double light = n[2] > 0 ? 1 : 0.66 + 0.2 * fmax(0, -n[1]) - 0.12 * fmax(0, n[0]);
    if (floor && n[2] > 0) {
        double near = solid->distance[(size_t)ray->row * (size_t)solid->columns + (size_t)ray->column] * solid->pitch;
        light -= SHADE * exp(-near / NEAR_WALL);
    }
    for (int c = 0; c < 3; c++) {
        double value = colour >> (16 - 8 * c) & 255;
        hit->colour[c] = (float)(light * (value + (255 - value) * white));
    }
}

/* The highest face in the square between two heights, downwards from the ray's band; false: it passes. */
static bool square_meet(struct ray *ray, double top, double bottom, uint8_t *inside, uint8_t *material)
{
    const struct solid *solid = ray->solid;
    for (; ray->band >= 0; ray->band--) {
        uint8_t found = solid_at(solid, ray->band, ray->column, ray->row);
        if (found != 0 && found != *inside && solid->borders[ray->band] < top) {
            if (solid->borders[ray->band + 1] < top - 1e-9) { /* it fell onto it */
                ray->through = FACE_TOP;
                ray->t = (ray->z - solid->borders[ray->band + 1]) / ray->fall;
            }
            *material = found;
            return true;
        }
        *inside = found == 0 ? 0 : *inside;
        if (solid->borders[ray->band] < bottom) {
            return false;
        }
    }
    return false;
}

static void hit_fill(const struct ray *ray, const struct space_look *look, uint8_t material, struct hit *hit)
{
    hit->material = material;
    hit->place[0] = (float)((ray->x + ray->dx * ray->t) * ray->solid->pitch);
    hit->place[1] = (float)((ray->y + ray->dy * ray->t) * ray->solid->pitch);
    hit->place[2] = (float)ray_height(ray, ray->t);
    normal_find(ray, material, hit->normal);
    face_shade(ray, look->colours[material], hit);
}

/* Follows the ray through its square; panes on the way tint what is behind them. True when it met something solid. */
static bool square_follow(struct ray *ray, double bottom, const struct space_look *look, struct tint *tint,
                          struct hit *hit)
{
    uint8_t material = 0;
    double top = ray_height(ray, ray->t);
    while (ray->band > 0 && ray->solid->borders[ray->band] >= top) {
        ray->band--;
    }
    while (square_meet(ray, top, bottom, &tint->inside, &material)) {
        hit_fill(ray, look, material, hit);
        if (!look->glass[material]) {
            return true;
        }
        for (int c = 0; c < 3; c++) {
            tint->colour[c] += tint->clear * (float)PANE * hit->colour[c];
        }
        tint->clear *= 1 - (float)PANE;
        tint->inside = material;
    }
    return false;
}

static void ray_follow(struct ray *ray, const struct space_look *look, struct hit *hit)
{
    const struct solid *solid = ray->solid;
    const struct hit nothing = {.place = {NO_DEPTH, 0, 0}, .colour = {255, 255, 255}};
    struct tint tint = {.clear = 1};
    double end, floor_t = (ray->z - solid->floor) / ray->fall;
    bool met = false;
    ray->band = solid->bands - 1;
    for (bool going = ray_enter(ray, &end); going && !met; going = ray->t < end - 1e-9) {
        ray_place(ray);
        int near = solid->distance[(size_t)ray->row * (size_t)solid->columns + (size_t)ray->column];
        if (near > 1 && ray->t + near - 1 < floor_t) { /* a stride over squares that are empty down to the floor */
            ray->t += near - 1;
            tint.inside = 0;
            continue;
        }
        enum face through;
        double leave = fmax(ray_leave(ray, &through), ray->t);
        met = square_follow(ray, ray_height(ray, fmin(leave, end)), look, &tint, hit);
        if (!met) {
            ray->t = leave;
            ray->through = through;
        }
    }
    *hit = met ? *hit : nothing;
    for (int c = 0; c < 3; c++) {
        hit->colour[c] = tint.colour[c] + tint.clear * hit->colour[c];
    }
}

/* ---- the picture ---- */

/* The rectangle that the storey takes on the picture's plane, a little more on each side. */
static void image_place(const struct solid *solid, const struct projection *projection, struct space_image *image)
{
    double width = solid->columns * solid->pitch, height = solid->rows * solid->pitch;
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int n = 0; n < 8; n++) {
        struct point p = project(projection, n & 1 ? width : 0, n & 2 ? height : 0, n & 4 ? solid->high : solid->low);
        low = (struct point){fmin(low.x, p.x), fmin(low.y, p.y)};
        high = (struct point){fmax(high.x, p.x), fmax(high.y, p.y)};
    }
    image->corner = (struct point){low.x - image->pixel, low.y - image->pixel};
    image->columns = (int)ceil((high.x - low.x) / image->pixel) + 2;
    image->rows = (int)ceil((high.y - low.y) / image->pixel) + 2;
}

/* A row of rays, FINE by FINE to a pixel. */
static void row_follow(const struct solid *solid, const struct space_look *look, const struct space_image *image,
                       int row, struct hit *hits)
{
    const struct projection p = projection_usual();
    double v = image->corner.y + (row + 0.5) * image->pixel / FINE;
    for (int column = 0; column < image->columns * FINE; column++) {
        double u = image->corner.x + (column + 0.5) * image->pixel / FINE;
        double away = (v - solid->high * p.cos_rise) / p.sin_rise;
        struct ray ray = {.solid = solid,
                          .x = (u * p.cos_turn - away * p.sin_turn) / solid->pitch,
                          .y = (u * p.sin_turn + away * p.cos_turn) / solid->pitch,
                          .dx = -p.sin_turn,
                          .dy = p.cos_turn,
                          .z = solid->high,
                          .fall = solid->pitch * p.sin_rise / p.cos_rise};
        ray_follow(&ray, look, &hits[column]);
    }
}

/* Whether one face ends between two neighbours. */
static bool hits_part(const struct hit *a, const struct hit *b, double pitch)
{
    bool nothing_a = a->place[0] >= NO_DEPTH, nothing_b = b->place[0] >= NO_DEPTH;
    if (nothing_a || nothing_b) {
        return nothing_a != nothing_b;
    }
    double common = 0, out = 0;
    for (int c = 0; c < 3; c++) {
        common += a->normal[c] * b->normal[c];
        out += a->normal[c] * (b->place[c] - a->place[c]);
    }
    return a->material != b->material || common < CREASE || fabs(out) > STEP * pitch;
}

/* The mean of FINE by FINE rays; those at the end of a face are lines. */
static void row_draw(const struct solid *solid, struct hit *const *hits, struct space_image *image, int row)
{
    for (int column = 0; column < image->columns; column++) {
        double sum[3] = {0, 0, 0};
        for (int n = 0; n < FINE * FINE; n++) {
            int at = column * FINE + n % FINE;
            const struct hit *hit = &hits[n / FINE][at];
            bool last = at + 1 == image->columns * FINE;
            bool line = hits_part(hit, &hits[n / FINE + 1][at], solid->pitch) ||
                        (!last && hits_part(hit, hit + 1, solid->pitch));
            for (int c = 0; c < 3; c++) {
                sum[c] += line ? 0.25 * hit->colour[c] + 0.75 * LINE[c] : hit->colour[c];
            }
        }
        for (int c = 0; c < 3; c++) {
            image->rgb[3 * ((size_t)row * (size_t)image->columns + (size_t)column) + (size_t)c] =
                (uint8_t)lrint(fmin(sum[c] / (FINE * FINE), 255));
        }
    }
}

pw_status space_view_render(const struct solid *solid, const struct space_look *look, struct space_image *image,
                            pw_error *error)
{
    const struct projection projection = projection_usual();
    image_place(solid, &projection, image);
    size_t across = (size_t)image->columns * FINE;
    image->rgb = allocate((size_t)image->columns * (size_t)image->rows, 3, "the picture", error);
    struct hit *memory = allocate((FINE + 1) * across, sizeof *memory, "the picture", error);
    if (image->rgb == NULL || memory == NULL) {
        FREE_ALL(image->rgb, memory);
        image->rgb = NULL;
        return PW_NO_RESOURCE;
    }
    struct hit *hits[FINE + 1]; /* the rows of a pixel and the one over them */
    for (int n = 0; n <= FINE; n++) {
        hits[n] = memory + (size_t)n * across;
    }
    row_follow(solid, look, image, 0, hits[FINE]);
    for (int row = 0; row < image->rows; row++) {
        struct hit *first = hits[0];
        hits[0] = hits[FINE];
        hits[FINE] = first;
        for (int n = 1; n <= FINE; n++) {
            row_follow(solid, look, image, row * FINE + n, hits[n]);
        }
        row_draw(solid, hits, image, row);
    }
    free(memory);
    return PW_OK;
}
