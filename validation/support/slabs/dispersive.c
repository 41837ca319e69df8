/* The slabs of dispersive.h: their law and their text. */
#include "validation/support/slabs/dispersive.h"

const struct dispersive_slab DISPERSIVE_SLAB[DISPERSIVE_SLABS] = {
    {"Debye", 2, 0, 1, {{.kind = POLE_DEBYE, .strength = 4, .relaxation = 0.16e-9}}, 0.07, false},
    {"Lorentz", 2.25, 0, 1, {{.kind = POLE_LORENTZ, .strength = 1, .frequency = 1.1e9, .damping = 0.3e9}}, 0.07, false},
    {"Drude", 1, 0, 1, {{.kind = POLE_DRUDE, .frequency = 0.8e9, .damping = 0.05e9}}, 0.07, false},
    {"Drude below its plasma frequency",
     1,
     0,
     1,
     {{.kind = POLE_DRUDE, .frequency = 2e9, .damping = 0.05e9}},
     0.03,
     true},
    {"Debye, Lorentz, Drude and conductivity",
     3,
     0.02,
     3,
     {{.kind = POLE_DEBYE, .strength = 2, .relaxation = 0.3e-9},
      {.kind = POLE_LORENTZ, .strength = 0.5, .frequency = 1.3e9, .damping = 0.4e9},
      {.kind = POLE_DRUDE, .frequency = 0.4e9, .damping = 0.2e9}},
     0.07,
     false},
};

double complex dispersive_permittivity(const struct dispersive_slab *slab, double frequency)
{
    double complex s = I * 2 * M_PI * frequency, sum = slab->permittivity + slab->conductivity / (s * 8.8541878128e-12);
    for (int p = 0; p < slab->pole_count; p++) {
        const struct pole *pole = &slab->poles[p];
        double w = 2 * M_PI * pole->frequency, damping = 2 * M_PI * pole->damping;
        sum += pole->kind == POLE_DEBYE     ? pole->strength / (1 + s * pole->relaxation)
               : pole->kind == POLE_LORENTZ ? pole->strength * w * w / (w * w + s * s + s * damping)
                                            : w * w / (s * s + s * damping);
    }
    return sum;
}

double dispersive_wavelength(const struct dispersive_slab *slab, double low, double high)
{
    enum { LOOKS = 21 };
    double shortest = INFINITY;
    for (int f = 0; f < LOOKS; f++) {
        double frequency = low + (high - low) * f / (LOOKS - 1);
        double index = fmax(1, cabs(csqrt(dispersive_permittivity(slab, frequency))));
        shortest = fmin(shortest, SPEED_OF_LIGHT / frequency / index);
    }
    return shortest;
}

void dispersive_write(const struct dispersive_slab *slab, struct text *text)
{
    static const char *const KINDS[] = {"debye", "lorentz", "drude"};
    text_add(text, "{relative_permittivity: %.17g, conductivity: %.17g S/m, poles: [", slab->permittivity,
             slab->conductivity);
    for (int p = 0; p < slab->pole_count; p++) {
        const struct pole *pole = &slab->poles[p];
        text_add(text, "%s{kind: %s, ", p > 0 ? ", " : "", KINDS[pole->kind]);
        if (pole->kind != POLE_DRUDE) {
            text_add(text, "strength: %.17g, ", pole->strength);
        }
        if (pole->kind == POLE_DEBYE) {
            text_add(text, "relaxation_time: %.17g s}", pole->relaxation);
        } else {
            text_add(text, "frequency: %.17g Hz, damping: %.17g Hz}", pole->frequency, pole->damping);
        }
    }
    text_add(text, "]}");
}
