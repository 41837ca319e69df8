/* Import: reads a drawing, decides, writes the scenario, and looks at what came of it (import.h). */
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WIDEST_OPENING = 3, LONGEST_MARK = 1.5; /* m */
static const double WIDEST_PEN = 0.1, USUAL_PEN = 4;        /* m in the building: walls are thicker; pixels */
static const double USUAL_FREQUENCY = 2.45e9, MARGIN = 1;   /* Hz, m */

/* ---- options ---- */

static pw_status options_check(struct import *import, pw_error *error)
{
    const pw_import_options *options = import->options;
    for (size_t c = 0; c < options->class_count; c++) {
        const char *equal = strrchr(options->classes[c], '=');
        FAIL_IF(equal == NULL || equal == options->classes[c] || equal[1] == '\0', error, PW_USAGE,
                "--class '%s' is incomplete: write NAME=MATERIAL or NAME=ignored, e.g. A-WALL=concrete",
                options->classes[c]);
    }
    for (size_t p = 0; p < options->picture_count; p++) {
        const char *equal = strchr(options->pictures[p], '=');
        FAIL_IF(equal == NULL || equal == options->pictures[p], error, PW_USAGE,
                "'%s' is no option of a picture: write KEY=VALUE, as in scan=on", options->pictures[p]);
    }
    import->wall = pw_material_canonical(options->wall != NULL ? options->wall : "brick");
    if (import->wall == NULL) {
        char names[400];
        return fail(error, PW_USAGE, "'%s' is no material of ITU-R P.2040; known are: %s", options->wall,
                    pw_material_names(names, sizeof names));
    }
    TRY(import_things_choose(import, NULL, error));
    return PW_OK;
}

/* The band's centre: as the user says, else where the first access point of the file sends; those that send elsewhere
 * are counted. */
static pw_status frequency_take(struct import *import, pw_error *error)
{
    const double band = 50e6;
    struct drawing *drawing = &import->drawing;
    import->frequency = import->options->frequency;
    for (size_t r = 0; r < drawing->radio_count && !(import->frequency > 0); r++) {
        import->frequency = isfinite(drawing->radios[r].frequency) ? drawing->radios[r].frequency : 0;
        import->frequency_of_radio = import->frequency > 0;
    }
    import->frequency = import->frequency > 0 ? import->frequency : USUAL_FREQUENCY;
    for (size_t r = 0; r < drawing->radio_count; r++) {
        if (fabs(drawing->radios[r].frequency - import->frequency) > band) {
            TRY(drawing_omit(drawing, "channels of access points beyond the band", error));
        }
    }
    return PW_OK;
}

static const char UNWRITTEN[] = "the scenario";

/* A failure in a text that is not written is told of the drawing: "the scenario:20: plan.drawing: ..." has no line that
 * could be looked at. */
static pw_status told_of_drawing(const char *file, pw_status status, pw_error *error)
{
    const size_t length = strlen(UNWRITTEN);
    if (status != PW_BAD_INPUT || error == NULL || strncmp(error->message, UNWRITTEN, length) != 0) {
        return status;
    }
    pw_error told = *error;
    const char *words = told.message + length;
    words += strspn(words, ":0123456789");
    words += strspn(words, " ");
    return fail(error, status, "'%s': %s", file, words);
}

/* The options of a picture as the scenario reads them, so that they mean the same now and later. */
static pw_status picture_choice(const struct import *import, struct picture_options *picture, pw_error *error)
{
    OWNED char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    FAIL_IF(out == NULL, error, PW_NO_RESOURCE, "not enough memory for the options of a picture");
    fputs("drawing: {picture: {", out);
    for (size_t p = 0; p < import->options->picture_count; p++) {
        const char *words = import->options->pictures[p], *equal = strchr(words, '=');
        fprintf(out, "%s%.*s: %s", p > 0 ? ", " : "", (int)(equal - words), words, equal + 1);
    }
    fputs("}}\n", out);
    FAIL_IF(!pw_text_close(out, &text), error, PW_NO_RESOURCE, "not enough memory for the options of a picture");
    OWNED_AS(pw_document) *document = NULL;
    pw_status status = pw_document_parse(UNWRITTEN, text, size, &document, error);
    THEN(status, picture_options_read(pw_node_find(pw_node_find(pw_document_root(document), "drawing"), "picture"),
                                      picture, error));
    return told_of_drawing(import->file, status, error);
}

