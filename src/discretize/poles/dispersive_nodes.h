/* Which nodes of the grid have poles, and which (physics.md section 10). A node's medium at the band's centre is what
 * averaging made of it; here the part of its poles is taken out of that again, and stepped. */
#pragma once

#include "base/numbers/distinct.h"
#include "medium/shares.h"
#include "problem/problem.h"

struct setup;

/* A medium that some dispersive nodes have. */
struct node_medium {
    uint16_t entry;                             /* of the palette: with its poles, at the band's centre */
    double relative_permittivity, conductivity; /* without them */
};

struct dispersive_nodes {
    struct medium_shares shares; /* owned */
    struct node_medium *media;   /* (media_count), owned */
    double *share;               /* (media_count, shares.count), owned: of each material's poles */
    int media_count;
    size_t media_room, share_room; /* of share in media */
    struct distinct keys;          /* of the media: entry and shares, as they came */
    struct pole_span *spans;       /* (span_count), owned until the problem takes them */
    int64_t span_count;
    size_t span_capacity;
};

/* Finds the nodes when the medium is there, and lowers setup->smallest_permittivity to that of the media without their
 * poles. */
pw_status dispersive_nodes_find(struct setup *setup, pw_error *error);

/* Fills the problem's media with poles, when the time step is there. PW_BAD_INPUT: a pole that the time step is too
 * long for. */
pw_status dispersive_nodes_fill(struct setup *setup, pw_error *error);

/* PW_BAD_INPUT when a set field stands in a dispersive node. */
pw_status dispersive_nodes_check_sources(const struct setup *setup, pw_error *error);

void dispersive_nodes_free(struct dispersive_nodes *nodes);
