/* Quantities with units, by dimension: reading ("2.4 GHz", "7 cm", "-60 dB") and writing them back so that they read to
 * the same bits. Decimal units shift the decimal exponent before the one rounding to double, so "7 cm" is exactly the
 * double 0.07. */
#pragma once

#include "base/status.h"

enum { QUANTITY_SIZE = PW_QUANTITY_SIZE };

/* Reads `text`: a decimal number, then a unit of `dimension`; a bare number is SI where that is not ambiguous.
 * PW_BAD_INPUT names the text and the allowed units; infinite, undefined and overflowing numbers are refused. */
pw_status quantity_parse(const char *text, pw_dimension dimension, double *value, pw_error *error);

/* Writes a finite `value` (in the unit named above) with the fewest digits that read back to the same double, in the
 * unit that keeps it readable, and returns `text`. */
const char *quantity_format(double value, pw_dimension dimension, char text[QUANTITY_SIZE]);