/* Whether the user says something of this key of pictures, be it that it is not wanted: thinnest=0. */
bool import_picture_key_is_said(const pw_import_options *options, const char *key)
{
    for (size_t p = 0; p < options->picture_count; p++) {
        if (strncmp(options->pictures[p], key, strlen(key)) == 0 && options->pictures[p][strlen(key)] == '=') {
            return true;
        }
    }
    return false;
}

/* What of a picture is looked for without being asked. */
static void picture_guess(const struct import *import, struct picture_options *picture)
{
    const pw_import_options *options = import->options;
    if (!import_picture_key_is_said(options, "thinnest") && !import_picture_key_is_said(options, "thickest") &&
        !import_picture_key_is_said(options, "hollow")) {
        picture->widest_pen = options->unit > 0 ? WIDEST_PEN / options->unit : USUAL_PEN;
    }
    if (!import_picture_key_is_said(options, "marks") && options->unit > 0) {
        picture->marks = fmin(floor(LONGEST_MARK / options->unit), PW_PICTURE_SIDE_LIMIT);
    }
    if (!import_picture_key_is_said(options, "openings") && !import_picture_key_is_said(options, "gap") &&
        options->unit > 0) {
        picture->openings = fmin(floor(WIDEST_OPENING / options->unit), PW_PICTURE_SIDE_LIMIT);
    }
}

/* ---- what is taken ---- */

static pw_status pages_take(struct import *import, pw_error *error)
{
    struct drawing *drawing = &import->drawing;
    int only = 0;
    if (drawing->page_count == 0) {
        TRY(drawing_page_of(drawing, "", &only, error));
    }
    import->pages = allocate(drawing->page_count, sizeof *import->pages, "the floors of a drawing", error);
    TRY_MADE(import->pages);
    for (size_t p = 0; p < drawing->page_count; p++) {
        if (import->options->page == NULL || strcmp(import->options->page, drawing->pages[p].name) == 0) {
            import->pages[import->page_count++] = (int)p;
        }
    }
    if (import->page_count > 0) {
        return PW_OK;
    }
    char names[600] = "";
    size_t used = 0;
    for (size_t p = 0; p < drawing->page_count && used + DRAWING_NAME_SIZE + 8 < sizeof names; p++) {
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", p > 0 ? ", " : "", drawing->pages[p].name);
    }
    return fail(error, PW_BAD_INPUT, "'%s' has no floor '%s'; it has %s", import->file, import->options->page, names);
}

