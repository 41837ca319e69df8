/* The picture of what the solver will see: the medium at its nodes in the colours of its materials, as strong as it was
 * averaged, with the absorber, transmitters and receivers; and the report of areas and colours that goes with it.
 * Nothing is solved here. */
#include "discretize/setup.h"
#include "draw/colormap.h"
#include "draw/plot.h"
#include "medium/scanline.h"
#include "plan/picture/picture_match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAP_WIDTH = 1400, /* pixels at most: a smaller raster is enlarged, a larger one averaged, by whole factors */
    MAP_HEIGHT = 1000,
    MAP_LEAST = 240,
    COLOURS_LISTED = 12, /* of those that are not in the legend */
    NAMES_LIMIT = 40,    /* receivers; beyond that their names would hide the plan */
    KEY_WIDTH = 350,
    MARGIN_LEFT = 76,
    MARGIN_TOP = 56,
    MARGIN_BOTTOM = 104,
};

/* ---- colours ---- */

/* The colour of the legend; without one the colour that floorplans/README.md uses for the material, else one of eight.
 */
static uint32_t material_colour(const struct floorplan *plan, int m)
{
    static const struct {
        const char *name;
        uint32_t colour;
    } usual[] = {{"air", 0xffffff},    {"concrete", 0x404040}, {"brick", 0xb5523b}, {"plasterboard", 0xc9b79c},
                 {"glass", 0x3b9ed8},  {"wood", 0x8a5a2b},     {"metal", 0x8fa3ad}, {"chipboard", 0xe0a94a},
                 {"marble", 0xa8a0b8}, {"plywood", 0xb98a55}};
    if (plan->colours[m] != COLOUR_UNKNOWN && m > 0) {
        return plan->colours[m];
    }
    for (size_t n = 0; n < sizeof usual / sizeof *usual; n++) {
        if (strcmp(plan->materials[m].name, usual[n].name) == 0) {
            return usual[n].colour;
        }
    }
    struct colour colour = colormap_category(m);
    return (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
}

struct canvas {
    const struct setup *setup;
    const uint32_t *colours;  /* (material_count) */
    int columns, rows, block; /* block: nodes a side of one pixel */
    float *sum;               /* (columns, 4): red, green, blue, nodes of a row of pixels */
    uint8_t *rgb;             /* (rows, columns, 3), row 0 at the bottom */
};

/* The densest dielectric on a lattice of `side` by `side` points within a cell and a half of node (i, j); 0 when there
 * is none. */
static int densest_near(const struct setup *setup, int i, int j, int side)
{
    const struct floorplan *plan = &setup->plan;
    const double cell = setup->problem.axis[0].spacing;
    int best = 0;
    double strongest = 0;
    for (int n = 0; n < side * side; n++) {
        double x = setup->origin.x + cell * (i + 3 * ((n % side + 0.5) / side - 0.5));
        double y = setup->origin.y + cell * (j + 3 * ((n / side + 0.5) / side - 0.5));
        int m = floorplan_material_at(plan, x, y);
        const struct material *material = &plan->materials[m];
        double strength = fabs(material->relative_permittivity - 1) + material->conductivity;
        if (!material->perfect_conductor && strength > strongest) {
            strongest = strength;
            best = m;
        }
    }
    return best;
}

/* The material that was averaged into node (i, j); finer lattices find walls that are thinner than a cell. */
static int node_material(const struct setup *setup, int i, int j)
{
    int material = 0;
    for (int side = 3; side <= 27 && material == 0; side *= 3) {
        material = densest_near(setup, i, j, side);
    }
    return material;
}

/* White towards the material's colour as far as the permittivity went from 1 to the material's. */
static void node_colour(const struct canvas *canvas, int i, int j, const struct medium_entry *entry, float rgb[3])
{
    const struct floorplan *plan = &canvas->setup->plan;
    uint32_t colour = 0xffffff;
    double share = 1;
    if (entry->perfect_conductor) {
        for (int m = 0; m < plan->material_count; m++) {
            colour = plan->materials[m].perfect_conductor ? canvas->colours[m] : colour;
        }
    } else if (fabs(entry->relative_permittivity - 1) > 1e-3 || entry->conductivity > 0) {
        int m = node_material(canvas->setup, i, j);
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
    const struct medium *medium = &canvas->setup->medium;
    memset(canvas->sum, 0, (size_t)canvas->columns * 4 * sizeof *canvas->sum);
    for (int j = row * canvas->block; j < (row + 1) * canvas->block && j < medium->ny; j++) {
        const uint16_t *index = medium->index + (size_t)j * (size_t)medium->nx;
        for (int i = 0; i < medium->nx; i++) {
            float rgb[3] = {255, 255, 255}, *sum = canvas->sum + (ptrdiff_t)(i / canvas->block) * 4;
            if (index[i] != 0) {
                node_colour(canvas, i, j, &medium->palette[index[i]], rgb);
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

static pw_status canvas_create(const struct setup *setup, const uint32_t *colours, struct canvas *canvas,
                               pw_error *error)
{
    const struct medium *medium = &setup->medium;
    *canvas = (struct canvas){.setup = setup, .colours = colours};
    int across = (medium->nx + MAP_WIDTH - 1) / MAP_WIDTH, upwards = (medium->ny + MAP_HEIGHT - 1) / MAP_HEIGHT;
    canvas->block = across > upwards ? across : upwards;
    canvas->columns = (medium->nx + canvas->block - 1) / canvas->block;
    canvas->rows = (medium->ny + canvas->block - 1) / canvas->block;
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

/* ---- areas ---- */

/* Area of every material inside the plan [m^2], areas (material_count). */
static pw_status plan_areas(const struct setup *setup, double *areas, pw_error *error)
{
    const struct floorplan *plan = &setup->plan;
    const double cell = setup->problem.axis[0].spacing;
    struct run_list list;
    double *borders = NULL;
    int count = 0;
    TRY(run_list_create(plan, &list, error));
    const struct slab_rows rows = {0, cell, 0, (int)ceil(plan->height / cell) + 1, 4};
    pw_status status = scanline_slabs(plan, &rows, &borders, &count, error);
    for (int slab = 1; status == PW_OK && slab < count; slab++) {
        double bottom = borders[slab - 1] * cell, top = borders[slab] * cell;
        if (bottom > plan->height - 1e-9) {
            break;
        }
        scanline_runs(plan, bottom, top, &list);
        for (int r = 0; r < list.count; r++) {
            double from = r > 0 ? list.runs[r].start : 0;
            double to = r + 1 < list.count ? list.runs[r + 1].start : plan->width;
            areas[list.runs[r].material] += (fmin(to, plan->width) - from) * (fmin(top, plan->height) - bottom);
        }
    }
    free(borders);
    run_list_free(&list);
    return status;
}

/* ---- report ---- */

static void report_medium(const struct setup *setup, FILE *report)
{
    const struct medium *medium = &setup->medium;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int e = 0; e < medium->palette_count; e++) {
        double value[2] = {medium->palette[e].relative_permittivity, medium->palette[e].conductivity};
        for (int q = 0; q < 2; q++) {
            low[q] = fmin(low[q], value[q]);
            high[q] = fmax(high[q], value[q]);
        }
    }
    fprintf(report, "grid     %d x %d nodes of %g m, absorber of %d cells included\n", medium->nx, medium->ny,
            setup->problem.axis[0].spacing, problem_layer(&setup->problem));
    fprintf(report,
            "medium   %s averaging: %d %s, relative permittivity %.4g to %.4g, conductivity %.3g to %.3g "
            "S/m\n",
            averaging_rule(setup->scenario->grid.averaging)->name, medium->palette_count,
            medium->palette_count == 1 ? "value" : "different values", low[0], high[0], low[1], high[1]);
    if (medium->quantisation_error > 0) {
        fprintf(report, "palette  joined: permittivities are within %.2g of what was averaged\n",
                medium->quantisation_error);
    }
}

/* What became of colours that the legend does not have. */
static void report_colours(const struct setup *setup, FILE *report)
{
    const struct floorplan *plan = &setup->plan;
    double pixels = (double)plan->pixel_columns * plan->pixel_rows;
    if (plan->inexact.pixels == 0) {
        fprintf(report, "\ncolours  every pixel has a colour of the legend");
        return;
    }
    char list[2400];
    colour_tally_describe(&plan->inexact, &setup->scenario->plan, pixels, COLOURS_LISTED, list, sizeof list);
    fprintf(
        report,
        "\ncolours  %lld pixels (%.3g %%) are not in the legend: %zu were divided between the two materials that meet "
        "there,\n         the others took the nearest entry (tolerance %d):\n%s",
        (long long)plan->inexact.pixels, 100 * (double)plan->inexact.pixels / pixels, plan->mixed.count,
        setup->scenario->plan.tolerance, list);
}

static pw_status report_write(const struct setup *setup, const double *areas, FILE *report, pw_error *error)
{
    const struct floorplan *plan = &setup->plan;
    fprintf(report, "plan     %g x %g m", plan->width, plan->height);
    if (plan->pixels != NULL) {
        fprintf(report, ", %d x %d pixels of %g m", plan->pixel_columns, plan->pixel_rows, plan->pixel);
        report_colours(setup, report);
    }
    fprintf(report, "\n");
    report_medium(setup, report);
    fprintf(report, "\n%-32s %8s %12s %12s %8s\n", "material", "eps_r", "sigma [S/m]", "area [m2]", "share");
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        double share = 100 * areas[m] / (plan->width * plan->height);
        if (material->perfect_conductor) {
            fprintf(report, "%-32s %21s %12.4f %6.2f %%\n", material->name, "perfect conductor", areas[m], share);
        } else {
            fprintf(report, "%-32s %8.4g %12.4g %12.4f %6.2f %%\n", material->name, material->relative_permittivity,
                    material->conductivity, areas[m], share);
        }
    }
    return ferror(report) ? fail(error, PW_NO_RESOURCE, "cannot write the report of the plan") : PW_OK;
}

/* ---- drawing ---- */

struct extent {
    double left, right, bottom, top; /* m, half a cell around the nodes */
};

/* A length of 1, 2 or 5 times a power of ten near `wanted` [m]. */
static double round_length(double wanted)
{
    double decade = pow(10, floor(log10(wanted)));
    double digit = wanted / decade;
    return decade * (digit >= 5 ? 5 : (digit >= 2 ? 2 : 1));
}

static void draw_frame(struct plot *plot, const struct setup *setup, const struct extent *extent, int width, int height)
{
    double canvas_width = MARGIN_LEFT + width + KEY_WIDTH, canvas_height = MARGIN_TOP + height + MARGIN_BOTTOM;
    plot_send(plot, "set lmargin at screen %g\nset rmargin at screen %g\n", MARGIN_LEFT / canvas_width,
              (MARGIN_LEFT + width) / canvas_width);
    plot_send(plot, "set bmargin at screen %g\nset tmargin at screen %g\n", MARGIN_BOTTOM / canvas_height,
              (MARGIN_BOTTOM + height) / canvas_height);
    plot_send(plot, "set xrange [%.12g:%.12g]\nset yrange [%.12g:%.12g]\n", extent->left, extent->right, extent->bottom,
              extent->top);
    const char *title = setup->scenario->title;
    plot_send(plot, "set title %s font ',14' offset 0,-0.3\n",
              plot_quote(plot, title != NULL && title[0] != '\0' ? title : "Floor plan"));
    plot_send(plot, "set xlabel 'x [m]' offset 0,0.4\nset ylabel 'y [m]' offset 0.8,0\n");
    plot_send(plot, "set border lw 1 lc rgb '#606060'\nset tics out nomirror scale 0.6 textcolor rgb '#303030'\n");
    plot_send(plot,
              "set key at screen %g, screen %g left top Left reverse samplen 1.6 spacing 1.5 width 0 "
              "font ',11' maxrows 40\n",
              (MARGIN_LEFT + width + 12.0) / canvas_width, (MARGIN_BOTTOM + height + 6.0) / canvas_height);
    plot_send(plot, "set style textbox opaque noborder margins 0.4,0.4 fillcolor rgb '#40ffffff'\n");
    double bar = round_length((extent->right - extent->left) / 5), end = extent->right;
    double y = -62.0 / height;
    plot_send(plot,
              "set arrow from first %.12g, graph %g to first %.12g, graph %g heads size screen 0.005,90 lw 2.5 "
              "lc rgb '#303030' front\n",
              end - bar, y, end, y);
    plot_send(plot, "set label '%g m' at first %.12g, graph %g center textcolor rgb '#303030' front\n", bar,
              end - bar / 2, y - 18.0 / height);
}

static void draw_absorber(struct plot *plot, const struct setup *setup, const struct extent *extent)
{
    double width = setup->plan.width, height = setup->plan.height;
    if (problem_layer(&setup->problem) == 0) {
        return;
    }
    const double sides[4][4] = {{extent->left, extent->bottom, extent->right, 0},
                                {extent->left, height, extent->right, extent->top},
                                {extent->left, 0, 0, height},
                                {width, 0, extent->right, height}};
    for (int s = 0; s < 4; s++) {
        plot_send(plot,
                  "set object rectangle from %.12g,%.12g to %.12g,%.12g front fillcolor rgb '#80a8b4c8' "
                  "fillstyle solid noborder\n",
                  sides[s][0], sides[s][1], sides[s][2], sides[s][3]);
    }
    plot_send(plot,
              "set object rectangle from 0,0 to %.12g,%.12g front fillstyle empty border lc rgb '#6070a0' "
              "dashtype 2 lw 1\n",
              width, height);
}

static void draw_name(struct plot *plot, const char *name, struct point at, const char *colour)
{
    plot_send(plot,
              "set label %s at %.12g,%.12g left offset character 0.9,0.5 boxed textcolor rgb '%s' font ',10' front\n",
              plot_quote(plot, name), at.x, at.y, colour);
}

static void draw_terminals(struct plot *plot, const struct scenario *scenario)
{
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[t];
        draw_name(plot, transmitter->name, transmitter->at, "#b00020");
        if (transmitter->to.x != transmitter->at.x || transmitter->to.y != transmitter->at.y) {
            plot_send(plot, "set arrow from %.12g,%.12g to %.12g,%.12g nohead lw 3 lc rgb '#b00020' front\n",
                      transmitter->at.x, transmitter->at.y, transmitter->to.x, transmitter->to.y);
        }
    }
    for (int r = 0; r < scenario->receiver_count && scenario->receiver_count <= NAMES_LIMIT; r++) {
        draw_name(plot, scenario->receivers[r].name, scenario->receivers[r].at, "#104090");
    }
}

/* Positions (count, 2) as a data file. */
static const char *points_data(struct plot *plot, const struct scenario *scenario, bool transmitters)
{
    int count = transmitters ? scenario->transmitter_count : scenario->receiver_count;
    double *points = calloc(2 * (size_t)count + 1, sizeof *points);
    for (int n = 0; n < count && points != NULL; n++) {
        struct point at = transmitters ? scenario->transmitters[n].at : scenario->receivers[n].at;
        points[2 * n] = at.x;
        points[2 * n + 1] = at.y;
    }
    const char *name = plot_data(plot, points, points != NULL ? 2 * (size_t)count * sizeof *points : 0);
    free(points);
    return name;
}

static void material_title(const struct material *material, char *title, size_t size)
{
    if (material->perfect_conductor) {
        snprintf(title, size, "%s (perfect conductor)", material->name);
    } else if (strncmp(material->name, "eps_r ", 6) == 0) { /* own values without a name */
        snprintf(title, size, "εᵣ %.4g, σ %.2g S/m", material->relative_permittivity, material->conductivity);
    } else {
        snprintf(title, size, "%s  εᵣ %.4g, σ %.2g S/m", material->name, material->relative_permittivity,
                 material->conductivity);
    }
}

/* Points that cannot be seen carry the entries of the key. */
static void draw_key(struct plot *plot, const struct setup *setup, const uint32_t *colours, const double *areas)
{
    const char *const swatch = "with points pointtype 5 pointsize 2.2";
    char title[160];
    for (int m = 1; m < setup->plan.material_count; m++) {
        if (areas[m] > 0) {
            material_title(&setup->plan.materials[m], title, sizeof title);
            plot_send(plot, ", \\\n  NaN %s linecolor rgb '#%06x' title %s", swatch, (unsigned)colours[m],
                      plot_quote(plot, title));
        }
    }
    if (problem_layer(&setup->problem) > 0) {
        plot_send(plot, ", \\\n  NaN %s linecolor rgb '#80a8b4c8' title 'absorber, %d cells'", swatch,
                  problem_layer(&setup->problem));
    }
}

static void draw_map(struct plot *plot, const struct setup *setup, const struct canvas *canvas, const double *areas)
{
    const struct scenario *scenario = setup->scenario;
    double pitch = setup->problem.axis[0].spacing * canvas->block;
    double x0 = setup->origin.x + 0.5 * (canvas->block - 1) * setup->problem.axis[0].spacing;
    double y0 = setup->origin.y + 0.5 * (canvas->block - 1) * setup->problem.axis[0].spacing;
    const char *map = plot_data(plot, canvas->rgb, (size_t)canvas->columns * (size_t)canvas->rows * 3);
    plot_send(plot,
              "plot %s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
              "with rgbimage notitle",
              map, canvas->columns, canvas->rows, x0, y0, pitch, pitch);
    draw_key(plot, setup, canvas->colours, areas);
    plot_send(plot,
              ", \\\n  %s binary record=(%d) format='%%float64%%float64' using 1:2 with points pointtype 9 "
              "pointsize 2.2 linecolor rgb '#b00020' title 'transmitter'",
              points_data(plot, scenario, true), scenario->transmitter_count);
    if (scenario->receiver_count > 0) {
        plot_send(plot,
                  ", \\\n  %s binary record=(%d) format='%%float64%%float64' using 1:2 with points pointtype 7 "
                  "pointsize 1.3 linecolor rgb '#104090' title 'receiver'",
                  points_data(plot, scenario, false), scenario->receiver_count);
    }
    plot_send(plot, "\n");
}

static pw_status picture_write(const struct setup *setup, const char *path, const struct canvas *canvas,
                               const double *areas, pw_error *error)
{
    const double cell = setup->problem.axis[0].spacing;
    struct extent extent = {setup->origin.x - 0.5 * cell, setup->origin.x + (setup->problem.axis[0].count - 0.5) * cell,
                            setup->origin.y - 0.5 * cell,
                            setup->origin.y + (setup->problem.axis[1].count - 0.5) * cell};
    int across = MAP_WIDTH / canvas->columns, upwards = MAP_HEIGHT / canvas->rows;
    int scale = across < upwards ? across : upwards;
    /* A little more than a pixel for a node: gnuplot then repeats one here and there, but never drops a thin wall. */
    int width = scale * canvas->columns + 4, height = scale * canvas->rows + 4;
    width = width > MAP_LEAST ? width : MAP_LEAST;
    height = height > MAP_LEAST ? height : MAP_LEAST;
    struct plot *plot = NULL;
    TRY(plot_open(path, MARGIN_LEFT + width + KEY_WIDTH, MARGIN_TOP + height + MARGIN_BOTTOM, &plot, error));
    draw_frame(plot, setup, &extent, width, height);
    draw_absorber(plot, setup, &extent);
    draw_terminals(plot, setup->scenario);
    draw_map(plot, setup, canvas, areas);
    return plot_finish(plot, error);
}

pw_status pw_rasterize_picture(const pw_setup *setup, const char *png_path, FILE *report, pw_error *error)
{
    if (setup == NULL || png_path == NULL) {
        return fail(error, PW_USAGE, "pw_rasterize_picture: setup and png_path must not be NULL");
    }
    const struct floorplan *plan = &setup->plan;
    size_t count = (size_t)plan->material_count;
    double *areas = allocate(count, sizeof *areas, "areas of the plan", error);
    uint32_t *colours = allocate(count, sizeof *colours, "colours of the plan", error);
    struct canvas canvas = {0};
    pw_status status = areas != NULL && colours != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        for (int m = 0; m < plan->material_count; m++) {
            colours[m] = material_colour(plan, m);
        }
        status = plan_areas(setup, areas, error);
    }
    status = status != PW_OK ? status : canvas_create(setup, colours, &canvas, error);
    status = status != PW_OK ? status : picture_write(setup, png_path, &canvas, areas, error);
    if (status == PW_OK && report != NULL) {
        status = report_write(setup, areas, report, error);
    }
    free(canvas.rgb);
    free(colours);
    free(areas);
    return status;
}
