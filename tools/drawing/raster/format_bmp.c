/* Floor plans as Windows bitmaps: 1, 4, 8, 16, 24 and 32 bits a pixel, with a palette or masks, not compressed; headers
 * of OS/2 and of all versions of Windows (BITMAPCOREHEADER to BITMAPV5HEADER). Those that are packed by runs, or hold a
 * JPEG or PNG, are refused. */
#include "ground.h"

#include "drawing/raster/picture_parts.h"

#include <string.h>

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, PALETTE_MOST = 256, MASKED = 3 };

struct bitmap {
    const uint8_t *bytes;
    size_t size;
    uint32_t width, height, bits, packing, offset;
    bool downwards;         /* rows from the top */
    size_t palette, colour; /* where it begins; bytes of an entry */
    size_t colours;
    uint32_t masks[3]; /* of red, green and blue in a pixel of 16 or 32 bits */
};

static uint32_t number_at(const struct bitmap *bitmap, size_t at, size_t bytes)
{
    uint32_t number = 0;
    for (size_t n = 0; n < bytes; n++) {
        number |= (uint32_t)(at + n < bitmap->size ? bitmap->bytes[at + n] : 0) << 8 * n;
    }
    return number;
}

static pw_status damaged(const char *path, pw_error *error)
{
    return fail(error, PW_BAD_INPUT, "'%s' is a damaged or truncated BMP", path);
}

/* Masks of 16 and 32 bits: said, or the usual 5 or 8 bits a colour. */
static void masks_take(struct bitmap *bitmap)
{
    static const uint32_t USUAL[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
    for (size_t c = 0; c < 3; c++) {
        bitmap->masks[c] = bitmap->packing == MASKED ? number_at(bitmap, FILE_HEADER + INFO_HEADER + 4 * c, 4)
                                                     : USUAL[bitmap->bits == 32][c];
    }
}

static pw_status header_read(const char *path, struct bitmap *bitmap, pw_error *error)
{
    const uint32_t header = number_at(bitmap, FILE_HEADER, 4);
    const bool core = header == CORE_HEADER;
    if (bitmap->size < FILE_HEADER + header || (!core && header < INFO_HEADER)) {
        return damaged(path, error);
    }
    bitmap->offset = number_at(bitmap, 10, 4);
    bitmap->width = core ? number_at(bitmap, 18, 2) : number_at(bitmap, 18, 4);
    bitmap->height = core ? number_at(bitmap, 20, 2) : number_at(bitmap, 22, 4);
    bitmap->downwards = !core && bitmap->height >> 31 != 0;
    bitmap->height = bitmap->downwards ? 0u - bitmap->height : bitmap->height;
    bitmap->bits = number_at(bitmap, core ? 24 : 28, 2);
    bitmap->packing = core ? 0 : number_at(bitmap, 30, 4);
    bitmap->colour = core ? 3 : 4;
    bitmap->colours = core ? 0 : number_at(bitmap, 46, 4);
    bitmap->palette = FILE_HEADER + header;
    const size_t most = bitmap->bits <= 8 ? (size_t)1 << bitmap->bits : 0;
    bitmap->colours = bitmap->colours > 0 && bitmap->colours < most ? bitmap->colours : most;
    masks_take(bitmap);
    static const uint32_t BITS[] = {1, 4, 8, 16, 24, 32};
    bool known = false;
    for (size_t n = 0; n < sizeof BITS / sizeof *BITS; n++) {
        known = known || bitmap->bits == BITS[n];
    }
    FAIL_IF(!known ||
                (bitmap->packing != 0 && !(bitmap->packing == MASKED && (bitmap->bits == 16 || bitmap->bits == 32))),
            error, PW_BAD_INPUT,
            "'%s': a BMP of %u bits a pixel and compression %u; read are those of 1, 4, 8, 16, 24 and 32 bits that "
            "are not compressed: save it as PNG",
            path, (unsigned)bitmap->bits, (unsigned)bitmap->packing);
    return picture_size_check(path, bitmap->width, bitmap->height, error);
}

/* The bits of a mask as 0 to 255. */
static uint8_t masked(uint32_t value, uint32_t mask)
{
    if (mask == 0) {
        return 0;
    }
    while ((mask & 1) == 0) {
        mask >>= 1;
        value >>= 1;
    }
    return (uint8_t)((uint64_t)(value & mask) * 255 / mask);
}

static void pixel_read(const struct bitmap *bitmap, size_t row, size_t x, uint8_t rgb[3])
{
    if (bitmap->bits <= 8) {
        const size_t in_byte = 8 / bitmap->bits, shift = 8 - bitmap->bits * (x % in_byte + 1);
        const size_t index = bitmap->bytes[row + x / in_byte] >> shift & ((1u << bitmap->bits) - 1);
        const size_t at = bitmap->palette + bitmap->colour * index;
        for (size_t c = 0; c < 3; c++) { /* blue first */
            rgb[2 - c] = index < bitmap->colours && at + c < bitmap->size ? bitmap->bytes[at + c] : 0;
        }
        return;
    }
    const size_t bytes = bitmap->bits / 8;
    const uint32_t value = number_at(bitmap, row + bytes * x, bytes);
    for (size_t c = 0; c < 3; c++) {
        rgb[c] = bitmap->bits == 24 ? (uint8_t)(value >> (16 - 8 * c)) : masked(value, bitmap->masks[c]);
    }
}

static pw_status bitmap_decode(const char *path, struct bitmap *bitmap, pw_picture *image, pw_error *error)
{
    TRY(header_read(path, bitmap, error));
    const size_t width = bitmap->width, height = bitmap->height, pitch = (width * bitmap->bits + 31) / 32 * 4;
    if (bitmap->offset > bitmap->size || pitch * height > bitmap->size - bitmap->offset) {
        return damaged(path, error);
    }
    uint8_t *rgb = allocate(width * height, 3, "the pixels of a BMP", error);
    PW_TRY_MADE(rgb);
    for (size_t y = 0; y < height; y++) {
        const size_t row = bitmap->offset + pitch * (bitmap->downwards ? y : height - 1 - y);
        for (size_t x = 0; x < width; x++) {
            pixel_read(bitmap, row, x, rgb + 3 * (width * y + x));
        }
    }
    *image = (pw_picture){(int)width, (int)height, rgb};
    return PW_OK;
}

static pw_status bmp_read(const char *path, pw_picture *image, pw_error *error)
{
    OWNED char *bytes = NULL;
    size_t size = 0;
    *image = (pw_picture){0};
    TRY(pw_file_read(path, PICTURE_BYTES_LIMIT, &bytes, &size, error));
    struct bitmap bitmap = {.bytes = (const uint8_t *)bytes, .size = size};
    return bitmap_decode(path, &bitmap, image, error);
}

/* "BM" alone begins many a text: the size of the second header has to be one that there is. */
static bool bmp_recognises(const uint8_t *head, size_t count)
{
    return count >= FILE_HEADER + 4 && memcmp(head, "BM", 2) == 0 && head[15] == 0 && head[16] == 0 && head[17] == 0 &&
           (head[14] == CORE_HEADER || (head[14] >= INFO_HEADER && head[14] <= 124));
}

const pw_picture_format picture_format_bmp = {
    .name = "BMP", .description = "bitmaps of Windows, not compressed", .recognises = bmp_recognises, .read = bmp_read};
