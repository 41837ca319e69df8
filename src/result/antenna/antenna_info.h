/* What a summary of a result says of antennas. */
#pragma once

#include <stdio.h>

#include "result/result.h"

/* "half-wave dipole", or "pattern 'Sector', bearing 30 deg, downtilt 6 deg". */
void antenna_print(const struct antenna *antenna, FILE *stream);

/* Lines for a transmitter: its antenna, where the power comes from, how well the pattern is radiated. Nothing of a
 * plain line current. */
void antenna_print_transmitter(const struct result *result, const struct result_transmitter *transmitter, FILE *stream);

/* The same as fields of its object in JSON, a comma before each. */
void antenna_json_transmitter(const struct result_transmitter *transmitter, FILE *stream);
