/* Hard floor plans (hard_plan.h). Lengths are drawn in wavelengths; thin metal has the thickness that it has in
 * buildings, whatever the wavelength. What is drawn last lies over what was drawn before. */
#include "tests/hard_plans/hard_plan.h"
#include "base/numbers/splitmix.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A circle that a thing keeps to itself [m]. */
struct kept {
    double x, y, radius;
};
enum { KEPT_MOST = 32, TRIES = 200 };

struct draft {
    uint64_t state;
    FILE *stream;
    struct hard_facts facts;
    double wavelength, tilt, x, y; /* of the transmitter [m] */
    struct kept kept[KEPT_MOST];
    int count;
};

/* Uniform on [low, high). */
static double draw(struct draft *draft, double low, double high)
{
    return low + (high - low) * splitmix_unit(splitmix_next(&draft->state));
}

const char *hard_kind_name(enum hard_kind kind)
{
    static const char *const NAMES[] = {"cupboards", "posts",        "radiators", "sheets",
                                        "door",      "coated glass", "lift",      "concrete"};
    return NAMES[kind];
}

static void choose(struct draft *draft, unsigned seed)
{
    static const double FREQUENCIES[] = {0.9e9, 2.4e9, 3.5e9, 5.5e9, 6e9, 13e9, 28e9},
                        BANDS[] = {0.02, 0.04, 0.04, 0.1, 0.2};
    struct hard_facts *facts = &draft->facts;
    draft->state = 7368787u * (uint64_t)seed + 41;
    facts->kind = (enum hard_kind)(seed % HARD_KINDS);
    facts->volume = seed % 9 == 8;
    facts->frequency = FREQUENCIES[(int)draw(draft, 0, 7)];
    facts->band = (facts->volume ? 0.2 : BANDS[(int)draw(draft, 0, 5)]) * facts->frequency;
    facts->horizontal = draw(draft, 0, 1) < 0.35 && !facts->volume;
    draft->wavelength = 299792458.0 / facts->frequency;
    const double least = facts->volume ? 3.2 : 12, most = facts->volume ? 4.2 : 18;
    facts->width = 1e-3 * round(1e3 * draft->wavelength * draw(draft, least, most));
    facts->height = 1e-3 * round(1e3 * facts->width * draw(draft, 0.7, 1.0));
    draft->tilt = draw(draft, 0, 1) < 0.5 ? 0 : draw(draft, 0.1, 0.7);
    draft->x = draw(draft, 0.15, 0.35) * facts->width;
    draft->y = draw(draft, 0.3, 0.7) * facts->height;
}

struct hard_facts hard_plan_facts(unsigned seed)
{
    struct draft draft = {0};
    choose(&draft, seed);
    return draft.facts;
}

/* ---- shapes ---- */

static void wall(struct draft *draft, const double from[2], const double to[2], double thickness, const char *material)
{
    fprintf(draft->stream, "    - {from: [%.6f, %.6f], to: [%.6f, %.6f], thickness: %.6f m, material: %s}\n", from[0],
            from[1], to[0], to[1], thickness, material);
}

/* From a point by a length along the tilt, or across it. */
static void moved(const double from[2], double angle, double along, double across, double to[2])
{
    to[0] = from[0] + along * cos(angle) - across * sin(angle);
    to[1] = from[1] + along * sin(angle) + across * cos(angle);
}

static void wall_along(struct draft *draft, const double from[2], double angle, double length, double thickness,
                       const char *material)
{
    double to[2];
    moved(from, angle, length, 0, to);
    wall(draft, from, to, thickness, material);
}

/* A place in the right two thirds of the plan with `radius` of room, away from the transmitter and from what is there.
 */
static bool find_room(struct draft *draft, double radius, double at[2])
{
    const struct hard_facts *facts = &draft->facts;
    for (int n = 0; n < TRIES && draft->count < KEPT_MOST; n++) {
        at[0] = draw(draft, 0.3, 0.95) * facts->width;
        at[1] = draw(draft, 0.05, 0.95) * facts->height;
        bool free = hypot(at[0] - draft->x, at[1] - draft->y) > radius + draft->wavelength;
        for (int k = 0; k < draft->count; k++) {
            const struct kept *kept = &draft->kept[k];
            free = free && hypot(at[0] - kept->x, at[1] - kept->y) > radius + kept->radius + 0.5 * draft->wavelength;
        }
        if (free) {
            draft->kept[draft->count++] = (struct kept){at[0], at[1], radius};
            return true;
        }
    }
    return false;
}

