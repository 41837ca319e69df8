/* The floor of a plan that is set up and not solved: its walls, and the inside of the building (api/map.h). */
#include "map/floor/inside.h"

#include <math.h>
#include <string.h>

/* The plane of nodes nearest to a height; 0 in two dimensions. */
static int plane_at(const pw_facts *facts, double height)
{
    double plane = facts->dimensions == 3 ? round((height - facts->origin_z) / facts->cell) : 0.0;
    return (int)fmin(fmax(plane, 0.0), facts->nz - 1.0);
}

static pw_status walls_of(const pw_setup *setup, double height, struct plan_walls *walls, pw_error *error)
{
    const pw_facts facts = pw_setup_facts(setup);
    size_t face = (size_t)facts.nx * (size_t)facts.ny, nodes = face * (size_t)facts.nz;
    size_t first = face * (size_t)plane_at(&facts, height);
    OWNED double *permittivity = allocate(nodes, sizeof *permittivity, "the walls of a plan", error);
    OWNED bool *metal = allocate(nodes, sizeof *metal, "the metal of a plan", error);
    OWNED uint8_t *held = allocate(face, 1, "the metal of a plan", error);
    TRY_MADE(permittivity != NULL && metal != NULL && held != NULL);
    TRY(pw_setup_medium(setup, permittivity, NULL, metal, error));
    for (size_t n = 0; n < face; n++) {
        held[n] = metal[first + n];
    }
    const struct walls_face nodes_of = {.columns = facts.nx,
                                        .column_low = facts.absorber_low[0],
                                        .row_low = facts.absorber_low[1],
                                        .inner_columns = facts.nx - facts.absorber_low[0] - facts.absorber_high[0],
                                        .inner_rows = facts.ny - facts.absorber_low[1] - facts.absorber_high[1],
                                        .x0 = facts.origin_x + facts.absorber_low[0] * facts.cell,
                                        .y0 = facts.origin_y + facts.absorber_low[1] * facts.cell,
                                        .cell = facts.cell,
                                        .permittivity = permittivity + first,
                                        .metal = held};
    return walls_tell(&nodes_of, walls, error);
}

pw_status pw_setup_floor(const pw_setup *setup, double height, pw_map_shape *shape, uint8_t *walls, uint8_t *inside,
                         pw_floor_kind *kind, pw_error *error)
{
    FAIL_IF(setup == NULL || shape == NULL, error, PW_USAGE, "pw_setup_floor: no %s given",
            setup == NULL ? "set-up" : "shape");
    const pw_facts facts = pw_setup_facts(setup);
    *shape = (pw_map_shape){.rows = facts.ny - facts.absorber_low[1] - facts.absorber_high[1],
                            .columns = facts.nx - facts.absorber_low[0] - facts.absorber_high[0],
                            .x0 = facts.origin_x + facts.absorber_low[0] * facts.cell,
                            .y0 = facts.origin_y + facts.absorber_low[1] * facts.cell,
                            .pitch_x = facts.cell,
                            .pitch_y = facts.cell,
                            .name = "walls",
                            .unit = ""};
    if (walls == NULL && inside == NULL) {
        return PW_OK;
    }
    struct plan_walls found;
    pw_floor_kind why = PW_FLOOR_BUILDING;
    TRY(walls_of(setup, height, &found, error));
    if (walls != NULL) {
        memcpy(walls, found.wall, (size_t)found.rows * (size_t)found.columns);
    }
    pw_status status = inside != NULL ? inside_find(&found, inside, &why, error) : PW_OK;
    if (kind != NULL) {
        *kind = why;
    }
    walls_free(&found);
    return status;
}
