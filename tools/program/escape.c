/* What users and strangers have written may be anything, and a terminal obeys control characters: they leave the
 * program as \u001b, which JSON reads as the same character. These are C0 but for line feed and tab, DEL, C1, and those
 * that turn the direction of writing. All that the program prints passes here. */
#include "program/tool.h"

#include <unistd.h>

/* Of a character that may be one of these, what has been seen. */
struct escaper {
    unsigned char held[2];
    int count;
    FILE *out;
};

static struct escaper of_stdout;

static void put_held(struct escaper *escaper)
{
    fwrite(escaper->held, 1, (size_t)escaper->count, escaper->out);
    escaper->count = 0;
}

static bool turns_writing(unsigned character)
{
    return character == 0x200e || character == 0x200f || (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0x061c;
}

/* The character that the held bytes and this one make, if it is one to escape; 0: none. */
static unsigned made_character(const struct escaper *escaper, unsigned char byte)
{
    const unsigned char *held = escaper->held;
    unsigned low = byte & 0x3fU;
    if (escaper->count == 0) {
        return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f ? byte : 0;
    }
    if (byte < 0x80 || byte > 0xbf) {
        return 0;
    }
    unsigned character =
        escaper->count == 1 ? (held[0] & 0x1fU) << 6 | low : (held[0] & 0xfU) << 12 | (held[1] & 0x3fU) << 6 | low;
    bool whole = held[0] == 0xe2 ? escaper->count == 2 : escaper->count == 1;
    return whole && ((character >= 0x80 && character < 0xa0) || turns_writing(character)) ? character : 0;
}

static void put_byte(struct escaper *escaper, unsigned char byte)
{
    unsigned character = made_character(escaper, byte);
    bool first = byte == 0xc2 || byte == 0xd8 || byte == 0xe2;
    if (character != 0 || (byte == 0 && escaper->count == 0)) {
        fprintf(escaper->out, "\\u%04x", character);
        escaper->count = 0;
    } else if (escaper->count == 1 && escaper->held[0] == 0xe2 && (byte == 0x80 || byte == 0x81)) {
        escaper->held[escaper->count++] = byte;
    } else {
        put_held(escaper);
        if (first) {
            escaper->held[escaper->count++] = byte;
        } else {
            fputc(byte, escaper->out);
        }
    }
}

static void put_bytes(struct escaper *escaper, const char *bytes, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        put_byte(escaper, (unsigned char)bytes[n]);
    }
}

void escaped_print(const char *text, size_t length, FILE *out)
{
    struct escaper escaper = {.out = out};
    put_bytes(&escaper, text, length);
    put_held(&escaper);
}

static ssize_t stdout_write(void *cookie, const char *bytes, size_t count)
{
    struct escaper *escaper = cookie;
    put_bytes(escaper, bytes, count);
    return fflush(escaper->out) == 0 && ferror(escaper->out) == 0 ? (ssize_t)count : 0;
}

void escape_stdout(void)
{
    const cookie_io_functions_t functions = {.write = stdout_write};
    of_stdout.out = stdout;
    FILE *escaped = fopencookie(&of_stdout, "w", functions);
    if (escaped != NULL) { /* without memory for it nothing else will work either */
        setvbuf(escaped, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
        stdout = escaped;
    }
}
