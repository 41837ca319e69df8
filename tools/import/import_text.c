/* The scenario that an import writes: what was read and what was guessed, each in a line that can be changed. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/* Text in double quotes, as YAML wants it. */
static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < ' ' || *c == 0x7f) {
            fprintf(out, "\\x%02x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

void import_write_value(FILE *out, const char *before, double value, pw_dimension dimension)
{
    char text[PW_QUANTITY_SIZE];
    fprintf(out, "%s%s", before, pw_quantity_format(value, dimension, text));
}

/* A comment on one line: no character may end it. */
void import_write_comment(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        fputc(*c < ' ' || *c == 0x7f ? ' ' : *c, out);
    }
    fputc('\n', out);
}

/* ---- classes ---- */

static void write_material(FILE *out, const struct import *import, int c)
{
    const struct import_class *own = &import->classes[c];
    if (own->permittivity > 0) {
        char name[64];
        snprintf(name, sizeof name, "%s %.4g dB", own->guess.material, import->drawing.classes[c].loss);
        fputs("{name: ", out);
        write_text(out, name);
        import_write_value(out, ", relative_permittivity: ", own->permittivity, PW_DIMENSION_NUMBER);
        import_write_value(out, ", conductivity: ", own->conductivity, PW_DIMENSION_CONDUCTIVITY);
        fputc('}', out);
        return;
    }
    fputs(own->guess.material, out);
}

/* The heights that the file gives a class, as far as they lie in a storey so high [m]. */
static void write_heights(FILE *out, const struct drawing_class *class, double storey)
{
    double low = fmax(class->low, 0), high = fmin(class->high, storey);
    if (!isnan(class->low) && !isnan(class->high) && low < high && (low > 0 || high < storey)) {
        import_write_value(out, ", z: [", low, PW_DIMENSION_LENGTH);
        import_write_value(out, ", ", high, PW_DIMENSION_LENGTH);
        fputc(']', out);
    }
}

/* What a class stands for, as a YAML value. `storey`: how high it is, m; 0: the plan has no heights. */
static void write_use(FILE *out, const struct import *import, int c, double storey)
{
    static const char *const WORDS[CLASS_USES] = {
        [CLASS_WALLS] = "walls",       [CLASS_FACES] = "faces",     [CLASS_OUTLINES] = "rooms",
        [CLASS_OPENINGS] = "openings", [CLASS_WINDOWS] = "windows", [CLASS_DOORS] = "doors"};
    const struct import_class *own = &import->classes[c];
    const struct drawing_class *class = &import->drawing.classes[c];
    if (own->said != NULL) {
        fputs(own->said, out);
        return;
    }
    if (own->guess.use == CLASS_OPEN || own->guess.use == CLASS_IGNORED) {
        fputs(own->thin && import->gaps ? "gaps" : "ignored", out);
        return;
    }
    fprintf(out, "{as: %s", WORDS[own->guess.use]);
    if (own->guess.material != NULL) {
        fputs(", material: ", out);
        write_material(out, import, c);
    }
    if (own->guess.thickness > 0) {
        import_write_value(out, ", thickness: ", own->guess.thickness, PW_DIMENSION_LENGTH);
    }
    if (own->guess.panes > 1) {
        fprintf(out, ", panes: %d", own->guess.panes);
        import_write_value(out, ", gap: ", own->guess.gap, PW_DIMENSION_LENGTH);
    }
    write_heights(out, class, storey);
    fputc('}', out);
}

void import_class_comment(const struct import *import, int c, char *text, size_t size)
{
    const struct import_class *own = &import->classes[c];
    bool material = own->guess.material_guessed, thickness = own->guess.thickness_guessed;
    char loss[120] = "";
    if (own->permittivity > 0) {
        const double stated = import->drawing.classes[c].loss;
        bool more = own->conductivity == 0 && own->loss > 1.05 * stated;
        snprintf(loss, sizeof loss,
                 more ? "; it loses %.3g dB by reflection alone, more than the stated %.4g"
                      : "; with this conductivity it loses %.3g dB, stated are %.4g",
                 own->loss, stated);
    }
    snprintf(text, size, "%s%s%s", own->said != NULL ? "as you say" : own->guess.reason,
             own->said != NULL || !(material || thickness) ? ""
             : material && thickness                       ? "; material and thickness are guesses"
             : material                                    ? "; the material is a guess"
                                                           : "; the thickness is a guess",
             loss);
}

/* How many lines and areas of a class are on a page. */
struct count {
    size_t lines, areas;
};

static pw_status write_classes(FILE *out, const struct import *import, int page, int indent, double storey,
                               pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    struct count *counts = allocate(drawing->class_count, sizeof *counts, "the classes of a drawing", error);
    TRY_MADE(counts);
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        struct count *own = &counts[element->class_index];
        *(element->kind == ELEMENT_LINE ? &own->lines : &own->areas) += element->page == page;
    }
    fprintf(out, "%*sclasses:\n", indent, "");
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct count *own = &counts[c];
        char comment[300], whole[400];
        if (own->lines + own->areas == 0) {
            continue;
        }
        fprintf(out, "%*s", indent + 2, "");
        write_text(out, drawing->classes[c].name);
        fputs(": ", out);
        write_use(out, import, (int)c, storey);
        import_class_comment(import, (int)c, comment, sizeof comment);
        if (import->classes[c].guess.use == CLASS_FACES) {
            snprintf(whole, sizeof whole, "%zu walls found between its lines, %s", own->areas, comment);
        } else {
            snprintf(whole, sizeof whole, "%zu line%s and %zu area%s, %s", own->lines, own->lines == 1 ? "" : "s",
                     own->areas, own->areas == 1 ? "" : "s", comment);
        }
        fputs("   # ", out);
        import_write_comment(out, whole);
    }
    free(counts);
    return PW_OK;
}

