/* Metal whose surface lies between the nodes: resonances of cavities with faces anywhere, the law of the mirror, thin
 * and symmetric metal. */
#include "tests/support/shape_scene.h"

#include "medium/metal/mirror_law.h"
#include "medium/metal_surface.h"

#include <math.h>
#include <stdlib.h>

static const enum scheme MIRROR_SCHEMES[] = {SCHEME_YEE, SCHEME_DD2, SCHEME_DD4, SCHEME_FD8};

/* The lowest wave number [rad/cell] of row j of the medium: L E + k^2 permittivity E = 0 on the nodes that are not
 * metal, by inverse iteration. */
static double lowest_wave_number(const struct scene *scene, int j, const struct stencil *stencil)
{
    enum { MOST = 64 };
    int node[MOST], count = 0;
    for (int i = 0; i < scene->medium.nx; i++) {
        if (!entry_at(scene, i, j).perfect_conductor) {
            assert_true(count < MOST);
            node[count++] = i;
        }
    }
    static double matrix[MOST][MOST], inverse[MOST][MOST]; /* Gauss and Jordan: -L is positive, no pivots */
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < count; c++) {
            int m = abs(node[r] - node[c]);
            matrix[r][c] = m == 0 ? -stencil->centre : (m < 2 * stencil->reach ? -stencil->laplacian[m - 1] : 0);
            inverse[r][c] = r == c;
        }
    }
    for (int p = 0; p < count; p++) {
        double pivot = matrix[p][p];
        for (int c = 0; c < count; c++) {
            matrix[p][c] /= pivot;
            inverse[p][c] /= pivot;
        }
        for (int r = 0; r < count; r++) {
            double factor = r == p ? 0 : matrix[r][p];
            for (int c = 0; c < count; c++) {
                matrix[r][c] -= factor * matrix[p][c];
                inverse[r][c] -= factor * inverse[p][c];
            }
        }
    }
    double field[MOST], next[MOST], growth = 0;
    for (int r = 0; r < count; r++) {
        field[r] = 1;
    }
    for (int round = 0; round < 60; round++) {
        growth = 0;
        for (int r = 0; r < count; r++) {
            next[r] = 0;
            for (int c = 0; c < count; c++) {
                next[r] += inverse[r][c] * permittivity_at(scene, node[c], j) * field[c];
            }
            growth = fmax(growth, fabs(next[r]));
        }
        for (int r = 0; r < count; r++) {
            field[r] = next[r] / growth;
        }
    }
    return sqrt(1 / growth);
}

/* A gap of half a wavelength at the band's centre between two metal walls, faces anywhere between the nodes: k width =
 * pi. */
static double resonance_error(enum scheme scheme, double cells, double offset, bool placed)
{
    const double k = 2 * M_PI * 2.4e9 / 299792458, width = M_PI / k, cell = width / cells;
    struct stencil stencil = stencil_get(scheme, &STENCIL_USUAL_BAND);
    struct scene scene;
    scene_start(&scene, 60 * cell, 40 * cell);
    double left = (15 + offset) * cell;
    scene_rectangle(&scene, 0, 0, left, 1, 1, 0)->material = (struct material_choice){.name = "metal"};
    scene_rectangle(&scene, left + width, 0, 60 * cell, 1, 1, 0)->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(60, 3, cell, 0, 10 * cell);
    grid.wave_number = k;
    grid.stencil = placed ? &stencil : NULL;
    scene_raster(&scene, grid, AVERAGING_AREA);
    for (int p = 0; p < scene.medium.palette_count; p++) {
        assert_true(scene.medium.palette[p].relative_permittivity >= 1);
    }
    double error = fabs(lowest_wave_number(&scene, 1, &stencil) / cell / k - 1);
    scene_end(&scene);
    return error;
}

