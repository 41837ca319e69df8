/* The picture of a building in three dimensions: every storey from above, its ceiling left off, with rulers,
 * transmitters and receivers. */
#pragma once

#include "discretize/picture/picture_parts.h"

/* `colours` and `amounts` as plane_picture_write has them. */
pw_status space_picture_write(const struct setup *setup, const uint32_t *colours, const double *amounts,
                              const char *path, pw_error *error);
