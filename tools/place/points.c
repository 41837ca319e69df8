/* Candidates and places (siting.h): from lists, files and grids. What lies inside a wall is left out, and a note says
 * so. */
#include "place/siting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELD_LIMIT = 16, NAMED_LIMIT = 3 };

void site_list_free(struct site_list *list)
{
    PW_FREE_ALL(list->site, list->name);
    *list = (struct site_list){0};
}

const char *site_label(const struct site_list *list, int index, char text[PW_NAME_SIZE])
{
    if (list->name[index][0] != '\0') {
        return list->name[index];
    }
    snprintf(text, PW_NAME_SIZE, "%d", index + 1);
    return text;
}

/* What is wanted of a list of points. */
struct wanted {
    const struct ground *ground;
    const char *noun; /* "candidate", "place" */
    const char *path; /* NULL: of the caller */
    int most;
    double height;   /* m, of points without one */
    int buried;      /* left out: inside walls */
    char named[160]; /* the first of them */
};

static pw_status site_add(struct site_list *list, struct wanted *wanted, const pw_site *site, int line, pw_error *error)
{
    const struct ground *ground = wanted->ground;
    char where[300];
    snprintf(where, sizeof where, wanted->path != NULL ? "%s:%d" : "%s %d",
             wanted->path != NULL ? wanted->path : wanted->noun, line);
    FAIL_IF(!isfinite(site->x) || !isfinite(site->y) || !ground_in_plan(ground, site->x, site->y), error, PW_BAD_INPUT,
            "%s: (%g m, %g m) is outside the plan of %g m by %g m", where, site->x, site->y, ground->width,
            ground->height);
    FAIL_IF(!(site->weight > 0.0 && isfinite(site->weight)), error, PW_BAD_INPUT,
            "%s: weight = %g; allowed is more than 0", where, site->weight);
    if (ground_in_wall(ground, site->x, site->y)) {
        size_t length = strlen(wanted->named);
        if (wanted->buried++ < NAMED_LIMIT) {
            snprintf(wanted->named + length, sizeof wanted->named - length, "%s(%.4g, %.4g)", length > 0 ? ", " : "",
                     site->x, site->y);
        }
        return PW_OK;
    }
    FAIL_IF(list->count == wanted->most, error, PW_BAD_INPUT, "%s: more than %d %ss; make the grid wider", where,
            wanted->most, wanted->noun);
    size_t count = (size_t)list->count;
    TRY(array_grow(&list->site, &list->room, count, sizeof *list->site, "points", error));
    TRY(array_grow(&list->name, &list->name_room, count, sizeof *list->name, "points", error));
    list->site[count] = *site;
    list->site[count].height = isnan(site->height) ? wanted->height : site->height;
    snprintf(list->name[count], PW_NAME_SIZE, "%s", site->name != NULL ? site->name : "");
    list->count++;
    return PW_OK;
}

/* Nothing is added any more. */
static pw_status list_close(struct site_list *list, const struct wanted *wanted, pw_notes *notes, pw_error *error)
{
    for (int n = 0; n < list->count; n++) {
        list->site[n].name = list->name[n][0] != '\0' ? list->name[n] : NULL;
    }
    FAIL_IF(list->count == 0, error, PW_BAD_INPUT, "there is no %s%s%s", wanted->noun,
            wanted->buried > 0 ? ": all lie inside walls: " : " on the floor that was given: take a finer grid",
            wanted->named);
    if (wanted->buried > 0) {
        pw_note(notes, "%d %ss lie inside walls and are left out: %s%s", wanted->buried, wanted->noun, wanted->named,
                wanted->buried > NAMED_LIMIT ? ", ..." : "");
    }
    return PW_OK;
}

/* ---- files ---- */

enum field { FIELD_X, FIELD_Y, FIELD_HEIGHT, FIELD_WEIGHT, FIELD_NAME, FIELD_KINDS };

static bool number_read(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* What a heading calls its columns; FIELD_KINDS for others, which are not looked at. */
static enum field field_called(const char *title)
{
    static const struct {
        const char *word;
        enum field field;
    } words[] = {{"x", FIELD_X},           {"y", FIELD_Y},           {"z", FIELD_HEIGHT}, {"height", FIELD_HEIGHT},
                 {"weight", FIELD_WEIGHT}, {"demand", FIELD_WEIGHT}, {"name", FIELD_NAME}};
    size_t length = strcspn(title, "_ [(");
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        if (length == strlen(words[n].word) && strncasecmp(title, words[n].word, length) == 0) {
            return words[n].field;
        }
    }
    return FIELD_KINDS;
}

