/* Metal against closed forms and integral equations, over positions between the nodes: the gates of metal.md.
 *
 * As every case: metal_gates BACKEND FOLDER [quick]. To look at one line of the table:
 *
 *     metal_gates --case halfplane --cells 6.5 --positions 8 --polarisation vertical
 *
 * Options: --case, --cells, --positions, --position K (one of them), --polarisation vertical|horizontal, --scheme S,
 * --averaging A (point: the staircase; default the scheme's own), --turn DEGREES, --dimensions 3 (vertical; between
 * planes of metal), --staircase yes (held nodes only),
 * --backend B, --reference yes (its own error),
 * --map FILE (the error over the floor, as text). */
#include "validation/support/case.h"
#include "validation/support/metal/metal_case.h"

#include "tests/metal/metal_scenes.h"

static const double DENSITY = 24; /* elements a wavelength of integral equations */

/* What is asked on the command line. */
struct asked {
    const char *name, *map;
    int positions, position; /* position -1: all */
    double density;          /* of the elements of an integral equation */
    struct metal_solve solve;
    bool doubt; /* how far off the reference is itself */
};

static bool read_option(struct asked *asked, const char *key, const char *value)
{
    struct metal_solve *solve = &asked->solve;
    const bool known = true;
    if (strcmp(key, "--reference") == 0) {
        asked->doubt = strcmp(value, "no") != 0;
    } else if (strcmp(key, "--dimensions") == 0) {
        solve->volume = strcmp(value, "3") == 0;
    } else if (strcmp(key, "--staircase") == 0) {
        solve->staircase = strcmp(value, "no") != 0;
    } else if (strcmp(key, "--density") == 0) {
        asked->density = atof(value);
    } else if (strcmp(key, "--case") == 0) {
        asked->name = value;
    } else if (strcmp(key, "--cells") == 0) {
        solve->cells = atof(value);
    } else if (strcmp(key, "--positions") == 0) {
        asked->positions = atoi(value);
    } else if (strcmp(key, "--position") == 0) {
        asked->position = atoi(value);
    } else if (strcmp(key, "--polarisation") == 0) {
        solve->horizontal = strcmp(value, "horizontal") == 0;
    } else if (strcmp(key, "--scheme") == 0) {
        solve->scheme = value;
    } else if (strcmp(key, "--averaging") == 0) {
        solve->averaging = value;
    } else if (strcmp(key, "--turn") == 0) {
        solve->turn = atof(value) * M_PI / 180;
    } else if (strcmp(key, "--backend") == 0) {
        solve->backend = value;
    } else if (strcmp(key, "--map") == 0) {
        asked->map = value;
    } else {
        return !known;
    }
    return known;
}

static void show_score(const char *label, const struct metal_score *score)
{
    printf("%-20s %6.2f %6.2f  ", label, 100 * score->rms, 100 * score->ninety_ninth);
    for (int bin = 0; bin < METAL_BINS; bin++) {
        if (score->shadow_points[bin] < METAL_FEW) {
            printf("     -");
        } else {
            printf(" %5.2f", score->shadow[bin]);
        }
    }
    printf("  %d\n", score->points);
}

/* ---- a guide below cutoff and a post in a medium (tests/metal/metal_scenes.h), over positions ---- */

enum { GUIDE_CELLS = 3 };
static const char *const GUIDE_GRID[GUIDE_CELLS] = {"grid: {cell: 1 cm}\n", "grid: {cell: 2 cm}\n", ""},
                         *const GUIDE_TITLE[GUIDE_CELLS] = {"1 cm", "2 cm", "the default"};

/* The farthest off [dB a metre]. */
static double guide_worst(int cells, int positions)
{
    double worst = 0;
    for (int p = 0; p < positions; p++) {
        const double found = guide_solved(GUIDE_GRID[cells], 0.04 * p / METAL_POSITIONS, p % 2 == 1);
        worst = fmax(worst, fabs(found - guide_law()));
    }
    return worst;
}

static double post_worst(int positions)
{
    static const char GRID[] = "grid: {cell: 2 mm}\n";
    struct post_echo without;
    double worst = 0;
    post_field(GRID, "", &without);
    for (int p = 0; p < positions; p++) {
        struct metal_solve solve;
        metal_position(p, &solve);
        worst = fmax(worst, post_error(GRID, &without, solve.shift_x, solve.shift_y));
    }
    return worst;
}

