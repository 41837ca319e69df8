/* Computes maps, into arrays of their own and into the caller's, and their statistics (map.h). Leaves pictures to
 * map_plot.c and other files to map_write.c. */
#include "map/map.h"

#include "map/floor/inside.h"
#include "map/map_plane.h"
#include "map/map_servers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the numbers ---- */

/* The values of a map that sets transmitters against each other or against noise. */
static pw_status servers_fill(const struct result *result, const pw_map_options *options, struct map *map,
                              pw_error *error)
{
    struct map_servers servers;
    TRY(map_servers_create(result, options, map, &servers, error));
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        if (map->quantity == PW_BEST_SERVER) {
            int best = map_servers_best(&servers, n);
            map->value[n] = best < 0 ? (double)NAN : best;
            if (map->power != NULL) {
                map->power[n] = best < 0 ? NAN : servers.list[best].level[n];
            }
        } else {
            map->value[n] = map_servers_level(&servers, map->quantity, map->transmitter, n);
        }
    }
    map_servers_free(&servers);
    return PW_OK;
}

/* Fills value, and power where it is not NULL. */
static pw_status map_fill(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    if (quantity_kind(map->quantity)->servers) {
        return servers_fill(result, options, map, error);
    }
    return map->transmitter < 0
               ? map_best(result, options, map, map->value, error)
               : map_plane(result, options, map, map->transmitter, &options->monitor, map->value, error);
}

pw_status map_compute(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    TRY(map_prepare(result, options, map, error));
    size_t count = (size_t)map->rows * (size_t)map->columns;
    bool servers = map->quantity == PW_BEST_SERVER;
    map->value = allocate(count, sizeof *map->value, "a map", error);
    map->power = servers ? allocate(count, sizeof *map->power, "a map", error) : NULL;
    map->mark = quantity_kind(map->quantity)->delay ? allocate(count, sizeof *map->mark, "a map", error) : NULL;
    bool there = map->value != NULL && (map->power != NULL || !servers) &&
                 (map->mark != NULL || !quantity_kind(map->quantity)->delay);
    pw_status status = there ? map_fill(result, options, map, error) : PW_NO_RESOURCE;
    if (status != PW_OK) {
        map_free(map);
    }
    return status;
}

void map_free(struct map *map)
{
    FREE_ALL(map->value, map->power, map->mark);
    map->mark = NULL;
    map->value = map->power = NULL;
}

static pw_map_shape shape_of(const struct map *map)
{
    return (pw_map_shape){.rows = map->rows,
                          .columns = map->columns,
                          .x0 = map->x0,
                          .y0 = map->y0,
                          .pitch_x = map->pitch_x,
                          .pitch_y = map->pitch_y,
                          .name = map->name,
                          .unit = map->unit,
                          .transmitter = map->transmitter,
                          .mean_width = map->mean_width};
}

pw_status pw_map_describe(const pw_result *result, const pw_map_options *options, pw_map_shape *shape, pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    struct map map;
    FAIL_IF(result == NULL || shape == NULL, error, PW_USAGE, "pw_map_describe: no %s given",
            result == NULL ? "result" : "shape");
    TRY(map_prepare(result, options != NULL ? options : &defaults, &map, error));
    *shape = shape_of(&map);
    return PW_OK;
}

pw_status pw_map_compute(const pw_result *result, const pw_map_options *options, double *values, double *power,
                         pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    struct map map;
    options = options != NULL ? options : &defaults;
    FAIL_IF(result == NULL || values == NULL, error, PW_USAGE, "pw_map_compute: no %s given",
            result == NULL ? "result" : "buffer");
    TRY(map_prepare(result, options, &map, error));
    map.value = values;
    map.power = power;
    return map_fill(result, options, &map, error);
}

/* The cell nearest to a place; (u, v): the place in cells. */
static size_t cell_near(const pw_map_shape *shape, double x, double y, double *u, double *v)
{
    *u = fmin(fmax((x - shape->x0) / shape->pitch_x, 0.0), shape->columns - 1.0);
    *v = fmin(fmax((y - shape->y0) / shape->pitch_y, 0.0), shape->rows - 1.0);
    return (size_t)(*v + 0.5) * (size_t)shape->columns + (size_t)(*u + 0.5);
}

double pw_map_value_at(const pw_map_shape *shape, const double *values, double x, double y)
{
    double u, v;
    const double nearest = values[cell_near(shape, x, y, &u, &v)];
    if (isnan(nearest)) {
        return nearest;
    }
    int i = (int)u, j = (int)v;
    double sum = 0.0, weight = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        int ci = i + (corner & 1), cj = j + (corner >> 1);
        if (ci >= shape->columns || cj >= shape->rows) {
            continue;
        }
        double share = (1.0 - fabs(u - ci)) * (1.0 - fabs(v - cj));
        double value = values[(size_t)cj * (size_t)shape->columns + (size_t)ci];
        if (share > 0.0 && isfinite(value)) {
            sum += share * value;
            weight += share;
        }
    }
    return weight > 0.0 ? sum / weight : nearest;
}

