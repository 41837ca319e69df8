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

/* H is that of a run whose scenario says where the person is, on the upper of two storeys. */
static void test_run(void **state)
{
    (void)state;
    static const char *const STOREYS[] = {
        "plan.storeys=[{name: cellar, height: 10 cm}, {name: shop, height: 30 cm, floor: {material: "
        "wood, thickness: 4 cm}}]",
        "transmitters=[{name: a, at: [0.2 m, 0.45 m, 40 cm]}]",
        "receivers=[{name: b, at: [1 m, 0.47 m, 24 cm]}, {name: c, at: [0.9 m, 0.75 m, 36 cm]}]"};
    char material[MATERIAL_SIZE], person[600], text[2000];
    const char *overrides[] = {STOREYS[0], STOREYS[1], STOREYS[2], person};
    double off;
    pw_error error = {""};
    pw_walk_path path;
    struct walk walk;
    pw_scenario *scenario = NULL, *with = NULL;
    muscle_material(0.9e9, 1.1e9, material, &off);
    snprintf(person, sizeof person,
             "plan.circles=[{centre: [0.6 m, 0.4 m], radius: 8 cm, z: [14 cm, 34 cm], material: %s}]", material);
    snprintf(text, sizeof text, PLATES, 3, "");
    char *storey = strstr(text, "  storey:"), *rest = strstr(text, "grid:");
    memmove(storey, rest, strlen(rest) + 1);
    assert_int_equal(pw_scenario_parse("shop", text, overrides, 3, &scenario, &error), PW_OK);
    assert_int_equal(pw_scenario_parse("shop", text, overrides, 4, &with, &error), PW_OK);
    assert_int_equal(pw_walk_path_parse("0.6,0.4", &path, &error), PW_OK);
    pw_walk_options options = options_of(&path, 0.2);
    options.storey = "shop";
    if (walk_solve(scenario, &options, &walk, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    double complex *run = response_of(with, &walk);
    double error_square = 0, all = 0;
    for (int n = 0; n < 5 * 2; n++) {
        error_square += pow(cabs(walk.csi[n] - run[n]), 2);
        all += pow(cabs(run[n]), 2);
    }
    print_message("a run with the person: %.2g off\n", sqrt(error_square / all));
    assert_true(sqrt(error_square / all) < 1e-5);
    free(run);
    walk_free(&walk);
    pw_scenario_free(with);
    pw_scenario_free(scenario);
}

static void refuses(const pw_scenario *scenario, const char *way, const pw_walk_options *options, pw_status status,
                    const char *words)
{
    struct walk walk;
    pw_walk_path path;
    pw_error error = {""};
    pw_walk_options own = *options;
    assert_int_equal(pw_walk_path_parse(way, &path, &error), PW_OK);
    own.paths = &path;
    if (walk_solve(scenario, &own, &walk, &error) != status) {
        fail_msg("%s is not refused: %s", way, error.message);
    }
    if (strstr(error.message, words) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, words);
    }
    walk_free(&walk);
}

static void test_refused(void **state)
{
    (void)state;
    pw_scenario *space =
        plates_of(3, "  rectangles: [{from: [0.5 m, 0.1 m], to: [0.9 m, 0.3 m], z: [4 cm, 8 cm], material: wood}]\n");
    pw_walk_options options = options_of(NULL, 0.08);
    refuses(space, "0.2,0.4", &options, PW_BAD_INPUT, "stands on 'a'");
    refuses(space, "0.7,0.25", &options, PW_BAD_INPUT, "meets a wall or a thing");
    refuses(space, "0.05,0.4", &options, PW_BAD_INPUT, "within 0.09 m of its edge");
    options.storey = "attic";
    refuses(space, "0.6,0.5", &options, PW_USAGE, "storey 'attic' is not in the plan. The lowest is 'storey1'");
    options.storey = NULL;
    options.height = 1.7;
    refuses(space, "0.6,0.5", &options, PW_BAD_INPUT, "does not stand upright in a storey of 0.08 m");
    options.height = 0.08;
    options.method = PW_WALK_CYLINDER;
    refuses(space, "0.6,0.5", &options, PW_BAD_INPUT, "--method exact");
    options.method = PW_WALK_EXACT;
    pw_scenario *flat = plates_of(2, "");
    options.storey = "storey1";
    refuses(flat, "0.6,0.5", &options, PW_USAGE, "a storey is for three dimensions");
    pw_scenario_free(flat);
    pw_scenario_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plates), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
