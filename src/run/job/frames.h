/* Pictures of the field while a run goes on (frame_picture.h), one PNG per transmitter every so many steps, and what
 * they will take. Making a film of them is the caller's work. */
#pragma once

#include "run/simulation.h"

enum { FRAMES_CUSTOMARY = 240 /* of a transmitter */ };

struct frames;

/* Makes the folder and the folders above it. `every`: steps between frames, or 0 for about FRAMES_CUSTOMARY of them
 * over the whole run. The set-up must outlive the frames. PW_USAGE: a negative interval or no name; PW_NO_RESOURCE: a
 * folder that cannot be made. */
pw_status frames_create(const struct setup *setup, const char *folder, int64_t every, struct frames **frames,
                        pw_error *error);
void frames_free(struct frames *frames);

/* Has the simulation pause to draw frames; the simulation must not outlive them. */
void frames_attach(struct frames *frames, struct simulation *simulation);
