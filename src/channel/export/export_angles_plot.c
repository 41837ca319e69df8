/* Power by azimuth as a picture: two roses that lie as the plan does, x to the right and y upwards, arrivals at the
 * receiver on the left and departures at the transmitter on the right. */
#include "base/picture/plot.h"
#include "channel/angles/link_angles.h"
#include "channel/export/exporter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 1400, HEIGHT = 780, LINE = 200, REASON_LINE = 52, PEAKS_SHOWN = 5, PEAKS_IN_LINE = 3 };
static const double RANGE = 30.0; /* dB from the rim to the middle */
static const double degree = 0.017453292519943295;

static double decibel(double power)
{
    return 10.0 * log10(power);
}

/* Breaks a reason into lines at blanks. */
static void reason_send(struct plot *plot, const char *reason, double x)
{
    char line[LINE];
    size_t length = strlen(reason);
    int tag = 30;
    for (size_t from = 0; from < length;) {
        size_t take = length - from;
        if (take > REASON_LINE) {
            take = REASON_LINE;
            while (take > 1 && reason[from + take] != ' ') {
                take--;
            }
        }
        snprintf(line, sizeof line, "%.*s", (int)take, reason + from);
        pw_plot_send(plot, "set label %d %s at screen %g,%g center font ',13' textcolor rgb '#606060'\n", tag,
                     pw_plot_quote(plot, line), x, 0.56 - 0.035 * (tag - 30));
        tag++;
        from += take + (reason[from + take] == ' ');
    }
    pw_plot_send(plot,
                 "set size 0.1,0.1\nset origin 0,0\nunset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\n"
                 "plot NaN notitle\nset border 0\n");
}

/* Circles every 10 dB and spokes every 30 degrees, with their numbers. */
static void rose_send(struct plot *plot, double top)
{
    for (int ring = 1; ring <= 3; ring++) {
        pw_plot_send(plot, "set object %d circle at 0,0 size %g fs empty border rgb '#d8d8d8' lw 1 back\n", ring,
                     RANGE * ring / 3.0);
        pw_plot_send(plot, "set label %d '%.0f dB' at %g,%g font ',10' textcolor rgb '#808080' front\n", 60 + ring,
                     top - RANGE + RANGE * ring / 3.0, 0.6, RANGE * ring / 3.0 - 1.2);
    }
    for (int spoke = 0; spoke < 12; spoke++) {
        double x = cos(30.0 * spoke * degree), y = sin(30.0 * spoke * degree);
        pw_plot_send(plot, "set arrow %d from 0,0 to %g,%g nohead lw 1 lc rgb '#e4e4e4' back\n", 10 + spoke, RANGE * x,
                     RANGE * y);
        pw_plot_send(plot, "set label %d '%d°' at %g,%g center font ',11' textcolor rgb '#505050'\n", 70 + spoke,
                     30 * spoke, (RANGE + 2.6) * x, (RANGE + 2.2) * y);
    }
}

static void spectrum_send(struct plot *plot, const struct angle_spectrum *spectrum, double origin, const char *colour)
{
    double pairs[2 * (ANGLE_COUNT + 1)], most = 0.0;
    for (int n = 0; n < ANGLE_COUNT; n++) {
        most = fmax(most, spectrum->power[n]);
    }
    double top = 5.0 * ceil(decibel(most) / 5.0);
    for (int n = 0; n <= ANGLE_COUNT; n++) {
        double level = decibel(spectrum->power[n % ANGLE_COUNT]), radius = fmax(0.0, level - top + RANGE);
        pairs[2 * n] = radius * cos(n * degree);
        pairs[2 * n + 1] = radius * sin(n * degree);
    }
    pw_plot_send(plot, "set origin %g,0.12\nset size 0.48,0.72\nset size ratio -1\nunset border\nunset tics\n", origin);
    pw_plot_send(plot, "set xrange [-36:36]\nset yrange [-34:34]\n");
    rose_send(plot, top);
    for (int n = 0; n < spectrum->peak_count && n < PEAKS_SHOWN; n++) {
        const struct angle_peak *peak = &spectrum->peaks[n];
        double radius = fmax(0.0, decibel(peak->power) - top + RANGE);
        pw_plot_send(plot, "set object %d circle at %g,%g size 0.5 fs solid fc rgb '%s' front\n", 10 + n,
                     radius * cos(peak->azimuth), radius * sin(peak->azimuth), colour);
    }
    pw_plot_send(plot, "plot %s binary format='%%float64%%float64' using 1:2 with lines lw 2.4 lc rgb '%s' notitle\n",
                 pw_plot_data(plot, pairs, sizeof pairs), colour);
    pw_plot_send(plot, "unset label\nunset arrow\nunset object\n");
}

