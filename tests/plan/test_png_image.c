/* PNG pictures: every kind that the format has comes back with its colours, and no damaged or hostile file does more
 * than fail with a sentence. The files are written here by libpng itself or chunk by chunk. */
#include "tests/support/check.h"

#include "base/picture/png_image.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { WIDTH = 19, HEIGHT = 13 };

static char folder[] = "/tmp/planwave-test-png-XXXXXX";
static char path[256];

static int folder_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/picture.png", folder);
    return 0;
}

static int folder_clear(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Sample of a channel, 0 .. 2^depth - 1. */
static unsigned sample(int x, int y, int channel, int depth)
{
    return (unsigned)(x * 37 + y * 101 + channel * 59 + x * y * channel) & ((1u << depth) - 1);
}

static int channels_of(int type)
{
    const int channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[type];
}

static void write_kind(int type, int depth, int interlace)
{
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_true(file != NULL && info != NULL);
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, depth, type, interlace, 0, 0);
    png_color palette[256];
    png_byte alpha[256];
    for (int c = 0; c < 1 << (depth < 8 ? depth : 8); c++) {
        palette[c] = (png_color){(png_byte)(c * 7), (png_byte)(c * 11 + 1), (png_byte)(255 - c)};
        alpha[c] = (png_byte)(c % 3 == 0 ? 255 : c % 3 * 80);
    }
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 1 << depth);
        png_set_tRNS(png, info, alpha, 1 << depth, NULL);
    }
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++) {
        for (int y = 0; y < HEIGHT; y++) {
            png_byte row[WIDTH * 8] = {0};
            int bit = 0;
            for (int x = 0; x < WIDTH; x++) {
                for (int c = 0; c < channels_of(type); c++, bit += depth) {
                    unsigned value = sample(x, y, c, depth);
                    if (depth == 16) {
                        row[bit / 8] = (png_byte)(value >> 8);
                        row[bit / 8 + 1] = (png_byte)value;
                    } else {
                        row[bit / 8] |= (png_byte)(value << (8 - depth - bit % 8));
                    }
                }
            }
            png_write_row(png, row);
        }
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

/* The colour that the file means, in 0..255, over white. */
static double expected(int type, int depth, int x, int y, int channel)
{
    double full = (1 << depth) - 1, alpha = 1, value = 0;
    if (type == PNG_COLOR_TYPE_PALETTE) {
        int c = (int)sample(x, y, 0, depth);
        const int colour[] = {c * 7 & 255, (c * 11 + 1) & 255, 255 - c};
        value = colour[channel] / 255.0;
        alpha = (c % 3 == 0 ? 255 : c % 3 * 80) / 255.0;
    } else {
        int grey = type == PNG_COLOR_TYPE_GRAY || type == PNG_COLOR_TYPE_GRAY_ALPHA;
        value = sample(x, y, grey ? 0 : channel, depth) / full;
        if (type & PNG_COLOR_MASK_ALPHA) {
            alpha = sample(x, y, grey ? 1 : 3, depth) / full;
        }
    }
    return 255 * (value * alpha + 1 - alpha);
}

static void every_kind_comes_back(void **state)
{
    (void)state;
    const int kinds[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                            {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int interlace = 0; interlace < 2; interlace++) {
            pw_picture image;
            pw_error error = {""};
            int type = kinds[k][0], depth = kinds[k][1];
            write_kind(type, depth, interlace);
            assert_int_equal(png_image_read(path, &image, &error), PW_OK);
            assert_int_equal(image.width, WIDTH);
            assert_int_equal(image.height, HEIGHT);
            for (int n = 0; n < WIDTH * HEIGHT * 3; n++) {
                double value = expected(type, depth, n / 3 % WIDTH, n / 3 / WIDTH, n % 3);
                /* half a step of each rounding, 16 to 8 bits of value and of alpha included */
                assert_true(abs((int)(2 * value) - 2 * image.rgb[n]) <= (depth == 16 ? 3 : 2));
            }
            pw_picture_free(&image);
        }
    }
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    uint8_t rgb[WIDTH * HEIGHT * 3], rgba[WIDTH * HEIGHT * 4];
    for (int n = 0; n < WIDTH * HEIGHT; n++) {
        for (int c = 0; c < 3; c++) {
            rgba[4 * n + c] = rgb[3 * n + c] = (uint8_t)(n * 5 + c * 77);
        }
        rgba[4 * n + 3] = 255;
    }
    for (int channels = 3; channels <= 4; channels++) {
        pw_picture image;
        assert_int_equal(png_image_write(path, WIDTH, HEIGHT, channels, channels == 3 ? rgb : rgba, NULL), PW_OK);
        assert_int_equal(png_image_read(path, &image, NULL), PW_OK);
        assert_memory_equal(image.rgb, rgb, sizeof rgb);
        pw_picture_free(&image);
    }
}

/* Whatever happens, the message names the file and there is nothing to free. */
static void assert_refused(const char *phrase)
{
    pw_picture image;
    pw_error error = {""};
    assert_int_equal(png_image_read(path, &image, &error), PW_BAD_INPUT);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, phrase));
    assert_null(image.rgb);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static size_t read_file(uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, size, file);
    fclose(file);
    return count;
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[8192];
    write_kind(PNG_COLOR_TYPE_RGB, 8, 1);
    size_t size = read_file(bytes, sizeof bytes);
    for (size_t length = 0; length < size; length++) {
        write_file(bytes, length);
        assert_refused(length < 8 ? "is not a PNG" : "damaged or truncated");
    }
}

