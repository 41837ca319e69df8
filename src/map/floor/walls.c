/* Reads the walls of a plan from a result, and tells them from air (walls.h). */
#include "map/floor/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double wall_contrast = 0.35; /* of the strongest permittivity near by, from which on a node is wall */
static const double cut_contrast = 0.15;  /* the same in a vertical cut, where thin walls end at thick slabs */
enum { CONTRAST_REACH = 3 };              /* nodes, in which that is looked for */

/* The largest value within CONTRAST_REACH along one axis. */
static void line_maximum(const float *in, int count, size_t stride, float *out)
{
    for (int n = 0; n < count; n++) {
        float most = 0.0F;
        for (int m = n - CONTRAST_REACH; m <= n + CONTRAST_REACH; m++) {
            if (m >= 0 && m < count) {
                most = fmaxf(most, in[(size_t)m * stride]);
            }
        }
        out[(size_t)n * stride] = most;
    }
}

/* A node is wall where its permittivity is more than a share of the strongest near by: averaging may swing by a few per
 * cent beside a wall, and those nodes are air. */
static pw_status nodes_tell(struct plan_walls *walls, double contrast, pw_error *error)
{
    size_t nx = (size_t)walls->columns, count = nx * (size_t)walls->rows;
    float *along = allocate(2 * count, sizeof *along, "the walls of a plan", error);
    TRY_MADE(along);
    float *around = along + count;
#pragma omp parallel for schedule(static)
    for (int row = 0; row < walls->rows; row++) {
        line_maximum(walls->permittivity + (size_t)row * nx, walls->columns, 1, along + (size_t)row * nx);
    }
#pragma omp parallel for schedule(static)
    for (int column = 0; column < walls->columns; column++) {
        line_maximum(along + column, walls->rows, nx, around + column);
    }
    for (size_t n = 0; n < count; n++) {
        double here = walls->permittivity[n] - 1.0, strongest = around[n] - 1.0;
        if (walls->wall[n] == 0 && here > 0.1 && here > contrast * strongest) {
            walls->wall[n] = (uint8_t)fmax(1.0, round(WALL_FULL * here / strongest));
        }
    }
    free(along);
    return PW_OK;
}

pw_status walls_tell(const struct walls_face *face, struct plan_walls *walls, pw_error *error)
{
    *walls = (struct plan_walls){
        .rows = face->inner_rows, .columns = face->inner_columns, .x0 = face->x0, .y0 = face->y0, .cell = face->cell};
    size_t count = (size_t)walls->rows * (size_t)walls->columns;
    walls->permittivity = allocate(count, sizeof *walls->permittivity, "the walls of a plan", error);
    walls->wall = allocate(count, 1, "the walls of a plan", error);
    pw_status status = walls->permittivity == NULL || walls->wall == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int row = 0; status == PW_OK && row < walls->rows; row++) {
        size_t from = (size_t)(row + face->row_low) * (size_t)face->columns + (size_t)face->column_low;
        size_t to = (size_t)row * (size_t)walls->columns;
        for (int column = 0; column < walls->columns; column++) {
            walls->permittivity[to + (size_t)column] = (float)face->permittivity[from + (size_t)column];
            walls->wall[to + (size_t)column] = face->metal[from + (size_t)column] ? WALL_METAL : 0;
        }
    }
    status = status == PW_OK ? nodes_tell(walls, face->cut ? cut_contrast : wall_contrast, error) : status;
    if (status != PW_OK) {
        walls_free(walls);
    }
    return status;
}

pw_status walls_read(const struct result *result, struct plan_walls *walls, pw_error *error)
{
    const struct result_face *face = &result->face;
    const struct result_transmitter *first = &result->transmitters[0];
    size_t nodes = (size_t)face->columns * (size_t)face->rows;
    OWNED double *permittivity = allocate(nodes, sizeof *permittivity, "the walls of a plan", error);
    OWNED uint8_t *metal = allocate(nodes, 1, "the metal of a plan", error);
    *walls = (struct plan_walls){0};
    TRY_MADE(permittivity != NULL && metal != NULL);
    TRY(result_read_permittivity(result, permittivity, error));
    TRY(result_read_metal(result, metal, error));
    return walls_tell(
        &(struct walls_face){.columns = face->columns,
                             .column_low = face->column_low,
                             .row_low = face->row_low,
                             .inner_columns = face->inner_columns,
                             .inner_rows = face->inner_rows,
                             .x0 = face->column_first + face->column_low * result->cell,
                             .y0 = face->row_first + face->row_low * result->cell,
                             .cell = result->cell,
                             .permittivity = permittivity,
                             .metal = metal,
                             .cut = result->sheet < first->sheet_count && first->sheets[result->sheet].normal < 2},
        walls, error);
}

void walls_free(struct plan_walls *walls)
{
    FREE_ALL(walls->permittivity, walls->wall);
    walls->permittivity = NULL;
    walls->wall = NULL;
}

pw_status pw_map_walls(const pw_result *result, pw_map_shape *shape, uint8_t *walls, float *permittivity,
                       pw_error *error)
{
    FAIL_IF(result == NULL || shape == NULL, error, PW_USAGE, "pw_map_walls: no result, or nowhere to put the shape");
    const struct result_face *face = &result->face;
    *shape = (pw_map_shape){.rows = face->inner_rows,
                            .columns = face->inner_columns,
                            .x0 = face->column_first + face->column_low * result->cell,
                            .y0 = face->row_first + face->row_low * result->cell,
                            .pitch_x = result->cell,
                            .pitch_y = result->cell};
    if (walls == NULL && permittivity == NULL) {
        return PW_OK;
    }
    struct plan_walls told;
    TRY(walls_read(result, &told, error));
    size_t count = (size_t)told.rows * (size_t)told.columns;
    if (walls != NULL) {
        memcpy(walls, told.wall, count);
    }
    if (permittivity != NULL) {
        memcpy(permittivity, told.permittivity, count * sizeof *permittivity);
    }
    walls_free(&told);
    return PW_OK;
}
