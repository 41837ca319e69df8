/* Drawings written by a test as files of a folder of its own, and read back. */
#ifndef DRAWING_FILE_H
#define DRAWING_FILE_H

#include "tests/support/check.h"

#include "drawing/drawing_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cmocka's own compares floats. */
#define assert_near(value, wanted, within)                                                                             \
    do {                                                                                                               \
        if (!(fabs((value) - (wanted)) <= (within))) {                                                                 \
            fail_msg("%.12g in place of %.12g", (double)(value), (double)(wanted));                                    \
        }                                                                                                              \
    } while (0)

static char drawing_folder[] = "/tmp/planwave-test-drawing-XXXXXX";

static inline int drawing_folder_make(void **state)
{
    (void)state;
    return mkdtemp(drawing_folder) == NULL;
}

static inline int drawing_folder_clear(void **state)
{
    (void)state;
    return rmdir(drawing_folder);
}

static inline void drawing_file_path(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", drawing_folder, name);
}

static inline void drawing_file_write(const char *name, const void *bytes, size_t size, char path[256])
{
    drawing_file_path(name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads a file that is good, and removes it. */
static inline struct drawing drawing_taken(const char *path)
{
    struct drawing drawing = {0};
    struct picture_options picture = {0};
    pw_error error = {""};
    if (drawing_read(path, &picture, &drawing, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    unlink(path);
    return drawing;
}

/* Reads one that is not, and removes it; the message names it and says `words`. */
static inline void drawing_not_taken(const char *path, const char *words)
{
    struct drawing drawing = {0};
    struct picture_options picture = {0};
    pw_error error = {""};
    pw_status status = drawing_read(path, &picture, &drawing, &error);
    drawing_free(&drawing);
    unlink(path);
    if (status != PW_BAD_INPUT || strstr(error.message, words) == NULL || strstr(error.message, path) == NULL) {
        fail_msg("status %d, \"%s\" in place of \"%s\"", status, error.message, words);
    }
}

static inline struct drawing drawing_made(const char *name, const char *text)
{
    char path[256];
    drawing_file_write(name, text, strlen(text), path);
    return drawing_taken(path);
}

static inline void drawing_refused(const char *name, const char *text, const char *words)
{
    char path[256];
    drawing_file_write(name, text, strlen(text), path);
    drawing_not_taken(path, words);
}

static inline const struct drawing_class *class_get(const struct drawing *drawing, const char *name)
{
    for (size_t c = 0; c < drawing->class_count; c++) {
        if (strcmp(drawing->classes[c].name, name) == 0) {
            return &drawing->classes[c];
        }
    }
    fail_msg("there is no class '%s'", name);
    return NULL;
}

static inline size_t omissions_of(const struct drawing *drawing, const char *what)
{
    for (size_t n = 0; n < drawing->omission_count; n++) {
        if (strcmp(drawing->omissions[n].what, what) == 0) {
            return drawing->omissions[n].count;
        }
    }
    return 0;
}

#endif
