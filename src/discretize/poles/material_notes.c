/* See material_notes.h. */
#include "discretize/poles/material_notes.h"

#include "discretize/setup.h"
#include "scenario/material_table.h"

#include "base/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An error of the permittivity over the band from which on constant values are worth a warning. */
static const double FAR_OFF = 0.05;

/* Nepers that a wave may lose in a cell before a warning. */
static const double MOST_ATTENUATION = 4;

enum { NAMES_MOST = 32 };

/* Names that have been spoken of. */
struct told {
    const char *names[NAMES_MOST];
    int count;
};

static bool tell(struct told *told, const char *name)
{
    for (int n = 0; n < told->count; n++) {
        if (strcmp(told->names[n], name) == 0) {
            return false;
        }
    }
    if (told->count == NAMES_MOST) {
        return false;
    }
    told->names[told->count++] = name;
    return true;
}

/* Of a fit: what it took and, for a row of the table, what constant values would have missed. */
static void note_fit(struct setup *setup, const struct material_choice *material, const double band[2])
{
    const char *row = material_canonical(material->name);
    char why[80] = "", number[PW_NUMBER_SIZE];
    if (row != NULL && band[0] > 0 && band[1] > band[0]) {
        double constant = material_row_constant_error(material_row_find(row, 0.5e-9 * (band[0] + band[1])), band);
        snprintf(why, sizeof why, "; constant values would be up to %s %% off",
                 pw_number_text(100 * constant, 2, number));
    }
    warn(&setup->choices, "material '%s': fitted over the band by %d pole%s, %s %% off at most%s", material->name,
         material->pole_count, material->pole_count == 1 ? "" : "s",
         pw_number_text(100 * material->fit_error, 2, number), why);
}

/* A good conductor that is not called metal: a wave that is gone within a fraction of a cell finds, on the nodes, a
 * layer that is thicker, lets far more through, and reflects elsewhere. */
