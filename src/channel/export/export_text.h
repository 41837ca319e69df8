/* What text files about a link open with: comments that say where the numbers come from and what they mean. */
#pragma once

#include "channel/link.h"
#include "channel/slant/heights.h"

/* Title, result, transmitter, receiver and time dependence, each line after `mark`, which begins a comment. */
void export_text_head(FILE *file, const char *mark, const struct channel_link *link, const char *what);

/* How delays count, window, bins, and the way from two dimensions to three; lines after '#'. */
void export_impulse_head(FILE *file, const struct channel_link *link);

/* How powers went from two dimensions to three on this link, heights included. Returns `text`. */
const char *link_spreading_text(const struct channel_link *link, char text[HEIGHTS_TEXT]);
