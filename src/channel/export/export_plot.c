/* The picture of a link: transfer function above, power-delay profile below, with what the metrics were taken from
 * marked in it. */
#include "channel/export/exporter.h"

#include "base/picture/plot.h"
#include "channel/channel_words.h"
#include "channel/slant/heights.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 1400, HEIGHT = 1000, METRIC_LINES = 9, LINE_SIZE = 96 };

static double decibel(double power)
{
    return 10.0 * log10(power);
}

/* A power of the profile, relative to free space at 1 m, as path gain between isotropic antennas: the scale of both
 * curves. */
static double profile_level(const struct channel_link *link, double power)
{
    return decibel(power) + 20.0 * log10(link->free_space_1_m);
}

/* (x, y) pairs of doubles as a data file; NULL with nothing sent when there is no memory. */
static const char *pairs_data(struct plot *plot, double *pairs, int count)
{
    return pw_plot_data(plot, pairs, 2 * (size_t)count * sizeof *pairs);
}

static void style_send(struct plot *plot)
{
    pw_plot_send(plot, "set border 3 lw 1.2 lc rgb '#404040'\nset tics nomirror out scale 0.6 textcolor rgb '#202020'\n"
                       "set grid lc rgb '#e2e2e2' lw 1\nunset key\n");
}

static void transfer_send(struct plot *plot, const struct channel_link *link, double *pairs)
{
    const struct channel_band *band = &link->band;
    double top = -INFINITY, bottom = INFINITY;
    for (int f = 0; f < band->frequency_count; f++) {
        double re, im;
        link_response(link, f, &re, &im);
        double gain = decibel(re * re + im * im);
        pairs[2 * f] = band->frequency[f] * 1e-9;
        pairs[2 * f + 1] = band->usable[f] && isfinite(gain) ? gain : NAN;
        if (!isnan(pairs[2 * f + 1])) {
            top = fmax(top, gain);
            bottom = fmin(bottom, gain);
        }
    }
    if (!isfinite(top)) {
        top = bottom = 0.0;
    }
    int n = band->frequency_count;
    double margin = n > 1 ? 0.0 : 0.1;
    pw_plot_send(plot, "set origin 0,0.52\nset size 1,0.42\nset lmargin at screen 0.075\nset rmargin at screen 0.74\n");
    pw_plot_send(plot, "set xlabel 'frequency [GHz]'\nset ylabel 'path gain |H(f)|² [dB], isotropic antennas'\n");
    pw_plot_send(plot, "set xrange [%.9g:%.9g]\nset yrange [%g:%g]\n", pairs[0] - margin, pairs[2 * n - 2] + margin,
                 fmax(5.0 * floor((bottom - 1.0) / 5.0), top - 80.0), 5.0 * ceil((top + 1.0) / 5.0));
    pw_plot_send(plot, "plot %s binary format='%%float64%%float64' using 1:2 with %s lw 2 pt 7 lc rgb '#31688e'\n",
                 pairs_data(plot, pairs, n), n > 1 ? "lines" : "points");
}

static void level_send(struct plot *plot, int tag, double level, double left, double right, const char *colour,
                       const char *text)
{
    pw_plot_send(plot, "set arrow %d from %g,%g to %g,%g nohead lw 1.5 dt 2 lc rgb '%s' front\n", tag, left, level,
                 right, level, colour);
    pw_plot_send(plot, "set label %d %s at %g,%g right offset -0.5,0.6 font ',10' textcolor rgb '%s' front\n", tag,
                 pw_plot_quote(plot, text), right, level, colour);
}

static void moment_send(struct plot *plot, int tag, double delay, double bottom, double top, const char *colour)
{
    pw_plot_send(plot, "set arrow %d from %g,%g to %g,%g nohead lw 1.8 lc rgb '%s' front\n", tag, delay, bottom, delay,
                 top, colour);
}

/* Threshold and noise floor as lines across; arrivals and mean delay as lines up; the RMS spread as a band around the
 * mean. */
static void marks_send(struct plot *plot, const struct channel_link *link, double left, double right, double bottom,
                       double top)
{
    const struct channel_delays *delays = &link->delays;
    const pw_channel_options *options = &link->band.options;
    double mean = (delays->first_arrival + delays->mean_excess) * 1e9, spread = delays->rms_spread * 1e9;
    char text[LINE_SIZE];
    if (!isnan(spread)) {
        pw_plot_send(
            plot, "set object 1 rect from %g,%g to %g,%g behind fc rgb '#fde725' fs transparent solid 0.35 noborder\n",
            fmax(left, mean - spread), bottom, fmin(right, mean + spread), top);
        moment_send(plot, 1, mean, bottom, top, "#b8a000");
    }
    moment_send(plot, 2, delays->first_arrival * 1e9, bottom, top, "#35b779");
    moment_send(plot, 3, delays->last_arrival * 1e9, bottom, top, "#35b779");
    bool peak_rules = delays->threshold <= delays->peak * pow(10.0, -options->threshold_db / 10.0) * 1.0001;
    if (peak_rules) {
        snprintf(text, sizeof text, "threshold: peak - %g dB", options->threshold_db);
    } else {
        snprintf(text, sizeof text, "threshold: noise floor + %g dB", options->noise_margin_db);
    }
    level_send(plot, 4, profile_level(link, delays->threshold), left, right, "#c03030", text);
    if (profile_level(link, delays->noise_floor) > bottom) {
        level_send(plot, 5, profile_level(link, delays->noise_floor), left, right, "#707070",
                   "noise floor: median of the last quarter");
    }
}

