/* What names of layers, groups and types mean: a table of names from public layer standards and from drawings that
 * people have, in many languages. Each is guessed as a class of lines without width, and once more as one of areas. */
#include "import/class_guess.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a name must come to. Doors that are drawn by lines are open; those that are areas are of what the table says. */
enum want { WALL, WINDOW, DOOR, NONE, OPEN };

static const struct {
    const char *name;
    enum want want;
    const char *material; /* "": none is said, and the wall's is a guess */
} NAMES[] = {
    /* AIA and NCS */
    {"A-WALL", WALL, ""},
    {"A-WALL-FULL", WALL, ""},
    {"A-WALL-PRHT", WALL, ""},
    {"A-WALL-FULL-CONC", WALL, "concrete"},
    {"A-WALL-FULL-N", WALL, ""},
    {"A-WALL-FULL-D", NONE, ""}, /* to be demolished */
    {"A-WALL-DEMO", NONE, ""},
    {"A-21----E-R", NONE, ""}, /* ISO 13567: to be removed */
    {"A-21----E-N", WALL, ""},
    {"Walls demolished", NONE, ""},
    {"Abbruch Wände", NONE, ""},
    {"muros_demolicion", NONE, ""},
    {"Glasfassade", WALL, "glass"},
    {"Glastrennwand", WALL, "glass"},
    {"Glasbausteine", WALL, "glass"},
    {"glasvägg", WALL, "glass"},
    {"玻璃幕墙", WALL, "glass"},
    {"ガラス壁", WALL, "glass"},
    {"유리벽", WALL, "glass"},
    {"стеклянная_перегородка", WALL, "glass"},
    {"mampara_vidrio", WALL, "glass"},
    {"StB-Wand", WALL, "concrete"},
    {"väliseinä", WALL, ""},
    {"Fensterband", WINDOW, "glass"},
    {"Fensterscheibe", WINDOW, "glass"},
    {"schuifpui", WINDOW, "glass"},
    {"raamkozijn", WINDOW, "glass"},
    {"deurkozijn", DOOR, "wood"},
    {"portafinestra", WINDOW, "glass"},
    {"esquadria", WINDOW, "glass"},
    {"Fensterbank", NONE, ""},
    {"Wandputz", NONE, ""},
    {"wall_clock", NONE, ""},
    {"cover.window_blind", NONE, ""},
    {"volets", NONE, ""},
    {"I-WALL", WALL, ""},
    {"S-WALL-CMUW", WALL, ""},
    {"S-COLS", WALL, ""},
    {"S-COLS-Column", WALL, ""},
    {"A-GLAZ", WINDOW, "glass"},
    {"A-GLAZ-CURT", WINDOW, "glass"},
    {"A-WIND", WINDOW, "glass"},
    {"WIND", WINDOW, "glass"},
    {"A_WIND_EXT", WINDOW, "glass"},
    {"A-DOOR", DOOR, "wood"},
    {"A-DOOR-IDEN", NONE, ""},
    {"A-WALL-IDEN", NONE, ""},
    {"A-GLAZ-SILL", NONE, ""},
    {"A-ANNO-TEXT", NONE, ""},
    {"A-ANNO-DIMS", NONE, ""},
    {"A-FURN", NONE, ""},
    {"A-FURN-FREE", NONE, ""},
    {"A-EQPM", NONE, ""},
    {"A-FLOR-PATT", NONE, ""},
    {"A-FLOR-STRS", NONE, ""},
    {"A-CLNG-GRID", NONE, ""},
    {"E-LITE", NONE, ""},
    {"M-HVAC-DUCT", NONE, ""},
    {"P-SANR-FIXT", NONE, ""},
    {"S-GRID", NONE, ""},
    {"S-BEAM", NONE, ""},
    {"L-PLNT-TREE", NONE, ""},
    {"G-ANNO-TTLB", NONE, ""},
    {"DEFPOINTS", NONE, ""},
    {"A-WALL-GWB", WALL, "plasterboard"},
    {"Masonry", WALL, "brick"},
    {"S-STEM-WALL", NONE, ""},
    {"S-FOOTER", NONE, ""},
    {"CMU", WALL, "concrete"},
    {"Trockenbau_GK", WALL, "plasterboard"},
    /* Other languages and scripts */
    {"Falak", WALL, ""},
    {"Válaszfal", WALL, ""},
    {"Ablakok", WINDOW, "glass"},
    {"Ajtók", DOOR, "wood"},
    {"Bútor", NONE, ""},
    {"Pereți", WALL, ""},
    {"PEREȚI_EXT", WALL, ""},
    {"Ferestre", WINDOW, "glass"},
    {"Uși", DOOR, "wood"},
    {"Duvarlar", WALL, ""},
    {"Pencere", WINDOW, "glass"},
    {"Kapılar", DOOR, "wood"},
    {"Mobilya", NONE, ""},
    {"Zidovi", WALL, ""},
    {"Prozori", WINDOW, "glass"},
    {"Vrata", DOOR, "wood"},
    {"Døre", DOOR, "wood"},
    {"Стены", WALL, ""},
    {"СТЕНЫ_наружные", WALL, ""},
    {"Перегородки", WALL, ""},
    {"Колонны", WALL, ""},
    {"Окна", WINDOW, "glass"},
    {"Двери", DOOR, "wood"},
    {"Дверь", DOOR, "wood"},
    {"Мебель", NONE, ""},
    {"Размеры", NONE, ""},
    {"墙", WALL, ""},
    {"外墙", WALL, ""},
    {"WALL-墙", WALL, ""},
    {"建-墙体", WALL, ""},
    {"窗", WINDOW, "glass"},
    {"门", DOOR, "wood"},
    {"家具", NONE, ""},
    {"标注", NONE, ""},
    {"外壁", WALL, ""},
    {"窓", WINDOW, "glass"},
    {"ドア", DOOR, "wood"},
    {"寸法", NONE, ""},
    {"벽", WALL, ""},
    {"내벽", WALL, ""},
    {"창문", WINDOW, "glass"},
    {"문자", NONE, ""},
    {"Vidros", WINDOW, "glass"},
    {"door_contact", NONE, ""},
    /* ISO 13567 and CI/SfB, after BS 1192 part 5 */
    {"A-21----E-", WALL, ""},
    {"A-22----E-N", WALL, ""},
    {"A-21----T-", NONE, ""},
    {"A-21----D-", NONE, ""},
    {"A-B374--E-", NONE, ""},
    {"S-28----E-", WALL, ""},
    {"A-314---E-", WINDOW, "glass"},
    {"A-325---E-", DOOR, "wood"},
    {"A-74----E-", NONE, ""},
    {"A-210", WALL, ""},
    {"A-220-G", WALL, ""},
    {"A210G701_WALL_L1", WALL, ""},
    {"A-214", WALL, "glass"},
    {"A-210-T", NONE, ""},
    {"A315G1", DOOR, "wood"},
    /* BS 1192 with Uniclass */
    {"A-G25-M", WALL, ""},
    {"A-G25-M_Walls", WALL, ""},
    {"A-G25-T_Walls", NONE, ""},
    {"A-G251-M2_ExtWall", WALL, ""},
    {"A-G23-M2_Stair", NONE, ""},
    {"A-EF_25_10-M_Walls", WALL, ""},
    {"A-EF_25_10-M", WALL, ""},
    {"A-EF_25_10-T", NONE, ""},
    {"A-Ss_25_30_95-M", WINDOW, "glass"},
    {"A-Ss_25_30_20-M", DOOR, "wood"},
    {"Pr_40_30_25_Furniture", NONE, ""},
    /* German */
    {"Wand", WALL, ""},
    {"WÄNDE", WALL, ""},
    {"Wa\xcc\x88nde", WALL, ""}, /* the accent apart, as macOS writes it */
    {"W\xe4nde", WALL, ""},      /* Latin-1 */
    {"AUSSENWAND", WALL, ""},
    {"Innenwände tragend", WALL, ""},
    {"Trockenbauwand", WALL, "plasterboard"},
    {"Stahlbetonwand", WALL, "concrete"},
    {"Glaswand", WALL, "glass"},
    {"STB", WALL, "concrete"},
    {"A_STB_Wand", WALL, "concrete"},
    {"MW", WALL, "brick"},
    {"Mauerwerk", WALL, "brick"},
    {"GK-Wand", WALL, "plasterboard"},
    {"Stützen", WALL, ""},
    {"Fenster", WINDOW, "glass"},
    {"Fenster EG", WINDOW, "glass"},
    {"TÜR", DOOR, "wood"},
    {"Innentüren", DOOR, "wood"},
    {"Tueren", DOOR, "wood"},
    {"Wandschrank", NONE, ""},
    {"Fensterbank", NONE, ""},
    {"Bemassung", NONE, ""},
    {"Bemaßung", NONE, ""},
    {"Türbeschriftung", NONE, ""},
    {"Möblierung", NONE, ""},
    {"Raumstempel", NONE, ""},
    {"Treppen", NONE, ""},
    /* French */
    {"MUR", WALL, ""},
    {"Murs porteurs", WALL, ""},
    {"ARGS__MUR-PORTEUR", WALL, ""},
    {"CLOISON", WALL, "plasterboard"},
    {"Poteaux", WALL, ""},
    {"Fenêtres", WINDOW, "glass"},
    {"FENETRE", WINDOW, "glass"},
    {"Fen\xeatre", WINDOW, "glass"},
    {"Mur rideau", WALL, "glass"},
    {"ASHA__PORTE", DOOR, "wood"},
    {"Portes", DOOR, "wood"},
    {"COTATION", NONE, ""},
    {"MOBILIER", NONE, ""},
    {"Cartouche", NONE, ""},
    /* Spanish, Italian, Portuguese */
    {"Muros", WALL, ""},
    {"PAREDES", WALL, ""},
    {"Tabiquería", WALL, ""},
    {"Muro de ladrillo", WALL, "brick"},
    {"Ventanas", WINDOW, "glass"},
    {"Puertas", DOOR, "wood"},
    {"Cotas", NONE, ""},
    {"MOBILIARIO", NONE, ""},
    {"Muri esterni", WALL, ""},
    {"Pareti", WALL, ""},
    {"Tramezzi", WALL, ""},
    {"Finestra", WINDOW, "glass"},
    {"Serramenti", WINDOW, "glass"},
    {"Porte", DOOR, "wood"},
    {"Quote", NONE, ""},
    {"Arredi", NONE, ""},
    {"Alvenaria", WALL, "brick"},
    {"Parede_Interna", WALL, ""},
    {"JANELAS", WINDOW, "glass"},
    {"Portões", DOOR, "wood"},
    {"Mobília", NONE, ""},
    /* Dutch, Polish, and others */
    {"Buitenmuren", WALL, ""},
    {"binnenwanden", WALL, ""},
    {"Gevel", WALL, ""},
    {"Ramen", WINDOW, "glass"},
    {"Binnendeuren", DOOR, "wood"},
    {"Maatvoering", NONE, ""},
    {"Meubilair", NONE, ""},
    {"Ściany zewnętrzne", WALL, ""},
    {"SCIANY", WALL, ""},
    {"Słupy", WALL, ""},
    {"Okna", WINDOW, "glass"},
    {"Drzwi", DOOR, "wood"},
    {"Wymiary", NONE, ""},
    {"Väggar", WALL, ""},
    {"Fönster", WINDOW, "glass"},
    {"Dörrar", DOOR, "wood"},
    {"Stěny", WALL, ""},
    {"Zdivo", WALL, ""},
    {"Okno", WINDOW, "glass"},
    {"Dveře", DOOR, "wood"},
    /* CamelCase, underscores, numbers, external references */
    {"IfcWallStandardCase", WALL, ""},
    {"IfcWindow", WINDOW, "glass"},
    {"ExtWall2", WALL, ""},
    {"interior_walls", WALL, ""},
    {"GlassWall", WALL, "glass"},
    {"wall-3", WALL, ""},
    {"LOW-E Glazing", WINDOW, "low-e glass"},
    {"Curtain Wall", WALL, "glass"},
    {"XREF-GF$0$A-WALL", WALL, ""},
    {"WALLS$0$A-FURN", NONE, ""},
    {"GROUND$0$CORE$0$A-GLAZ", WINDOW, "glass"},
    {"A-WALL-BASE|A-ANNO-NOTE", NONE, ""},
    {"furniture plan|A-WALL", WALL, ""},
    /* What a part of a word would mislead about. */
    {"sensor.wind_direction", NONE, ""},
    {"wind_direction", NONE, ""},
    {"windspeed", OPEN, ""},
    {"wind_chill", OPEN, ""},
    {"Wallet", OPEN, ""},
    {"indoor", OPEN, ""},
    {"Outdoor unit", OPEN, ""},
    {"Struktur", OPEN, ""},
    {"Murmel", OPEN, ""},
    {"Portfolio", OPEN, ""},
    {"Cabinet wall units", NONE, ""},
    {"wall light", NONE, ""},
    {"binary_sensor.door_kitchen", NONE, ""},
    {"Wanderweg", OPEN, ""},
    {"doorbell", OPEN, ""},
    {"mural", OPEN, ""},
    {"Floor plan", OPEN, ""},
    {"Aluminium_Fenster", WINDOW, "glass"},
    {"0", OPEN, ""},
    {"Layer1", OPEN, ""},
    {"", OPEN, ""},
};

