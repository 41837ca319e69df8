/* Antennas in a result: group /antennas has the patterns, each with its two cuts; terminals say which they have, and
 * which way it looks. Private to result and to run/write. */
#pragma once

#include "result/result_reading.h"
#include "scenario/scenario.h"

/* /antennas; nothing where there are no patterns. */
pw_status result_write_patterns(hid_t file, const struct scenario *scenario, pw_error *error);
/* The attributes of a terminal; nothing of an isotropic one. */
pw_status result_write_antenna(hid_t group, const struct antenna *antenna, pw_error *error);
/* Whose antenna a terminal is; nothing of one that is a station on its own. */
pw_status result_write_port(hid_t group, const pw_port *port, pw_error *error);
pw_status result_read_port(hid_t group, pw_port *port, pw_error *error);
/* Of receivers that are taken from the running spectra, (count): a dataset of their group; nothing where all are
 * isotropic. */
pw_status result_write_antennas(hid_t group, const struct scenario *scenario, pw_error *error);

/* Fills the result's patterns, before its transmitters. */
pw_status result_read_patterns(const struct reading *reading, pw_error *error);
void result_patterns_free(struct result *result);
/* The attributes of a terminal; `word` is what the file calls its kind, "" for nothing. */
pw_status result_read_antenna(const struct result *result, hid_t group, char word[NAME_SIZE], struct antenna *antenna,
                              pw_error *error);

/* How a row of that dataset describes an antenna: its kind, the number of its pattern or -1, bearing and downtilt. */
enum { ANTENNA_NUMBERS = 4 };
pw_status result_antenna_of_numbers(const struct result *result, const double numbers[ANTENNA_NUMBERS],
                                    struct antenna *antenna, pw_error *error);