static void cavity_between_metal_has_its_resonance(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof MIRROR_SCHEMES / sizeof MIRROR_SCHEMES[0]; s++) {
        double worst[2] = {0}, staircase = 0;
        for (double offset = 0; offset < 1; offset += 0.0625) {
            worst[0] = fmax(worst[0], resonance_error(MIRROR_SCHEMES[s], 10.37, offset, true));
            worst[1] = fmax(worst[1], resonance_error(MIRROR_SCHEMES[s], 20.74, offset, true));
            staircase = fmax(staircase, resonance_error(MIRROR_SCHEMES[s], 20.74, offset, false));
        }
        assert_true(worst[1] < 0.005);
        assert_true(worst[0] > 3 * worst[1]); /* second order */
        assert_true(staircase > 0.02);
    }
}

static void mirror_law_of_yee_is_the_slope(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_YEE, &STENCIL_USUAL_BAND);
    struct mirror_law law = mirror_law_of(&stencil, 0);
    assert_true(fabs(law.place - 1) < 1e-12 && fabs(law.compliance - 1) < 1e-12);
    for (double f = 1; f < 9; f += 0.37) {
        assert_true(fabs(mirror_stiffness(&law, f) - (1 - 1 / f)) < 1e-12);
    }
    assert_true(mirror_stiffness(&law, 0.5) == 0);
    assert_true(fabs(mirror_stiffness(&law, INFINITY) - 1) < 1e-12);
}

/* Before it there is sin (turn (p + f)) at node -p, as before metal f cells beyond node 0, to which node 1 adds
 * nothing: for yee sin(turn (f - 1))/sin(turn f), and no less than the static law. */
static void mirror_law_of_yee_is_that_of_waves(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_YEE, &STENCIL_USUAL_BAND);
    const double turn = 0.7;
    struct mirror_law law = mirror_law_of(&stencil, turn);
    for (double f = 1; f < M_PI_2 / turn; f += 0.1) {
        double expected = sin(turn * (f - 1)) / sin(turn * f);
        assert_true(fabs(mirror_stiffness(&law, f) - fmax(expected, 1 - 1 / f)) < 1e-9);
        assert_true(expected >= 1 - 1 / f);
    }
    assert_true(fabs(mirror_stiffness(&law, INFINITY) - 1) < 1e-12);
}

static void planes_are_as_many_as_stop_a_wave(void **state)
{
    (void)state;
    static const int planes[SCHEME_COUNT] = {[SCHEME_YEE] = 1, [SCHEME_DD2] = 3, [SCHEME_DD3] = 4, [SCHEME_DD4] = 5,
                                             [SCHEME_FD4] = 2, [SCHEME_FD6] = 3, [SCHEME_FD8] = 3, [SCHEME_FD4O] = 2};
    for (int s = 0; s < SCHEME_COUNT; s++) {
        struct stencil stencil = stencil_get((enum scheme)s, &STENCIL_USUAL_BAND);
        assert_int_equal(metal_planes(&stencil), planes[s]);
    }
}

/* Mean square displacement over a band and all places, by sums. */
static double displacement(double slack, double half_band)
{
    double sum = 0;
    int count = 0;
    for (int p = 0; p < 1000; p++) {
        double place = (p + 0.5) / 1000 - slack; /* of the metal beyond where the mirror stands by itself */
        for (int b = 0; b < 20; b++, count++) {
            double detuning = 2 * half_band * ((b + 0.5) / 10 - 1);
            sum += pow(place < 0 ? place : place * (1 + place) * detuning, 2);
        }
    }
    return sum / count;
}

static void mirror_slack_is_the_best(void **state)
{
    (void)state;
    assert_true(mirror_slack(0) < 1e-9);
    assert_true(mirror_slack(0.5) == 0.5 && mirror_slack(2) == 0.5);
    for (double half_band = 0.05; half_band < 0.45; half_band += 0.1) {
        double slack = mirror_slack(half_band), here = displacement(slack, half_band);
        assert_true(here <= displacement(slack - 0.05, half_band) && here <= displacement(slack + 0.05, half_band));
    }
}

