/* Names of layers and blocks as UTF-8 (dxf_name of dxf_text.h). */
#include "drawing/vector/dxf/dxf_text.h"

#include <iconv.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes the character at `text` has in UTF-8; 0 where it is none. */
static size_t character_size(const unsigned char *text)
{
    size_t more = text[0] < 0x80   ? 0
                  : text[0] < 0xc2 ? 9
                  : text[0] < 0xe0 ? 1
                  : text[0] < 0xf0 ? 2
                  : text[0] < 0xf5 ? 3
                                   : 9;
    if (more == 9) {
        return 0;
    }
    for (size_t n = 1; n <= more; n++) {
        if ((text[n] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Longer than needed, a surrogate, beyond the last character. */
    bool wrong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                 (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f);
    return wrong ? 0 : more + 1;
}

static bool text_is_utf8(const char *text)
{
    for (size_t size; *text != '\0'; text += size) {
        size = character_size((const unsigned char *)text);
        if (size == 0) {
            return false;
        }
    }
    return true;
}

/* Appends bytes as long as there is room for all of them and the end. */
static bool bytes_append(char name[DRAWING_NAME_SIZE], size_t *used, const char *bytes, size_t count)
{
    if (*used + count >= DRAWING_NAME_SIZE) {
        return false;
    }
    memcpy(name + *used, bytes, count);
    *used += count;
    name[*used] = '\0';
    return true;
}

/* "\U+00E4", as AutoCAD writes characters that a code page lacks: its size in `text`, 0 where there is none. */
static size_t escape_read(const char *text, char bytes[4], size_t *count)
{
    if (strncmp(text, "\\U+", 3) != 0 || strspn(text + 3, "0123456789abcdefABCDEF") < 4) {
        return 0;
    }
    char digits[5] = {text[3], text[4], text[5], text[6], '\0'};
    unsigned long code = strtoul(digits, NULL, 16);
    if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) {
        return 0;
    }
    if (code < 0x80) {
        bytes[0] = (char)code;
        *count = 1;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | (code >> 6));
        bytes[1] = (char)(0x80 | (code & 0x3f));
        *count = 2;
    } else {
        bytes[0] = (char)(0xe0 | (code >> 12));
        bytes[1] = (char)(0x80 | ((code >> 6) & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        *count = 3;
    }
    return 7;
}

/* Converts with the C library; false when it does not know the code page or the bytes are not of it. */
static bool page_convert(const char *value, const char *code_page, char *text, size_t room)
{
    char from[48];
    const char *number = strrchr(code_page, '_');
    snprintf(from, sizeof from, "CP%.40s", number != NULL ? number + 1 : code_page);
    iconv_t converter = iconv_open("UTF-8", from);
    if (converter == (iconv_t)-1) {
        return false;
    }
    size_t left = strnlen(value, room / 4), space = room - 1;
    char *in = (char *)(uintptr_t)value, *out = text;
    bool whole = iconv(converter, &in, &left, &out, &space) != (size_t)-1;
    *out = '\0';
    iconv_close(converter);
    return whole;
}

void dxf_name(const char *value, const char *code_page, char name[DRAWING_NAME_SIZE])
{
    char converted[4 * DRAWING_NAME_SIZE];
    if (!text_is_utf8(value) && page_convert(value, code_page, converted, sizeof converted)) {
        value = converted;
    }
    size_t used = 0, length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
        length--;
    }
    name[0] = '\0';
    for (const char *at = value; at < value + length;) {
        char bytes[4];
        size_t count = 0, size = escape_read(at, bytes, &count);
        if (size > 0) {
            at += size;
        } else if ((unsigned char)*at < 0x20 || *at == 0x7f) { /* control characters would spoil a terminal */
            at++;
            bytes[0] = ' ';
            count = 1;
        } else if ((size = character_size((const unsigned char *)at)) > 0) {
            memcpy(bytes, at, size);
            count = size;
            at += size;
        } else {
            at++;
            memcpy(bytes, "\xef\xbf\xbd", count = 3);
        }
        if (!bytes_append(name, &used, bytes, count)) {
            return;
        }
    }
}
