/* Backends: what can solve on this machine; and a forecast of what a run will take before it starts. */
#ifndef PLANWAVE_BACKEND_H
#define PLANWAVE_BACKEND_H

#include "api/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pw_backend_info {
    const char *name;        /* reference, cpu, cuda */
    const char *description; /* one line */
    bool available;
    char device[256]; /* what it would run on, or why it cannot and what to do about it */
} pw_backend_info;

size_t pw_backend_count(void);
/* `index` counts from 0 to pw_backend_count() - 1. */
pw_backend_info pw_backend_describe(size_t index);

typedef struct pw_forecast {
    const char *backend;               /* the one that "auto" means here */
    char device[128];                  /* what it runs on */
    uint64_t host_bytes, device_bytes; /* held at most, set-up included */
    uint64_t
        spectra_host_bytes; /* of host_bytes: spectra that do not fit the device and pass over it in parts; else 0 */
    uint64_t host_available, device_available; /* 0: not known */
    double cells_per_second; /* timed on a small box with the scheme, precision and spectra of the set-up */
    double seconds;          /* about: stepping all transmitters to the last step; writing not included */
} pw_forecast;

/* Takes a fraction of a second. PW_NO_RESOURCE, with the memory filled in and no time, when there is not enough of it.
 */
pw_status pw_forecast_run(const pw_setup *setup, const char *backend, int threads, pw_forecast *forecast,
                          pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
