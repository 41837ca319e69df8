/* The plan under candidates and places (siting.h): its walls, as a set-up has them, and the inside of the building. */
#include "siting/siting.h"

#include "discretize/setup.h"
#include "floor/inside.h"

#include <math.h>
#include <stdlib.h>

/* The plane of nodes nearest to a height; 0 in two dimensions. */
static int plane_at(const pw_facts *facts, double height)
{
    double plane = facts->dimensions == 3 ? round((height - facts->origin_z) / facts->cell) : 0.0;
    return (int)fmin(fmax(plane, 0.0), facts->nz - 1.0);
}

static pw_status walls_of(const struct setup *setup, double height, struct plan_walls *walls, pw_error *error)
{
    const pw_facts facts = pw_setup_facts(setup);
    size_t face = (size_t)facts.nx * (size_t)facts.ny, nodes = face * (size_t)facts.nz;
    size_t first = face * (size_t)plane_at(&facts, height);
    double *permittivity = allocate(nodes, sizeof *permittivity, "the walls of a plan", error);
    bool *metal = allocate(nodes, sizeof *metal, "the metal of a plan", error);
    uint8_t *held = allocate(face, 1, "the metal of a plan", error);
    bool there = permittivity != NULL && metal != NULL && held != NULL;
    pw_status status = there ? pw_setup_medium(setup, permittivity, NULL, metal, error) : PW_NO_RESOURCE;
    for (size_t n = 0; status == PW_OK && n < face; n++) {
        held[n] = metal[first + n];
    }
    if (status == PW_OK) {
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
        status = walls_tell(&nodes_of, walls, error);
    }
    free(permittivity);
    free(metal);
    free(held);
    return status;
}

pw_status ground_create(const struct setup *setup, double height, struct ground *ground, pw_error *error)
{
    *ground = (struct ground){.width = setup->plan.width, .height = setup->plan.height};
    TRY(walls_of(setup, height, &ground->walls, error));
    ground->inside =
        allocate((size_t)ground->walls.rows * (size_t)ground->walls.columns, 1, "the inside of a plan", error);
    pw_status status =
        ground->inside == NULL ? PW_NO_RESOURCE : inside_find(&ground->walls, ground->inside, &ground->kind, error);
    if (status != PW_OK) {
        ground_free(ground);
    }
    return status;
}

void ground_free(struct ground *ground)
{
    walls_free(&ground->walls);
    free(ground->inside);
    ground->inside = NULL;
}

bool ground_in_plan(const struct ground *ground, double x, double y)
{
    return x >= 0.0 && x <= ground->width && y >= 0.0 && y <= ground->height;
}

/* The node nearest to a point of the plan. */
static size_t node_at(const struct ground *ground, double x, double y)
{
    const struct plan_walls *walls = &ground->walls;
    double column = fmin(fmax(round((x - walls->x0) / walls->cell), 0.0), walls->columns - 1.0);
    double row = fmin(fmax(round((y - walls->y0) / walls->cell), 0.0), walls->rows - 1.0);
    return (size_t)row * (size_t)walls->columns + (size_t)column;
}

bool ground_in_wall(const struct ground *ground, double x, double y)
{
    return ground->walls.wall[node_at(ground, x, y)] != 0;
}

bool ground_inside(const struct ground *ground, double x, double y)
{
    return ground->inside[node_at(ground, x, y)] != 0;
}
