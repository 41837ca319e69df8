/* Floor plans as JPEG pictures, baseline and progressive, grey, YCbCr, RGB and CMYK, through libjpeg-turbo. The picture
 * is turned as its EXIF orientation asks (CIPA DC-008, tag 0x112). A file whose data end early or do not decode is
 * refused, where libjpeg would go on in grey. Colour profiles are not looked at: CMYK becomes RGB by the plain formula,
 * of inks without a tint. Every variable that changes between setjmp and a jump lives in a struct of the caller. */
#include "ground.h"

#include "drawing/raster/picture_parts.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum {
    EXIF_MARKER = JPEG_APP0 + 1,
    SCAN_LIMIT = 200,        /* a progressive picture has about ten; each costs a walk over all pixels */
    MEGABYTES_LIMIT = 1000,  /* of libjpeg's own: all coefficients of a progressive picture, 2 bytes each */
    ORIENTATION_TAG = 0x112, /* in the first directory of EXIF */
    DIRECTORY_ENTRY_SIZE = 12
};

struct jpeg_reader {
    struct jpeg_error_mgr errors; /* libjpeg's callbacks see this */
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    jmp_buf jump;
    const char *path;
    FILE *file;
    pw_picture image;
    uint8_t *row; /* (width, 4) of CMYK */
    int orientation;
    char reason[JMSG_LENGTH_MAX]; /* libjpeg's message when it jumps */
    pw_status status;             /* PW_OK: the reason is libjpeg's */
    pw_error *error;
};

static void on_error(j_common_ptr jpeg)
{
    struct jpeg_reader *reader = jpeg->client_data;
    jpeg->err->format_message(jpeg, reader->reason);
    longjmp(reader->jump, 1);
}

/* Warnings and remarks. Those of data that are lost or wrong are errors here; the others change no pixel. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level >= 0) {
        return;
    }
    switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_MUST_RESYNC:
        on_error(jpeg);
        break;
    default:
        break;
    }
}

static void on_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

/* A few bytes can hold a scan over a hundred million pixels. */
static void on_progress(j_common_ptr jpeg)
{
    struct jpeg_reader *reader = jpeg->client_data;
    if (reader->jpeg.input_scan_number > SCAN_LIMIT) {
        reader->status = fail(reader->error, PW_BAD_INPUT, "'%s': a JPEG picture of more than %d scans is not read",
                              reader->path, SCAN_LIMIT);
        longjmp(reader->jump, 1);
    }
}

/* A number of `size` bytes in the byte order of the directory. */
static uint32_t exif_number(const uint8_t *bytes, int size, bool little)
{
    uint32_t value = 0;
    for (int n = 0; n < size; n++) {
        value = value << 8 | bytes[little ? size - 1 - n : n];
    }
    return value;
}

/* The orientation that a marker of EXIF states; 1 when it states none. */
static int exif_orientation(const uint8_t *bytes, size_t size)
{
    enum { HEAD = 6, TIFF_HEAD = 8 };
    if (size < HEAD + TIFF_HEAD || memcmp(bytes, "Exif\0", HEAD) != 0) {
        return 1;
    }
    bytes += HEAD;
    size -= HEAD;
    bool little = bytes[0] == 'I';
    size_t at = exif_number(bytes + 4, 4, little);
    if (at > size - 2) {
        return 1;
    }
    uint32_t entries = exif_number(bytes + at, 2, little);
    at += 2;
    for (uint32_t n = 0; n < entries && size - at >= DIRECTORY_ENTRY_SIZE; n++, at += DIRECTORY_ENTRY_SIZE) {
        if (exif_number(bytes + at, 2, little) == ORIENTATION_TAG) {
            return (int)exif_number(bytes + at + 8, 2, little);
        }
    }
    return 1;
}

static void reader_find_orientation(struct jpeg_reader *reader)
{
    reader->orientation = 1;
    for (jpeg_saved_marker_ptr marker = reader->jpeg.marker_list; marker != NULL; marker = marker->next) {
        if (marker->marker == EXIF_MARKER && reader->orientation == 1) {
            reader->orientation = exif_orientation(marker->data, marker->data_length);
        }
    }
}

/* A row of CMYK to RGB. Adobe's programs, which wrote nearly all such files and leave a marker, store the paper that is
 * left uncovered instead of the ink. */
