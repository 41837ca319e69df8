/* The shapes of drawings (scenario_drawing.h). */
#include "scenario/plan/scenario_drawing.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/scenario_read.h"

static const pw_drawing_reader *reader;

void pw_drawings_use(const pw_drawing_reader *used)
{
    reader = used;
}

const pw_drawing_reader *drawing_reader(void)
{
    return reader;
}

void drawing_release(struct pw_drawing *drawing)
{
    for (size_t s = 0; s < drawing->count; s++) {
        free(drawing->shapes[s].points);
    }
    FREE_ALL(drawing->shapes, drawing->substances);
    *drawing = (struct pw_drawing){0};
}

pw_status drawing_collect(const struct node *map, const char *folder, struct pw_drawing *drawing, pw_error *error)
{
    NODE_FAIL_IF(reader == NULL, map, error,
                 "cannot be read: this program has the core of planwave alone, without its readers of drawings; "
                 "link planwave_tools and call pw_drawings_use(pw_drawing_formats())");
    NODE_FAIL_IF(drawing->storey != EVERY_STOREY && drawing->plan->storey_count > 1 && node_find(map, "region") == NULL,
                 map, error, "needs a region, as in [x0, y0, x1, y1], so that the storeys lie over one another");
    return reader->read(map, folder, drawing, error);
}

void pw_drawing_set_size(pw_drawing *drawing, double width, double height)
{
    drawing->width = width;
    drawing->height = height;
}

pw_status pw_drawing_substance(pw_drawing *drawing, const pw_node *map, const pw_node *material, int *substance,
                               pw_error *error)
{
    TRY(array_grow(&drawing->substances, &drawing->substance_room, drawing->substance_count,
                   sizeof *drawing->substances, "the materials of a drawing", error));
    struct drawn_substance *made = &drawing->substances[drawing->substance_count];
    *made = (struct drawn_substance){.material = {.name = "air", .relative_permittivity = 1}, .line = map->line};
    TRY(heights_read(map, drawing->plan, drawing->storey, &made->z, error));
    if (material != NULL) {
        made->material = (struct material_choice){0};
        TRY(node_coated_material(material, &made->material, error));
    }
    *substance = (int)drawing->substance_count++;
    return PW_OK;
}

size_t pw_drawing_shape_count(const pw_drawing *drawing)
{
    return drawing->count;
}

pw_status pw_drawing_add(pw_drawing *drawing, int substance, const double *corners, int count, pw_error *error)
{
    FAIL_IF(substance < 0 || (size_t)substance >= drawing->substance_count || count < 3 || count > PW_POLYGON_LIMIT,
            error, PW_USAGE, "%s: substance %d of %zu, %d corners; 3 to %d are allowed", __func__, substance,
            drawing->substance_count, count, PW_POLYGON_LIMIT);
    TRY(array_grow(&drawing->shapes, &drawing->room, drawing->count, sizeof *drawing->shapes, "shapes of a drawing",
                   error));
    struct point *points = allocate((size_t)count, sizeof *points, "the corners of a drawing", error);
    TRY_MADE(points);
    for (int n = 0; n < count; n++) {
        points[n] = (struct point){corners[2 * n], corners[2 * n + 1]};
    }
    const struct drawn_substance *of = &drawing->substances[substance];
    drawing->shapes[drawing->count++] = (struct shape){.kind = SHAPE_DRAWN,
                                                       .z = of->z,
                                                       .storey = drawing->storey,
                                                       .points = points,
                                                       .point_count = count,
                                                       .material = of->material,
                                                       .line = of->line};
    return PW_OK;
}
