/* Pictures of a plan and the report that goes with them (api/setup.h): which picture is meant, what there is of each
 * material. Nothing is solved here. */
#include "discretize/picture/plane_picture.h"
#include "discretize/picture/space_picture.h"

/* Pictures, with the colour of each material and how much of it there is on the plane or in the building. */
struct picture_task {
    const struct setup *setup;
    bool space; /* in three dimensions */
    pw_view view;
    const char *path;
    double *amounts, *shown; /* (material_count): of the whole, and of what is seen */
    uint32_t *colours;       /* (material_count) */
};

static pw_status amounts_find(const struct picture_task *task, pw_error *error)
{
    const struct setup *setup = task->setup;
    const double cell = setup->problem.axis[0].spacing;
    return task->space ? building_volumes(&setup->building, cell, task->amounts, error)
                       : plan_areas(&setup->plan, cell, task->amounts, error);
}

static pw_status picture_draw(const struct picture_task *task, pw_error *error)
{
    static const int NORMALS[] = {[PW_VIEW_USUAL] = 2, [PW_VIEW_HEIGHT] = 2, [PW_VIEW_X] = 0, [PW_VIEW_Y] = 1};
    const struct setup *setup = task->setup;
    struct plane plane;
    if (task->space && task->view.kind == PW_VIEW_USUAL) {
        return space_picture_write(setup, task->colours, task->amounts, task->path, error);
    }
    const double position = task->view.kind == PW_VIEW_USUAL ? 0 : task->view.position;
    TRY(plane_find(setup, NORMALS[task->view.kind], position, &plane, error));
    if (task->view.kind != PW_VIEW_HEIGHT) {
        return plane_picture_write(setup, &plane, task->colours, task->amounts, task->path, error);
    }
    const struct building *building = &setup->building;
    TRY(plan_areas(&building->bands[building_band_at(building, task->view.position)], setup->problem.axis[0].spacing,
                   task->shown, error));
    return plane_picture_write(setup, &plane, task->colours, task->shown, task->path, error);
}

pw_status pw_rasterize_view(const pw_setup *setup, pw_view view, const char *path, FILE *report, pw_error *error)
{
    FAIL_IF(setup == NULL || path == NULL || view.kind < PW_VIEW_USUAL || view.kind > PW_VIEW_Y, error, PW_USAGE,
            "pw_rasterize_view: setup and path must not be NULL, and the view one of pw_view_kind");
    const bool space = setup_is_3d(setup);
    FAIL_IF(!space && view.kind != PW_VIEW_USUAL, error, PW_BAD_INPUT,
            "%s: a run in two dimensions has no heights to cut at; give dimensions: 3 and plan.storey",
            setup->scenario->file);
    const struct floorplan *plan = &setup->building.bands[0];
    size_t count = (size_t)plan->material_count;
    struct picture_task task = {.setup = setup, .space = space, .view = view, .path = path};
    task.amounts = allocate(count, sizeof *task.amounts, "areas of the plan", error);
    task.shown = allocate(count, sizeof *task.shown, "areas of the plan", error);
    task.colours = allocate(count, sizeof *task.colours, "colours of the plan", error);
    pw_status status = task.amounts != NULL && task.shown != NULL && task.colours != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        material_colours(plan, task.colours);
        status = amounts_find(&task, error);
    }
    THEN(status, picture_draw(&task, error));
    if (status == PW_OK && report != NULL) {
        status = report_write(setup, task.amounts, report, error);
    }
    FREE_ALL(task.colours, task.shown, task.amounts);
    return status;
}

pw_status pw_rasterize_picture(const pw_setup *setup, const char *png_path, FILE *report, pw_error *error)
{
    FAIL_IF(setup == NULL || png_path == NULL, error, PW_USAGE,
            "pw_rasterize_picture: setup and png_path must not be NULL");
    return pw_rasterize_view(setup, (pw_view){PW_VIEW_USUAL, 0}, png_path, report, error);
}
