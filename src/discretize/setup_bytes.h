/* What of host memory a run needs beside its backend and the set-up (setup_facts.c). */
#pragma once

#include "discretize/setup.h"

enum {
    SPECTRA_BLOCK = 1 << 21, /* doubles of the spectra that are read at once for a result, if one row of tiles fits */
    SPECTRA_TILE = 8,        /* points, a side of a tile */
    SPECTRA_CHUNK = 1 << 20, /* bytes of a tile, as long as one point fits */
};

/* A result keeps all frequencies of a square of points together, so that one point's spectrum is one read. Its side: it
 * shrinks until the tile is about a megabyte; `element` is the size of a complex value. */
static inline uint64_t spectra_tile_side(uint64_t frequencies, uint64_t element)
{
    uint64_t tile = SPECTRA_TILE;
    while (tile > 1 && frequencies * tile * tile * element > SPECTRA_CHUNK) {
        tile /= 2;
    }
    return tile;
}

/* Rows of `row` doubles that are read at once: whole rows of tiles. */
static inline uint64_t spectra_block_rows(uint64_t row, uint64_t tile, uint64_t rows)
{
    const uint64_t fit = SPECTRA_BLOCK / row / tile * tile, block = fit > tile ? fit : tile;
    return block < rows ? block : rows;
}

/* The most that is held while the result is written: a block of the spectra with the samples that wait to be added to
 * them and the tiles that are made of them, or the series of the receivers and of their nodes; and what the libraries
 * take that write it. */
uint64_t setup_writing_bytes(const struct setup *setup);
