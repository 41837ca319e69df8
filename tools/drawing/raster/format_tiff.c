/* Floor plans as TIFF pictures (TIFF 6.0 and BigTIFF) through libtiff's RGBA interface: black and white, grey, palette,
 * RGB, CMYK and YCbCr; stored plainly or by CCITT, LZW, Deflate, PackBits or JPEG. The first page of the file is read,
 * turned as its orientation asks; what is transparent is laid over white. Other compressions are refused, among them
 * the old kind of JPEG. Errors go through the file's own handle, so that nothing is printed. */
#include "ground.h"

#include "drawing/raster/picture_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tiffio.h>

/* A strip or a tile can claim any size; a whole picture at four bytes a pixel is below this. */
static const tmsize_t BYTES_LIMIT = (tmsize_t)500 * 1000000;

struct tiff_reader {
    const char *path;
    TIFF *tiff;
    uint32_t *raster; /* (height, width), 0xaabbggrr */
    uint32_t width, height;
    uint16_t orientation;
    char reason[1024]; /* libtiff's first error; it asks for so many bytes */
    pw_error *error;
};

/* One is enough: what follows the first error follows from it. */
__attribute__((format(printf, 4, 0))) static int on_error(TIFF *tiff, void *user, const char *module,
                                                          const char *format, va_list values)
{
    (void)tiff;
    (void)module;
    struct tiff_reader *reader = user;
    if (reader->reason[0] == '\0') {
        (void)vsnprintf(reader->reason, sizeof reader->reason, format, values);
    }
    return 1;
}

/* Warnings concern tags that are not known or not needed. */
__attribute__((format(printf, 4, 0))) static int on_warning(TIFF *tiff, void *user, const char *module,
                                                            const char *format, va_list values)
{
    (void)tiff;
    (void)user;
    (void)module;
    (void)format;
    (void)values;
    return 1;
}

static pw_status reader_damaged(const struct tiff_reader *reader)
{
    return fail(reader->error, PW_BAD_INPUT, "'%s' is damaged, truncated or of a kind that is not read (libtiff: %s)",
                reader->path, reader->reason[0] != '\0' ? reader->reason : "no reason given");
}

static pw_status reader_open(struct tiff_reader *reader)
{
    FILE *file = pw_file_open(reader->path, reader->error); /* no folder, no pipe */
    if (file == NULL) {
        return PW_BAD_INPUT;
    }
    int descriptor = dup(fileno(file));
    (void)fclose(file);
    TIFFOpenOptions *options = descriptor >= 0 ? TIFFOpenOptionsAlloc() : NULL;
    if (options != NULL) {
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, BYTES_LIMIT);
        TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, reader);
        TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, reader);
        /* m: not mapped into memory, where a file that shrinks while it is read would end the process. */
        reader->tiff = TIFFFdOpenExt(descriptor, reader->path, "rm", options);
        TIFFOpenOptionsFree(options);
    }
    if (reader->tiff == NULL) {
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return options == NULL ? fail(reader->error, PW_NO_RESOURCE, "cannot open '%s' as a TIFF", reader->path)
                               : reader_damaged(reader);
    }
    return PW_OK;
}

static pw_status compression_check(const struct tiff_reader *reader)
{
    static const uint16_t KNOWN[] = {
        COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4, COMPRESSION_CCITTRLEW,
        COMPRESSION_LZW,  COMPRESSION_JPEG,     COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,   COMPRESSION_PACKBITS};
    uint16_t compression = COMPRESSION_NONE;
    (void)TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_COMPRESSION, &compression);
    for (size_t n = 0; n < sizeof KNOWN / sizeof *KNOWN; n++) {
        if (KNOWN[n] == compression) {
            return PW_OK;
        }
    }
    return fail(reader->error, PW_BAD_INPUT,
                "'%s': a TIFF with compression %u; read are those without, CCITT, LZW, Deflate, PackBits and JPEG",
                reader->path, (unsigned)compression);
}

/* The pixels in the order in which the file stores them: its orientation is left to picture_orient(), because libtiff
 * does not transpose. */
static pw_status reader_decode(struct tiff_reader *reader)
{
    TRY(compression_check(reader));
    (void)TIFFGetField(reader->tiff, TIFFTAG_IMAGEWIDTH, &reader->width);
    (void)TIFFGetField(reader->tiff, TIFFTAG_IMAGELENGTH, &reader->height);
    TRY(picture_size_check(reader->path, reader->width, reader->height, reader->error));
    reader->raster = allocate((size_t)reader->width * reader->height, 4, "the pixels of a TIFF", reader->error);
    TRY_MADE(reader->raster);
    TIFFRGBAImage decoder;
    if (TIFFRGBAImageBegin(&decoder, reader->tiff, 1, reader->reason) == 0) {
        return reader_damaged(reader);
    }
    reader->orientation = decoder.orientation;
    decoder.orientation = ORIENTATION_TOPLEFT;
    decoder.req_orientation = ORIENTATION_TOPLEFT;
    reader->reason[0] = '\0';
    int done = TIFFRGBAImageGet(&decoder, reader->raster, reader->width, reader->height);
    TIFFRGBAImageEnd(&decoder);
    return done == 0 || reader->reason[0] != '\0' ? reader_damaged(reader) : PW_OK;
}

/* Packed pixels, colours times alpha, to RGB over white, in place: the write position never overtakes the read
 * position. The memory is the image's from now on. */
static void raster_unpack(struct tiff_reader *reader, pw_picture *image)
{
    size_t count = (size_t)reader->width * reader->height;
    uint8_t *rgb = (uint8_t *)reader->raster;
    for (size_t p = 0; p < count; p++) {
        uint32_t packed = reader->raster[p];
        unsigned paper = 255 - TIFFGetA(packed);
        unsigned value[3] = {TIFFGetR(packed) + paper, TIFFGetG(packed) + paper, TIFFGetB(packed) + paper};
        for (size_t channel = 0; channel < 3; channel++) {
            rgb[3 * p + channel] = (uint8_t)(value[channel] < 255 ? value[channel] : 255);
        }
    }
    reader->raster = NULL;
    uint8_t *smaller = realloc(rgb, count > 0 ? 3 * count : 1);
    *image = (pw_picture){(int)reader->width, (int)reader->height, smaller != NULL ? smaller : rgb};
}

static pw_status tiff_read(const char *path, pw_picture *image, pw_error *error)
{
    *image = (pw_picture){0};
    struct tiff_reader reader = {.path = path, .error = error};
    pw_status status = reader_open(&reader);
    if (status == PW_OK) {
        status = reader_decode(&reader);
        TIFFClose(reader.tiff);
    }
    if (status == PW_OK) {
        raster_unpack(&reader, image);
        status = picture_orient(image, reader.orientation, error);
    }
    free(reader.raster);
    if (status != PW_OK) {
        pw_picture_free(image);
    }
    return status;
}

static bool tiff_recognises(const uint8_t *head, size_t count)
{
    static const char SIGNATURES[4][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t n = 0; n < 4; n++) {
        if (count >= 4 && memcmp(head, SIGNATURES[n], 4) == 0) {
            return true;
        }
    }
    return false;
}

const pw_picture_format picture_format_tiff = {.name = "TIFF",
                                               .description = "pictures of scanners; of several pages the first one",
                                               .recognises = tiff_recognises,
                                               .read = tiff_read};
