/* The channel between two stations as the scattering parameters of a multiport: Touchstone 1. Ports are the antennas of
 * the transmitter, then those of the receiver. What antennas of one station do to each other is not solved. */
#include "base/file/atomic_file.h"
#include "channel/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is printed. */
struct multiport {
    const struct pair_list *list;
    int sent, taken;  /* antennas of the transmitter, of the receiver */
    double *response; /* (taken, sent, frequency_count, 2), owned */
};

static void head_print(const struct multiport *ports, FILE *file)
{
    const struct pair_list *list = ports->list;
    fprintf(
        file,
        "! planwave %s: %s\n"
        "! Transmission between antennas of the two stations: the transfer function between isotropic antennas with "
        "free space loss,\n"
        "!     c/(4 pi f d) in free space at the distance d, phase exp(-j 2 pi f d/c). No EIRP, no antenna gain. "
        "Reciprocal.\n"
        "! Not solved, and written as 0: reflection of an antenna, coupling between antennas of one station.\n"
        "! Reference: 50 ohm at every port, to which every antenna is taken to be matched.\n",
        PW_VERSION, list->result->path);
    for (int n = 0; n < ports->sent + ports->taken; n++) {
        const bool sends = n < ports->sent;
        const char *name = sends ? list->result->transmitters[list->transmitters[n]].name
                                 : list->places[(n - ports->sent) / list->port_count].name;
        fprintf(file, "! port %d: %s %s", n + 1, sends ? "transmitter" : "receiver", name);
        fprintf(file, !sends && list->port_count > 1 ? ", %s\n" : "\n",
                sends ? "" : result_component_word(list->result, list->port[(n - ports->sent) % list->port_count]));
    }
    fprintf(file, "! Masked frequencies are left out.\n# Hz S RI R 50\n");
}

/* S between two ports at a frequency: 0 within a station. */
static void value_find(const struct multiport *ports, int to, int from, int f, double value[2])
{
    const int sender = to < from ? to : from, receiver = (to < from ? from : to) - ports->sent;
    const struct result *result = ports->list->result;
    value[0] = value[1] = 0;
    if (sender < ports->sent && receiver >= 0) {
        const size_t at = (size_t)(receiver * ports->sent + sender) * (size_t)result->frequency_count + (size_t)f;
        const double scale = ports->list->centre / result->frequency[f]; /* it has c/(4 pi fc 1 m) */
        value[0] = scale * ports->response[2 * at];
        value[1] = scale * ports->response[2 * at + 1];
    }
}

/* Row by row, four pairs a line; of two ports S11 S21 S12 S22 in one, as the format wants it. */
static void ports_print(const struct multiport *ports, FILE *file)
{
    const int count = ports->sent + ports->taken;
    head_print(ports, file);
    for (int f = 0; f < ports->list->result->frequency_count; f++) {
        double value[2];
        value_find(ports, ports->sent, 0, f, value);
        if (isnan(value[0])) {
            continue;
        }
        fprintf(file, "%.12g", ports->list->result->frequency[f]);
        for (int n = 0; n < count * count; n++) {
            const int row = count == 2 ? n % 2 : n / count, column = count == 2 ? n / 2 : n % count;
            value_find(ports, row, column, f, value);
            fprintf(file, "%s%.9g %.9g", count > 2 && n > 0 && (column == 0 || column % 4 == 0) ? "\n " : " ", value[0],
                    value[1]);
        }
        fputc('\n', file);
    }
}

/* ".s8p" of eight antennas. */
static pw_status name_check(const char *path, int count, pw_error *error)
{
    char ending[16];
    const size_t length = strlen(path), tail = (size_t)snprintf(ending, sizeof ending, ".s%dp", count);
    return length > tail && strcasecmp(path + length - tail, ending) == 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "'%s': the two stations have %d antennas in all: the name ends in %s", path,
                      count, ending);
}

static pw_status file_write(const struct multiport *ports, const char *path, pw_error *error)
{
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    ports_print(ports, file);
    return disk_conclude(file, path, PW_OK, error);
}

pw_status pw_pairs_write_touchstone(const pw_result *result, const pw_pairs_options *options, const char *path,
                                    pw_error *error)
{
    const pw_pairs_options defaults = pw_pairs_options_default();
    struct pair_list list;
    FAIL_IF(result == NULL || path == NULL, error, PW_USAGE, "pw_pairs_write_touchstone: no %s given",
            result == NULL ? "result" : "name");
    options = options != NULL ? options : &defaults;
    pw_status status = pair_list_create(result, options, &list, error);
    struct multiport ports = {
        .list = &list, .sent = list.transmitter_count, .taken = list.place_count * list.port_count};
    if (status == PW_OK && (list.place_ports != list.place_count || list.transmitter_ports != list.transmitter_count)) {
        status = fail(error, PW_BAD_INPUT,
                      "'%s': a multiport is the channel of one transmitter and one receiver: name them", path);
    }
    THEN(status, name_check(path, ports.sent + ports.taken, error));
    if (status == PW_OK) {
        const size_t size = (size_t)ports.sent * (size_t)ports.taken * (size_t)result->frequency_count;
        ports.response = allocate(size, 2 * sizeof *ports.response, "a channel", error);
        const pw_pairs pairs = {.response = ports.response};
        status = ports.response != NULL ? pw_pairs_compute(result, options, &pairs, error) : PW_NO_RESOURCE;
    }
    THEN(status, file_write(&ports, path, error));
    free(ports.response);
    pair_list_free(&list);
    return status;
}
