/* Arrays of equal antennas: `antenna: {array: ula | upa, ...}` of a transmitter or receiver becomes ports, each a
 * terminal at its own place, named STATION.1, STATION.2, ...; and `port`, by which a terminal says that it is one of
 * them. An array stands upright and looks along its bearing:
 *
 *     o o o o   the upper row           seen from the front, columns count from the left and rows from the top,
 *     o o o o   of elements: [2, 4]     as in Sionna's planar arrays
 *
 * Used by the scenario room alone. */
#pragma once

#include <stdio.h>

#include "scenario/scenario_read.h"

/* The map of a key `antenna`, where that is an array; else NULL. */
const struct node *antenna_array_node(const struct node *map);

/* Everything of that map but `element`. */
pw_status antenna_array_read(const struct node *node, const struct scenario *scenario, struct antenna_array *array,
                             pw_error *error);

/* Ports of an array; 1 of what is none. */
int antenna_array_count(const struct antenna_array *array);

/* Letters that the number of an antenna needs behind the name of its station. */
enum { ARRAY_NAME_ROOM = 6 };

/* A terminal in the middle of an array, or one of its antennas: parts of a transmitter or receiver. */
struct array_terminal {
    char *name; /* (NAME_SIZE), with so much room */
    pw_port *port;
    struct point *at;
    double *height; /* m, or NAN, which stands for the usual one */
    struct direction *polarisation;
    struct antenna *antenna;
};
/* Makes antenna `number`, from 1, of the terminal in the middle. */
void antenna_array_place(const struct antenna_array *array, int number, const struct array_terminal *terminal);

/* The key `port` of a terminal of that name, {number: N, array: [rows, columns, polarisations]}; its name ends in ".N".
 */
pw_status port_read(const struct node *map, const char *name, pw_port *port, pw_error *error);
/* What no receiver with a port, an array or a pattern can be, when all else of it was read. */
pw_status receiver_array_check(const struct node *map, const struct scenario *scenario,
                               const struct receiver_entry *entry, pw_error *error);
void port_write(FILE *out, const char *before, const pw_port *port);
/* Ports and names (count) of the terminals of a list, `stride` bytes apart. */
struct port_list {
    const char *port, *name;
    size_t stride;
    int count;
};
/* Stations are whole: antennas 1, 2, ... of one shape, one after the other; and no terminal has the name of one. */
pw_status ports_check(const struct node *list, const struct port_list *ports, pw_error *error);

/* The members of `antenna: {...}` that make an array of it. */
void antenna_array_write(FILE *out, const struct antenna_array *array);