static int failures;

static void check_name(size_t n, bool areas)
{
    struct drawing_class class = {.use = CLASS_OPEN, .low = NAN, .high = NAN};
    struct class_guess guess;
    snprintf(class.name, sizeof class.name, "%s", NAMES[n].name);
    *(areas ? &class.areas : &class.lines) = 3;
    class_guess(&class, "brick", false, &guess);
    const enum class_use uses[] = {[WALL] = CLASS_WALLS,
                                   [WINDOW] = CLASS_WINDOWS,
                                   [DOOR] = CLASS_DOORS,
                                   [NONE] = CLASS_IGNORED,
                                   [OPEN] = CLASS_OPEN};
    bool taken = NAMES[n].want == WALL || NAMES[n].want == WINDOW || (NAMES[n].want == DOOR && areas);
    const char *said = NAMES[n].material;
    if (guess.use != uses[NAMES[n].want] || (taken && guess.material_guessed != (said[0] == '\0')) ||
        (taken ? strcmp(guess.material, said[0] != '\0' ? said : "brick") != 0 : guess.material != NULL)) {
        print_error("'%s' as %s: use %d, %s%s\n", NAMES[n].name, areas ? "areas" : "lines", (int)guess.use,
                    guess.material != NULL ? guess.material : "no material", guess.material_guessed ? ", guessed" : "");
        failures++;
    }
}

