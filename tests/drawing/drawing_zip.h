/* Zip archives of texts, written by libzip for tests of formats that are some. */
#ifndef DRAWING_ZIP_H
#define DRAWING_ZIP_H

#include "tests/drawing/drawing_file.h"

#include <zip.h>

struct zip_text {
    const char *name, *text;
};

/* The list ends with a name that is NULL. */
static inline void zip_write(const char *name, const struct zip_text *texts, char path[256])
{
    drawing_file_path(name, path);
    int code = 0;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(archive);
    for (size_t n = 0; texts[n].name != NULL; n++) {
        zip_source_t *source = zip_source_buffer(archive, texts[n].text, strlen(texts[n].text), 0);
        assert_true(source != NULL && zip_file_add(archive, texts[n].name, source, 0) >= 0);
    }
    assert_int_equal(zip_close(archive), 0);
}

static inline struct drawing drawing_zipped(const char *name, const struct zip_text *texts)
{
    char path[256];
    zip_write(name, texts, path);
    return drawing_taken(path);
}

static inline void zip_refused(const char *name, const struct zip_text *texts, const char *words)
{
    char path[256];
    zip_write(name, texts, path);
    drawing_not_taken(path, words);
}

#endif
