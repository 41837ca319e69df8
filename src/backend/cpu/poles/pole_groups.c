/* From the spans of dispersive nodes to groups of eight columns (pole_groups.h). Nothing here is on the path of a step.
 */
#include "backend/cpu/poles/pole_groups.h"

#include "base/numbers/distinct.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE = -1 };

/* ---- walking over the spans -------------------------------------------------------------------------------------- */

/* A part of a span that lies in one group. */
struct span_part {
    const struct pole_span *span;
    int64_t row;
    int column;      /* of the group */
    int lane, count; /* of the first node in the group; nodes */
    int node;        /* of the span, the part's first */
    bool begins;     /* no part before lies in this group */
};

struct span_walk {
    const struct problem *problem;
    int64_t span;
    int node; /* done of the span */
    int64_t row;
    int column; /* of the last part */
};

static struct span_walk walk_begin(const struct problem *problem)
{
    return (struct span_walk){.problem = problem, .row = -1};
}

/* The next part in order of place; false after the last. */
static bool walk_next(struct span_walk *walk, struct span_part *part)
{
    const struct problem *problem = walk->problem;
    int64_t nx = problem->axis[0].count;
    if (walk->span == problem->pole_span_count) {
        return false;
    }
    const struct pole_span *span = &problem->pole_spans[walk->span];
    int64_t row = span->place / nx;
    int first = (int)(span->place - row * nx) + walk->node, column = first / POLE_LANES * POLE_LANES;
    int left = span->count - walk->node, room = column + POLE_LANES - first;
    *part = (struct span_part){.span = span,
                               .row = row,
                               .column = column,
                               .lane = first - column,
                               .count = left < room ? left : room,
                               .node = walk->node,
                               .begins = row != walk->row || column != walk->column};
    walk->row = row;
    walk->column = column;
    walk->node += part->count;
    if (walk->node == span->count) {
        walk->span++;
        walk->node = 0;
    }
    return true;
}

/* The pattern has room for the poles of this medium, too. */
static void pattern_widen(struct pole_pattern *pattern, const struct pole_medium *medium)
{
    int relaxations = medium->relaxations, oscillators = medium->oscillators;
    pattern->relaxations = relaxations > pattern->relaxations ? relaxations : pattern->relaxations;
    pattern->oscillators = oscillators > pattern->oscillators ? oscillators : pattern->oscillators;
}

/* Groups, and the numbers that they remember. */
static void count_groups(const struct problem *problem, int64_t *count, int64_t *states)
{
    struct span_walk walk = walk_begin(problem);
    struct span_part part;
    struct pole_pattern most = {0};
    *count = *states = 0;
    while (walk_next(&walk, &part)) {
        if (part.begins) {
            *states += *count > 0 ? pole_pattern_states(&most) * POLE_LANES : 0;
            ++*count;
            most = (struct pole_pattern){0};
        }
        pattern_widen(&most, &problem->pole_media[part.span->medium]);
    }
    *states += *count > 0 ? pole_pattern_states(&most) * POLE_LANES : 0;
}

int64_t pole_groups_states(const struct problem *problem)
{
    int64_t count, states;
    count_groups(problem, &count, &states);
    return states;
}

