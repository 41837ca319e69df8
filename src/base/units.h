/* Quantities with units, by dimension: reading ("2.4 GHz", "7 cm", "-60 dB") and writing them back so that they read to
 * the same bits. Decimal units shift the decimal exponent before the one rounding to double, so "7 cm" is exactly the
 * double 0.07. */
#ifndef UNITS_H
#define UNITS_H

#include "base/status.h"

enum dimension {
    DIMENSION_NUMBER,       /* no unit */
    DIMENSION_LENGTH,       /* m */
    DIMENSION_TIME,         /* s */
    DIMENSION_FREQUENCY,    /* Hz */
    DIMENSION_CONDUCTIVITY, /* S/m */
    DIMENSION_RATIO,        /* dB; the unit may be left out of 0 alone */
    DIMENSION_POWER,        /* dBm; W and mW are converted; the unit must be written */
    DIMENSION_GAIN,         /* dBi; the unit may be left out of 0 alone */
    DIMENSION_CELLS,        /* cells */
    DIMENSION_ANGLE,        /* rad */
    DIMENSION_SHARE,        /* a part of one; % */
    DIMENSION_RESISTANCE    /* ohm; of a sheet ohm per square */
};

enum { QUANTITY_SIZE = 64 };

/* Reads `text`: a decimal number, then a unit of `dimension`; a bare number is SI where that is not ambiguous.
 * PW_BAD_INPUT names the text and the allowed units; infinite, undefined and overflowing numbers are refused. */
pw_status quantity_parse(const char *text, enum dimension dimension, double *value, pw_error *error);

/* Writes a finite `value` (in the unit named above) with the fewest digits that read back to the same double, in the
 * unit that keeps it readable, and returns `text`. */
const char *quantity_format(double value, enum dimension dimension, char text[QUANTITY_SIZE]);

#endif
