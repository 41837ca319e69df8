/* Ordinary floor plans (ordinary_plan.h). Rooms come from cutting a rectangle again and again; every room gets a door,
 * outer walls get windows, and some rooms get furniture or columns. */
#include "tests/ordinary/ordinary_plan.h"
#include "base/numbers/splitmix.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A wall as it was written: in the plan [m], the later over the earlier. */
struct piece {
    double from[2], to[2], thickness;
    bool metal;
};
enum { PIECES_MOST = 512 };

/* The plan at work: a stream of random numbers, and where the shapes go. */
struct draft {
    uint64_t state;
    FILE *stream;
    double width, height, frequency;
    double origin_x, origin_y, angle; /* of the building: turned about its corner, then moved [m, rad] */
    const char *outer, *inner, *door;
    double outer_thickness, inner_thickness;
    struct piece piece[PIECES_MOST];
    int pieces;
};

/* Uniform on [low, high). */
static double draw(struct draft *draft, double low, double high)
{
    return low + (high - low) * splitmix_unit(splitmix_next(&draft->state));
}

static const char *pick(struct draft *draft, const char *const *words, int count)
{
    return words[(int)draw(draft, 0, count)];
}

/* A point of the building, in the plan. */
static void place(const struct draft *draft, double x, double y, double at[2])
{
    double c = cos(draft->angle), s = sin(draft->angle);
    at[0] = draft->origin_x + c * x - s * y;
    at[1] = draft->origin_y + s * x + c * y;
}

static void wall(struct draft *draft, double x0, double y0, double x1, double y1, double thickness,
                 const char *material)
{
    double from[2], to[2];
    place(draft, x0, y0, from);
    place(draft, x1, y1, to);
    if (draft->pieces < PIECES_MOST) {
        draft->piece[draft->pieces++] =
            (struct piece){{from[0], from[1]}, {to[0], to[1]}, thickness, strcmp(material, "metal") == 0};
    }
    fprintf(draft->stream, "    - {from: [%.3f m, %.3f m], to: [%.3f m, %.3f m], thickness: %.3f m, material: %s}\n",
            from[0], from[1], to[0], to[1], thickness, material);
}

/* A wall from a to b along one axis with a piece of another material, `gap` wide, somewhere in it. */
static void wall_with(struct draft *draft, const double a[2], const double b[2], double thickness, const char *material,
                      double gap, const char *piece, double piece_thickness)
{
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    wall(draft, a[0], a[1], b[0], b[1], thickness, material);
    if (length < gap + 0.6) {
        return;
    }
    double start = draw(draft, 0.3, length - gap - 0.3);
    double ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
    double from[2] = {a[0] + start * ux, a[1] + start * uy}, to[2] = {from[0] + gap * ux, from[1] + gap * uy};
    wall(draft, from[0], from[1], to[0], to[1], thickness + 0.002, "air");
    if (piece_thickness > 0) {
        wall(draft, from[0], from[1], to[0], to[1], piece_thickness, piece);
    }
}

static void door(struct draft *draft, double x0, double y0, double x1, double y1)
{
    bool shut = draw(draft, 0, 1) < 0.6;
    wall_with(draft, (double[2]){x0, y0}, (double[2]){x1, y1}, draft->inner_thickness, draft->inner,
              draw(draft, 0.8, 1.2), draft->door, shut ? 0.04 : 0);
}

/* Cuts the room into two by a wall with a door until the rooms are small. */
static void rooms(struct draft *draft, double x0, double y0, double x1, double y1, double largest, int depth)
{
    double width = x1 - x0, height = y1 - y0;
    if (depth == 0 || (width < largest && height < largest) || fmin(width, height) < 1.5) {
        if (draw(draft, 0, 1) < 0.25 && fmin(width, height) > 2.5) {
            double x = draw(draft, x0 + 0.6, x1 - 1.4), y = draw(draft, y0 + 0.6, y1 - 1.0);
            wall(draft, x, y, x + 0.8, y, 0.4, draw(draft, 0, 1) < 0.4 ? "metal" : "wood");
        }
        return;
    }
    double part = draw(draft, 0.35, 0.65);
    if (width > height) {
        double x = x0 + part * width;
        door(draft, x, y0, x, y1);
        rooms(draft, x0, y0, x, y1, largest, depth - 1);
        rooms(draft, x, y0, x1, y1, largest, depth - 1);
    } else {
        double y = y0 + part * height;
        door(draft, x0, y, x1, y);
        rooms(draft, x0, y0, x1, y, largest, depth - 1);
        rooms(draft, x0, y, x1, y1, largest, depth - 1);
    }
}

/* Four outer walls with a window in most of them. */
static void shell(struct draft *draft, double width, double height)
{
    const double corner[5][2] = {{0, 0}, {width, 0}, {width, height}, {0, height}, {0, 0}};
    for (int side = 0; side < 4; side++) {
        double length = side % 2 == 0 ? width : height, window = fmin(draw(draft, 1.0, 3.0), 0.5 * length);
        if (draw(draft, 0, 1) < 0.75) {
            wall_with(draft, corner[side], corner[side + 1], draft->outer_thickness, draft->outer, window, "glass",
                      draw(draft, 0.006, 0.03));
        } else {
            wall(draft, corner[side][0], corner[side][1], corner[side + 1][0], corner[side + 1][1],
                 draft->outer_thickness, draft->outer);
        }
    }
}

static void columns(struct draft *draft, double width, double height, double pitch)
{
    for (double x = pitch; x < width - 1; x += pitch) {
        for (double y = pitch; y < height - 1; y += pitch) {
            wall(draft, x - 0.2, y, x + 0.2, y, 0.4, "concrete");
        }
    }
}

