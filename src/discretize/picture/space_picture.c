/* The picture of a building in three dimensions (space_picture.h): a panel for each storey, side by side, each with its
 * rulers and with what sends and receives in it. */
#include "discretize/picture/space_picture.h"

#include "discretize/picture/space_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANELS_MOST = 12,
    WIDTH_MOST = 1400, /* pixels, of all panels */
    HEIGHT_MOST = 1000,
    SIDE = 64,  /* pixels beside a panel, for rulers */
    UNDER = 46, /* and under it */
    OVER = 30,  /* and over it, for its name */
    TITLE = 46,
    RULER = 9,     /* pixels between the plan and a ruler */
    TICK = 7,      /* pixels, of a tick */
    LABEL_GAP = 9, /* pixels between a tick and its number */
    KEY_ROW = 27,  /* pixels of an entry of the key */
};
static const double FINEST = 0.002, PITCH = 0.5; /* m; squares of a solid in pixels of the picture */

/* One storey and where it stands in the picture. */
struct panel {
    const char *name;
    double low, floor, high;  /* m, as in struct solid */
    struct solid solid;       /* owned */
    struct space_image image; /* owned */
    double left, bottom;      /* m on the canvas: added to u and v */
};

struct board {
    const struct setup *setup;
    struct projection projection;
    double width, height;            /* m, of the plan */
    struct panel *panels;            /* (count), owned */
    int count, across, down;         /* panels, beside and under each other */
    double pixel;                    /* m */
    double span_u, span_v;           /* m: a panel without its margins, the highest storey's */
    double low_u, low_v;             /* m: u and v of the lower left corner of that */
    int canvas_width, canvas_height; /* pixels, without the key */
};

/* ---- layout ---- */

static void panels_list(struct board *board)
{
    const struct plan_choice *plan = &board->setup->scenario->plan;
    double highest = 0;
    for (int s = 0; s < board->count; s++) {
        double floor = storey_floor(plan, s), slab = plan->storeys[s].floor.thickness;
        board->panels[s] =
            (struct panel){plan->storeys[s].name, floor - slab, floor, floor + plan->storeys[s].height, .bottom = 0};
        highest = fmax(highest, slab + plan->storeys[s].height);
    }
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int n = 0; n < 8; n++) {
        struct point p =
            project(&board->projection, n & 1 ? board->width : 0, n & 2 ? board->height : 0, n & 4 ? highest : 0);
        low = (struct point){fmin(low.x, p.x), fmin(low.y, p.y)};
        high = (struct point){fmax(high.x, p.x), fmax(high.y, p.y)};
    }
    board->low_u = low.x, board->low_v = low.y;
    board->span_u = high.x - low.x, board->span_v = high.y - low.y;
}

/* The number of panels beside each other that makes them largest. */
static void board_arrange(struct board *board)
{
    board->pixel = INFINITY;
    for (int across = 1; across <= board->count; across++) {
        int down = (board->count + across - 1) / across;
        double pixel = fmax(board->span_u * across / (WIDTH_MOST - 2.0 * SIDE * across),
                            board->span_v * down / (HEIGHT_MOST - (double)(UNDER + OVER) * down));
        if (pixel > 0 && pixel < board->pixel) {
            board->pixel = pixel;
            board->across = across;
            board->down = down;
        }
    }
    board->pixel = fmax(board->pixel, FINEST);
    double panel_width = ceil(board->span_u / board->pixel) + 2 * SIDE,
           panel_height = ceil(board->span_v / board->pixel) + UNDER + OVER;
    board->canvas_width = (int)(panel_width * board->across);
    board->canvas_height = (int)(panel_height * board->down);
    for (int s = 0; s < board->count; s++) {
        struct panel *panel = &board->panels[s];
        int row = board->down - 1 - s / board->across;
        panel->left = (panel_width * (s % board->across) + SIDE) * board->pixel - board->low_u;
        panel->bottom =
            (panel_height * row + UNDER) * board->pixel - board->low_v - panel->low * board->projection.cos_rise;
    }
}

