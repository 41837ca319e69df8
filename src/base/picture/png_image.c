/* PNG pictures through libpng's row interface; its simplified interface has no way to set limits against hostile files.
 * Every variable that changes between setjmp and a jump lives in a struct of the caller, so that no jump loses a value
 * or leaks memory. */
#include "base/picture/png_image.h"

#include "base/file/atomic_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PNG_SIGNATURE_SIZE = 8, CHUNK_LIMIT = 128, CHUNK_BYTES_LIMIT = 8 << 20 };

struct png_reader {
    const char *path;
    FILE *file;
    png_structp png;
    png_infop info;
    uint8_t *pixels; /* (height, width, 4) */
    png_bytep *rows; /* (height) into pixels */
    int width, height;
    char reason[256]; /* libpng's message when it jumps */
    pw_status status; /* PW_OK: the reason is libpng's */
    pw_error *error;
};

static void on_read_error(png_structp png, png_const_charp message)
{
    struct png_reader *reader = png_get_error_ptr(png);
    snprintf(reader->reason, sizeof reader->reason, "%s", message);
    png_longjmp(png, 1);
}

/* Warnings concern ancillary chunks, which do not change the colours. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void reader_limits(struct png_reader *reader)
{
    png_set_user_limits(reader->png, PW_PICTURE_SIDE_LIMIT, PW_PICTURE_SIDE_LIMIT);
    png_set_chunk_cache_max(reader->png, CHUNK_LIMIT);
    png_set_chunk_malloc_max(reader->png, CHUNK_BYTES_LIMIT);
    /* Read the chunks that pixels are made of and no others: libpng would believe any length that a profile or a text
     * claims to have. */
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_crc_action(reader->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
}

/* Asks libpng for 8-bit RGBA, whatever the file holds. */
static void reader_transform(struct png_reader *reader)
{
    png_set_expand(reader->png);
    png_set_scale_16(reader->png);
    png_set_gray_to_rgb(reader->png);
    png_set_add_alpha(reader->png, 0xff, PNG_FILLER_AFTER);
    (void)png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
}

static bool reader_allocate(struct png_reader *reader)
{
    size_t width = (size_t)reader->width, height = (size_t)reader->height;
    reader->pixels = allocate(width * height, 4, "the pixels of a PNG", reader->error);
    reader->rows = allocate(height, sizeof *reader->rows, "the rows of a PNG", reader->error);
    if (reader->pixels == NULL || reader->rows == NULL) {
        reader->status = PW_NO_RESOURCE;
        return false;
    }
    for (size_t row = 0; row < height; row++) {
        reader->rows[row] = reader->pixels + 4 * width * row;
    }
    return true;
}

/* False after a failure; then reader->status or reader->reason says why. Every call that libpng may jump out of is
 * here. */
static bool reader_decode(struct png_reader *reader)
{
    if (setjmp(png_jmpbuf(reader->png)) != 0) {
        return false;
    }
    png_init_io(reader->png, reader->file);
    reader_limits(reader);
    png_read_info(reader->png, reader->info);
    png_uint_32 width = png_get_image_width(reader->png, reader->info);
    png_uint_32 height = png_get_image_height(reader->png, reader->info);
    reader->width = (int)width;
    reader->height = (int)height;
    if ((uint64_t)width * height > PW_PICTURE_PIXEL_LIMIT) {
        reader->status = fail(reader->error, PW_BAD_INPUT, "'%s': %u x %u pixels; at most %d million are read",
                              reader->path, (unsigned)width, (unsigned)height, PW_PICTURE_PIXEL_LIMIT / 1000000);
        return false;
    }
    reader_transform(reader);
    if (png_get_rowbytes(reader->png, reader->info) != 4 * (size_t)width) {
        png_error(reader->png, "unexpected pixel format");
    }
    if (!reader_allocate(reader)) {
        return false;
    }
    png_read_image(reader->png, reader->rows);
    png_read_end(reader->png, NULL);
    return true;
}

/* RGBA over white to RGB, in place: the write position never overtakes the read position. */
static void composite_on_white(uint8_t *pixels, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        unsigned alpha = pixels[4 * p + 3];
        for (size_t channel = 0; channel < 3; channel++) {
            unsigned value = pixels[4 * p + channel];
            pixels[3 * p + channel] = (uint8_t)((value * alpha + 255u * (255u - alpha) + 127u) / 255u);
        }
    }
}

/* Opens the file and checks the signature, for a better sentence than libpng's. */
static pw_status reader_open(struct png_reader *reader)
{
    reader->file = input_file_open(reader->path, reader->error);
    if (reader->file == NULL) {
        return PW_BAD_INPUT;
    }
    uint8_t signature[PNG_SIGNATURE_SIZE];
    FAIL_IF(fread(signature, 1, sizeof signature, reader->file) != sizeof signature ||
                png_sig_cmp(signature, 0, sizeof signature) != 0,
            reader->error, PW_BAD_INPUT, "'%s' is not a PNG file", reader->path);
    rewind(reader->file);
    return PW_OK;
}

static pw_status reader_run(struct png_reader *reader)
{
    TRY(reader_open(reader));
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_read_error, on_warning);
    reader->info = reader->png != NULL ? png_create_info_struct(reader->png) : NULL;
    FAIL_IF(reader->info == NULL, reader->error, PW_NO_RESOURCE, "not enough memory to read '%s'", reader->path);
    if (!reader_decode(reader)) {
        return reader->status != PW_OK ? reader->status
                                       : fail(reader->error, PW_BAD_INPUT, "'%s' is damaged or truncated (libpng: %s)",
                                              reader->path, reader->reason);
    }
    return PW_OK;
}