/* The columns of a file: by its heading, else x, y and, of places, the weight. */
struct columns {
    int of[FIELD_KINDS]; /* -1: it has none */
    int least;
};

static pw_status columns_name(char *const *fields, int count, const struct wanted *wanted, int line,
                              struct columns *columns, pw_error *error)
{
    for (int kind = 0; kind < FIELD_KINDS; kind++) {
        columns->of[kind] = -1;
    }
    for (int n = 0; n < count; n++) {
        enum field field = field_called(fields[n]);
        if (field != FIELD_KINDS && columns->of[field] < 0) {
            columns->of[field] = n;
        }
    }
    columns->least = (columns->of[FIELD_X] > columns->of[FIELD_Y] ? columns->of[FIELD_X] : columns->of[FIELD_Y]) + 1;
    return columns->of[FIELD_X] >= 0 && columns->of[FIELD_Y] >= 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s:%d: no column is called x, or none y; allowed are x, y, z, weight, name",
                      wanted->path, line);
}

static pw_status site_parse(char *const *fields, int count, const struct columns *columns, const struct wanted *wanted,
                            int line, pw_site *site, pw_error *error)
{
    static const char *const words[] = {"x", "y", "z", "weight"};
    double value[] = {0.0, 0.0, NAN, 1.0};
    FAIL_IF(count < columns->least, error, PW_BAD_INPUT, "%s:%d: %d columns; x and y take %d", wanted->path, line,
            count, columns->least);
    for (int kind = FIELD_X; kind <= FIELD_WEIGHT; kind++) {
        int column = columns->of[kind];
        bool given = column >= 0 && column < count && (kind < FIELD_HEIGHT || fields[column][0] != '\0');
        FAIL_IF(given && !number_read(fields[column], &value[kind]), error, PW_BAD_INPUT,
                "%s:%d: %s = '%.40s': not a number", wanted->path, line, words[kind], fields[column]);
    }
    int name = columns->of[FIELD_NAME];
    *site = (pw_site){.x = value[FIELD_X],
                      .y = value[FIELD_Y],
                      .height = value[FIELD_HEIGHT],
                      .weight = value[FIELD_WEIGHT],
                      .name = name >= 0 && name < count && fields[name][0] != '\0' ? fields[name] : NULL};
    return PW_OK;
}

static pw_status lines_read(pw_lines *lines, struct site_list *list, struct wanted *wanted, bool weights,
                            pw_error *error)
{
    struct columns columns = {.of = {0, 1, -1, weights ? 2 : -1, -1}, .least = 2};
    for (bool first = true;; first = false) {
        char *line, *fields[FIELD_LIMIT];
        double value;
        TRY(pw_lines_next(lines, &line, error));
        if (line == NULL) {
            return PW_OK;
        }
        int count = pw_line_cut(line, fields, FIELD_LIMIT);
        FAIL_IF(count < 0, error, PW_BAD_INPUT, "%s:%d: more than %d columns", wanted->path, lines->number,
                FIELD_LIMIT);
        if (first && !number_read(fields[0], &value)) {
            TRY(columns_name(fields, count, wanted, lines->number, &columns, error));
            continue;
        }
        pw_site site;
        TRY(site_parse(fields, count, &columns, wanted, lines->number, &site, error));
        TRY(site_add(list, wanted, &site, lines->number, error));
    }
}

static pw_status file_read(const char *path, struct site_list *list, struct wanted *wanted, bool weights,
                           pw_error *error)
{
    pw_lines lines;
    TRY(pw_lines_open(&lines, path, "points", error));
    wanted->path = path;
    pw_status status = lines_read(&lines, list, wanted, weights, error);
    pw_lines_close(&lines);
    return status;
}

static pw_status list_take(const pw_site *sites, int count, struct site_list *list, struct wanted *wanted,
                           pw_error *error)
{
    for (int n = 0; n < count; n++) {
        pw_site site = sites[n];
        site.weight = site.weight == 0.0 ? 1.0 : site.weight;
        TRY(site_add(list, wanted, &site, n + 1, error));
    }
    return PW_OK;
}

/* ---- grids ---- */

/* Points `spacing` apart, as many as fit between `low` and `high`, centred. */
struct row_of_points {
    double first, spacing;
    int count;
};

