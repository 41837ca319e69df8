/* The picture of what the solver will see on a plane (plane_picture.h): the medium at its nodes in the colours of its
 * materials, as strong as it was averaged, with the absorber, transmitters and receivers. */
#include "discretize/picture/plane_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAP_WIDTH = 1400, /* pixels at most: a smaller raster is enlarged, a larger one averaged, by whole factors */
    MAP_HEIGHT = 1000,
    MAP_LEAST = 240,
    MARGIN_LEFT = 76,
    MARGIN_TOP = 56,
    MARGIN_BOTTOM = 104,
};

/* ---- the plane ---- */

/* m along an axis: of its node 0, where Ez stands. */
static double axis_origin(const struct setup *setup, int axis)
{
    if (axis == 2) {
        return setup->origin_z + 0.5 * setup->problem.axis[2].spacing;
    }
    return axis == 0 ? setup->origin.x : setup->origin.y;
}

/* The inside of the absorber, m along an axis. */
static void axis_inside(const struct setup *setup, int axis, double *low, double *high)
{
    *low = axis == 2 ? setup->building.low : 0;
    *high = axis == 2 ? setup->building.high : axis == 0 ? setup->plan.width : setup->plan.height;
}

pw_status plane_find(const struct setup *setup, int normal, double position, struct plane *plane, pw_error *error)
{
    const double cell = setup->problem.axis[0].spacing;
    *plane = (struct plane){.normal = normal, .column_axis = normal == 0 ? 1 : 0, .row_axis = normal == 2 ? 1 : 2};
    double low, high;
    axis_inside(setup, normal, &low, &high);
    FAIL_IF(!(position >= low && position <= high), error, PW_BAD_INPUT,
            "%c = %g m lies outside the building; allowed is %g m to %g m", "xyz"[normal], position, low, high);
    double node = round((position - axis_origin(setup, normal)) / cell);
    plane->node = (int)fmin(fmax(node, 0), setup->problem.axis[normal].count - 1);
    plane->position = axis_origin(setup, normal) + plane->node * cell;
    plane->asked = position;
    return PW_OK;
}

/* Node (i, j, k) of a place on the plane. */
static void plane_node(const struct plane *plane, int column, int row, int node[3])
{
    node[plane->normal] = plane->node;
    node[plane->column_axis] = column;
    node[plane->row_axis] = row;
}

static const struct medium_entry *plane_entry(const struct setup *setup, const struct plane *plane, int column, int row)
{
    int n[3];
    plane_node(plane, column, row, n);
    const uint16_t index = setup_level(setup, 2, n[2])[(size_t)n[1] * (size_t)setup->medium.nx + (size_t)n[0]];
    return index != 0 ? &setup->medium.palette[index] : NULL;
}

/* ---- colours ---- */

struct canvas {
    const struct setup *setup;
    const struct plane *plane;
    const struct floorplan *plan; /* that has the materials */
    const uint32_t *colours;      /* (material_count) */
    int nodes[2];                 /* along columns and rows */
    int columns, rows, block;     /* block: nodes a side of one pixel */
    float *sum;                   /* (columns, 4): red, green, blue, nodes of a row of pixels */
    uint8_t *rgb;                 /* (rows, columns, 3), row 0 at the bottom */
};

/* What is at a place, m. */
static int material_near(const struct canvas *canvas, const double place[3])
{
    return building_material_at(&canvas->setup->building, place[0], place[1], place[2]);
}

/* The densest dielectric on a lattice of `side` by `side` points within a cell and a half of a node on the plane, in
 * three dimensions on three such lattices a cell apart; 0 when there is none. */
static int densest_near(const struct canvas *canvas, int column, int row, int side)
{
    const struct plane *plane = canvas->plane;
    const double cell = canvas->setup->problem.axis[0].spacing;
    int best = 0, sheets = canvas->setup->problem.axis[2].count > 1 ? 3 : 1;
    double strongest = 0, place[3] = {0};
    for (int n = 0; n < sheets * side * side; n++) {
        int sheet = n / (side * side), at = n % (side * side);
        place[plane->column_axis] =
            axis_origin(canvas->setup, plane->column_axis) + cell * (column + 3 * ((at % side + 0.5) / side - 0.5));
        place[plane->row_axis] =
            axis_origin(canvas->setup, plane->row_axis) + cell * (row + 3 * ((at / side + 0.5) / side - 0.5));
        place[plane->normal] = plane->position + (sheet - sheets / 2) * cell;
        int m = material_near(canvas, place);
        const struct material *material = &canvas->plan->materials[m];
        double strength = fabs(material->relative_permittivity - 1) + material->conductivity;
        if (!material->perfect_conductor && strength > strongest) {
            strongest = strength;
            best = m;
        }
    }
    return best;
}

