/* TIFF pictures: every kind that libtiff writes and planwave reads comes back, turned as TIFF 6.0 says of its
 * orientation; damaged, truncated and hostile files are refused with a sentence that names the file, and nothing is
 * printed. */
#include "tests/picture/picture_blocks.h"

#include <tiffio.h>

struct tiff_kind {
    uint16_t compression, photometric, bits, samples, orientation;
    bool tiled, big, planes;
    uint32_t rows_per_strip;
};

static uint8_t stored_sample(const struct tiff_kind *kind, int column, int row, int sample)
{
    uint8_t rgb[3];
    colour_stored(kind->orientation, column, row, rgb);
    if (kind->photometric == PHOTOMETRIC_PALETTE) {
        return (uint8_t)((rgb[0] > 100) + 2 * (rgb[1] > 100) + 4 * (rgb[2] > 100));
    }
    if (kind->photometric == PHOTOMETRIC_SEPARATED) {
        return sample < 3 ? (uint8_t)(255 - rgb[sample]) : 0;
    }
    if (kind->samples == 1) {
        uint8_t value = (uint8_t)(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] + 0.5);
        value = kind->bits == 1 ? 255 * (value > 128) : value;
        return kind->photometric == PHOTOMETRIC_MINISWHITE ? (uint8_t)~value : value;
    }
    return sample < 3 ? rgb[sample] : 255;
}

/* Samples of columns [from, from + count) of a row; `plane` alone where planes are apart, else -1. */
static void stored_row(const struct tiff_kind *kind, int row, int from, int count, int plane, uint8_t *bytes)
{
    memset(bytes, 0, (size_t)count * kind->samples * 2);
    size_t at = 0; /* bits */
    for (int x = from; x < from + count; x++) {
        for (int s = plane < 0 ? 0 : plane; s <= (plane < 0 ? kind->samples - 1 : plane); s++) {
            uint8_t value = stored_sample(kind, x, row, s);
            if (kind->bits == 16) {
                bytes[at / 8] = bytes[at / 8 + 1] = value;
            } else {
                unsigned shown = kind->photometric == PHOTOMETRIC_PALETTE ? value : value >> (8 - kind->bits);
                bytes[at / 8] |= (uint8_t)(shown << (8 - kind->bits - at % 8));
            }
            at += kind->bits;
        }
    }
}

static void write_tiff_rows(TIFF *tiff, const struct tiff_kind *kind, int columns, int rows)
{
    uint8_t bytes[64 * 64 * 8];
    for (int plane = 0; plane < (kind->planes ? kind->samples : 1); plane++) {
        for (int y = 0; y < rows; y++) {
            stored_row(kind, y, 0, columns, kind->planes ? plane : -1, bytes);
            assert_int_equal(TIFFWriteScanline(tiff, bytes, (uint32_t)y, (uint16_t)plane), 1);
        }
    }
}

static void write_tiff_tiles(TIFF *tiff, const struct tiff_kind *kind, int columns, int rows)
{
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    for (int y = 0; y < rows; y += 16) {
        for (int x = 0; x < columns; x += 16) {
            uint8_t tile[16 * 16 * 8], row[16 * 8];
            size_t stride = 16u * kind->samples * kind->bits / 8;
            for (int line = 0; line < 16; line++) {
                stored_row(kind, y + line, x, 16, -1, row);
                memcpy(tile + stride * (size_t)line, row, stride);
            }
            assert_true(TIFFWriteTile(tiff, tile, (uint32_t)x, (uint32_t)y, 0, 0) > 0);
        }
    }
}

