/* The list of backends, and the canonical state that they exchange. */
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend *const BACKENDS[] = {&backend_reference, &backend_cpu, &backend_cuda};

size_t backend_count(void)
{
    return sizeof BACKENDS / sizeof BACKENDS[0];
}

const struct backend *backend_at(size_t index)
{
    return BACKENDS[index];
}

const struct backend *backend_find(const char *name, pw_error *error)
{
    char device[128];
    if (strcmp(name, "auto") == 0) {
        bool gpu = backend_cuda.probe(device, sizeof device, NULL) == PW_OK;
        return gpu ? &backend_cuda : &backend_cpu;
    }
    for (size_t b = 0; b < backend_count(); b++) {
        if (strcmp(name, BACKENDS[b]->name) == 0) {
            return BACKENDS[b]->probe(device, sizeof device, error) == PW_OK ? BACKENDS[b] : NULL;
        }
    }
    fail(error, PW_USAGE, "unknown backend '%s': allowed are auto, reference, cpu, cuda", name);
    return NULL;
}

size_t pw_backend_count(void)
{
    return backend_count();
}

pw_backend_info pw_backend_describe(size_t index)
{
    pw_backend_info info = {0};
    if (index < backend_count()) {
        pw_error error = {{0}};
        const struct backend *backend = BACKENDS[index];
        info.name = backend->name;
        info.description = backend->description;
        info.available = backend->probe(info.device, sizeof info.device, &error) == PW_OK;
        if (!info.available) {
            snprintf(info.device, sizeof info.device, "%.*s", (int)sizeof info.device - 1, error.message);
        }
    }
    return info;
}

pw_status run_state_create(const struct problem *problem, int64_t steps, struct run_state *snapshot, pw_error *error)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count,
           layers = 2 * (size_t)problem_layer(problem);
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    struct {
        double **array;
        size_t count;
    } parts[] = {
        {&snapshot->ez, nx * ny},
        {&snapshot->increment, nx * ny},
        {&snapshot->x_half, ny * layers},
        {&snapshot->x_node, ny * layers},
        {&snapshot->y_half, layers * nx},
        {&snapshot->y_node, layers * nx},
        {&snapshot->spectra, 2 * (size_t)spectra->frequency_count * lattice},
        {&snapshot->samples, (size_t)spectra_group(spectra) * lattice},
        {&snapshot->probes, (size_t)steps * (size_t)problem->probe_count},
    };
    *snapshot = (struct run_state){0};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        if (parts[p].count > 0) {
            *parts[p].array = allocate(parts[p].count, sizeof(double), "a snapshot of the fields", error);
            if (*parts[p].array == NULL) {
                run_state_free(snapshot);
                return PW_NO_RESOURCE;
            }
        }
    }
    return PW_OK;
}

void run_state_free(struct run_state *snapshot)
{
    free(snapshot->ez);
    free(snapshot->increment);
    free(snapshot->x_half);
    free(snapshot->x_node);
    free(snapshot->y_half);
    free(snapshot->y_node);
    free(snapshot->spectra);
    free(snapshot->samples);
    free(snapshot->probes);
    *snapshot = (struct run_state){0};
}