double map_value_at(const struct map *map, double x, double y)
{
    const pw_map_shape shape = shape_of(map);
    double u, v;
    return map->quantity == PW_BEST_SERVER ? map->value[cell_near(&shape, x, y, &u, &v)]
                                           : pw_map_value_at(&shape, map->value, x, y);
}

/* ---- what counts ---- */

const char *pw_floor_text(pw_floor_kind kind)
{
    static const char *const texts[] = {
        [PW_FLOOR_BUILDING] = "inside of the building",
        [PW_FLOOR_ASKED] = "whole plan",
        [PW_FLOOR_EMPTY] = "whole plan (it has no walls)",
        [PW_FLOOR_OPEN] = "whole plan (its walls enclose no room)",
        [PW_FLOOR_CUT] = "whole plan (its walls run off the plan)",
        [PW_FLOOR_SECTION] = "whole vertical cut",
    };
    return texts[kind];
}

/* Area of the nodes inside, as far as the map reaches. A node in the face of an outer wall counts in part. */
static double inside_area(const struct map *map, const struct plan_walls *walls, const uint8_t *inside)
{
    size_t nx = (size_t)walls->columns, ny = (size_t)walls->rows;
    double area = 0.0;
    for (size_t j = 0; j < ny; j++) {
        double row = (walls->y0 + (double)j * walls->cell - map->y0) / map->pitch_y;
        for (size_t i = 0; row >= -0.5 && row < map->rows - 0.5 && i < nx; i++) {
            double column = (walls->x0 + (double)i * walls->cell - map->x0) / map->pitch_x;
            size_t n = j * nx + i;
            if (inside[n] && column >= -0.5 && column < map->columns - 0.5) {
                bool face = (i > 0 && !inside[n - 1]) || (i + 1 < nx && !inside[n + 1]) || (j > 0 && !inside[n - nx]) ||
                            (j + 1 < ny && !inside[n + nx]);
                bool part = face && walls->wall[n] > 0 && walls->wall[n] < WALL_FULL;
                area += part ? (double)walls->wall[n] / WALL_FULL : 1.0;
            }
        }
    }
    return area * walls->cell * walls->cell;
}

/* Area that the map's cells stand for: half a cell around each, and up to the plan's rim where that is less than a cell
 * away. */
static double plan_area(const struct result *result, const struct map *map)
{
    struct plan_floor floor = map_floor(result);
    double end_x = map->x0 + (map->columns - 1) * map->pitch_x, end_y = map->y0 + (map->rows - 1) * map->pitch_y;
    double left = map->x0 - floor.left < map->pitch_x ? floor.left : map->x0 - 0.5 * map->pitch_x;
    double right = floor.right - end_x < map->pitch_x ? floor.right : end_x + 0.5 * map->pitch_x;
    double bottom = map->y0 - floor.bottom < map->pitch_y ? floor.bottom : map->y0 - 0.5 * map->pitch_y;
    double top = floor.top - end_y < map->pitch_y ? floor.top : end_y + 0.5 * map->pitch_y;
    return (right - left) * (top - bottom);
}

/* Looks up the node of the plan that is nearest to each cell. */
static pw_status inside_fill(const struct result *result, const struct map *map, uint8_t *counted, pw_floor *floor,
                             pw_error *error)
{
    OWNED_BY(walls_free) struct plan_walls walls = {0};
    TRY(walls_read(result, &walls, error));
    OWNED uint8_t *inside = allocate((size_t)walls.rows * (size_t)walls.columns, 1, "the inside of a plan", error);
    TRY_MADE(inside);
    TRY(inside_find(&walls, inside, &floor->kind, error));
    for (int row = 0; row < map->rows; row++) {
        double y = round((map->y0 + row * map->pitch_y - walls.y0) / walls.cell);
        size_t j = (size_t)fmin(fmax(y, 0.0), walls.rows - 1.0);
        for (int column = 0; column < map->columns; column++) {
            double x = round((map->x0 + column * map->pitch_x - walls.x0) / walls.cell);
            size_t i = (size_t)fmin(fmax(x, 0.0), walls.columns - 1.0);
            counted[(size_t)row * (size_t)map->columns + (size_t)column] = inside[j * (size_t)walls.columns + i];
        }
    }
    if (floor->kind == PW_FLOOR_BUILDING) {
        floor->square_metres = inside_area(map, &walls, inside);
    }
    return PW_OK;
}