static void write_tiff(struct tiff_kind kind)
{
    TIFF *tiff = TIFFOpen(path, kind.big ? "w8" : "w");
    assert_non_null(tiff);
    kind.orientation = kind.orientation > 0 ? kind.orientation : 1;
    int columns = kind.orientation >= 5 ? HEIGHT : WIDTH, rows = kind.orientation >= 5 ? WIDTH : HEIGHT;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, columns);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, kind.orientation);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind.planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (kind.photometric == PHOTOMETRIC_YCBCR) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    if (kind.samples == 4 && kind.photometric == PHOTOMETRIC_RGB) {
        uint16_t extra = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    }
    if (kind.photometric == PHOTOMETRIC_PALETTE) {
        uint16_t maps[3][256] = {{0}};
        static const uint8_t COLOURS[8][3] = {
            [1] = {200, 30, 30}, [2] = {20, 160, 40}, [4] = {30, 40, 190}, [7] = {255, 255, 255}};
        for (int c = 0; c < 8; c++) {
            for (int m = 0; m < 3; m++) {
                maps[m][c] = (uint16_t)(COLOURS[c][m] * 257);
            }
        }
        TIFFSetField(tiff, TIFFTAG_COLORMAP, maps[0], maps[1], maps[2]);
    }
    if (kind.tiled) {
        write_tiff_tiles(tiff, &kind, columns, rows);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind.rows_per_strip > 0 ? kind.rows_per_strip : 8);
        write_tiff_rows(tiff, &kind, columns, rows);
    }
    TIFFClose(tiff);
}

static void every_kind_of_tiff_comes_back(void **state)
{
    (void)state;
    const struct tiff_kind kinds[] = {
        {COMPRESSION_NONE, PHOTOMETRIC_RGB, 8, 3, 1, .rows_per_strip = 5},
        {COMPRESSION_LZW, PHOTOMETRIC_RGB, 8, 3, 1, .tiled = true},
        {COMPRESSION_PACKBITS, PHOTOMETRIC_RGB, 8, 3, 1, .big = true},
        {COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_RGB, 8, 4, 1, .planes = true},
        {COMPRESSION_DEFLATE, PHOTOMETRIC_RGB, 16, 3, 1, .rows_per_strip = HEIGHT},
        {COMPRESSION_LZW, PHOTOMETRIC_PALETTE, 4, 1, .orientation = 1},
        {COMPRESSION_LZW, PHOTOMETRIC_PALETTE, 8, 1, 1, .tiled = true},
        {COMPRESSION_NONE, PHOTOMETRIC_SEPARATED, 8, 4, .orientation = 1},
        {COMPRESSION_JPEG, PHOTOMETRIC_YCBCR, 8, 3, 1, .rows_per_strip = 16},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        write_tiff(kinds[k]);
        bool mixes = kinds[k].compression == COMPRESSION_JPEG;
        assert_blocks(mixes ? 12 : 1, mixes ? 8 : 0, false);
    }
    write_tiff((struct tiff_kind){COMPRESSION_LZW, PHOTOMETRIC_MINISBLACK, 8, 1, .orientation = 1});
    assert_blocks(1, 0, true);
    write_tiff((struct tiff_kind){COMPRESSION_NONE, PHOTOMETRIC_MINISBLACK, 16, 1, .orientation = 1});
    assert_blocks(1, 0, true);
}

/* Black but for the white quarter, as scanners send it by fax. */
static void black_and_white_tiffs_come_back(void **state)
{
    (void)state;
    const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,
                                     COMPRESSION_CCITTFAX4, COMPRESSION_PACKBITS};
    for (size_t c = 0; c < sizeof compressions / sizeof *compressions; c++) {
        for (uint16_t photometric = PHOTOMETRIC_MINISWHITE; photometric <= PHOTOMETRIC_MINISBLACK; photometric++) {
            write_tiff((struct tiff_kind){compressions[c], photometric, 1, 1, .orientation = 1});
            pw_picture image = {0};
            pw_error error = {""};
            assert_int_equal(pw_picture_read(path, &image, &error), PW_OK);
            for (int n = 0; n < WIDTH * HEIGHT; n++) {
                int white = n % WIDTH >= WIDTH / 2 && n / WIDTH >= HEIGHT / 2;
                assert_int_equal(image.rgb[3 * n], white ? 255 : 0);
            }
            pw_picture_free(&image);
        }
    }
}

