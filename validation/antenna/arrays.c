/* Channels between arrays in free space against the closed form of point sources, each antenna at its own place, and
 * the plane-wave model beside it; two planar arrays in three dimensions and two lines in two. Reciprocity through a
 * wall. */
#include "validation/support/case.h"

#include <omp.h>
#include <unistd.h>

enum { ANTENNAS_MOST = 16, FREQUENCIES = 4 };

/* H between two stations `ap` and `user`, antenna by antenna. */
struct channel_found {
    int receivers, transmitters;
    double frequency[FREQUENCIES], carrier;
    double complex h[ANTENNAS_MOST * ANTENNAS_MOST * FREQUENCIES]; /* (receivers, transmitters, frequency) */
    pw_mimo_metrics metrics;
};

static struct channel_found channel_find(const char *text, pw_precision precision, const char *backend)
{
    char path[] = "/tmp/planwave-arrays-XXXXXX";
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    struct channel_found found = {0};
    const pw_run_options options = {.compute.backend = backend, .force = true};
    close(mkstemp(path));
    SOLVE_CHECK(pw_scenario_parse("arrays", text, NULL, 0, &scenario, &error), &error);
    SOLVE_CHECK(pw_setup_create(scenario, precision, false, &setup, &error), &error);
    SOLVE_CHECK(pw_run(setup, &options, path, &error), &error);
    SOLVE_CHECK(pw_result_open(path, &result, &error), &error);
    pw_mimo_options mimo = pw_mimo_options_default();
    pw_pairs_shape shape;
    mimo.snr = 20;
    mimo.pairs.channel.spreading = PW_SPREADING_NONE;
    SOLVE_CHECK(pw_pairs_describe(result, &mimo.pairs, &shape, &error), &error);
    const pw_pairs pairs = {.frequency = found.frequency, .response = (double *)found.h};
    SOLVE_CHECK(pw_pairs_compute(result, &mimo.pairs, &pairs, &error), &error);
    found.carrier = shape.centre;
    found.receivers = shape.receiver_count;
    found.transmitters = shape.transmitter_count;
    const pw_mimo_channel channel = {.response = (const double *)found.h,
                                     .receivers = found.receivers,
                                     .transmitters = found.transmitters,
                                     .frequency_count = FREQUENCIES,
                                     .receiver_shape = {1, found.receivers, 1},
                                     .transmitter_shape = {1, found.transmitters, 1}};
    SOLVE_CHECK(pw_mimo_read(&channel, 0, &mimo, &found.metrics, NULL, &error), &error);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    (void)unlink(path);
    return found;
}

/* Where antenna n of an array in the plane of y and z stands beside its middle, as `bearing: 90 deg` (towards x) or 270
 * (against it) numbers them. */
static void antenna_at(int rows, int columns, double pitch, bool towards, int n, double offset[3])
{
    const double aside = (0.5 * (columns - 1) - n / rows) * pitch;
    offset[0] = 0;
    offset[1] = towards ? -aside : aside;
    offset[2] = (0.5 * (rows - 1) - n % rows) * pitch;
}

/* Between isotropic antennas: in three dimensions upright short dipoles that the receiver takes in along z. */
static double complex law(int dimensions, double carrier, double frequency, double distance, double rise)
{
    const double k = 2 * M_PI * frequency / SPEED_OF_LIGHT, scale = SPEED_OF_LIGHT / (4 * M_PI * carrier);
    if (dimensions == 2) {
        return scale * (j0(k * distance) - I * y0(k * distance)) / (j0(k) - I * y0(k)) * cexp(-I * k);
    }
    const double cosine = rise / distance, square = cosine * cosine;
    const double complex near = 1 / (I * k * distance);
    return scale * cexp(-I * k * distance) / distance * (1 - square + (1 - 3 * square) * (near + near * near));
}

/* An array of rows by columns towards x, and one against it `apart` further on. */
static void free_space(struct validation *validation, const char *text, int dimensions, int rows, int columns,
                       const double pitch[2], double apart, const char *what)
{
    const struct channel_found found = channel_find(text, dimensions == 2 ? PW_DOUBLE : PW_SINGLE, validation->backend);
    double off = 0, plane_off = 0, all = 0, worst = 0;
    for (int r = 0; r < found.receivers; r++) {
        for (int t = 0; t < found.transmitters; t++) {
            double from[3], to[3];
            antenna_at(rows, columns, pitch[0], true, t, from);
            antenna_at(rows, columns, pitch[1], false, r, to);
            const double aside = to[1] - from[1], rise = to[2] - from[2];
            const double distance = sqrt(apart * apart + aside * aside + rise * rise);
            for (int f = 0; f < FREQUENCIES; f++) {
                const double complex h = found.h[(r * found.transmitters + t) * FREQUENCIES + f];
                const double complex true_one = law(dimensions, found.carrier, found.frequency[f], distance, rise);
                const double complex plane = law(dimensions, found.carrier, found.frequency[f], apart, 0);
                off += pow(cabs(h - true_one), 2);
                plane_off += pow(cabs(plane - true_one), 2);
                all += pow(cabs(true_one), 2);
                worst = fmax(worst, cabs(h / true_one - 1));
            }
        }
    }
    case_gate(validation, 100 * sqrt(off / all), 1, "%s: H off the closed form, root mean square [%%]", what);
    case_figure(validation, 100 * worst, "%s: the worst pair of antennas [%%]", what);
    case_figure(validation, 100 * sqrt(plane_off / all), "%s: the plane-wave model off the closed form [%%]", what);
    case_figure(validation, found.metrics.capacity, "%s: capacity at an SNR of 20 dB [bit/s/Hz]", what);
}