/* Boxes of solid metal, as a closed cupboard is. */
static void cupboards(struct draft *draft)
{
    for (int n = 0; n < 3; n++) {
        const double length = draft->wavelength * draw(draft, 0.6, 3),
                     depth = draft->wavelength * draw(draft, 0.3, 1.2);
        double at[2], from[2];
        if (find_room(draft, 0.5 * hypot(length, depth), at)) {
            moved(at, draft->tilt, -0.5 * length, 0, from);
            wall_along(draft, from, draft->tilt, length, depth, "metal");
        }
    }
}

/* Thin sheets of metal, each turned as it likes or as the plan is. */
static void sheets(struct draft *draft, bool free)
{
    for (int n = 0; n < 3; n++) {
        const double length = draft->wavelength * draw(draft, 0.5, 4),
                     angle = free ? draw(draft, 0, M_PI) : draft->tilt;
        double at[2], from[2];
        if (find_room(draft, 0.5 * length, at)) {
            moved(at, angle, -0.5 * length, 0, from);
            wall_along(draft, from, angle, length, draw(draft, 0.0005, 0.003), "metal");
        }
    }
}

/* A wall through the whole plan at 0.45 to 0.6 of its width, with a gap of so many wavelengths that starts at `gap`. */
static void partition(struct draft *draft, double thickness, const char *material, double width, double gap[2],
                      double *angle)
{
    const double span = draft->facts.width + draft->facts.height;
    const double middle[2] = {draw(draft, 0.5, 0.62) * draft->facts.width, 0.5 * draft->facts.height};
    const double open = draft->wavelength * draw(draft, -3, 2);
    double end[2];
    *angle = M_PI / 2 + (draft->tilt > 0 ? 0.6 * draft->tilt - 0.25 : 0);
    moved(middle, *angle, open, 0, gap);
    moved(middle, *angle, -span, 0, end);
    wall(draft, end, gap, thickness, material);
    moved(gap, *angle, width, 0, end);
    wall_along(draft, end, *angle, span, thickness, material);
}

/* Radiators of sheet metal in front of a brick wall. */
static void radiators(struct draft *draft)
{
    double gap[2], angle, from[2];
    partition(draft, 0.6 * draft->wavelength, "brick", 0.01 * draft->wavelength, gap, &angle);
    for (int n = 0; n < 3; n++) {
        moved(gap, angle, draft->wavelength * (3.4 * n - 4), draft->wavelength * draw(draft, 0.6, 0.9), from);
        wall_along(draft, from, angle, draft->wavelength * draw(draft, 1, 2.8), draw(draft, 0.001, 0.003), "metal");
    }
}

/* A door of metal, ajar or shut, in a wall of concrete. */
static void door(struct draft *draft)
{
    const double width = draft->wavelength * draw(draft, 2, 4),
                 ajar = draw(draft, 0, 1) < 0.5 ? draw(draft, 0.2, 1.2) : 0;
    double gap[2], angle;
    partition(draft, draft->wavelength * draw(draft, 0.5, 1.2), "concrete", width, gap, &angle);
    wall_along(draft, gap, angle + ajar, width, draw(draft, 0.001, 0.004), "metal");
}

/* A wall of concrete with a window whose 6 mm of glass have a coating of 2 to 100 ohm a square, 0.1 mm thick. */
static void coated_glass(struct draft *draft)
{
    const double width = draft->wavelength * draw(draft, 3, 7), sheet = pow(10, draw(draft, 0.3, 2));
    double gap[2], angle, from[2];
    char coating[96];
    snprintf(coating, sizeof coating, "{relative_permittivity: 1, conductivity: %.4g S/m}", 1 / (sheet * 1e-4));
    partition(draft, draft->wavelength * draw(draft, 0.5, 1.2), "concrete", width, gap, &angle);
    wall_along(draft, gap, angle, width, 0.006, "glass");
    moved(gap, angle, 0, 0.00305, from);
    wall_along(draft, from, angle, width, 0.0001, coating);
}