/* A straight wall has each of its layers at any place of a group, which makes so many patterns a medium. */
uint64_t pole_groups_size(const struct problem *problem, uint64_t places)
{
    int64_t count, states;
    count_groups(problem, &count, &states);
    if (count == 0) {
        return 0;
    }
    uint64_t patterns = (uint64_t)POLE_LANES * (uint64_t)problem->pole_medium_count;
    patterns = patterns < (uint64_t)count ? patterns : (uint64_t)count;
    uint64_t numbers = 3 * POLE_LANES + 2 * (uint64_t)states / (uint64_t)count;
    return places * sizeof(int64_t) + (uint64_t)count * sizeof(struct pole_group) +
           patterns * (sizeof(struct pole_pattern) + numbers * problem_value_size(problem));
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

struct pattern_table {
    struct pole_groups *groups;
    struct distinct media; /* of the patterns there are */
    size_t room;
    int64_t number_count; /* rows of numbers so far */
};

/* The pattern of these media, a new one where it has not been met. */
static pw_status find_pattern(const struct problem *problem, struct pattern_table *table, const int media[POLE_LANES],
                              int *number, pw_error *error)
{
    struct pole_groups *groups = table->groups;
    uint32_t found;
    TRY(distinct_number(&table->media, media, "dispersive nodes", &found, error));
    *number = (int)found;
    if (*number < groups->pattern_count) {
        return PW_OK;
    }
    TRY(array_grow(&groups->pattern, &table->room, (size_t)groups->pattern_count, sizeof *groups->pattern,
                   "dispersive nodes", error));
    struct pole_pattern *pattern = &groups->pattern[groups->pattern_count++];
    *pattern = (struct pole_pattern){.first = table->number_count};
    memcpy(pattern->media, media, sizeof pattern->media);
    for (int lane = 0; lane < POLE_LANES; lane++) {
        if (media[lane] != IDLE) {
            pattern_widen(pattern, &problem->pole_media[media[lane]]);
        }
    }
    table->number_count += 3 + 2 * pattern->relaxations + 3 * pattern->oscillators;
    return PW_OK;
}

static void set_number(const struct problem *problem, const struct pole_groups *groups, int64_t row, int lane,
                       double value)
{
    int64_t n = row * POLE_LANES + lane;
    if (problem->precision == PW_SINGLE) {
        ((float *)groups->numbers)[n] = (float)value;
    } else {
        ((double *)groups->numbers)[n] = value;
    }
}

/* The numbers of one lane; an idle one keeps its value, and poles that it does not have stay at zero. */
static void fill_lane(const struct problem *problem, const struct pole_groups *groups,
                      const struct pole_pattern *pattern, int lane)
{
    int64_t row = pattern->first;
    if (pattern->media[lane] == IDLE) {
        set_number(problem, groups, row, lane, 1);
        return;
    }
    const struct pole_medium *medium = &problem->pole_media[pattern->media[lane]];
    const struct pole_step *step = problem->pole_steps + medium->first;
    set_number(problem, groups, row, lane, medium->keep);
    set_number(problem, groups, row + 1, lane, medium->take);
    set_number(problem, groups, row + 2, lane, medium->half);
    for (int r = 0; r < medium->relaxations; r++, step++) {
        set_number(problem, groups, row + 3 + 2 * r, lane, step->field);
        set_number(problem, groups, row + 4 + 2 * r, lane, step->polarisation);
    }
    row += 3 + 2 * pattern->relaxations;
    for (int o = 0; o < medium->oscillators; o++, step++, row += 3) {
        set_number(problem, groups, row, lane, step->field);
        set_number(problem, groups, row + 1, lane, step->polarisation);
        set_number(problem, groups, row + 2, lane, step->current);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The group that is made of these media is whole. */
static pw_status close_group(const struct problem *problem, struct pattern_table *table, int64_t group,
                             const int media[POLE_LANES], pw_error *error)
{
    struct pole_group *own = &table->groups->group[group];
    TRY(find_pattern(problem, table, media, &own->pattern, error));
    own->state = table->groups->state_count;
    table->groups->state_count += pole_pattern_states(&table->groups->pattern[own->pattern]) * POLE_LANES;
    return PW_OK;
}

static pw_status fill_groups(const struct problem *problem, int block, int blocks, struct pattern_table *table,
                             pw_error *error)
{
    struct pole_groups *groups = table->groups;
    struct span_walk walk = walk_begin(problem);
    struct span_part part;
    int media[POLE_LANES] = {0};
    int64_t group = -1, filled = 0;
    while (walk_next(&walk, &part)) {
        if (part.begins) {
            TRY(group >= 0 ? close_group(problem, table, group, media, error) : PW_OK);
            groups->group[++group].column = part.column;
            for (int lane = 0; lane < POLE_LANES; lane++) {
                media[lane] = IDLE;
            }
            while (filled <= part.row * blocks + part.column / block) {
                groups->first[filled++] = group;
            }
        }
        for (int n = 0; n < part.count; n++) {
            media[part.lane + n] = part.span->medium;
        }
    }
    TRY(close_group(problem, table, group, media, error));
    while (filled <= problem_rows(problem) * blocks) {
        groups->first[filled++] = groups->count;
    }
    return PW_OK;
}

static pw_status create_numbers(const struct problem *problem, const struct pattern_table *table, pw_error *error)
{
    struct pole_groups *groups = table->groups;
    groups->numbers =
        allocate((size_t)table->number_count * POLE_LANES, problem_value_size(problem), "dispersive media", error);
    for (int p = 0; groups->numbers != NULL && p < groups->pattern_count; p++) {
        for (int lane = 0; lane < POLE_LANES; lane++) {
            fill_lane(problem, groups, &groups->pattern[p], lane);
        }
    }
    return groups->numbers != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status pole_groups_create(const struct problem *problem, int block, int blocks, struct pole_groups *groups,
                             pw_error *error)
{
    int64_t states, places = problem_rows(problem) * blocks;
    *groups = (struct pole_groups){.block = block, .blocks = blocks};
    if (problem->pole_span_count == 0) {
        return PW_OK;
    }
    count_groups(problem, &groups->count, &states);
    groups->group = allocate((size_t)groups->count, sizeof *groups->group, "dispersive nodes", error);
    groups->first = allocate((size_t)places + 1, sizeof *groups->first, "dispersive nodes", error);
    TRY_MADE(groups->group != NULL && groups->first != NULL);
    struct pattern_table table = {.groups = groups, .media.size = sizeof(int[POLE_LANES])};
    pw_status status = fill_groups(problem, block, blocks, &table, error);
    THEN(status, create_numbers(problem, &table, error));
    distinct_free(&table.media);
    return status;
}

void pole_groups_free(struct pole_groups *groups)
{
    FREE_ALL(groups->group, groups->first, groups->pattern, groups->numbers);
    *groups = (struct pole_groups){0};
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

/* Which of the numbers of a pattern is number m of a medium: poles that the lane lacks stand between its Debye poles
 * and its others. */
static int own_state(const struct pole_pattern *pattern, const struct pole_medium *medium, int m)
{
    return m <= medium->relaxations ? m : m + pattern->relaxations - medium->relaxations;
}

int64_t pole_groups_place(const struct problem *problem, const struct pole_groups *groups, struct patch_row *row)
{
    const int64_t line = ((int64_t)row->component * problem->axis[2].count + row->k) * problem->axis[1].count + row->j;
    const int column = row->i / POLE_LANES * POLE_LANES, lane = row->i - column;
    const int64_t *first = &groups->first[line * groups->blocks + column / groups->block];
    int64_t low = first[0], high = first[1];
    for (; high - low > 1;) { /* the last group that begins at the column or before it */
        int64_t middle = (low + high) / 2;
        bool before = groups->group[middle].column <= column;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    const struct pole_group *group = &groups->group[low];
    const struct pole_medium *medium = &problem->pole_media[row->span->medium];
    row->count = row->count < POLE_LANES - lane ? row->count : POLE_LANES - lane;
    return group->state + own_state(&groups->pattern[group->pattern], medium, row->state) * POLE_LANES + lane;
}
