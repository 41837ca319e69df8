/* A drawing as its program shows it: lines in their colours on white paper, or the picture that it is. */
#pragma once

#include "drawing/shapes/drawing_choice.h"

/* Paper over a part of the plan, row 0 at the bottom. */
struct drawing_paper {
    struct drawing_place place;
    int width, height; /* pixels */
    double pixel;      /* m */
    uint8_t *rgb;      /* (height, width, 3), owned by the caller */
};

/* White, at most `side` pixels long. */
pw_status drawing_paper_create(const struct drawing_place *place, int side, struct drawing_paper *paper,
                               pw_error *error);

void drawing_paper_dot(const struct drawing_paper *paper, int x, int y, uint32_t colour);

/* From one place of the plan [m] to another. */
void drawing_paper_line(const struct drawing_paper *paper, struct drawing_point a, struct drawing_point b,
                        uint32_t colour);

/* All rings of an element. */
void drawing_paper_element(const struct drawing_paper *paper, const struct drawing *drawing,
                           const struct drawing_element *element, uint32_t colour);

/* The picture, `part` of its strength. */
void drawing_paper_picture(const struct drawing_paper *paper, const pw_picture *picture, double part);

/* All that is drawn on a page. */
void drawing_paper_page(const struct drawing_paper *paper, const struct drawing *drawing, int page);