/* The material that was averaged into a node; finer lattices find walls that are thinner than a cell. */
static int node_material(const struct canvas *canvas, int column, int row)
{
    int material = 0;
    for (int side = 3; side <= 27 && material == 0; side *= 3) {
        material = densest_near(canvas, column, row, side);
    }
    return material;
}

/* White towards the material's colour as far as the permittivity went from 1 to the material's. */
static void node_colour(const struct canvas *canvas, int i, int j, const struct medium_entry *entry, float rgb[3])
{
    const struct floorplan *plan = canvas->plan;
    uint32_t colour = 0xffffff;
    double share = 1;
    if (entry->perfect_conductor) {
        for (int m = 0; m < plan->material_count; m++) {
            colour = plan->materials[m].perfect_conductor ? canvas->colours[m] : colour;
        }
    } else if (fabs(entry->relative_permittivity - 1) > 1e-3 || entry->conductivity > 0) {
        int m = node_material(canvas, i, j);
        double full = plan->materials[m].relative_permittivity - 1;
        colour = canvas->colours[m];
        share = fabs(full) > 1e-9 ? fmin(fmax((entry->relative_permittivity - 1) / full, 0), 1) : m > 0;
    }
    for (int c = 0; c < 3; c++) {
        float value = (float)(colour >> (16 - 8 * c) & 255);
        rgb[c] = 255 + (value - 255) * (float)share;
    }
}

static void canvas_row(struct canvas *canvas, int row)
{
    memset(canvas->sum, 0, (size_t)canvas->columns * 4 * sizeof *canvas->sum);
    for (int j = row * canvas->block; j < (row + 1) * canvas->block && j < canvas->nodes[1]; j++) {
        for (int i = 0; i < canvas->nodes[0]; i++) {
            const struct medium_entry *entry = plane_entry(canvas->setup, canvas->plane, i, j);
            float rgb[3] = {255, 255, 255}, *sum = canvas->sum + (ptrdiff_t)(i / canvas->block) * 4;
            if (entry != NULL) {
                node_colour(canvas, i, j, entry, rgb);
            }
            for (int c = 0; c < 3; c++) {
                sum[c] += rgb[c];
            }
            sum[3] += 1;
        }
    }
    uint8_t *out = canvas->rgb + (size_t)row * (size_t)canvas->columns * 3;
    for (int n = 0; n < 3 * canvas->columns; n++) {
        const float *sum = canvas->sum + (ptrdiff_t)(n / 3) * 4;
        out[n] = (uint8_t)lrintf(sum[n % 3] / sum[3]);
    }
}

/* `canvas` has set-up, plane, plan and colours. */
static pw_status canvas_fill(struct canvas *canvas, pw_error *error)
{
    const struct problem *problem = &canvas->setup->problem;
    canvas->nodes[0] = problem->axis[canvas->plane->column_axis].count;
    canvas->nodes[1] = problem->axis[canvas->plane->row_axis].count;
    int across = (canvas->nodes[0] + MAP_WIDTH - 1) / MAP_WIDTH,
        upwards = (canvas->nodes[1] + MAP_HEIGHT - 1) / MAP_HEIGHT;
    canvas->block = across > upwards ? across : upwards;
    canvas->columns = (canvas->nodes[0] + canvas->block - 1) / canvas->block;
    canvas->rows = (canvas->nodes[1] + canvas->block - 1) / canvas->block;
    canvas->sum = allocate((size_t)canvas->columns * 4, sizeof *canvas->sum, "the picture", error);
    canvas->rgb = allocate((size_t)canvas->columns * (size_t)canvas->rows, 3, "the picture", error);
    if (canvas->sum == NULL || canvas->rgb == NULL) {
        free(canvas->sum);
        return PW_NO_RESOURCE;
    }
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row(canvas, row);
    }
    free(canvas->sum);
    canvas->sum = NULL;
    return PW_OK;
}

/* ---- drawing ---- */

struct extent {
    double left, right, bottom, top; /* m, half a cell around the nodes */
};

