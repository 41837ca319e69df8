/* What `planwave channel` is asked for: transmitters, receivers and points, by its options. */
#pragma once

#include "program/tool.h"

enum { PATH_SIZE = 4096, FOLDER_LIMIT = 16 /* pairs with a folder each */ };

struct channel_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *output;
    const char **transmitters; /* (transmitter_count), owned; the names are argv's */
    int transmitter_count;
    pw_place *places; /* (place_count), owned; names of receivers are argv's, others owned */
    int place_count, place_room;
    bool all_transmitters, all_receivers, many, batch, profiles, force;
    const char *subcarriers; /* NULL: H at the frequencies of the spectra */
    double *frequencies;     /* (frequency_count) [Hz], owned */
    int frequency_count;
    pw_sheet_choice sheet; /* its component is that of the channel */
    pw_channel_options options;
};

/* Messages and PW_NO_RESOURCE. */
pw_status channel_no_memory(void);

/* Adds a place, whose name is kept as it is. */
pw_status channel_add_place(struct channel_request *request, pw_place place);

/* Functions of options whose value is the request. */
pw_status channel_take_transmitter(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status channel_take_receiver(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status channel_take_point(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status channel_take_grid(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status channel_take_file(const struct option_line *line, const struct option_entry *entry, char *text);

void channel_request_free(struct channel_request *request);