static void thin_metal_is_tight(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4, &STENCIL_USUAL_BAND);
    for (int row = 0; row < 8; row++) { /* a foil of a tenth of a cell, anywhere */
        struct scene scene;
        scene_start(&scene, 2, 2);
        double y = 1 + row * 0.0025;
        scene_rectangle(&scene, 0.5, y, 1.5, y + 0.002, 1, 0)->material = (struct material_choice){.name = "metal"};
        struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
        grid.wave_number = 50;
        grid.stencil = &stencil;
        scene_raster(&scene, grid, AVERAGING_MOMENT);
        for (int i = 26; i < 75; i++) {
            assert_true(entry_at(&scene, i, 50).perfect_conductor || entry_at(&scene, i, 51).perfect_conductor);
        }
        assert_true(permittivity_at(&scene, 50, 40) == 1 && permittivity_at(&scene, 50, 60) == 1);
        scene_end(&scene);
    }
}

static void mirrored_metal_gives_mirrored_medium(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4, &STENCIL_USUAL_BAND);
    struct scene scene;
    scene_start(&scene, 2, 2);
    struct shape *post = scene_add(&scene, SHAPE_CIRCLE, 1, 0);
    post->points[0] = (struct point){1, 1};
    post->radius = 0.3137;
    post->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
    grid.wave_number = 50;
    grid.half_band = 0.1;
    grid.stencil = &stencil;
    scene_raster(&scene, grid, AVERAGING_BANDLIMITED);
    int raised = 0;
    for (int j = 0; j <= 100; j++) {
        for (int i = 0; i <= 100; i++) {
            struct medium_entry here = entry_at(&scene, i, j), there = entry_at(&scene, j, 100 - i);
            assert_true(here.perfect_conductor == there.perfect_conductor);
            assert_true(fabs(here.relative_permittivity - there.relative_permittivity) < 1e-4);
            raised += here.relative_permittivity > 1;
        }
    }
    assert_true(raised > 60 && raised < 200); /* one ring of nodes, 99 cells round */
    scene_end(&scene);
}

/* Faces on rows of nodes: shapes own their lower and left faces only, which must not show. */
static void metal_on_nodes_is_symmetric(void **state)
{
    (void)state;
    struct stencil stencil = stencil_get(SCHEME_DD4, &STENCIL_USUAL_BAND);
    struct scene scene;
    scene_start(&scene, 2, 2);
    scene_rectangle(&scene, 0.8, 0.9, 1.2, 1.1, 1, 0)->material = (struct material_choice){.name = "metal"};
    struct raster_grid grid = grid_of(101, 101, 0.02, 0, 0);
    grid.wave_number = 50;
    grid.half_band = 0.1;
    grid.stencil = &stencil;
    scene_raster(&scene, grid, AVERAGING_MOMENT);
    for (int j = 0; j <= 100; j++) {
        for (int i = 0; i <= 100; i++) {
            struct medium_entry here = entry_at(&scene, i, j);
            for (int flip = 1; flip < 4; flip++) {
                struct medium_entry there = entry_at(&scene, flip & 1 ? 100 - i : i, flip & 2 ? 100 - j : j);
                assert_true(here.perfect_conductor == there.perfect_conductor);
                assert_true(fabs(here.relative_permittivity - there.relative_permittivity) < 1e-4);
            }
        }
    }
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cavity_between_metal_has_its_resonance),
        cmocka_unit_test(mirror_law_of_yee_is_the_slope),
        cmocka_unit_test(mirror_law_of_yee_is_that_of_waves),
        cmocka_unit_test(planes_are_as_many_as_stop_a_wave),
        cmocka_unit_test(mirror_slack_is_the_best),
        cmocka_unit_test(thin_metal_is_tight),
        cmocka_unit_test(mirrored_metal_gives_mirrored_medium),
        cmocka_unit_test(metal_on_nodes_is_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
