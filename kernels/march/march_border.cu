/* The borders of a march: their boxes on the device, and their passes. Leaves out: the partition (march_partition.cu),
 * and what a box does (yee_border.cu, wide_border.cu, tile.cu). */
#include "kernels/march/march.h"
#include "kernels/tuning.h"

namespace
{

/* ---- yee, in registers ------------------------------------------------------------------------------------------- */

pw_status create_boxes(const struct problem *, const box_set &set, int, device_memory *memory, border_boxes *to,
                       pw_error *error)
{
    to->count = (int)set.boxes.size();
    return device_copy(memory, &to->boxes, set.boxes.data(), set.boxes.size(), "boxes of the border", error);
}

double yee_box_ns(int, double cells)
{
    return BORDER_BOX_NS + (cells > BORDER_NEAR_CELLS ? BORDER_FAR_NS : 0);
}

pw_status yee_pass(const device_problem<float> &problem, const pass<float> &pass, const border_boxes &boxes,
                   const resident_plan &sampled, int blocks, pw_error *error)
{
    resident_plan plan = sampled;
    plan.boxes = boxes.boxes;
    plan.box_count = boxes.count;
    return yee_border_pass(problem, pass, plan, blocks, error);
}

/* ---- the wide stencils, in registers ----------------------------------------------------------------------------- */

/* What the blocks are told of their boxes. */
pw_status create_tables(const struct problem *problem, const box_set &set, int, device_memory *memory, border_boxes *to,
                        pw_error *error)
{
    const double *air = problem_coefficient(problem, 0);
    to->count = to->wide.box_count = (int)set.boxes.size();
    to->wide.air = make_float2((float)air[COEFFICIENT_CA], (float)air[COEFFICIENT_CB]);
    TRY(device_copy(memory, &to->wide.orders, set.orders.data(), set.orders.size(), "tables of the border", error));
    TRY(device_copy(memory, &to->wide.weights, set.weights.data(), set.weights.size(), "sources in the border", error));
    return device_copy(memory, &to->wide.boxes, set.pass_boxes.data(), set.pass_boxes.size(), "boxes of the border",
                       error);
}

double wide_box_ns(int depth, double)
{
    return BORDER_BOX_WIDE_NS + (double)depth * BORDER_STEP_WIDE_NS;
}

pw_status wide_pass(const device_problem<float> &problem, const pass<float> &pass, const border_boxes &boxes,
                    const resident_plan &, int blocks, pw_error *error)
{
    return wide_border_pass(problem, pass, boxes.wide, blocks, error);
}

/* ---- any stencil, in shared memory ------------------------------------------------------------------------------- */

pw_status create_tiles(const struct problem *problem, const box_set &set, int depth, device_memory *memory,
                       border_boxes *to, pw_error *error)
{
    to->count = (int)set.boxes.size();
    return tile_boxes_create(problem, set, depth, memory, &to->tiles, error);
}

double unknown_ns(int, double)
{
    return 0;
}

pw_status tiles_pass(const device_problem<float> &problem, const pass<float> &pass, const border_boxes &boxes,
                     const resident_plan &, int, pw_error *error)
{
    return tile_pass(problem, pass, boxes.tiles, error);
}

} // namespace

const struct march_border yee_border = {yee_border_partition, create_boxes, yee_box_ns, yee_pass};
const struct march_border wide_border = {wide_border_partition, create_tables, wide_box_ns, wide_pass};
const struct march_border tile_border = {tile_border_partition, create_tiles, unknown_ns, tiles_pass};
