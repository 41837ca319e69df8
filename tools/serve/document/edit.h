/* What a message changes in a scenario. The changed scenario is written as text and read again (document.h), so that
 * nothing stands in it that a scenario could not say. */
#pragma once

#include "serve/document/message.h"
#include "tools/ground.h"

/* Changes `scenario` as one of MESSAGE_MOVE to MESSAGE_BAND asks; `plan` is what the scenario was before. PW_BAD_INPUT
 * for what is not there or does not fit, in words for a person. */
pw_status edit_apply(pw_scenario *scenario, const pw_floorplan *plan, const struct message *message, pw_error *error);

/* Whether a message of this kind changes the plan itself, or what its materials are. */
bool edit_changes_plan(enum message_kind kind);
