/* DXF, the text form of AutoCAD's drawings, from release 12 on, after Autodesk's "DXF Reference" (2012 and later).
 *
 * Read are the entities of model space that are lines or areas: LINE, LWPOLYLINE and POLYLINE with bulges and widths,
 * ARC, CIRCLE, ELLIPSE, SPLINE, MLINE, SOLID, TRACE, 3DFACE, HATCH with a solid fill, and INSERT of blocks in blocks,
 * in rows and columns, mirrored and tilted. A layer is a class; what is drawn in a colour or line type of its own stays
 * with its layer, and what is on layer "0" in a block goes to the layer of the insert. Layers that are off or frozen
 * are classes of their own, "NAME (off)" or "NAME (frozen)", which are ignored unless the user wants them. The unit is
 * $INSUNITS; a file without it has none.
 *
 * Left out and counted are texts, dimensions, points, pictures, hatches of patterns, meshes, external references, and
 * all of paper space. Thickness (group 39) and heights are not looked at. Binary DXF is recognised, and refused with a
 * sentence that says what to do. DWG is read by way of dwg2dxf, where that is installed. */
#include "drawing/drawing_format.h"
#include "drawing/vector/dxf/dxf.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool begins(const uint8_t *head, size_t count, const char *with)
{
    size_t length = strlen(with);
    return count >= length && memcmp(head, with, length) == 0;
}

static bool is_binary(const uint8_t *head, size_t count)
{
    return begins(head, count, "AutoCAD Binary DXF");
}

/* A DWG begins with its release, as in "AC1027". */
static bool is_dwg(const uint8_t *head, size_t count)
{
    return count >= 6 && begins(head, count, "AC10") && head[4] >= '0' && head[4] <= '9' && head[5] >= '0' &&
           head[5] <= '9';
}

/* A text begins with group 0, SECTION, or with comments, group 999. */
static bool recognises_dxf(const uint8_t *head, size_t count, const char *path)
{
    if (is_binary(head, count) || is_dwg(head, count)) {
        return true;
    }
    size_t at = begins(head, count, "\xef\xbb\xbf") ? 3 : 0, length = strlen(path);
    while (at < count && (head[at] == ' ' || head[at] == '\t')) {
        at++;
    }
    size_t digits = at;
    while (at < count && (head[at] == '0' || head[at] == '9')) {
        at++;
    }
    bool group = (at - digits == 1 && head[digits] == '0') || (at - digits == 3 && head[digits] == '9');
    while (at < count && (head[at] == ' ' || head[at] == '\t')) {
        at++;
    }
    bool line = group && at < count && (head[at] == '\r' || head[at] == '\n');
    return line || (length > 4 && strcasecmp(path + length - 4, ".dxf") == 0);
}

static pw_status text_read(struct dxf *dxf, pw_error *error)
{
    struct dxf_cursor entities = {NULL, 0};
    TRY(drawing_page_of(dxf->drawing, "", &dxf->page, error));
    TRY(dxf_tables_read(dxf, &entities, error));
    return dxf_model_draw(dxf, &entities, error);
}

static pw_status read_text(const char *path, struct drawing *drawing, pw_error *error)
{
    OWNED_BY(dxf_free) struct dxf dxf = {.drawing = drawing};
    TRY(dxf_text_read(path, &dxf.text, error));
    return text_read(&dxf, error);
}

/* ---- DWG --------------------------------------------------------------------------------------------------------- */

/* The DXF file that LibreDWG's program makes of a DWG, whose form is not public, in a temporary folder of its own. */
struct dwg_converted {
    char folder[PATH_MAX], dxf[PATH_MAX + 16];
    int lock;
};

static void dwg_free(struct dwg_converted *converted)
{
    pw_temporary_folder_remove(converted->folder, &converted->lock);
}

static pw_status dwg_convert(const char *path, struct dwg_converted *converted, pw_error *error)
{
    TRY(pw_temporary_folder_make(converted->folder, sizeof converted->folder, &converted->lock, "dwg",
                                 "the drawing that dwg2dxf makes", error));
    snprintf(converted->dxf, sizeof converted->dxf, "%s/plan.dxf", converted->folder);
    OWNED char *absolute = realpath(path, NULL); /* so that no name is taken for an option */
    const char *const words[] = {"dwg2dxf", "-y", "-o", converted->dxf, absolute, NULL};
    int process, reason = absolute == NULL ? errno : pw_program_start(words, -1, -1, &process);
    FAIL_IF(reason == ENOENT, error, PW_BAD_INPUT,
            "'%s' is a DWG file, whose form is not public. Install LibreDWG, whose dwg2dxf is then used, or "
            "save the drawing as DXF: dwg2dxf -o PLAN.dxf PLAN.dwg, the ODA File Converter, or a CAD program",
            path);
    FAIL_IF(reason != 0, error, PW_NO_RESOURCE, "cannot start dwg2dxf to read '%s': %s", path, strerror(reason));
    struct stat made;
    FAIL_IF(pw_program_wait(process) != 0 || stat(converted->dxf, &made) != 0 || made.st_size == 0, error, PW_BAD_INPUT,
            "dwg2dxf of LibreDWG cannot read '%s'; save it as DXF in a CAD program", path);
    return PW_OK;
}

static pw_status read_dwg(const char *path, struct drawing *drawing, pw_error *error)
{
    OWNED_BY(dwg_free) struct dwg_converted converted = {.lock = -1};
    TRY(dwg_convert(path, &converted, error));
    return read_text(converted.dxf, drawing, error);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static pw_status read_dxf(const char *path, const struct picture_options *picture, struct drawing *drawing,
                          pw_error *error)
{
    (void)picture;
    uint8_t head[PW_FILE_HEAD_SIZE];
    size_t count = 0;
    TRY(pw_file_head_read(path, head, &count, error));
    FAIL_IF(is_binary(head, count), error, PW_BAD_INPUT,
            "'%s' is a binary DXF file; save it as a DXF file of text (ASCII)", path);
    return is_dwg(head, count) ? read_dwg(path, drawing, error) : read_text(path, drawing, error);
}

extern const struct drawing_format drawing_format_dxf;
const struct drawing_format drawing_format_dxf = {
    "DXF", "drawings of CAD programs, their layers as classes; DWG where dwg2dxf of LibreDWG is", recognises_dxf,
    read_dxf};
