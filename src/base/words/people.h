/* Words and numbers for people: how a number is written that nobody computes with, and what a forecast of the error is.
 * Everything that prints them takes them from here. */
#ifndef PEOPLE_H
#define PEOPLE_H

#include "api/base.h"

/* What the forecast is an error of, then what plans and models were off by where somebody measured. In one sentence,
 * and in the few words that fit a line of a picture. */
#define FORECAST_PLAN     "This is the grid's error on the plan as drawn."
#define FORECAST_MEASURED                                                                                              \
    "Plans as guessed, in two dimensions, were off by 3.4 to 5 dB in measured buildings "                              \
    "(validation/measured/README.md)."
#define FORECAST_BRIEF                                                                                                 \
    "grid's error on the plan as drawn; guessed plans were 3.4 to 5 dB off in measured buildings "                     \
    "(validation/measured/README.md)"

/* Decibels under the strongest half of the floor that the forecast is told for. */
enum { FORECAST_DEPTHS = 3 };
extern const int FORECAST_DEPTH[FORECAST_DEPTHS];

enum { FORECAST_TEXT = 256 };

/* "0.8 dB in the strongest half of the floor, 1.5 dB 20 dB below it, 3 dB 40 dB below it": `value` of each depth in
 * `unit`, two significant figures. */
const char *forecast_by_depth(const double value[FORECAST_DEPTHS], const char *unit, char text[FORECAST_TEXT]);

#endif
