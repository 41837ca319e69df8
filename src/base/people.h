/* Words and numbers for people: how a number is written that nobody computes with, and what a forecast of the error is.
 * Everything that prints them takes them from here, or from api/base.h, which has the rest. */
#pragma once

#include "api/base.h"

/* Decibels under the strongest half of the floor that the forecast is told for. */
enum { FORECAST_DEPTHS = 3 };
extern const int FORECAST_DEPTH[FORECAST_DEPTHS];

enum { FORECAST_TEXT = 256 };

/* "0.8 dB in the strongest half of the floor, 1.5 dB at 20 dB below it, 3 dB at 40 dB": `value` of each depth in
 * `unit`, two significant figures. */
const char *forecast_by_depth(const double value[FORECAST_DEPTHS], const char *unit, char text[FORECAST_TEXT]);