static int show_scenes(int positions)
{
    for (int c = 0; c < GUIDE_CELLS; c++) {
        printf("guide below cutoff, cells of %s: off the %.2f dB a metre by up to %.2f\n", GUIDE_TITLE[c], guide_law(),
               guide_worst(c, positions));
    }
    printf("round post of 20 mm in permittivity 6, 1 to 2 GHz, cells of 2 mm: echo off by up to %.3f %%\n",
           100 * post_worst(positions));
    return 0;
}

static void gate_scenes(struct validation *validation)
{
    const int positions = validation->quick ? 2 : METAL_POSITIONS;
    for (int c = 0; c < GUIDE_CELLS; c++) {
        case_gate(validation, guide_worst(c, positions), GUIDE_GATE,
                  "guide below cutoff, cells of %s: off the %.1f dB a metre [dB a metre]", GUIDE_TITLE[c], guide_law());
    }
    case_gate(validation, post_worst(positions), POST_GATE,
              "round post of 20 mm in permittivity 6, 1 to 2 GHz, cells of 2 mm: error of its echo");
}

/* One line a position, and the worst of them. */
static int show_case(const struct asked *asked)
{
    const struct metal_shape *shape = metal_shape_find(asked->name);
    if (strcmp(asked->name, "scenes") == 0) {
        return show_scenes(asked->positions);
    }
    if (shape == NULL) {
        fprintf(stderr, "--case %s: allowed are scenes", asked->name);
        for (int n = 0; metal_shape_at(n) != NULL; n++) {
            fprintf(stderr, " %s", metal_shape_at(n)->name);
        }
        fprintf(stderr, "\n");
        return 2;
    }
    struct metal_field *field = metal_field_create(shape, asked->solve.horizontal, asked->density);
    printf("%s, %s, %s, %g cells a wavelength: error in %% of the incident field (rms, 99th percentile), rms dB at "
           "-10..-20, -20..-30, -30..-35, -35..-40 dB of shadow; points\n",
           shape->name, asked->solve.horizontal ? "horizontal" : "vertical", asked->solve.scheme, asked->solve.cells);
    struct metal_score worst = {0};
    for (int p = 0; p < asked->positions; p++) {
        if (asked->position >= 0 && asked->position != p) {
            continue;
        }
        struct metal_solve solve = asked->solve;
        struct metal_score score;
        char label[64];
        metal_position(p, &solve);
        metal_case_solve(shape, field, &solve, asked->map, &score, NULL);
        snprintf(label, sizeof label, "%d (%.2f, %.2f)", p, solve.shift_x, solve.shift_y);
        show_score(label, &score);
        metal_worst(&worst, &score);
    }
    show_score("worst", &worst);
    if (asked->doubt) {
        printf("error of the reference itself: %.4f %%\n", 100 * metal_field_doubt(field, asked->density));
    }
    metal_field_free(field);
    printf("worst figure over its gate: %.2f\n", metal_over_gate(&worst, asked->solve.cells));
    return 0;
}

/* ---- the whole table ---- */

struct line {
    const char *shape;
    double turn; /* degrees */
};

/* A half plane and a wedge leave the plan straight through the absorber. Turned ones would meet it aslant, which
 * echoes, so that a long strip and a large square stand for them. */
static const struct line LINES[] = {
    {"halfplane", 0},  {"wedge", 0},     {"strip-6", 0},   {"strip-6", 17}, {"strip-6", 45}, {"square-3", 0},
    {"square-3", 17},  {"square-3", 45}, {"strip-0.3", 0}, {"strip-1", 0},  {"strip-3", 0},  {"slit-0.3", 0},
    {"slit-1", 0},     {"slit-3", 0},    {"post-0.05", 0}, {"post-0.2", 0}, {"post-0.6", 0}, {"post-2", 0},
    {"square-0.5", 0}, {"square-1", 17}, {"block", 0},     {"box", 0},      {"box", 17},     {"none", 0},
};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0], CELL_COUNT = 2, ORDER_COUNT = 4, ORDER_POSITIONS = 2 };
static const double CELLS[CELL_COUNT] = {6.5, 12}, ORDER_CELLS[ORDER_COUNT] = {8, 14, 24, 40};

/* A shape of one polarisation, over its positions. */
struct found {
    struct metal_score worst[CELL_COUNT], staircase[CELL_COUNT];
    int at[CELL_COUNT], worse[CELL_COUNT]; /* the position of the largest error; how many are worse than a staircase */
    double order, reference;               /* the reference's own error, of the incident field; 0: a closed form */
};

