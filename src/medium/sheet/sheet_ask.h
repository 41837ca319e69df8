/* Asking the law of thin lossy layers (sheet_law.h) for places along sheets. Places with the same wall around them, at
 * the same place between nodes, ask once. */
#pragma once

#include "medium/mixture.h"
#include "medium/sheet/sheet_beside.h"

struct known_answer;

struct sheet_ask {
    struct profile_view view;
    bool *is_sheet;             /* (shape_count), owned: view.is_sheet */
    struct known_answer *known; /* owned */
    int known_count;
    struct sheet_miss squares; /* sums over all places, but of the nearest strangers */
    int64_t places;
};

/* view.plan, grid, fields, averaging and weight are there; the rest follows. After a failure too, sheet_ask_free. */
pw_status sheet_ask_create(struct sheet_ask *ask, pw_error *error);
void sheet_ask_free(struct sheet_ask *ask);

/* Turns to another sheet of the plan. Whether it lies across x rather than y goes to *across_x. */
pw_status sheet_ask_turn(struct sheet_ask *ask, const struct sheet *sheet, bool *across_x, pw_error *error);

/* Whether a line of nodes along x (of a sheet across x, else along y) at `at` [m] meets the sheet, and where. *beyond:
 * 0; -1 or 1 where the sheet is on the low or the high side of the plan there. */
bool sheet_meets(const struct profile_view *view, bool across_x, double at, struct point *place, int *beyond);

/* The sheet is at `place`, `past` distances of nodes behind node *before. Where the nodes around it cannot take its
 * loss well, as in a thick pane beside a strong sheet, those one node farther to either side do, and *before moves. */
pw_status sheet_ask_line(struct sheet_ask *ask, struct point place, double past, int *before,
                         struct sheet_answer *answer, pw_error *error);

/* The same of a sheet in a stack, whose first layer begins where it does with the sheet `past` behind node LAW_BEFORE.
 */
pw_status sheet_ask_stack(struct sheet_ask *ask, const struct profile_stack *stack, int *before,
                          struct sheet_answer *answer, pw_error *error);

/* For a sheet aslant, which meets lines at any place between nodes: the loss alone (sheet_law_turned). */
pw_status sheet_ask_turned(struct sheet_ask *ask, struct point place, double *loss, pw_error *error);

/* The root mean square over so many places. */
struct sheet_miss sheet_miss_mean(struct sheet_miss squares, int64_t places);

/* Adds permittivity and loss to a node of the table. They stand on the grid: the node gets the medium that the set-up
 * will make this of (grid_medium.h). Metal stays. */
pw_status sheet_node_change(const struct profile_view *view, struct mixture_table *table, uint32_t *node,
                            double permittivity, double loss, pw_error *error);
