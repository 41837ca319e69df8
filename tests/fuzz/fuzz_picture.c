/* Any file as a picture, JPEG, TIFF, GIF and BMP beside PNG: refused with a sentence, or pixels within the limits. The
 * bytes once more as the pixels of a small drawing, and as options: its areas lie within the picture. */
#include <math.h>
#include <string.h>

#include "base/picture/png_image.h"
#include "drawing/drawing_format.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_decoding(const char *path)
{
    pw_picture image = {0};
    pw_error error = {""};
    pw_status status = pw_picture_read(path, &image, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        FUZZ_MUST(image.width > 0 && image.width <= PW_PICTURE_SIDE_LIMIT && image.height > 0 &&
                  image.height <= PW_PICTURE_SIDE_LIMIT);
        FUZZ_MUST((int64_t)image.width * image.height <= PW_PICTURE_PIXEL_LIMIT);
        volatile uint8_t touched = image.rgb[(size_t)image.width * (size_t)image.height * 3 - 1];
        (void)touched;
        pw_picture_free(&image);
    }
}

/* Sixteen bytes of options; the others are pixels of so many columns, two bits each a colour. */
static void fuzz_tracing(const uint8_t *bytes, size_t size, const char *path)
{
    static const uint8_t COLOURS[4][3] = {{255, 255, 255}, {20, 20, 20}, {137, 137, 137}, {200, 40, 40}};
    enum { OPTIONS = 16, WIDEST = 64, MOST_PIXELS = 4096 };
    if (size <= OPTIONS) {
        return;
    }
    int width = 1 + bytes[0] % WIDEST;
    size_t pixels = 4 * (size - OPTIONS) < MOST_PIXELS ? 4 * (size - OPTIONS) : MOST_PIXELS;
    int height = (int)pixels / width;
    struct picture_options options = {.scan = bytes[1] & 1,
                                      .local = bytes[1] & 2,
                                      .deskew = bytes[1] & 4,
                                      .straight = bytes[1] & 8,
                                      .has_corners = (bytes[1] & 48) == 48,
                                      .threshold = bytes[2] / 2,
                                      .tolerance = bytes[3] / 2,
                                      .speck = bytes[4] % 8,
                                      .hollow = bytes[5] % 8,
                                      .thinnest = bytes[6] % 6,
                                      .thickest = bytes[7] % 16,
                                      .gap = bytes[8] % 32,
                                      .openings = bytes[1] & 64 ? bytes[13] : 0,
                                      .marks = bytes[1] & 128 ? bytes[14] : 0,
                                      .corner = {{bytes[9] / 8.0, bytes[10] / 8.0},
                                                 {width - bytes[11] / 8.0, bytes[12] / 8.0},
                                                 {width - bytes[13] / 8.0, height},
                                                 {0, height}},
                                      .sides = {bytes[14], bytes[15]}};
    static uint8_t rgb[3 * MOST_PIXELS];
    for (size_t p = 0; p < (size_t)width * (size_t)height; p++) {
        memcpy(rgb + 3 * p, COLOURS[bytes[OPTIONS + p / 4] >> 2 * (p % 4) & 3], 3);
    }
    if (height < 1 || png_image_write(path, width, height, 3, rgb, NULL) != PW_OK) {
        return;
    }
    struct drawing drawing = {0};
    pw_error error = {""};
    pw_status status = drawing_read(path, &options, &drawing, &error);
    fuzz_check(status, &error);
    for (size_t n = 0; n < drawing.point_count;
         n++) { /* corners are sharpened by up to two pixels, of two lines each */
        FUZZ_MUST(drawing.points[n].x > -4 && drawing.points[n].x < drawing.picture.width + 4);
        FUZZ_MUST(drawing.points[n].y > -4 && drawing.points[n].y < drawing.picture.height + 4);
    }
    drawing_free(&drawing);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    fuzz_file(bytes, size, path);
    fuzz_decoding(path);
    fuzz_tracing(bytes, size, path);
    unlink(path);
    return 0;
}
