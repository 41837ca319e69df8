/* What a change of a plan did: the two plans looked at point by point, a table of areas, and a picture in which what
 * changed stands out (planwave_import.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground.h"
#include "import/planwave_import.h"

enum { SIDE = 1300, MARGIN_LEFT = 76, MARGIN_TOP = 56, MARGIN_BOTTOM = 64, NAME_LIMIT = 64, KINDS = 64 };
enum { WHITE = 0xffffff, SAME = 0xc8c8c8, CHANGED = 0x7a5cc0, GONE = 0xd04030, NEW = 0x2f8f4e };

/* From one material to another. */
struct change {
    char before[NAME_LIMIT], after[NAME_LIMIT];
    double area; /* m^2 */
};

struct difference {
    pw_floorplan *plan[2]; /* before, after; owned */
    int width, height;     /* points that are looked at */
    double step;           /* m */
    uint8_t *rgb;          /* (height, width, 3), owned, row 0 at the bottom */
    struct change changes[KINDS];
    int count;
    double rest; /* m^2 of changes that are not told apart */
};

/* Of the same name, and if that is the user's own, of the same values: those of the table follow the band. */
static bool same(const pw_floorplan_material *a, const pw_floorplan_material *b)
{
    bool values = a->relative_permittivity == b->relative_permittivity && a->conductivity == b->conductivity &&
                  a->perfect_conductor == b->perfect_conductor;
    return strcmp(a->name, b->name) == 0 && (values || pw_material_canonical(a->name) != NULL);
}

static void change_add(struct difference *difference, const pw_floorplan_material *before,
                       const pw_floorplan_material *after)
{
    const double area = difference->step * difference->step;
    for (int c = 0; c < difference->count; c++) {
        struct change *change = &difference->changes[c];
        if (strncmp(change->before, before->name, NAME_LIMIT - 1) == 0 &&
            strncmp(change->after, after->name, NAME_LIMIT - 1) == 0) {
            change->area += area;
            return;
        }
    }
    if (difference->count == KINDS) {
        difference->rest += area;
        return;
    }
    struct change *change = &difference->changes[difference->count++];
    snprintf(change->before, sizeof change->before, "%s", before->name);
    snprintf(change->after, sizeof change->after, "%s", after->name);
    change->area = area;
}

static bool is_air(const pw_floorplan_material *material)
{
    return strcmp(material->name, "air") == 0;
}

static void points_compare(struct difference *difference, uint16_t *const materials[2])
{
    for (size_t n = 0; n < (size_t)difference->width * (size_t)difference->height; n++) {
        const pw_floorplan_material before = pw_floorplan_describe_material(difference->plan[0], materials[0][n]),
                                    after = pw_floorplan_describe_material(difference->plan[1], materials[1][n]);
        uint32_t colour = is_air(&after) ? WHITE : SAME;
        if (!same(&before, &after)) {
            change_add(difference, &before, &after);
            colour = is_air(&before) ? NEW : is_air(&after) ? GONE : CHANGED;
        }
        uint8_t *to = difference->rgb + 3 * n;
        to[0] = (uint8_t)(colour >> 16), to[1] = (uint8_t)(colour >> 8), to[2] = (uint8_t)colour;
    }
}

