/* The page of `planwave report`. Its numbers are those of surveys (api/survey.h); packing and writing is in report.c,
 * texts in report_json.c, the page itself in page/. */
#pragma once

#include "report/planwave_report.h"
#include "tools/ground.h"

enum { REPORT_WALL_STEPS = 20 /* per unit of relative permittivity */ };

/* The page (report_page.c), and where in it the data go. */
extern const char report_page[];
#define REPORT_DATA_MARK "<!-- data -->"

/* How much of the result goes into a page. */
struct report_detail {
    int cell_step; /* every so many cells in x and in y */
    int tap_step;  /* every so many taps of the padded impulse response */
};

/* What the page knows of one transmitter, in three dimensions on one sheet. */
struct report_site {
    int transmitter;  /* index */
    int index;        /* of the site: transmitter by transmitter, sheet by sheet */
    int sheet;        /* among those of the page ... */
    int result_sheet; /* ... and of the result */
    pw_survey *survey;
};

/* How a plane travels: value = offset + step q. */
struct report_quantiser {
    double offset, step;
};

/* The sheets of a page: in two dimensions one, in three every plane, cut and component that was kept. */
struct report_sheets {
    int count;
    int *sheet; /* (count), owned: of the result */
};

/* The members of the page's JSON but "sites", with a comma after the last; one site. PW_BAD_INPUT: the result cannot be
 * read. */
void report_json_head(FILE *json, const pw_result *result, const struct report_sheets *sheets,
                      const pw_channel_options *options, struct report_detail detail);
pw_status report_json_site(FILE *json, const pw_result *result, const struct report_site *site,
                           const pw_channel_options *options, const struct report_quantiser *quantisers,
                           pw_error *error);

/* The members "deciding" and beside it with a comma after the last, which the caller frees: the walls that decide at
 * each receiver. It solves (report_walls.c). */
pw_status report_walls_solve(const pw_result *result, const pw_report_options *options, char **members,
                             pw_error *error);

/* The member "mimo" with a comma after it, or nothing (report_mimo.c). */
pw_status report_json_mimo(FILE *json, const pw_result *result, const pw_report_options *options, pw_error *error);

/* The member "angles" of a receiver: power by azimuth and its peaks, or the reason why there is none. Two dimensions.
 */
enum { REPORT_ANGLES = 64 }; /* receivers that have it */
void report_json_angles(FILE *json, const pw_result *result, const char *transmitter, const char *receiver,
                        const pw_channel_options *options);