static pw_status panels_render(struct board *board, const uint32_t *colours, pw_error *error)
{
    const struct building *building = &board->setup->building;
    const struct floorplan *any = &building->bands[0];
    uint32_t numbered[256] = {0};
    bool glass[256] = {false};
    for (int m = any->material_count - 1; m > 0; m--) {
        numbered[solid_number(m)] = colours[m];
        glass[solid_number(m)] = strcmp(any->materials[m].name, "glass") == 0;
    }
    const struct space_look look = {numbered, glass};
    for (int s = 0; s < board->count; s++) {
        struct panel *panel = &board->panels[s];
        panel->image.pixel = board->pixel;
        TRY(solid_create(building, panel->low, panel->floor, panel->high, PITCH * board->pixel, &panel->solid, error));
        TRY(space_view_render(&panel->solid, &look, &panel->image, error));
    }
    return PW_OK;
}

/* ---- drawing ---- */

static struct point placed(const struct board *board, const struct panel *panel, double x, double y, double z)
{
    struct point p = project(&board->projection, x, y, z);
    return (struct point){p.x + panel->left, p.y + panel->bottom};
}

static void draw_line(struct plot *plot, struct point a, struct point b, const char *look)
{
    pw_plot_send(plot, "set arrow from %.6g,%.6g to %.6g,%.6g nohead %s front\n", a.x, a.y, b.x, b.y, look);
}

static const char RULER_LOOK[] = "lw 1 lc rgb '#606060'";

static void draw_number(struct plot *plot, struct point at, double value, const char *placing)
{
    pw_plot_send(plot, "set label '%.4g' at %.6g,%.6g %s font ',10' textcolor rgb '#404040' front\n", value, at.x, at.y,
                 placing);
}

static void draw_unit(struct plot *plot, struct point at, char axis, const char *placing)
{
    pw_plot_send(plot, "set label '%c [m]' at %.6g,%.6g %s font ',10' textcolor rgb '#404040' front\n", axis, at.x,
                 at.y, placing);
}

/* How many steps of a ruler fit into a length. */
static int step_count(double length, double step)
{
    return (int)floor(length / step + 1e-9);
}

/* Along the plan's southern edge, under the floor. */
static void draw_ruler_x(struct plot *plot, const struct board *board, const struct panel *panel, double step)
{
    const double px = board->pixel, off = RULER * px, z = panel->low, w = board->width;
    const double end = off + TICK * px, number = end + LABEL_GAP * px;
    draw_line(plot, placed(board, panel, 0, -off, z), placed(board, panel, w, -off, z), RULER_LOOK);
    for (int n = 0; n <= step_count(w, step); n++) {
        double x = n * step;
        draw_line(plot, placed(board, panel, x, -off, z), placed(board, panel, x, -end, z), RULER_LOOK);
        draw_number(plot, placed(board, panel, x, -number, z), x, "right");
    }
    struct point middle = placed(board, panel, 0.5 * w, -number, z);
    draw_unit(plot, (struct point){middle.x - 8 * px, middle.y - 20 * px}, 'x', "right");
}

/* Along its eastern edge. */
static void draw_ruler_y(struct plot *plot, const struct board *board, const struct panel *panel, double step)
{
    const double px = board->pixel, z = panel->low, h = board->height, near = board->width + RULER * px;
    const double end = near + TICK * px, number = end + LABEL_GAP * px;
    draw_line(plot, placed(board, panel, near, 0, z), placed(board, panel, near, h, z), RULER_LOOK);
    for (int n = 0; n <= step_count(h, step); n++) {
        double y = n * step;
        draw_line(plot, placed(board, panel, near, y, z), placed(board, panel, end, y, z), RULER_LOOK);
        draw_number(plot, placed(board, panel, number, y, z), y, "left");
    }
    struct point middle = placed(board, panel, number, 0.5 * h, z);
    draw_unit(plot, (struct point){middle.x + 14 * px, middle.y - 14 * px}, 'y', "left");
}

/* Up its south-western corner, from the floor on. */
static void draw_ruler_z(struct plot *plot, const struct board *board, const struct panel *panel)
{
    const double px = board->pixel, height = panel->high - panel->floor,
                 step = height > 8 ? round_length(height / 4) : 1;
    struct point foot = placed(board, panel, 0, 0, panel->floor);
    double x = foot.x - RULER * px, end = x - TICK * px, top = foot.y + height * board->projection.cos_rise;
    draw_line(plot, (struct point){x, foot.y}, (struct point){x, top}, RULER_LOOK);
    for (int n = 0; n <= step_count(height, step); n++) {
        double at = foot.y + n * step * board->projection.cos_rise;
        draw_line(plot, (struct point){x, at}, (struct point){end, at}, RULER_LOOK);
        draw_number(plot, (struct point){end - LABEL_GAP * px, at}, panel->floor + n * step, "right");
    }
    draw_unit(plot, (struct point){x, top + 16 * px}, 'z', "right");
}