/* Five walls of sheet metal around a cabin, with its door half open. */
static void lift(struct draft *draft)
{
    const double side = draft->wavelength * draw(draft, 2.5, 4), thickness = draw(draft, 0.001, 0.002);
    double at[2], corner[4][2], from[2];
    if (find_room(draft, 0.75 * side, at)) {
        moved(at, draft->tilt, -0.5 * side, -0.5 * side, corner[0]);
        for (int n = 0; n < 4; n++) {
            const double angle = draft->tilt + 0.5 * M_PI * n;
            if (n < 3) {
                moved(corner[n], angle, side, 0, corner[n + 1]);
                wall_along(draft, corner[n], angle, side, thickness, "metal");
            } else {
                wall_along(draft, corner[3], angle, 0.3 * side, thickness, "metal");
                moved(corner[3], angle, 0.7 * side, 0, from);
                wall_along(draft, from, angle, 0.3 * side, thickness, "metal");
            }
        }
    }
}

/* Concrete that takes some 10 to 50 dB. */
static void concrete(struct draft *draft)
{
    double gap[2], angle;
    partition(draft, draft->wavelength * draw(draft, 1, 3), "concrete",
              draw(draft, 0, 1) < 0.5 ? 0.01 * draft->wavelength : draft->wavelength * draw(draft, 1, 3), gap, &angle);
}

static void posts(struct draft *draft)
{
    fprintf(draft->stream, "  circles:\n");
    for (int n = 0; n < 6; n++) {
        const double radius = draft->wavelength * 0.5 * pow(10, draw(draft, -1, 0));
        double at[2];
        if (find_room(draft, radius, at)) {
            fprintf(draft->stream, "    - {centre: [%.6f, %.6f], radius: %.6f m, material: metal}\n", at[0], at[1],
                    radius);
        }
    }
}

/* Two outer walls of brick, so that there are echoes. */
static void shell(struct draft *draft)
{
    const double thickness = 0.4 * draft->wavelength, x = 0.03 * draft->facts.width, y = 0.97 * draft->facts.height;
    const double far = 2 * (draft->facts.width + draft->facts.height);
    wall(draft, (double[]){x, -far}, (double[]){x, far}, thickness, "brick");
    wall(draft, (double[]){-far, y}, (double[]){far, y}, thickness, "brick");
}

static void build(struct draft *draft)
{
    fprintf(draft->stream, "  walls:\n");
    shell(draft);
    switch (draft->facts.kind) {
    case HARD_CUPBOARDS:
        cupboards(draft);
        break;
    case HARD_RADIATORS:
        radiators(draft);
        break;
    case HARD_SHEETS:
        sheets(draft, true);
        break;
    case HARD_DOOR:
        door(draft);
        break;
    case HARD_COATED_GLASS:
        coated_glass(draft);
        break;
    case HARD_LIFT:
        lift(draft);
        sheets(draft, false);
        break;
    case HARD_CONCRETE:
        concrete(draft);
        break;
    default:
        posts(draft);
        break;
    }
}

void hard_plan_write(unsigned seed, FILE *stream)
{
    struct draft draft = {.stream = stream};
    choose(&draft, seed);
    const struct hard_facts *facts = &draft.facts;
    fprintf(stream, "title: Hard plan %u, %s\n%splan:\n  size: [%.6f m, %.6f m]\n", seed, hard_kind_name(facts->kind),
            facts->volume       ? "dimensions: 3\n"
            : facts->horizontal ? "polarisation: horizontal\n"
                                : "",
            facts->width, facts->height);
    if (facts->volume) {
        fprintf(stream, "  storey: {height: %.6f m}\n", 1.6 * draft.wavelength);
    }
    build(&draft);
    fprintf(stream, "band: {centre: %.6g MHz, width: %.6g MHz}\ntransmitters:\n  - {at: [%.6f, %.6f%s",
            1e-6 * facts->frequency, 1e-6 * facts->band, draft.x, draft.y, facts->volume ? "" : "]}\n");
    if (facts->volume) {
        fprintf(stream, ", %.6f]}\nspectra: {heights: [%.6f]}\n", 0.9 * draft.wavelength, 0.7 * draft.wavelength);
    }
}
