/* How windows and the ways from two dimensions to three are called in files, pictures and summaries. */
#pragma once

#include "api/channel.h"
#include "base/status.h"

/* What to do about a run that was too short, whatever ended it. */
#define CHANNEL_RUN_LONGER "set a lower stop.decay or a longer stop.after"

/* "Hann", "rect", "Kaiser". */
const char *channel_window_name(pw_window window);
