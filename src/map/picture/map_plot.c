/* The picture of a map: values coloured at the resolution of the screen, walls laid over, stations marked, a scale with
 * its unit. The image is composed here, one pixel at a time; axes, texts and the colour bar are gnuplot's
 * (map_annotation.c). */
#include "map/picture/map_drawing.h"

#include "api/plan/plan.h"
#include "base/picture/colormap.h"
#include "base/picture/walls.h"
#include "map/map_doubt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct canvas canvas_fit(const struct result *result, int size)
{
    struct canvas canvas = {.floor = map_floor(result), .scale = size > 0 ? (double)size / LONG_SIDE : 1.0};
    double wide = canvas.floor.right - canvas.floor.left, tall = canvas.floor.top - canvas.floor.bottom;
    double scale = LONG_SIDE / fmax(wide, tall);
    canvas.width = (int)fmax(SHORT_SIDE_LEAST, round(scale * wide));
    canvas.height = (int)fmax(SHORT_SIDE_LEAST, round(scale * tall));
    canvas.full_width = canvas.width + LEFT + RIGHT;
    canvas.full_width = canvas.full_width > WIDTH_LEAST ? canvas.full_width : WIDTH_LEAST;
    canvas.full_height = canvas.height + TOP + BELOW;
    canvas.image_width = (int)round(canvas.scale * canvas.width);
    canvas.image_height = (int)round(canvas.scale * canvas.height);
    return canvas;
}

/* Bottom row first. */
static size_t pixel_index(const struct canvas *canvas, int row, int column)
{
    return (size_t)row * (size_t)canvas->image_width + (size_t)column;
}

/* First and last node, of `count`, that a pixel from `from` to `to` [cells from the first node] shows. */
static void footprint(double from, double to, int count, int *first, int *last)
{
    *first = (int)fmin(fmax(ceil(from - 0.5), 0.0), count - 1.0);
    *last = (int)fmin(fmax(floor(to + 0.5) - 1.0, *first), count - 1.0);
}

/* The most solid of the nodes that a pixel shows, so that no thin wall falls between two pixels. */
static uint8_t solid_at(const struct drawing *drawing, int row, int column)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct plan_walls *walls = &drawing->walls;
    double dx = (canvas->floor.right - canvas->floor.left) / canvas->image_width / walls->cell;
    double dy = (canvas->floor.top - canvas->floor.bottom) / canvas->image_height / walls->cell;
    int i0, i1, j0, j1, most = 0;
    footprint(column * dx, (column + 1) * dx, walls->columns, &i0, &i1);
    footprint(row * dy, (row + 1) * dy, walls->rows, &j0, &j1);
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            size_t n = (size_t)j * (size_t)walls->columns + (size_t)i;
            if (walls->wall[n] != 0) {
                double dense = fmin(0.35 + 0.5 * (walls->permittivity[n] - 1.0), 1.0);
                int solid = walls->wall[n] == WALL_METAL ? SOLID_METAL : (int)lround(SOLID_WALL * fmax(dense, 0.35));
                most = solid > most ? solid : most;
            }
        }
    }
    return (uint8_t)most;
}

/* The share of the colour bar at which a value lies: the bright end is where the signal is good. */
static double shade_of(const struct drawing *drawing, double value)
{
    double shade = (value - drawing->low) / (drawing->high - drawing->low);
    return quantity_kind(drawing->map->quantity)->falls ? 1.0 - shade : shade;
}

/* True beyond the cells of a sheet, where nothing is known: half a cell over and under those of a vertical cut, whose
 * rows end at floor and roof; a little over a cell elsewhere, since the rim of a plan is that near. */
static bool beyond_cells(const struct drawing *drawing, double x, double y)
{
    const struct map *map = drawing->map;
    double rim = 1.25, most = map_is_cut(drawing->result) ? 0.5 : rim;
    double u = (x - map->x0) / map->pitch_x, v = (y - map->y0) / map->pitch_y;
    return result_is_vector(drawing->result) &&
           (u < -rim || u > map->columns - 1 + rim || v < -most || v > map->rows - 1 + most);
}

static pw_colour pixel_colour(const struct drawing *drawing, double x, double y)
{
    if (beyond_cells(drawing, x, y)) {
        return (pw_colour){236, 236, 238};
    }
    double value = map_value_at(drawing->map, x, y);
    pw_colour colour = {96, 96, 100};
    if (!isnan(value)) {
        pw_colormap table = drawing->options->turbo ? PW_COLORMAP_TURBO : PW_COLORMAP_VIRIDIS;
        colour = drawing->map->quantity == PW_BEST_SERVER ? pw_colormap_category((int)value)
                                                          : colormap_at(table, shade_of(drawing, value));
    }
    const struct canvas *canvas = &drawing->canvas;
    return map_doubt_colour(drawing->map, x, y, canvas->width / (canvas->floor.right - canvas->floor.left), colour);
}

