/* What an import guesses from names, and the conductivity that it gives a wall of a stated loss. */
#include "tests/support/check.h"

#include "import/class_guess.h"
#include "import/wall_loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

/* A layer of a drawing in lines without width. */
static struct class_guess guess_of(const char *name, enum class_use use, const char *material)
{
    struct class_guess guess;
    struct drawing_class class = {.use = use, .low = NAN, .high = NAN, .lines = 3};
    snprintf(class.name, sizeof class.name, "%s", name);
    snprintf(class.material, sizeof class.material, "%s", material);
    class_guess(&class, "brick", false, &guess);
    return guess;
}

static void test_names_of_layers(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        enum class_use use;
        const char *material;
        bool guessed;
    } CASES[] = {
        {"A-WALL", CLASS_WALLS, "brick", true},        {"A-WALL-FULL-CONC", CLASS_WALLS, "concrete", false},
        {"AUSSENWAND", CLASS_WALLS, "brick", true},    {"Trockenbauwand", CLASS_WALLS, "plasterboard", false},
        {"Mur porteur", CLASS_WALLS, "brick", true},   {"Glass wall", CLASS_WALLS, "glass", false},
        {"S-COLS-Column", CLASS_WALLS, "brick", true}, {"A-GLAZ", CLASS_WINDOWS, "glass", false},
        {"Fenster", CLASS_WINDOWS, "glass", false},    {"A-DOOR", CLASS_DOORS, NULL, false},
        {"A-FURN", CLASS_IGNORED, NULL, false},        {"A-ANNO-TEXT", CLASS_IGNORED, NULL, false},
        {"Bemassung", CLASS_IGNORED, NULL, false},     {"0", CLASS_OPEN, NULL, false},
        {"Layer1", CLASS_OPEN, NULL, false},
    };
    for (size_t n = 0; n < sizeof CASES / sizeof CASES[0]; n++) {
        struct class_guess guess = guess_of(CASES[n].name, CLASS_OPEN, "");
        const char *material = guess.material != NULL ? guess.material : "none";
        if (guess.use != CASES[n].use || guess.material_guessed != CASES[n].guessed ||
            strcmp(material, CASES[n].material != NULL ? CASES[n].material : "none") != 0) {
            fail_msg("%s: use %d, %s, guessed %d", CASES[n].name, guess.use, material, guess.material_guessed);
        }
        assert_true(guess.reason[0] != '\0');
    }
}

/* What the file itself says is not overruled, and a word of it for a material is one of the table. */
static void test_what_the_file_says(void **unused)
{
    (void)unused;
    struct class_guess guess = guess_of("wall type 3", CLASS_WALLS, "Drywall");
    assert_string_equal(guess.material, "plasterboard");
    assert_false(guess.material_guessed);
    guess = guess_of("indoor=room", CLASS_OUTLINES, "");
    assert_int_equal(guess.use, CLASS_OUTLINES);
    assert_string_equal(guess.material, "brick"); /* and no door of wood */
    assert_true(guess.material_guessed && guess.thickness_guessed && guess.thickness > 0);
    guess = guess_of("furniture", CLASS_WALLS, "");
    assert_int_equal(guess.use, CLASS_WALLS);
}

static void test_dark_colours_are_walls(void **unused)
{
    (void)unused;
    struct class_guess guess;
    struct drawing_class class = {.use = CLASS_OPEN, .areas = 1, .colour = {20, 25, 30}, .name = "#14191e"};
    class_guess(&class, "concrete", false, &guess);
    assert_int_equal(guess.use, CLASS_WALLS);
    assert_string_equal(guess.material, "concrete");
    class.colour[0] = 220;
    class_guess(&class, "concrete", false, &guess);
    assert_int_equal(guess.use, CLASS_OPEN);
}

/* ---- losses ---- */

/* Without loss a slab that is whole half waves thick lets everything pass; a quarter wave thick one lets pass what two
 * faces do, 4 n^2 / (1 + n^2)^2. */
static void test_loss_of_slabs_in_closed_form(void **unused)
{
    (void)unused;
    const double permittivity = 4, frequency = 2.4e9, wave = 299792458.0 / frequency / 2;
    assert_true(fabs(slab_loss(permittivity, 0, wave / 2, frequency)) < 1e-9);
    double quarter = 16.0 / 25; /* 4 n^2 / (1 + n^2)^2 with n = 2 */
    assert_true(fabs(slab_loss(permittivity, 0, wave / 4, frequency) + 10 * log10(quarter)) < 1e-9);
}

/* A thick slab loses 8.686 alpha for every metre more, alpha = -Im k. */
static void test_loss_grows_with_thickness(void **unused)
{
    (void)unused;
    const double permittivity = 5, conductivity = 0.5, frequency = 2.4e9;
    double loss =
        slab_loss(permittivity, conductivity, 1.5, frequency) - slab_loss(permittivity, conductivity, 1, frequency);
    const double omega = 2 * acos(-1) * frequency, ratio = conductivity / (omega * 8.8541878128e-12 * permittivity);
    double alpha = omega / 299792458.0 * sqrt(permittivity / 2 * (sqrt(1 + ratio * ratio) - 1));
    assert_true(fabs(loss - 0.5 * alpha * 20 / log(10)) < 1e-6);
}

static void test_the_conductivity_gives_the_stated_loss(void **unused)
{
    (void)unused;
    static const double LOSSES[] = {4, 10, 12, 25};
    for (int n = 0; n < 4; n++) {
        double conductivity = conductivity_for_loss(3.91, 0.12, 2.4e9, LOSSES[n]);
        assert_true(conductivity > 0);
        assert_true(fabs(slab_loss(3.91, conductivity, 0.12, 2.4e9) - LOSSES[n]) < 1e-6);
    }
    assert_true(conductivity_for_loss(6.3, 0.12, 2.4e9, 0.01) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_layers),           cmocka_unit_test(test_what_the_file_says),
        cmocka_unit_test(test_dark_colours_are_walls),    cmocka_unit_test(test_loss_of_slabs_in_closed_form),
        cmocka_unit_test(test_loss_grows_with_thickness), cmocka_unit_test(test_the_conductivity_gives_the_stated_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