/* What is drawn: the scenario's title, and where the plane lies. */
static void draw_title(struct plot *plot, const struct setup *setup, const struct plane *plane, int width)
{
    const char *title = setup->scenario->title;
    char text[1200];
    int length = snprintf(text, sizeof text, "%s", title != NULL && title[0] != '\0' ? title : "Floor plan");
    if (setup_is_3d(setup) && length >= 0 && (size_t)length < sizeof text) {
        snprintf(text + length, sizeof text - (size_t)length, ", %s %.4g m",
                 plane->normal == 2   ? "height"
                 : plane->normal == 1 ? "cut at y ="
                                      : "cut at x =",
                 plane->asked);
    }
    pw_plot_send(plot, "set title %s font ',14' offset 0,-0.3\n",
                 pw_plot_quote_within(plot, text, 14.0, width + 2.0 * MARGIN_LEFT));
}

static void draw_frame(struct plot *plot, const struct plane *plane, const struct extent *extent, int width, int height)
{
    double canvas_width = MARGIN_LEFT + width + KEY_WIDTH, canvas_height = MARGIN_TOP + height + MARGIN_BOTTOM;
    pw_plot_send(plot, "set lmargin at screen %g\nset rmargin at screen %g\n", MARGIN_LEFT / canvas_width,
                 (MARGIN_LEFT + width) / canvas_width);
    pw_plot_send(plot, "set bmargin at screen %g\nset tmargin at screen %g\n", MARGIN_BOTTOM / canvas_height,
                 (MARGIN_BOTTOM + height) / canvas_height);
    pw_plot_send(plot, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", extent->left, extent->right,
                 extent->bottom, extent->top);
    pw_plot_send(plot, "set xlabel '%c [m]' offset 0,0.4\nset ylabel '%c [m]' offset 0.8,0\n",
                 "xyz"[plane->column_axis], "xyz"[plane->row_axis]);
    pw_plot_send(plot, "set border lw 1 lc rgb '#606060'\nset tics out nomirror scale 0.6 textcolor rgb '#303030'\n");
    pw_plot_send(plot,
                 "set key at screen %g, screen %g left top Left reverse samplen 1.6 spacing 1.5 width 0 "
                 "font ',11' maxrows 40\n",
                 (MARGIN_LEFT + width + 12.0) / canvas_width, (MARGIN_BOTTOM + height + 6.0) / canvas_height);
    pw_plot_send(plot, "set style textbox opaque noborder margins 0.4,0.4 fillcolor rgb '#40ffffff'\n");
    double bar = round_length((extent->right - extent->left) / 5), end = extent->right;
    double y = -62.0 / height;
    pw_plot_send(plot,
                 "set arrow from first %.12g, graph %g to first %.12g, graph %g heads size screen 0.005,90 lw 2.5 "
                 "lc rgb '#303030' front\n",
                 end - bar, y, end, y);
    pw_plot_send(plot, "set label '%g m' at first %.12g, graph %g center textcolor rgb '#303030' front\n", bar,
                 end - bar / 2, y - 18.0 / height);
}

static void draw_absorber(struct plot *plot, const struct setup *setup, const struct plane *plane,
                          const struct extent *extent)
{
    double left, right, bottom, top;
    if (setup->scenario->grid.absorber.cells == 0) {
        return;
    }
    axis_inside(setup, plane->column_axis, &left, &right);
    axis_inside(setup, plane->row_axis, &bottom, &top);
    const double sides[4][4] = {{extent->left, extent->bottom, extent->right, bottom},
                                {extent->left, top, extent->right, extent->top},
                                {extent->left, bottom, left, top},
                                {right, bottom, extent->right, top}};
    const int cells[4] = {
        setup_absorber_cells(setup, plane->row_axis, 0), setup_absorber_cells(setup, plane->row_axis, 1),
        setup_absorber_cells(setup, plane->column_axis, 0), setup_absorber_cells(setup, plane->column_axis, 1)};
    for (int s = 0; s < 4; s++) {
        if (cells[s] == 0) {
            continue;
        }
        pw_plot_send(plot,
                     "set object rectangle from %.12g,%.12g to %.12g,%.12g front fillcolor rgb '#80a8b4c8' "
                     "fillstyle solid noborder\n",
                     sides[s][0], sides[s][1], sides[s][2], sides[s][3]);
    }
    pw_plot_send(plot,
                 "set object rectangle from %.12g,%.12g to %.12g,%.12g front fillstyle empty border lc rgb '#6070a0' "
                 "dashtype 2 lw 1\n",
                 left, bottom, right, top);
}