static void a_tiff_is_turned_as_it_says(void **state)
{
    (void)state;
    for (uint16_t orientation = 1; orientation <= 8; orientation++) {
        write_tiff((struct tiff_kind){COMPRESSION_LZW, PHOTOMETRIC_RGB, 8, 3, .orientation = orientation});
        assert_blocks(1, 0, false);
    }
}

static void transparent_pixels_are_laid_over_white(void **state)
{
    (void)state;
    TIFF *tiff = TIFFOpen(path, "w");
    uint16_t extra = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 2);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 4);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    uint8_t row[] = {10, 20, 30, 0, 0, 100, 200, 128};
    TIFFWriteScanline(tiff, row, 0, 0);
    TIFFClose(tiff);
    pw_picture image = {0};
    assert_int_equal(pw_picture_read(path, &image, NULL), PW_OK);
    const double wanted[] = {255, 255, 255, 255 - 128, 255 - 155 * 128 / 255.0, 255 - 55 * 128 / 255.0};
    for (int n = 0; n < 6; n++) {
        assert_true(image.rgb[n] > wanted[n] - 2 && image.rgb[n] < wanted[n] + 2);
    }
    pw_picture_free(&image);
}

/* ---- what is refused ---- */

static void truncated_files_are_refused(void **state)
{
    (void)state;
    const uint16_t kinds[2][2] = {{COMPRESSION_LZW, PHOTOMETRIC_RGB}, {COMPRESSION_JPEG, PHOTOMETRIC_YCBCR}};
    for (int kind = 0; kind < 2; kind++) {
        write_tiff((struct tiff_kind){kinds[kind][0], kinds[kind][1], 8, 3, .rows_per_strip = 16});
        assert_truncated_refused("damaged, truncated", 0);
    }
}

static void flipped_bits_are_refused_or_harmless(void **state)
{
    (void)state;
    write_tiff((struct tiff_kind){COMPRESSION_LZW, PHOTOMETRIC_RGB, 8, 3, .orientation = 1});
    assert_flipped_harmless();
}

static void libraries_print_nothing(void **state)
{
    assert_prints_nothing(truncated_files_are_refused, state);
    assert_prints_nothing(flipped_bits_are_refused_or_harmless, state);
}

static void what_is_larger_than_the_limits_is_refused(void **state)
{
    (void)state;
    for (uint32_t side = 20000; side <= 40000; side += 20000) {
        TIFF *tiff = TIFFOpen(path, "w");
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, side);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, side);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        static uint8_t row[40000];
        TIFFWriteScanline(tiff, row, 0, 0);
        TIFFClose(tiff);
        assert_refused(side == 20000 ? "at most 100 million" : "sides of 1 to 32768");
    }
}

static void other_compressions_are_refused(void **state)
{
    (void)state;
    write_tiff((struct tiff_kind){COMPRESSION_NONE, PHOTOMETRIC_RGB, 8, 3, .orientation = 1});
    static uint8_t bytes[FILE_LIMIT];
    size_t size = read_file(bytes);
    for (size_t n = 8; n + 12 <= size; n++) { /* the tag of the compression: 259, one short */
        if (memcmp(bytes + n, (const uint8_t[]){0x03, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00}, 8) == 0) {
            bytes[n + 8] = 6;
        }
    }
    write_file(bytes, size);
    assert_refused("compression 6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_tiff_comes_back),  cmocka_unit_test(black_and_white_tiffs_come_back),
        cmocka_unit_test(a_tiff_is_turned_as_it_says),    cmocka_unit_test(transparent_pixels_are_laid_over_white),
        cmocka_unit_test(libraries_print_nothing),        cmocka_unit_test(what_is_larger_than_the_limits_is_refused),
        cmocka_unit_test(other_compressions_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
