/* Files of XML, read with expat. */
#pragma once

#include "ground.h"

#include <expat.h>

/* Has a parser, whose handlers are set, read a file of at most `most` bytes, and frees it (NULL: there was no memory
 * for it). A handler that stops the parser puts into *stopped why. */
pw_status xml_file_parse(XML_Parser parser, const char *path, size_t most, const pw_status *stopped, pw_error *error);
