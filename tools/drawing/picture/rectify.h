/* Pictures made straight: the perspective of a photograph, and the small turn of a sheet on a scanner. */
#pragma once

#include "drawing/drawing.h"

/* Replaces the picture by the inside of a rectangle, whose corners in it are lower left, lower right, upper right and
 * upper left (pixels, y upwards), stretched to sides[0] x sides[1] pixels. PW_BAD_INPUT for corners that no photograph
 * of a rectangle has. */
pw_status picture_rectify(pw_picture *image, const struct drawing_point corner[4], const double sides[2],
                          pw_error *error);

/* The size, without pixels, of a copy turned by -`angle` [rad, counterclockwise] about its middle, so that what ran at
 * this angle runs along its rows. */
pw_picture picture_turned_size(int width, int height, double angle);

/* Where a place of such a copy was in the picture of this width and height; y downwards. */
struct drawing_point picture_turned_back(int width, int height, const pw_picture *turned, double angle,
                                         struct drawing_point at);

/* Turns the picture so that its edges run along rows and columns, when they are at most 15 degrees off; what comes into
 * it at the corners is white. *turned is by how much, rad, counterclockwise; 0 when it was left alone. */
pw_status picture_deskew(pw_picture *image, double *turned, pw_error *error);
