/* Metal against closed forms and integral equations, over positions between the nodes: the gates of metal.md.
 *
 * As every case: metal_gates BACKEND FOLDER [quick]. To look at one line of the table:
 *
 *     metal_gates --case halfplane --cells 6.5 --positions 8 --polarisation vertical
 *
 * Options: --case, --cells, --positions, --position K (one of them), --polarisation vertical|horizontal, --scheme S,
 * --averaging A (point: the staircase; default the scheme's own), --turn DEGREES, --staircase yes (held nodes only),
 * --backend B, --map FILE (the error over the floor, as text). */
#include "validation/support/case.h"
#include "validation/support/metal/metal_case.h"

/* What is asked on the command line. */
struct asked {
    const char *name, *map;
    int positions, position; /* position -1: all */
    double density;          /* of the elements of an integral equation */
    struct metal_solve solve;
    bool all_cases;
};

static bool read_option(struct asked *asked, const char *key, const char *value)
{
    struct metal_solve *solve = &asked->solve;
    const bool known = true;
    if (strcmp(key, "--staircase") == 0) {
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
        if (score->shadow_points[bin] < 10) {
            printf("     -");
        } else {
            printf(" %5.2f", score->shadow[bin]);
        }
    }
    printf("  %d\n", score->points);
}

/* One line a position, and the worst of them. */
static int show_case(const struct asked *asked)
{
    const struct metal_shape *shape = metal_shape_find(asked->name);
    if (shape == NULL) {
        fprintf(stderr, "--case %s: allowed are", asked->name);
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
        metal_case_solve(shape, field, &solve, asked->map, &score);
        snprintf(label, sizeof label, "%d (%.2f, %.2f)", p, solve.shift_x, solve.shift_y);
        show_score(label, &score);
        metal_worst(&worst, &score);
    }
    show_score("worst", &worst);
    metal_field_free(field);
    return metal_holds(&worst, asked->solve.cells) ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct asked asked = {.name = "halfplane",
                          .positions = 8,
                          .position = -1,
                          .density = 24,
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
    struct validation validation = case_begin(argc, argv, "metal_gates", "Metal between the nodes", "To be written.");
    return case_end(&validation);
}
