/* The tensor at walls that lie along neither axis: against that of a rotated slab, averaged by quadrature. */
#include "tests/medium/house_scene.h"

#include "medium/averaging_weight.h"

static const enum averaging KINDS[] = {AVERAGING_AREA, AVERAGING_MOMENT};

struct complex_inverse {
    double real, imaginary;
};

/* 1/eps about a place beside a wall of the thickness [cells] whose centre line passes the origin with the normal (nx,
 * ny), summed up directly: means of the permittivity and of its inverse. */
struct means {
    struct complex_inverse of_mean, of_inverse;
};

static struct means tilted_means(const struct averaging_weight *weight, double nx, double ny, double thickness,
                                 const double place[2], double loss)
{
    enum { LINES = 600 }; /* of a cell; along each of them the weight's integral is exact */
    const struct averaging_weight box = weight_box();
    const double wall = 2.89, sigma = 0.01, square = wall * wall + pow(loss * sigma, 2);
    const double half = 0.5 * thickness / fabs(nx);
    double smooth = 0, boxed = 0;
    for (int p = 0; p < 2 * weight->reach * LINES; p++) {
        double y = -weight->reach + (p + 0.5) / LINES, low = y - 0.5 / LINES, high = y + 0.5 / LINES;
        double middle = -(nx * place[0] + ny * (place[1] + y)) / nx;
        smooth += (weight_integral(weight, high) - weight_integral(weight, low)) *
                  (weight_integral(weight, middle + half) - weight_integral(weight, middle - half));
        boxed += (weight_integral(&box, high) - weight_integral(&box, low)) *
                 (weight_integral(&box, middle + half) - weight_integral(&box, middle - half));
    }
    double e = 1 + (wall - 1) * smooth, c = loss * sigma * boxed;
    return (struct means){{e / (e * e + c * c), c / (e * e + c * c)},
                          {1 + smooth * (wall / square - 1), boxed * loss * sigma / square}};
}

static void assert_tilted(const struct medium_entry *entry, const struct means *means, double square, double loss)
{
    struct complex_inverse wanted = {square * means->of_inverse.real + (1 - square) * means->of_mean.real,
                                     square * means->of_inverse.imaginary + (1 - square) * means->of_mean.imaginary};
    double length = pow(wanted.real, 2) + pow(wanted.imaginary, 2);
    assert_near(entry->relative_permittivity, wanted.real / length, 3e-3);
    assert_near(entry->conductivity, wanted.imaginary / length / loss, 6e-5);
}

static double off_diagonal_at(const struct house *house, int i, int j, int k)
{
    for (int64_t t = 0; t < house->medium.tensor_count; t++) {
        if (house->medium.tensor[t].node == ((int64_t)k * house->medium.ny + j) * house->medium.nx + i) {
            assert_int_equal(house->medium.tensor[t].from, 0);
            assert_int_equal(house->medium.tensor[t].to, 1);
            return house->medium.tensor[t].inverse_permittivity;
        }
    }
    return 0;
}

static void a_tilted_wall_has_the_tensor_of_a_rotated_slab(void **state)
{
    (void)state;
    const double cell = 0.02, thickness[] = {0.4, 3.3}; /* in its middle a thin wall has no gradient */
    struct averaging_weight moment;
    assert_int_equal(weight_moment(&moment, NULL), PW_OK);
    const struct averaging_weight box = weight_box();
    for (int n = 0; n < 12; n++) {
        const int a = n % 2, angle_of = n / 2 % 3;
        const double angle = M_PI / 180 * (angle_of == 0 ? 45 : angle_of == 1 ? 30 : 105), wide = thickness[n / 6];
        const double nx = -sin(angle), ny = cos(angle), x = 20.3, y = 19.6;
        struct house house;
        house_start(&house, 40 * cell, 40 * cell);
        scene_wall(&house.scene, (x - 60 * ny) * cell, (y + 60 * nx) * cell, (x + 60 * ny) * cell, (y - 60 * nx) * cell,
                   wide * cell, 2.89);
        house_plan(&house);
        for (int b = 0; b < 3; b++) {
            house_band(&house, b, EVERY_SHAPE);
        }
        struct raster_volume volume = volume_of(40, 40, 3, cell, 0, 0, 0);
        const double loss = FREE_SPACE_IMPEDANCE / volume.plane.wave_number;
        const struct averaging_weight *weight = KINDS[a] == AVERAGING_MOMENT ? &moment : &box;
        house_raster(&house, volume, KINDS[a]);
        assert_true(house.medium.tensor_count > 100);
        for (int m = 0; m < 7; m++) {
            const int i = 20 + (int)lrint((m - 3) * nx), j = 20 + (int)lrint((m - 3) * ny) + m % 2;
            for (int c = 0; c < 3; c++) {
                const double place[2] = {i - x + (c == 0 ? 0.5 : 0), j - y + (c == 1 ? 0.5 : 0)};
                struct means means = tilted_means(weight, nx, ny, wide, place, loss);
                struct medium_entry entry = component_at(&house, c, i, j, 1);
                assert_tilted(&entry, &means, c == 0 ? nx * nx : c == 1 ? ny * ny : 0, loss);
                double wanted = nx * ny * (means.of_inverse.real - means.of_mean.real);
                if (c == 2) { /* Ez stands at the node */
                    assert_near(off_diagonal_at(&house, i, j, 1), wanted, 2e-3);
                }
            }
        }
        house_end(&house);
    }
    weight_free(&moment);
}

