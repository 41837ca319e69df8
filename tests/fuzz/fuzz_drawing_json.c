/* Any file as a drawing of the formats that are JSON or XML of maps: refused with a sentence, or a drawing within its
 * limits. Formats that are zip archives are reached through real archives of the corpus, and through texts: one of
 * several entries, each after a line "%%name", is zipped here, since a fuzzer rarely keeps an archive whole. */
#include <math.h>
#include <string.h>
#include <zip.h>

#include "drawing/drawing_format.h"
#include "tests/fuzz/fuzz.h"

static void check_elements(const struct drawing *drawing)
{
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        FUZZ_MUST(element->class_index >= 0 && (size_t)element->class_index < drawing->class_count);
        FUZZ_MUST(element->page >= 0 && (size_t)element->page < drawing->page_count);
        FUZZ_MUST(element->rings >= 1 && element->first_ring + element->rings <= drawing->ring_count);
        FUZZ_MUST(element->width >= 0 && isfinite(element->width));
        for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
            FUZZ_MUST(drawing->rings[r].count >= (element->kind == ELEMENT_LINE ? 2 : 3));
            FUZZ_MUST(drawing->rings[r].first + drawing->rings[r].count <= drawing->point_count);
        }
    }
}

/* Other formats have targets of their own. */
static int is_ours(const char *path)
{
    static const char *const NAMES[] = {"esx", "IMDF", "OSM", "OpenIntent", "GeoJSON"};
    const struct drawing_format *format = NULL;
    pw_error error = {""};
    pw_status status = drawing_format_of(path, &format, &error);
    fuzz_check(status, &error);
    for (size_t n = 0; status == PW_OK && n < sizeof NAMES / sizeof NAMES[0]; n++) {
        if (strcmp(format->name, NAMES[n]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void read_file(const char *path)
{
    if (!is_ours(path)) {
        return;
    }
    struct drawing drawing = {0};
    const struct picture_options picture = {0};
    pw_error error = {""};
    pw_status status = drawing_read(path, &picture, &drawing, &error);
    fuzz_check(status, &error);
    FUZZ_MUST(status == PW_OK || strstr(error.message, path) != NULL || status == PW_NO_RESOURCE);
    if (status == PW_OK) {
        FUZZ_MUST(drawing.page_count >= 1 && drawing.page_count <= DRAWING_PAGE_LIMIT);
        FUZZ_MUST(drawing.unit >= 0 && isfinite(drawing.unit));
        check_elements(&drawing);
        for (size_t r = 0; r < drawing.radio_count; r++) {
            FUZZ_MUST(drawing.radios[r].page >= 0 && (size_t)drawing.radios[r].page < drawing.page_count);
        }
    }
    drawing_free(&drawing);
}

/* Zips the entries of a text; false when that fails, as with two of the same name. */
static int text_zip(const char *path, char *text)
{
    int code = 0;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    FUZZ_MUST(archive != NULL);
    for (char *name = text; name != NULL && strncmp(name, "%%", 2) == 0;) {
        char *content = strchr(name, '\n');
        if (content == NULL) {
            break;
        }
        *content++ = '\0';
        char *next = strstr(content, "\n%%");
        size_t length = next == NULL ? strlen(content) : (size_t)(next - content);
        zip_source_t *source = zip_source_buffer(archive, content, length, 0);
        if (source == NULL || zip_file_add(archive, name + 2, source, ZIP_FL_OVERWRITE) < 0) {
            zip_source_free(source);
        }
        name = next == NULL ? NULL : next + 1;
    }
    if (zip_close(archive) != 0) {
        zip_discard(archive);
        return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    fuzz_file(bytes, size, path);
    if (size < 2 || memcmp(bytes, "%%", 2) != 0) {
        read_file(path);
        unlink(path);
        return 0;
    }
    unlink(path);
    char *text = malloc(size + 1);
    FUZZ_MUST(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (text_zip(path, text) && access(path, F_OK) == 0) { /* libzip writes no file without entries */
        read_file(path);
        unlink(path);
    }
    free(text);
    return 0;
}
