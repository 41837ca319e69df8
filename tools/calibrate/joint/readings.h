/* Readings of several transmitters from a CSV with a heading, in the long form (a column `transmitter`) or the wide one
 * (a column for each transmitter, empty where nothing was received). */
#pragma once

#include "calibrate/planwave_calibrate.h"
#include "tools/ground.h"

struct readings {
    const char *path;                /* what messages call them, borrowed */
    pw_reading *readings;            /* (count), owned; their transmitters are names of the result's */
    int *lines;                      /* (count), owned: of the file; NULL: their numbers, from 1 */
    char *devices[PW_JOINT_DEVICES]; /* (device_count), owned: names that readings borrow */
    int device_count;
    int count;
};

/* Appends the readings of a file, whose path becomes theirs if they have none. A power of "<-95" is below -95 dBm; an
 * empty field is below the sensitivity, where that is known (else NAN). PW_BAD_INPUT with file and line. */
pw_status readings_read(const char *path, const pw_result *result, bool held, double sensitivity,
                        struct readings *readings, pw_error *error);
void readings_free(struct readings *readings);
