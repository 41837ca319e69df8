/* Pictures of the field while a run goes on, one PNG per transmitter every so many steps: |Ez| in decibels in viridis,
 * walls darkened, the absorber left out, a white bar at the lower edge that grows with the time. They carry no text;
 * making a film of them is the caller's work. */
#ifndef FRAMES_H
#define FRAMES_H

#include "run/simulation.h"

enum { FRAMES_LONG_SIDE = 960, FRAMES_CUSTOMARY = 240 };
/* 0 dB is the free-space field of the transmitter's peak current at 1 m; the colours end this many decibels below. */
#define FRAMES_DEPTH 50.0

struct frames;

/* Makes the folder and the folders above it. `every`: steps between frames, or 0 for about FRAMES_CUSTOMARY of them
 * over the whole run. The set-up must outlive the frames. PW_USAGE: a negative interval or no name; PW_NO_RESOURCE: a
 * folder that cannot be made. */
pw_status frames_create(const struct setup *setup, const char *folder, int64_t every, struct frames **frames,
                        pw_error *error);
void frames_free(struct frames *frames);

/* Has the simulation pause to draw frames; the simulation must not outlive them. */
void frames_attach(struct frames *frames, struct simulation *simulation);

#endif