/* The panel in whose storey a height lies. */
static const struct panel *panel_of(const struct board *board, double z)
{
    int storey = storey_at(&board->setup->scenario->plan, z);
    return &board->panels[storey < board->count ? storey : board->count - 1];
}

static double height_of(double height)
{
    return isnan(height) ? TERMINAL_HEIGHT : height;
}

/* A mark at its height on a pole that stands on the floor, and its name. */
static void draw_terminal(struct plot *plot, const struct board *board, const char *name, const double at[3],
                          const char *colour)
{
    const struct panel *panel = panel_of(board, at[2]);
    struct point foot = placed(board, panel, at[0], at[1], panel->floor),
                 head = placed(board, panel, at[0], at[1], at[2]);
    char look[64];
    snprintf(look, sizeof look, "lw 1.4 lc rgb '%s'", colour);
    draw_line(plot, foot, head, look);
    pw_plot_send(plot, "set object circle at %.6g,%.6g size %.6g front fillcolor rgb '%s' fillstyle solid noborder\n",
                 foot.x, foot.y, 2.2 * board->pixel, colour);
    pw_plot_send(plot,
                 "set label %s at %.6g,%.6g left offset character 0.9,0.4 boxed textcolor rgb '%s' font ',10' front\n",
                 pw_plot_quote(plot, name), head.x, head.y, colour);
}

static void draw_terminals(struct plot *plot, const struct board *board)
{
    const struct scenario *scenario = board->setup->scenario;
    for (int r = 0; r < scenario->receiver_count && scenario->receiver_count <= NAMES_LIMIT; r++) {
        const struct receiver_choice *receiver = &scenario->receivers[r];
        draw_terminal(plot, board, receiver->name,
                      (const double[]){receiver->at.x, receiver->at.y, height_of(receiver->height)}, "#104090");
    }
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const struct transmitter_choice *transmitter = &scenario->transmitters[t];
        draw_terminal(plot, board, transmitter->name,
                      (const double[]){transmitter->at.x, transmitter->at.y, height_of(transmitter->height)},
                      "#b00020");
    }
}

/* Places (count, 2) on the canvas as a data file. */
static const char *points_data(struct plot *plot, const struct board *board, bool transmitters)
{
    const struct scenario *scenario = board->setup->scenario;
    int count = transmitters ? scenario->transmitter_count : scenario->receiver_count;
    double *points = calloc(2 * (size_t)count + 1, sizeof *points);
    for (int n = 0; n < count && points != NULL; n++) {
        struct point at = transmitters ? scenario->transmitters[n].at : scenario->receivers[n].at;
        double z = height_of(transmitters ? scenario->transmitters[n].height : scenario->receivers[n].height);
        struct point place = placed(board, panel_of(board, z), at.x, at.y, z);
        points[2 * n] = place.x;
        points[2 * n + 1] = place.y;
    }
    const char *name = pw_plot_data(plot, points, points != NULL ? 2 * (size_t)count * sizeof *points : 0);
    free(points);
    return name;
}

static void draw_marks(struct plot *plot, const struct board *board)
{
    const struct scenario *scenario = board->setup->scenario;
    pw_plot_send(plot,
                 ", \\\n  %s binary record=(%d) format='%%float64%%float64' using 1:2 with points pointtype 9 "
                 "pointsize 2 linecolor rgb '#b00020' title 'transmitter'",
                 points_data(plot, board, true), scenario->transmitter_count);
    if (scenario->receiver_count > 0) {
        pw_plot_send(plot,
                     ", \\\n  %s binary record=(%d) format='%%float64%%float64' using 1:2 with points pointtype 7 "
                     "pointsize 1.1 linecolor rgb '#104090' title 'receiver'",
                     points_data(plot, board, false), scenario->receiver_count);
    }
}

static void draw_panels(struct plot *plot, const struct board *board)
{
    for (int s = 0; s < board->count; s++) {
        const struct panel *panel = &board->panels[s];
        const struct space_image *image = &panel->image;
        const char *data = pw_plot_data(plot, image->rgb, (size_t)image->columns * (size_t)image->rows * 3);
        pw_plot_send(plot,
                     "%s%s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
                     "with rgbimage notitle",
                     s == 0 ? "plot " : ", \\\n  ", data, image->columns, image->rows,
                     image->corner.x + panel->left + 0.5 * image->pixel,
                     image->corner.y + panel->bottom + 0.5 * image->pixel, image->pixel, image->pixel);
    }
}

