/* The medium at the nodes of Ex, Ey and Ez: against the definition summed up directly, against the raster of two
 * dimensions where nothing changes along z, and by symmetry. */
#include "tests/medium/house_scene.h"

#include "medium/averaging_weight.h"
#include "medium/plan_exchanged.h"

#include <omp.h>

static const enum averaging KINDS[] = {AVERAGING_POINT, AVERAGING_AREA, AVERAGING_MOMENT};

/* ---- uniform ---- */

/* A plan that is one block from wall to wall; its heights are still to come. */
static void block_start(struct house *house)
{
    house_start(house, 1, 0.8);
    scene_rectangle(&house->scene, 0, 0, 1, 0.8, 3.7, 0.03);
    house_plan(house);
}

static void assert_block(struct medium_entry entry)
{
    assert_true(entry.relative_permittivity == 3.7 && entry.conductivity == 0.03);
}

static void a_uniform_building_is_uniform(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        struct house house;
        block_start(&house);
        for (int b = 0; b < 3; b++) {
            house_band(&house, b - 0.487, EVERY_SHAPE);
        }
        house_raster(&house, volume_of(30, 25, 40, 0.05, -0.2, -0.21, -1), KINDS[a]);
        for (int n = 0; n < 3 * 30 * 25 * 40; n++) {
            assert_block(component_at(&house, n % 3, n / 3 % 30, n / 90 % 25, n / 2250));
        }
        assert_int_equal(house.medium.layer_count, 1);
        assert_int_equal(house.medium.raised_nodes, 0);
        assert_int_equal(house.medium.tensor_count, 0);
        house_end(&house);
    }
}

/* A block from wall to wall is the same at every level, the lowest and the highest included, as its images behind the
 * walls would have it; where the upper wall is the next plane of nodes over it, too. Without walls its faces are there.
 */
static void a_building_runs_on_behind_a_wall(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        struct house house;
        block_start(&house);
        house_band(&house, 0, 0);
        house_band(&house, 0, EVERY_SHAPE);
        house_band(&house, 0.37, 0);
        struct raster_volume volume = volume_of(30, 25, 9, 0.05, -0.2, -0.21, 0);
        house_raster(&house, volume, KINDS[a]);
        assert_true(component_at(&house, 0, 12, 12, 0).relative_permittivity < 3.7 || KINDS[a] == AVERAGING_POINT);
        volume.wall[0] = volume.wall[1] = true;
        house_raster(&house, volume, KINDS[a]);
        for (int n = 0; n < 3 * 9; n++) {
            assert_block(component_at(&house, n % 3, 12, 12, n / 3));
        }
        house_end(&house);
    }
}

/* ---- against the definition ---- */

enum { PARTS = 16, HALF = 3 * PARTS }; /* of a cell; of the widest weight */

/* Weights of the parts of a cell about a place: exact where every face lies between two parts. */
static void part_weights(const struct averaging_weight *weight, double weights[2 * HALF])
{
    for (int p = 0; p < 2 * HALF; p++) {
        double low = (double)(p - HALF) / PARTS;
        weights[p] = weight_integral(weight, low + 1.0 / PARTS) - weight_integral(weight, low);
    }
}

static const struct material *material_at(const struct house *house, const double place[3])
{
    int b = 0;
    while (b + 1 < house->building.band_count && place[2] >= house->borders[b]) {
        b++;
    }
    return &house->bands[b].materials[floorplan_material_at(&house->bands[b], place[0], place[1])];
}

/* Arithmetic across the component's axis, harmonic along it; either no less than corners are raised to. */
static struct medium_entry definition(const struct house *house, const struct raster_volume *volume, double least,
                                      const double weights[2][2 * HALF], int c, const int node[3])
{
    const double cell = volume->plane.cell, loss = FREE_SPACE_IMPEDANCE / volume->plane.wave_number;
    const double origin[3] = {volume->plane.origin.x, volume->plane.origin.y, volume->origin_z};
    double real = 0, imaginary = 0;
    for (int p = 0; p < 2 * HALF; p++) {
        double permittivity = 0, conductivity = 0;
        for (int q = 0; q < 4 * HALF * HALF; q++) {
            double place[3];
            int part[3];
            part[c] = p;
            part[(c + 1) % 3] = q % (2 * HALF);
            part[(c + 2) % 3] = q / (2 * HALF);
            for (int d = 0; d < 3; d++) {
                place[d] = origin[d] + cell * (node[d] + (d == c ? 0.5 : 0) + (part[d] - HALF + 0.5) / (double)PARTS);
            }
            const struct material *material = material_at(house, place);
            permittivity += material->relative_permittivity * weights[0][q % (2 * HALF)] * weights[0][q / (2 * HALF)];
            conductivity += material->conductivity * weights[1][q % (2 * HALF)] * weights[1][q / (2 * HALF)];
        }
        permittivity = fmax(permittivity, least);
        double square = permittivity * permittivity + pow(loss * conductivity, 2);
        real += weights[0][p] * permittivity / square;
        imaginary += weights[1][p] * loss * conductivity / square;
    }
    double square = real * real + imaginary * imaginary;
    return (struct medium_entry){fmax(real / square, least), imaginary / (square * loss), false};
}