static void find_positions(struct metal_field *field, const struct metal_shape *shape, struct metal_solve solve,
                           int positions, int c, struct found *found)
{
    solve.cells = CELLS[c];
    for (int p = 0; p < positions; p++) {
        struct metal_score score, staircase;
        metal_position(p, &solve);
        metal_case_solve(shape, field, &solve, NULL, &score, &staircase);
        found->at[c] = score.rms > found->worst[c].rms ? p : found->at[c];
        found->worse[c] += shape->kind != METAL_NONE && score.rms > staircase.rms;
        metal_worst(&found->worst[c], &score);
        metal_worst(&found->staircase[c], &staircase);
    }
}

/* The slope of the error, root mean square over positions. */
static double find_order(struct metal_field *field, const struct metal_shape *shape, struct metal_solve solve)
{
    double error[ORDER_COUNT] = {0};
    for (int n = 0; n < ORDER_COUNT; n++) {
        solve.cells = ORDER_CELLS[n];
        for (int p = 0; p < ORDER_POSITIONS; p++) {
            struct metal_score score;
            metal_position(p, &solve);
            metal_case_solve(shape, field, &solve, NULL, &score, NULL);
            error[n] += score.rms * score.rms / ORDER_POSITIONS;
        }
        error[n] = sqrt(error[n]);
    }
    return -case_slope(ORDER_COUNT, ORDER_CELLS, error);
}

static void find_line(const struct validation *validation, const struct line *line, bool horizontal,
                      struct found *found)
{
    const struct metal_shape *shape = metal_shape_find(line->shape);
    const struct metal_solve solve = {
        .scheme = "fd4o", .backend = validation->backend, .turn = line->turn * M_PI / 180, .horizontal = horizontal};
    struct metal_field *field = metal_field_create(shape, horizontal, DENSITY);
    for (int c = 0; c < CELL_COUNT; c++) {
        find_positions(field, shape, solve, validation->quick ? 2 : 8, c, found);
    }
    if (!validation->quick && shape->kind != METAL_NONE && line->turn == 0) {
        found->order = find_order(field, shape, solve);
        found->reference = metal_field_doubt(field, DENSITY);
    }
    metal_field_free(field);
}

static void table_row(struct text *table, const struct line *line, bool horizontal, int c, const struct found *found)
{
    const struct metal_score *worst = &found->worst[c];
    text_add(table, "| %s", metal_shape_find(line->shape)->title);
    text_add(table, line->turn > 0 ? ", turned by %g° " : " ", line->turn);
    text_add(table, "| %s | %g | %.2f | %.2f | %d |", horizontal ? "horizontal" : "vertical", CELLS[c],
             100 * worst->rms, 100 * worst->ninety_ninth, found->at[c]);
    for (int bin = 0; bin < METAL_BINS; bin++) {
        const bool some = worst->shadow_points[bin] >= METAL_FEW;
        text_add(table, some ? " %.2f |" : " |", worst->shadow[bin]);
    }
    text_add(table, " %.2f | %d |", 100 * found->staircase[c].rms, found->worse[c]);
    if (c == 0 && found->order > 0) {
        text_add(table, found->reference > 0 ? " %.2f | %.3f |\n" : " %.2f | closed form |\n", found->order,
                 100 * found->reference);
    } else {
        text_add(table, " | |\n");
    }
}

static void gate_line(struct validation *validation, const struct line *line, bool horizontal,
                      const struct found *found)
{
    char label[128];
    snprintf(label, sizeof label, "%s, %g°, %s", line->shape, line->turn, horizontal ? "horizontal" : "vertical");
    for (int c = 0; c < CELL_COUNT; c++) {
        case_gate(validation, metal_over_gate(&found->worst[c], CELLS[c]), 1,
                  "%s, %g cells: worst figure over its gate", label, CELLS[c]);
        case_gate(validation, found->worse[c], 0, "%s, %g cells: positions worse than a staircase", label, CELLS[c]);
    }
    if (found->order > 0) {
        case_gate_between(validation, found->order, 1, INFINITY, "%s: order", label);
    }
}

