/* What of host memory a run needs beside its backend and the set-up (setup_facts.c). */
#pragma once

#include "discretize/setup.h"

/* Doubles of the spectra that are in memory at once while a result is written, as long as one row fits. */
enum { SPECTRA_BLOCK = 1 << 21 };

/* The most that is held while the result is written: a block of the spectra with the samples that wait to be added to
 * them, or the series of the receivers and of their nodes; and what the libraries take that write it. */
uint64_t setup_writing_bytes(const struct setup *setup);