/* Walls, a floor, a ceiling and a window sill, every face on a sixteenth of a cell. */
static void small_house(struct house *house, double cell)
{
    const double part = cell / PARTS;
    house_start(house, 20 * cell, 16 * cell);
    scene_rectangle(&house->scene, 0, 0, 20 * cell, 16 * cell, 5.24, 0.05); /* floor */
    scene_rectangle(&house->scene, 5 * cell + 3 * part, -cell, 8 * cell + part, 17 * cell, 2.89, 0.01);
    scene_rectangle(&house->scene, -cell, 7 * cell + 5 * part, 21 * cell, 8 * cell + 14 * part, 3.91, 0.02);
    scene_rectangle(&house->scene, 12 * cell + 9 * part, 2 * cell, 13 * cell, 6 * cell, 6.31, 0.3);
    house_plan(house);
    house_band(house, 0, 0);
    house_band(house, -3 * cell - 7 * part, 1);
    house_band(house, 0, 2 + 4 + 8);
    house_band(house, 4 * cell + 11 * part, 2 + 8);
    house_band(house, 9 * cell + 2 * part, 0);
}

static void aligned_walls_agree_with_the_definition(void **state)
{
    (void)state;
    const double cell = 0.02;
    struct averaging_weight moment;
    assert_int_equal(weight_moment(&moment, NULL), PW_OK);
    const struct averaging_weight box = weight_box();
    for (int a = 1; a < 3; a++) {
        double weights[2][2 * HALF];
        part_weights(KINDS[a] == AVERAGING_MOMENT ? &moment : &box, weights[0]);
        part_weights(&box, weights[1]);
        struct house house;
        const double lobe = KINDS[a] == AVERAGING_MOMENT ? 2 / 45.0 : 0, least = 1 - lobe * (1 + lobe) * (6.31 - 1);
        small_house(&house, cell);
        struct raster_volume volume = volume_of(24, 20, 24, cell, -2 * cell, -2 * cell, -8 * cell);
        house_raster(&house, volume, KINDS[a]);
        srand(7);
        for (int n = 0; n < 36; n++) {
            int c = n % 3, node[3] = {5 + rand() % 12, 4 + rand() % 8, 3 + rand() % 16};
            struct medium_entry wanted = definition(&house, &volume, least, weights, c, node);
            struct medium_entry entry = component_at(&house, c, node[0], node[1], node[2]);
            assert_near(entry.relative_permittivity, wanted.relative_permittivity, 1e-5); /* of the raised ones */
            assert_near(entry.conductivity, wanted.conductivity, 1e-9);
        }
        house_end(&house);
    }
    weight_free(&moment);
}

static void conductivity_is_never_negative(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        struct house house;
        small_house(&house, 0.02);
        house_raster(&house, volume_of(30, 26, 30, 0.013, -0.05, -0.05, -0.12), KINDS[a]);
        for (int p = 0; p < house.medium.palette_count; p++) {
            assert_true(house.medium.palette[p].conductivity >= 0);
            assert_true(house.medium.palette[p].relative_permittivity >= LEAST_PERMITTIVITY);
        }
        house_end(&house);
    }
}

/* Weights with lobes would take the permittivity beside this block, and its inverse within, under zero. */
static void beside_a_strong_contrast_values_are_bounded(void **state)
{
    (void)state;
    struct house house;
    house_start(&house, 1, 1);
    scene_rectangle(&house.scene, 0.4, 0.4, 0.6, 0.6, 80, 0);
    house_plan(&house);
    house_band(&house, 0, 0);
    house_band(&house, 0.4, 1);
    house_band(&house, 0.6, 0);
    house_raster(&house, volume_of(50, 50, 50, 0.02, 0, 0, 0), AVERAGING_MOMENT);
    assert_true(house.medium.raised_nodes > 20);
    for (int p = 0; p < house.medium.palette_count; p++) {
        double permittivity = house.medium.palette[p].relative_permittivity;
        assert_true(permittivity >= LEAST_PERMITTIVITY * (1 - 1e-3) && permittivity <= 160 * (1 + 1e-3));
    }
    house_end(&house);
}