static void profile_send(struct plot *plot, const struct channel_link *link, double *pairs)
{
    const struct channel_band *band = &link->band;
    const struct channel_delays *delays = &link->delays;
    int n = band->tap_count;
    double peak = profile_level(link, delays->peak), top = 5.0 * ceil((peak + 3.0) / 5.0);
    double lowest = fmin(profile_level(link, delays->noise_floor), profile_level(link, delays->threshold)) - 8.0;
    double bottom = 5.0 * floor(fmax(lowest, peak - 70.0) / 5.0);
    double left = fmin(0.0, channel_arrival(&link->channel, channel_delay(band, 0)) * 1e9),
           right = channel_arrival(&link->channel, channel_delay(band, n - 1)) * 1e9;
    int last = n - 1; /* beyond it, nothing to see */
    while (last > 0 && profile_level(link, link->channel.power[last]) < bottom) {
        last--;
    }
    right = fmin(right, 1.15 * channel_arrival(&link->channel, channel_delay(band, last)) * 1e9 +
                            5e9 * band->bin * band->options.padding);
    for (int t = 0; t < n; t++) {
        pairs[2 * t] = channel_arrival(&link->channel, channel_delay(band, t)) * 1e9;
        pairs[2 * t + 1] = fmax(profile_level(link, link->channel.power[t]), bottom);
    }
    pw_plot_send(plot, "set origin 0,0.02\nset size 1,0.46\n");
    pw_plot_send(plot,
                 "set xlabel 'delay since emission [ns]'\nset ylabel 'power-delay profile [dB], the same scale'\n");
    pw_plot_send(plot, "set xrange [%.9g:%.9g]\nset yrange [%g:%g]\n", left, right, bottom, top);
    marks_send(plot, link, left, right, bottom, top);
    const char *data = pairs_data(plot, pairs, n);
    pw_plot_send(
        plot,
        "plot %s binary format='%%float64%%float64' using 1:2:(%g) with filledcurves fs transparent solid 0.18 "
        "noborder lc rgb "
        "'#31688e', '' binary format='%%float64%%float64' using 1:2 with lines lw 2 lc rgb '#31688e'\n",
        data, bottom);
}

static void metric_text(char *line, const char *name, double value, const char *format)
{
    char number[32] = "not defined";
    if (!isnan(value)) {
        snprintf(number, sizeof number, format, value);
    }
    snprintf(line, LINE_SIZE, "%s: %s", name, number);
}

/* Of what stands against the resolution of delays. */
typedef const char *resolved_text(double value, double resolution, char text[PW_NUMBER_SIZE]);
static void resolved_metric(char *line, const char *name, double value, const pw_metrics *metrics, resolved_text *tell)
{
    char text[PW_NUMBER_SIZE];
    snprintf(line, LINE_SIZE, "%s: %s", name, tell(value, metrics->delay_resolution, text));
}

/* The table right of the curves, with the colour key of the marks. */
static void table_send(struct plot *plot, const struct channel_link *link)
{
    const pw_metrics *metrics = &link->metrics;
    char lines[METRIC_LINES][LINE_SIZE];
    metric_text(lines[0], "distance", metrics->distance, "%.2f m");
    metric_text(lines[1], "path loss", metrics->path_loss_db, "%.2f dB");
    metric_text(lines[2], "received power", metrics->received_power_dbm, "%.2f dBm");
    metric_text(lines[3], "Rician K", metrics->rician_k_db, "%.1f dB");
    resolved_metric(lines[4], "coherence bandwidth (0.5)", metrics->coherence_bandwidth_50, metrics, pw_coherence_text);
    resolved_metric(lines[5], "coherence bandwidth (0.9)", metrics->coherence_bandwidth_90, metrics, pw_coherence_text);
    resolved_metric(lines[6], "mean excess delay", metrics->mean_excess_delay, metrics, pw_delay_text);
    resolved_metric(lines[7], "RMS delay spread", metrics->rms_delay_spread, metrics, pw_delay_text);
    resolved_metric(lines[8], "maximum excess delay", metrics->maximum_excess_delay, metrics, pw_delay_text);
    for (int n = 0; n < METRIC_LINES; n++) {
        double y = n < 6 ? 0.90 - 0.035 * n : 0.44 - 0.035 * (n - 6);
        pw_plot_send(plot, "set label %d %s at screen 0.765,%g font ',12' textcolor rgb '#202020'\n", 20 + n,
                     pw_plot_quote(plot, lines[n]), y);
    }
    static const char *const keys[][2] = {{"#b8a000", "mean delay, band: ± RMS spread"},
                                          {"#35b779", "first and last arrival"}};
    for (int n = 0; n < 2; n++) {
        double y = 0.32 - 0.032 * n;
        pw_plot_send(plot, "set arrow %d from screen 0.765,%g to screen 0.785,%g nohead lw 3 lc rgb '%s'\n", 20 + n, y,
                     y, keys[n][0]);
        pw_plot_send(plot, "set label %d %s at screen 0.792,%g font ',10' textcolor rgb '#404040'\n", 40 + n,
                     pw_plot_quote(plot, keys[n][1]), y);
    }
}

