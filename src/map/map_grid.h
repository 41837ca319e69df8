/* What a map is before its numbers are there: quantities and how they are called, checked options, and the cells that
 * are covered. A map covers the cells with running spectra that lie inside the plan: in three dimensions those of the
 * chosen sheet, which may be a vertical cut, with x or y to the right and the height upwards. */
#pragma once

#include "api/map.h"
#include "channel/channel.h"
#include "result/result.h"

/* What the guard on delays says of a point. */
enum map_mark {
    MAP_MARK_NONE,
    MAP_MARK_RUN_SHORT,   /* masked: its value is NAN */
    MAP_MARK_SPECTRA_FEW, /* masked */
    MAP_MARK_SMALL,       /* an RMS spread below the resolution of the band */
};

/* A sheet that a map is made of, and where its cell is that lies at the first of the map. */
struct map_sheet {
    int sheet, row_first, column_first;
};

struct map {
    pw_quantity quantity;
    const char *name, *unit; /* "path gain", "dB" */
    int rows, columns;
    int row_first, column_first; /* first cell, on the axes of the file */
    struct map_sheet sheets[3];  /* (sheet_count): one, or of the total power those of all components kept */
    int sheet_count;
    double x0, y0, pitch_x, pitch_y; /* m: first cell, distance of cells */
    double *value;     /* (rows, columns), in `unit`; best server: index of the transmitter; NAN where not defined */
    double *power;     /* (rows, columns), best server: its received power [dBm]; else NULL */
    uint8_t *mark;     /* (rows, columns), enum map_mark, owned; NULL: not wanted */
    double resolution; /* s, of delays */
    double mean_width; /* m: side of the local mean; 0: none */
    double noise;      /* dBm, of the receiver */
    double centre;     /* Hz */
    int transmitter;   /* index; -1: at each cell the strongest */
    double covered;    /* for pictures: the share of the floor that meets the threshold, and what the floor is */
    const char *floor_text; /* NULL: not known */
};

/* What a quantity is called, and how it is computed. */
struct quantity_kind {
    const char *name, *unit, *column; /* "received power", "dBm", "received_power_dBm" */
    bool power;                       /* made of powers, which local means average */
    bool servers;                     /* sets transmitters against each other, or against noise */
    bool delay;                       /* read off the profile, so that the guard on delays has a say */
    bool excess;                      /* counts from zero upwards: delays, bandwidths */
    bool falls;                       /* less is better */
    const char *reference;            /* what decibels are relative to, where the unit does not say it; else NULL */
};
const struct quantity_kind *quantity_kind(pw_quantity quantity);

/* Where the plan, or the cut, ends and the absorber starts. */
struct plan_floor {
    double left, right, bottom, top; /* m */
};
struct plan_floor map_floor(const struct result *result);

/* "Ez at height 1.49 m", "total of Ex, Ez on the cut at y = 3.00 m"; "" in two dimensions. Returns `text`. */
enum { MAP_SHEET_TEXT = SHEET_TEXT + 32 };
const char *map_sheet_text(const struct result *result, const struct map *map, char text[MAP_SHEET_TEXT]);

/* True where the map is a vertical cut; what its axes are called: "x" and "y", "x" and "z", "y" and "z". */
bool map_is_cut(const struct result *result);
void map_axis_names(const struct result *result, const char *names[2]);

/* True when the options ask for the strongest transmitter at each cell, and there are several. */
bool map_takes_best(const struct result *result, const pw_map_options *options);

/* Checks the options; fills name, unit, transmitter and noise, which need no cells. Errors as below. */
pw_status map_begin(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error);

/* Checks the options; fills name, unit, cells and noise; value and power stay NULL. PW_USAGE: options that do not go
 * together; PW_BAD_INPUT: no running spectra, or a transmitter that is not there. */
pw_status map_prepare(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error);
