/* JPEG pictures: every kind that libjpeg writes comes back, turned as EXIF asks (against the order in which TIFF 6.0
 * says that rows and columns are stored); damaged, truncated and hostile files are refused with a sentence that names
 * the file, and nothing is printed. */
#include "tests/picture/picture_blocks.h"

#include <sys/stat.h>

#include <jpeglib.h>

/* 0: the marker of EXIF is left out. */
static void write_exif(struct jpeg_compress_struct *jpeg, int orientation, bool little)
{
    uint8_t big_bytes[] = {'E', 'x', 'i', 'f',  0,    0, 'M', 'M', 0, 42, 0, 0, 0,
                           8,   0,   1,   0x01, 0x12, 0, 3,   0,   0, 0,  1, 0, (uint8_t)orientation,
                           0,   0,   0,   0,    0,    0};
    uint8_t little_bytes[] = {
        'E', 'x', 'i', 'f', 0, 0, 'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, (uint8_t)orientation,
        0,   0,   0,   0,   0, 0, 0};
    if (orientation > 0) {
        jpeg_write_marker(jpeg, JPEG_APP0 + 1, little ? little_bytes : big_bytes, sizeof big_bytes);
    }
}

struct jpeg_kind {
    J_COLOR_SPACE space;
    bool progressive, arithmetic, little;
    int orientation, restart;
    int scans; /* of a progressive picture in grey, at most 253; 0: as is usual */
};

static void write_jpeg(struct jpeg_kind kind)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    bool turned = kind.orientation >= 5, inks = kind.space == JCS_CMYK || kind.space == JCS_YCCK;
    jpeg.image_width = turned ? HEIGHT : WIDTH;
    jpeg.image_height = turned ? WIDTH : HEIGHT;
    jpeg.input_components = inks ? 4 : 3;
    jpeg.in_color_space = inks ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, kind.space);
    jpeg_set_quality(&jpeg, 95, TRUE);
    jpeg.arith_code = kind.arithmetic;
    jpeg.restart_in_rows = kind.restart;
    if (kind.progressive) {
        jpeg_simple_progression(&jpeg);
    }
    jpeg_scan_info script[253];
    for (int n = 0; n < kind.scans; n++) {
        int coefficient = n == 0 ? 0 : (n - 1) / 4 + 1, bit = n == 0 ? 0 : 3 - (n - 1) % 4;
        script[n] = (jpeg_scan_info){1, {0}, coefficient, coefficient, n > 0 && bit < 3 ? bit + 1 : 0, bit};
    }
    if (kind.scans > 0) {
        jpeg.scan_info = script;
        jpeg.num_scans = kind.scans;
    }
    jpeg_start_compress(&jpeg, TRUE);
    write_exif(&jpeg, kind.orientation, kind.little);
    for (int y = 0; y < (int)jpeg.image_height; y++) {
        uint8_t row[4 * WIDTH], *rows[] = {row};
        for (int x = 0; x < (int)jpeg.image_width; x++) {
            uint8_t rgb[3];
            colour_stored(kind.orientation > 0 ? kind.orientation : 1, x, y, rgb);
            memcpy(row + (inks ? 4 : 3) * x, rgb, 3); /* Adobe's order: paper that is left uncovered, no black */
            if (inks) {
                row[4 * x + 3] = 255;
            }
        }
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
}

static void every_kind_of_jpeg_comes_back(void **state)
{
    (void)state;
    const struct jpeg_kind kinds[] = {{.space = JCS_GRAYSCALE},
                                      {.space = JCS_YCbCr},
                                      {.space = JCS_RGB},
                                      {.space = JCS_CMYK},
                                      {.space = JCS_YCCK},
                                      {.space = JCS_YCbCr, .progressive = true},
                                      {.space = JCS_YCCK, .progressive = true},
                                      {.space = JCS_YCbCr, .arithmetic = true},
                                      {.space = JCS_YCbCr, .restart = 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        write_jpeg(kinds[k]);
        assert_blocks(4, 8, kinds[k].space == JCS_GRAYSCALE);
    }
}

static void a_jpeg_is_turned_as_exif_says(void **state)
{
    (void)state;
    for (int orientation = 1; orientation <= 8; orientation++) {
        write_jpeg((struct jpeg_kind){.space = JCS_YCbCr, .orientation = orientation, .little = orientation % 2});
        assert_blocks(4, 8, false);
    }
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    for (int progressive = 0; progressive < 2; progressive++) {
        write_jpeg((struct jpeg_kind){.space = JCS_YCbCr, .progressive = progressive == 1, .orientation = 6});
        assert_truncated_refused("damaged or truncated", 2); /* without its last marker a JPEG lacks nothing */
    }
}

static void flipped_bits_are_refused_or_harmless(void **state)
{
    (void)state;
    write_jpeg((struct jpeg_kind){.space = JCS_YCbCr, .orientation = 8});
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
    static uint8_t bytes[FILE_LIMIT];
    write_jpeg((struct jpeg_kind){.space = JCS_GRAYSCALE});
    size_t size = read_file(bytes), at = 0;
    while (at + 9 < size && !(bytes[at] == 0xff && bytes[at + 1] == 0xc0)) {
        at++;
    }
    memcpy(bytes + at + 5, (const uint8_t[]){0x7f, 0xff, 0x7f, 0xff}, 4); /* 32767 x 32767 */
    write_file(bytes, size);
    assert_refused("at most 100 million");
    memcpy(bytes + at + 5, (const uint8_t[]){0, 32, 0x9c, 0x40}, 4);
    write_file(bytes, size);
    assert_refused("sides of 1 to 32768");
}

/* Each coefficient bit by bit in scans of their own, which a few bytes each can hold. */
static void a_jpeg_of_endless_scans_is_refused(void **state)
{
    (void)state;
    write_jpeg((struct jpeg_kind){.space = JCS_GRAYSCALE, .scans = 199});
    pw_picture image = {0};
    assert_int_equal(pw_picture_read(path, &image, NULL), PW_OK);
    pw_picture_free(&image);
    write_jpeg((struct jpeg_kind){.space = JCS_GRAYSCALE, .scans = 253});
    assert_refused("more than 200 scans");
}

static void other_files_are_refused(void **state)
{
    (void)state;
    write_file((const uint8_t *)"GIF88a, none of them", 20);
    assert_refused("is not a PNG, JPEG, TIFF, GIF or BMP file");
    unlink(path);
    assert_refused("No such file");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("not a regular file");
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_jpeg_comes_back),
        cmocka_unit_test(a_jpeg_is_turned_as_exif_says),
        cmocka_unit_test(libraries_print_nothing),
        cmocka_unit_test(what_is_larger_than_the_limits_is_refused),
        cmocka_unit_test(a_jpeg_of_endless_scans_is_refused),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_clear);
}
