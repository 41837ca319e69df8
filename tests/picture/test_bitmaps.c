/* BMP of every depth, upwards and downwards, with palettes and masks; GIF with the codes of its specification, by rows
 * and interlaced, transparent, beside the rest of its canvas, and one of libgd: they come back to the pixel. Truncated
 * and damaged ones are refused with the name of the file. */
#include "tests/picture/picture_blocks.h"

static uint8_t bytes[FILE_LIMIT];
static size_t size;

static void put(uint32_t value, int count)
{
    for (int n = 0; n < count; n++) {
        bytes[size++] = n < 4 ? (uint8_t)(value >> 8 * n) : 0;
    }
}

/* ---- BMP ---- */

/* The block, 0 to 3, at a place as seen. */
static uint32_t block_at(int x, int y)
{
    return (uint32_t)(2 * (y >= HEIGHT / 2) + (x >= WIDTH / 2));
}

static uint32_t pixel_of(int bits, int x, int y, bool masks)
{
    uint8_t rgb[3];
    colour_seen(x, y, rgb);
    if (bits <= 8) {
        return bits == 1 ? block_at(x, y) % 2 : block_at(x, y);
    }
    if (bits == 16) {
        return masks ? (uint32_t)(rgb[0] >> 3 << 11 | rgb[1] >> 2 << 5 | rgb[2] >> 3)
                     : (uint32_t)(rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3);
    }
    return masks ? (uint32_t)rgb[0] << 24 | (uint32_t)rgb[1] << 16 | (uint32_t)rgb[2] << 8
                 : (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

static void bmp_write(int bits, bool downwards, bool masks, bool core)
{
    const uint32_t colours = bits <= 8 ? 1u << bits : 0, header = core ? 12 : 40;
    size = 0;
    put('B' | 'M' << 8, 2), put(0, 8);
    put(14 + header + (masks ? 12 : 0) + colours * (core ? 3 : 4), 4);
    put(header, 4), put(WIDTH, core ? 2 : 4), put(downwards ? 0u - HEIGHT : HEIGHT, core ? 2 : 4), put(1, 2),
        put((uint32_t)bits, 2);
    if (!core) {
        put(masks ? 3 : 0, 4), put(0, 12), put(0, 8);
    }
    for (int c = 0; masks && c < 3; c++) {
        static const uint32_t MASKS[2][3] = {{0xf800, 0x7e0, 0x1f}, {0xff000000, 0xff0000, 0xff00}};
        put(MASKS[bits == 32][c], 4);
    }
    for (uint32_t n = 0; n < colours; n++) {
        uint8_t rgb[3] = {0};
        if (n < 4) {
            colour_seen(n % 2 != 0 ? WIDTH - 1 : 0, n / 2 != 0 ? HEIGHT - 1 : 0, rgb);
        }
        put((uint32_t)rgb[2] | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[0] << 16, core ? 3 : 4);
    }
    for (int n = 0; n < HEIGHT; n++) {
        const int y = downwards ? n : HEIGHT - 1 - n;
        const size_t begin = size;
        for (int x = 0; x < WIDTH; x++) {
            if (bits >= 8) {
                put(pixel_of(bits, x, y, masks), bits / 8);
            } else { /* the first pixel is the highest */
                const int in_byte = 8 / bits;
                bytes[size] = (uint8_t)(bytes[size] | pixel_of(bits, x, y, masks) << (8 - bits * (x % in_byte + 1)));
                size += x % in_byte == in_byte - 1;
            }
        }
        put(0, (int)((4 - (size - begin) % 4) % 4));
    }
    write_file(bytes, size);
    memset(bytes, 0, sizeof bytes);
}

static void test_bmp(void **state)
{
    (void)state;
    static const struct {
        int bits;
        bool downwards, masks, core;
    } KINDS[] = {{4, false, false, false},  {8, false, false, false},  {16, false, false, false},
                 {16, true, true, false},   {24, false, false, false}, {24, true, false, false},
                 {32, false, false, false}, {32, true, true, false},   {24, false, false, true},
                 {8, false, false, true}};
    for (size_t n = 0; n < sizeof KINDS / sizeof *KINDS; n++) {
        bmp_write(KINDS[n].bits, KINDS[n].downwards, KINDS[n].masks, KINDS[n].core);
        assert_blocks(KINDS[n].bits == 16 ? 8 : 0, 0, false);
    }
    bmp_write(1, false, false, false); /* two colours: the upper blocks, twice */
    pw_picture image;
    pw_error error;
    assert_int_equal(pw_picture_read(path, &image, &error), PW_OK);
    for (int c = 0; c < 3; c++) {
        uint8_t rgb[3];
        colour_seen(WIDTH - 1, 0, rgb);
        assert_int_equal(image.rgb[3 * (WIDTH * HEIGHT - 1) + c], rgb[c]);
    }
    pw_picture_free(&image);
}

/* ---- GIF ---- */

static size_t bit_count;

static void code_put(unsigned code, unsigned width, uint8_t *block, size_t *length)
{
    for (unsigned n = 0; n < width; n++, bit_count++) {
        block[bit_count / 8] = (uint8_t)(block[bit_count / 8] | (code >> n & 1) << bit_count % 8);
        *length = bit_count / 8 + 1;
    }
}

/* Two bits a pixel. Every pixel is a code of its own, and the table is cleared before codes get longer; or, packed, all
 * codes are the longest that the table has, found by trying. */
static void pixels_put(const uint8_t *indices, size_t count, bool packed)
{
    static uint8_t block[FILE_LIMIT];
    static uint8_t strings[4096][400];
    static size_t lengths[4096];
    size_t length = 0, at = 0;
    unsigned width = 3, next = 6;
    memset(block, 0, sizeof block);
    bit_count = 0;
    for (unsigned n = 0; n < 4; n++) {
        strings[n][0] = (uint8_t)n, lengths[n] = 1;
    }
    put(2, 1);
    code_put(4, 3, block, &length);
    while (at < count) {
        unsigned best = indices[at];
        for (unsigned n = 6; packed && n < next; n++) {
            const bool fits = lengths[n] <= count - at && memcmp(strings[n], indices + at, lengths[n]) == 0;
            best = fits && lengths[n] > lengths[best] ? n : best;
        }
        code_put(best, width, block, &length);
        at += lengths[best];
        if (at < count && lengths[best] + 1 < sizeof strings[0]) {
            memcpy(strings[next], strings[best], lengths[best]);
            strings[next][lengths[best]] = indices[at];
            lengths[next] = lengths[best] + 1;
            next++;
            width += next == (1u << width) + 1; /* a code is in the reader's table after the one behind it came */
        }
        if (next == (packed ? 2000 : 8)) {
            code_put(4, width, block, &length);
            width = 3, next = 6;
        }
    }
    code_put(5, width, block, &length);
    for (size_t n = 0; n < length; n += 255) {
        const size_t part = length - n < 255 ? length - n : 255;
        put((uint32_t)part, 1);
        memcpy(bytes + size, block + n, part);
        size += part;
    }
    put(0, 1);
}

static void gif_write(bool packed, bool interlaced, bool transparent, int left)
{
    static const int FIRST[4] = {0, 4, 2, 1}, STEP[4] = {8, 8, 4, 2};
    uint8_t indices[WIDTH * HEIGHT];
    size = 0;
    memcpy(bytes, "GIF89a", 6), size = 6;
    put(WIDTH, 2), put(HEIGHT, 2), put(0x81, 1), put(0, 2);
    for (int n = 0; n < 4; n++) {
        uint8_t rgb[3] = {9, 9, 9}; /* the transparent one, where it is */
        if (!transparent || n != 3) {
            colour_seen(n % 2 != 0 ? WIDTH - 1 : 0, n / 2 != 0 ? HEIGHT - 1 : 0, rgb);
        }
        put(rgb[0], 1), put(rgb[1], 1), put(rgb[2], 1);
    }
    put(0x21, 1), put(0xfe, 1), put(2, 1), put('h' | 'i' << 8, 2), put(0, 1); /* a comment */
    put(0x21, 1), put(0xf9, 1), put(4, 1), put(transparent ? 1 : 0, 1), put(0, 2), put(3, 1), put(0, 1);
    put(0x2c, 1), put((uint32_t)left, 2), put(0, 2), put((uint32_t)(WIDTH - left), 2), put(HEIGHT, 2),
        put(interlaced ? 0x40 : 0, 1);
    size_t count = 0;
    for (int pass = 0; pass < (interlaced ? 4 : 1); pass++) {
        for (int y = interlaced ? FIRST[pass] : 0; y < HEIGHT; y += interlaced ? STEP[pass] : 1) {
            for (int x = left; x < WIDTH; x++) {
                indices[count++] = (uint8_t)block_at(x, y);
            }
        }
    }
    pixels_put(indices, count, packed);
    put(0x3b, 1);
    write_file(bytes, size);
}

static void test_gif(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n++) {
        gif_write(n % 2 != 0, n / 2 % 2 != 0, n / 4 != 0, 0);
        assert_blocks(0, 0, false);
    }
    gif_write(true, false, false, WIDTH / 2); /* what it does not cover is paper */
    pw_picture image;
    pw_error error;
    assert_int_equal(pw_picture_read(path, &image, &error), PW_OK);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.rgb[0], 255);
    assert_int_equal(image.rgb[3 * (WIDTH - 1)], 20);
    pw_picture_free(&image);
}

