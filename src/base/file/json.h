/* The two parts of JSON that printf does not write: quoted strings, and numbers that may be infinite or missing. */
#pragma once

#include "base/status.h"

/* `length` bytes in quotes, escaped; a byte that is not part of valid UTF-8 becomes U+FFFD. */
void json_text_write(FILE *stream, const char *text, size_t length);
/* 17 digits. Infinity becomes 1e999, which parsers read as infinity; NaN becomes null. */
void json_number_write(FILE *stream, double value);
