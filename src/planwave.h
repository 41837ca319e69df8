/* planwave: full-wave radio channels from a floor plan. This header is the whole public interface; each part of it
 * stands in a file of its own under api/ (installed as planwave/), listed here in order of use:
 *
 *     scenario (text) -> set-up (validated, rasterized) -> run -> result file -> channels, maps, coverage, comparisons
 *
 * What computes hands numbers into buffers of the caller and neither prints nor writes a file; what ends in _write or
 * _print puts the same numbers into files or a stream. Handles are opaque and own what they hold; there is no global
 * state, so several may live in one process. Every function that can fail returns a pw_status and, when it fails,
 * writes a sentence into *error (which may be NULL): what was wrong, the offending value and what is allowed.
 *
 * Units are SI throughout, levels in dB where the name says so. Complex numbers are interleaved (re, im) doubles; the
 * time dependence is exp(+jwt). Arrays over the floor are row-major with row 0 at the bottom (y grows upwards) and x
 * fastest; positions are in metres from the lower left corner of the plan. */
#ifndef PLANWAVE_H
#define PLANWAVE_H

#include "api/base.h"
#include "api/support.h"

#include "api/choices.h"
#include "api/document.h"
#include "api/plan/drawing.h"
#include "api/plan/edit.h"
#include "api/plan/picture.h"
#include "api/plan/plan.h"
#include "api/plan/port.h"
#include "api/plan/wifi.h"
#include "api/scenario.h"
#include "api/setup.h"

#include "api/backend.h"
#include "api/run.h"
#include "api/simulation.h"

#include "api/result.h"

#include "api/channel.h"
#include "api/map.h"
#include "api/mimo.h"
#include "api/pairs.h"
#include "api/parameters.h"
#include "api/study/gradients.h"
#include "api/study/previews.h"
#include "api/study/variants.h"
#include "api/survey.h"

#include "api/bench.h"
#include "api/colour.h"
#include "api/hdf5.h"
#include "api/plot.h"

#endif
