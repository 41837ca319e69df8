/* The access points of an import: those that the file has, and those that the user names (import.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

/* ---- the list ---- */

/* The place of a page among those that are taken; -1: it is none of them. */
static int page_place(const struct import *import, int page)
{
    for (int p = import->page_count - 1; p >= 0; p--) {
        if (import->pages[p] == page) {
            return p;
        }
    }
    return -1;
}

/* The next "key=value" at *words, which goes behind its comma; commas within brackets and quotes part nothing. False
 * after the last. */
static bool pair_next(const char **words, const char **key, size_t *key_length, size_t *length)
{
    const char *at = *words + strspn(*words, " ,");
    char quote = '\0';
    int depth = 0;
    *key = at;
    for (; *at != '\0' && !(*at == ',' && depth == 0 && quote == '\0'); at++) {
        if (quote != '\0') {
            quote = (char)(*at == quote ? '\0' : quote);
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        }
    }
    *length = (size_t)(at - *key);
    const char *equal = memchr(*key, '=', *length);
    *key_length = equal != NULL ? (size_t)(equal - *key) : *length;
    *words = at;
    return *length > 0;
}

/* "name=west" among the words; "" where it is not. */
static void name_take(const char *words, char name[PW_NAME_SIZE])
{
    name[0] = '\0';
    const char *key = NULL;
    size_t key_length = 0, length = 0;
    while (words != NULL && pair_next(&words, &key, &key_length, &length)) {
        if (key_length == 4 && strncmp(key, "name", 4) == 0 && length > 5) {
            snprintf(name, PW_NAME_SIZE, "%.*s", (int)(length - 5), key + 5);
        }
    }
}

static bool is_taken(const struct import_station *stations, size_t count, size_t own)
{
    for (size_t n = 0; n < count; n++) {
        if (n != own && strcmp(stations[n].name, stations[own].name) == 0) {
            return true;
        }
    }
    return false;
}

/* Names for those that have none, which nobody else has: ap1, ap2 and so on of the file; of the user tx of one alone,
 * else tx1, tx2 and so on. */
static void names_give(struct import_station *stations, size_t count, size_t said)
{
    for (size_t n = 0; n < count; n++) {
        const bool asked = n >= count - said;
        size_t number = asked ? n - (count - said) + 1 : n + 1;
        bool wanted = stations[n].name[0] == '\0';
        for (; wanted; wanted = is_taken(stations, count, n)) {
            const char *form = !asked ? "ap%zu" : said > 1 || number > 1 ? "tx%zu" : "tx";
            snprintf(stations[n].name, sizeof stations[n].name, form, number);
            number++;
        }
    }
}

/* The names of the file, as scenarios may have them; "" where another has it already. Of two radios of one access point
 * the second becomes "lobby 2". */
static void names_of_file(struct import_station *stations, size_t count)
{
    enum { TRIES = 1000 };
    for (size_t n = 0; n < count; n++) {
        char name[PW_NAME_SIZE], wanted[PW_NAME_SIZE + 16];
        if (!pw_name_make(stations[n].radio->name, name)) {
            continue;
        }
        snprintf(stations[n].name, sizeof stations[n].name, "%s", name);
        for (int number = 2; is_taken(stations, n + 1, n) && number < TRIES; number++) {
            snprintf(wanted, sizeof wanted, "%s %d", name, number);
            if (!pw_name_make(wanted, stations[n].name)) {
                break;
            }
        }
        if (is_taken(stations, n + 1, n)) {
            stations[n].name[0] = '\0';
        }
    }
}

pw_status import_stations(const struct import *import, struct import_station **stations, size_t *count, pw_error *error)
{
    const struct drawing *drawing = &import->drawing;
    const pw_import_options *options = import->options;
    const double turn = options->turn * M_PI / 180;
    const struct drawing_place place = {
        .unit = import->unit, .cosine = cos(turn), .sine = sin(turn), .low = {import->region[0], import->region[1]}};
    *count = 0;
    *stations = allocate(drawing->radio_count + options->transmitter_count, sizeof **stations, "access points", error);
    TRY_MADE(*stations);
    for (size_t r = 0; r < drawing->radio_count; r++) {
        if (page_place(import, drawing->radios[r].page) >= 0) {
            struct drawing_point at = drawing_placed(&place, drawing->radios[r].at);
            struct import_station *own = &(*stations)[*count];
            *own = (struct import_station){.x = at.x, .y = at.y, .radio = &drawing->radios[r]};
            ++*count;
        }
    }
    names_of_file(*stations, *count);
    for (size_t t = 0; t < options->transmitter_count; t++) {
        struct import_station *own = &(*stations)[(*count)++];
        const char *words = options->transmitter_words != NULL ? options->transmitter_words[t] : NULL;
        *own = (struct import_station){
            .x = options->transmitters[2 * t], .y = options->transmitters[2 * t + 1], .words = words};
        name_take(words, own->name);
    }
    names_give(*stations, *count, options->transmitter_count);
    return PW_OK;
}

