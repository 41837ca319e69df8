/* A look at what an import understood: the plan in the colours of its materials over the drawing, and the table that
 * goes with it. What was left out stays visible: in grey what is ignored, in orange what was not understood. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/drawing_look.h"
#include "import/import.h"

enum { VIEW_SIDE = 1300, MARGIN_LEFT = 76, MARGIN_TOP = 56, MARGIN_BOTTOM = 64 };
enum { GREY = 0xb8b8b8, ORANGE = 0xf08020, MAGENTA = 0xc0106a, BLUE = 0x2a7fff, BROWN = 0x8a4b10 };

struct view {
    const struct import *import;
    struct drawing_paper paper; /* its pixels are owned here */
};

/* ---- the drawing ---- */

/* The outlines of what is not part of the plan, over the picture that was read, half as strong. */
static void rest_lay(const struct view *view)
{
    const struct drawing *drawing = &view->import->drawing;
    drawing_paper_picture(&view->paper, &drawing->picture, 0.5);
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const struct import_class *own = &view->import->classes[element->class_index];
        if (element->page == view->import->pages[0] && !import_is_fabric(own)) {
            drawing_paper_element(&view->paper, drawing, element, own->guess.use == CLASS_OPEN ? ORANGE : GREY);
        }
    }
}

/* ---- the plan ---- */

static pw_status plan_lay(struct view *view, const pw_floorplan *plan, pw_error *error)
{
    const int parts = 3;
    size_t count = (size_t)view->paper.width * (size_t)view->paper.height;
    OWNED uint16_t *materials = allocate(count, sizeof *materials, "the picture of an import", error);
    TRY_MADE(materials);
    TRY(pw_floorplan_pixels(plan, view->paper.pixel, parts, view->paper.width, view->paper.height, materials, error));
    for (size_t n = 0; n < count; n++) {
        if (materials[n] != 0) {
            drawing_paper_dot(&view->paper, (int)(n % (size_t)view->paper.width), (int)(n / (size_t)view->paper.width),
                              pw_floorplan_describe_material(plan, materials[n]).colour);
        }
    }
    return PW_OK;
}

/* ---- the picture ---- */

/* Access points, with their names, of the file and of the user. */
static pw_status stations_draw(const struct view *view, pw_plot *plot, pw_error *error)
{
    struct import_station *stations = NULL;
    size_t count = 0;
    TRY(import_stations(view->import, &stations, &count, error));
    for (size_t n = 0; n < count; n++) {
        const struct import_station *own = &stations[n];
        pw_plot_send(plot,
                     "set label %s at %.12g,%.12g left point pt 7 ps 1.6 lc rgb '#%06x' offset character 1,0.5 "
                     "textcolor rgb '#%06x' font ',11' front\n",
                     pw_plot_quote(plot, own->name), own->x, own->y, (unsigned)MAGENTA, (unsigned)MAGENTA);
    }
    free(stations);
    return PW_OK;
}

/* Windows and doors as coloured lines across their openings. */
static pw_status things_lay(struct view *view, pw_error *error)
{
    for (size_t c = 0; c < view->import->drawing.class_count; c++) {
        const struct import_class *own = &view->import->classes[c];
        struct opening *openings = NULL;
        size_t count = 0;
        if (!own->shown || own->said != NULL || (own->guess.use != CLASS_WINDOWS && own->guess.use != CLASS_DOORS)) {
            continue;
        }
        TRY(import_openings(view->import, (int)c, &openings, &count, error));
        for (size_t n = 0; n < count; n++) {
            struct drawing_point a = drawing_placed(&view->paper.place, openings[n].from),
                                 b = drawing_placed(&view->paper.place, openings[n].to);
            for (int wide = -2; wide <= 2 && openings[n].page == view->import->pages[0]; wide++) {
                double shift = wide * view->paper.pixel;
                bool level = fabs(b.x - a.x) > fabs(b.y - a.y);
                struct drawing_point by = {level ? 0 : shift, level ? shift : 0};
                drawing_paper_line(&view->paper, (struct drawing_point){a.x + by.x, a.y + by.y},
                                   (struct drawing_point){b.x + by.x, b.y + by.y},
                                   own->guess.use == CLASS_DOORS ? BROWN : BLUE);
            }
        }
        free(openings);
    }
    return PW_OK;
}