/* The box around everything that becomes part of the plan, and a margin. */
static pw_status region_take(struct import *import, pw_error *error)
{
    const double turn = import->options->turn * M_PI / 180, cosine = cos(turn), sine = sin(turn);
    const struct drawing *drawing = &import->drawing;
    double *region = import->region;
    if (import->options->region != NULL) {
        memcpy(region, import->options->region, sizeof import->region);
        return PW_OK;
    }
    region[0] = region[1] = HUGE_VAL;
    region[2] = region[3] = -HUGE_VAL;
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        const struct import_class *own = &import->classes[element->class_index];
        bool in = import_page_is_taken(import, element->page) && import_is_fabric(own);
        for (size_t r = element->first_ring; in && r < element->first_ring + element->rings; r++) {
            const struct drawing_ring *ring = &drawing->rings[r];
            for (size_t n = ring->first; n < ring->first + ring->count; n++) {
                double x = cosine * drawing->points[n].x - sine * drawing->points[n].y,
                       y = sine * drawing->points[n].x + cosine * drawing->points[n].y;
                region[0] = fmin(region[0], x), region[1] = fmin(region[1], y);
                region[2] = fmax(region[2], x), region[3] = fmax(region[3], y);
            }
        }
    }
    FAIL_IF(drawing->element_count == 0, error, PW_BAD_INPUT, "there are no lines and no areas in '%s'", import->file);
    if (!(region[0] < region[2] && region[1] < region[3])) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        for (size_t c = 0; out != NULL && c < drawing->class_count && ftell(out) < 600; c++) {
            if (import->classes[c].shown) {
                fprintf(out, "%s'%s'", ftell(out) > 0 ? ", " : "", drawing->classes[c].name);
            }
        }
        bool told = pw_text_close(out, &text);
        pw_status status = told && text[0] == '\0' ? fail(error, PW_BAD_INPUT, "nothing is drawn on page '%s' of '%s'",
                                                          drawing->pages[import->pages[0]].name, import->file)
                           : told                  ? fail(error, PW_BAD_INPUT,
                                                          "nothing of '%s' was understood as a wall: say which of %s is, as in --class "
                                                                           "'NAME=brick'",
                                                          import->file, text)
                                  : fail(error, PW_NO_RESOURCE, "not enough memory for a list of classes");
        free(text);
        return status;
    }
    for (int n = 0; n < 4; n++) {
        region[n] += (n < 2 ? -MARGIN : MARGIN) / import->unit;
    }
    return PW_OK;
}

/* ---- all of it ---- */

/* The text as it will stand in `folder`; the caller frees it. */
static pw_status text_make(const struct import *import, const char *folder, char **text, pw_error *error)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    FAIL_IF(out == NULL, error, PW_NO_RESOURCE, "not enough memory for a scenario");
    pw_status status = import_text(import, folder, out, error);
    if (!pw_text_close(out, text) && status == PW_OK) {
        status = fail(error, PW_NO_RESOURCE, "not enough memory for a scenario");
    }
    return status;
}

static pw_status transmitters_check(const struct import *import, pw_error *error)
{
    const double *region = import->region;
    double width = (region[2] - region[0]) * import->unit, height = (region[3] - region[1]) * import->unit;
    for (size_t t = 0; t < import->options->transmitter_count; t++) {
        const double *at = &import->options->transmitters[2 * t];
        FAIL_IF(!(at[0] >= 0 && at[0] <= width && at[1] >= 0 && at[1] <= height), error, PW_BAD_INPUT,
                "the transmitter at (%g, %g) m is outside the plan: allowed are x from 0 to %.4g m and y from 0 to "
                "%.4g m, counted from the lower left corner",
                at[0], at[1], width, height);
    }
    return PW_OK;
}

/* Whether something beside windows and doors becomes part of the plan. */
static bool walls_are_there(const struct import *import)
{
    for (size_t c = 0; c < import->drawing.class_count; c++) {
        const struct import_class *own = &import->classes[c];
        enum class_use use = own->guess.use;
        bool opening = use == CLASS_WINDOWS || use == CLASS_DOORS || use == CLASS_OPENINGS;
        if (own->shown && import_is_fabric(own) && (own->said != NULL || !opening)) {
            return true;
        }
    }
    return false;
}

/* Tells the user what is not likely. */
static pw_status doubts_tell(struct import *import, const pw_scenario *scenario, FILE *report, pw_error *error)
{
    const double most = 0.6;
    double share = 0;
    TRY(import_wall_share(import, scenario, &share, error));
    if (share > most && import->doubt[0] == '\0') {
        snprintf(import->doubt, sizeof import->doubt,
                 "%.0f %% of the plan is wall, which is not likely: areas may be rooms (--class 'NAME=ignored'), or "
                 "the unit "
                 "of %.4g m is another",
                 100 * share, import->unit);
    }
    if (!walls_are_there(import) && import->doubt[0] == '\0') {
        snprintf(import->doubt, sizeof import->doubt,
                 "windows and doors were understood, but nothing that is a wall: say which class is, as in --class "
                 "'NAME=brick'");
    }
    if (import->doubt[0] != '\0' && import->options->note != NULL) {
        import->options->note(import->doubt, import->options->note_user);
    } else if (import->doubt[0] != '\0' && report != NULL) {
        fprintf(report, "  doubtful: %s\n", import->doubt);
    }
    return PW_OK;
}

