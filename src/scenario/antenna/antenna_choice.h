/* Antennas of a scenario: the list `antennas`, the keys `antenna` of transmitters and receivers, and what a
 * transmitter's power is; read, and written back. Used by the scenario room alone. */
#pragma once

#include <stdio.h>

#include "scenario/scenario_read.h"

/* The list `antennas`: patterns with a name, from files or with their cuts. Before the terminals. */
pw_status antennas_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error);
void antennas_release(struct scenario *scenario);

/* The key `antenna` of a transmitter or receiver; patterns of files that are named there are added to the scenario's.
 */
pw_status antenna_read(const struct node *map, const char *folder, struct scenario *scenario, struct antenna *antenna,
                       pw_error *error);

/* In three dimensions the polarisation of a terminal with a pattern is where its E points straight ahead. */
void antenna_polarise(const struct scenario *scenario, const struct antenna *antenna, struct direction *polarisation);

/* What no transmitter with such an antenna can be: after its place, its antenna and its source. */
pw_status antenna_check_transmitter(const struct node *map, const struct scenario *scenario,
                                    const struct transmitter_choice *transmitter, pw_error *error);

/* The keys `power` and `conducted_power`, after the antenna. */
pw_status transmitter_power_read(const struct node *map, struct transmitter_choice *transmitter, pw_error *error);

/* The keys `antenna` and `gain` of a receiver. */
pw_status receiver_antenna_read(const struct node *map, const char *folder, struct scenario *scenario,
                                struct receiver_entry *entry, pw_error *error);

/* The list, nothing where there are no patterns; and ", antenna: ..." with `before` in front, nothing for the usual
 * one; `array` (may be NULL) is made of it. */
void antennas_write(FILE *out, const struct scenario *scenario);
void antenna_write(FILE *out, const char *before, const struct scenario *scenario, const struct antenna *antenna,
                   const struct antenna_array *array);
