/* Walks in three dimensions, where every pose is solved: between plates of metal they are those of two dimensions; a
 * run whose scenario says where the person is; who stands under what, and on which storey. */
#include "tests/walk/room.h"

#define PLATES                                                                                                         \
    "dimensions: %d\n"                                                                                                 \
    "plan:\n"                                                                                                          \
    "  size: [1.2 m, 0.9 m]\n"                                                                                         \
    "  storey: {height: 8 cm, floor: {material: metal, thickness: 2 cm}, ceiling: {material: metal, thickness: 2 "     \
    "cm}}\n"                                                                                                           \
    "%s"                                                                                                               \
    "grid: {scheme: yee, averaging: point, cell: 1 cm, courant: 0.5, absorber: {cells: 8}}\n"                          \
    "band: {centre: 1 GHz, width: 200 MHz}\n"                                                                          \
    "transmitters: [{name: a, at: [0.2 m, 0.45 m, 4.5 cm]}]\n"                                                         \
    "receivers: [{name: b, at: [1 m, 0.47 m, 2.5 cm]}, {name: c, at: [0.9 m, 0.75 m, 4.5 cm]}]\n"                      \
    "spectra: {count: 5}\n"                                                                                            \
    "stop: {after: 20 ns, decay: off}\n"

static pw_scenario *plates_of(int dimensions, const char *shapes)
{
    char text[2000];
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    snprintf(text, sizeof text, PLATES, dimensions, shapes);
    if (pw_scenario_parse("plates.yaml", text, NULL, 0, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

static pw_walk_options options_of(const pw_walk_path *path, double height)
{
    return (pw_walk_options){.paths = path,
                             .person_count = 1,
                             .speed = 1,
                             .rate = 20,
                             .radius = RADIUS,
                             .height = height,
                             .method = PW_WALK_EXACT,
                             .compute = {.backend = "cpu", .threads = 1}};
}

static struct walk solve(const pw_scenario *scenario, double height)
{
    struct walk walk;
    pw_walk_path path;
    pw_error error = {""};
    assert_int_equal(pw_walk_path_parse("0.6,0.4", &path, &error), PW_OK);
    const pw_walk_options options = options_of(&path, height);
    if (walk_solve(scenario, &options, &walk, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return walk;
}

/* Between plates less than half a wavelength apart only the wave travels whose field is the same at all heights, and it
 * is that of two dimensions; so a person from floor to ceiling changes it as there. */
static void test_plates(void **state)
{
    (void)state;
    pw_scenario *flat = plates_of(2, ""), *space = plates_of(3, "");
    struct walk two = solve(flat, 1.7), three = solve(space, 0.08);
    double off = 0, all = 0;
    for (int n = 0; n < 5 * 2; n++) {
        const double complex right = two.csi[n] / two.empty[n], found = three.csi[n] / three.empty[n];
        off += pow(cabs(found - right), 2);
        all += pow(cabs(right - 1), 2);
    }
    print_message("what the person changes is %.4f off two dimensions\n", sqrt(off / all));
    assert_true(sqrt(off / all) < 0.01);
    walk_free(&two);
    walk_free(&three);
    pw_scenario_free(flat);
    pw_scenario_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
