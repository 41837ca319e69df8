/* Far fields of antennas by direction, with phase and polarisation: far-field sources of CST (.ffs) and far fields of
 * Feko (.ffe). Both are lines of numbers: CST's phi, theta, Feko's theta, phi [degrees], then real and imaginary parts
 * of E_theta and of E_phi, of exp(+j omega t) and over the whole sphere, block by block of a frequency. Lines that
 * begin with // or # are about them. The block nearest to the band's centre is taken. */
#pragma once

#include "scenario/antenna/antenna.h"

/* How the file's axes lie: 0, 1, 2 for x, y, z, and 3 more for the opposite way. Usual is that it looks along x. */
struct field_axes {
    int ahead, up;
};

/* Whether the name of a file has one of the two endings. */
bool field_file_named(const char *path);

/* A pattern of FORM_FIELD. PW_BAD_INPUT with file and line: not such a file, over 64 MiB, angles of no even steps of at
 * most 15 degrees, a direction that is missing or there twice with other values, no field. Nothing is left to free. */
pw_status field_file_read(const char *path, const struct field_axes *axes, double centre,
                          struct antenna_pattern *pattern, pw_error *error);

/* The same of text in memory; `name` is for messages and for what it is. */
pw_status field_text_read(const char *name, const char *text, const struct field_axes *axes, double centre,
                          struct antenna_pattern *pattern, pw_error *error);

/* A field as a scenario holds it: FIELD_ROWS by FIELD_COLUMNS directions, at each real and imaginary part of E_theta
 * and of E_phi as whole numbers, of which FIELD_UNIT are the largest amplitude. The caller owns what is made. */
enum { FIELD_ROWS = 61, FIELD_COLUMNS = 120, FIELD_UNIT = 100000, FIELD_NUMBERS = FIELD_ROWS * FIELD_COLUMNS * 4 };
pw_status field_of_numbers(const int *numbers, struct antenna_pattern *pattern, pw_error *error);
pw_status field_to_numbers(const struct antenna_pattern *pattern, int **numbers, pw_error *error);