static void draw_names(struct plot *plot, const struct board *board)
{
    const struct plan_choice *plan = &board->setup->scenario->plan;
    for (int s = 0; s < board->count && plan->storey_count > 1; s++) {
        const struct panel *panel = &board->panels[s];
        double x = board->low_u + panel->left,
               y = board->low_v + board->span_v + panel->bottom + panel->low * board->projection.cos_rise;
        pw_plot_send(plot, "set label %s at %.6g,%.6g left font ',12' textcolor rgb '#303030' front\n",
                     pw_plot_quote(plot, panel->name), x, y + 8 * board->pixel);
    }
}

static void draw_frame(struct plot *plot, const struct board *board, int width, int height)
{
    const struct scenario *scenario = board->setup->scenario;
    char title[1200];
    snprintf(title, sizeof title, "%s", scenario->title);
    if (scenario->plan.storey_count > board->count) {
        snprintf(title, sizeof title, "%.1000s, the lowest %d of %d storeys", scenario->title, board->count,
                 scenario->plan.storey_count);
    }
    /* gnuplot's screen ends at the middle of its last pixel; so pixels of the panels are pixels of the picture. */
    pw_plot_send(plot, "set lmargin at screen 0\nset rmargin at screen %.9g\n", board->canvas_width / (width - 1.0));
    pw_plot_send(plot, "set bmargin at screen 0\nset tmargin at screen %.9g\n", board->canvas_height / (height - 1.0));
    pw_plot_send(plot, "set xrange [0:%.9g]\nset yrange [0:%.9g]\n", board->canvas_width * board->pixel,
                 board->canvas_height * board->pixel);
    pw_plot_send(plot, "unset border\nunset tics\nset label %s at screen 0.5, screen %.6g center font ',14' front\n",
                 pw_plot_quote_within(plot, title, 14.0, width - 16.0), 1 - 24.0 / height);
    pw_plot_send(plot,
                 "set key at screen %.6g, screen %.6g left top Left reverse samplen 1.6 spacing 1.5 width 0 font ',11' "
                 "maxrows 40\n",
                 (board->canvas_width + 4.0) / width, 1 - (double)(TITLE + OVER) / height);
    pw_plot_send(plot, "set style textbox opaque noborder margins 0.4,0.4 fillcolor rgb '#40ffffff'\n");
}

static pw_status board_draw(const struct board *board, const double *amounts, const char *path, pw_error *error)
{
    const struct floorplan *any = &board->setup->building.bands[0];
    int entries = 2;
    for (int m = 1; m < any->material_count; m++) {
        entries += amounts[m] > 0;
    }
    int least = TITLE + OVER + KEY_ROW * entries, full = board->canvas_height + TITLE;
    int width = board->canvas_width + KEY_WIDTH, height = full > least ? full : least;
    const double step = round_length(fmax(board->width, board->height) / 6);
    struct plot *plot = NULL;
    TRY(pw_plot_open(path, width, height, &plot, error));
    draw_frame(plot, board, width, height);
    draw_names(plot, board);
    for (int s = 0; s < board->count; s++) {
        draw_ruler_x(plot, board, &board->panels[s], step);
        draw_ruler_y(plot, board, &board->panels[s], step);
        draw_ruler_z(plot, board, &board->panels[s]);
    }
    draw_terminals(plot, board);
    draw_panels(plot, board);
    draw_swatches(plot, any, amounts);
    draw_marks(plot, board);
    pw_plot_send(plot, "\n");
    return pw_plot_finish(plot, error);
}

pw_status space_picture_write(const struct setup *setup, const uint32_t *colours, const double *amounts,
                              const char *path, pw_error *error)
{
    int storeys = setup->scenario->plan.storey_count;
    struct board board = {.setup = setup,
                          .projection = projection_usual(),
                          .width = setup->building.bands[0].width,
                          .height = setup->building.bands[0].height,
                          .count = storeys < PANELS_MOST ? storeys : PANELS_MOST};
    TRY_MADE(board.panels = allocate((size_t)board.count, sizeof *board.panels, "the picture", error));
    panels_list(&board);
    board_arrange(&board);
    pw_status status = panels_render(&board, colours, error);
    THEN(status, board_draw(&board, amounts, path, error));
    for (int s = 0; s < board.count; s++) {
        solid_free(&board.panels[s].solid);
        free(board.panels[s].image.rgb);
    }
    free(board.panels);
    return status;
}
