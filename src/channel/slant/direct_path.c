/* Weights of the bins around a direct path (direct_path.h). */
#include "channel/slant/direct_path.h"

#include <math.h>

static const double LOBE = 2.0;       /* widths: where the main lobe of Hann's window ends */
static const double MOST_EARLY = 2.0; /* of F(d), for bins that have hardly any of the path's power */

struct pulse pulse_make(const double *window, int count, double spacing)
{
    struct pulse pulse = {.width = 1.0 / (count * spacing)};
    for (int n = 0; n < PULSE_COUNT; n++) {
        double turn = 2.0 * M_PI * n / PULSE_FINE / count, turn_re = cos(turn), turn_im = sin(turn);
        double re = 0.0, im = 0.0, phasor_re = 1.0, phasor_im = 0.0;
        for (int f = 0; f < count; f++) {
            re += window[f] * phasor_re;
            im += window[f] * phasor_im;
            double next = phasor_re * turn_re - phasor_im * turn_im;
            phasor_im = phasor_re * turn_im + phasor_im * turn_re;
            phasor_re = next;
        }
        pulse.power[n] = re * re + im * im;
    }
    for (int n = PULSE_COUNT - 1; n >= 0; n--) {
        pulse.power[n] /= pulse.power[0];
    }
    return pulse;
}

double pulse_power(const struct pulse *pulse, double away)
{
    double at = fabs(away) / pulse->width * PULSE_FINE;
    int n = (int)at;
    return n >= PULSE_COUNT - 1 ? 0.0 : pulse->power[n] + (at - n) * (pulse->power[n + 1] - pulse->power[n]);
}

struct direct_path direct_path_make(const struct pulse *pulse, double delay, double factor,
                                    const struct late_bins *late)
{
    struct direct_path direct = {
        .delay = delay, .factor = factor, .lobe_end = delay + LOBE * pulse->width, .share = 1.0};
    double before = 0.0, within = 0.0, beyond = 0.0; /* powers; the last two times F - F(d) */
    int reach = (int)ceil(PULSE_REACH * pulse->width / late->bin);
    for (int n = 1; n <= reach; n++) {
        before += pulse_power(pulse, late->first_delay - n * late->bin - delay);
    }
    for (int n = 0; n < late->count; n++) {
        double at = late->first_delay + n * late->bin, more = late->factor[n] - factor;
        if (at > delay + PULSE_REACH * pulse->width) {
            break;
        }
        *(at <= direct.lobe_end ? &within : &beyond) += pulse_power(pulse, at - delay) * more;
    }
    if (within > 0.0) {
        direct.share = fmax(0.0, fmin(1.0, (factor * before - beyond) / within));
    }
    double early = before > 0.0 ? factor - (direct.share * within + beyond) / before : factor;
    direct.early = fmax(0.0, fmin(MOST_EARLY * factor, early));
    return direct;
}
