/* PDF, by the program pdftocairo of poppler, which writes a page as SVG, and the reader of SVG. A page is a page of the
 * drawing, named by its number where there are several.
 *
 * Classes are colours, of strokes with their widths: "stroke #000000 width 0.72", "fill #c0c0c0". Coordinates are
 * points of 1/72 inch on paper, so that the unit of the building is not known. Letters of texts, pictures and clip
 * paths are counted and left out, and so are pages beyond the fiftieth; layers of a PDF are not told apart. What shows
 * no line and no coloured area is a scan, and refused with a sentence on how to get at its picture. */
#include "drawing/drawing_format.h"
#include "drawing/vector/pdf/program_run.h"
#include "drawing/vector/svg/svg_draw.h"

#include <stdlib.h>
#include <string.h>

enum { PAGES = 50 };

static const char PACKAGE[] = "poppler-utils";

extern const struct drawing_format drawing_format_pdf;

/* Some programs write a few lines before the first of PDF. */
static bool recognises_pdf(const uint8_t *head, size_t count, const char *path)
{
    (void)path;
    return memmem(head, count < 1024 ? count : 1024, "%PDF-", 5) != NULL;
}

/* How many pages pdfinfo counts. */
static pw_status pages_count(const char *path, const char *file, int *pages, pw_error *error)
{
    FILE *output = tmpfile();
    FAIL_IF(output == NULL, error, PW_NO_RESOURCE, "no temporary file for what pdfinfo says");
    const char *const words[] = {"pdfinfo", file, NULL};
    char said[PROGRAM_WORDS], line[256];
    bool good = false;
    pw_status status = program_run(words, PACKAGE, output, &good, said, error);
    *pages = 0;
    rewind(output);
    while (status == PW_OK && fgets(line, sizeof line, output) != NULL) {
        long count = strncmp(line, "Pages:", 6) == 0 ? strtol(line + 6, NULL, 10) : 0;
        *pages = count > 0 ? (int)(count < 1000000 ? count : 1000000) : *pages;
    }
    (void)fclose(output);
    if (status == PW_OK && (!good || *pages == 0)) {
        status = fail(error, PW_BAD_INPUT, "'%s' cannot be read as PDF: pdfinfo says: %s", path,
                      said[0] != '\0' ? said : "nothing");
    }
    return status;
}

/* Reads a page from what pdftocairo writes to a file without a name, which is gone whatever happens. */
static pw_status page_read(const char *path, const char *file, int number, int page, struct drawing *drawing,
                           pw_error *error)
{
    char first[16], made[64], said[PROGRAM_WORDS];
    bool good = false;
    FILE *output = tmpfile();
    FAIL_IF(output == NULL, error, PW_NO_RESOURCE, "no temporary file for page %d of '%s'", number, path);
    snprintf(first, sizeof first, "%d", number);
    snprintf(made, sizeof made, "/proc/self/fd/%d", fileno(output));
    const char *const words[] = {"pdftocairo", "-svg", "-f", first, "-l", first, file, "-", NULL};
    pw_status status = program_run(words, PACKAGE, output, &good, said, error);
    if (status == PW_OK && !good) {
        status = fail(error, PW_BAD_INPUT, "'%s', page %d: pdftocairo says: %s", path, number,
                      said[0] != '\0' ? said : "nothing");
    }
    if (status == PW_OK) {
        pw_error inner = {""};
        status = svg_read(made, true, page, drawing, &inner);
        if (status != PW_OK) {
            status = fail(error, status, "'%s', page %d, as pdftocairo writes it: %.700s", path, number, inner.message);
        }
    }
    (void)fclose(output);
    return status;
}

/* Whether there is more than white areas, which are paper. */
static bool shows_anything(const struct drawing *drawing)
{
    for (size_t c = 0; c < drawing->class_count; c++) {
        const struct drawing_class *class = &drawing->classes[c];
        bool white = class->colour[0] == 255 && class->colour[1] == 255 && class->colour[2] == 255;
        if (class->lines > 0 || (class->areas > 0 && !white)) {
            return true;
        }
    }
    return false;
}

static pw_status read_pdf(const char *path, const struct picture_options *picture, struct drawing *drawing,
                          pw_error *error)
{
    (void)picture;
    char file[4096];
    int pages = 0;
    FAIL_IF(snprintf(file, sizeof file, "%s%s", path[0] == '-' ? "./" : "", path) >= (int)sizeof file, error,
            PW_BAD_INPUT, "the name of the file is longer than %zu bytes", sizeof file);
    drawing->sheets = true;
    drawing->paper = 0.0254 / 72;
    TRY(pages_count(path, file, &pages, error));
    for (int number = 1; number <= pages && number <= PAGES; number++) {
        char name[16] = "";
        int page = 0;
        if (pages > 1) {
            snprintf(name, sizeof name, "%d", number);
        }
        TRY(drawing_page_of(drawing, name, &page, error));
        TRY(page_read(path, file, number, page, drawing, error));
    }
    for (int number = PAGES; number < pages; number++) {
        TRY(drawing_omit(drawing, "page beyond the fiftieth", error));
    }
    drawing_end(drawing);
    return shows_anything(drawing)
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "'%s' has no lines and no areas: it is a scan, perhaps. Its picture can be read: "
                      "pdftoppm -r 200 -png FILE.pdf page, or pdfimages -png FILE.pdf page",
                      path);
}

const struct drawing_format drawing_format_pdf = {
    "PDF", "drawings that were printed to PDF, colours and widths as classes; needs pdftocairo", recognises_pdf,
    read_pdf};