/* "172.4°: -10.5 dB,  218.7°: -11.4 dB", in two lines where there are many: a half is 700 pixels wide. */
static void peaks_send(struct plot *plot, const struct angle_spectrum *spectrum, double middle, const char *colour)
{
    const int count = spectrum->peak_count < PEAKS_SHOWN ? spectrum->peak_count : PEAKS_SHOWN;
    for (int first = 0; first < count; first += PEAKS_IN_LINE) {
        char text[LINE] = "";
        size_t used = 0;
        for (int n = first; n < count && n < first + PEAKS_IN_LINE; n++) {
            const struct angle_peak *peak = &spectrum->peaks[n];
            used += (size_t)snprintf(text + used, sizeof text - used, "%.1f°: %.1f dB%s", angle_degrees(peak->azimuth),
                                     decibel(peak->power), n + 1 < count ? ",   " : "");
        }
        pw_plot_send(plot, "set label %d %s at screen %g,%g center font ',13' textcolor rgb '%s'\n",
                     22 + first / PEAKS_IN_LINE, pw_plot_quote(plot, text), middle, first == 0 ? 0.098 : 0.063, colour);
    }
}

static void half_send(struct plot *plot, const struct angle_spectrum *spectrum, bool arrival)
{
    const double middle = arrival ? 0.25 : 0.75;
    char note[LINE];
    pw_plot_send(plot, "set label 20 '%s' at screen %g,0.865 center font ',14' textcolor rgb '#303030'\n",
                 arrival ? "arriving at the receiver from" : "departing from the transmitter to", middle);
    if (spectrum->reason[0] != '\0') {
        pw_plot_send(plot, "set label 21 'not known:' at screen %g,0.6 center font ',13' textcolor rgb '#606060'\n",
                     middle);
        reason_send(plot, spectrum->reason, middle);
        pw_plot_send(plot, "unset label\n");
        return;
    }
    char part[48] = "", share[PW_NUMBER_SIZE];
    if (spectrum->used < spectrum->usable) {
        snprintf(part, sizeof part, ", up to %.3f GHz", spectrum->highest * 1e-9);
    }
    snprintf(note, sizeof note, "disc of %.3g m, resolution %.3g°, %s %% of the field are not plane waves%s%s",
             spectrum->radius, spectrum->beam_width / degree, pw_number_text(100.0 * spectrum->residual, 2, share),
             part, spectrum->residual > ANGLE_DOUBT ? ": doubtful" : "");
    pw_plot_send(plot, "set label 21 %s at screen %g,0.025 center font ',10' textcolor rgb '%s'\n",
                 pw_plot_quote(plot, note), middle, spectrum->residual > ANGLE_DOUBT ? "#c01818" : "#707070");
    const char *colour = arrival ? "#31688e" : "#b5523b";
    peaks_send(plot, spectrum, middle, colour);
    spectrum_send(plot, spectrum, arrival ? 0.01 : 0.51, colour);
}

static pw_status angles_draw(const struct channel_link *link, const struct link_angles *angles, const char *path,
                             pw_error *error)
{
    struct plot *plot;
    char title[4 * NAME_SIZE + LINK_NAME_SIZE];
    TRY(pw_plot_open(path, WIDTH, HEIGHT, &plot, error));
    const char *name = link->result->title != NULL ? link->result->title : "";
    snprintf(title, sizeof title, "%.*s%sfrom %s to %s", 2 * NAME_SIZE, name, name[0] != '\0' ? ": " : "",
             link->transmitter->name, link->place.name);
    pw_plot_send(plot, "set multiplot\n");
    pw_plot_send(plot, "set label 10 %s at screen 0.04,0.955 font ',16' textcolor rgb '#202020'\n",
                 pw_plot_quote_within(plot, title, 16.0, 0.94 * WIDTH));
    pw_plot_send(plot, "set label 11 'power by azimuth, dB over free space at 1 m' at screen 0.04,0.918 font ',12' "
                       "textcolor rgb '#606060'\n");
    half_send(plot, &angles->arrival, true);
    half_send(plot, &angles->departure, false);
    pw_plot_send(plot, "unset multiplot\n");
    return pw_plot_finish(plot, error);
}

static pw_status file_write(const struct channel_link *link, const char *path, pw_error *error)
{
    OWNED struct link_angles *made = NULL;
    const struct link_angles *angles;
    TRY(link_angles_take(link, &made, &angles, error));
    return angles_draw(link, angles, path, error);
}

const struct exporter exporter_angles_plot = {.name = "angles-plot",
                                              .file = "angles.png",
                                              .description = "power by azimuth as a picture, PNG, SVG or PDF",
                                              .write = file_write};