/* ---- the scenario ---- */

/* No drawing knows better where an access point hangs. */
static double to_a_millimetre(double value)
{
    return round(value * 1000) / 1000;
}

/* The channel of an access point of the file, where it is one of the band of the scenario: a middle [MHz] is base + 5 n
 * for channel n, of wide ones for the number of the whole or of a part. */
static bool radio_channel(const struct import *import, const struct drawing_radio *radio, pw_wifi_channel *channel)
{
    const double band = pw_wifi_band_near(radio->frequency);
    const double base = band == 2.4e9 ? 2407 : band == 5e9 ? 5000 : 5950;
    const double number = (radio->frequency * 1e-6 - base) / 5;
    return radio->width >= 0 && band > 0 && band == pw_wifi_band_near(import->frequency) &&
           fabs(number - round(number)) < 1e-6 &&
           pw_wifi_channel_find(band, (int)round(number), radio->width > 0 ? radio->width : 20e6, channel, NULL) ==
               PW_OK;
}

static void channel_write(FILE *out, const pw_wifi_channel *channel)
{
    if (channel->width == 20e6) {
        fprintf(out, ", channel: %d", channel->number);
    } else {
        fprintf(out, ", channel: {number: %d, width: %g MHz}", channel->number, channel->width * 1e-6);
    }
}

static void radio_write(FILE *out, const struct import *import, const struct import_station *station, bool heights)
{
    const struct drawing_radio *radio = station->radio;
    fprintf(out, "  - {name: \"%s\", at: [", station->name);
    import_write_value(out, "", to_a_millimetre(station->x), PW_DIMENSION_LENGTH);
    import_write_value(out, ", ", to_a_millimetre(station->y), PW_DIMENSION_LENGTH);
    fputc(']', out);
    if (heights && !isnan(radio->height)) {
        import_write_value(out, ", height: ", radio->height, PW_DIMENSION_LENGTH);
    }
    if (heights && import->page_count > 1) {
        fputs(", storey: ", out);
        import_write_storey(out, import->drawing.pages[radio->page].name, page_place(import, radio->page) + 1);
    }
    if (!isnan(radio->power)) {
        import_write_value(out, ", power: ", radio->power, PW_DIMENSION_POWER);
    }
    pw_wifi_channel channel;
    if (radio_channel(import, radio, &channel)) {
        channel_write(out, &channel);
    }
    const bool other = radio->name[0] != '\0' && strcmp(radio->name, station->name) != 0;
    fputs(other ? "}   # " : "}", out);
    import_write_comment(out, other ? radio->name : "");
}

/* The user's words, as the scenario writes them: "power=20 dBm" becomes "power: 20 dBm". */
static void words_write(FILE *out, const struct import_station *station)
{
    const char *words = station->words, *key = NULL;
    size_t key_length = 0, length = 0;
    fprintf(out, "  - {name: %s, at: [%.10g m, %.10g m]", station->name, station->x, station->y);
    while (words != NULL && pair_next(&words, &key, &key_length, &length)) {
        if (!(key_length == 4 && strncmp(key, "name", 4) == 0)) {
            fprintf(out, ", %.*s: ", (int)key_length, key);
            fprintf(out, "%.*s", (int)(length > key_length ? length - key_length - 1 : 0), key + key_length + 1);
        }
    }
    fputs("}\n", out);
}

pw_status import_stations_write(FILE *out, const struct import *import, bool heights, pw_error *error)
{
    struct import_station *stations = NULL;
    size_t count = 0;
    TRY(import_stations(import, &stations, &count, error));
    if (count > 0) {
        fprintf(out, "transmitters:%s\n", stations[0].radio != NULL ? "   # access points of the file" : "");
    }
    for (size_t n = 0; n < count; n++) {
        if (stations[n].radio != NULL) {
            radio_write(out, import, &stations[n], heights);
        } else {
            words_write(out, &stations[n]);
        }
    }
    if (count == 0) {
        fprintf(out,
                "# Where do the transmitters stand? In metres, from the lower left corner of the plan:\n"
                "# transmitters:\n#   - {name: ap, at: [%.3g m, %.3g m]}\n",
                0.5 * (import->region[2] - import->region[0]) * import->unit,
                0.5 * (import->region[3] - import->region[1]) * import->unit);
    }
    free(stations);
    return PW_OK;
}
