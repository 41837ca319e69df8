/* What lies under a plan (api/plan/drawing.h): the picture or the drawing that it was made from, for people to compare.
 */
#include "base/file/folder.h"
#include "base/picture/png_image.h"
#include "scenario/plan/scenario_drawing.h"
#include "scenario/scenario_read.h"

#include <stdlib.h>
#include <string.h>

/* The plan's own drawing, else that of the lowest storey that has one; NULL: there is none. */
static const struct node *drawing_node(const struct node *plan_map, const struct plan_choice *plan, int *storey)
{
    const struct node *found = node_find(plan_map, "drawing");
    *storey = EVERY_STOREY;
    for (int s = 0; s < plan->storey_count && found == NULL; s++) {
        found = node_find(storey_node(plan_map, s), "drawing");
        *storey = s;
    }
    return found;
}

/* Leaves *picture without pixels where there is nothing to look at. */
static pw_status plan_look(const struct node *root, const char *folder, int side, pw_picture *picture, pw_error *error)
{
    OWNED_BY(plan_release) struct plan_choice plan = {0};
    OWNED_BY(drawing_release) struct pw_drawing drawn = {.plan = &plan};
    const struct node *map;
    TRY(read_required(root, "plan", "a picture or a size with shapes", &map, error));
    TRY(plan_read(map, folder, &plan, error));
    const struct node *node = drawing_node(map, &plan, &drawn.storey);
    if (node != NULL && drawing_reader() != NULL && drawing_reader()->look != NULL) {
        return drawing_reader()->look(node, folder, side, &drawn, picture, error);
    }
    return plan.image != NULL ? pw_picture_read(plan.image, picture, error) : PW_OK;
}

static pw_status text_look(const char *text, size_t length, const char *path, const char *const overrides[],
                           size_t override_count, int side, pw_picture *picture, pw_error *error)
{
    OWNED_BY(tree_free) struct tree tree = {0};
    OWNED char *folder = strchr(path, '/') != NULL ? path_folder(path, error) : NULL;
    TRY_MADE(folder != NULL || strchr(path, '/') == NULL);
    TRY(tree_parse(&tree, path, text, length, error));
    for (size_t n = 0; n < override_count; n++) {
        TRY(tree_override(&tree, overrides[n], error));
    }
    return plan_look(tree.root, folder, side, picture, error);
}

pw_status pw_plan_look(const char *path, const char *const *overrides, size_t override_count, int side, uint8_t **png,
                       size_t *size, pw_error *error)
{
    pw_plain_numbers numbers;
    OWNED_BY(pw_picture_free) pw_picture picture = {0};
    OWNED char *text = NULL;
    size_t length = 0;
    *png = NULL;
    TRY(yaml_file_read(path, "scenario", &text, &length, error));
    TRY(pw_plain_numbers_begin(&numbers, error));
    const pw_status status = text_look(text, length, path, overrides, override_count, side, &picture, error);
    pw_plain_numbers_end(&numbers);
    TRY(status);
    return picture.rgb != NULL ? png_image_encode(picture.width, picture.height, 3, picture.rgb, png, size, error)
                               : PW_OK;
}
