/* Layer names that are codes: the element is a number of a classification, at a fixed place.
 *   ISO 13567     agent (2), element (6), presentation (2): "A-21----E-", "A-B374--T-"
 *   BS 1192       role, CI/SfB: "A-210", "A210G701_WALL"; role, Uniclass 1.4: "A-G25-M_..."
 *   Uniclass 2015 "EF_25_10", "A-Ss_25_30_20-M"
 */
#pragma once

#include "import/class_words.h"

/* Where the name is of one of these: makes a layer of texts, dimensions or hatches one of things, and, where `open`
 * (no word says it), sets what its element means. */
void class_code_read(const char *name, bool open, struct name_sense *sense);
