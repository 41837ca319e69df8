/* Words and numbers for people (people.h). */
#include "base/people.h"

#include <math.h>
#include <stdlib.h>

/* What the forecast is an error of, then what plans and models were off by where somebody measured; `BRIEF` is for a
 * line of a picture. */
static const char WHOLE[] = "This is the grid's error on the plan as drawn. Plans as guessed, in two dimensions, were "
                            "off by 4 to 7 dB in measured buildings (validation/measured/README.md).";
static const char BRIEF[] = "The grid's error on the plan as drawn. In measured buildings 4 to 7 dB "
                            "(validation/measured/README.md)";

const int FORECAST_DEPTH[FORECAST_DEPTHS] = {0, 20, 40};

/* Beyond these a number says nothing to a reader: nobody acts on a ten-thousandth of a decibel. */
static const double SMALLEST = 5e-5, LARGEST = 1e15;
enum { MOST_DECIMALS = 4 };

static void drop_zeros(char *text)
{
    char *end = text, *point = NULL;
    for (; *end != '\0'; end++) {
        point = *end == '.' ? end : point;
    }
    while (point != NULL && end > point && (end[-1] == '0' || end[-1] == '.')) {
        *--end = '\0';
    }
}

const char *pw_number_text(double value, int digits, char text[PW_NUMBER_SIZE])
{
    if (!isfinite(value) || fabs(value) >= LARGEST) {
        snprintf(text, PW_NUMBER_SIZE, "%s", isnan(value) ? "?" : value < 0 ? "-infinite" : "infinite");
        return text;
    }
    if (fabs(value) < SMALLEST) {
        snprintf(text, PW_NUMBER_SIZE, "0");
        return text;
    }
    /* The exponent of the number as it is rounded: 9.96 has two digits before the point in "10". */
    char rounded[PW_NUMBER_SIZE];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    const double kept = strtod(rounded, NULL);
    const int decimals = digits - 1 - (int)floor(log10(fabs(kept)) + 1e-9);
    snprintf(text, PW_NUMBER_SIZE, "%.*f",
             decimals < 0               ? 0
             : decimals > MOST_DECIMALS ? MOST_DECIMALS
                                        : decimals,
             kept);
    drop_zeros(text);
    return text;
}

const char *pw_forecast_words(bool brief)
{
    return brief ? BRIEF : WHOLE;
}

const char *forecast_by_depth(const double value[FORECAST_DEPTHS], const char *unit, char text[FORECAST_TEXT])
{
    char number[FORECAST_DEPTHS][PW_NUMBER_SIZE];
    for (int d = 0; d < FORECAST_DEPTHS; d++) {
        pw_number_text(value[d], 2, number[d]);
    }
    snprintf(text, FORECAST_TEXT, "%s %s in the strongest half of the floor, %s %s at %d dB below it, %s %s at %d dB",
             number[0], unit, number[1], unit, FORECAST_DEPTH[1], number[2], unit, FORECAST_DEPTH[2]);
    return text;
}
