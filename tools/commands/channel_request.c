/* See channel_request.h. */
#include "commands/channel_request.h"

#include "program/map_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_LIMIT = 10000000, LINE_SIZE = 1024 };

pw_status channel_no_memory(void)
{
    complain("not enough memory for the points");
    return PW_NO_RESOURCE;
}

pw_status channel_add_place(struct channel_request *request, pw_place place)
{
    if (request->place_count == request->place_room) {
        int room = request->place_room > 0 ? 2 * request->place_room : 64;
        pw_place *grown = realloc(request->places, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            return channel_no_memory();
        }
        request->places = grown;
        request->place_room = room;
    }
    request->places[request->place_count++] = place;
    return PW_OK;
}

pw_status channel_take_transmitter(
    const struct option_line *line, const struct option_entry *entry,
    char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct channel_request *request = entry->value;
    if (request->transmitters == NULL) {
        request->transmitters = calloc((size_t)line->argc, sizeof *request->transmitters);
        if (request->transmitters == NULL) {
            return channel_no_memory();
        }
    }
    request->all_transmitters = request->all_transmitters || strcmp(text, "all") == 0;
    request->transmitters[request->transmitter_count++] = text;
    return PW_OK;
}

pw_status channel_take_receiver(const struct option_line *line, const struct option_entry *entry,
                                char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct channel_request *request = entry->value;
    (void)line;
    if (strcmp(text, "all") == 0) {
        request->all_receivers = true;
        return PW_OK;
    }
    return channel_add_place(request, (pw_place){.receiver = text});
}

pw_status channel_take_point(const struct option_line *line, const struct option_entry *entry,
                             char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    pw_place place;
    return point_take(text, &place)
               ? channel_add_place(entry->value, place)
               : complain_usage(line->command,
                                "--%s '%s': give two numbers, such as 7.68,10.24, or three with the height",
                                entry->name, text);
}

pw_status channel_take_grid(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct channel_request *request = entry->value;
    double x0, y0, x1, y1, step;
    int used = 0;
    if (sscanf(text, "%lf ,%lf ,%lf ,%lf ,%lf %n", &x0, &y0, &x1, &y1, &step, &used) != 5 || text[used] != '\0' ||
        !isfinite(x0 + y0 + x1 + y1) || !(step > 0.0 && isfinite(step))) {
        return complain_usage(line->command, "--%s '%s': give two corners and a distance, such as 2,2,34,18,0.5",
                              entry->name, text);
    }
    double columns = floor(fabs(x1 - x0) / step + 1e-9) + 1.0, rows = floor(fabs(y1 - y0) / step + 1e-9) + 1.0;
    if (columns * rows > PLACE_LIMIT) {
        return complain_usage(line->command, "--%s '%s': %.0f points; allowed are %d", entry->name, text,
                              columns * rows, PLACE_LIMIT);
    }
    request->many = true;
    for (int n = 0; n < (int)(columns * rows); n++) {
        int row = n / (int)columns, column = n % (int)columns;
        pw_status status =
            channel_add_place(request, (pw_place){.x = fmin(x0, x1) + column * step, .y = fmin(y0, y1) + row * step});
        PW_TRY(status);
    }
    return PW_OK;
}

/* Adds a place whose name, if it has one, is copied. */
static pw_status add_named_place(struct channel_request *request, pw_place place)
{
    char *name = place.name != NULL ? strdup(place.name) : NULL;
    if (place.name != NULL && name == NULL) {
        return channel_no_memory();
    }
    place.name = name;
    pw_status status = channel_add_place(request, place);
    if (status != PW_OK) {
        free(name);
    }
    return status;
}

pw_status channel_take_file(const struct option_line *line, const struct option_entry *entry,
                            char *path) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct channel_request *request = entry->value;
    char text[LINE_SIZE];
    pw_error error = {""};
    (void)line;
    pw_status status = file_will_be_read(path, &error);
    FILE *file = status == PW_OK ? fopen(path, "r") : NULL;
    if (file == NULL) {
        complain("cannot read the points '%s': %s", path, status == PW_OK ? strerror(errno) : error.message);
        return status == PW_OK ? PW_BAD_INPUT : status;
    }
    request->many = true;
    int before = request->place_count;
    bool first = true, has_heights = false;
    for (int number = 1; status == PW_OK && fgets(text, sizeof text, file) != NULL; number++) {
        pw_place place = {0};
        bool none;
        if (strchr(text, '\n') == NULL && !feof(file)) {
            complain("%s:%d: longer than %d letters", path, number, LINE_SIZE - 2);
            status = PW_BAD_INPUT;
        } else if (!point_read_line(text, first, &has_heights, &place, &none) || request->place_count == PLACE_LIMIT) {
            complain("%s:%d: '%s' is not a point: a line is x,y or x,y,name, or x,y,z,name, in metres", path, number,
                     text);
            status = PW_BAD_INPUT;
        } else if (!none) {
            status = add_named_place(request, place);
        }
        first = first && (text[0] == '#' || text[0] == '\0');
    }
    (void)fclose(file);
    if (status == PW_OK && request->place_count == before) {
        complain("%s: no points in it", path);
        status = PW_BAD_INPUT;
    }
    return status;
}

void channel_request_free(struct channel_request *request)
{
    for (int p = 0; p < request->place_count; p++) {
        free((char *)(uintptr_t)request->places[p].name);
    }
    PW_FREE_ALL(request->places, request->transmitters, request->frequencies);
}
