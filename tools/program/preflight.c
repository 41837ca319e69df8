/* The pre-flight table: what will be solved, how well the grid resolves it, what it will take. */
#include "program/preflight.h"

#include <string.h>

enum { PAGE = 112, INDENT = 16 }; /* letters of a line, and before its text */

static const double DEGREES = 57.29577951308232;

/* A number for people: two significant figures. */
static const char *two(double value, char text[PW_NUMBER_SIZE])
{
    return pw_number_text(value, 2, text);
}

/* Words in lines of PAGE letters at most. */
static void print_wrapped(const char *text, FILE *stream)
{
    int column = PAGE;
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column + 1 + length > PAGE) {
            fprintf(stream, "%s%*s", column < PAGE || length > 0 ? (column == PAGE ? "" : "\n") : "", INDENT, "");
            column = INDENT;
        } else {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

/* Powers, then the field, each at the three depths. */
static void print_depths(const pw_facts *facts, FILE *stream)
{
    char local[3][PW_NUMBER_SIZE], field[3][PW_NUMBER_SIZE];
    for (int d = 0; d < 3; d++) {
        two(facts->local_mean_error_by_depth[d], local[d]);
        two(100 * facts->field_error_by_depth[d], field[d]);
    }
    fprintf(stream,
            "                strongest half of the floor: local means %s dB, field %s %%\n"
            "                20 dB below it: %s dB, %s %%; 40 dB below it: %s dB, %s %%\n",
            local[0], field[0], local[1], field[1], local[2], field[2]);
}

/* What delays and phases need, where they were asked for. */
static void print_phase_cost(const pw_facts *facts, double seconds, FILE *stream)
{
    char field[PW_NUMBER_SIZE], times[PW_NUMBER_SIZE], time[32];
    if (facts->phase_cost > 0) {
        fprintf(
            stream,
            "  phases        the field is forecast to be off by %s %%. For delays and phases write 'accuracy: 10 %%':\n"
            "                it takes about %s times as long",
            two(100 * facts->field_error, field), two(facts->phase_cost, times));
        if (seconds > 0) {
            fprintf(stream, ", %s", format_seconds(facts->phase_cost * seconds, time, sizeof time));
        }
        fputc('\n', stream);
    }
}

/* Root mean squares over the floor; the field itself is for those who ask for details. */
static void print_forecast(const pw_facts *facts, bool verbose, FILE *stream)
{
    char delay[32], a[PW_NUMBER_SIZE], b[PW_NUMBER_SIZE], c[PW_NUMBER_SIZE];
    fprintf(stream, "  forecast      local means within %s dB, single points within %s dB, delay spreads within %s\n",
            two(facts->local_mean_error, a), two(facts->point_error, b),
            format_si(facts->delay_error, "s", delay, sizeof delay));
    print_depths(facts, stream);
    fprintf(stream, "                (root mean squares over the floor%s; half or twice as much is possible)\n",
            facts->dimensions == 3 ? " of the transmitter's storey, by a law fitted in two dimensions"
            : facts->has_walls     ? ""
                                   : ", an empty one");
    print_wrapped(pw_forecast_words(false), stream);
    if (facts->advised_cell > 0) {
        fprintf(stream, "                for the wanted accuracy, set grid.cell to %s cm or 'cell: auto'\n",
                pw_number_text(100 * facts->advised_cell, 3, a));
    }
    if (verbose) {
        fprintf(stream, "                complex field within %s %%; phase in air within %s rad/m (%s deg/m)\n",
                two(100 * facts->field_error, a), two(facts->phase_error_per_metre, b),
                two(facts->phase_error_per_metre * DEGREES, c));
    }
}

static void print_choices(const pw_setup *setup, FILE *stream)
{
    for (size_t c = 0; c < pw_setup_choice_count(setup); c++) {
        fprintf(stream, "  %-13s %s\n", c == 0 ? "chosen" : "", pw_setup_choice(setup, c));
    }
}

static void print_spectra(const pw_facts *facts, FILE *stream)
{
    char bytes[32];
    if (facts->frequency_count == 0) {
        fprintf(stream, "  spectra       none\n");
        return;
    }
    double points = (double)facts->spectra_rows * facts->spectra_columns * facts->transmitter_count;
    if (facts->horizontal) {
        fprintf(stream,
                "  spectra       %d frequencies at %d points of %d component%s, every %d steps; %s in the result\n",
                facts->frequency_count, facts->spectra_rows, facts->sheet_count, facts->sheet_count == 1 ? "" : "s",
                facts->spectra_every, format_bytes(8.0 * points * facts->frequency_count, bytes, sizeof bytes));
        return;
    }
    if (facts->dimensions == 3) {
        fprintf(stream, "  spectra       %d frequencies at %d points of %d plane%s, every %d steps; %s in the result\n",
                facts->frequency_count, facts->spectra_rows, facts->sheet_count, facts->sheet_count == 1 ? "" : "s",
                facts->spectra_every, format_bytes(8.0 * points * facts->frequency_count, bytes, sizeof bytes));
        return;
    }
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
        char beside[PW_NUMBER_SIZE];
        fprintf(stream, "                and %d taken from the spectra, up to %s cm beside\n",
                facts->lattice_receiver_count, pw_number_text(100.0 * facts->lattice_receiver_offset, 2, beside));
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

/* "16 of absorber on each side but x_low, y_high": as a scenario names the sides. */
static void print_absorber(const pw_facts *facts, FILE *stream)
{
    fprintf(stream, "%d of absorber on each side", facts->absorber_cells);
    int bare = 0;
    for (int s = 0; facts->absorber_cells > 0 && s < 2 * facts->dimensions; s++) {
        if ((s % 2 == 0 ? facts->absorber_low : facts->absorber_high)[s / 2] == 0) {
            fprintf(stream, "%s%c_%s", bare++ == 0 ? " but " : ", ", "xyz"[s / 2], s % 2 == 0 ? "low" : "high");
        }
    }
    fputc('\n', stream);
}

static void print_ranks(const pw_facts *facts, const pw_forecast *forecast, FILE *stream)
{
    char bytes[32], memory[32], first[32], overlap[PW_NUMBER_SIZE], share[PW_NUMBER_SIZE], link[PW_NUMBER_SIZE];
    fprintf(stream, "  ranks         %d, the grid cut into %d x %d", forecast->ranks, forecast->parts[0],
            forecast->parts[1]);
    if (facts->dimensions == 3) {
        fprintf(stream, " x %d", forecast->parts[2]);
    }
    fprintf(stream, " parts that overlap by %s %%; %s exchanged every %d steps by a part\n",
            pw_number_text(100 * forecast->overlap, 3, overlap),
            format_bytes((double)forecast->exchanged_bytes, bytes, sizeof bytes), forecast->depth);
    if (forecast->link_bytes_per_second > 0) {
        fprintf(stream, "                about %s %% of the time, at %s GB/s between ranks as tried out just now\n",
                two(100 * forecast->exchange_share, share), two(1e-9 * forecast->link_bytes_per_second, link));
    }
    fprintf(stream, "                rank 0 holds %s, each other one %s at most\n%s",
            format_bytes((double)forecast->first_rank_bytes, first, sizeof first),
            format_bytes((double)forecast->rank_bytes, memory, sizeof memory),
            facts->transmitter_count > 1 ? "                one transmitter after the other, each on all ranks\n" : "");
}

/* "3 x 2 parts", and of three dimensions the third number. */
static void print_parts(const pw_facts *facts, const pw_forecast *forecast, FILE *stream)
{
    fprintf(stream, "%d x %d", forecast->parts[0], forecast->parts[1]);
    if (facts->dimensions == 3) {
        fprintf(stream, " x %d", forecast->parts[2]);
    }
    fputs(" parts", stream);
}

static void print_devices(const pw_facts *facts, const pw_forecast *forecast, FILE *stream)
{
    char bytes[32], overlap[PW_NUMBER_SIZE];
    const int left = forecast->together > 1 ? facts->transmitter_count % forecast->together : 0;
    fprintf(stream, "  devices       ");
    if (forecast->together > 1) {
        fprintf(stream, "%d transmitters at a time, each on its own device\n", forecast->together);
        if (left == 0) {
            return;
        }
        fprintf(stream, "                for the last%s, ", left > 1 ? " ones" : "");
    }
    fprintf(stream, "the grid cut into ");
    print_parts(facts, forecast, stream);
    fprintf(stream, " that overlap by %s %%; %s exchanged every %d steps by a part\n",
            pw_number_text(100 * forecast->overlap, 3, overlap),
            format_bytes((double)forecast->exchanged_bytes, bytes, sizeof bytes), forecast->depth);
}

static void print_turns(const pw_facts *facts, const pw_forecast *forecast, FILE *stream)
{
    fprintf(stream, "  turns         the grid does not fit the device: ");
    print_parts(facts, forecast, stream);
    fprintf(stream,
            " take turns of %d steps there, with\n"
            "                all of it in host memory; the link moves %.3g GB a second each way\n",
            forecast->depth, forecast->link / 1e9);
}

void preflight_print(const pw_setup *setup, const pw_forecast *forecast, pw_precision precision, bool verbose,
                     FILE *stream)
{
    char step[32], duration[32], time[32];
    const pw_facts known = pw_setup_facts(setup), *facts = &known;
    fprintf(stream, "%s\n", facts->title);
    fprintf(stream, "  grid          %d x %d ", facts->nx, facts->ny);
    if (facts->dimensions == 3) {
        char cells[PW_NUMBER_SIZE];
        fprintf(stream, "x %d = %s million ", facts->nz,
                pw_number_text(1e-6 * facts->nx * facts->ny * facts->nz, 3, cells));
    }
    char number[PW_NUMBER_SIZE], limit[PW_NUMBER_SIZE];
    fprintf(stream, "cells of %s cm, ", pw_number_text(100.0 * facts->cell, 3, number));
    print_absorber(facts, stream);
    if (facts->horizontal) {
        fprintf(stream, "  polarisation  horizontal: Ex, Ey and Hz\n");
    }
    fprintf(stream, "  scheme        %s, walls averaged by %s, %d %s", facts->scheme, facts->averaging,
            facts->palette_count, facts->palette_count == 1 ? "medium" : "different media");
    if (facts->quantisation_error > 0.0) {
        fprintf(stream, " (permittivity within %.1g)", facts->quantisation_error);
    }
    if (facts->raised_nodes > 0) {
        fprintf(stream, ", raised at %lld nodes in corners and beside strong contrasts",
                (long long)facts->raised_nodes);
    }
    fputc('\n', stream);
    fprintf(stream, "  time          %lld steps of %s at most, %s in all\n", (long long)facts->steps,
            format_si(facts->time_step, "s", step, sizeof step),
            format_si(facts->time_step * (double)facts->steps, "s", duration, sizeof duration));
    fprintf(stream, "  Courant       %s, the scheme's limit here is %s\n", pw_number_text(facts->courant, 3, number),
            pw_number_text(facts->courant_limit, 3, limit));
    fprintf(stream, "  resolution    %.1f cells per wavelength in the slowest material, at the upper band edge\n",
            facts->cells_per_wavelength);
    print_choices(setup, stream);
    print_forecast(facts, verbose, stream);
    print_phase_cost(facts, forecast->seconds, stream);
    print_stations(facts, stream);
    print_spectra(facts, stream);
    fprintf(stream, "  backend       %s on %s, %s precision\n", forecast->backend, forecast->device,
            precision == PW_DOUBLE ? "double" : "single");
    if (forecast->ranks > 1) {
        print_ranks(facts, forecast, stream);
    }
    if (forecast->devices > 1) {
        print_devices(facts, forecast, stream);
    }
    if (forecast->turns > 0) {
        print_turns(facts, forecast, stream);
    }
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
        fprintf(stream, "  will take     about %s%s, at %.0f million cells a second %s\n",
                format_seconds(forecast->seconds, time, sizeof time),
                facts->expected_steps < facts->steps ? " until the energy has gone" : "",
                forecast->cells_per_second / 1e6,
                forecast->turns > 0 ? "by the speed of that link and of the device, as tried out just now"
                                    : "as tried out just now");
        if (forecast->rest_share > 0.01) {
            fprintf(stream, "                less the %.0f %% of it that is at rest until the wave comes\n",
                    100 * forecast->rest_share);
        }
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
    fprintf(stream,
            ", \"scheme\": \"%s\", \"averaging\": \"%s\", \"dimensions\": %d, \"nx\": %d, \"ny\": %d, \"nz\": %d, "
            "\"absorber_cells\": %d, \"cell\": %.9g, "
            "\"time_step\": %.9g, \"steps\": %lld, \"courant\": %.6g, \"courant_limit\": %.6g, "
            "\"cells_per_wavelength\": %.6g, \"phase_error_per_metre\": %.6g, \"field_error\": %.4g, "
            "\"local_mean_error_db\": %.4g, \"point_error_db\": %.4g, \"delay_error\": %.4g, "
            "\"local_mean_error_db_by_depth\": [%.4g, %.4g, %.4g], \"field_error_by_depth\": [%.4g, %.4g, %.4g], "
            "\"phase_cost\": %.4g, ",
            facts->scheme, facts->averaging, facts->dimensions, facts->nx, facts->ny, facts->nz, facts->absorber_cells,
            facts->cell, facts->time_step, (long long)facts->steps, facts->courant, facts->courant_limit,
            facts->cells_per_wavelength, facts->phase_error_per_metre, facts->field_error, facts->local_mean_error,
            facts->point_error, facts->delay_error, facts->local_mean_error_by_depth[0],
            facts->local_mean_error_by_depth[1], facts->local_mean_error_by_depth[2], facts->field_error_by_depth[0],
            facts->field_error_by_depth[1], facts->field_error_by_depth[2], facts->phase_cost);
    fprintf(
        stream,
        "\"transmitters\": %d, \"receivers\": %d, \"frequencies\": %d, \"spectra_rows\": %d, \"spectra_columns\": %d, "
        "\"spectra_every\": %d, \"precision\": \"%s\", \"backend\": \"%s\", \"device\": ",
        facts->transmitter_count, facts->receiver_count, facts->frequency_count, facts->spectra_rows,
        facts->spectra_columns, facts->spectra_every, precision == PW_DOUBLE ? "double" : "single", forecast->backend);
    print_json_text(forecast->device, stream);
    fprintf(stream,
            ", \"ranks\": %d, \"parts\": [%d, %d, %d], \"rank_bytes\": %llu, \"exchanged_bytes\": %llu, "
            "\"exchange_every\": %d, \"first_rank_bytes\": %llu, \"exchange_share\": %.3g, "
            "\"link_bytes_per_second\": %.4g, \"devices\": %d, \"transmitters_together\": %d, \"turns\": %d",
            forecast->ranks, forecast->parts[0], forecast->parts[1], forecast->parts[2],
            (unsigned long long)forecast->rank_bytes, (unsigned long long)forecast->exchanged_bytes, forecast->depth,
            (unsigned long long)forecast->first_rank_bytes, forecast->exchange_share, forecast->link_bytes_per_second,
            forecast->devices > 1 ? forecast->devices : 1, forecast->together > 1 ? forecast->together : 1,
            forecast->turns);
    fprintf(stream, ", \"host_bytes\": %llu, \"device_bytes\": %llu, \"seconds_predicted\": %.4g}\n",
            (unsigned long long)forecast->host_bytes, (unsigned long long)forecast->device_bytes, forecast->seconds);
    fflush(stream);
}
