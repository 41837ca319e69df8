/* Choices: the words that a scenario may use, from the tables that define them. */
#ifndef PLANWAVE_CHOICES_H
#define PLANWAVE_CHOICES_H

#include "api/base.h"

PW_C_BEGIN

typedef enum pw_choice_kind {
    PW_SCHEMES,         /* grid.scheme */
    PW_AVERAGINGS,      /* grid.averaging */
    PW_ABSORBERS,       /* grid.absorber.kind */
    PW_WAVEFORMS,       /* transmitters[].waveform.kind */
    PW_PLAN_FORMATS,    /* what plan.image may be; the name is no word of a scenario */
    PW_DRAWING_FORMATS, /* what plan.drawing.file may be; the name is no word of a scenario */
} pw_choice_kind;

typedef struct pw_choice {
    const char *name;        /* as a scenario writes it; NULL past the last */
    const char *description; /* a clause */
    bool is_default;         /* what a scenario gets that says nothing; false where there is no choosing */
} pw_choice;

/* The choice at `index`, from 0; its name is NULL past the last one. The texts are owned by the library. */
pw_choice pw_choice_describe(pw_choice_kind kind, size_t index);

PW_C_END

#endif