static pw_status difference_draw(const struct difference *difference, const char *path, pw_error *error)
{
    pw_plot *plot = NULL;
    const int w = difference->width, h = difference->height;
    double width = MARGIN_LEFT + w + PW_FLOORPLAN_KEY_WIDTH, height = MARGIN_TOP + h + MARGIN_BOTTOM;
    TRY(pw_plot_open(path, (int)width, (int)height, &plot, error));
    pw_plot_send(plot, "set title 'What changed in the plan' font ',14' offset 0,-0.3\n");
    pw_plot_send(plot, "set lmargin at screen %g\nset rmargin at screen %g\n", MARGIN_LEFT / width,
                 (MARGIN_LEFT + w) / width);
    pw_plot_send(plot, "set bmargin at screen %g\nset tmargin at screen %g\n", MARGIN_BOTTOM / height,
                 (MARGIN_BOTTOM + h) / height);
    pw_plot_send(plot, "set xrange [0:%.12g]\nset yrange [0:%.12g]\n", w * difference->step, h * difference->step);
    pw_plot_send(plot, "set xlabel 'x [m]' offset 0,0.4\nset ylabel 'y [m]' offset 0.8,0\n");
    pw_plot_send(plot, "set border lw 1 lc rgb '#606060'\nset tics out nomirror scale 0.6 textcolor rgb '#303030'\n");
    pw_plot_send(plot, "set key at screen %g, screen %g left top Left reverse samplen 1.6 spacing 1.5 font ',11'\n",
                 (MARGIN_LEFT + w + 12.0) / width, (MARGIN_BOTTOM + h + 6.0) / height);
    const char *map = pw_plot_data(plot, difference->rgb, (size_t)w * (size_t)h * 3);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
                 "with rgbimage notitle",
                 map, w, h, 0.5 * difference->step, 0.5 * difference->step, difference->step, difference->step);
    static const struct {
        int colour;
        const char *text;
    } KEY[] = {{NEW, "wall where there was none"},
               {GONE, "no wall where there was one"},
               {CHANGED, "another material"},
               {SAME, "as before"}};
    for (size_t k = 0; k < sizeof KEY / sizeof KEY[0]; k++) {
        pw_plot_send(plot, ", \\\n  NaN " PW_FLOORPLAN_SWATCH " linecolor rgb '#%06x' title '%s'",
                     (unsigned)KEY[k].colour, KEY[k].text);
    }
    pw_plot_send(plot, "\n");
    return pw_plot_finish(plot, error);
}

static void difference_tell(const struct difference *difference, FILE *report)
{
    double whole = difference->rest;
    for (int c = 0; c < difference->count; c++) {
        const struct change *change = &difference->changes[c];
        fprintf(report, "  %10.4g m2 from %s to %s\n", change->area, change->before, change->after);
        whole += change->area;
    }
    if (difference->rest > 0) {
        fprintf(report, "  %10.4g m2 of other changes\n", difference->rest);
    }
    fprintf(report,
            whole > 0 ? "%.4g m2 differ, looked at in steps of %.3g m\n"
                      : "nothing differs: %g m2, looked at in "
                        "steps of %.3g m\n",
            whole, difference->step);
}

static pw_status difference_make(const pw_scenario *const scenarios[2], struct difference *difference, pw_error *error)
{
    double width = 0, height = 0;
    for (int n = 0; n < 2; n++) {
        TRY(pw_floorplan_create(scenarios[n], &difference->plan[n], error));
        const pw_floorplan_facts plan = pw_floorplan_describe(difference->plan[n]);
        width = fmax(width, plan.width);
        height = fmax(height, plan.height);
    }
    difference->step = fmax(width, height) / SIDE;
    difference->width = (int)fmax(ceil(width / difference->step), 1);
    difference->height = (int)fmax(ceil(height / difference->step), 1);
    return PW_OK;
}

static pw_status difference_fill(struct difference *difference, pw_error *error)
{
    size_t count = (size_t)difference->width * (size_t)difference->height;
    OWNED uint16_t *before = allocate(count, sizeof *before, "a picture", error);
    OWNED uint16_t *after = allocate(count, sizeof *after, "a picture", error);
    uint16_t *const materials[2] = {before, after};
    difference->rgb = allocate(count, 3, "a picture", error);
    TRY_MADE(before != NULL && after != NULL && difference->rgb != NULL);
    for (int n = 0; n < 2; n++) {
        TRY(pw_floorplan_pixels(difference->plan[n], difference->step, 1, difference->width, difference->height,
                                materials[n], error));
    }
    points_compare(difference, materials);
    return PW_OK;
}

pw_status pw_plan_difference(const pw_scenario *before, const pw_scenario *after, const char *picture, FILE *report,
                             pw_error *error)
{
    FAIL_IF(before == NULL || after == NULL, error, PW_USAGE, "pw_plan_difference: before and after must not be NULL");
    const pw_scenario *const scenarios[2] = {before, after};
    struct difference difference = {0};
    pw_status status = difference_make(scenarios, &difference, error);
    THEN(status, difference_fill(&difference, error));
    if (status == PW_OK && report != NULL) {
        difference_tell(&difference, report);
    }
    if (status == PW_OK && picture != NULL) {
        status = difference_draw(&difference, picture, error);
    }
    free(difference.rgb);
    pw_floorplan_free(difference.plan[0]);
    pw_floorplan_free(difference.plan[1]);
    return status;
}
