/* Channels between arrays for the page (api/mimo.h): what planwave mimo tells of each link, and its singular values
 * over the band. Nothing where the stations of a result are single antennas, or differ in theirs. */
#include "report/report.h"

#include <math.h>

enum { LINKS_MOST = 2000, CURVES_MOST = 64, CURVE_POINTS = 128 };
static const double MEMORY_MOST = 1e9; /* bytes of all channels */

/* Whether there are arrays, and not too many channels for a page. */
static bool has_arrays(const pw_result *result, const pw_pairs_options *pairs)
{
    pw_pairs_shape shape;
    if (pw_pairs_describe(result, pairs, &shape, NULL) != PW_OK || shape.receiver_ports < 1 ||
        shape.transmitter_ports < 1 || (shape.receiver_ports == 1 && shape.transmitter_ports == 1)) {
        return false;
    }
    const double channels = (double)shape.receiver_count * shape.port_count * shape.transmitter_count,
                 links = (double)(shape.receiver_count / shape.receiver_ports) *
                         (shape.transmitter_count / shape.transmitter_ports);
    return links <= LINKS_MOST && 16 * channels * shape.frequency_count <= MEMORY_MOST;
}

/* Of each stream a curve over the band, dB, thinned. */
static void curves_write(FILE *json, const pw_mimo_shape *shape, const pw_mimo_link *link)
{
    const int step = (shape->frequency_count - 1) / CURVE_POINTS + 1;
    fputs(",\"curves\":[", json);
    for (int s = 0; s < shape->streams; s++) {
        fputs(s > 0 ? ",[" : "[", json);
        for (int f = 0; f < shape->frequency_count; f += step) {
            const double value = link->values[f * shape->streams + s];
            fputs(f > 0 ? "," : "", json);
            pw_json_number_write(json, value > 0 ? round(2000 * log10(value)) / 100 : (double)NAN);
        }
        fputc(']', json);
    }
    fputc(']', json);
}

static void link_write(FILE *json, const pw_mimo_shape *shape, const pw_mimo_link *link, bool curves)
{
    const pw_mimo_metrics *m = &link->metrics;
    pw_json_write(
        json,
        "{\"transmitter\":%s,\"receiver\":%s,\"transmitters\":%d,\"receivers\":%d,\"x\":%g,\"y\":%g,\"snr\":%g,"
        "\"rank\":%g,\"condition\":%g,\"capacity\":%g,\"water\":%g,\"transmitter_beam\":%g,"
        "\"receiver_beam\":%g",
        link->transmitter, link->receiver, link->transmitters, link->receivers, link->x, link->y, m->snr_db, m->rank,
        m->condition_db, m->capacity, m->water_capacity, m->transmitter_beam_db, m->receiver_beam_db);
    if (curves) {
        curves_write(json, shape, link);
    }
    fputc('}', json);
}

pw_status report_json_mimo(FILE *json, const pw_result *result, const pw_report_options *options, pw_error *error)
{
    pw_mimo_options asked = pw_mimo_options_default();
    pw_mimo_links *links = NULL;
    asked.pairs.channel = options->channel;
    asked.pairs.transmitters = &options->transmitter;
    asked.pairs.transmitter_count = options->transmitter != NULL;
    if (!has_arrays(result, &asked.pairs)) {
        return PW_OK;
    }
    TRY(pw_mimo_solve(result, &asked, &links, error));
    const pw_mimo_shape shape = pw_mimo_describe(links);
    pw_json_write(json, "\"mimo\":{\"depth\":%g,\"band\":[%g,%g],\"links\":[", asked.depth, shape.frequency[0],
                  shape.frequency[shape.frequency_count - 1]);
    for (int n = 0; n < shape.count; n++) {
        const pw_mimo_link link = pw_mimo_link_of(links, n);
        fputs(n > 0 ? "," : "", json);
        link_write(json, &shape, &link, shape.count <= CURVES_MOST);
    }
    fputs("]},", json);
    pw_mimo_free(links);
    return PW_OK;
}
