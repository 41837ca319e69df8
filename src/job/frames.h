/* Pictures of the field on the way, one PNG per transmitter every so many steps: |Ez| in decibels in viridis, walls
 * darkened, the absorber left out, a white bar at the lower edge for the time that has passed. No texts: making a film
 * of them is for others. */
#ifndef FRAMES_H
#define FRAMES_H

#include "run/simulation.h"

enum { FRAMES_LONG_SIDE = 960, FRAMES_CUSTOMARY = 240 };
/* 0 dB is the free-space field of the transmitter's peak current at 1 m; colours end this much under it. */
#define FRAMES_DEPTH 50.0

struct frames;

/* Makes the folder (and those above it). `every` steps between frames; 0: about FRAMES_CUSTOMARY of them over the whole
 * run. The set-up must outlive the frames. PW_USAGE: a negative interval or no name; PW_NO_RESOURCE: a folder that
 * cannot be made. */
pw_status frames_create(const struct setup *setup, const char *folder, int64_t every, struct frames **frames,
                        pw_error *error);
void frames_free(struct frames *frames);

/* Has the simulation pause for frames. It must not outlive them. */
void frames_attach(struct frames *frames, struct simulation *simulation);

#endif