/* A plot of 320 x 240 pixels that gnuplot drew once as GIF and once as PNG, both through libgd. */
static void test_a_gif_of_libgd(void **state)
{
    (void)state;
    pw_picture gif, png;
    pw_error error = {""};
    assert_int_equal(pw_picture_read("tests/corpus/picture/gd.gif", &gif, &error), PW_OK);
    assert_int_equal(pw_picture_read("tests/corpus/png/gd", &png, &error), PW_OK);
    assert_int_equal(gif.width, png.width);
    assert_int_equal(gif.height, png.height);
    assert_memory_equal(gif.rgb, png.rgb, 3 * (size_t)png.width * (size_t)png.height);
    pw_picture_free(&gif);
    pw_picture_free(&png);
}

static void test_damaged_ones(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        kind == 0 ? bmp_write(24, false, false, false) : gif_write(true, false, false, 0);
        const size_t whole = read_file(bytes);
        for (size_t count = 30; count + 4 < whole; count += 1 + count / 7) {
            write_file(bytes, count);
            assert_refused(kind == 0 ? "BMP" : "GIF");
        }
        memset(bytes, 0, sizeof bytes);
    }
    bmp_write(8, false, false, false);
    FILE *file = fopen(path, "r+b");
    fseek(file, 30, SEEK_SET);
    fputc(1, file);
    fclose(file);
    assert_refused("compression 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bmp), cmocka_unit_test(test_gif),
                                       cmocka_unit_test(test_a_gif_of_libgd), cmocka_unit_test(test_damaged_ones)};
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
