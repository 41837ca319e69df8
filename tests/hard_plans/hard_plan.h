/* Hard floor plans, made up from a number: cupboards, posts, radiators, sheets and doors of metal, coated glass, lifts
 * and thick concrete, straight and turned, at 0.9 to 28 GHz, in bands of 2 to 20 %, of both polarisations, one in nine
 * of them in three dimensions. Each is some 12 to 18 wavelengths wide, so that it can be solved on much finer cells. */
#ifndef HARD_PLAN_H
#define HARD_PLAN_H

#include <stdbool.h>
#include <stdio.h>

enum hard_kind {
    HARD_CUPBOARDS,
    HARD_POSTS,
    HARD_RADIATORS,
    HARD_SHEETS,
    HARD_DOOR,
    HARD_COATED_GLASS,
    HARD_LIFT,
    HARD_CONCRETE,
    HARD_KINDS
};

struct hard_facts {
    enum hard_kind kind;
    double frequency, band; /* Hz */
    double width, height;   /* m */
    bool horizontal, volume;
};

/* What plan number `seed` is like. */
struct hard_facts hard_plan_facts(unsigned seed);

/* Writes the scenario of plan number `seed` as YAML: plan, band, transmitter. */
void hard_plan_write(unsigned seed, FILE *stream);

const char *hard_kind_name(enum hard_kind kind);

#endif
