/* The two things of JSON that printf does not do: quoted strings and numbers that may be infinite or missing. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* `length` bytes in quotes, escaped; what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *stream, const char *text, size_t length);
/* 17 digits; infinity as 1e999, which parsers read as such; NaN as null. */
void json_number(FILE *stream, double value);

#endif
