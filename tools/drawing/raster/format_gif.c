/* Floor plans as GIF pictures (GIF87a, GIF89a), as estate agents' sites have them: the first picture of the file, on
 * its canvas; what is transparent, and what it leaves free, is white. Pixels are packed by LZW with codes of up to 12
 * bits (appendix F of the specification). */
#include "ground.h"

#include "drawing/raster/picture_parts.h"

#include <stdlib.h>
#include <string.h>

enum { CODES = 4096, HEADER = 13, NO_CODE = 0xffff };

struct gif {
    const char *path;
    const uint8_t *bytes;
    size_t size, at;
    const uint8_t *palette; /* 3 bytes a colour */
    size_t colours;
    int transparent; /* colour; -1: none is */
    pw_error *error;
};

static pw_status damaged(const struct gif *gif)
{
    return fail(gif->error, PW_BAD_INPUT, "'%s' is a damaged or truncated GIF", gif->path);
}

static unsigned byte_next(struct gif *gif)
{
    return gif->at < gif->size ? gif->bytes[gif->at++] : 0;
}

static unsigned short_next(struct gif *gif)
{
    const unsigned low = byte_next(gif);
    return low | byte_next(gif) << 8;
}

/* A palette, where the flags say that one follows. */
static pw_status palette_take(struct gif *gif, unsigned flags)
{
    const size_t colours = (size_t)2 << (flags & 7);
    if ((flags & 0x80) == 0) {
        return PW_OK;
    }
    if (3 * colours > gif->size - gif->at) {
        return damaged(gif);
    }
    gif->palette = gif->bytes + gif->at;
    gif->colours = colours;
    gif->at += 3 * colours;
    return PW_OK;
}

/* Goes behind the blocks of an extension, or of what is left of a picture. */
static void blocks_skip(struct gif *gif)
{
    for (unsigned length = byte_next(gif); length > 0; length = byte_next(gif)) {
        gif->at = length < gif->size - gif->at ? gif->at + length : gif->size;
    }
}

/* Goes to the first picture. Of extensions the graphic control says which colour is transparent. */
static pw_status picture_find(struct gif *gif)
{
    for (;;) {
        const unsigned kind = byte_next(gif);
        if (kind == 0x2c) {
            return PW_OK;
        }
        if (kind != 0x21 || gif->at >= gif->size) {
            return damaged(gif);
        }
        if (byte_next(gif) == 0xf9 && gif->at + 5 <= gif->size) {
            gif->transparent = (gif->bytes[gif->at + 1] & 1) != 0 ? gif->bytes[gif->at + 4] : -1;
        }
        blocks_skip(gif);
    }
}

/* ---- LZW ---- */

struct unpacking {
    struct gif *gif;
    unsigned block, bits, bit_count; /* bytes left of a block; bits that are not used yet */
    uint16_t prefix[CODES];
    uint8_t last[CODES], string[CODES];
};

/* The next code of so many bits; NO_CODE at the end. */
static unsigned code_next(struct unpacking *own, unsigned width)
{
    while (own->bit_count < width) {
        if (own->block == 0) {
            own->block = byte_next(own->gif);
        }
        if (own->block == 0 || own->gif->at >= own->gif->size) {
            return NO_CODE;
        }
        own->bits |= byte_next(own->gif) << own->bit_count;
        own->bit_count += 8;
        own->block--;
    }
    const unsigned code = own->bits & ((1u << width) - 1);
    own->bits >>= width;
    own->bit_count -= width;
    return code;
}

/* The colours of a code, the last one first, at `string`; how many. */
static size_t code_colours(struct unpacking *own, unsigned code, unsigned clear)
{
    size_t count = 0;
    while (code >= clear && count < CODES) {
        own->string[count++] = own->last[code];
        code = own->prefix[code];
    }
    if (count < CODES) {
        own->string[count++] = (uint8_t)code;
    }
    return count;
}

