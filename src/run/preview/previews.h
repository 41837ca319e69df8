/* Previews as they are kept (api/study/previews.h): previews.c solves them, preview_map.c makes maps of them. */
#pragma once

#include "api/backend.h"
#include "map/map.h"
#include "run/preview/quick.h"

/* One transmitter's solve, and its levels on the map as they were last asked for. */
struct preview {
    char *key;         /* owned: the scenario of this transmitter alone, as text */
    uint32_t plan;     /* its number */
    pw_result *result; /* owned, in memory */
    double error;      /* dB: its forecast */
    struct map levels; /* value NULL: not computed yet */
};

struct previews {
    pw_compute compute; /* what it points to is borrowed */
    struct quick_plan plan;
    struct preview *list; /* (count), owned, in the order of the transmitters */
    int count;
    bool whole; /* all transmitters of a scenario are there */
};