/* ---- drawing and storeys ---- */

/* The file's path from the scenario's folder: its name where both lie in one, else the whole path. */
static void write_path(FILE *out, const struct import *import, const char *folder)
{
    char *own = realpath(import->file, NULL), *place = realpath(folder, NULL);
    size_t length = place != NULL ? strlen(place) : 0;
    bool inside = own != NULL && length > 1 && strncmp(own, place, length) == 0 && own[length] == '/';
    write_text(out, inside ? own + length + 1 : own != NULL ? own : import->file);
    PW_FREE_ALL(own, place);
}

static void write_picture_options(FILE *out, const struct import *import, int indent)
{
    for (size_t p = 0; p < import->options->picture_count; p++) {
        const char *words = import->options->pictures[p], *equal = strchr(words, '=');
        if (p == 0) {
            fprintf(out, "%*spicture:\n", indent, "");
        }
        fprintf(out, "%*s%.*s: %s\n", indent + 2, "", (int)(equal - words), words, equal + 1);
    }
    bool said = import->options->picture_count > 0, found = false;
    for (size_t c = 0; c < import->drawing.class_count && import->drawing.picture.rgb != NULL; c++) {
        enum class_use use = import->drawing.classes[c].use;
        found = found || use == CLASS_WINDOWS || use == CLASS_DOORS || use == CLASS_WALLS; /* by how thick they are */
    }
    if (import->drawing.thinnest > 0 || import->drawing.marks > 0 || found) {
        fprintf(out, !said ? "%*spicture:\n" : "", indent, "");
    }
    if (import->drawing.thinnest > 0) {
        fprintf(out, "%*sthinnest: %g   # a guess: thinner strokes are text, dimensions, furniture\n", indent + 2, "",
                import->drawing.thinnest);
    }
    if (import->drawing.marks > 0 && !import_picture_key_is_said(import->options, "marks")) {
        fprintf(
            out,
            "%*smarks: %g   # a guess: areas up to this long that are not built along walls are arrows and letters\n",
            indent + 2, "", import->marks);
    }
    if (found && !import_picture_key_is_said(import->options, "openings")) {
        fprintf(out, "%*sopenings: %g   # a guess: windows and doors in gaps of walls up to this long\n", indent + 2,
                "", import->openings);
    }
}

