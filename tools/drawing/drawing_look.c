/* Drawings on paper (drawing_look.h). */
#include "drawing/drawing_look.h"

#include <math.h>
#include <string.h>

pw_status drawing_paper_create(const struct drawing_place *place, int side, struct drawing_paper *paper,
                               pw_error *error)
{
    const double across = (place->high[0] - place->low[0]) * place->unit,
                 upwards = (place->high[1] - place->low[1]) * place->unit;
    *paper = (struct drawing_paper){.place = *place, .pixel = fmax(across, upwards) / side};
    paper->width = (int)fmax(ceil(across / paper->pixel), 1);
    paper->height = (int)fmax(ceil(upwards / paper->pixel), 1);
    const size_t bytes = 3 * (size_t)paper->width * (size_t)paper->height;
    paper->rgb = allocate(bytes, 1, "the picture of a drawing", error);
    TRY_MADE(paper->rgb);
    memset(paper->rgb, 0xff, bytes);
    return PW_OK;
}

void drawing_paper_dot(const struct drawing_paper *paper, int x, int y, uint32_t colour)
{
    if (x >= 0 && y >= 0 && x < paper->width && y < paper->height) {
        uint8_t *to = paper->rgb + 3 * ((size_t)y * (size_t)paper->width + (size_t)x);
        to[0] = (uint8_t)(colour >> 16), to[1] = (uint8_t)(colour >> 8), to[2] = (uint8_t)colour;
    }
}

void drawing_paper_line(const struct drawing_paper *paper, struct drawing_point a, struct drawing_point b,
                        uint32_t colour)
{
    const int most = 4 * (paper->width > paper->height ? paper->width : paper->height);
    const double dx = (b.x - a.x) / paper->pixel, dy = (b.y - a.y) / paper->pixel, length = fmax(fabs(dx), fabs(dy));
    const int steps = (int)fmin(ceil(length), most);
    for (int n = 0; n <= steps; n++) {
        const double part = steps > 0 ? (double)n / steps : 0;
        drawing_paper_dot(paper, (int)floor(a.x / paper->pixel + part * dx), (int)floor(a.y / paper->pixel + part * dy),
                          colour);
    }
}

void drawing_paper_element(const struct drawing_paper *paper, const struct drawing *drawing,
                           const struct drawing_element *element, uint32_t colour)
{
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        const struct drawing_point *points = drawing->points + ring->first;
        for (size_t n = element->kind == ELEMENT_AREA ? 0 : 1; n < ring->count; n++) {
            const struct drawing_point *before = n > 0 ? &points[n - 1] : &points[ring->count - 1];
            drawing_paper_line(paper, drawing_placed(&paper->place, *before), drawing_placed(&paper->place, points[n]),
                               colour);
        }
    }
}

void drawing_paper_picture(const struct drawing_paper *paper, const pw_picture *picture, double part)
{
    const struct drawing_place *place = &paper->place;
    for (int y = 0; y < paper->height && picture->rgb != NULL; y++) {
        for (int x = 0; x < paper->width; x++) {
            const double u = place->low[0] + (x + 0.5) * paper->pixel / place->unit,
                         v = place->low[1] + (y + 0.5) * paper->pixel / place->unit;
            const int column = (int)floor(place->cosine * u + place->sine * v),
                      row = picture->height - 1 - (int)floor(place->cosine * v - place->sine * u);
            if (column < 0 || row < 0 || column >= picture->width || row >= picture->height) {
                continue;
            }
            const uint8_t *from = picture->rgb + 3 * ((size_t)row * (size_t)picture->width + (size_t)column);
            uint8_t *to = paper->rgb + 3 * ((size_t)y * (size_t)paper->width + (size_t)x);
            for (int c = 0; c < 3; c++) {
                to[c] = (uint8_t)(255 - part * (255 - from[c]));
            }
        }
    }
}

/* What is drawn for a dark screen is dark on paper. */
static uint32_t colour_of(const struct drawing_class *class)
{
    const uint8_t *rgb = class->colour;
    return rgb[0] + rgb[1] + rgb[2] > 500 ? 0x606060 : (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

void drawing_paper_page(const struct drawing_paper *paper, const struct drawing *drawing, int page)
{
    drawing_paper_picture(paper, &drawing->picture, 1);
    for (size_t e = 0; e < drawing->element_count && drawing->picture.rgb == NULL; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        if (element->page == page) {
            drawing_paper_element(paper, drawing, element, colour_of(&drawing->classes[element->class_index]));
        }
    }
}