static struct row_of_points row_fit(double low, double high, double spacing)
{
    int count = (int)fmin(fmax(1.0, floor((high - low) / spacing + 1e-9)), 1e6);
    double first = 0.5 * (low + high - (count - 1) * spacing);
    return (struct row_of_points){1e-3 * round(1e3 * first), spacing, count}; /* whole millimetres, for people */
}

static pw_site grid_site(const struct row_of_points *x, int column, const struct row_of_points *y, int row)
{
    return (pw_site){1e-6 * round(1e6 * (x->first + column * x->spacing)),
                     1e-6 * round(1e6 * (y->first + row * y->spacing)), NAN, 1.0, NULL};
}

/* The box around the inside of the building. */
static void inside_box(const struct ground *ground, double box[4])
{
    const pw_map_shape *shape = &ground->shape;
    box[0] = ground->width;
    box[1] = ground->height;
    box[2] = box[3] = 0.0;
    for (int row = 0; row < shape->rows; row++) {
        for (int column = 0; column < shape->columns; column++) {
            if (ground->inside[(size_t)row * (size_t)shape->columns + (size_t)column]) {
                double x = shape->x0 + column * shape->pitch_x, y = shape->y0 + row * shape->pitch_y;
                box[0] = fmin(box[0], fmax(x, 0.0));
                box[1] = fmin(box[1], fmax(y, 0.0));
                box[2] = fmax(box[2], fmin(x, ground->width));
                box[3] = fmax(box[3], fmin(y, ground->height));
            }
        }
    }
}

static pw_status box_check(const struct ground *ground, const double box[4], const char *noun, pw_error *error)
{
    double x0 = fmin(box[0], box[2]), x1 = fmax(box[0], box[2]), y0 = fmin(box[1], box[3]), y1 = fmax(box[1], box[3]);
    return isfinite(x0 + x1 + y0 + y1) && x1 > 0.0 && y1 > 0.0 && x0 < ground->width && y0 < ground->height
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s: (%g, %g) to (%g, %g) m has nothing of the plan of %g m by %g m", noun,
                      box[0], box[1], box[2], box[3], ground->width, ground->height);
}

static bool in_box(const double box[4], double x, double y)
{
    return x >= fmin(box[0], box[2]) && x <= fmax(box[0], box[2]) && y >= fmin(box[1], box[3]) &&
           y <= fmax(box[1], box[3]);
}

static pw_status spacing_check(double spacing, const char *noun, pw_error *error)
{
    return spacing > 0.0 && isfinite(spacing)
               ? PW_OK
               : fail(error, PW_USAGE, "the grid of %ss has a spacing of %g m; allowed is more than 0", noun, spacing);
}

pw_status candidates_find(struct pw_siting *siting, const struct ground *ground, pw_error *error)
{
    const pw_siting_options *options = &siting->options;
    struct site_list *list = &siting->candidates;
    struct wanted wanted = {
        .ground = ground, .noun = "candidate", .most = PW_SITING_CANDIDATES, .height = siting_model(siting).height};
    if (options->candidates != NULL || options->candidate_path != NULL) {
        TRY(options->candidates != NULL ? list_take(options->candidates, options->candidate_count, list, &wanted, error)
                                        : file_read(options->candidate_path, list, &wanted, false, error));
        return list_close(list, &wanted, &siting->notes, error);
    }
    double box[4];
    inside_box(ground, box);
    if (options->has_candidate_box) {
        memcpy(box, options->candidate_box, sizeof box);
        TRY(box_check(ground, box, "the region of the candidates", error));
    }
    TRY(spacing_check(options->candidate_spacing, wanted.noun, error));
    struct row_of_points x = row_fit(fmin(box[0], box[2]), fmax(box[0], box[2]), options->candidate_spacing);
    struct row_of_points y = row_fit(fmin(box[1], box[3]), fmax(box[1], box[3]), options->candidate_spacing);
    for (int row = 0; row < y.count; row++) {
        for (int column = 0; column < x.count; column++) {
            pw_site site = grid_site(&x, column, &y, row);
            bool open = options->has_candidate_box ? ground_in_plan(ground, site.x, site.y)
                                                   : ground_inside(ground, site.x, site.y);
            if (open && !ground_in_wall(ground, site.x, site.y)) {
                TRY(site_add(list, &wanted, &site, list->count + 1, error));
            }
        }
    }
    return list_close(list, &wanted, &siting->notes, error);
}