/* What is thinner than a cell and a half is on few nodes or on none: a line, in the colour of its material. */
static pw_status draw_thin(struct plot *plot, const struct canvas *canvas, pw_error *error)
{
    const struct setup *setup = canvas->setup;
    const struct plane *plane = canvas->plane;
    pw_thin_line *lines = NULL;
    size_t count = 0;
    if (plane->normal == 2) {
        TRY(pw_scenario_thin_lines(setup->scenario, 1.5 * setup->problem.axis[0].spacing,
                                   setup_is_3d(setup) ? plane->position : (double)NAN, &lines, &count, error));
    }
    for (size_t n = 0; n < count; n++) {
        uint32_t colour = 0x404040;
        for (int m = 0; m < canvas->plan->material_count; m++) {
            colour = strcmp(canvas->plan->materials[m].name, lines[n].material) == 0 ? canvas->colours[m] : colour;
        }
        pw_plot_send(plot, "set arrow from first %.9g,%.9g to first %.9g,%.9g nohead lw 1.6 lc rgb '#%06x' front\n",
                     lines[n].x0, lines[n].y0, lines[n].x1, lines[n].y1, (unsigned)(colour & 0xffffff));
    }
    free(lines);
    return PW_OK;
}

/* Where something at (x, y, height) is seen on the plane. */
static struct point seen(const struct plane *plane, struct point at, double height)
{
    const double place[3] = {at.x, at.y, isnan(height) ? TERMINAL_HEIGHT : height};
    return (struct point){place[plane->column_axis], place[plane->row_axis]};
}

/* In a horizontal cut of several storeys there is only what stands in the storey that is cut; in a vertical one the
 * transmitters, and the receivers beside it. */
static bool stands_there(const struct setup *setup, const struct plane *plane, struct point at, double height,
                         bool transmitter)
{
    const struct plan_choice *plan = &setup->scenario->plan;
    const double beside = 1; /* m */
    if (!setup_is_3d(setup)) {
        return true;
    }
    return plane->normal == 2
               ? storey_at(plan, plane->asked) == storey_at(plan, isnan(height) ? TERMINAL_HEIGHT : height)
               : transmitter || fabs((plane->normal == 0 ? at.x : at.y) - plane->position) <= beside;
}

/* The name, and in a vertical cut the place along its normal of what does not stand in it. */
static void draw_name(struct plot *plot, const struct plane *plane, const char *name, struct point at, double height,
                      const char *colour)
{
    const double near = 0.15, along = plane->normal == 0 ? at.x : at.y; /* m */
    const struct point place = seen(plane, at, height);
    char text[NAME_SIZE + 32];
    snprintf(text, sizeof text, "%s", name);
    if (plane->normal != 2 && fabs(along - plane->position) > near) {
        snprintf(text, sizeof text, "%s, %c = %.2f m", name, "xy"[plane->normal], along);
    }
    pw_plot_send(
        plot, "set label %s at %.12g,%.12g left offset character 0.9,0.5 boxed textcolor rgb '%s' font ',10' front\n",
        pw_plot_quote(plot, text), place.x, place.y, colour);
}

static void draw_terminals(struct plot *plot, const struct setup *setup, const struct plane *plane)
{
    const struct scenario *scenario = setup->scenario;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[t];
        struct point at = seen(plane, transmitter->at, transmitter->height),
                     to = seen(plane, transmitter->to, transmitter->to_height);
        if (!stands_there(setup, plane, transmitter->at, transmitter->height, true)) {
            continue;
        }
        draw_name(plot, plane, transmitter->name, transmitter->at, transmitter->height, "#b00020");
        if (to.x != at.x || to.y != at.y) {
            pw_plot_send(plot, "set arrow from %.12g,%.12g to %.12g,%.12g nohead lw 3 lc rgb '#b00020' front\n", at.x,
                         at.y, to.x, to.y);
        }
    }
    for (int r = 0; r < scenario->receiver_count && scenario->receiver_count <= NAMES_LIMIT; r++) {
        const struct receiver_choice *receiver = &scenario->receivers[r];
        if (stands_there(setup, plane, receiver->at, receiver->height, false)) {
            draw_name(plot, plane, receiver->name, receiver->at, receiver->height, "#104090");
        }
    }
}