static void row_of_inks(const uint8_t *inks, uint8_t *rgb, size_t count, bool uncovered)
{
    unsigned flip = uncovered ? 0 : 255;
    for (size_t p = 0; p < count; p++) {
        for (size_t channel = 0; channel < 3; channel++) {
            rgb[3 * p + channel] = (uint8_t)(((inks[4 * p + channel] ^ flip) * (inks[4 * p + 3] ^ flip) + 127) / 255);
        }
    }
}

static bool reader_allocate(struct jpeg_reader *reader)
{
    pw_picture *image = &reader->image;
    size_t width = reader->jpeg.image_width, height = reader->jpeg.image_height;
    image->width = (int)width;
    image->height = (int)height;
    image->rgb = allocate(width * height, 3, "the pixels of a JPEG", reader->error);
    reader->row = allocate(width, 4, "a row of a JPEG", reader->error);
    if (image->rgb == NULL || reader->row == NULL) {
        reader->status = PW_NO_RESOURCE;
        return false;
    }
    return true;
}

static void reader_rows(struct jpeg_reader *reader, bool inks)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t width = jpeg->image_width;
    while (jpeg->output_scanline < jpeg->image_height) {
        uint8_t *rgb = reader->image.rgb + 3 * width * jpeg->output_scanline;
        uint8_t *row = inks ? reader->row : rgb;
        if (jpeg_read_scanlines(jpeg, &row, 1) == 1 && inks) {
            row_of_inks(row, rgb, width, jpeg->saw_Adobe_marker != 0);
        }
    }
}

/* False after a failure; then reader->status or reader->reason says why. Every call that libjpeg may jump out of is
 * here. */
static bool reader_decode(struct jpeg_reader *reader)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (setjmp(reader->jump) != 0) {
        return false;
    }
    jpeg_create_decompress(jpeg);
    jpeg->client_data = reader;
    jpeg->progress = &reader->progress;
    jpeg->mem->max_memory_to_use = MEGABYTES_LIMIT * 1000000L;
    jpeg_save_markers(jpeg, EXIF_MARKER, 0xffff);
    jpeg_stdio_src(jpeg, reader->file);
    (void)jpeg_read_header(jpeg, TRUE);
    reader->status = picture_size_check(reader->path, jpeg->image_width, jpeg->image_height, reader->error);
    if (reader->status != PW_OK || !reader_allocate(reader)) {
        return false;
    }
    reader_find_orientation(reader);
    bool inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = inks ? JCS_CMYK : JCS_RGB;
    (void)jpeg_start_decompress(jpeg);
    reader_rows(reader, inks);
    (void)jpeg_finish_decompress(jpeg);
    return true;
}

static pw_status reader_run(struct jpeg_reader *reader)
{
    reader->file = pw_file_open(reader->path, reader->error);
    if (reader->file == NULL) {
        return PW_BAD_INPUT;
    }
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->jpeg.client_data = reader;
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->errors.output_message = on_output;
    reader->progress.progress_monitor = on_progress;
    bool done = reader_decode(reader);
    jpeg_destroy_decompress(&reader->jpeg);
    if (!done) {
        return reader->status != PW_OK ? reader->status
                                       : fail(reader->error, PW_BAD_INPUT, "'%s' is damaged or truncated (libjpeg: %s)",
                                              reader->path, reader->reason);
    }
    return picture_orient(&reader->image, reader->orientation, reader->error);
}

static pw_status jpeg_read(const char *path, pw_picture *image, pw_error *error)
{
    *image = (pw_picture){0};
    struct jpeg_reader reader = {.path = path, .error = error};
    pw_status status = reader_run(&reader);
    if (reader.file != NULL) {
        (void)fclose(reader.file); /* read only: nothing can be lost */
    }
    free(reader.row);
    if (status != PW_OK) {
        pw_picture_free(&reader.image);
        return status;
    }
    *image = reader.image;
    return PW_OK;
}

static bool jpeg_recognises(const uint8_t *head, size_t count)
{
    static const uint8_t SIGNATURE[] = {0xff, 0xd8, 0xff};
    return count >= sizeof SIGNATURE && memcmp(head, SIGNATURE, sizeof SIGNATURE) == 0;
}

const pw_picture_format picture_format_jpeg = {
    .name = "JPEG",
    .description = "pictures in grey, colour or CMYK, turned as EXIF says; colours are not exact in them",
    .smears_colours = true,
    .recognises = jpeg_recognises,
    .read = jpeg_read};