static pw_status pixels_unpack(struct gif *gif, uint8_t *indices, size_t wanted)
{
    const unsigned least = byte_next(gif), clear = least <= 8 ? 1u << least : 0;
    struct unpacking *own = allocate(1, sizeof *own, "the codes of a GIF", gif->error);
    PW_TRY_MADE(own);
    own->gif = gif;
    unsigned width = least + 1, next = clear + 2, before = NO_CODE;
    size_t done = 0;
    bool sound = clear >= 4;
    while (sound && done < wanted) {
        const unsigned code = code_next(own, width);
        if (code == clear) {
            width = least + 1, next = clear + 2, before = NO_CODE;
            continue;
        }
        sound = code != NO_CODE && code != clear + 1 && (before == NO_CODE ? code < clear : code <= next);
        if (!sound) {
            break;
        }
        /* A code that is only being made is the one before with its first colour behind it. */
        const bool made = code < next || before == NO_CODE;
        size_t count = code_colours(own, made ? code : before, clear);
        const uint8_t first = own->string[count - 1];
        if (before != NO_CODE && next < CODES) {
            own->prefix[next] = (uint16_t)before;
            own->last[next++] = first;
        }
        for (size_t n = count; n-- > 0 && done < wanted;) {
            indices[done++] = own->string[n];
        }
        if (!made && done < wanted) {
            indices[done++] = first;
        }
        width += next == 1u << width && width < 12;
        before = code;
    }
    free(own);
    return sound ? PW_OK : damaged(gif);
}

/* ---- the picture ---- */

struct frame {
    size_t left, top, width, height;
    bool interlaced;
};

/* The row that comes as number n: of interlaced pictures every eighth, the ones between, and so on. */
static size_t row_of(const struct frame *frame, size_t n)
{
    static const size_t FIRST[4] = {0, 4, 2, 1}, STEP[4] = {8, 8, 4, 2};
    for (size_t pass = 0; frame->interlaced && pass < 4; pass++) {
        const size_t rows =
            frame->height > FIRST[pass] ? (frame->height - FIRST[pass] + STEP[pass] - 1) / STEP[pass] : 0;
        if (n < rows) {
            return FIRST[pass] + STEP[pass] * n;
        }
        n -= rows;
    }
    return n;
}

static void frame_paint(const struct gif *gif, const struct frame *frame, const uint8_t *indices, pw_picture *image)
{
    memset(image->rgb, 255, 3 * (size_t)image->width * (size_t)image->height);
    for (size_t n = 0; n < frame->height; n++) {
        const size_t y = frame->top + row_of(frame, n);
        for (size_t x = 0; x < frame->width && y < (size_t)image->height && frame->left + x < (size_t)image->width;
             x++) {
            const size_t index = indices[frame->width * n + x];
            if ((int)index != gif->transparent && index < gif->colours) {
                memcpy(image->rgb + 3 * ((size_t)image->width * y + frame->left + x), gif->palette + 3 * index, 3);
            }
        }
    }
}

static pw_status gif_decode(struct gif *gif, pw_picture *image)
{
    gif->at = 6;
    const uint32_t width = short_next(gif), height = short_next(gif), flags = byte_next(gif);
    gif->at = HEADER;
    if (gif->size < HEADER) {
        return damaged(gif);
    }
    TRY(picture_size_check(gif->path, width, height, gif->error));
    TRY(palette_take(gif, flags));
    TRY(picture_find(gif));
    struct frame frame = {.left = short_next(gif), .top = short_next(gif)};
    frame.width = short_next(gif);
    frame.height = short_next(gif);
    const unsigned own = byte_next(gif);
    frame.interlaced = (own & 0x40) != 0;
    if (gif->at >= gif->size) {
        return damaged(gif);
    }
    TRY(picture_size_check(gif->path, (uint32_t)frame.width, (uint32_t)frame.height, gif->error));
    TRY(palette_take(gif, own));
    uint8_t *indices = allocate(frame.width * frame.height, 1, "the pixels of a GIF", gif->error);
    *image =
        (pw_picture){(int)width, (int)height, allocate((size_t)width * height, 3, "the pixels of a GIF", gif->error)};
    pw_status status = indices != NULL && image->rgb != NULL ? pixels_unpack(gif, indices, frame.width * frame.height)
                                                             : PW_NO_RESOURCE;
    if (status == PW_OK) {
        frame_paint(gif, &frame, indices, image);
    } else {
        pw_picture_free(image);
    }
    free(indices);
    return status;
}

static pw_status gif_read(const char *path, pw_picture *image, pw_error *error)
{
    OWNED char *bytes = NULL;
    size_t size = 0;
    *image = (pw_picture){0};
    TRY(pw_file_read(path, PICTURE_BYTES_LIMIT, &bytes, &size, error));
    struct gif gif = {.path = path, .bytes = (const uint8_t *)bytes, .size = size, .transparent = -1, .error = error};
    return gif_decode(&gif, image);
}

static bool gif_recognises(const uint8_t *head, size_t count)
{
    return count >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

const pw_picture_format picture_format_gif = {
    .name = "GIF", .description = "the first picture of the file", .recognises = gif_recognises, .read = gif_read};
