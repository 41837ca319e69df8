/* What is asked of a part, wherever it is stepped: a command with some bytes, answered by a status and some bytes. */
#pragma once

#include "backend/parts/crew.h"

enum part_verb {
    PART_CREATE,  /* struct part_setting, then the problem's bytes */
    PART_ADVANCE, /* steps; all parts of a crew at once */
    PART_ENERGY,  /* answers part_energy's sums */
    PART_TAKE,    /* a patch of the part, answered by its values */
    PART_PUT,     /* a patch of the part with its values */
    PART_PROBES,  /* answers (steps, probe_count) doubles */
    PART_SPECTRA, /* rows; answers as stepper_read_spectra */
    PART_SAMPLES,
    PART_LOAD,  /* step; sums of the spectra and waiting samples: doubles, or nothing */
    PART_CLOCK, /* answers struct part_clock of the process that steps the part */
    PART_END,
};

struct part_command {
    enum part_verb verb;
    int part, run, row_first, row_count;
    int64_t steps;
    struct patch patch;
    size_t bytes; /* that follow */
};

struct part_setting {
    struct cut cut;
    struct part_options options;
    uint32_t checksum; /* CRC-32 of the problem's bytes, which follow */
};

/* Of bytes of any number. */
uint32_t part_checksum(const void *bytes, size_t size);

struct part_answer {
    pw_status status;
    pw_error error;
    size_t bytes; /* that follow */
};

/* Does what is asked of a part of the crew, but for PART_CREATE, PART_ADVANCE and PART_END. *answer is owned by the
 * caller. */
pw_status part_obey(struct part_crew *crew, struct part *part, const struct part_command *command, const void *bytes,
                    void **answer, size_t *answer_bytes, pw_error *error);
