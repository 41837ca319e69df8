/* Sheets that stand beside one another, as the coatings of two panes do. Waves go to and fro between them, and where
 * they are a few nodes apart their nodes touch. The first of them, in the direction of the axis across, asks as if it
 * stood alone; each next one knows those before it, and is fitted to what all of them let through together
 * (sheet_ask.c). Sheets further apart than the window reaches do not know each other. */
#pragma once

#include "medium/sheet/sheet_profile.h"

struct beside {
    struct sheet sheet;
    double apart; /* pitches from the one that asks, < 0 */
};

/* The sheets that the line at `place` meets before the one that asks, the nearest first. */
int sheets_before(const struct profile_view *view, struct point place, struct beside list[LAW_BESIDE]);

/* How near a sheet before the one that asks stands that it does not know [m]: one too far for the window, or any where
 * the sheets are `turned`. 0: there is none. */
double sheets_stranger(const struct profile_view *view, struct point place, bool turned);

/* The nearer of two distances, of which 0 is none. */
static inline double sheet_nearer(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* The layer that holds a sheet, `at` nodes behind the first of the window, gets its loss. */
void beside_loss(const struct profile_view *view, const struct beside *beside, double at,
                 struct sheet_question *question);

/* What the answer of a sheet at node `before` puts on nodes of the window, which begins with node `first`. */
void beside_answer(const struct sheet_answer *answer, int before, int first, struct sheet_question *question);