/* The map as (height, width, 3) bytes, bottom row first, as the axes have it. */
static uint8_t *image_compose(const struct drawing *drawing, pw_error *error)
{
    const struct canvas *canvas = &drawing->canvas;
    size_t width = (size_t)canvas->image_width, height = (size_t)canvas->image_height;
    uint8_t *image = allocate(width * height, 3, "a picture", error);
    if (image == NULL) {
        return NULL;
    }
    double dx = (canvas->floor.right - canvas->floor.left) / canvas->image_width;
    double dy = (canvas->floor.top - canvas->floor.bottom) / canvas->image_height;
#pragma omp parallel for schedule(static)
    for (int row = 0; row < canvas->image_height; row++) {
        for (int column = 0; column < canvas->image_width; column++) {
            pw_colour colour = pixel_colour(drawing, canvas->floor.left + (column + 0.5) * dx,
                                            canvas->floor.bottom + (row + 0.5) * dy);
            uint8_t *pixel = image + 3 * pixel_index(canvas, row, column);
            pixel[0] = colour.red;
            pixel[1] = colour.green;
            pixel[2] = colour.blue;
        }
    }
    return image;
}

static bool crosses_threshold(const struct drawing *drawing, int row, int column)
{
    const struct canvas *canvas = &drawing->canvas;
    const double threshold = drawing->options->threshold;
    const double dx = (canvas->floor.right - canvas->floor.left) / canvas->image_width;
    const double dy = (canvas->floor.top - canvas->floor.bottom) / canvas->image_height;
    const double x = canvas->floor.left + (column + 0.5) * dx, y = canvas->floor.bottom + (row + 0.5) * dy;
    const double here = map_value_at(drawing->map, x, y) - threshold;
    const double east = map_value_at(drawing->map, x + 1.5 * dx, y) - threshold;
    const double north = map_value_at(drawing->map, x, y + 1.5 * dy) - threshold;
    return (here >= 0.0) != (east >= 0.0) || (here >= 0.0) != (north >= 0.0);
}

/* How well a pixel of the line can be told from all else: its distance to what is marked and to the rim, in pixels. */
static double distance_from_marks(const struct drawing *drawing, int row, int column)
{
    const struct canvas *canvas = &drawing->canvas;
    const struct result *result = drawing->result;
    double least = fmin(fmin(column, canvas->image_width - column), 2.0 * fmin(row, canvas->image_height - row));
    for (int t = 0; t < result->transmitter_count && !map_is_cut(result); t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        const double x = (from->x - canvas->floor.left) / (canvas->floor.right - canvas->floor.left);
        const double y = (from->y - canvas->floor.bottom) / (canvas->floor.top - canvas->floor.bottom);
        least = fmin(least, hypot(x * canvas->image_width - column, 2.0 * (y * canvas->image_height - row)));
    }
    return least;
}

/* Where the map crosses the coverage threshold: a white line on the pixels beside it, and a place to tell it. */
static void threshold_draw(struct drawing *drawing, uint8_t *image)
{
    const struct canvas *canvas = &drawing->canvas;
    const size_t pixels = (size_t)canvas->image_width * (size_t)canvas->image_height;
    double most = 0.0;
    drawing->line_x = drawing->line_y = NAN;
    drawing->line = false;
    if (isnan(drawing->options->threshold) || drawing->map->quantity == PW_BEST_SERVER) {
        return;
    }
#pragma omp parallel for schedule(static)
    for (int row = 0; row < canvas->image_height; row++) {
        for (int column = 0; column < canvas->image_width; column++) {
            if (crosses_threshold(drawing, row, column)) {
                memset(image + 3 * pixel_index(canvas, row, column), 255, 3);
            }
        }
    }
    for (size_t n = 0; n < pixels; n++) {
        const int row = (int)(n / (size_t)canvas->image_width), column = (int)(n % (size_t)canvas->image_width);
        const bool line = image[3 * n] == 255 && image[3 * n + 1] == 255 && image[3 * n + 2] == 255;
        drawing->line = drawing->line || line;
        const double far = line && drawing->solid[n] == 0 ? distance_from_marks(drawing, row, column) : 0.0;
        if (far > most) {
            most = far;
            drawing->line_x =
                canvas->floor.left + (column + 0.5) / canvas->image_width * (canvas->floor.right - canvas->floor.left);
            drawing->line_y =
                canvas->floor.bottom + (row + 0.5) / canvas->image_height * (canvas->floor.top - canvas->floor.bottom);
        }
    }
}