/* The error over the place of the metal between the nodes, at 6.5 cells a wavelength. */
static void draw_positions(struct validation *validation)
{
    static const char *const SHAPE[] = {"halfplane", "square-0.5"};
    enum { STEPS = 8 };
    FILE *file = case_data(validation, "position");
    for (int s = 0; s < 2; s++) {
        const struct metal_shape *shape = metal_shape_find(SHAPE[s]);
        struct metal_field *field = metal_field_create(shape, false, DENSITY);
        fprintf(file, "\"%s\"\n", shape->title);
        for (int n = 0; n < STEPS * STEPS; n++) {
            const double x = (n % STEPS) / (double)STEPS, y = (n / STEPS) / (double)STEPS;
            const struct metal_solve solve = {
                .scheme = "fd4o", .backend = validation->backend, .cells = CELLS[0], .shift_x = x, .shift_y = y};
            struct metal_score score;
            metal_case_solve(shape, field, &solve, NULL, &score, NULL);
            fprintf(file, "%g %g %g\n", x, y, 100 * score.rms);
        }
        fprintf(file, "\n\n");
        metal_field_free(field);
    }
    case_close(file);
    case_plot(
        validation, "position",
        "Error in % of the incident field by the place of the metal between the nodes, in cells: half plane, square "
        "post of half a wavelength; vertical, 6.5 cells a wavelength",
        "set multiplot layout 1,2\nset size square\nset xrange [-0.0625:0.9375]\nset yrange [-0.0625:0.9375]\n"
        "set cbrange [0:*]\nset palette defined (0 '#ffffff', 0.3 '#66ccee', 0.7 '#cc3311', 1 '#440000')\nset "
        "xlabel 'along x'\nset ylabel 'along y'\nset key off\nset title 'half plane'\n"
        "plot data.'-position.dat' index 0 using 1:2:3 with image\nset title 'square post'\nplot "
        "data.'-position.dat' index 1 using 1:2:3 with image\nunset multiplot");
}

static int validate(int argc, char **argv)
{
    static struct found found[2 * LINE_COUNT];
    struct text table = {0};
    struct validation validation =
        case_begin(argc, argv, "metal_gates", "Metal between the nodes",
                   "A line source at 2.4 GHz beside metal at eight places between the nodes, fd4o, the field at all "
                   "nodes of 12 × 12 wavelengths at 2.3, 2.4 and 2.5 GHz against series, closed forms and integral "
                   "equations. [metal.md](metal.md) says what the figures are.");
    const int lines = validation.quick ? 1 : LINE_COUNT;
    gate_scenes(&validation);
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_SINGLE, false))
    for (int n = 0; n < 2 * lines; n++) {
        find_line(&validation, &LINES[n / 2], n % 2 == 1, &found[n]);
#pragma omp critical
        printf("metal_gates  solved %s, %g°, %s: %.2f and %.2f %%, staircase %.2f and %.2f %%, order %.2f\n",
               LINES[n / 2].shape, LINES[n / 2].turn, n % 2 == 1 ? "horizontal" : "vertical",
               100 * found[n].worst[0].rms, 100 * found[n].worst[1].rms, 100 * found[n].staircase[0].rms,
               100 * found[n].staircase[1].rms, found[n].order);
    }
    for (int n = 0; n < 2 * lines; n++) {
        gate_line(&validation, &LINES[n / 2], n % 2 == 1, &found[n]);
        for (int c = 0; c < CELL_COUNT; c++) {
            table_row(&table, &LINES[n / 2], n % 2 == 1, c, &found[n]);
        }
    }
    case_text(
        &validation,
        "\nWorst of the positions: error in %% of the incident field, root mean square and 99th percentile, the "
        "position of the first; decibels by depth of shadow; the staircase's error; at how many positions it is "
        "the better; order of the error from 8 to 40 cells; the reference's own error in %%.\n\n"
        "| shape | polarisation | cells | rms | 99 %% | worst at | −10…−20 | −20…−30 | −30…−35 | −35…−40 dB | "
        "staircase | worse | order | reference |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
        "| --- | --- | --- |\n%s",
        table.text);
    free(table.text);
    if (!validation.quick) {
        draw_positions(&validation);
    }
    return case_end(&validation);
}

int main(int argc, char **argv)
{
    struct asked asked = {.name = "halfplane",
                          .positions = 8,
                          .position = -1,
                          .density = DENSITY,
                          .solve = {.scheme = "fd4o", .cells = 6.5, .backend = "cpu"}};
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0) {
        for (int n = 1; n < argc; n += 2) {
            if (n + 1 >= argc || !read_option(&asked, argv[n], argv[n + 1])) {
                fprintf(stderr, "%s: not an option with a value\n", argv[n]);
                return 2;
            }
        }
        return show_case(&asked);
    }
    return validate(argc, argv);
}
