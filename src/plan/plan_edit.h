/* What the edits of a plan have in common (api/plan/edit.h). */
#ifndef PLAN_EDIT_H
#define PLAN_EDIT_H

#include "scenario/scenario.h"

/* Adds a shape to the plan, behind others of its kind; takes over its points, on failure too. */
pw_status shape_add(struct plan_choice *plan, const struct shape *shape, pw_error *error);

#endif
