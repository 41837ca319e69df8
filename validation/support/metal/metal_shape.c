/* The table of shapes (metal_shape.h): where the metal of each is, and how a scenario draws it. */
#include "validation/support/metal/metal_shape.h"

/* m; metal of endless shapes goes on so far. */
static const double ENDLESS = 5;
#define WAVELENGTH (SPEED_OF_LIGHT / METAL_CENTRE)

static const struct metal_shape SHAPES[] = {
    {"none", "no metal", METAL_NONE, 0, 0, true},
    {"halfplane", "half plane", METAL_HALF_PLANE, 0, 0, true},
    {"wedge", "wedge of 90 degrees", METAL_WEDGE, 1, 0, true},
    {"strip-0.3", "strip of 0.3 wavelengths", METAL_STRIP, 0.3, 0, false},
    {"strip-1", "strip of 1 wavelength", METAL_STRIP, 1, 0, false},
    {"strip-3", "strip of 3 wavelengths", METAL_STRIP, 3, 0, false},
    {"strip-6", "strip of 6 wavelengths", METAL_STRIP, 6, 0, false},
    {"slit-0.3", "slit of 0.3 wavelengths", METAL_SLIT, 0.3, 0, false},
    {"slit-1", "slit of 1 wavelength", METAL_SLIT, 1, 0, false},
    {"slit-3", "slit of 3 wavelengths", METAL_SLIT, 3, 0, false},
    {"post-0.05", "round post of 0.05 wavelengths", METAL_POST, 0.05, 0, false},
    {"post-0.2", "round post of 0.2 wavelengths", METAL_POST, 0.2, 0, false},
    {"post-0.6", "round post of 0.6 wavelengths", METAL_POST, 0.6, 0, false},
    {"post-2", "round post of 2 wavelengths", METAL_POST, 2, 0, false},
    {"square-0.5", "square post of 0.5 wavelengths", METAL_BLOCK, 0.5, 0.5, false},
    {"square-1", "square post of 1 wavelength", METAL_BLOCK, 1, 1, false},
    {"square-2", "square post of 2 wavelengths", METAL_BLOCK, 2, 2, false},
    {"square-3", "square post of 3 wavelengths", METAL_BLOCK, 3, 3, false},
    {"block", "block of 30 cm, 5 wavelengths long", METAL_BLOCK, 5, 2.4, false},
    {"box", "box of 3 by 2.5 wavelengths, a door of 1", METAL_BOX, 3, 2.5, false},
};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0], ROUND = 240 };

const struct metal_shape *metal_shape_at(int n)
{
    return n >= 0 && n < SHAPE_COUNT ? &SHAPES[n] : NULL;
}

const struct metal_shape *metal_shape_find(const char *name)
{
    for (int n = 0; n < SHAPE_COUNT; n++) {
        if (strcmp(SHAPES[n].name, name) == 0) {
            return &SHAPES[n];
        }
    }
    return NULL;
}

/* As many straight pieces as make the same area. */
static void contour_circle(struct contour *contour, double radius)
{
    struct spot point[ROUND];
    const double step = 2 * M_PI / ROUND, corner = radius * sqrt(step / sin(step));
    for (int n = 0; n < ROUND; n++) {
        point[n] = (struct spot){corner * cos(n * step), corner * sin(n * step)};
    }
    contour_add(contour, true, ROUND, point);
    contour->rounded = true;
}

/* The box lies under and to the left of the origin; its door is in the right wall. */
static void contour_box(struct contour *contour, double width, double height)
{
    const double top = 0.3 * height, bottom = top + WAVELENGTH;
    const struct spot point[] = {{0, -top}, {0, 0}, {-width, 0}, {-width, -height}, {0, -height}, {0, -bottom}};
    contour_add(contour, false, 6, point);
}

void metal_contour(const struct metal_shape *shape, struct contour *contour)
{
    const double size = shape->size * WAVELENGTH, other = shape->other * WAVELENGTH;
    contour->count = 0;
    contour->rounded = false;
    switch (shape->kind) {
    case METAL_NONE:
        break;
    case METAL_HALF_PLANE:
        contour_add(contour, false, 2, (struct spot[]){{0, 0}, {-ENDLESS, 0}});
        break;
    case METAL_WEDGE:
        contour_add(contour, true, 4, (struct spot[]){{0, 0}, {-ENDLESS, 0}, {-ENDLESS, -ENDLESS}, {0, -ENDLESS}});
        break;
    case METAL_STRIP:
        contour_add(contour, false, 2, (struct spot[]){{0, 0}, {-size, 0}});
        break;
    case METAL_SLIT:
        contour_add(contour, false, 2, (struct spot[]){{0, 0}, {ENDLESS, 0}});
        contour_add(contour, false, 2, (struct spot[]){{-size, 0}, {-ENDLESS, 0}});
        break;
    case METAL_POST:
        contour_circle(contour, 0.5 * size);
        break;
    case METAL_BLOCK:
        contour_add(contour, true, 4, (struct spot[]){{0, 0}, {-size, 0}, {-size, -other}, {0, -other}});
        break;
    case METAL_BOX:
        contour_box(contour, size, other);
        break;
    }
}

static struct spot placed(struct spot p, struct spot origin, double turn)
{
    return (struct spot){origin.x + p.x * cos(turn) - p.y * sin(turn), origin.y + p.x * sin(turn) + p.y * cos(turn)};
}

static void add_walls(struct text *text, const struct contour *contour, struct spot origin, double turn,
                      double thickness)
{
    bool first = true;
    text_add(text, "walls: [");
    for (int n = 0; n < contour->count; n++) {
        for (int s = 0; s + 1 < contour->line[n].count; s++) {
            const struct spot a = placed(contour->line[n].point[s], origin, turn),
                              b = placed(contour->line[n].point[s + 1], origin, turn);
            text_add(text, "%s{from: [%.17g, %.17g], to: [%.17g, %.17g], thickness: %.17g, material: metal}",
                     first ? "" : ", ", a.x, a.y, b.x, b.y, thickness);
            first = false;
        }
    }
    text_add(text, "]");
}

void metal_add(struct text *text, const struct metal_shape *shape, struct spot origin, double turn, double thickness)
{
    struct contour contour;
    metal_contour(shape, &contour);
    if (shape->kind == METAL_POST) {
        text_add(text, "circles: [{centre: [%.17g, %.17g], radius: %.17g, material: metal}]", origin.x, origin.y,
                 0.5 * shape->size * WAVELENGTH);
    } else if (contour.count > 0 && contour.line[0].closed) {
        text_add(text, "polygons: [{points: [");
        for (int n = 0; n < contour.line[0].count; n++) {
            const struct spot p = placed(contour.line[0].point[n], origin, turn);
            text_add(text, "%s[%.17g, %.17g]", n > 0 ? ", " : "", p.x, p.y);
        }
        text_add(text, "], material: metal}]");
    } else if (contour.count > 0) {
        add_walls(text, &contour, origin, turn, thickness);
    }
}
