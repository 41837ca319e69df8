/* From the colours of a picture to entries of the legend: exact ones, near ones, and edges between two of them. */
#pragma once

#include "base/picture/png_image.h"
#include "plan/picture/colour_tally.h"
#include "plan/picture/mixed_pixels.h"
#include "scenario/scenario.h"

/* What became of a picture. Free with picture_match_free, also after a failure. */
struct picture_match {
    uint16_t *entries;         /* (rows, columns), owned, row 0 at the bottom: the entry of each pixel's larger part */
    struct mixed_pixels mixed; /* materials in it are entries of the legend */
    struct colour_tally inexact; /* colours that are not those of the legend but were matched; sorted */
};

/* Every pixel that has no colour of the legend is looked at with its neighbours: a colour that lies between two colours
 * of the legend near by is divided between them, another one takes the nearest entry, within the tolerance of
 * `scenario`. Colours farther off: PW_BAD_INPUT with a list of the most frequent ones. */
pw_status picture_match(const struct scenario *scenario, const pw_picture *image, struct picture_match *match,
                        pw_error *error);
void picture_match_free(struct picture_match *match);

/* Writes the `limit` most frequent colours with count, share of `pixels`, nearest entry and first place, a line each,
 * and a last line for the rest. Returns the characters written, always less than `size`. */
size_t colour_tally_describe(const struct colour_tally *tally, const struct plan_choice *plan, double pixels,
                             size_t limit, char *text, size_t size);