/* What is thinner than two cells is on few nodes or on none: it is drawn as the scenario of the result has it. A result
 * without one that can be read has only its nodes. */
static pw_status thin_mark(const struct drawing *drawing, pw_error *error)
{
    const struct result *result = drawing->result;
    const struct result_transmitter *first = &result->transmitters[0];
    const bool sheet = result->dimensions == 3 && result->sheet < first->sheet_count;
    const struct canvas *canvas = &drawing->canvas;
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED pw_thin_line *lines = NULL;
    size_t count = 0;
    OWNED char *text = NULL;
    pw_status status = map_is_cut(result) ? PW_BAD_INPUT : result_read_scenario(result, &text, error);
    THEN(status, pw_scenario_parse(result->path, text, NULL, 0, &scenario, error));
    THEN(status,
         pw_scenario_thin_lines(scenario, 2 * result->cell, sheet ? first->sheets[result->sheet].position : (double)NAN,
                                &lines, &count, error));
    count = status == PW_OK ? count : 0;
    const double across = canvas->image_width / (canvas->floor.right - canvas->floor.left);
    const double upwards = canvas->image_height / (canvas->floor.top - canvas->floor.bottom);
    for (size_t n = 0; n < count; n++) {
        const double x = (lines[n].x0 - canvas->floor.left) * across, dx = (lines[n].x1 - lines[n].x0) * across;
        const double y = (lines[n].y0 - canvas->floor.bottom) * upwards, dy = (lines[n].y1 - lines[n].y0) * upwards;
        const int steps = 1 + (int)fmin(2 * hypot(dx, dy), 1e5);
        for (int k = 0; k <= steps; k++) {
            const double column = floor(x + dx * k / steps), row = floor(y + dy * k / steps);
            if (column >= 0 && column < canvas->image_width && row >= 0 && row < canvas->image_height) {
                drawing->solid[pixel_index(canvas, (int)row, (int)column)] =
                    lines[n].perfect_conductor ? SOLID_METAL : SOLID_WALL;
            }
        }
    }
    return status == PW_NO_RESOURCE ? status : PW_OK;
}

static pw_status drawing_render(struct drawing *drawing, const char *path, pw_error *error)
{
    const struct canvas *canvas = &drawing->canvas;
    OWNED uint8_t *image = image_compose(drawing, error);
    TRY_MADE(image);
    threshold_draw(drawing, image);
    walls_draw(image, drawing->solid, canvas->image_width, canvas->image_height, (int)fmax(1.0, round(canvas->scale)));
    struct plot *plot;
    TRY(plot_open_scaled(path, (int)round(canvas->scale * canvas->full_width),
                         (int)round(canvas->scale * canvas->full_height), canvas->scale, &plot, error));
    double dx = (canvas->floor.right - canvas->floor.left) / canvas->image_width;
    double dy = (canvas->floor.top - canvas->floor.bottom) / canvas->image_height;
    bool servers = drawing->map->quantity == PW_BEST_SERVER;
    map_annotate(plot, drawing);
    const char *data = pw_plot_data(plot, image, 3 * (size_t)canvas->image_width * (size_t)canvas->image_height);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
                 "with "
                 "rgbimage%s\n",
                 data, canvas->image_width, canvas->image_height, canvas->floor.left + 0.5 * dx,
                 canvas->floor.bottom + 0.5 * dy, dx, dy, servers ? "" : ", NaN with points palette");
    return pw_plot_finish(plot, error);
}

static pw_status drawing_fill(struct drawing *drawing, const char *path, pw_error *error)
{
    const struct canvas *canvas = &drawing->canvas;
    TRY(walls_read(drawing->result, &drawing->walls, error));
    drawing->solid =
        allocate((size_t)canvas->image_width * (size_t)canvas->image_height, 1, "the walls of a picture", error);
    TRY_MADE(drawing->solid);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < canvas->image_height; row++) {
        for (int column = 0; column < canvas->image_width; column++) {
            drawing->solid[pixel_index(canvas, row, column)] = solid_at(drawing, row, column);
        }
    }
    TRY(thin_mark(drawing, error));
    return drawing_render(drawing, path, error);
}

pw_status map_write_plot(const struct map *map, const struct result *result, const pw_map_options *options,
                         const char *path, pw_error *error)
{
    struct drawing drawing = {
        .map = map, .result = result, .options = options, .canvas = canvas_fit(result, options->size)};
    map_range(map, options, &drawing.low, &drawing.high);
    pw_status status = drawing_fill(&drawing, path, error);
    walls_free(&drawing.walls);
    free(drawing.solid);
    return status;
}
