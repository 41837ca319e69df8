/* All links between stations of a result: their matrices, what is read off, and the table (api/mimo.h). The picture is
 * mimo_plot.c. */
#include "api/map.h"
#include "base/file/atomic_file.h"
#include "channel/pairs.h"
#include "map/mimo/mimo.h"
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPORTED_LINKS = 20 };

/* ---- gathering --------------------------------------------------------------------------------------------------- */

/* What is needed while links are read. */
struct reading_links {
    const struct pair_list *list;
    const pw_mimo_options *options;
    double *response; /* (place_count, port_count, transmitter_count, frequency_count, 2), owned */
    double *own;      /* of one link, owned */
};

static int antennas_of_place(const struct pair_list *list)
{
    return list->place_ports * list->port_count;
}

/* H of places first.. and transmitters from.. into `own` (antennas, antennas, frequencies, 2). */
static void link_gather(const struct reading_links *work, int first, int from)
{
    const struct pair_list *list = work->list;
    const size_t count = 2 * (size_t)list->result->frequency_count;
    double *to = work->own;
    for (int r = 0; r < antennas_of_place(list); r++) {
        for (int t = 0; t < list->transmitter_ports; t++) {
            const size_t port = (size_t)first * (size_t)list->port_count + (size_t)r;
            const size_t at = port * (size_t)list->transmitter_count + (size_t)(from + t);
            memcpy(to, work->response + at * count, count * sizeof *to);
            to += count;
        }
    }
}

/* What all antennas of the transmitter send together and the receiver's gain, over its noise [dB]. */
static double power_over_noise(const struct reading_links *work, int first, int from)
{
    const struct pair_list *list = work->list;
    double sent = 0;
    for (int t = 0; t < list->transmitter_ports; t++) {
        sent += pow(10, 0.1 * list->result->transmitters[list->transmitters[from + t]].power);
    }
    return 10 * log10(sent) + list->places[first].gain -
           pw_noise_power(work->options->noise_bandwidth, work->options->noise_figure);
}

/* Where a station's antennas are in the mean. */
static void middle_find(const struct pair_list *list, int first, int from, struct mimo_link *link)
{
    double place[3] = {0, 0, 0}, sender[3] = {0, 0, 0};
    for (int p = 0; p < list->place_ports; p++) {
        const struct place *one = &list->places[first + p];
        place[0] += one->x / list->place_ports;
        place[1] += one->y / list->place_ports;
        place[2] += one->height / list->place_ports;
    }
    for (int t = 0; t < list->transmitter_ports; t++) {
        const struct result_transmitter *one = &list->result->transmitters[list->transmitters[from + t]];
        sender[0] += one->x / list->transmitter_ports;
        sender[1] += one->y / list->transmitter_ports;
        sender[2] += one->height / list->transmitter_ports;
    }
    const double flat = hypot(place[0] - sender[0], place[1] - sender[1]), rise = place[2] - sender[2];
    link->x = place[0];
    link->y = place[1];
    link->distance = list->result->dimensions == 3 ? hypot(flat, rise) : flat;
}

/* The shape of a place without an array is that of its components of the field. */
static pw_status link_read(struct reading_links *work, int first, int from, struct mimo_link *link, pw_error *error)
{
    const struct pair_list *list = work->list;
    const struct place *place = &list->places[first];
    const struct result_transmitter *sender = &list->result->transmitters[list->transmitters[from]];
    pw_mimo_channel channel = {.response = work->own,
                               .receivers = antennas_of_place(list),
                               .transmitters = list->transmitter_ports,
                               .frequency_count = list->result->frequency_count,
                               .receiver_shape = {1, 1, list->port_count},
                               .transmitter_shape = {1, 1, 1}};
    if (list->place_ports > 1) {
        memcpy(channel.receiver_shape, place->port.shape, sizeof channel.receiver_shape);
    }
    if (list->transmitter_ports > 1) {
        memcpy(channel.transmitter_shape, sender->port.shape, sizeof channel.transmitter_shape);
    }
    link_gather(work, first, from);
    link->receiver = list->place_ports > 1 ? place->port.station : place->name;
    link->transmitter = list->transmitter_ports > 1 ? sender->port.station : sender->name;
    link->receivers = channel.receivers;
    link->transmitters = channel.transmitters;
    middle_find(list, first, from, link);
    pw_error reason;
    pw_status status = pw_mimo_read(&channel, power_over_noise(work, first, from), work->options, &link->metrics,
                                    link->values, &reason);
    return status == PW_OK
               ? PW_OK
               : fail(error, status, "from '%s' to '%s': %s", link->transmitter, link->receiver, reason.message);
}