/* Entries of the key for what is drawn and not part of the plan. */
static void draw_left_out(pw_plot *plot, const struct import *import)
{
    bool seen[CLASS_USES] = {false};
    for (size_t c = 0; c < import->drawing.class_count; c++) {
        const struct import_class *own = &import->classes[c];
        seen[own->guess.use] = seen[own->guess.use] || (own->shown && own->said == NULL);
    }
    if (seen[CLASS_IGNORED]) {
        pw_plot_send(plot, ", \\\n  NaN with lines lw 2 linecolor rgb '#%06x' title 'ignored'", (unsigned)GREY);
    }
    if (seen[CLASS_OPEN]) {
        pw_plot_send(plot, ", \\\n  NaN with lines lw 2 linecolor rgb '#%06x' title 'not understood, left out'",
                     (unsigned)ORANGE);
    }
    if (seen[CLASS_WINDOWS]) {
        pw_plot_send(plot, ", \\\n  NaN with lines lw 4 linecolor rgb '#%06x' title 'windows'", (unsigned)BLUE);
    }
    if (seen[CLASS_DOORS]) {
        pw_plot_send(plot, ", \\\n  NaN with lines lw 4 linecolor rgb '#%06x' title 'doors'", (unsigned)BROWN);
    }
    pw_plot_send(plot, "\n");
}

static pw_status view_write(const struct view *view, const pw_floorplan *plan, const double *areas, const char *path,
                            pw_error *error)
{
    pw_plot *plot = NULL;
    double width = MARGIN_LEFT + view->paper.width + PW_FLOORPLAN_KEY_WIDTH,
           height = MARGIN_TOP + view->paper.height + MARGIN_BOTTOM;
    TRY(pw_plot_open(path, (int)width, (int)height, &plot, error));
    const char *name = strrchr(view->import->file, '/');
    char title[300];
    snprintf(title, sizeof title, "What was understood of %s", name != NULL ? name + 1 : view->import->file);
    pw_plot_send(plot, "set title %s font ',14' offset 0,-0.3\n",
                 pw_plot_quote_within(plot, title, 14.0, view->paper.width + 2.0 * MARGIN_LEFT));
    pw_plot_send(plot, "set lmargin at screen %g\nset rmargin at screen %g\n", MARGIN_LEFT / width,
                 (MARGIN_LEFT + view->paper.width) / width);
    pw_plot_send(plot, "set bmargin at screen %g\nset tmargin at screen %g\n", MARGIN_BOTTOM / height,
                 (MARGIN_BOTTOM + view->paper.height) / height);
    pw_plot_send(plot, "set xrange [0:%.12g]\nset yrange [0:%.12g]\n", view->paper.width * view->paper.pixel,
                 view->paper.height * view->paper.pixel);
    pw_plot_send(plot, "set xlabel 'x [m]' offset 0,0.4\nset ylabel 'y [m]' offset 0.8,0\n");
    pw_plot_send(plot, "set border lw 1 lc rgb '#606060'\nset tics out nomirror scale 0.6 textcolor rgb '#303030'\n");
    pw_plot_send(plot,
                 "set key at screen %g, screen %g left top Left reverse samplen 1.6 spacing 1.5 width 0 "
                 "font ',11' maxrows 40\n",
                 (MARGIN_LEFT + view->paper.width + 12.0) / width, (MARGIN_BOTTOM + view->paper.height + 6.0) / height);
    pw_status status = stations_draw(view, plot, error);
    const char *map = pw_plot_data(plot, view->paper.rgb, (size_t)view->paper.width * (size_t)view->paper.height * 3);
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) format='%%uchar%%uchar%%uchar' origin=(%.12g,%.12g) dx=%.12g dy=%.12g "
                 "with rgbimage notitle",
                 map, view->paper.width, view->paper.height, 0.5 * view->paper.pixel, 0.5 * view->paper.pixel,
                 view->paper.pixel, view->paper.pixel);
    pw_floorplan_key(plan, areas, plot);
    draw_left_out(plot, view->import);
    pw_status drawn = pw_plot_finish(plot, status == PW_OK ? error : NULL);
    return status == PW_OK ? drawn : status;
}

static pw_status view_create(const struct import *import, struct view *view, pw_error *error)
{
    const double turn = import->options->turn * M_PI / 180, *region = import->region;
    const struct drawing_place place = {.unit = import->unit,
                                        .cosine = cos(turn),
                                        .sine = sin(turn),
                                        .low = {region[0], region[1]},
                                        .high = {region[2], region[3]}};
    view->import = import;
    return drawing_paper_create(&place, VIEW_SIDE, &view->paper, error);
}

/* The plan that the scenario gives, and areas by steps of a pixel. */
struct look {
    pw_floorplan *plan; /* owned */
    int material_count;
    double *areas; /* (material_count), m^2, owned */
};