pw_status map_count_floor(const struct result *result, const pw_map_options *options, const struct map *map,
                          uint8_t *counted, pw_floor *floor, pw_error *error)
{
    size_t count = (size_t)map->rows * (size_t)map->columns;
    *floor = (pw_floor){.kind = PW_FLOOR_ASKED, .plan_square_metres = plan_area(result, map)};
    floor->square_metres = floor->plan_square_metres;
    memset(counted, 1, count);
    if (map_is_cut(result)) {
        floor->kind = PW_FLOOR_SECTION;
    } else if (!options->whole_plan && result->layer == 0) {
        floor->kind = PW_FLOOR_CUT; /* the rim is a metal wall */
    } else if (!options->whole_plan) {
        TRY(inside_fill(result, map, counted, floor, error));
    }
    for (size_t n = 0; n < count; n++) {
        floor->cells += counted[n];
    }
    if (floor->cells == 0) { /* the spectra have a region outside the building */
        floor->kind = PW_FLOOR_ASKED;
        floor->cells = (int64_t)count;
        floor->square_metres = floor->plan_square_metres;
        memset(counted, 1, count);
    }
    floor->text = pw_floor_text(floor->kind);
    return PW_OK;
}

pw_status pw_map_floor(const pw_result *result, const pw_map_options *options, uint8_t *counted, pw_floor *floor,
                       pw_error *error)
{
    pw_map_options defaults = pw_map_options_default();
    struct map map;
    options = options != NULL ? options : &defaults;
    FAIL_IF(result == NULL, error, PW_USAGE, "pw_map_floor: no result given");
    TRY(map_prepare(result, options, &map, error));
    size_t count = (size_t)map.rows * (size_t)map.columns;
    OWNED uint8_t *own = counted == NULL ? allocate(count, 1, "the floor of a map", error) : NULL;
    TRY_MADE(counted != NULL || own != NULL);
    pw_floor facts;
    TRY(map_count_floor(result, options, &map, counted != NULL ? counted : own, &facts, error));
    if (floor != NULL) {
        *floor = facts;
    }
    return PW_OK;
}

/* ---- statistics ---- */

/* The finite values in ascending order; the caller frees them. NULL with a message when there is no memory. */
static double *values_sorted(const double *values, int64_t count, int64_t *finite, pw_error *error)
{
    double *sorted = allocate((size_t)count, sizeof *sorted, "a summary", error);
    *finite = 0;
    for (int64_t n = 0; sorted != NULL && n < count; n++) {
        if (isfinite(values[n])) {
            sorted[(*finite)++] = values[n];
        }
    }
    if (sorted != NULL) {
        qsort(sorted, (size_t)*finite, sizeof *sorted, pw_number_order);
    }
    return sorted;
}

pw_status map_summarise(const double *values, int64_t count, double threshold, bool falls, struct map_summary *summary,
                        pw_error *error)
{
    int64_t finite, over = 0;
    double *sorted = values_sorted(values, count, &finite, error);
    TRY_MADE(sorted);
    *summary = (struct map_summary){.count = finite, .minimum = NAN, .median = NAN, .maximum = NAN, .share = NAN};
    if (finite > 0) {
        for (int64_t n = 0; n < finite; n++) {
            over += falls ? sorted[n] <= threshold : sorted[n] >= threshold;
        }
        summary->minimum = sorted[0];
        summary->median = 0.5 * (sorted[(finite - 1) / 2] + sorted[finite / 2]);
        summary->maximum = sorted[finite - 1];
        summary->share = (double)over / (double)finite;
    }
    free(sorted);
    return PW_OK;
}

/* 1, 2 or 5 times a power of ten that divides `span` into about eight. */
static double round_step(double span)
{
    double decade = pow(10.0, floor(log10(span / 8.0))), parts = span / 8.0 / decade;
    return decade * (parts < 1.5 ? 1.0 : parts < 3.5 ? 2.0 : parts < 7.5 ? 5.0 : 10.0);
}

void map_range(const struct map *map, const pw_map_options *options, double *low, double *high)
{
    int64_t count = (int64_t)map->rows * map->columns, finite;
    double *sorted = values_sorted(map->value, count, &finite, NULL);
    bool delay = quantity_kind(map->quantity)->excess;
    *low = 0.0;
    *high = 1.0;
    if (sorted != NULL && finite > 0) {
        /* The darkest corners and the cells beside the transmitter would leave few colours for the rest. */
        bool falls = quantity_kind(map->quantity)->falls;
        double least = sorted[falls ? finite / 500 : finite / 50];
        least = delay ? fmin(0.0, least) : least;
        double most = sorted[(int64_t)((falls ? 0.98 : 0.998) * (double)(finite - 1))];
        double step = delay ? (most - least > 0.0 ? round_step(most - least) : 1.0) : 5.0;
        *low = step * floor(least / step);
        *high = step * ceil(most / step);
        if (!(*high > *low)) {
            *high = *low + step;
        }
    }
    free(sorted);
    if (!isnan(options->minimum)) {
        *low = options->minimum;
        *high = *high > *low ? *high : *low + 1.0;
    }
    if (!isnan(options->maximum)) {
        *high = options->maximum;
        *low = *low < *high ? *low : *high - 1.0;
    }
    *low = *low == 0.0 ? 0.0 : *low; /* no label says -0 */
    *high = *high == 0.0 ? 0.0 : *high;
}