/* ---- symmetry ---- */

/* A slab across axis d: the same values along it for the component along the slab and for those across. */
static void the_axes_are_alike(void **state)
{
    (void)state;
    const double cell = 0.02, low = 9.3 * cell, high = 13.1 * cell;
    for (int a = 0; a < 3; a++) {
        struct medium_entry value[3][3][24];
        for (int d = 0; d < 3; d++) {
            struct house house;
            house_start(&house, 24 * cell, 24 * cell);
            scene_rectangle(&house.scene, d == 0 ? low : 0, d == 1 ? low : 0, d == 0 ? high : 24 * cell,
                            d == 1 ? high : 24 * cell, 2.89, 0.04);
            house_plan(&house);
            house_band(&house, 0, d == 2 ? 0 : 1);
            house_band(&house, low, 1);
            house_band(&house, high, d == 2 ? 0 : 1);
            house_raster(&house, volume_of(24, 24, 24, cell, 0, 0, 0), KINDS[a]);
            for (int n = 0; n < 24; n++) {
                int node[3] = {10, 10, 10};
                node[d] = n;
                for (int c = 0; c < 3; c++) {
                    value[d][c][n] = component_at(&house, c, node[0], node[1], node[2]);
                }
            }
            house_end(&house);
        }
        for (int d = 1; d < 3; d++) {
            for (int n = 0; n < 24; n++) {
                for (int c = 0; c < 3; c++) {
                    struct medium_entry first = value[0][c][n], other = value[d][(c + d) % 3][n];
                    assert_near(other.relative_permittivity, first.relative_permittivity, 1e-11);
                    assert_near(other.conductivity, first.conductivity, 1e-12);
                }
            }
        }
    }
}

static void nothing_changes_along_z_as_in_two_dimensions(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        struct house house;
        house_start(&house, 1, 0.9);
        scene_wall(&house.scene, 0.1, 0.2, 0.8, 0.7, 0.07, 2.89);
        scene_rectangle(&house.scene, 0.3, 0.1, 0.36, 0.85, 5.24, 0.05);
        struct shape *circle = scene_add(&house.scene, SHAPE_CIRCLE, 4, 0);
        circle->points[0] = (struct point){0.7, 0.25};
        circle->radius = 0.12;
        scene_rectangle(&house.scene, 0.05, 0.05, 0.15, 0.121, 1, 0)->material =
            (struct material_choice){.name = "metal"};
        house_plan(&house);
        for (int b = 0; b < 3; b++) {
            house_band(&house, b, EVERY_SHAPE);
        }
        struct raster_volume volume = volume_of(60, 55, 9, 0.02, -0.1, -0.1, 0);
        house_raster(&house, volume, KINDS[a]);
        assert_int_equal(
            raster_medium(&house.scene.plan, &volume.plane, KINDS[a], &house.scene.medium, &house.scene.error), PW_OK);
        for (int n = 0; n < 60 * 55; n++) {
            struct medium_entry flat = entry_at(&house.scene, n % 60, n / 60);
            struct medium_entry entry = component_at(&house, 2, n % 60, n / 60, 4);
            if (!flat.perfect_conductor && !entry.perfect_conductor) { /* metal has a rule of its own */
                assert_near(entry.relative_permittivity, flat.relative_permittivity, 1e-11);
                assert_near(entry.conductivity, flat.conductivity, 1e-12);
            }
        }
        assert_true(house.medium.layer_count <= 3);
        house_end(&house);
    }
}

static void levels_share_layers(void **state)
{
    (void)state;
    struct house house;
    small_house(&house, 0.02);
    house_raster(&house, volume_of(24, 20, 400, 0.02, -0.04, -0.04, -2), AVERAGING_MOMENT);
    /* at most: for three components six levels about each of four borders, five bands */
    assert_true(house.medium.layer_count <= 3 * (4 * 6 + 5));
    for (int c = 0; c < 3; c++) {
        assert_int_equal(house.medium.layer[c][0], house.medium.layer[0][0]); /* air is air */
        assert_int_equal(house.medium.layer[c][399], house.medium.layer[0][0]);
    }
    house_end(&house);
}

/* ---- metal ---- */

/* Whether metal holds the component at the node, and nothing else does. */
static bool is_held(const struct house *house, int c, int i, int j, int k)
{
    return component_at(house, c, i, j, k).perfect_conductor;
}

