/* What a name is, and which column of a file of points holds heights (names.h). */
#include "base/names.h"

#include "base/status.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

size_t utf8_length(const char *text, size_t left)
{
    const unsigned char *byte = (const unsigned char *)text;
    const unsigned char lead = byte[0];
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : (lead & 0xf0) == 0xe0       ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    if (length > left) {
        return 0;
    }
    for (size_t n = 1; n < length; n++) {
        if ((byte[n] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool wrong = (lead == 0xe0 && byte[1] < 0xa0) || (lead == 0xed && byte[1] >= 0xa0) ||
                 (lead == 0xf0 && byte[1] < 0x90) || (lead == 0xf4 && byte[1] >= 0x90);
    return length > 1 && wrong ? 0 : length;
}

/* The character of such a sequence. */
static unsigned utf8_character(const char *text, size_t length)
{
    unsigned character = (unsigned char)text[0] & (length > 1 ? 0x7fU >> length : 0x7fU);
    for (size_t n = 1; n < length; n++) {
        character = character << 6 | ((unsigned char)text[n] & 0x3fU);
    }
    return character;
}

static bool is_within(unsigned character, const unsigned (*ranges)[2], size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (character >= ranges[n][0] && character <= ranges[n][1]) {
            return true;
        }
    }
    return false;
}
#define IS_WITHIN(character, ranges) is_within(character, ranges, sizeof(ranges) / sizeof *(ranges))

static bool is_letter_of_names(unsigned character)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";
    /* Controls and blanks; the soft hyphen; blanks of several widths, marks of direction and ends of lines; the
     * ideographic blank; parts of pairs and private letters; the byte order mark; what is no character; tags. */
    static const unsigned NEVER[][2] = {{0x80, 0xa0},       {0xad, 0xad},     {0x61c, 0x61c},   {0x1680, 0x1680},
                                        {0x2000, 0x200b},   {0x200e, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
                                        {0x3000, 0x3000},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xffff},
                                        {0xe0000, 0x10ffff}};
    return character < 0x80 ? character != 0 && strchr(ALLOWED, (int)character) != NULL : !IS_WITHIN(character, NEVER);
}

bool name_is_good(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= NAME_SIZE || name[0] == ' ' || name[length - 1] == ' ' ||
        strspn(name, ".") == length) {
        return false;
    }
    for (size_t n = 0, one; n < length; n += one) {
        one = utf8_length(name + n, length - n);
        if (one == 0 || !is_letter_of_names(utf8_character(name + n, one))) {
            return false;
        }
    }
    return true;
}

int pw_text_field(const char *text, int columns)
{
    /* Marks that stand on the letter before, and letters of double width: those of East Asia, and pictures. */
    static const unsigned NONE[][2] = {{0x300, 0x36f}, {0x200c, 0x200d}, {0xfe00, 0xfe0f}};
    static const unsigned TWO[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                      {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                      {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    const size_t length = strlen(text);
    int taken = 0;
    size_t bytes = 0;
    while (bytes < length) {
        const size_t sequence = utf8_length(text + bytes, length - bytes), one = sequence > 0 ? sequence : 1;
        const unsigned character = utf8_character(text + bytes, one);
        const int wide = IS_WITHIN(character, NONE) ? 0 : IS_WITHIN(character, TWO) ? 2 : 1;
        if (taken + wide > columns) {
            return (int)bytes;
        }
        taken += wide;
        bytes += one;
    }
    return (int)bytes + columns - taken;
}

const char *name_reserved(const char *name)
{
    return name[0] == '-'              ? "it begins as an option does"
           : strcmp(name, "best") == 0 ? "options have it for the strongest transmitter"
           : strcmp(name, "all") == 0  ? "options have it for all of them"
                                       : NULL;
}

bool pw_name_make(const char *text, char name[PW_NAME_SIZE])
{
    const size_t length = strlen(text);
    size_t used = 0;
    for (size_t n = 0, one; n < length && used + 1 < PW_NAME_SIZE; n += one) {
        one = utf8_length(text + n, length - n);
        const bool good = one > 0 && is_letter_of_names(utf8_character(text + n, one));
        one = one > 0 ? one : 1;
        if (used + (good ? one : 1) >= PW_NAME_SIZE) {
            break;
        }
        memcpy(name + used, good ? text + n : "_", good ? one : 1);
        used += (used == 0 && text[n] == ' ') ? 0 : good ? one : 1;
    }
    while (used > 0 && name[used - 1] == ' ') {
        used--;
    }
    name[used] = '\0';
    return strspn(name, "_. ") < used && name_is_good(name) && name_reserved(name) == NULL;
}

bool title_is_height(const char *title)
{
    title += strspn(title, " \t\"");
    return strncasecmp(title, "height", 6) == 0 ||
           (strncasecmp(title, "z", 1) == 0 && !isalnum((unsigned char)title[1]));
}

INTERFACE_NAME(pw_title_is_height, title_is_height);
