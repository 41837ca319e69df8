/* The responses of all pairs and nothing else, as an array of numpy or as CSV. */
#include "base/file/atomic_file.h"
#include "channel/pairs.h"

#include <stdint.h>
#include <string.h>

/* Little-endian, as the header says. */
static void number_write(double number, FILE *file)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 4; byte++) {
        (void)fputc((int)(bits >> 8 * byte & 255U), file);
    }
}

/* Format: NEP 1, version 1.0. */
static void npy_write(const struct pair_list *list, const double *response, FILE *file)
{
    char header[128], shape[64], text[118];
    size_t count = (size_t)list->place_count * (size_t)list->transmitter_count * (size_t)list->response_count;
    snprintf(shape, sizeof shape, list->port_count > 1 ? "%d, %d" : "%d", list->place_count, list->port_count);
    int length = snprintf(text, sizeof text, "{'descr': '<c8', 'fortran_order': False, 'shape': (%s, %d, %d), }", shape,
                          list->transmitter_count, list->response_count);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* magic, version, length of the text */
    memset(header + 10, ' ', sizeof header - 11);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    fwrite(header, 1, sizeof header, file);
    for (size_t n = 0; n < 2 * count * (size_t)list->port_count; n++) {
        number_write(response[n], file);
    }
}

static void csv_write(const struct pair_list *list, const double *frequency, const double *response, FILE *file)
{
    const struct result *result = list->result;
    fprintf(
        file,
        "# planwave %s: H between isotropic antennas of all pairs of %s\n# free space: c/(4 pi fc d), fc the middle of "
        "the band, at every frequency\n# nan: the transmitter sends too little "
        "there\ntransmitter,receiver,component,frequency_Hz,H_re,H_im\n",
        PW_VERSION, result->path);
    const double *value = response;
    for (int p = 0; p < list->place_count; p++) {
        for (int port = 0; port < list->port_count; port++) {
            for (int t = 0; t < list->transmitter_count; t++) {
                for (int f = 0; f < list->response_count; f++, value += 2) {
                    pw_csv_write(file, "\"%s\",\"%s\",%s,%.12g,%.9g,%.9g\n",
                                 result->transmitters[list->transmitters[t]].name, list->places[p].name,
                                 result_component_word(result, list->port[port]), frequency[f], value[0], value[1]);
                }
            }
        }
    }
}

static pw_status response_write(const struct pair_list *list, const pw_pairs_options *options, const char *path,
                                pw_error *error)
{
    const size_t pairs = (size_t)list->place_count * (size_t)list->transmitter_count * (size_t)list->port_count;
    const size_t length = strlen(path), frequencies = (size_t)list->response_count;
    double *response = allocate(pairs * frequencies, 2 * sizeof *response, "responses", error);
    double *frequency = allocate(frequencies, sizeof *frequency, "frequencies", error);
    const pw_pairs values = {.frequency = frequency, .response = response};
    pw_status status = response != NULL && frequency != NULL ? pw_pairs_compute(list->result, options, &values, error)
                                                             : PW_NO_RESOURCE;
    FILE *file = status == PW_OK ? disk_create(path, error) : NULL;
    if (file == NULL) {
        status = status == PW_OK ? PW_NO_RESOURCE : status;
    } else {
        if (length > 4 && strcmp(path + length - 4, ".npy") == 0) {
            npy_write(list, response, file);
        } else {
            csv_write(list, frequency, response, file);
        }
        status = disk_finish(file, path, error);
    }
    FREE_ALL(response, frequency);
    return status;
}

pw_status pw_pairs_write_response(const pw_result *result, const pw_pairs_options *options, const char *path,
                                  pw_error *error)
{
    pw_pairs_options defaults = pw_pairs_options_default();
    OWNED_BY(pair_list_free) struct pair_list list = {0};
    FAIL_IF(result == NULL || path == NULL || path[0] == '\0', error, PW_USAGE, "pw_pairs_write_response: no %s given",
            result == NULL ? "result" : "name for the file");
    options = options != NULL ? options : &defaults;
    TRY(pair_list_create(result, options, &list, error));
    return response_write(&list, options, path, error);
}
