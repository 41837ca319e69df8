/* What every part of the interface uses: status codes, errors, the version, texts with units, and the monitor through
 * which long work tells how far it is and can be stopped. */
#ifndef PLANWAVE_BASE_H
#define PLANWAVE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Around what C++ may call. */
#ifdef __cplusplus
#define PW_C_BEGIN extern "C" {
#define PW_C_END   }
#else
#define PW_C_BEGIN
#define PW_C_END

#endif

PW_C_BEGIN

#define PW_VERSION "0.1.0"

/* Status codes double as the exit status of the program. */
typedef enum pw_status {
    PW_OK = 0,
    PW_DIFFERENT = 1,   /* a comparison found more difference than allowed; a need is not met */
    PW_USAGE = 2,       /* wrong command line or wrong call */
    PW_BAD_INPUT = 3,   /* a scenario, plan or file that cannot be used */
    PW_NO_RESOURCE = 4, /* memory, disk, device, missing program or missing build option */
    PW_NUMERICAL = 5,   /* NaN, Inf or growth in the fields */
    PW_INTERRUPTED = 6, /* stopped by a signal or by the caller */
    PW_INCOMPLETE = 7,  /* of several cases some failed or are missing; the others are done */
} pw_status;

typedef struct pw_error {
    char message[1024];
} pw_error;

/* PW_VERSION of the headers this library was built from. */
const char *pw_version(void);

/* SHA-256 of the public headers this library was built from, in hexadecimal digits; "unknown" in a build without make.
 * A binding that has structures of its own compares it with the headers that it took them from. */
const char *pw_interface(void);

/* The revision this library was built from, e.g. "1a2b3c4" or "unknown". */
const char *pw_commit(void);

/* How this library was built, a fact a line: compiler, CUDA or not, and the versions of the libraries that it uses now
 * (of libjpeg-turbo and jansson those that it was built with). The text is owned by the library. */
const char *pw_build_facts(void);

/* Reads "2.4 GHz" into Hz, "7 cm" into m, "10 min" into s; a bare number is SI. PW_BAD_INPUT names the text and the
 * allowed units. */
pw_status pw_parse_frequency(const char *text, double *frequency, pw_error *error);
pw_status pw_parse_length(const char *text, double *length, pw_error *error);
pw_status pw_parse_time(const char *text, double *time, pw_error *error);

/* Writes `value` as people do and returns `text`: at most `digits` (1 to 6) significant figures, no exponent: "140",
 * "0.84", "-75"; under 0.0001 "0"; "?" for NaN. */
enum { PW_NUMBER_SIZE = 32 };
const char *pw_number_text(double value, int digits, char text[PW_NUMBER_SIZE]);

/* What the forecast of the error is: the grid's, on the plan as drawn; and what plans and two dimensions were off by in
 * buildings that were measured, with the page that shows it. `brief`: in the few words that fit below a title. */
const char *pw_forecast_words(bool brief);

/* Follows work that can take seconds: maps, coverage, reports, calibrations, comparisons. `tell` is called from the
 * thread that called the library, at the beginning (done = 0) and after each part of the work; `done` grows to 1 and
 * never falls. When it returns false, the function that was called ends with PW_INTERRUPTED and leaves no file behind;
 * buffers of the caller then hold nothing that can be used. A monitor of zeros is silent. */
typedef struct pw_monitor {
    bool (*tell)(double done, void *user); /* NULL: nobody is told */
    void *user;                            /* handed to `tell` */
} pw_monitor;

PW_C_END

#endif
