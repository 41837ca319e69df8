/* The squares of a storey (solid.h), painted line by line, and their distances from what stands on the floor. */
#include "discretize/picture/solid.h"

#include "medium/scanline.h"

#include <math.h>
#include <string.h>

static const double MEMORY_LIMIT = 96e6; /* bytes */
static const double LEAST_BAND = 1e-6;   /* m */

/* The borders of the building between low and high, and both of those. */
static pw_status borders_create(const struct building *building, struct solid *solid, pw_error *error)
{
    TRY_MADE(solid->borders = allocate((size_t)building->band_count + 1, sizeof *solid->borders, "the picture", error));
    int count = 0;
    solid->borders[count++] = solid->low;
    for (int n = 0; n + 1 < building->band_count; n++) {
        double border = building->borders[n];
        if (border > solid->borders[count - 1] + LEAST_BAND && border < solid->high - LEAST_BAND) {
            solid->borders[count++] = border;
        }
    }
    solid->borders[count] = solid->high;
    solid->bands = count;
    return PW_OK;
}

static pw_status band_paint(const struct floorplan *plan, struct solid *solid, int band, pw_error *error)
{
    struct run_list list;
    TRY(run_list_create(plan, &list, error));
    for (int row = 0; row < solid->rows; row++) {
        uint8_t *to = solid->material + ((size_t)band * (size_t)solid->rows + (size_t)row) * (size_t)solid->columns;
        double y = (row + 0.5) * solid->pitch;
        scanline_runs(plan, y, y, &list);
        int run = 0;
        for (int column = 0; column < solid->columns; column++) {
            double x = (column + 0.5) * solid->pitch;
            while (run + 1 < list.count && list.runs[run + 1].start <= x) {
                run++;
            }
            to[column] = solid_number(list.runs[run].material);
        }
    }
    run_list_free(&list);
    return PW_OK;
}

/* Squares to the nearest 0, counted along the eight directions, in two passes over the field. */
static void distances_spread(uint8_t *distance, int columns, int rows)
{
    for (int pass = 0; pass < 2; pass++) {
        int step = pass == 0 ? 1 : -1;
        for (int r = 0; r < rows; r++) {
            int row = pass == 0 ? r : rows - 1 - r;
            for (int c = 0; c < columns; c++) {
                int column = pass == 0 ? c : columns - 1 - c;
                uint8_t *own = &distance[(size_t)row * (size_t)columns + (size_t)column];
                int nearest = *own;
                bool before = row - step >= 0 && row - step < rows;
                for (int d = -1; d <= 1 && before; d++) {
                    if (column + d >= 0 && column + d < columns) {
                        int other = distance[(size_t)(row - step) * (size_t)columns + (size_t)(column + d)] + 1;
                        nearest = other < nearest ? other : nearest;
                    }
                }
                if (column - step >= 0 && column - step < columns) {
                    int other = own[-step] + 1;
                    nearest = other < nearest ? other : nearest;
                }
                *own = (uint8_t)nearest;
            }
        }
    }
}

static void distances_find(struct solid *solid)
{
    size_t squares = (size_t)solid->columns * (size_t)solid->rows;
    memset(solid->distance, 255, squares);
    for (int band = 0; band < solid->bands; band++) {
        const uint8_t *material = solid->material + (size_t)band * squares;
        for (size_t n = 0; n < squares && solid->borders[band] > solid->floor - LEAST_BAND; n++) {
            solid->distance[n] = material[n] != 0 ? 0 : solid->distance[n];
        }
    }
    distances_spread(solid->distance, solid->columns, solid->rows);
}

pw_status solid_create(const struct building *building, double low, double floor, double high, double pitch,
                       struct solid *solid, pw_error *error)
{
    const struct floorplan *any = &building->bands[0];
    *solid = (struct solid){.low = low, .floor = floor, .high = high};
    pw_status status = borders_create(building, solid, error);
    double least = sqrt(any->width * any->height * solid->bands / MEMORY_LIMIT);
    solid->pitch = fmax(pitch, least);
    solid->columns = (int)ceil(any->width / solid->pitch);
    solid->rows = (int)ceil(any->height / solid->pitch);
    size_t squares = (size_t)solid->columns * (size_t)solid->rows;
    if (status == PW_OK) {
        solid->material = allocate((size_t)solid->bands * squares, 1, "the picture", error);
        solid->distance = allocate(squares, 1, "the picture", error);
        status = solid->material != NULL && solid->distance != NULL ? PW_OK : PW_NO_RESOURCE;
    }
    for (int band = 0; band < solid->bands && status == PW_OK; band++) {
        double middle = 0.5 * (solid->borders[band] + solid->borders[band + 1]);
        status = band_paint(&building->bands[building_band_at(building, middle)], solid, band, error);
    }
    if (status != PW_OK) {
        solid_free(solid);
        return status;
    }
    distances_find(solid);
    return PW_OK;
}

void solid_free(struct solid *solid)
{
    FREE_ALL(solid->borders, solid->material, solid->distance);
    *solid = (struct solid){0};
}
