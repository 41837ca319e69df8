/* What the edits of a plan have in common (api/plan/edit.h). */
#pragma once

#include "scenario/scenario.h"

/* Adds a shape to the plan, behind others of its kind; takes over its points, on failure too. */
pw_status shape_add(struct plan_choice *plan, const struct shape *shape, pw_error *error);

/* A material of the plan by its name, which may have values of its own; else one of the table. PW_BAD_INPUT: neither.
 */
pw_status plan_material_find(const struct plan_choice *plan, const char *name, struct material_choice *material,
                             pw_error *error);
