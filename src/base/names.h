/* Names that a user gives to a transmitter, a receiver or a material, and the titles of columns in files of points. */
#pragma once

#include "api/support.h"

/* How long a name may be, its end included. */
enum { NAME_SIZE = PW_NAME_SIZE };

/* What a name may be made of, for messages. */
#define NAME_LETTERS "letters from a to z, digits, '_', '-', '.' and spaces within"

/* 1 to NAME_SIZE - 1 of these letters, not dots alone: names become names of files, and of groups in results. */
bool name_is_good(const char *name);

/* Why a transmitter or a receiver cannot be called so, though it is a name: options understand it otherwise. NULL: it
 * can. */
const char *name_reserved(const char *name);

/* Whether a column with this title, blanks and quotes before it passed over, holds heights: it begins with "height", or
 * is "z", with or without a unit. */
bool title_is_height(const char *title);
