/* The text files about a link: transfer function, impulse response, power-delay profile and metrics as CSV, and
 * Touchstone. Each opens with comments that say what the columns mean. */
#include "channel/export/channel_files.h"
#include "base/constants.h"
#include "file/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

const char *channel_spreading_text(pw_spreading spreading)
{
    static const char *const texts[] = {
        "none: as solved in two dimensions",
        "distance: power times 1 m/d, d along the straight line",
        "delay: power of each delay bin times 1 m/(c tau)",
    };
    return texts[spreading];
}

const char *channel_window_name(pw_window window)
{
    static const char *const names[] = {"Hann", "rect", "Kaiser"};
    return names[window];
}

/* A user's text on one comment line. */
static void comment_text(FILE *file, const char *mark, const char *label, const char *text)
{
    fprintf(file, "%s %s: ", mark, label);
    for (const char *c = text; *c != '\0'; c++) {
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    fputc('\n', file);
}

void channel_text_head(FILE *file, const char *mark, const struct channel_link *link, const char *what)
{
    const struct result_transmitter *from = link->transmitter;
    fprintf(file, "%s planwave %s: %s\n", mark, PW_VERSION, what);
    if (link->result->title != NULL && link->result->title[0] != '\0') {
        comment_text(file, mark, "title", link->result->title);
    }
    comment_text(file, mark, "result", link->result->path);
    comment_text(file, mark, "transmitter", from->name);
    fprintf(file, "%s     at (%.6g, %.6g) m, EIRP %.6g dBm\n", mark, from->x, from->y, from->power);
    comment_text(file, mark, "receiver", link->name);
    fprintf(file, "%s     at (%.6g, %.6g) m, gain %.6g dBi, distance %.6g m\n", mark, link->x, link->y, link->gain,
            link->metrics.distance);
    fprintf(file, "%s time dependence exp(+jwt)\n", mark);
}

static void comment_impulse(FILE *file, const struct channel_link *link)
{
    const pw_channel_options *options = &link->band.options;
    fprintf(file, "# delay counts from emission: the direct path arrives at distance/c = %.6g s\n",
            link->metrics.distance / SPEED_OF_LIGHT);
    fprintf(file, "# window %s", channel_window_name(options->window));
    if (options->window == PW_WINDOW_KAISER) {
        fprintf(file, ", beta %g", options->kaiser_beta);
    }
    fprintf(file, ", mean amplitude 1: a path of power P peaks at P\n");
    fprintf(file, "# bin 1/B = %.9g s, zero padding factor %d\n", link->band.bin * options->padding, options->padding);
    fprintf(file, "# from 2D to 3D: %s\n", channel_spreading_text(options->spreading));
}

pw_status channel_write_transfer(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    channel_text_head(file, "#", link, "transfer function");
    fprintf(file, "# G(f) = Ez(f)/(I(f) Hfs(f)), Hfs = -(w mu0/4) H0^(2)(k 1 m): relative to free space at 1 m in two "
                  "dimensions\n"
                  "# usable 0: masked, since the transmitter's current is more than 40 dB under its peak there\n"
                  "frequency_Hz,G_re,G_im,G_dB,usable\n");
    for (int f = 0; f < link->band.frequency_count; f++) {
        double re = link->channel.transfer[2 * f], im = link->channel.transfer[2 * f + 1];
        if (link->band.usable[f]) {
            fprintf(file, "%.12g,%.9g,%.9g,%.6f,1\n", link->band.frequency[f], re, im, 20.0 * log10(hypot(re, im)));
        } else {
            fprintf(file, "%.12g,nan,nan,nan,0\n", link->band.frequency[f]);
        }
    }
    return disk_finish(file, path, error);
}

pw_status channel_write_impulse(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    channel_text_head(file, "#", link, "impulse response");
    fprintf(
        file,
        "# h(tau) = 1/M sum W(f) G(f) exp(j 2 pi (f - fc) tau) exp(-j 2 pi f 1 m/c), fc = %.12g Hz: complex baseband,\n"
        "# relative to free space at 1 m\n",
        link->band.centre);
    comment_impulse(file, link);
    fprintf(file, "delay_s,h_re,h_im,power_dB\n");
    for (int n = 0; n < link->band.tap_count; n++) {
        double re, im, delay = channel_delay(&link->band, n);
        channel_coefficient(&link->band, &link->channel, n, delay, &re, &im);
        fprintf(file, "%.9g,%.9g,%.9g,%.4f\n", delay, re, im, 20.0 * log10(hypot(re, im)));
    }
    return disk_finish(file, path, error);
}

pw_status channel_write_profile(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    const struct channel_delays *delays = &link->delays;
    channel_text_head(file, "#", link, "power-delay profile");
    comment_impulse(file, link);
    fprintf(file,
            "# power |h|^2 relative to free space at 1 m; excess delay counts from the first arrival at %.9g s\n"
            "# noise floor %.4f dB (median of the last quarter), threshold %.4f dB\n"
            "delay_s,excess_delay_s,power,power_dB,over_threshold\n",
            delays->first_arrival, 10.0 * log10(delays->noise_floor), 10.0 * log10(delays->threshold));
    for (int n = 0; n < link->band.tap_count; n++) {
        double delay = channel_delay(&link->band, n), power = link->channel.power[n];
        fprintf(file, "%.9g,%.9g,%.9g,%.4f,%d\n", delay, delay - delays->first_arrival, power, 10.0 * log10(power),
                power >= delays->threshold);
    }
    return disk_finish(file, path, error);
}

pw_status channel_write_metrics(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    const pw_metrics *metrics = &link->metrics;
    const pw_channel_options *options = &link->band.options;
    const struct {
        const char *name, *unit, *definition;
        double value;
    } rows[] = {
        {"distance", "m", "along the straight line", metrics->distance},
        {"path_gain", "dB", "mean |G|^2 over the band, 2D to 3D applied, relative to free space at 1 m",
         metrics->path_gain_db},
        {"received_power", "dBm", "EIRP + receiver gain + 20 lg(c/(4 pi fc 1 m)) + path gain",
         metrics->received_power_dbm},
        {"mean_excess_delay", "s", "first moment of the PDP over the threshold - first arrival",
         metrics->mean_excess_delay},
        {"rms_delay_spread", "s", "root of the second central moment of the PDP over the threshold",
         metrics->rms_delay_spread},
        {"maximum_excess_delay", "s", "last - first local maximum over the threshold", metrics->maximum_excess_delay},
        {"rician_k", "dB", "moment method over the band", metrics->rician_k_db},
        {"coherence_bandwidth_0.5", "Hz", "autocorrelation of G falls to 0.5", metrics->coherence_bandwidth_50},
        {"coherence_bandwidth_0.9", "Hz", "autocorrelation of G falls to 0.9", metrics->coherence_bandwidth_90},
        {"first_arrival", "s", "since emission", link->delays.first_arrival},
        {"noise_floor", "dB", "median of the last quarter of the PDP", 10.0 * log10(link->delays.noise_floor)},
        {"threshold", "dB", "of the PDP", 10.0 * log10(link->delays.threshold)},
    };
    channel_text_head(file, "#", link, "metrics");
    comment_impulse(file, link);
    fprintf(file,
            "# threshold: %g dB under the peak or %g dB over the noise floor, whichever is higher\n"
            "# nan: not defined. Formulas and sources: planwave help metrics\nquantity,value,unit,definition\n",
            options->threshold_db, options->noise_margin_db);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        fprintf(file, "%s,%.9g,%s,\"%s\"\n", rows[n].name, rows[n].value, rows[n].unit, rows[n].definition);
    }
    return disk_finish(file, path, error);
}

