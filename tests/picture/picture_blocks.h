/* A picture of four blocks that pictures of any format are written of in tests, what is read back, and what is refused:
 * the message must name the file. */
#ifndef PICTURE_BLOCKS_H
#define PICTURE_BLOCKS_H

#include "tests/support/check.h"

#include "drawing/planwave_drawings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 48, HEIGHT = 32, FILE_LIMIT = 200000 };

static char folder[] = "/tmp/planwave-test-picture-XXXXXX";
static char path[256];

static inline int folder_make(void **state)
{
    (void)state;
    pw_drawings_use(pw_drawing_formats()); /* which knows JPEG and TIFF */
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/picture", folder);
    return 0;
}

static inline int folder_clear(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Four blocks of 24 x 16 pixels, as seen: red, green over blue, white; JPEG keeps such blocks. */
static inline void colour_seen(int x, int y, uint8_t rgb[3])
{
    static const uint8_t COLOURS[4][3] = {{200, 30, 30}, {20, 160, 40}, {30, 40, 190}, {255, 255, 255}};
    memcpy(rgb, COLOURS[2 * (y >= HEIGHT / 2) + (x >= WIDTH / 2)], 3);
}

/* What TIFF 6.0, page 36, says of the stored row and column: row 0 is the seen top, bottom, left or right ... */
static inline void colour_stored(int orientation, int column, int row, uint8_t rgb[3])
{
    const int right = WIDTH - 1, bottom = HEIGHT - 1;
    const int seen[9][2] = {[1] = {column, row},
                            [2] = {right - column, row},
                            [3] = {right - column, bottom - row},
                            [4] = {column, bottom - row},
                            [5] = {row, column},
                            [6] = {right - row, column},
                            [7] = {right - row, bottom - column},
                            [8] = {row, bottom - column}};
    colour_seen(seen[orientation][0], seen[orientation][1], rgb);
}

/* The picture of the four blocks; of pixels next to where blocks meet JPEG mixes colours. */
static inline void assert_blocks(int tolerance, int border, bool grey)
{
    pw_picture image = {0};
    pw_error error = {""};
    if (pw_picture_read(path, &image, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    for (int n = 0; n < WIDTH * HEIGHT; n++) {
        int x = n % WIDTH, y = n / WIDTH;
        uint8_t rgb[3];
        colour_seen(x, y, rgb);
        if (abs(2 * x + 1 - WIDTH) / 2 < border || abs(2 * y + 1 - HEIGHT) / 2 < border) {
            continue;
        }
        if (grey) {
            rgb[0] = rgb[1] = rgb[2] = (uint8_t)(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] + 0.5);
        }
        for (int c = 0; c < 3; c++) {
            if (abs(image.rgb[3 * n + c] - rgb[c]) > tolerance) {
                fail_msg("(%d, %d) channel %d: %d, not %d", x, y, c, image.rgb[3 * n + c], rgb[c]);
            }
        }
    }
    pw_picture_free(&image);
}

static inline size_t read_file(uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, FILE_LIMIT, file);
    fclose(file);
    return count;
}

static inline void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Whatever happens, the message names the file and there is nothing to free. */
static inline void assert_refused(const char *phrase)
{
    pw_picture image = {0};
    pw_error error = {""};
    assert_int_equal(pw_picture_read(path, &image, &error), PW_BAD_INPUT);
    if (strstr(error.message, path) == NULL || strstr(error.message, phrase) == NULL) {
        fail_msg("'%s' is not in: %s", phrase, error.message);
    }
    assert_null(image.rgb);
}

/* Every shorter file than this one is refused. */
static inline void assert_truncated_refused(const char *phrase, size_t without)
{
    static uint8_t bytes[FILE_LIMIT];
    size_t size = read_file(bytes);
    for (size_t length = 0; length < size - without; length++) {
        write_file(bytes, length);
        assert_refused(length < 4 ? "" : phrase);
    }
}

/* A flipped bit that still decodes gives a picture; what does not decode is told. */
static inline void assert_flipped_harmless(void)
{
    static uint8_t bytes[FILE_LIMIT];
    size_t size = read_file(bytes);
    for (size_t n = 0; n < size; n++) {
        bytes[n] ^= 0x40;
        write_file(bytes, size);
        pw_picture image = {0};
        pw_error error = {""};
        pw_status status = pw_picture_read(path, &image, &error);
        assert_true(status == PW_OK ? image.rgb != NULL && image.width > 0 && image.height > 0
                                    : status == PW_BAD_INPUT && strstr(error.message, path) != NULL);
        pw_picture_free(&image);
        bytes[n] ^= 0x40;
    }
}

/* stdout and stderr go into a file meanwhile, which stays empty. */
static inline void assert_prints_nothing(void (*test)(void **state), void **state)
{
    char name[300];
    snprintf(name, sizeof name, "%s/printed", folder);
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2);
    FILE *file = fopen(name, "w");
    assert_true(file != NULL && dup2(fileno(file), 1) == 1 && dup2(fileno(file), 2) == 2);
    test(state);
    fflush(stdout);
    fflush(stderr);
    long printed = lseek(fileno(file), 0, SEEK_END);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    fclose(file);
    unlink(name);
    assert_int_equal(printed, 0);
}

#endif