static void look_free(struct look *look)
{
    pw_floorplan_free(look->plan);
    free(look->areas);
}

static pw_status look_create(const pw_scenario *scenario, double step, struct look *look, pw_error *error)
{
    *look = (struct look){0};
    TRY(pw_floorplan_create(scenario, &look->plan, error));
    look->material_count = pw_floorplan_describe(look->plan).material_count;
    look->areas = allocate((size_t)look->material_count, sizeof *look->areas, "areas of the plan", error);
    return look->areas != NULL ? pw_floorplan_areas(look->plan, step, look->areas, error) : PW_NO_RESOURCE;
}

static double look_step(const struct import *import)
{
    double across = (import->region[2] - import->region[0]) * import->unit,
           upwards = (import->region[3] - import->region[1]) * import->unit;
    return fmax(across, upwards) / (3 * VIEW_SIDE);
}

pw_status import_wall_share(const struct import *import, const pw_scenario *scenario, double *share, pw_error *error)
{
    const double margins = import->options->region != NULL ? 0 : 2; /* m of air */
    double across = (import->region[2] - import->region[0]) * import->unit - margins,
           upwards = (import->region[3] - import->region[1]) * import->unit - margins, sum = 0;
    OWNED_BY(look_free) struct look look = {0};
    TRY(look_create(scenario, 4 * look_step(import), &look, error));
    for (int m = 1; m < look.material_count; m++) {
        sum += look.areas[m];
    }
    *share = across > 0 && upwards > 0 ? sum / (across * upwards) : 0;
    return PW_OK;
}

pw_status import_picture(const struct import *import, const pw_scenario *scenario, const char *path, pw_error *error)
{
    struct view view = {0};
    struct look look;
    pw_status status = look_create(scenario, look_step(import), &look, error);
    THEN(status, view_create(import, &view, error));
    if (status == PW_OK) {
        rest_lay(&view);
        status = plan_lay(&view, look.plan, error);
    }
    THEN(status, things_lay(&view, error));
    THEN(status, view_write(&view, look.plan, look.areas, path, error));
    free(view.paper.rgb);
    look_free(&look);
    return status;
}

/* ---- the table ---- */

/* Of a ring, drawing units squared; positive where it turns to the left. */
static double ring_area(const struct drawing *drawing, const struct drawing_ring *ring)
{
    const struct drawing_point *points = drawing->points + ring->first;
    double area = 0;
    for (size_t n = 0; n < ring->count; n++) {
        const struct drawing_point *next = &points[n + 1 < ring->count ? n + 1 : 0];
        area += 0.5 * (points[n].x * next->y - next->x * points[n].y);
    }
    return area;
}

/* Rings within an odd number of others are holes. Of very many rings the way they turn tells holes. */
static double element_area(const struct drawing *drawing, const struct drawing_element *element)
{
    enum { MANY = 200 };
    const struct drawing_ring *rings = drawing->rings + element->first_ring;
    double sum = 0;
    for (size_t r = 0; r < element->rings; r++) {
        int around = 0;
        for (size_t o = 0; element->rings <= MANY && o < element->rings; o++) {
            around += o != r && drawing_ring_holds(drawing, &rings[o], drawing->points[rings[r].first]);
        }
        double area = ring_area(drawing, &rings[r]);
        sum += element->rings > MANY ? area : around % 2 == 0 ? fabs(area) : -fabs(area);
    }
    return fabs(sum);
}

/* How much there is of a class on the pages that are taken. */
struct amount {
    double length, area; /* m, m^2 */
};

static void amounts_find(const struct import *import, struct amount *amounts)
{
    const struct drawing *drawing = &import->drawing;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        struct amount *own = &amounts[element->class_index];
        bool taken = import_page_is_taken(import, element->page);
        if (taken && element->kind == ELEMENT_AREA) {
            own->area += element_area(drawing, element) * import->unit * import->unit;
        }
        const struct drawing_ring *ring = &drawing->rings[element->first_ring];
        for (size_t n = 1; taken && element->kind == ELEMENT_LINE && n < ring->count; n++) {
            const struct drawing_point *at = &drawing->points[ring->first + n];
            own->length += hypot(at[0].x - at[-1].x, at[0].y - at[-1].y) * import->unit;
        }
    }
}

