/* What a message changes in a scenario. The changed scenario is written as text and read again (document.h), so that
 * nothing stands in it that a scenario could not say. */
#ifndef LIVE_EDIT_H
#define LIVE_EDIT_H

#include "plan/floorplan.h"
#include "serve/document/message.h"

/* Changes `scenario` as one of MESSAGE_MOVE to MESSAGE_BAND asks; `plan` is what the scenario was before. PW_BAD_INPUT
 * for what is not there or does not fit, in words for a person. */
pw_status edit_apply(struct scenario *scenario, const struct floorplan *plan, const struct message *message,
                     pw_error *error);

/* Whether a message of this kind changes the plan itself, or what its materials are. */
bool edit_changes_plan(enum message_kind kind);

/* shapes.c: adds a shape to the plan, behind others of its kind; it takes over the points. */
pw_status edit_add_shape(struct plan_choice *plan, const struct shape *shape, pw_error *error);

/* Removes the uppermost shape at a point, or lays air over the piece of wall of a picture there. */
pw_status edit_erase(struct scenario *scenario, const struct floorplan *plan, struct point at, pw_error *error);

#endif
