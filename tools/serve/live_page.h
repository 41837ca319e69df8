/* The live page: its files, put into the library as they stand, from page/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct page_file {
    const char *name, *type; /* "style.css", "text/css; charset=utf-8" */
    const char *bytes;
    size_t size;
};

/* False: there is no file of this name. The page itself has the name "". */
bool page_file_find(const char *name, struct page_file *file);