static pw_status class_report(const struct import *import, int c, const struct amount *amount, FILE *report,
                              pw_error *error)
{
    static const char *const WORDS[CLASS_USES] = {
        [CLASS_OPEN] = "left out",        [CLASS_IGNORED] = "ignored", [CLASS_WALLS] = "walls",
        [CLASS_FACES] = "faces of walls", [CLASS_OUTLINES] = "rooms",  [CLASS_OPENINGS] = "openings",
        [CLASS_WINDOWS] = "windows",      [CLASS_DOORS] = "doors"};
    const struct import_class *own = &import->classes[c];
    char comment[300];
    const char *name = import->drawing.classes[c].name;
    fprintf(report, "  %-*s %7.4g m %7.4g m2  ", pw_text_field(name, 32), name, amount->length, amount->area);
    if (own->said != NULL) {
        fprintf(report, "%s (as you say)\n", own->said);
        return PW_OK;
    }
    import_class_comment(import, c, comment, sizeof comment);
    bool thing = own->guess.use == CLASS_WINDOWS || own->guess.use == CLASS_DOORS;
    if (thing) {
        struct opening *openings = NULL;
        size_t count = 0;
        TRY(import_openings(import, c, &openings, &count, error));
        free(openings);
        fprintf(report, "%zu ", count);
    }
    const char *open = thing ? ", open" : "";
    fprintf(report, "%s%s%s%s (%s)\n", WORDS[own->guess.use], own->guess.material != NULL ? " of " : open,
            own->guess.panes > 1 ? "several panes of " : "", own->guess.material != NULL ? own->guess.material : "",
            comment);
    return PW_OK;
}

static pw_status classes_report(const struct import *import, FILE *report, pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    struct amount *amounts = allocate(drawing->class_count, sizeof *amounts, "the classes of a drawing", error);
    TRY_MADE(amounts);
    amounts_find(import, amounts);
    if (drawing->note[0] != '\0') {
        fprintf(report, "  the picture was %s\n", drawing->note);
    }
    if (drawing->thinnest > 0) {
        fprintf(
            report,
            "  a guess: strokes thinner than %g pixels are text, dimensions, furniture (--picture thinnest=%g; 0 keeps "
            "all)\n",
            drawing->thinnest, drawing->thinnest);
    }
    if (drawing->marks > 0 && !import_picture_key_is_said(import->options, "marks")) {
        fprintf(report, "  a guess: %zu small areas are arrows and letters (--picture marks=0 keeps them)\n",
                drawing->marks);
    }
    fprintf(report, "  %-32s %9s %10s  %s\n", "layer, colour or type", "lines", "areas", "stands for");
    pw_status status = PW_OK;
    for (size_t c = 0; status == PW_OK && c < drawing->class_count; c++) {
        if (import->classes[c].shown) {
            status = class_report(import, (int)c, &amounts[c], report, error);
        }
    }
    free(amounts);
    TRY(status);
    for (size_t n = 0; n < drawing->omission_count; n++) {
        fprintf(report, "  not taken over: %s", drawing->omissions[n].what);
        fprintf(report, drawing->omissions[n].count > 1 ? ", %zu times\n" : "\n", drawing->omissions[n].count);
    }
    for (size_t p = 0; p < drawing->page_count && import->pages_without_walls > 0; p++) {
        bool asked = import->options->page == NULL || strcmp(import->options->page, drawing->pages[p].name) == 0;
        if (asked && !import_page_is_taken(import, (int)p)) {
            fprintf(report, "  left out: %s '%s', on which nothing is a wall\n", drawing->sheets ? "page" : "floor",
                    drawing->pages[p].name);
        }
    }
    for (size_t n = 0; n < import->options->class_count; n++) {
        if (!import_words_fit(import, n)) {
            fprintf(report, "  nothing here is called what '%s' says\n", import->options->classes[n]);
        }
    }
    return PW_OK;
}

pw_status import_report(const struct import *import, const pw_scenario *scenario, FILE *report, pw_error *error)
{
    OWNED_BY(look_free) struct look look = {0};
    TRY(look_create(scenario, look_step(import), &look, error));
    const pw_floorplan_facts plan = pw_floorplan_describe(look.plan);
    fprintf(report, "%s: %.4g m x %.4g m, a unit is %.6g m\n", import->file, plan.width, plan.height, import->unit);
    TRY(classes_report(import, report, error));
    fprintf(report, "  the plan has");
    const char *before = " ";
    for (int m = 1; m < look.material_count; m++) {
        if (look.areas[m] > 0) {
            fprintf(report, "%s%.4g m2 of %s", before, look.areas[m],
                    pw_floorplan_describe_material(look.plan, m).name);
            before = ", ";
        }
    }
    fprintf(report, "\n");
    return PW_OK;
}