static pw_status links_create(const struct pair_list *list, struct mimo_links *links, pw_error *error)
{
    const size_t frequencies = (size_t)list->result->frequency_count;
    links->count = list->place_count / list->place_ports * (list->transmitter_count / list->transmitter_ports);
    links->streams =
        antennas_of_place(list) < list->transmitter_ports ? antennas_of_place(list) : list->transmitter_ports;
    links->frequency_count = (int)frequencies;
    links->frequency = allocate(frequencies, sizeof(double), "frequencies", error);
    links->link = allocate((size_t)links->count, sizeof *links->link, "links", error);
    links->values =
        allocate((size_t)links->count * frequencies * (size_t)links->streams, sizeof(double), "singular values", error);
    TRY_MADE(links->frequency != NULL && links->link != NULL && links->values != NULL);
    memcpy(links->frequency, list->result->frequency, frequencies * sizeof(double));
    for (int n = 0; n < links->count; n++) {
        links->link[n].values = links->values + (size_t)n * frequencies * (size_t)links->streams;
    }
    return PW_OK;
}

static void links_free(struct mimo_links *links)
{
    free(links->link);
    free(links->frequency);
    free(links->values);
}

/* Transmitter by transmitter, as other tables of pairs. */
static pw_status links_read(struct reading_links *work, struct mimo_links *links, pw_error *error)
{
    const struct pair_list *list = work->list;
    const size_t frequencies = (size_t)list->result->frequency_count, senders = (size_t)list->transmitter_count;
    const size_t ports = (size_t)list->place_count * (size_t)list->port_count;
    const size_t size = (size_t)antennas_of_place(list) * (size_t)list->transmitter_ports;
    TRY(links_create(list, links, error));
    work->response = allocate(ports * senders * frequencies, 2 * sizeof(double), "the channels of all pairs", error);
    work->own = allocate(size * frequencies, 2 * sizeof(double), "a channel", error);
    TRY_MADE(work->response != NULL && work->own != NULL);
    const pw_pairs pairs = {.response = work->response};
    TRY(pw_pairs_compute(list->result, &work->options->pairs, &pairs, error));
    struct mimo_link *link = links->link;
    for (int from = 0; from < list->transmitter_count; from += list->transmitter_ports) {
        for (int first = 0; first < list->place_count; first += list->place_ports) {
            TRY(link_read(work, first, from, link++, error));
        }
    }
    return PW_OK;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void scale_write(const struct mimo_links *links, const pw_mimo_options *options, FILE *file)
{
    if (!isnan(options->snr)) {
        fprintf(file, "# every link is scaled to an SNR of %g dB in the mean over antennas and frequencies\n",
                options->snr);
        return;
    }
    fprintf(file,
            "# SNR by the powers of the result, a noise figure of %g dB and a bandwidth of %g MHz; of one antenna with "
            "the power of all\n",
            options->noise_figure, 1e-6 * options->noise_bandwidth);
    (void)links;
}

/* Means over the band of each singular value, dB under the largest one's. */
static void values_write(const struct mimo_links *links, const struct mimo_link *link, FILE *file)
{
    double first = NAN;
    for (int s = 0; s < links->streams; s++) {
        double power = 0;
        int usable = 0;
        for (int f = 0; f < links->frequency_count; f++) {
            const double value = link->values[f * links->streams + s];
            power += isnan(value) ? 0 : value * value;
            usable += !isnan(value);
        }
        const double level = 10 * log10(power / usable);
        first = s == 0 ? level : first;
        pw_csv_write(file, ",%.6g", s == 0 ? level : level - first);
    }
}

static void table_write(const struct reading_links *work, const struct mimo_links *links, FILE *file)
{
    fprintf(file, "# planwave %s: channels between arrays of %s\n", PW_VERSION, work->list->result->path);
    scale_write(links, work->options, file);
    fprintf(file, "# rank: singular values within %g dB of the largest; nan: not defined\n", work->options->depth);
    fprintf(file, "transmitter,receiver,x_m,y_m,distance_m,tx_antennas,rx_antennas,gain_dB,snr_dB,rank,condition_dB,"
                  "capacity_bit_s_Hz,water_filling_bit_s_Hz,tx_beam_dB,rx_beam_dB,tx_correlation,rx_correlation,"
                  "cross_polar_dB,singular_1_dB");
    for (int s = 1; s < links->streams; s++) {
        fprintf(file, ",singular_%d_under_1_dB", s + 1);
    }
    fputc('\n', file);
    for (int n = 0; n < links->count; n++) {
        const struct mimo_link *link = &links->link[n];
        const pw_mimo_metrics *m = &link->metrics;
        pw_csv_write(file, "\"%s\",\"%s\",%.6g,%.6g,%.6g,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g",
                     link->transmitter, link->receiver, link->x, link->y, link->distance, link->transmitters,
                     link->receivers, m->gain_db, m->snr_db, m->rank, m->condition_db, m->capacity, m->water_capacity,
                     m->transmitter_beam_db, m->receiver_beam_db, m->transmitter_correlation, m->receiver_correlation,
                     m->cross_polar_db);
        values_write(links, link, file);
        fputc('\n', file);
    }
}

static void links_report(const struct mimo_links *links, FILE *report)
{
    fprintf(report, "  %-14s %-14s %8s %10s %6s %20s %16s\n", "from", "to", "antennas", "SNR", "rank",
            "capacity [bit/s/Hz]", "water filling");
    for (int n = 0; n < links->count && n < REPORTED_LINKS; n++) {
        const struct mimo_link *link = &links->link[n];
        const int from = pw_text_field(link->transmitter, 14), to = pw_text_field(link->receiver, 14);
        fprintf(report, "  %-*.*s %-*.*s %4d x %-3d %7.1f dB %6.2f %20.2f %16.2f\n", from, from, link->transmitter, to,
                to, link->receiver, link->receivers, link->transmitters, link->metrics.snr_db, link->metrics.rank,
                link->metrics.capacity, link->metrics.water_capacity);
    }
    if (links->count > REPORTED_LINKS) {
        fprintf(report, "  ... and %d more links\n", links->count - REPORTED_LINKS);
    }
}

static pw_status outputs_write(const struct reading_links *work, const struct mimo_links *links,
                               const pw_mimo_files *files, FILE *report, pw_error *error)
{
    if (files->csv != NULL) {
        FILE *file = disk_create(files->csv, error);
        TRY_MADE(file);
        table_write(work, links, file);
        TRY(disk_conclude(file, files->csv, PW_OK, error));
    }
    if (report != NULL) {
        links_report(links, report);
    }
    TRY(files->picture != NULL ? mimo_plot(links, files->picture, error) : PW_OK);
    return files->map != NULL ? mimo_map(links, work->list->result, files->map, error) : PW_OK;
}

static pw_status options_check(const pw_mimo_options *options, pw_error *error)
{
    if (!(isnan(options->snr) || (options->snr >= -100 && options->snr <= 200))) {
        return fail(error, PW_USAGE, "an SNR of %g dB; allowed are -100 to 200 dB", options->snr);
    }
    if (!(options->depth > 0 && options->depth <= 300)) {
        return fail(error, PW_USAGE, "a depth of %g dB for the rank; allowed are over 0 to 300 dB", options->depth);
    }
    return PW_OK;
}

struct mimo_all {
    struct pair_list list;
    struct mimo_links links;
    struct reading_links work;
    pw_mimo_options options;
};

pw_status pw_mimo_solve(const pw_result *result, const pw_mimo_options *options, pw_mimo_links **links, pw_error *error)
{
    FAIL_IF(result == NULL || links == NULL, error, PW_USAGE, "pw_mimo_solve: no %s given",
            result == NULL ? "result" : "links");
    struct mimo_all *made = allocate(1, sizeof *made, "links between arrays", error);
    TRY_MADE(made);
    made->options = options != NULL ? *options : pw_mimo_options_default();
    made->work = (struct reading_links){.list = &made->list, .options = &made->options};
    pw_status status = options_check(&made->options, error);
    THEN(status, pair_list_create(result, &made->options.pairs, &made->list, error));
    THEN(status, pair_list_whole(&made->list, error));
    THEN(status, links_read(&made->work, &made->links, error));
    if (status != PW_OK) {
        pw_mimo_free(made);
        return status;
    }
    *links = made;
    return PW_OK;
}

void pw_mimo_free(pw_mimo_links *links)
{
    if (links == NULL) {
        return;
    }
    links_free(&links->links);
    free(links->work.response);
    free(links->work.own);
    pair_list_free(&links->list);
    free(links);
}

pw_mimo_shape pw_mimo_describe(const pw_mimo_links *links)
{
    const struct mimo_links *all = &links->links;
    return (pw_mimo_shape){all->count, all->streams, all->frequency_count, all->frequency};
}

pw_mimo_link pw_mimo_link_of(const pw_mimo_links *links, int link)
{
    const struct mimo_link *one = &links->links.link[link];
    return (pw_mimo_link){.transmitter = one->transmitter,
                          .receiver = one->receiver,
                          .transmitters = one->transmitters,
                          .receivers = one->receivers,
                          .x = one->x,
                          .y = one->y,
                          .distance = one->distance,
                          .metrics = one->metrics,
                          .values = one->values};
}

pw_status pw_mimo_write(const pw_result *result, const pw_mimo_options *options, const pw_mimo_files *files,
                        FILE *report, pw_error *error)
{
    struct mimo_all *all = NULL;
    FAIL_IF(result == NULL || files == NULL, error, PW_USAGE, "pw_mimo_write: no %s given",
            result == NULL ? "result" : "files");
    TRY(pw_mimo_solve(result, options, &all, error));
    const pw_status status = outputs_write(&all->work, &all->links, files, report, error);
    pw_mimo_free(all);
    return status;
}