/* Aligned walls keep their formula beside a tilted one, up to the reach of the weight; at the metal nothing couples. */
static void only_places_at_tilted_walls_have_a_tensor(void **state)
{
    (void)state;
    const double cell = 0.02;
    struct house house[2];
    for (int h = 0; h < 2; h++) {
        house_start(&house[h], 60 * cell, 40 * cell);
        scene_rectangle(&house[h].scene, 5.3 * cell, 3 * cell, 8.1 * cell, 36 * cell, 5.24, 0.05);
        scene_rectangle(&house[h].scene, 5.3 * cell, 3 * cell, 20 * cell, 5.7 * cell, 5.24, 0.05);
        scene_rectangle(&house[h].scene, 36 * cell, 16 * cell, 40 * cell, 20 * cell, 1, 0)->material =
            (struct material_choice){.name = "metal"};
        scene_wall(&house[h].scene, 30 * cell, 10 * cell, 50 * cell, 30 * cell, 3 * cell, 2.89);
        house_plan(&house[h]);
        house_band(&house[h], 0, 0);
        house_band(&house[h], 5 * cell, h == 0 ? 7 : 15);
        house_band(&house[h], 13 * cell, 0);
        house_raster(&house[h], volume_of(60, 40, 20, cell, 0, 0, 0), AVERAGING_MOMENT);
    }
    assert_int_equal(house[0].medium.tensor_count, 0);
    assert_true(house[0].medium.tensor_bound == 0);
    assert_true(house[1].medium.tensor_count > 1000);
    for (int n = 0; n < 3 * 24 * 40 * 20; n++) {
        int c = n % 3, i = n / 3 % 24, j = n / 72 % 40, k = n / 2880;
        struct medium_entry entry = component_at(&house[0], c, i, j, k), other = component_at(&house[1], c, i, j, k);
        assert_near(other.relative_permittivity, entry.relative_permittivity, 1e-11);
        assert_near(other.conductivity, entry.conductivity, 1e-12);
    }
    int64_t last = -1;
    for (int64_t t = 0; t < house[1].medium.tensor_count; t++) {
        const struct medium_tensor *tensor = &house[1].medium.tensor[t];
        int i = (int)(tensor->node % 60), j = (int)(tensor->node / 60 % 40), k = (int)(tensor->node / 2400);
        assert_true(tensor->node > last);
        last = tensor->node;
        double least[2], largest[2];
        for (int c = 0; c < 2; c++) {
            struct medium_entry here = component_at(&house[1], c, i, j, k);
            struct medium_entry before = component_at(&house[1], c, i - (c == 0), j - (c == 1), k);
            assert_false(here.perfect_conductor || before.perfect_conductor);
            least[c] = 1 / fmax(here.relative_permittivity, before.relative_permittivity);
            largest[c] = 1 / fmin(here.relative_permittivity, before.relative_permittivity);
        }
        assert_true(pow(tensor->inverse_permittivity, 2) < least[0] * least[1]);
        const double bound = house[1].medium.tensor_bound; /* the tensor less this has no eigenvalue over 0 */
        assert_true(bound >= largest[0] && bound >= largest[1]);
        assert_true((bound - largest[0]) * (bound - largest[1]) >= pow(tensor->inverse_permittivity, 2) * (1 - 1e-9));
    }
    house_end(&house[0]);
    house_end(&house[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tilted_wall_has_the_tensor_of_a_rotated_slab),
        cmocka_unit_test(only_places_at_tilted_walls_have_a_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
