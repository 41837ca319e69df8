/* Laws that hold to rounding on any plan: reciprocity, mirror symmetry, linearity, time shift (physics.md section 8).
 */
#include "validation/support/case.h"

struct setting {
    const char *scheme;
    struct point transmitter, receiver; /* m */
    bool mirrored;                      /* the plan, about x = 0.64 m */
    double amplitude;                   /* A */
    double later;                       /* s */
};

enum { STEPS = 1200 };

/* Ez at the receiver, STEPS samples; free it. */
static double *record(const struct setting *setting, const char *backend)
{
    struct text text = {0};
    double left = setting->mirrored ? 1.28 - 0.47 : 0.40, right = setting->mirrored ? 1.28 - 0.40 : 0.47;
    text_add(
        &text,
        "plan:\n  size: [1.28, 1.0]\n  rectangles:\n    - {from: [%.17g, 0.2], to: [%.17g, 1.0], material: concrete}\n"
        "    - {from: [%.17g, 0.6], to: [%.17g, 0.7], material: metal}\n"
        "grid: {scheme: %s, cell: 2 cm, courant: 0.5, absorber: {cells: 10}}\n"
        "band: {centre: 1.5 GHz, width: 0.5 GHz}\n"
        "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, amplitude: %.17g, "
        "frequency: "
        "1.5 GHz, width: 1.2 ns, delay: %.17g}}]\n"
        "receivers: [{name: r, at: [%.17g, %.17g]}]\nspectra: off\nstop: {steps: %d}\n",
        left, right, setting->mirrored ? 1.28 - 1.0 : 0.8, setting->mirrored ? 1.28 - 0.8 : 1.0, setting->scheme,
        setting->transmitter.x, setting->transmitter.y, setting->amplitude, 8e-9 + setting->later, setting->receiver.x,
        setting->receiver.y, STEPS);
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double *series = solve_series(&solved, 0, 0);
    solve_free(&solved);
    free(text.text);
    return series;
}

/* Largest |a[n + shift] - factor b[n]| over the peak of a; frees b. */
static double difference(const double *a, double *b, double factor, int shift)
{
    double worst = 0, peak = 0;
    for (int n = 0; n + shift < STEPS; n++) {
        worst = fmax(worst, fabs(a[n + shift] - factor * b[n]));
        peak = fmax(peak, fabs(a[n + shift]));
    }
    free(b);
    return worst / peak;
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "laws", "Laws that hold to rounding",
        "A concrete wall, a metal post and an absorber; Ez at a receiver, double precision, largest difference over "
        "the peak: transmitter and receiver exchanged (positions between nodes included), the plan mirrored, the "
        "current three times as large, the pulse 100 steps later.");
    const double dt = 0.5 * 0.02 / (SPEED_OF_LIGHT * sqrt(2));
    for (int s = 0; s < SCHEME_COUNT; s++) {
        struct setting plain = {scheme_name((enum scheme)s), {0.2, 0.3}, {0.914, 0.452}, false, 1, 0};
        struct setting exchanged = plain, mirrored = plain, louder = plain, later = plain;
        exchanged.transmitter = plain.receiver;
        exchanged.receiver = plain.transmitter;
        mirrored.mirrored = true;
        mirrored.transmitter.x = 1.28 - plain.transmitter.x;
        mirrored.receiver.x = 1.28 - plain.receiver.x;
        louder.amplitude = 3;
        later.later = 100 * dt;
        double *series = record(&plain, validation.backend);
        double *pushed = record(&later, validation.backend);
        case_gate(&validation, difference(series, record(&exchanged, validation.backend), 1, 0), 1e-11,
                  "%s: reciprocity", scheme_name((enum scheme)s));
        case_gate(&validation, difference(series, record(&mirrored, validation.backend), 1, 0), 1e-11,
                  "%s: mirror symmetry", scheme_name((enum scheme)s));
        case_gate(&validation, difference(series, record(&louder, validation.backend), 1.0 / 3, 0), 1e-11,
                  "%s: linearity", scheme_name((enum scheme)s));
        case_gate(&validation, difference(pushed, series, 1, 100), 1e-11, "%s: time shift",
                  scheme_name((enum scheme)s));
        free(pushed);
    }
    return case_end(&validation);
}