static void lines(struct validation *validation)
{
    const double wave = SPEED_OF_LIGHT / 1.2e9;
    free_space(validation,
               "plan: {size: [4 m, 2 m]}\ngrid: {scheme: fd4o, cell: 1.25 cm}\n"
               "band: {centre: 1.2 GHz, width: 100 MHz}\n"
               "transmitters: [{name: ap, at: [0.5, 1], antenna: {array: ula, elements: 4, spacing: 1 wavelength, "
               "bearing: 90 deg}}]\n"
               "receivers: [{name: user, at: [3.5, 1], antenna: {array: ula, elements: 4, bearing: 270 deg}}]\n"
               "spectra: {count: 4, spacing: 8 cells}\nstop: {after: 40 ns, decay: off}\n",
               2, 1, 4, (const double[]){wave, 0.5 * wave}, 3, "two lines of 4 in two dimensions, 3 m apart");
}

static void planes(struct validation *validation)
{
    const double wave = SPEED_OF_LIGHT / 1e9;
    free_space(validation,
               "dimensions: 3\nplan: {size: [3.6 m, 1 m], storey: {height: 1 m}}\ngrid: {scheme: dd4, cell: 3.3 cm, "
               "absorber: {kind: upml, cells: 8}}\n"
               "band: {centre: 1 GHz, width: 300 MHz}\n"
               "transmitters: [{name: ap, at: [0.3, 0.5, 0.5], antenna: {array: upa, elements: [4, 4], bearing: 90 "
               "deg}}]\n"
               "receivers: [{name: user, at: [3.3, 0.5, 0.5], antenna: {array: upa, elements: [4, 4], bearing: 270 "
               "deg}}]\n"
               "spectra: {count: 4, heights: [0.5 m], spacing: 8 cells}\nstop: {after: 27 ns, decay: off}\n",
               3, 4, 4, (const double[]){0.5 * wave, 0.5 * wave}, 3,
               "two planes of 4 x 4 in three dimensions, 3 m apart");
}

/* The same two arrays behind a wall, sending one way and the other. */
static void reciprocity(struct validation *validation)
{
    struct channel_found found[2];
    for (int way = 0; way < 2; way++) {
        struct text text = {0};
        text_add(&text, "plan: {size: [3 m, 2 m], walls: [{from: [1.5, 0.7], to: [1.5, 2], thickness: 10 cm, material: "
                        "concrete}]}\ngrid: {scheme: fd4o, cell: 1.25 cm}\nband: {centre: 1.2 GHz, width: 100 MHz}\n"
                        "spectra: {count: 4, spacing: 8 cells}\nstop: {after: 60 ns, decay: off}\n");
        for (int end = 0; end < 2; end++) {
            text_add(&text, "%s: [{name: s, at: [%s], antenna: {array: ula, elements: %s}}]\n",
                     end == 0 ? "transmitters" : "receivers", end == way ? "0.517, 1.1" : "2.4, 1.203",
                     end == way ? "4, bearing: 90 deg" : "2, bearing: 250 deg");
        }
        found[way] = channel_find(text.text, PW_DOUBLE, validation->backend);
        free(text.text);
    }
    double off = 0, all = 0;
    for (int r = 0; r < 2; r++) {
        for (int t = 0; t < 4; t++) {
            for (int f = 0; f < FREQUENCIES; f++) {
                const double complex one = found[0].h[(r * 4 + t) * FREQUENCIES + f];
                off += pow(cabs(one - found[1].h[(t * 2 + r) * FREQUENCIES + f]), 2);
                all += pow(cabs(one), 2);
            }
        }
    }
    case_gate(validation, sqrt(off / all), 1e-5, "2 x 4 beside a wall and 4 x 2 back: difference");
}

/* Sixteen antennas and one phone: one run from the phone, or one from each of the sixteen. */
static void one_run(struct validation *validation)
{
    struct channel_found found[2];
    double seconds[2];
    for (int way = 0; way < 2; way++) {
        struct text text = {0};
        text_add(&text, "plan: {size: [4 m, 3 m], walls: [{from: [2.1, 0], to: [2.1, 1.9], thickness: 10 cm, material: "
                        "brick}]}\ngrid: {scheme: fd4o, cell: 1.25 cm}\nband: {centre: 2.4 GHz, width: 100 MHz}\n"
                        "spectra: {count: 4, spacing: 8 cells}\nstop: {after: 50 ns, decay: off}\n");
        for (int end = 0; end < 2; end++) {
            text_add(&text, "%s: [{name: s, at: [%s}]\n", end == 0 ? "transmitters" : "receivers",
                     end == way ? "0.6, 1.5], antenna: {array: ula, elements: 16, bearing: 90 deg}" : "3.3, 1.603]");
        }
        const double start = omp_get_wtime();
        found[way] = channel_find(text.text, PW_DOUBLE, validation->backend);
        seconds[way] = omp_get_wtime() - start;
        free(text.text);
    }
    double off = 0, all = 0;
    for (int n = 0; n < 16 * FREQUENCIES; n++) {
        off += pow(cabs(found[0].h[n] - found[1].h[n]), 2);
        all += pow(cabs(found[0].h[n]), 2);
    }
    case_gate(validation, sqrt(off / all), 1e-5, "16 antennas and one behind a wall: one run against 16, difference");
    case_figure(validation, seconds[0] / seconds[1], "one run against 16: times as fast");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "arrays", "Channels between arrays",
        "Every antenna of an array is solved, and recorded, at its own place. Two arrays in free space against the "
        "closed "
        "form between points (Hankel function; the whole field of a short dipole), and how far plane waves between "
        "their middles are off, which is what models of one path per array assume. Reciprocity through a wall.");
    lines(&validation);
    reciprocity(&validation);
    one_run(&validation);
    if (!validation.quick) {
        planes(&validation);
    }
    return case_end(&validation);
}
