/* The table of physics, and what follows from it for a problem as a whole (physics.h, part.h). */
#include "problem/physics/physics.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A checksum takes them in this order; a part needs its axes first. A new one stands last. */
const struct physics *const PHYSICS[] = {
    &physics_axes,    &physics_media,  &physics_probes, &physics_layers,  &physics_sheets,
    &physics_tensors, &physics_metal,  &physics_poles,  &physics_spectra, &physics_sources,
    &physics_phases,  &physics_planes, &physics_mur,    &physics_half,    NULL};

void problem_visit(struct array_walk *walk)
{
    for (const struct physics *const *physics = PHYSICS; *physics != NULL; physics++) {
        if ((*physics)->arrays != NULL) {
            (*physics)->arrays(walk);
        }
    }
}

/* tm2d: L reaches 2 reach - 1 nodes. maxwell3d: h looks at E, and E at h. */
struct spread problem_spread(const struct problem *problem)
{
    struct spread spread = {.creep = 2 * problem->reach - 1};
    for (const struct physics *const *physics = PHYSICS; *physics != NULL; physics++) {
        if ((*physics)->spread != NULL) {
            (*physics)->spread(problem, &spread);
        }
    }
    return spread;
}

static bool is_listed(const struct physics *physics, const struct physics *const *list)
{
    for (; list != NULL && *list != NULL; list++) {
        if (*list == physics) {
            return true;
        }
    }
    return false;
}

const struct physics *physics_beyond(const struct problem *problem, const struct physics *const *list)
{
    for (const struct physics *const *physics = PHYSICS; *physics != NULL; physics++) {
        if ((*physics)->present != NULL && !is_listed(*physics, list) && (*physics)->present(problem)) {
            return *physics;
        }
    }
    return NULL;
}

/* ---- freeing ----------------------------------------------------------------------------------------------------- */

static void free_array(struct array_walk *walk, const struct array *array)
{
    char *elements;
    memcpy(&elements, array->place, sizeof elements);
    for (int64_t n = 0; elements != NULL && array->each != NULL && n < array->count; n++) {
        array->each(walk, elements + (size_t)n * array->size);
    }
    free(elements);
    elements = NULL;
    memcpy(array->place, &elements, sizeof elements);
}

void problem_free(struct problem *problem)
{
    problem_visit(&(struct array_walk){.problem = problem, .array = free_array});
    *problem = (struct problem){0};
}

/* ---- checksum ---------------------------------------------------------------------------------------------------- */

struct checksum {
    struct array_walk walk; /* first, so that one is the other */
    uint32_t sum;
};

static void mix(uint32_t *sum, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (; size > 0;) {
        uInt some = size > (1U << 30) ? 1U << 30 : (uInt)size;
        *sum = (uint32_t)crc32(*sum, next, some);
        next += some;
        size -= some;
    }
}

static void mix_member(uint32_t *sum, const char *element, const struct member *member)
{
    if (member->size == sizeof(int)) {
        int narrow;
        memcpy(&narrow, element + member->offset, sizeof narrow);
        const int64_t wide = narrow;
        mix(sum, &wide, sizeof wide);
    } else {
        mix(sum, element + member->offset, member->size);
    }
}

static void mix_array(struct array_walk *walk, const struct array *array)
{
    struct checksum *checksum = (struct checksum *)walk;
    char *elements;
    memcpy(&elements, array->place, sizeof elements);
    if (elements == NULL) {
        return;
    }
    if (array->decides == WHOLE) {
        mix(&checksum->sum, elements, (size_t)array->count * array->size);
    }
    for (int64_t n = 0; n < array->count; n++) {
        char *element = elements + (size_t)n * array->size;
        for (const struct member *member = array->decides; member != NULL && member->size > 0; member++) {
            mix_member(&checksum->sum, element, member);
        }
        if (array->each != NULL) {
            array->each(walk, element);
        }
    }
}

uint32_t problem_checksum(const struct problem *problem)
{
    struct problem seen = *problem; /* what is not written */
    struct checksum checksum = {.walk = {.problem = &seen, .array = mix_array, .values = mix_array}};
    const struct spectra *spectra = &problem->spectra;
    const int64_t numbers[] = {problem->axis[0].count,
                               problem->axis[1].count,
                               problem->axis[2].count,
                               problem->formulation,
                               problem->layer_count,
                               problem->tensor_count,
                               spectra->sheet_count,
                               problem->steps,
                               problem->precision,
                               problem_layer(problem),
                               problem->reach,
                               problem->laplacian_taps,
                               problem->coefficient_count,
                               spectra->x0,
                               spectra->y0,
                               spectra->spacing,
                               spectra->columns,
                               spectra->rows,
                               spectra->every,
                               problem->watch_every,
                               problem->source_end,
                               problem->probe_count,
                               problem->source_count};
    mix(&checksum.sum, numbers, sizeof numbers);
    problem_visit(&checksum.walk);
    return checksum.sum;
}

/* ---- a part of a grid -------------------------------------------------------------------------------------------- */

/* Numbers that the part has as the whole has them; no arrays. */
static void copy_numbers(const struct problem *whole, struct problem *part)
{
    *part = (struct problem){.formulation = whole->formulation,
                             .time_step = whole->time_step,
                             .steps = whole->steps,
                             .precision = whole->precision,
                             .half = whole->half,
                             .reach = whole->reach,
                             .laplacian_taps = whole->laplacian_taps,
                             .centre = whole->centre,
                             .watch_every = whole->watch_every,
                             .decay = whole->decay,
                             .source_end = whole->source_end,
                             .decay_from = whole->decay_from};
    memcpy(part->difference, whole->difference, sizeof part->difference);
    memcpy(part->laplacian, whole->laplacian, sizeof part->laplacian);
}

pw_status part_problem_create(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    copy_numbers(cut->whole, part);
    *cut->records = (struct part_records){0};
    for (const struct physics *const *physics = PHYSICS; *physics != NULL; physics++) {
        TRY((*physics)->cut != NULL ? (*physics)->cut(cut, part, error) : PW_OK);
    }
    return PW_OK;
}

void part_records_free(struct part_records *records)
{
    FREE_ALL(records->probes, records->runs);
    *records = (struct part_records){0};
}
