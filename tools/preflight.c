/* The pre-flight table: what will be solved, how well the grid resolves it, what it will take. */
#include "tools/preflight.h"

#include <math.h>

static const double DEGREES = 57.29577951308232;

/* Told with the little that is known of it: a factor of two either way. */
static void print_error(double predicted, FILE *stream)
{
    fputs("  error         ", stream);
    if (predicted < 1) {
        fprintf(stream,
                "about %.2g %% of the field 2.5 m from a transmitter, through walls; may be half or twice as much",
                100 * predicted);
    } else {
        fputs("as large as the field itself 2.5 m from a transmitter, through walls", stream);
    }
    fprintf(stream, "%s\n", predicted > 0.3 ? ": take smaller cells" : "");
}

static void print_resolution(const pw_facts *facts, FILE *stream)
{
    double across =
        facts->cell * hypot(facts->nx - 2.0 * facts->absorber_cells, facts->ny - 2.0 * facts->absorber_cells);
    fprintf(stream, "  resolution    %.1f cells per wavelength in the slowest material, at the upper band edge\n",
            facts->cells_per_wavelength);
    fprintf(stream, "  phase error   about %.2g rad/m in air there (%.2g deg/m), %.2g rad from corner to corner\n",
            facts->phase_error_per_metre, facts->phase_error_per_metre * DEGREES,
            facts->phase_error_per_metre * across);
    print_error(facts->predicted_error, stream);
}

static void print_spectra(const pw_facts *facts, FILE *stream)
{
    char bytes[32];
    if (facts->frequency_count == 0) {
        fprintf(stream, "  spectra       none\n");
        return;
    }
    double points = (double)facts->spectra_rows * facts->spectra_columns * facts->transmitter_count;
    fprintf(stream, "  spectra       %d frequencies at %d x %d points, every %d steps; %s in the result\n",
            facts->frequency_count, facts->spectra_columns, facts->spectra_rows, facts->spectra_every,
            format_bytes(8.0 * points * facts->frequency_count, bytes, sizeof bytes));
}

static void print_stations(const pw_facts *facts, FILE *stream)
{
    fprintf(stream, "  stations      %d transmitter%s, %d receiver%s%s\n", facts->transmitter_count,
            facts->transmitter_count == 1 ? "" : "s", facts->receiver_count, facts->receiver_count == 1 ? "" : "s",
            facts->lattice_receiver_count > 0 ? " recorded at every step" : "");
    if (facts->lattice_receiver_count > 0) {
        fprintf(stream, "                and %d taken from the spectra, up to %.2g cm beside\n",
                facts->lattice_receiver_count, 100.0 * facts->lattice_receiver_offset);
    }
}

static void print_memory(const char *where, uint64_t needed, uint64_t available, FILE *stream)
{
    char need[32], free[32];
    fprintf(stream, "%s %s", where, format_bytes((double)needed, need, sizeof need));
    if (available > 0) {
        fprintf(stream, " (%s free)", format_bytes((double)available, free, sizeof free));
    }
}

void preflight_print(const pw_facts *facts, const pw_forecast *forecast, pw_precision precision, FILE *stream)
{
    char step[32], duration[32], time[32];
    fprintf(stream, "%s\n", facts->title);
    fprintf(stream, "  grid          %d x %d cells of %.4g cm, %d of absorber on each side\n", facts->nx, facts->ny,
            100.0 * facts->cell, facts->absorber_cells);
    fprintf(stream, "  scheme        %s, walls averaged by %s, %d %s", facts->scheme, facts->averaging,
            facts->palette_count, facts->palette_count == 1 ? "medium" : "different media");
    if (facts->quantisation_error > 0.0) {
        fprintf(stream, " (permittivity within %.1g)", facts->quantisation_error);
    }
    fputc('\n', stream);
    fprintf(stream, "  time          %lld steps of %s at most, %s in all\n", (long long)facts->steps,
            format_si(facts->time_step, "s", step, sizeof step),
            format_si(facts->time_step * (double)facts->steps, "s", duration, sizeof duration));
    fprintf(stream, "  Courant       %.4g, the scheme's limit here is %.4g\n", facts->courant, facts->courant_limit);
    print_resolution(facts, stream);
    print_stations(facts, stream);
    print_spectra(facts, stream);
    fprintf(stream, "  backend       %s on %s, %s precision\n", forecast->backend, forecast->device,
            precision == PW_DOUBLE ? "double" : "single");
    print_memory("  memory        host", forecast->host_bytes, forecast->host_available, stream);
    if (forecast->device_bytes > 0) {
        print_memory(", device", forecast->device_bytes, forecast->device_available, stream);
    }
    fputc('\n', stream);
    if (forecast->spectra_host_bytes > 0) {
        char bytes[32];
        fprintf(stream, "                the spectra do not fit the device: %s in host memory, added part by part\n",
                format_bytes((double)forecast->spectra_host_bytes, bytes, sizeof bytes));
    }
    if (forecast->seconds > 0.0) {
        fprintf(stream, "  will take     about %s, at %.0f million cells a second as tried out just now\n",
                format_seconds(forecast->seconds, time, sizeof time), forecast->cells_per_second / 1e6);
    }
    fflush(stream);
}

void print_json_text(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') {
            fprintf(stream, "\\%c", letter);
        } else if (letter < 0x20) {
            fprintf(stream, "\\u%04x", letter);
        } else {
            fputc(letter, stream);
        }
    }
    fputc('"', stream);
}

void preflight_print_json(const pw_facts *facts, const pw_forecast *forecast, pw_precision precision, FILE *stream)
{
    fprintf(stream, "{\"event\": \"start\", \"title\": ");
    print_json_text(facts->title, stream);
    fprintf(
        stream,
        ", \"scheme\": \"%s\", \"averaging\": \"%s\", \"nx\": %d, \"ny\": %d, \"absorber_cells\": %d, \"cell\": %.9g, "
        "\"time_step\": %.9g, \"steps\": %lld, \"courant\": %.6g, \"courant_limit\": %.6g, "
        "\"cells_per_wavelength\": %.6g, \"phase_error_per_metre\": %.6g, \"predicted_error\": %.6g, ",
        facts->scheme, facts->averaging, facts->nx, facts->ny, facts->absorber_cells, facts->cell, facts->time_step,
        (long long)facts->steps, facts->courant, facts->courant_limit, facts->cells_per_wavelength,
        facts->phase_error_per_metre, facts->predicted_error);
    fprintf(
        stream,
        "\"transmitters\": %d, \"receivers\": %d, \"frequencies\": %d, \"spectra_rows\": %d, \"spectra_columns\": %d, "
        "\"spectra_every\": %d, \"precision\": \"%s\", \"backend\": \"%s\", \"device\": ",
        facts->transmitter_count, facts->receiver_count, facts->frequency_count, facts->spectra_rows,
        facts->spectra_columns, facts->spectra_every, precision == PW_DOUBLE ? "double" : "single", forecast->backend);
    print_json_text(forecast->device, stream);
    fprintf(stream, ", \"host_bytes\": %llu, \"device_bytes\": %llu, \"seconds_predicted\": %.4g}\n",
            (unsigned long long)forecast->host_bytes, (unsigned long long)forecast->device_bytes, forecast->seconds);
    fflush(stream);
}