const char *ordinary_kind_name(enum ordinary_kind kind)
{
    static const char *const NAMES[] = {"room", "flat", "office", "hall", "corridor", "tilted"};
    return NAMES[kind];
}

static enum ordinary_kind choose_kind(unsigned seed)
{
    return (enum ordinary_kind)(seed % ORDINARY_KINDS);
}

static void choose_size(struct draft *draft, enum ordinary_kind kind)
{
    static const double LEAST[ORDINARY_KINDS] = {4, 7, 14, 18, 10, 8}, MOST[ORDINARY_KINDS] = {9, 15, 36, 60, 40, 16};
    draft->width = round(20 * draw(draft, LEAST[kind], MOST[kind])) / 20;
    draft->height = round(20 * draft->width * draw(draft, 0.55, 1.0)) / 20;
    if (kind == ORDINARY_CORRIDOR) {
        draft->height = round(20 * draw(draft, 4, 8)) / 20;
    }
}

static void choose(struct draft *draft, unsigned seed)
{
    static const double FREQUENCIES[] = {0.4e9, 0.433e9, 0.868e9, 0.915e9, 1.8e9, 2.1e9, 2.45e9, 3.5e9, 5.2e9, 6e9};
    static const char *const OUTER[] = {"concrete", "brick", "concrete", "metal", "wood"};
    static const char *const INNER[] = {"plasterboard", "brick", "wood", "plasterboard", "concrete", "glass"};
    static const char *const DOORS[] = {"wood", "glass", "metal", "chipboard"};
    draft->state = 1000003u * (uint64_t)seed + 17;
    choose_size(draft, choose_kind(seed));
    draft->frequency = FREQUENCIES[(int)draw(draft, 0, 10)];
    draft->outer = pick(draft, OUTER, 5);
    draft->inner = pick(draft, INNER, 6);
    draft->door = pick(draft, DOORS, 4);
    draft->outer_thickness = draw(draft, 0.1, 0.4);
    draft->inner_thickness = draw(draft, 0.05, 0.18);
}

struct ordinary_facts ordinary_plan_facts(unsigned seed)
{
    struct draft draft = {0};
    choose(&draft, seed);
    return (struct ordinary_facts){choose_kind(seed), draft.width, draft.height, draft.frequency};
}

/* The shapes of the building, `width` by `height` metres. */
static void build(struct draft *draft, enum ordinary_kind kind, double width, double height)
{
    double corridor = draw(draft, 1.8, 2.6), middle = draw(draft, 0.4, 0.6) * (height - corridor);
    shell(draft, width, height);
    switch (kind) {
    case ORDINARY_FLAT:
    case ORDINARY_TILTED:
        rooms(draft, 0, 0, width, height, 4.5, 4);
        break;
    case ORDINARY_OFFICE:
        door(draft, 0, middle, width, middle);
        door(draft, 0, middle + corridor, width, middle + corridor);
        rooms(draft, 0, 0, width, middle, 6, 5);
        rooms(draft, 0, middle + corridor, width, height, 6, 5);
        break;
    case ORDINARY_HALL:
        columns(draft, width, height, draw(draft, 5, 9));
        break;
    case ORDINARY_CORRIDOR:
        door(draft, 0, middle, width, middle);
        door(draft, 0, middle + corridor, width, middle + corridor);
        break;
    default:
        break;
    }
}

/* Whether the last piece over a place is metal. */
static bool in_metal(const struct draft *draft, const double at[2])
{
    bool metal = false;
    for (int n = 0; n < draft->pieces; n++) {
        const struct piece *piece = &draft->piece[n];
        double ux = piece->to[0] - piece->from[0], uy = piece->to[1] - piece->from[1], length = hypot(ux, uy);
        double dx = at[0] - piece->from[0], dy = at[1] - piece->from[1];
        double along = (dx * ux + dy * uy) / length, across = fabs(dx * uy - dy * ux) / length;
        if (along >= 0 && along <= length && across <= 0.5 * piece->thickness) {
            metal = piece->metal;
        }
    }
    return metal;
}

/* A transmitter somewhere in the building, and not in a cupboard of metal, where nobody puts one. */
static void choose_transmitter(struct draft *draft, double width, double height, double at[2])
{
    do {
        double y = draw(draft, 0.15, 0.85) * height, x = draw(draft, 0.15, 0.85) * width;
        place(draft, x, y, at);
        at[0] = round(100 * at[0]) / 100; /* as it is written */
        at[1] = round(100 * at[1]) / 100;
    } while (in_metal(draft, at));
}

void ordinary_plan_write(unsigned seed, FILE *stream)
{
    struct draft draft = {.stream = stream};
    enum ordinary_kind kind = choose_kind(seed);
    choose(&draft, seed);
    double margin = draw(&draft, 0.5, 1.5), width = draft.width - 2 * margin, height = draft.height - 2 * margin;
    draft.origin_x = draft.origin_y = margin;
    if (kind == ORDINARY_TILTED) {
        draft.angle = draw(&draft, 0.1, 0.7);
        double c = cos(draft.angle), s = sin(draft.angle), bounds = fmin(width / (c + s), height / (c + s));
        width = bounds;
        height = bounds;
        draft.origin_x = margin + s * height;
    }
    fprintf(stream, "title: Ordinary plan %u, %s\nplan:\n  size: [%.2f m, %.2f m]\n  walls:\n", seed,
            ordinary_kind_name(kind), draft.width, draft.height);
    build(&draft, kind, width, height);
    double at[2];
    choose_transmitter(&draft, width, height, at);
    fprintf(stream, "band: {centre: %.4g MHz}\ntransmitters:\n  - {at: [%.2f m, %.2f m]}\n", draft.frequency * 1e-6,
            at[0], at[1]);
}
