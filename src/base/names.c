/* What a name is, and which column of a file of points holds heights (names.h). */
#include "base/names.h"

#include "base/status.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool name_is_good(const char *name)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";
    size_t length = strlen(name);
    return length > 0 && length < NAME_SIZE && name[0] != ' ' && name[length - 1] != ' ' &&
           strspn(name, ".") != length && strspn(name, ALLOWED) == length;
}

const char *name_reserved(const char *name)
{
    return name[0] == '-'              ? "it begins as an option does"
           : strcmp(name, "best") == 0 ? "options have it for the strongest transmitter"
           : strcmp(name, "all") == 0  ? "options have it for all of them"
                                       : NULL;
}

bool title_is_height(const char *title)
{
    title += strspn(title, " \t\"");
    return strncasecmp(title, "height", 6) == 0 ||
           (strncasecmp(title, "z", 1) == 0 && !isalnum((unsigned char)title[1]));
}

INTERFACE_NAME(pw_title_is_height, title_is_height);