/* Reads the scenario before it is written, with a transmitter where nobody named one: nothing is solved. Its file
 * is named by its whole path there, so that it is found from anywhere. */
static pw_status look_ahead(struct import *import, const char *overlay, FILE *report, pw_error *error)
{
    static const char *const SOMEWHERE[] = {"transmitters=[{at: [0, 0]}]"};
    const size_t overrides = import->options->transmitter_count > 0 ? 0 : 1;
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED char *text = NULL;
    TRY(text_make(import, "/", &text, error));
    TRY(told_of_drawing(import->file, pw_scenario_parse(UNWRITTEN, text, SOMEWHERE, overrides, &scenario, error),
                        error));
    TRY(report != NULL ? import_report(import, scenario, report, error) : PW_OK);
    TRY(doubts_tell(import, scenario, report, error));
    return overlay != NULL ? import_picture(import, scenario, overlay, error) : PW_OK;
}

static pw_status text_write(const struct import *import, const char *yaml, pw_error *error)
{
    const char *slash = strrchr(yaml, '/');
    char *folder = slash == NULL ? strdup(".") : slash == yaml ? strdup("/") : strndup(yaml, (size_t)(slash - yaml));
    FAIL_IF(folder == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    FILE *out = pw_file_create(yaml, error);
    pw_status status = out != NULL ? import_text(import, folder, out, error) : PW_NO_RESOURCE;
    free(folder);
    pw_status closed = out != NULL ? pw_file_finish(out, yaml, status == PW_OK ? error : NULL) : PW_OK;
    return status == PW_OK ? closed : status;
}

/* The unit of a sheet whose scale is said. */
static pw_status sheet_take(struct import *import, pw_error *error)
{
    struct drawing *drawing = &import->drawing;
    const double sheet = import->options->sheet;
    if (!(sheet > 0)) {
        return PW_OK;
    }
    FAIL_IF(!(drawing->paper > 0), error, PW_BAD_INPUT,
            "'%s' is no sheet of paper of a known size, of which 1:%g could be said; say how long a unit of it "
            "is, e.g. --unit 1cm",
            import->file, sheet);
    drawing->unit = drawing->paper * sheet;
    snprintf(drawing->unit_from, sizeof drawing->unit_from, "1:%g, as you say", sheet);
    return PW_OK;
}

static pw_status import_run(struct import *import, const char *yaml, const char *overlay, FILE *report, pw_error *error)
{
    struct picture_options picture = {0};
    TRY(options_check(import, error));
    TRY(picture_choice(import, &picture, error));
    picture_guess(import, &picture);
    import->openings = picture.openings;
    import->marks = picture.marks;
    TRY(drawing_read(import->file, &picture, &import->drawing, error));
    TRY(frequency_take(import, error));
    TRY(pages_take(import, error));
    TRY(sheet_take(import, error));
    import->unit = import->options->unit > 0 ? import->options->unit : import->drawing.unit;
    TRY(import_classes(import, error));
    TRY(region_take(import, error));
    TRY(transmitters_check(import, error));
    TRY(look_ahead(import, overlay, report, error));
    const pw_status status = text_write(import, yaml, error);
    if (status != PW_OK && overlay != NULL) {
        remove(overlay); /* the picture of a scenario that is not there */
    }
    return status;
}

pw_status pw_import(const char *file, const pw_import_options *options, const char *yaml, const char *overlay,
                    FILE *report, pw_error *error)
{
    FAIL_IF(file == NULL || options == NULL || yaml == NULL, error, PW_USAGE,
            "pw_import: file, options and yaml must not be NULL");
    struct import import = {.file = file, .options = options};
    pw_plain_numbers numbers;
    TRY(pw_plain_numbers_begin(&numbers, error));
    pw_status status = import_run(&import, yaml, overlay, report, error);
    pw_plain_numbers_end(&numbers);
    drawing_free(&import.drawing);
    PW_FREE_ALL(import.classes, import.pages);
    return status;
}
