/* A transmitter with a pattern in two dimensions: line currents on nodes around its place, fitted so that together they
 * radiate the azimuth cut of its antenna (physics.md section 12). The currents are those of one waveform, in phase and
 * a quarter of a period ahead, and over wide bands the same two times a function that rises with frequency; so a run
 * has up to four drives, each with a weight for every node. */
#pragma once

#include "api/base.h"

struct antenna_pattern;
struct setup;

/* What the set-up and the result say of an array; count 0: the transmitter has no pattern. */
struct array_report {
    int count, terms; /* line currents; drives */
    double radius;    /* m, of the array */
    /* dB: deviation from the pattern at the band's centre and over the band at most, where it is -15 dB or more; and
     * by how much it is exceeded at most where it is less */
    double error_centre, error, exceeded;
    double turned;  /* degrees, three dimensions: of polarisation and phase at most, where it is -15 dB or more */
    double current; /* sum of the currents' amplitudes over that of the line current that sends as much */
};

/* Fills nodes and weights of the transmitter's source, and its report. PW_BAD_INPUT: too little air around it. */
pw_status array_add_source(struct setup *setup, int index, pw_error *error);

/* Warns of what its file leaves in doubt. */
void array_warn_pattern(struct setup *setup, const struct antenna_pattern *pattern);
