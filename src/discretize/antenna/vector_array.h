/* A transmitter or receiver with a pattern in three dimensions: short dipoles at places of E around it, fitted so that
 * together they radiate the complex field of its antenna over the sphere (physics.md section 12), in up to four drives
 * as in two dimensions (drives.h). A receiver weighs the field at its places by the same numbers, so that a link is the
 * same both ways. */
#pragma once

#include <stdint.h>

#include "base/status.h"

struct antenna;
struct array_report;
struct setup;

struct vector_terminal {
    const char *what, *name; /* "transmitter" or "receiver" */
    int line;
    double at[3]; /* m */
    const struct antenna *antenna;
};

struct vector_places {
    int count, terms;
    int64_t *place; /* (count), ascending, owned */
    double
        *weight; /* (terms, count), owned: current moments of an antenna that sends as much as a dipole of moment 1 */
};

/* Finds them, and says how well they do. PW_BAD_INPUT: too little air around it, or a pattern that no small source
 * radiates. Nothing is left to free then. */
pw_status vector_places_find(struct setup *setup, const struct vector_terminal *terminal, struct vector_places *places,
                             struct array_report *report, pw_error *error);

/* The last pattern that was found, for antennas like it (setup->antennas). NULL is allowed. */
struct vector_memory;
void vector_memory_free(struct vector_memory *memory);

void vector_places_free(struct vector_places *places);