/* A plate and a box: held are exactly the edges on and in the box whose faces are the nearest nodes. */
static void metal_goes_to_the_nearest_nodes(void **state)
{
    (void)state;
    const double cell = 0.02;
    const double boxes[][6] = {
        {5, 9, 6, 12, 7, 10},            /* flush with nodes */
        {5.3, 8.8, 5.6, 12.4, 7.3, 9.6}, /* not */
        {4, 14, 4, 14, 7, 7.05},
        {4, 14, 4, 14, 7.2, 7.25},  /* a thin plate */
        {4, 14, 4, 14, 6.95, 7.05}, /* about a level of nodes */
        {6.9, 7.1, 4, 14, 4, 14},
        {4, 14, 7.3, 7.35, 4, 14}, /* upright */
    };
    for (size_t n = 0; n < sizeof boxes / sizeof *boxes; n++) {
        const double *box = boxes[n];
        struct house house;
        house_start(&house, 20 * cell, 20 * cell);
        scene_rectangle(&house.scene, box[0] * cell, box[2] * cell, box[1] * cell, box[3] * cell, 1, 0)->material =
            (struct material_choice){.name = "metal"};
        house_plan(&house);
        house_band(&house, 0, 0);
        house_band(&house, box[4] * cell, 1);
        house_band(&house, box[5] * cell, 0);
        for (int a = 0; a < 3; a++) {
            house_raster(&house, volume_of(20, 20, 20, cell, 0, 0, 0), KINDS[a]);
            for (int m = 0; m < 3 * 8000; m++) {
                int c = m / 8000, node[3] = {m % 20, m / 20 % 20, m / 400 % 20};
                bool inside = true;
                for (int d = 0; d < 3; d++) {
                    double first = round(box[2 * d]), last = round(box[2 * d + 1]);
                    inside = inside && node[d] >= first && node[d] + (d == c ? 1 : 0) <= last;
                }
                assert_int_equal(is_held(&house, c, node[0], node[1], node[2]), inside);
            }
        }
        house_end(&house);
    }
}

/* A thin oblique sheet across the plan: no way leads from one side to the other along edges that are free, for Ez from
 * node to node; and the held ones stand within a cell of the sheet. */
static void thin_oblique_metal_has_no_holes(void **state)
{
    (void)state;
    const double cell = 0.02;
    enum { N = 60 };
    for (double angle = 0.05; angle < 1.5; angle += 0.11) {
        struct house house;
        house_start(&house, N * cell, N * cell);
        double x = 0.601, y = 0.597, dx = 2 * cos(angle), dy = 2 * sin(angle);
        scene_wall(&house.scene, x - dx, y - dy, x + dx, y + dy, 0.002, 1)->material =
            (struct material_choice){.name = "metal"};
        house_plan(&house);
        for (int b = 0; b < 3; b++) {
            house_band(&house, b, EVERY_SHAPE);
        }
        house_raster(&house, volume_of(N, N, 3, cell, 0, 0, 0), AVERAGING_MOMENT);
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                double side = ((i * cell - x) * sin(angle) - (j * cell - y) * cos(angle)) / cell;
                if (is_held(&house, 2, i, j, 1)) {
                    assert_true(fabs(side) < 0.8);
                    continue;
                }
                for (int d = 0; d < 2; d++) { /* a link over the sheet ends at a held node */
                    int e = i + (d == 0), f = j + (d == 1);
                    double beyond = ((e * cell - x) * sin(angle) - (f * cell - y) * cos(angle)) / cell;
                    if (e < N && f < N && !is_held(&house, 2, e, f, 1)) {
                        assert_true(side * beyond > 0);
                    }
                }
            }
        }
        house_end(&house);
    }
}

/* ---- x and y exchanged ---- */