static void test_names_mean_what_people_mean(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        check_name(n, false);
        check_name(n, true);
    }
    assert_int_equal(failures, 0);
}

/* Lines of a hatch are a pattern, areas of it fill the wall. */
static void test_hatches(void **unused)
{
    (void)unused;
    struct class_guess guess;
    struct drawing_class class = {.use = CLASS_OPEN, .low = NAN, .high = NAN, .lines = 3, .name = "A-WALL-PATT"};
    class_guess(&class, "brick", false, &guess);
    assert_int_equal(guess.use, CLASS_IGNORED);
    class.lines = 0, class.areas = 3;
    class_guess(&class, "brick", false, &guess);
    assert_int_equal(guess.use, CLASS_WALLS);
}

/* What the name leaves open, the groups around it say, the nearest first. */
static void test_groups_around(void **unused)
{
    (void)unused;
    static const struct {
        const char *around, *name;
        enum class_use use;
        const char *material;
    } GROUPS[] = {
        {"plan/walls", "outer", CLASS_WALLS, "brick"},       {"plan/walls/glass", "outer", CLASS_WALLS, "glass"},
        {"Wände", "Beton", CLASS_WALLS, "concrete"},         {"furniture", "outer", CLASS_IGNORED, NULL},
        {"walls/furniture", "part", CLASS_IGNORED, NULL},    {"walls", "furniture", CLASS_IGNORED, NULL},
        {"furniture", "plan walls", CLASS_WALLS, "brick"},   {"walls", "ground floor", CLASS_WALLS, "brick"},
        {"windows", "fill #000000", CLASS_WINDOWS, "glass"}, {"plan", "outer", CLASS_OPEN, NULL},
    };
    for (size_t n = 0; n < sizeof GROUPS / sizeof GROUPS[0]; n++) {
        struct class_guess guess;
        struct drawing_class class = {.use = CLASS_OPEN, .low = NAN, .high = NAN, .areas = 3};
        snprintf(class.name, sizeof class.name, "%s", GROUPS[n].name);
        snprintf(class.around, sizeof class.around, "%s", GROUPS[n].around);
        class_guess(&class, "brick", false, &guess);
        assert_int_equal(guess.use, GROUPS[n].use);
        assert_true(guess.material == NULL ? GROUPS[n].material == NULL
                                           : strcmp(guess.material, GROUPS[n].material) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_mean_what_people_mean),
                                       cmocka_unit_test(test_hatches), cmocka_unit_test(test_groups_around)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