/* Positions (*count, 2) as a data file. */
static const char *points_data(struct plot *plot, const struct setup *setup, const struct plane *plane,
                               bool transmitters, int *count)
{
    const struct scenario *scenario = setup->scenario;
    int all = transmitters ? scenario->transmitter_count : scenario->receiver_count;
    double *points = calloc(2 * (size_t)all + 1, sizeof *points);
    *count = 0;
    for (int n = 0; n < all && points != NULL; n++) {
        struct point at = transmitters ? scenario->transmitters[n].at : scenario->receivers[n].at;
        double height = transmitters ? scenario->transmitters[n].height : scenario->receivers[n].height;
        struct point place = seen(plane, at, height);
        if (stands_there(setup, plane, at, height, transmitters)) {
            points[2 * *count] = place.x;
            points[2 * *count + 1] = place.y;
            ++*count;
        }
    }
    const char *name = pw_plot_data(plot, points, 2 * (size_t)*count * sizeof *points);
    free(points);
    return name;
}

/* The marks of transmitters or receivers, behind a plot command. */
static void draw_marks(struct plot *plot, const struct setup *setup, const struct plane *plane, bool transmitters)
{
    int count;
    const char *data = points_data(plot, setup, plane, transmitters, &count);
    if (count > 0) {
        pw_plot_send(plot,
                     ", \\\n  %s binary record=(%d) format='%%float64%%float64' using 1:2 with points pointtype %d "
                     "pointsize %g linecolor rgb '%s' title '%s'",
                     data, count, transmitters ? 9 : 7, transmitters ? 2.2 : 1.3, transmitters ? "#b00020" : "#104090",
                     transmitters ? "transmitter" : "receiver");
    }
}

static void draw_map(struct plot *plot, const struct canvas *canvas, const struct extent *extent, const double *amounts)
{
    const struct setup *setup = canvas->setup;
    const double cell = setup->problem.axis[0].spacing;
    double pitch = cell * canvas->block, middle = 0.5 * cell + 0.5 * (canvas->block - 1) * cell;
    const char *map = pw_plot_data(plot, canvas->rgb, (size_t)canvas->columns * (size_t)canvas->rows * 3);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
                 "with rgbimage notitle",
                 map, canvas->columns, canvas->rows, extent->left + middle, extent->bottom + middle, pitch, pitch);
    draw_swatches(plot, canvas->plan, amounts);
    if (setup->scenario->grid.absorber.cells > 0) {
        pw_plot_send(plot, ", \\\n  NaN " SWATCH " linecolor rgb '#80a8b4c8' title 'absorber, %d cells'",
                     setup->scenario->grid.absorber.cells);
    }
    draw_marks(plot, setup, canvas->plane, true);
    draw_marks(plot, setup, canvas->plane, false);
    pw_plot_send(plot, "\n");
}

static pw_status picture_write(const struct canvas *canvas, const char *path, const double *amounts, pw_error *error)
{
    const struct setup *setup = canvas->setup;
    const struct plane *plane = canvas->plane;
    const double cell = setup->problem.axis[0].spacing, left = axis_origin(setup, plane->column_axis) - 0.5 * cell,
                 bottom = axis_origin(setup, plane->row_axis) - 0.5 * cell;
    struct extent extent = {left, left + canvas->nodes[0] * cell, bottom, bottom + canvas->nodes[1] * cell};
    int across = MAP_WIDTH / canvas->columns, upwards = MAP_HEIGHT / canvas->rows;
    int scale = across < upwards ? across : upwards;
    /* A little more than a pixel for a node: gnuplot then repeats one here and there, but never drops a thin wall. */
    int width = scale * canvas->columns + 4, height = scale * canvas->rows + 4;
    width = width > MAP_LEAST ? width : MAP_LEAST;
    height = height > MAP_LEAST ? height : MAP_LEAST;
    struct plot *plot = NULL;
    TRY(pw_plot_open(path, MARGIN_LEFT + width + KEY_WIDTH, MARGIN_TOP + height + MARGIN_BOTTOM, &plot, error));
    draw_title(plot, setup, plane, width);
    draw_frame(plot, plane, &extent, width, height);
    draw_absorber(plot, setup, plane, &extent);
    pw_status status = draw_thin(plot, canvas, error);
    draw_terminals(plot, setup, plane);
    draw_map(plot, canvas, &extent, amounts);
    pw_status finished = pw_plot_finish(plot, error);
    return status != PW_OK ? status : finished;
}

pw_status plane_picture_write(const struct setup *setup, const struct plane *plane, const uint32_t *colours,
                              const double *amounts, const char *path, pw_error *error)
{
    const struct floorplan *plan = &setup->building.bands[0];
    struct canvas canvas = {.setup = setup, .plane = plane, .plan = plan, .colours = colours};
    pw_status status = canvas_fill(&canvas, error);
    THEN(status, picture_write(&canvas, path, amounts, error));
    free(canvas.rgb);
    return status;
}
