/* Ordinary floor plans, made up from a number: flats, offices, halls, corridors, rooms and tilted flats of the seven
 * materials that buildings have, with one transmitter and a frequency from 0.4 to 6 GHz. A plan says nothing but what a
 * user must say: plan, transmitter, frequency. */
#ifndef ORDINARY_PLAN_H
#define ORDINARY_PLAN_H

#include <stdio.h>

enum ordinary_kind {
    ORDINARY_ROOM,
    ORDINARY_FLAT,
    ORDINARY_OFFICE,
    ORDINARY_HALL,
    ORDINARY_CORRIDOR,
    ORDINARY_TILTED,
    ORDINARY_KINDS
};

struct ordinary_facts {
    enum ordinary_kind kind;
    double width, height; /* m */
    double frequency;     /* Hz */
};

/* What plan number `seed` is like. */
struct ordinary_facts ordinary_plan_facts(unsigned seed);

/* Writes the scenario of plan number `seed` as YAML. */
void ordinary_plan_write(unsigned seed, FILE *stream);

const char *ordinary_kind_name(enum ordinary_kind kind);

#endif
