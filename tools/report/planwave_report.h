/* Report: one HTML page to explore a result with, without a network. */
#ifndef PLANWAVE_REPORT_H
#define PLANWAVE_REPORT_H

#include "planwave.h"

PW_C_BEGIN

typedef struct pw_report_options {
    const char *transmitter; /* NULL: all */
    pw_channel_options channel;
    uint64_t maximum_bytes; /* of the page; detail that does not fit is left out, default 20 000 000 */
    bool sensitivity;       /* solve which walls decide at the receivers: a run for each transmitter and receiver */
    pw_monitor monitor;     /* told how far the page is; default: nobody */
} pw_report_options;
pw_report_options pw_report_options_default(void);

/* Writes one self-contained HTML page: maps of every quantity, the power-delay profile of every cell. Prints what it
 * wrote to `report` (may be NULL). PW_BAD_INPUT when there are no running spectra or the least detail does not fit. */
pw_status pw_report_write(const pw_result *result, const pw_report_options *options, const char *html_path,
                          FILE *report, pw_error *error);

PW_C_END

#endif
