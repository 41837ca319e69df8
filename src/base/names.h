/* Names that a user gives to a transmitter, a receiver or a material, and the titles of columns in files of points. */
#pragma once

#include "api/support.h"

/* How long a name may be, its end included. */
enum { NAME_SIZE = PW_NAME_SIZE };

/* What a name may be made of, for messages. */
#define NAME_LETTERS "letters of any alphabet, digits, '_', '-', '.' and spaces within"

/* 1 to NAME_SIZE - 1 bytes of UTF-8 of these, not dots alone: names become names of files, and of groups in results.
 * Beyond ASCII a name has no controls, no blanks and nothing that cannot be seen, but joiners within words. */
bool name_is_good(const char *name);

/* Length of the UTF-8 sequence at `text`, 0 when there is no valid one. Overlong forms and surrogates are not valid. */
size_t utf8_length(const char *text, size_t left);

/* Why a transmitter or a receiver cannot be called so, though it is a name: options understand it otherwise. NULL: it
 * can. */
const char *name_reserved(const char *name);

/* Whether a column with this title, blanks and quotes before it passed over, holds heights: it begins with "height", or
 * is "z", with or without a unit. */
bool title_is_height(const char *title);
