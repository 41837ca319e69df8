/* DWG, whose form is not public, by way of LibreDWG's program dwg2dxf, where that is installed. */
#pragma once

#include "planwave.h"

#include <limits.h>

/* A DXF file in a temporary folder of its own. */
struct dwg_converted {
    char folder[PATH_MAX], dxf[PATH_MAX + 16];
    int lock;
};

/* PW_BAD_INPUT: dwg2dxf is not there, and what to do; or it could not read `path`. dwg_free() also after a failure. */
pw_status dwg_convert(const char *path, struct dwg_converted *converted, pw_error *error);
void dwg_free(struct dwg_converted *converted);
