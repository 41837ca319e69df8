/* Exporters: one file format each for a link. A new format is a new file export_*.c and a line in EXPORTERS; folders,
 * lists and messages follow from the table. */
#pragma once

#include "channel/link.h"

struct exporter {
    const char *name;        /* what users call it: "touchstone" */
    const char *file;        /* its file in a folder: "channel.s2p" */
    const char *description; /* one line, without a full stop */
    /* Whole file or none. NULL: the file is text. */
    pw_status (*write)(const struct channel_link *link, const char *path, pw_error *error);
    const char *title;                                          /* of text, for its head */
    const char *mark;                                           /* what begins a comment there; NULL: '#' */
    void (*print)(const struct channel_link *link, FILE *file); /* what follows the head */
};

/* In the order in which a folder is filled: what takes long or can fail most easily comes last. */
#define EXPORTERS(X)                                                                                                   \
    X(transfer)                                                                                                        \
    X(impulse)                                                                                                         \
    X(profile)                                                                                                         \
    X(metrics)                                                                                                         \
    X(taps)                                                                                                            \
    X(angles)                                                                                                          \
    X(touchstone)                                                                                                      \
    X(cir)                                                                                                             \
    X(plot)                                                                                                            \
    X(angles_plot)

#define EXPORTER_DECLARE(name) extern const struct exporter exporter_##name;
EXPORTERS(EXPORTER_DECLARE)
#undef EXPORTER_DECLARE