static void note_depth(struct setup *setup, const struct material_choice *material, struct told *told)
{
    const double omega = 2 * M_PI * setup->scenario->band_centre, cell = setup->problem.axis[0].spacing;
    if (!material->own_values || material->perfect_conductor || material->pole_count > 0) {
        return;
    }
    const double real = material->relative_permittivity,
                 loss = material->conductivity / (omega * FREE_SPACE_PERMITTIVITY);
    const double attenuation = omega / SPEED_OF_LIGHT * sqrt(0.5 * (hypot(real, loss) - real)); /* Np/m */
    if (attenuation * cell > MOST_ATTENUATION && tell(told, material->name)) {
        char reach[PW_NUMBER_SIZE], size[PW_NUMBER_SIZE];
        warn(&setup->warnings,
             "material '%s': waves enter it by only %s mm, much less than a cell of %s mm. The field behind it may be "
             "far too strong. If nothing passes through it, write metal; else use a smaller grid.cell",
             material->name, pw_number_text(1e3 / attenuation, 2, reach), pw_number_text(1e3 * cell, 3, size));
    }
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* How thin a shape is at most, across its plan and, in three dimensions, in height [m]. */
static double thinness(const struct setup *setup, const struct shape *shape)
{
    const struct point *points = shape->points;
    double across = INFINITY, area = 0, round = 0;
    if (shape->kind == SHAPE_WALL) {
        across = shape->thickness;
    } else if (shape->kind == SHAPE_CIRCLE) {
        across = 2 * shape->radius;
    } else if (shape->kind == SHAPE_POLYGON || shape->kind == SHAPE_DRAWN) {
        for (int p = 0; p < shape->point_count; p++) {
            const struct point a = points[p], b = points[(p + 1) % shape->point_count];
            area += 0.5 * (a.x * b.y - b.x * a.y);
            round += hypot(b.x - a.x, b.y - a.y);
        }
        across = 2 * fabs(area) / round; /* of a long strip its width */
    } else if (shape->kind == SHAPE_RECTANGLE || shape->kind == SHAPE_OPENING || shape->kind == SHAPE_BOX) {
        across = least(fabs(points[1].x - points[0].x), fabs(points[1].y - points[0].y));
    }
    return setup_is_3d(setup) && shape->z.has_heights ? least(across, shape->z.high - shape->z.low) : across;
}

/* On how many rows of nodes metal has to be held so that no more than about -46 dB pass where differences reach over
 * it. Beyond n such rows a wave couples by the taps of the second difference that reach over them, sum (m - n)
 * |laplacian(m)| over m > n of what the nearest neighbour has; that is what passes at about 15 cells a wavelength, and
 * twice as much at 7. */
static int shielding_rows(const struct stencil *stencil)
{
    static const double most = 0.003;
    const int taps = 2 * stencil->reach - 1;
    int rows = 0;
    double through = INFINITY;
    while (through > most) {
        through = 0;
        rows++;
        for (int m = rows + 1; m <= taps; m++) {
            through += (m - rows) * fabs(stencil->laplacian[m - 1] / stencil->laplacian[0]);
        }
    }
    return rows;
}

/* Metal on nodes that the stencil reaches over. */
static void note_sheet(struct setup *setup, double across, struct told *told)
{
    const double cell = setup->problem.axis[0].spacing;
    const int rows = shielding_rows(&setup->stencil);
    if (setup->scenario->grid.averaging == AVERAGING_POINT && across < rows * cell && rows > 1 &&
        tell(told, "metal sheets")) {
        char thin[PW_NUMBER_SIZE], size[PW_NUMBER_SIZE];
        warn(&setup->warnings,
             "metal %s mm thin on cells of %s mm: with averaging by points %s reaches over it and may let -16 to "
             "-35 dB through where nothing passes; metal %d cells thick, another averaging, or the scheme yee, shields",
             pw_number_text(1e3 * across, 2, thin), pw_number_text(1e3 * cell, 3, size), setup->stencil.name, rows);
    }
}

/* Whether the shape is a conducting layer thinner than a cell, as a coating is. */
static bool is_film(const struct setup *setup, const struct shape *shape)
{
    const struct material_choice *material = &shape->material;
    const double loss = material->conductivity / (2 * M_PI * setup->scenario->band_centre * FREE_SPACE_PERMITTIVITY);
    struct point corner[4];
    bool strip = shape->kind == SHAPE_WALL || shape->kind == SHAPE_RECTANGLE || shape->kind == SHAPE_OPENING ||
                 shape->kind == SHAPE_BOX || outline_four(shape->points, shape->point_count, corner);
    return strip && material->own_values && !material->perfect_conductor && material->pole_count == 0 &&
           loss >= 2 * material->relative_permittivity && thinness(setup, shape) < setup->problem.axis[0].spacing;
}

/* What is said of any material. */
static void note_choice(struct setup *setup, const struct material_choice *material, bool film, struct told *told)
{
    const struct scenario *scenario = setup->scenario;
    const double band[2] = {scenario->band_centre - 0.5 * scenario->band_width,
                            scenario->band_centre + 0.5 * scenario->band_width};
    if (!film) {
        note_depth(setup, material, told);
    }
    if (material->fit_error > 0 && tell(told, material->name)) {
        note_fit(setup, material, band);
    }
    if (material->own_values || material->perfect_conductor || material_canonical(material->name) == NULL ||
        strcmp(material->name, "air") == 0 || !(band[0] > 0) || !(band[1] > band[0])) {
        return;
    }
    const struct material_row *row = material_row_find(material->name, 1e-9 * scenario->band_centre);
    double error = material_row_constant_error(row, band);
    if (error > FAR_OFF && tell(told, material->name)) {
        char wrong[PW_NUMBER_SIZE];
        warn(&setup->warnings,
             "material '%s' has its values at the band's centre, which are up to %s %% off over the band%s",
             material->name, pw_number_text(100 * error, 2, wrong),
             material_row_covers(row, 1e-9 * band[0]) && material_row_covers(row, 1e-9 * band[1])
                 ? "; 'materials: fitted' follows it"
                 : "");
    }
}

void note_materials(struct setup *setup)
{
    const struct plan_choice *plan = &setup->scenario->plan;
    struct told told = {.count = 0};
    for (int n = 0; n < plan->legend_count; n++) {
        note_choice(setup, &plan->legend[n].material, false, &told);
    }
    for (int n = 0; n < plan->shape_count; n++) {
        const bool film = is_film(setup, &plan->shapes[n]);
        note_choice(setup, &plan->shapes[n].material, film, &told);
        if (plan->shapes[n].material.perfect_conductor) {
            note_sheet(setup, thinness(setup, &plan->shapes[n]), &told);
        }
    }
    for (int n = 0; n < plan->storey_count; n++) {
        const struct slab_choice *slabs[] = {&plan->storeys[n].floor, &plan->storeys[n].ceiling};
        for (int s = 0; s < 2; s++) {
            note_choice(setup, &slabs[s]->material, false, &told);
            if (setup_is_3d(setup) && slabs[s]->material.perfect_conductor) {
                note_sheet(setup, slabs[s]->thickness, &told);
            }
        }
    }
}

void note_medium(struct setup *setup)
{
    const double enough = 0.5, turned = 45; /* dB, degrees */
    const double degrees = setup->medium.sheet_miss.phase * 180 / M_PI;
    char wrong[PW_NUMBER_SIZE];
    if (setup->medium.sheet_miss.decibels > enough) {
        warn(&setup->warnings,
             "the power through thin conducting layers is up to %s dB off on these cells (worst angle up to 70 "
             "degrees). Use a smaller grid.cell or the default scheme",
             pw_number_text(setup->medium.sheet_miss.decibels, 2, wrong));
    }
    if (setup->medium.sheet_miss.strangers > 0) {
        warn(&setup->warnings,
             "thin conducting layers stand %s cm apart, too far for these cells or turned, so that they are not fitted "
             "to each other. Where the gap between them resonates, what passes both may be off by 10 dB",
             pw_number_text(100 * setup->medium.sheet_miss.strangers, 2, wrong));
    }
    if (degrees > turned) {
        warn(
            &setup->warnings,
            "the phase of what passes thin conducting layers is up to %s degrees off on these cells. Local means hold; "
            "single points, where waves around the layer add to it, do not. Use a smaller grid.cell",
            pw_number_text(degrees, 2, wrong));
    }
}
