/* Serving: a live page in the browser to drag transmitters, draw walls and watch the map follow, from this machine
 * alone. */
#ifndef PLANWAVE_SERVE_H
#define PLANWAVE_SERVE_H

#include "planwave.h"

PW_C_BEGIN

typedef struct pw_serve_options {
    const char *const *overrides; /* (override_count): as --set has them ("band=5 GHz"), applied in order */
    size_t override_count;
    pw_compute compute;
    const char *drawing; /* another scenario of the same plan, whose drawing lies under it; NULL: the scenario's own */
    const char *memory;  /* "2GB": edits whose run would need more are refused; NULL: half of what is free */
    int port;            /* on 127.0.0.1; 0: one that is free */
    /* Told the address of the page once it can be opened, and what else is worth telling; may be NULL. */
    void (*ready)(const char *address, void *user);
    void (*note)(const char *message, void *user);
    /* Asked about ten times a second; false ends the server. NULL: it never ends. */
    bool (*go_on)(void *user);
    void *user;
} pw_serve_options;

/* Serves the scenario `path` until go_on() says false. Listens on 127.0.0.1 alone; everything lies under a path that
 * begins with a random token of 128 bits, which `ready` is told; requests without it, for another host or from pages of
 * other origins get 403. Changes that were not saved are written beside the scenario at the end, as NAME-unsaved.yaml,
 * and `note` is told. PW_BAD_INPUT: a scenario that cannot be used, in three dimensions or without spectra;
 * PW_NO_RESOURCE: the port is taken, or memory or threads are missing. */
pw_status pw_serve(const char *path, const pw_serve_options *options, pw_error *error);

PW_C_END

#endif
