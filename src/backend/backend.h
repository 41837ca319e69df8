/* Backends: a small table of functions per engine, chosen by name. A backend advances one or several sources of a
 * problem, each as its own run with its own fields, and hands back what was recorded. Everything that happens per step
 * happens inside advance(): fields, absorber, sources, probes, running spectra. All engines give the same bits in
 * single precision (cell.h).
 *
 * For authors of a backend: `state` is yours; reads may be called between advances; values are handed out as double,
 * exactly. */
#ifndef BACKEND_H
#define BACKEND_H

#include "api/backend.h"
#include "problem/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct backend_options {
    int threads;      /* 0: all */
    const char *rung; /* NULL: the best; else a named variant of the engine, for tests and benchmarks (see its file) */
};

/* A full state of one run in canonical arrays, exact in double; the same for every backend, so that one may resume
 * another. Layers: x arrays hold the `layer` cells at the low end, then those at the high end; likewise y. */
struct run_state {
    int64_t step;
    double *ez, *increment;  /* (ny, nx) */
    double *x_half, *x_node; /* (ny, 2 layer) filter states; NULL when layer = 0 */
    double *y_half, *y_node; /* (2 layer, nx) */
    double *
        spectra; /* (frequency_count, rows, columns, 2), of whole groups; NULL: left out, on load what is there stays */
    double *samples; /* (group, rows, columns), those that wait first; NULL likewise */
    double *probes;  /* (step, probe_count); NULL likewise */
};

/* Allocates arrays for `problem`, with room for probes of `steps` steps; free with run_state_free. */
pw_status run_state_create(const struct problem *problem, int64_t steps, struct run_state *snapshot, pw_error *error);
void run_state_free(struct run_state *snapshot);

struct backend {
    const char *name, *description;

    /* PW_OK and the device's name, or PW_NO_RESOURCE and in *error why not and what to do. */
    pw_status (*probe)(char *device, size_t size, pw_error *error);

    /* Bytes this engine will hold for `runs` runs together: host memory and, apart from it, device memory. */
    void (*memory)(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);

    /* How many runs are best advanced together, given what fits: at least 1. */
    int (*group)(const struct problem *problem);

    /* Fields at rest. Runs are the sources first .. first+count-1. */
    pw_status (*create)(const struct problem *problem, int first, int count, const struct backend_options *options,
                        void **state, pw_error *error);
    pw_status (*advance)(void *state, int64_t steps, pw_error *error);

    /* Electric energy, up to a factor: sum over all nodes of Ez^2, in double; NaN or Inf in any field shows in it. */
    pw_status (*energy)(void *state, int run, double *energy, pw_error *error);

    pw_status (*read_field)(void *state, int run, double *ez, pw_error *error);  /* (ny, nx) */
    pw_status (*read_probes)(void *state, int run, double *ez, pw_error *error); /* (steps done, probe_count) */
    /* Sums of the whole groups of samples (spectra.h), (F, row_count, columns, 2); and the samples that wait for the
     * rest of their group, (spectra_waiting, row_count, columns). Without read_samples, the sums are those of all
     * samples. */
    pw_status (*read_spectra)(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
    pw_status (*read_samples)(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
    pw_status (*save)(void *state, int run, struct run_state *snapshot, pw_error *error);
    pw_status (*load)(void *state, int run, const struct run_state *snapshot, pw_error *error);
    void (*destroy)(void *state);

    /* Optional; NULL for engines that live in host memory. Free device memory [bytes, 0: not known], and the bandwidth
     * of a large device-to-device copy [bytes/s, read plus written, 0 on failure], which `planwave bench` sets its
     * figures against. */
    uint64_t (*device_free)(void);
    double (*copy_bandwidth)(void);
};

extern const struct backend backend_reference, backend_cpu, backend_cuda;

size_t backend_count(void);
const struct backend *backend_at(size_t index);
/* By name; "auto" is cuda when it works here, else cpu. NULL with a message that lists the names when unknown or not
 * available. */
const struct backend *backend_find(const char *name, pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