static pw_status write_drawing(FILE *out, const struct import *import, const char *folder, int page, double storey,
                               pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    const double *region = import->region;
    const int indent = storey > 0 ? 6 : 2;
    fprintf(out, "%*sdrawing:\n%*sfile: ", indent, "", indent + 2, "");
    write_path(out, import, folder);
    if (drawing->page_count > 1) {
        fprintf(out, "\n%*spage: ", indent + 2, "");
        write_text(out, drawing->pages[page].name);
    }
    fprintf(out, "\n%*sunit: ", indent + 2, "");
    import_write_value(out, "", import->unit, PW_DIMENSION_LENGTH);
    fputs("   # ", out);
    fputs(import->options->unit > 0 ? "as you say" : drawing->unit_from, out);
    fputs(import->doubt[0] != '\0' ? "; DOUBTFUL: " : "", out);
    import_write_comment(out, import->doubt);
    if (import->options->turn != 0) {
        fprintf(out, "%*sturn: %.10g deg\n", indent + 2, "", import->options->turn);
    }
    fprintf(out, "%*sregion: [%.10g, %.10g, %.10g, %.10g]   # %.4g m x %.4g m%s\n", indent + 2, "", region[0],
            region[1], region[2], region[3], (region[2] - region[0]) * import->unit,
            (region[3] - region[1]) * import->unit,
            import->options->region != NULL ? ", as you say" : ": what is drawn, and 1 m of air around it");
    write_picture_options(out, import, indent + 2);
    if (drawing->note[0] != '\0') {
        fprintf(out, "%*s# the picture was ", indent + 2, "");
        import_write_comment(out, drawing->note);
    }
    return write_classes(out, import, page, indent + 2, storey, error);
}

/* Whether something says how high the building is. */
static bool has_heights(const struct import *import)
{
    bool found = import->page_count > 1;
    for (int p = 0; p < import->page_count; p++) {
        found = found || !isnan(import->drawing.pages[import->pages[p]].height);
    }
    for (size_t c = 0; c < import->drawing.class_count; c++) {
        found = found || (import->classes[c].shown && !isnan(import->drawing.classes[c].low) &&
                          !isnan(import->drawing.classes[c].high));
    }
    return found;
}

/* The page's name in the letters that a storey's name may have, behind its number. */
void import_write_storey(FILE *out, const char *name, int number)
{
    char text[PW_NAME_SIZE];
    size_t used = (size_t)snprintf(text, sizeof text, "%d", number);
    for (const char *c = name; *c != '\0' && used + 2 < sizeof text; c++) {
        bool good = isalnum((unsigned char)*c) != 0 && (unsigned char)*c < 0x80;
        used += c == name ? (size_t)snprintf(text + used, sizeof text - used, "_") : 0;
        text[used++] = good ? *c : '_';
        text[used] = '\0';
    }
    fprintf(out, "\"%s\"", text);
}

static pw_status write_storeys(FILE *out, const struct import *import, const char *folder, pw_error *error)
{
    const double usual = 2.7; /* m */
    fputs("  storeys:   # floors and ceilings are guesses, and so is a height that says so\n", out);
    for (int p = 0; p < import->page_count; p++) {
        const struct drawing_page *page = &import->drawing.pages[import->pages[p]];
        bool known = !isnan(page->height) && page->height > 0;
        fputs("    - name: ", out);
        import_write_storey(out, page->name, p + 1);
        const double height = known ? page->height : usual;
        import_write_value(out, "\n      height: ", height, PW_DIMENSION_LENGTH);
        fprintf(out, "   # %s\n", known ? "as the file says" : "a guess");
        fputs("      floor: {material: concrete, thickness: 20 cm}\n", out);
        if (p + 1 == import->page_count) {
            fputs("      ceiling: {material: concrete, thickness: 20 cm}\n", out);
        }
        if (import_page_has_fabric(import, import->pages[p])) {
            TRY(write_drawing(out, import, folder, import->pages[p], height, error));
        }
    }
    return PW_OK;
}

/* ---- all of it ---- */

pw_status import_text(const struct import *import, const char *folder, FILE *out, pw_error *error)
{
    const char *name = strrchr(import->file, '/');
    bool heights = has_heights(import);
    name = name != NULL ? name + 1 : import->file;
    fputs("# Made by planwave import. What was guessed says so: change the words and look at it with planwave "
          "rasterize.\n"
          "title: ",
          out);
    write_text(out, name);
    fputs("\nplan:\n", out);
    TRY(heights ? write_storeys(out, import, folder, error)
                : write_drawing(out, import, folder, import->pages[0], 0, error));
    /* The width is left to the scenario's own default, which is the same for all. */
    import_write_value(out, "band: {centre: ", import->frequency, PW_DIMENSION_FREQUENCY);
    fprintf(out, "}   # %sthe width, 100 MHz where nothing is said, is a key of its own: width\n",
            import->options->frequency > 0 ? ""
            : import->frequency_of_radio   ? "where the first access point sends; "
                                           : "a guess; ");
    TRY(import_stations_write(out, import, heights, error));
    return ferror(out) == 0 ? PW_OK : fail(error, PW_NO_RESOURCE, "the scenario could not be written");
}
