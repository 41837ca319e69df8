/* One picture of the field: the floor in viridis with its walls darkened, the absorber left out; below it the name of
 * the transmitter, the time, and the scale of the colours. Which pictures are made is for frames.h. */
#pragma once

#include "discretize/setup.h"

enum {
    FRAME_LONG_SIDE = 960,   /* pixels of the floor's longer side */
    FRAME_LEAST_WIDTH = 640, /* pixels: narrower floors stand in the middle, so that the text has room */
    FRAME_STRIP = 64,        /* pixels below the floor, for two lines of text */
};
/* 0 dB is the free-space field of the transmitter's peak current at 1 m; the colours end this many decibels below. */
#define FRAME_DEPTH 50.0

struct frame_picture {
    const struct setup *setup;     /* borrowed */
    int width, height;             /* pixels of the picture, both even because video encoders want that */
    int floor_width, floor_height; /* pixels of the floor, at the top of the picture, in the middle */
    /* [V/m], owned: filled by the caller, as solvers hand it out: Ez (ny, nx), or Ex, Ey, Ez (3, nz, ny, nx), of which
     * the level of Ez from index `plane` on is drawn, with the walls of the medium from index `medium_plane` on. With
     * horizontal polarisation Ex, which is the first, and Ey from `second_plane` on are drawn together. */
    double *field;
    size_t plane, second_plane, medium_plane;
    uint8_t *pixels; /* (height, width), owned: indices of the palette, row 0 at the top */
    uint8_t palette[256][3];
};

/* Free with frame_picture_free, also after a failure. The set-up must outlive the picture. */
pw_status frame_picture_create(const struct setup *setup, struct frame_picture *picture, pw_error *error);
void frame_picture_free(struct frame_picture *picture);

/* The field [V/m] that is drawn as 0 dB. */
double frame_reference_field(const struct setup *setup, int transmitter);

/* Draws picture->field, which a transmitter has made by this step. */
void frame_compose(struct frame_picture *picture, int transmitter, int64_t step);
