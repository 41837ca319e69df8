/* Drawings, scans and photographs of a flat against the plan that they were made of: which walls an import finds, which
 * ones it makes up, and how long it takes. */
#include "validation/support/case.h"

#include <unistd.h>

#include "drawing/planwave_drawings.h"
#include "import/planwave_import.h"

enum { PIXELS = 1536, WORDS = 8 }; /* of the flat, 1 cm each */

/* A file, what a user has to say of it, and how well it must be understood. */
static const struct input {
    const char *kind, *file;
    double unit, region[4];
    const char *classes[WORDS], *pictures[WORDS];
    double least; /* intersection over union */
} INPUTS[] = {
    {"colours", "floorplans/flat.png", 0.01, {0, 0, 1536, 1536}, {"#3060c0=brick"}, {NULL}, 0.9},
    {"scan",
     "floorplans/flat_scan.png",
     12.96 / 829.4,
     {63, 63, 1046, 1046},
     {NULL},
     {"scan=on", "deskew=on", "thinnest=3", "speck=20", "straight=on"},
     0.6},
    {"photograph",
     "floorplans/flat_photo.jpg",
     0.01,
     {0, 0, 1536, 1536},
     {NULL},
     {"scan=on", "threshold=local", "corners=[[205,120],[1490,80],[1290,1140],[345,1105]]", "sides=[1536,1536]",
      "thinnest=4", "speck=30"},
     0.6},
    {"DXF", "floorplans/flat.dxf", 0, {0, 0, 15360, 15360}, {NULL}, {NULL}, 0.9},
    {"SVG", "floorplans/flat.svg", 0.01, {0, 0, 1536, 1536}, {NULL}, {NULL}, 0.9},
    {"Ekahau", "floorplans/flat.esx", 0, {0, 0, 15.36, 15.36}, {NULL}, {NULL}, 0.9},
    {"OpenIntent", "floorplans/flat.openintent.json", 0, {0, 0, 15.36, 15.36}, {NULL}, {NULL}, 0.9},
};

/* Which pixels are walls, (PIXELS, PIXELS), of a scenario; free it. */
static uint16_t *walls_of(const char *path)
{
    static const char *const SOMEWHERE[] = {"transmitters=[{at: [1, 1]}]"};
    pw_scenario *scenario = NULL;
    pw_error error = {{0}};
    pw_floorplan *plan = NULL;
    uint16_t *walls = calloc((size_t)PIXELS * PIXELS, sizeof *walls);
    SOLVE_CHECK(pw_scenario_load(path, SOMEWHERE, 1, &scenario, &error), &error);
    SOLVE_CHECK(pw_floorplan_create(scenario, &plan, &error), &error);
    SOLVE_CHECK(pw_floorplan_pixels(plan, 0.01, 1, PIXELS, PIXELS, walls, &error), &error);
    pw_floorplan_free(plan);
    pw_scenario_free(scenario);
    return walls;
}

/* Whether there is a wall within five pixels. */
static bool is_near(const uint16_t *walls, int x, int y)
{
    const int far = 5;
    for (int v = y - far; v <= y + far; v++) {
        for (int u = x - far; u <= x + far; u++) {
            if (u >= 0 && v >= 0 && u < PIXELS && v < PIXELS && walls[(size_t)v * PIXELS + (size_t)u] != 0) {
                return true;
            }
        }
    }
    return false;
}

struct score {
    double overlap; /* intersection over union of the walls' area */
    double made_up; /* m^2 of walls more than 5 cm from any that is there, for every m^2 of floor */
};

static struct score score_of(const uint16_t *found, const uint16_t *truth)
{
    double both = 0, either = 0, made_up = 0;
    for (int y = 0; y < PIXELS; y++) {
        for (int x = 0; x < PIXELS; x++) {
            size_t n = (size_t)y * PIXELS + (size_t)x;
            both += found[n] != 0 && truth[n] != 0;
            either += found[n] != 0 || truth[n] != 0;
            made_up += found[n] != 0 && !is_near(truth, x, y);
        }
    }
    return (struct score){both / either, made_up / ((double)PIXELS * PIXELS)};
}

static size_t words_count(const char *const *words)
{
    size_t count = 0;
    while (count < WORDS && words[count] != NULL) {
        count++;
    }
    return count;
}

static void check(struct validation *validation, const struct input *input, const uint16_t *truth)
{
    char yaml[] = "/tmp/planwave-drawing-XXXXXX";
    pw_error error = {{0}};
    const pw_import_options options = {.unit = input->unit,
                                       .region = input->region,
                                       .classes = input->classes,
                                       .class_count = words_count(input->classes),
                                       .pictures = input->pictures,
                                       .picture_count = words_count(input->pictures)};
    int file = mkstemp(yaml);
    case_require(file >= 0 ? PW_OK : PW_NO_RESOURCE, "no temporary file");
    close(file);
    double started = clock_seconds();
    SOLVE_CHECK(pw_import(input->file, &options, yaml, NULL, NULL, &error), &error);
    double seconds = clock_seconds() - started;
    uint16_t *found = walls_of(yaml);
    struct score score = score_of(found, truth);
    case_gate_between(validation, score.overlap, input->least, 1, "%s: intersection over union", input->kind);
    case_figure(validation, score.made_up, "%s: walls made up, m2 for every m2 of floor", input->kind);
    case_figure(validation, seconds, "%s: seconds", input->kind);
    free(found);
    unlink(yaml);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "drawings", "Drawings, scans and photographs of a flat",
        "The flat as other programs keep it, with doors, text and furniture, imported and compared with the plan it "
        "was "
        "made of on pixels of 1 cm: the area that both call a wall over the area that either does. At least 0.9 for "
        "vectors, 0.8 for clean pictures and 0.6 for scans are wanted. Walls are 6 and 8 cm thick, so that a shift "
        "of half a centimetre takes a tenth away.");
    uint16_t *truth = walls_of("floorplans/flat.yaml");
    for (size_t n = 0; n < sizeof INPUTS / sizeof INPUTS[0]; n++) {
        check(&validation, &INPUTS[n], truth);
    }
    free(truth);
    return case_end(&validation);
}
