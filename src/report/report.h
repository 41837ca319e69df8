/* The page of `planwave report`: what it holds for every cell, before it is packed. Computing is in report_data.c,
 * packing and writing in report.c, texts in report_json.c, the page itself in page/. */
#ifndef REPORT_H
#define REPORT_H

#include "api/report.h"
#include "channel/channel.h"
#include "result/result.h"

#include <stdio.h>

enum {
    REPORT_FREQUENCIES = 9, /* at most: single frequencies at which |G| is shown */
    REPORT_FIXED_PLANES = 12,
    REPORT_PLANES = REPORT_FIXED_PLANES + REPORT_FREQUENCIES,
    REPORT_WALL_STEPS = 20, /* per unit of relative permittivity */
    REPORT_DEPTH = 255,     /* steps under the peak of its cell at which a delay bin is no longer told from less */
};
#define REPORT_PROFILE_STEP 0.25 /* dB */

/* The page (report_page.c), and where in it the data go. */
extern const char report_page[];
#define REPORT_DATA_MARK "<!-- data -->"

/* How much of the result goes into a page. */
struct report_detail {
    int cell_step; /* every so many cells in x and in y */
    int tap_step;  /* every so many taps of the padded impulse response */
};

/* One quantity at every cell. */
struct report_plane {
    const char *key, *name, *unit;
    double frequency; /* Hz, of |G|; 0 for the others */
    double low, high; /* colour range, as `planwave map` has it */
    float *value;     /* (rows, columns), owned, in `unit`, NAN where not defined */
};

/* What the page knows of one transmitter, in three dimensions on one sheet. */
struct report_site {
    int transmitter; /* index */
    int index;       /* of the site: transmitter by transmitter, sheet by sheet */
    int sheet;       /* among those of the page */
    int rows, columns;
    double x0, y0, pitch_x, pitch_y; /* m */
    double budget;                   /* dB: received power at 0 dBi less path gain */
    double power_low, power_high;    /* dBm: colour range of the received power */
    double centre;                   /* Hz */
    uint8_t *doubt;                  /* (rows, columns), pw_delay_cause, owned: why the delays of a cell are masked */
    int plane_count;
    struct report_plane planes[REPORT_PLANES];
    const char *floor_text;  /* what coverage counts: "inside of the building" */
    uint8_t *counted;        /* (rows, columns), owned: 1 where it does */
    int bin_count;           /* 0: too few frequencies for delays */
    double bin, first_delay; /* s, as solved */
    double rise;             /* m: of the page's cells over the transmitter (channel/slant/slant.h); 0: none */
    uint8_t *profiles; /* (rows, columns, bin_count), owned: REPORT_PROFILE_STEP under the cell's peak; REPORT_DEPTH:
                          that or less */
};

/* Of the chosen sheet. `monitor` may be NULL. PW_BAD_INPUT: no running spectra, or a transmitter without a known
 * current. */
pw_status report_site_create(const struct result *result, int transmitter, const pw_channel_options *options,
                             struct report_detail detail, const pw_monitor *monitor, struct report_site *site,
                             pw_error *error);
void report_site_free(struct report_site *site);

/* How a plane travels: value = offset + step q. */
struct report_quantiser {
    double offset, step;
};

/* The sheets of a page: in two dimensions one, in three every plane, cut and component that was kept. */
struct report_sheets {
    int count;
    int *sheet; /* (count), owned: of the result */
};

/* The members of the page's JSON but "sites", with a comma after the last; one site. */
void report_json_head(FILE *json, const struct result *result, const struct report_sheets *sheets,
                      const pw_channel_options *options, struct report_detail detail);
void report_json_site(FILE *json, const struct result *result, const struct report_site *site,
                      const pw_channel_options *options, const struct report_quantiser *quantisers);

/* The member "angles" of a receiver: power by azimuth and its peaks, or the reason why there is none. Two dimensions.
 */
enum { REPORT_ANGLES = 64 }; /* receivers that have it */
void report_json_angles(FILE *json, const struct result *result, const char *transmitter, const char *receiver,
                        const pw_channel_options *options);

#endif