pw_status png_image_read(const char *path, pw_picture *image, pw_error *error)
{
    *image = (pw_picture){0};
    struct png_reader reader = {.path = path, .error = error};
    pw_status status = reader_run(&reader);
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    if (reader.file != NULL) {
        (void)fclose(reader.file); /* read only: nothing can be lost */
    }
    free(reader.rows);
    if (status != PW_OK) {
        free(reader.pixels);
        return status;
    }
    size_t count = (size_t)reader.width * (size_t)reader.height;
    composite_on_white(reader.pixels, count);
    uint8_t *smaller = realloc(reader.pixels, 3 * count);
    *image = (pw_picture){reader.width, reader.height, smaller != NULL ? smaller : reader.pixels};
    return PW_OK;
}

void pw_picture_free(pw_picture *image)
{
    free(image->rgb);
    *image = (pw_picture){0};
}

/* ---- writing ---- */

struct png_writer {
    png_structp png;
    png_infop info;
    char reason[256];
};

static void on_write_error(png_structp png, png_const_charp message)
{
    struct png_writer *writer = png_get_error_ptr(png);
    snprintf(writer->reason, sizeof writer->reason, "%s", message);
    png_longjmp(png, 1);
}

/* What is encoded: pixels (height, width, channels); with a palette one channel, its index. */
struct picture {
    int width, height, channels;
    const uint8_t *pixels;
    const uint8_t (*palette)[3]; /* (256); NULL: the pixels are colours */
};

static void writer_begin_indexed(struct png_writer *writer, const struct picture *picture)
{
    png_color colours[256];
    for (int n = 0; n < 256; n++) {
        colours[n] = (png_color){picture->palette[n][0], picture->palette[n][1], picture->palette[n][2]};
    }
    png_set_PLTE(writer->png, writer->info, colours, 256);
    /* Pictures of waves barely shrink with more effort, and there are hundreds of them. */
    png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(writer->png, 2);
}

static bool writer_encode(struct png_writer *writer, const struct picture *picture, FILE *out)
{
    if (setjmp(png_jmpbuf(writer->png)) != 0) {
        return false;
    }
    png_init_io(writer->png, out);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                 picture->palette != NULL ? PNG_COLOR_TYPE_PALETTE
                 : picture->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA
                                          : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (picture->palette != NULL) {
        writer_begin_indexed(writer, picture);
    }
    png_write_info(writer->png, writer->info);
    size_t stride = (size_t)picture->width * (size_t)picture->channels;
    for (int row = 0; row < picture->height; row++) {
        png_write_row(writer->png, picture->pixels + stride * (size_t)row);
    }
    png_write_end(writer->png, NULL);
    return true;
}

static pw_status picture_encode(const struct picture *picture, uint8_t **bytes, size_t *size, pw_error *error)
{
    int width = picture->width, height = picture->height;
    *bytes = NULL;
    *size = 0;
    FAIL_IF(width < 1 || height < 1 || width > PW_PICTURE_SIDE_LIMIT || height > PW_PICTURE_SIDE_LIMIT, error, PW_USAGE,
            "a PNG of %d x %d pixels: sides of 1 to %d are possible", width, height, PW_PICTURE_SIDE_LIMIT);
    struct png_writer writer = {.reason = "not enough memory"};
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_write_error, on_warning);
    writer.info = writer.png != NULL ? png_create_info_struct(writer.png) : NULL;
    const bool encoded = out != NULL && writer.info != NULL && writer_encode(&writer, picture, out);
    png_destroy_write_struct(&writer.png, &writer.info);
    const bool kept = pw_text_close(out, &text);
    if (!encoded || !kept) {
        free(text);
        *size = 0;
        return fail(error, PW_NO_RESOURCE, "cannot encode a PNG of %d x %d pixels: %s", width, height, writer.reason);
    }
    *bytes = (uint8_t *)text;
    return PW_OK;
}

pw_status png_image_encode(int width, int height, int channels, const uint8_t *pixels, uint8_t **bytes, size_t *size,
                           pw_error *error)
{
    if (channels != 3 && channels != 4) {
        *bytes = NULL;
        *size = 0;
        return fail(error, PW_USAGE, "png_image_encode: %d channels: allowed are 3 or 4", channels);
    }
    const struct picture picture = {width, height, channels, pixels, NULL};
    return picture_encode(&picture, bytes, size, error);
}

pw_status png_image_encode_indexed(int width, int height, const uint8_t palette[256][3], const uint8_t *pixels,
                                   uint8_t **bytes, size_t *size, pw_error *error)
{
    const struct picture picture = {width, height, 1, pixels, palette};
    return picture_encode(&picture, bytes, size, error);
}

pw_status png_bytes_write(const char *path, const uint8_t *bytes, size_t size, pw_error *error)
{
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    fwrite(bytes, 1, size, file); /* disk_finish looks at its errors */
    return disk_finish(file, path, error);
}

pw_status png_image_write(const char *path, int width, int height, int channels, const uint8_t *pixels, pw_error *error)
{
    OWNED uint8_t *bytes = NULL;
    size_t size = 0;
    TRY(png_image_encode(width, height, channels, pixels, &bytes, &size, error));
    return png_bytes_write(path, bytes, size, error);
}

static bool png_recognises(const uint8_t *head, size_t count)
{
    static const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof SIGNATURE && memcmp(head, SIGNATURE, sizeof SIGNATURE) == 0;
}

const pw_picture_format picture_format_png = {.name = "PNG",
                                              .description = "pictures of every colour type and depth",
                                              .recognises = png_recognises,
                                              .read = png_image_read};
