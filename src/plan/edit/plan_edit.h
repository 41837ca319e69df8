/* What the edits of a plan have in common (api/plan/edit.h). */
#pragma once

#include "scenario/scenario.h"

/* A material of the plan by its name, which may have values of its own; else one of the table. PW_BAD_INPUT: neither.
 */
pw_status plan_material_find(const struct plan_choice *plan, const char *name, struct material_choice *material,
                             pw_error *error);