/* The weight of a place: that of the last area that has it; 0: no area. */
static double weight_at(const pw_siting_options *options, const struct ground *ground, double x, double y)
{
    double weight = options->area_count == 0 && ground_inside(ground, x, y) ? 1.0 : 0.0;
    for (int n = 0; n < options->area_count; n++) {
        const pw_siting_area *area = &options->areas[n];
        const double box[4] = {area->x0, area->y0, area->x1, area->y1};
        if (area->inside ? ground_inside(ground, x, y) : in_box(box, x, y)) {
            weight = area->weight;
        }
    }
    return weight;
}

static pw_status areas_check(const pw_siting_options *options, const struct ground *ground, pw_error *error)
{
    FAIL_IF(options->area_count < 0 || options->area_count > PW_SITING_AREAS, error, PW_USAGE,
            "%d areas; allowed are %d", options->area_count, PW_SITING_AREAS);
    for (int n = 0; n < options->area_count; n++) {
        const pw_siting_area *area = &options->areas[n];
        const double box[4] = {area->x0, area->y0, area->x1, area->y1};
        char noun[PW_NAME_SIZE + 16];
        snprintf(noun, sizeof noun, "area '%.60s'", area->name != NULL ? area->name : "");
        FAIL_IF(!(area->weight > 0.0 && isfinite(area->weight)), error, PW_BAD_INPUT,
                "%s: weight = %g; allowed is more than 0", noun, area->weight);
        TRY(area->inside ? PW_OK : box_check(ground, box, noun, error));
    }
    return PW_OK;
}

/* An area too small for the grid, or all in walls, would be forgotten in silence. */
static pw_status areas_met(const pw_siting_options *options, const struct site_list *list, pw_error *error)
{
    for (int n = 0; n < options->area_count; n++) {
        const pw_siting_area *area = &options->areas[n];
        const double box[4] = {area->x0, area->y0, area->x1, area->y1};
        bool met = area->inside;
        for (int p = 0; p < list->count && !met; p++) {
            met = in_box(box, list->site[p].x, list->site[p].y);
        }
        FAIL_IF(!met, error, PW_BAD_INPUT,
                "area '%.60s' has no place: it is smaller than the grid of %g m, or all wall",
                area->name != NULL ? area->name : "", options->place_spacing);
    }
    return PW_OK;
}

pw_status places_find(struct pw_siting *siting, const struct ground *ground, pw_error *error)
{
    const pw_siting_options *options = &siting->options;
    struct site_list *list = &siting->places;
    struct wanted wanted = {
        .ground = ground, .noun = "place", .most = PW_SITING_DEMAND, .height = options->place_height};
    siting->floor = "";
    if (options->places != NULL || options->place_path != NULL) {
        TRY(options->places != NULL ? list_take(options->places, options->place_count, list, &wanted, error)
                                    : file_read(options->place_path, list, &wanted, true, error));
        return list_close(list, &wanted, &siting->notes, error);
    }
    TRY(areas_check(options, ground, error));
    TRY(spacing_check(options->place_spacing, wanted.noun, error));
    struct row_of_points x = row_fit(0.0, ground->width, options->place_spacing);
    struct row_of_points y = row_fit(0.0, ground->height, options->place_spacing);
    bool whole = options->area_count == 0;
    for (int n = 0; n < options->area_count; n++) {
        whole = whole || options->areas[n].inside;
    }
    for (int n = 0; n < options->area_count; n++) {
        siting->areas[n] = options->areas[n];
        siting->areas[n].name = siting->area_name[n];
        snprintf(siting->area_name[n], PW_NAME_SIZE, "%s",
                 options->areas[n].name != NULL ? options->areas[n].name : "");
    }
    siting->area_count = options->area_count;
    siting->floor = whole ? pw_floor_text(ground->kind) : "";
    for (int row = 0; row < y.count; row++) {
        for (int column = 0; column < x.count; column++) {
            pw_site site = grid_site(&x, column, &y, row);
            site.weight = weight_at(options, ground, site.x, site.y);
            if (site.weight > 0.0 && !ground_in_wall(ground, site.x, site.y)) {
                TRY(site_add(list, &wanted, &site, list->count + 1, error));
            }
        }
    }
    TRY(areas_met(options, list, error));
    return list_close(list, &wanted, &siting->notes, error);
}
