/* Tables of what a scenario can choose from: averagings and kinds of waveform. Messages, help texts and the resolved
 * scenario take their names from here. Schemes and absorbers, which solvers know too, have their tables in
 * problem/stencil.c and problem/absorber.c; picture formats in base/picture/picture_format.c. */
#include "scenario/scenario.h"

/* The errors were fitted to plans solved on coarse and fine grids (validation/forecast.md); that of `point` was not
 * measured there and is what moving a face by a quarter of a cell does. */
static const struct averaging_rule AVERAGINGS[AVERAGING_COUNT] = {
    [AVERAGING_POINT] = {"point", "the material at the node itself", DEFAULT_OF_NONE, {0.04, 0.04, 1}},
    [AVERAGING_AREA] = {"area",
                        "the mean over the cell around the node; the default of yee",
                        DEFAULT_OF_REACH_ONE,
                        {0.014, 0.014, 2.2}},
    [AVERAGING_MOMENT] = {"moment",
                          "a weight that keeps the moments of a wall up to third order",
                          DEFAULT_OF_WIDER,
                          {0.010, 0.010, 2.9}},
    [AVERAGING_BANDLIMITED] = {"bandlimited",
                               "a low-pass filter, best with 5 cells per wavelength in walls and no strong contrast",
                               DEFAULT_OF_NONE,
                               {0.010, 0.0075, 3.1}},
};

static const struct waveform_rule WAVEFORMS[WAVEFORM_COUNT] = {
    [WAVEFORM_GAUSSIAN] = {"gaussian", "a Gaussian pulse without carrier", .width = true, .delay = true},
    [WAVEFORM_MODULATED_GAUSSIAN] = {"modulated-gaussian", "a sine with a Gaussian envelope", .frequency = true,
                                     .width = true, .delay = true},
    [WAVEFORM_RICKER] = {"ricker", "the second derivative of a Gaussian", .frequency = true, .delay = true},
    [WAVEFORM_DIFFERENTIATED_GAUSSIAN] = {"differentiated-gaussian", "the first derivative of a Gaussian",
                                          .frequency = true, .width = true, .delay = true},
    [WAVEFORM_SINUSOID] = {"sinusoid", "a sine that is ramped up", .frequency = true, .ramp = true, .delay = true},
    [WAVEFORM_CONSTANT] = {"constant", "a constant that is ramped up", .ramp = true, .delay = true},
    [WAVEFORM_SAMPLES] = {"samples", "a CSV file of time [s] and current [A]", .file = true},
};

const struct averaging_rule *averaging_rule(enum averaging averaging)
{
    return &AVERAGINGS[averaging];
}

enum averaging averaging_default(enum scheme scheme)
{
    int wanted = stencil_get(scheme, &STENCIL_USUAL_BAND).reach == 1 ? DEFAULT_OF_REACH_ONE : DEFAULT_OF_WIDER,
        averaging = 0;
    while ((int)AVERAGINGS[averaging].default_of != wanted) {
        averaging++;
    }
    return (enum averaging)averaging;
}

const struct waveform_rule *waveform_rule(enum waveform_kind kind)
{
    return &WAVEFORMS[kind];
}

const char *component_word(bool horizontal, int component)
{
    static const char *const WORDS[] = {"ex", "ey", "ez"};
    return horizontal && component == 2 ? "hz" : WORDS[component];
}