static void notes_send(struct plot *plot, const struct channel_link *link)
{
    static const char *const spreading[] = {"none (2D)", "by distance", "by delay", "by a storey",
                                            "by distance, diffuse"};
    const struct slant *slant = &link->channel.slant;
    const pw_channel_options *options = &link->band.options;
    char lines[5][LINE_SIZE];
    if (link->band.dimensions == 3) {
        const double *along = link->place.along;
        snprintf(lines[0], LINE_SIZE, "solved in 3D, E along (%.3g, %.3g, %.3g)", along[0], along[1], along[2]);
    } else {
        const double *along = link->place.along;
        int used = snprintf(lines[0], LINE_SIZE, "2D to 3D: %s", spreading[options->spreading]);
        if (slant->rise != 0.0) {
            double from = height_of_transmitter(link->transmitter, options);
            used += snprintf(lines[0] + used, LINE_SIZE - (size_t)used, ", %.4g m to %.4g m", from, link->place.height);
        }
        if (link->result->horizontal && along[2] != 0.0) {
            snprintf(lines[0] + used, LINE_SIZE - (size_t)used, "; Hz");
        } else if (link->result->horizontal) {
            snprintf(lines[0] + used, LINE_SIZE - (size_t)used, "; E (%.2g, %.2g)", along[0], along[1]);
        }
    }
    if (options->window == PW_WINDOW_KAISER) {
        snprintf(lines[1], LINE_SIZE, "window: Kaiser, beta %g", options->kaiser_beta);
    } else {
        snprintf(lines[1], LINE_SIZE, "window: %s", channel_window_name(options->window));
    }
    snprintf(lines[2], LINE_SIZE, "bin %.3f ns, zero padding %d", link->band.bin * options->padding * 1e9,
             options->padding);
    snprintf(lines[3], LINE_SIZE, "0 dB: no loss between isotropic antennas;");
    snprintf(lines[4], LINE_SIZE, "mean of the upper curve: -path loss");
    for (int n = 0; n < 5; n++) {
        pw_plot_send(plot, "set label %d %s at screen 0.765,%g font ',10' textcolor rgb '#707070'\n", 50 + n,
                     pw_plot_quote(plot, lines[n]), 0.22 - 0.028 * n);
    }
}

/* What the guard on delays says, in red under the title where the delays are in doubt. */
static void doubt_send(struct plot *plot, const struct channel_link *link)
{
    char note[PW_NOTE_SIZE];
    if (pw_metrics_note(&link->metrics, note, sizeof note) == 0) {
        return;
    }
    note[0] = (char)(note[0] - 'a' + 'A');
    pw_plot_send(plot, "set label 60 %s at screen 0.075,0.938 font ',12' textcolor rgb '%s'\n",
                 pw_plot_quote_within(plot, note, 12.0, 0.9 * WIDTH),
                 link->metrics.delay_cause != PW_DELAY_SOUND ? "#c01818" : "#606060");
}

static pw_status link_draw(const struct channel_link *link, double *pairs, const char *path, pw_error *error)
{
    struct plot *plot;
    char title[4 * NAME_SIZE + LINK_NAME_SIZE];
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    snprintf(title, sizeof title, "%.*s%sfrom %s to %s", 2 * NAME_SIZE,
             link->result->title != NULL ? link->result->title : "",
             link->result->title != NULL && link->result->title[0] != '\0' ? ": " : "", link->transmitter->name,
             link->place.name);
    pw_plot_send(plot, "set multiplot\n");
    style_send(plot);
    pw_plot_send(plot, "set label 10 %s at screen 0.075,0.965 font ',16' textcolor rgb '#202020'\n",
                 pw_plot_quote_within(plot, title, 16.0, 0.9 * WIDTH));
    table_send(plot, link);
    notes_send(plot, link);
    doubt_send(plot, link);
    transfer_send(plot, link, pairs);
    if (isfinite(link->delays.peak)) {
        pw_plot_send(plot, "unset label\nunset arrow\n");
        profile_send(plot, link, pairs);
    }
    pw_plot_send(plot, "unset multiplot\n");
    return pw_plot_finish(plot, error);
}

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    int most = link->band.tap_count > link->band.frequency_count ? link->band.tap_count : link->band.frequency_count;
    OWNED double *pairs = allocate(2 * (size_t)most, sizeof *pairs, "a plot", error);
    TRY_MADE(pairs);
    return link_draw(link, pairs, path, error);
}

const struct exporter exporter_plot = {.name = "plot",
                                       .file = "channel.png",
                                       .description = "transfer function and profile as a picture, PNG, SVG or PDF",
                                       .write = file_write};