/* A picture with pixels of two materials, and shapes on it: the same material at the exchanged point. */
static void an_exchanged_plan_is_the_same_plan(void **state)
{
    (void)state;
    enum { COLUMNS = 5, ROWS = 4 };
    struct scene scene;
    scene_start(&scene, COLUMNS * 0.1, ROWS * 0.1);
    scene_wall(&scene, 0.05, 0.1, 0.4, 0.33, 0.04, 3);
    struct shape *circle = scene_add(&scene, SHAPE_CIRCLE, 4, 0);
    circle->points[0] = (struct point){0.4, 0.1};
    circle->radius = 0.07;
    assert_int_equal(floorplan_create(&scene.scenario, false, &scene.warnings, &scene.plan, &scene.error), PW_OK);
    struct floorplan plan = scene.plan, exchanged;
    uint16_t pixels[ROWS * COLUMNS];
    for (int p = 0; p < ROWS * COLUMNS; p++) {
        pixels[p] = p * p % 3 != 0;
    }
    struct mixed_pixel list[] = {{1, 1, 4, MIXED_LEFT}, {3, 1, 7, MIXED_ABOVE}, {0, 1, 3, MIXED_BELOW}};
    size_t start[ROWS + 1] = {0, 2, 2, 3, 3};
    plan.pixels = pixels;
    plan.pixel_columns = COLUMNS;
    plan.pixel_rows = ROWS;
    plan.pixel = 0.1;
    plan.mixed = (struct mixed_pixels){list, 3, 3, start};
    assert_int_equal(plan_exchanged_create(&plan, &exchanged, &scene.error), PW_OK);
    for (int n = 0; n < 100 * 80; n++) {
        double x = (n % 100 + 0.3) * 0.005, y = (n / 100 + 0.7) * 0.005;
        assert_int_equal(floorplan_material_at(&plan, x, y), floorplan_material_at(&exchanged, y, x));
    }
    plan_exchanged_free(&exchanged);
    scene_end(&scene);
}

/* Any number of threads gives the same medium, entry by entry. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    struct house house[2];
    for (int h = 0; h < 2; h++) {
        omp_set_num_threads(h == 0 ? 1 : 3);
        house_start(&house[h], 3, 4);
        scene_wall(&house[h].scene, 0.5, 0.3, 2.2, 3.6, 0.1, 2.89);
        scene_rectangle(&house[h].scene, 1, 0, 1.13, 4, 5.24, 0.05);
        scene_rectangle(&house[h].scene, 2.4, 0.2, 2.6, 3, 1, 0)->material = (struct material_choice){.name = "metal"};
        house_plan(&house[h]);
        house_band(&house[h], 0, 0);
        house_band(&house[h], 0.21, EVERY_SHAPE);
        house_band(&house[h], 0.77, 1);
        house_raster(&house[h], volume_of(150, 180, 40, 0.025, -0.3, -0.2, -0.1), AVERAGING_MOMENT);
    }
    const struct medium *one = &house[0].medium, *other = &house[1].medium;
    assert_int_equal(one->layer_count, other->layer_count);
    assert_int_equal(one->palette_count, other->palette_count);
    assert_int_equal(one->tensor_count, other->tensor_count);
    assert_memory_equal(one->index, other->index, (size_t)one->layer_count * 150 * 180 * sizeof *one->index);
    for (int p = 0; p < one->palette_count; p++) {
        assert_true(one->palette[p].relative_permittivity == other->palette[p].relative_permittivity);
        assert_true(one->palette[p].conductivity == other->palette[p].conductivity);
    }
    for (int64_t t = 0; t < one->tensor_count; t++) {
        assert_true(one->tensor[t].node == other->tensor[t].node);
        assert_true(one->tensor[t].inverse_permittivity == other->tensor[t].inverse_permittivity);
    }
    house_end(&house[0]);
    house_end(&house[1]);
}

/* ---- misuse ---- */

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct house house;
    small_house(&house, 0.02);
    struct raster_volume volume = volume_of(10, 10, 10, 0.02, 0, 0, 0);
    assert_int_equal(
        raster_building(&house.building, &volume, AVERAGING_BANDLIMITED, &house.medium, &house.scene.error),
        PW_BAD_INPUT);
    assert_non_null(strstr(house.scene.error.message, "moment, area or point"));
    volume.nz = 0;
    assert_int_equal(raster_building(&house.building, &volume, AVERAGING_AREA, &house.medium, &house.scene.error),
                     PW_BAD_INPUT);
    volume = volume_of(10, 10, 10, 0.02, 0, 0, 0);
    volume.plane.wave_number = 0;
    assert_int_equal(raster_building(&house.building, &volume, AVERAGING_AREA, &house.medium, &house.scene.error),
                     PW_BAD_INPUT);
    house_end(&house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_building_is_uniform),
        cmocka_unit_test(a_building_runs_on_behind_a_wall),
        cmocka_unit_test(aligned_walls_agree_with_the_definition),
        cmocka_unit_test(conductivity_is_never_negative),
        cmocka_unit_test(beside_a_strong_contrast_values_are_bounded),
        cmocka_unit_test(the_axes_are_alike),
        cmocka_unit_test(nothing_changes_along_z_as_in_two_dimensions),
        cmocka_unit_test(levels_share_layers),
        cmocka_unit_test(metal_goes_to_the_nearest_nodes),
        cmocka_unit_test(thin_oblique_metal_has_no_holes),
        cmocka_unit_test(an_exchanged_plan_is_the_same_plan),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
