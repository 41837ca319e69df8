/* JSON of strangers. jansson reads by recursion, so that a text of nothing but brackets ends a thread whose stack is
 * small: how deep it goes is counted first. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether lists and objects lie in each other at most `most` deep. Brackets in texts are none. */
static inline bool json_is_flat(const char *bytes, size_t size, int most)
{
    int depth = 0;
    bool text = false;
    for (size_t n = 0; n < size; n++) {
        if (text && bytes[n] == '\\') {
            n++;
        } else if (bytes[n] == '"') {
            text = !text;
        } else if (!text && (bytes[n] == '[' || bytes[n] == '{')) {
            if (++depth > most) {
                return false;
            }
        } else if (!text && (bytes[n] == ']' || bytes[n] == '}')) {
            depth--;
        }
    }
    return true;
}

/* json_loadb() of what is at most `most` deep; else NULL, and *wrong says so. */
static inline json_t *json_read_flat(const char *bytes, size_t size, int most, size_t flags, json_error_t *wrong)
{
    if (!json_is_flat(bytes, size, most)) {
        *wrong = (json_error_t){.line = 1, .column = 1};
        snprintf(wrong->text, sizeof wrong->text, "lists and objects lie in each other more than %d deep", most);
        return NULL;
    }
    return json_loadb(bytes, size, flags, wrong);
}