static void flipped_bits_are_refused_or_harmless(void **state)
{
    (void)state;
    uint8_t bytes[8192];
    write_kind(PNG_COLOR_TYPE_PALETTE, 8, 0);
    size_t size = read_file(bytes, sizeof bytes);
    for (size_t n = 8; n < size; n++) { /* every byte is under a CRC or is one, but for the lengths of chunks */
        bytes[n] ^= 0x10;
        write_file(bytes, size);
        assert_refused("");
        bytes[n] ^= 0x10;
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    unlink(path);
    assert_refused("No such file");
    write_file((const uint8_t *)"GIF89a, not a PNG at all", 24);
    assert_refused("is not a PNG");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("not a regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not wait for a writer */
    assert_refused("not a regular file");
    unlink(path);
}

/* The CRC of the PNG standard, annex D, bit by bit. */
static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t n = 0; n < size; n++) {
        crc ^= bytes[n];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
        }
    }
    return ~crc;
}

static size_t put_chunk(uint8_t *out, const char *type, const uint8_t *data, uint32_t size)
{
    const uint8_t length[] = {(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size};
    memcpy(out, length, 4);
    memcpy(out + 4, type, 4);
    if (size > 0) {
        memcpy(out + 8, data, size);
    }
    uint32_t crc = crc_of(out + 4, size + 4);
    const uint8_t check[] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8), (uint8_t)crc};
    memcpy(out + 8 + size, check, 4);
    return 12 + size;
}

/* Signature and IHDR of an 8-bit RGB picture. */
static size_t put_header(uint8_t *out, uint32_t width, uint32_t height)
{
    const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[13] = {(uint8_t)(width >> 24),
                          (uint8_t)(width >> 16),
                          (uint8_t)(width >> 8),
                          (uint8_t)width,
                          (uint8_t)(height >> 24),
                          (uint8_t)(height >> 16),
                          (uint8_t)(height >> 8),
                          (uint8_t)height,
                          8,
                          2};
    memcpy(out, signature, 8);
    return 8 + put_chunk(out + 8, "IHDR", header, sizeof header);
}

static void huge_pictures_are_refused_before_memory(void **state)
{
    (void)state;
    const uint32_t sizes[][2] = {{0x7fffffff, 0x7fffffff}, {0xffffffff, 1}, {40000, 10}, {20000, 20000}, {0, 5}};
    uint8_t bytes[256];
    const uint8_t data[] = {0x78, 0x9c, 0x63, 0, 0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size = put_header(bytes, sizes[s][0], sizes[s][1]);
        size += put_chunk(bytes + size, "IDAT", data, sizeof data);
        write_file(bytes, size);
        assert_refused(sizes[s][0] == 20000 ? "at most 100 million" : "damaged");
    }
}

static void hostile_chunks_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    /* a text that would unpack to far more than it is: skipped or refused, never unpacked without limit */
    size_t size = put_header(bytes, 4, 4);
    uint8_t garbage[64] = "Comment";
    size += put_chunk(bytes + size, "zTXt", garbage, sizeof garbage);
    size += put_chunk(bytes + size, "IDAT", garbage, sizeof garbage);
    size += put_chunk(bytes + size, "IEND", NULL, 0);
    write_file(bytes, size);
    assert_refused("damaged");
    /* no image data at all */
    size = put_header(bytes, 4, 4);
    size += put_chunk(bytes + size, "IEND", NULL, 0);
    write_file(bytes, size);
    assert_refused("damaged");
    /* too little of it */
    const uint8_t few[] = {0x78, 1, 1, 3, 0, 0xfc, 0xff, 0, 1, 2, 0, 7, 0, 4}; /* three bytes, stored; Adler sum */
    size = put_header(bytes, 4, 4);
    size += put_chunk(bytes + size, "IDAT", few, sizeof few);
    size += put_chunk(bytes + size, "IEND", NULL, 0);
    write_file(bytes, size);
    assert_refused("damaged");
}

/* libpng asks for as much memory as a text claims to be long before it reads it: a file of 147 bytes asked for
 * gigabytes (found by the fuzzer). A colour profile claims a length of its own. */
static void claims_of_length_are_not_believed(void **state)
{
    (void)state;
    const uint8_t claim[] = {0x79, 0, 0, 9, 't', 'E', 'X', 't', 'C', 'o', 'm', 'm', 'e', 'n', 't', 0};
    uint8_t profile[200] = {0x6f, 0xff, 0xff, 0xf0}, data[400] = "junk", bytes[1024];
    uLongf packed = sizeof data - 6;
    assert_int_equal(compress(data + 6, &packed, profile, sizeof profile), Z_OK); /* after the name and the method */
    size_t size = put_header(bytes, 4, 2);
    size += put_chunk(bytes + size, "iCCP", data, (uint32_t)packed + 6);
    memcpy(bytes + size, claim, sizeof claim);
    write_file(bytes, size + sizeof claim);
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_refused("damaged");
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 100000); /* kB */
}

static void impossible_writes_are_refused(void **state)
{
    (void)state;
    uint8_t pixel[4] = {0};
    pw_error error = {""};
    char nowhere[300];
    snprintf(nowhere, sizeof nowhere, "%s/missing/picture.png", folder);
    assert_int_equal(png_image_write(nowhere, 1, 1, 3, pixel, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, nowhere));
    assert_int_equal(png_image_write(path, 0, 1, 3, pixel, &error), PW_USAGE);
    assert_int_equal(png_image_write(path, 1, 1, 2, pixel, &error), PW_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back),
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(flipped_bits_are_refused_or_harmless),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(huge_pictures_are_refused_before_memory),
        cmocka_unit_test(hostile_chunks_are_refused),
        cmocka_unit_test(impossible_writes_are_refused),
        cmocka_unit_test(claims_of_length_are_not_believed),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
