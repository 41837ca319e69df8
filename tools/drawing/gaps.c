/* Windows and doors that no class of their own draws (openings.h): they become lines of two classes. */
#include "drawing/openings.h"

#include <stdlib.h>

pw_status drawing_gap_classes(struct drawing *drawing, int *windows, int *doors, pw_error *error)
{
    TRY(drawing_class_of(drawing, "window gaps", windows, error));
    drawing->classes[*windows].use = CLASS_WINDOWS;
    TRY(drawing_class_of(drawing, "door gaps", doors, error));
    drawing->classes[*doors].use = CLASS_DOORS;
    return PW_OK;
}

pw_status drawing_gaps_add(struct drawing *drawing, const struct opening_walls *walls, const bool *thin, double unit,
                           pw_error *error)
{
    struct opening *openings = NULL;
    size_t count = 0;
    int classes[2];
    TRY(drawing_gap_classes(drawing, &classes[0], &classes[1], error));
    pw_status status = drawing_openings_among(walls, thin, unit, &openings, &count, error);
    for (size_t n = 0; n < count && status == PW_OK; n++) {
        const struct drawing_element line = {
            .kind = ELEMENT_LINE, .class_index = classes[openings[n].door], .page = openings[n].page};
        status = drawing_begin(drawing, &line, error);
        status = status == PW_OK ? drawing_point_add(drawing, openings[n].from.x, openings[n].from.y, error) : status;
        status = status == PW_OK ? drawing_point_add(drawing, openings[n].to.x, openings[n].to.y, error) : status;
    }
    drawing_end(drawing);
    free(openings);
    return status;
}
