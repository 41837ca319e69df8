/* Any text as a DXF or an SVG file, which its first byte chooses: refused with a sentence, or a drawing whose parts are
 * where they should be, in which walls are then looked for between lines. */
#include <math.h>

#include "drawing/drawing_format.h"
#include "drawing/parallel_walls.h"
#include "tests/fuzz/fuzz.h"

extern const struct drawing_format drawing_format_dxf, drawing_format_svg;

static void drawing_check(const struct drawing *drawing)
{
    FUZZ_MUST(drawing->element_count <= DRAWING_ELEMENT_LIMIT && drawing->point_count <= DRAWING_POINT_LIMIT);
    size_t lines = 0, areas = 0;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        FUZZ_MUST(element->class_index >= 0 && (size_t)element->class_index < drawing->class_count);
        FUZZ_MUST(element->page >= 0 && (size_t)element->page < drawing->page_count);
        FUZZ_MUST(element->rings > 0 && element->first_ring + element->rings <= drawing->ring_count);
        FUZZ_MUST(element->width >= 0 && isfinite(element->width));
        for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
            const struct drawing_ring *ring = &drawing->rings[r];
            FUZZ_MUST(ring->count >= (element->kind == ELEMENT_LINE ? 2 : 3));
            FUZZ_MUST(ring->first + ring->count <= drawing->point_count);
        }
        lines += element->kind == ELEMENT_LINE ? 1 : 0;
        areas += element->kind == ELEMENT_AREA ? 1 : 0;
    }
    for (size_t c = 0; c < drawing->class_count; c++) {
        FUZZ_MUST(drawing->classes[c].lines <= lines && drawing->classes[c].areas <= areas);
        lines -= drawing->classes[c].lines;
        areas -= drawing->classes[c].areas;
    }
    FUZZ_MUST(lines == 0 && areas == 0);
}

/* Walls from a hundredth to a tenth of the first element's size. */
static void walls_try(struct drawing *drawing)
{
    if (drawing->element_count == 0 || drawing->element_count > 1000 || drawing->point_count > 20000) {
        return;
    }
    struct drawing_point low, high;
    pw_error error = {""};
    drawing_element_box(drawing, &drawing->elements[0], &low, &high);
    double size = fmax(high.x - low.x, high.y - low.y);
    int class_index = drawing->elements[0].class_index;
    fuzz_check(drawing_join_faces(drawing, class_index, size / 100, size / 10, &error), &error);
    drawing_check(drawing);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char path[64];
    fuzz_file(bytes + 1, size - 1, path);
    const struct drawing_format *format = bytes[0] == 'S' ? &drawing_format_svg : &drawing_format_dxf;
    struct drawing drawing = {0};
    pw_error error = {""};
    pw_status status = format->read(path, NULL, &drawing, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        drawing_check(&drawing);
        walls_try(&drawing);
    }
    drawing_free(&drawing);
    unlink(path);
    return 0;
}