/* sum taps exp(-j 2 pi (f - fc) tau): the transfer function with 2D to 3D applied. */
static void taps_sum(const struct channel_link *link, double frequency, double *re, double *im)
{
    *re = *im = 0.0;
    for (int n = 0; n < link->tap_count; n++) {
        double phase = -2.0 * pi * (frequency - link->band.centre) * link->tap_delay[n];
        *re += link->taps[2 * n] * cos(phase) - link->taps[2 * n + 1] * sin(phase);
        *im += link->taps[2 * n] * sin(phase) + link->taps[2 * n + 1] * cos(phase);
    }
}

/* Without taps: G, the delay of the 1 m reference given back, times the one factor that there is then. */
static void transfer_scaled(const struct channel_link *link, int f, double *re, double *im)
{
    double phase = -2.0 * pi * link->band.frequency[f] / SPEED_OF_LIGHT, scale = sqrt(link->channel.spreading_gain);
    double gr = link->channel.transfer[2 * f], gi = link->channel.transfer[2 * f + 1];
    *re = scale * (gr * cos(phase) - gi * sin(phase));
    *im = scale * (gr * sin(phase) + gi * cos(phase));
}

pw_status channel_write_touchstone(const struct channel_link *link, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
    channel_text_head(file, "!", link, "channel as a two-port");
    fprintf(file,
            "! S21 = S12 (reciprocity) = transfer function between isotropic antennas: the channel relative to free "
            "space at 1 m,\n"
            "!     times c/(4 pi f 1 m); free space at 1 m reads %.2f dB at the middle of the band. No EIRP, no "
            "antenna gain.\n"
            "!     Phase: exp(-j 2 pi f distance/c) for the direct path. S11 = S22 = 0.\n"
            "! from 2D to 3D: %s\n"
            "! port 1: transmitter, port 2: receiver. Columns: f S11 S21 S12 S22, each re im. Masked frequencies are "
            "left out.\n"
            "# Hz S RI R 50\n",
            20.0 * log10(link->free_space_1_m), channel_spreading_text(link->band.options.spreading));
    for (int f = 0; f < link->band.frequency_count; f++) {
        double re, im, frequency = link->band.frequency[f], scale = SPEED_OF_LIGHT / (4.0 * pi * frequency);
        if (!link->band.usable[f]) {
            continue;
        }
        if (link->tap_count > 0) {
            taps_sum(link, frequency, &re, &im);
        } else {
            transfer_scaled(link, f, &re, &im);
        }
        fprintf(file, "%.12g 0 0 %.9g %.9g %.9g %.9g 0 0\n", frequency, scale * re, scale * im, scale * re, scale * im);
    }
    return disk_finish(file, path, error);
}
