/* Bounds of choices by integer programming (cover.h), with GLPK. Places that the same candidates cover are one group.
 *
 *     x_c      candidate c is chosen                     0 or 1
 *     y_g      group g is covered                        0 to 1       y_g <= sum of x_c that cover it
 *     z_g      group g is covered doubly                 0 or 1       2 z_g <= sum of x_c that have the second level
 *
 *     fewest:  least sum x_c     with  sum w_g y_g >= want  and  sum w_g z_g >= want_second
 *     best:    most sum w_g y_g  with  sum x_c = count
 *
 * What GLPK finds is looked at again by cover_score(), so that its tolerances do not make an answer; a bound is moved
 * by them to the safe side. */
#include "place/choice/cover.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-6; /* of GLPK, in shares of the weight and in numbers of candidates */
enum { MOST_ENTRIES = 4000000 };      /* of the matrix: more takes too long for what it is */

/* Places that the same candidates cover. */
struct group {
    int place;     /* one of them */
    double weight; /* share of all */
};

struct model {
    const struct cover *cover;
    struct group *groups; /* (count), owned */
    int count;
    bool fewest;
    int chosen; /* of `best`: how many */
    glp_prob *problem;
    int *index; /* (1 + entries of a row), owned */
    double *value;
    const struct cover_set *known; /* a set to begin with */
    bool told;                     /* GLPK knows it */
    double deadline, bound;        /* clock; of the objective, as proven so far */
    bool interrupted;
};

static double level_at(const struct cover *cover, int candidate, int place)
{
    return cover->level[(size_t)candidate * (size_t)cover->demand + (size_t)place];
}

static bool covers(const struct model *model, int candidate, int place)
{
    return level_at(model->cover, candidate, place) >= model->cover->need;
}

static bool covers_second(const struct model *model, int candidate, int place)
{
    return level_at(model->cover, candidate, place) >= model->cover->second;
}

/* ---- groups ---- */

/* Orders places by which candidates cover them. */
static int pattern_compare(const void *a, const void *b, void *user)
{
    const struct model *model = user;
    int p = *(const int *)a, q = *(const int *)b;
    for (int c = 0; c < model->cover->candidates; c++) {
        int difference = (int)covers(model, c, p) - (int)covers(model, c, q);
        if (difference == 0 && model->cover->has_second) {
            difference = (int)covers_second(model, c, p) - (int)covers_second(model, c, q);
        }
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

static pw_status groups_make(struct model *model, pw_error *error)
{
    const struct cover *cover = model->cover;
    int *order = allocate((size_t)cover->demand, sizeof *order, "groups of places", error);
    model->groups = allocate((size_t)cover->demand, sizeof *model->groups, "groups of places", error);
    if (order == NULL || model->groups == NULL) {
        free(order);
        return PW_NO_RESOURCE;
    }
    for (int d = 0; d < cover->demand; d++) {
        order[d] = d;
    }
    qsort_r(order, (size_t)cover->demand, sizeof *order, pattern_compare, model);
    for (int d = 0; d < cover->demand; d++) {
        if (d == 0 || pattern_compare(&order[d - 1], &order[d], model) != 0) {
            model->groups[model->count++] = (struct group){.place = order[d]};
        }
        model->groups[model->count - 1].weight += cover->weight[order[d]] / cover->total;
    }
    free(order);
    return PW_OK;
}

/* ---- the program ---- */

static int column_x(int candidate)
{
    return 1 + candidate;
}

static int column_y(const struct model *model, int group)
{
    return 1 + model->cover->candidates + group;
}

static int column_z(const struct model *model, int group)
{
    return 1 + model->cover->candidates + model->count + group;
}

static bool wants_second(const struct model *model)
{
    return model->fewest && model->cover->has_second && model->cover->want_second > 0.0;
}

static void columns_add(struct model *model)
{
    int candidates = model->cover->candidates;
    glp_add_cols(model->problem, candidates + (wants_second(model) ? 2 : 1) * model->count);
    for (int c = 0; c < candidates; c++) {
        glp_set_col_kind(model->problem, column_x(c), GLP_BV);
        glp_set_obj_coef(model->problem, column_x(c), model->fewest ? 1.0 : 0.0);
    }
    for (int g = 0; g < model->count; g++) {
        glp_set_col_bnds(model->problem, column_y(model, g), GLP_DB, 0.0, 1.0);
        glp_set_obj_coef(model->problem, column_y(model, g), model->fewest ? 0.0 : model->groups[g].weight);
        if (wants_second(model)) {
            glp_set_col_kind(model->problem, column_z(model, g), GLP_BV);
        }
    }
}

/* times * column - sum of x that cover the group <= 0. */
static void group_row_add(struct model *model, int group, bool second)
{
    int place = model->groups[group].place, entries = 1;
    model->index[1] = second ? column_z(model, group) : column_y(model, group);
    model->value[1] = second ? 2.0 : 1.0;
    for (int c = 0; c < model->cover->candidates; c++) {
        if (second ? covers_second(model, c, place) : covers(model, c, place)) {
            entries++;
            model->index[entries] = column_x(c);
            model->value[entries] = -1.0;
        }
    }
    int row = glp_add_rows(model->problem, 1);
    glp_set_row_bnds(model->problem, row, GLP_UP, 0.0, 0.0);
    glp_set_mat_row(model->problem, row, entries, model->index, model->value);
}

/* The weight that is covered, or doubly covered, is at least `want`. */
static void want_row_add(struct model *model, bool second, double want)
{
    for (int g = 0; g < model->count; g++) {
        model->index[1 + g] = second ? column_z(model, g) : column_y(model, g);
        model->value[1 + g] = model->groups[g].weight;
    }
    int row = glp_add_rows(model->problem, 1);
    glp_set_row_bnds(model->problem, row, GLP_LO, want / model->cover->total - tolerance, 0.0);
    glp_set_mat_row(model->problem, row, model->count, model->index, model->value);
}

static void count_row_add(struct model *model)
{
    for (int c = 0; c < model->cover->candidates; c++) {
        model->index[1 + c] = column_x(c);
        model->value[1 + c] = 1.0;
    }
    int row = glp_add_rows(model->problem, 1);
    glp_set_row_bnds(model->problem, row, GLP_FX, model->chosen, model->chosen);
    glp_set_mat_row(model->problem, row, model->cover->candidates, model->index, model->value);
}

static void rows_add(struct model *model)
{
    for (int g = 0; g < model->count; g++) {
        group_row_add(model, g, false);
        if (wants_second(model)) {
            group_row_add(model, g, true);
        }
    }
    if (model->fewest) {
        want_row_add(model, false, model->cover->want);
    } else {
        count_row_add(model);
    }
    if (wants_second(model)) {
        want_row_add(model, true, model->cover->want_second);
    }
}

/* ---- solving ---- */

/* Columns of a set, as GLPK wants to know them. */
static void set_fill(const struct model *model, const struct cover_set *set, double *column)
{
    for (int n = 0; n < set->count; n++) {
        column[column_x(set->site[n])] = 1.0;
    }
    for (int g = 0; g < model->count; g++) {
        int first = 0, second = 0;
        for (int n = 0; n < set->count; n++) {
            first += covers(model, set->site[n], model->groups[g].place);
            second += model->cover->has_second && covers_second(model, set->site[n], model->groups[g].place);
        }
        column[column_y(model, g)] = first > 0 ? 1.0 : 0.0;
        if (wants_second(model)) {
            column[column_z(model, g)] = second > 1 ? 1.0 : 0.0;
        }
    }
}

static void known_tell(struct model *model, glp_tree *tree)
{
    pw_error ignored;
    double *column = allocate((size_t)glp_get_num_cols(model->problem) + 1, sizeof *column, "a choice", &ignored);
    if (column != NULL) {
        set_fill(model, model->known, column);
        (void)glp_ios_heur_sol(tree, column);
    }
    free(column);
    model->told = true;
}

static void search_watch(glp_tree *tree, void *user)
{
    struct model *model = user;
    pw_error ignored;
    int best = glp_ios_best_node(tree);
    if (best > 0) {
        model->bound = glp_ios_node_bound(tree, best);
    }
    if (glp_ios_reason(tree) == GLP_IHEUR && !model->told) {
        known_tell(model, tree);
    }
    model->interrupted = pw_monitor_tell(model->cover->monitor, 0.0, &ignored) != PW_OK;
    if (model->interrupted || pw_clock() > model->deadline) {
        glp_ios_terminate(tree);
    }
}

static int milliseconds_left(const struct model *model)
{
    double left = 1e3 * (model->deadline - pw_clock());
    return left < 1.0 ? 1 : left > 1e8 ? 100000000 : (int)left;
}

/* Takes the set out of the solution. */
static void set_take(const struct model *model, struct cover_set *set)
{
    set->count = 0;
    for (int c = 0; c < model->cover->candidates; c++) {
        if (glp_mip_col_val(model->problem, column_x(c)) > 0.5 && set->count < PW_SITING_MOST) {
            set->site[set->count++] = c;
        }
    }
}

/* The relaxation, whose optimum is a bound; then the integers. True: model->bound holds. */
static bool model_solve(struct model *model, struct cover_set *found)
{
    glp_smcp simplex;
    glp_iocp integers;
    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    simplex.tm_lim = milliseconds_left(model);
    if (glp_simplex(model->problem, &simplex) != 0 || glp_get_status(model->problem) != GLP_OPT) {
        return false;
    }
    model->bound = glp_get_obj_val(model->problem);
    glp_init_iocp(&integers);
    integers.msg_lev = GLP_MSG_OFF;
    integers.cb_func = search_watch;
    integers.cb_info = model;
    integers.tm_lim = milliseconds_left(model);
    int outcome = glp_intopt(model->problem, &integers), status = glp_mip_status(model->problem);
    if (outcome == 0 && status == GLP_OPT) {
        model->bound = glp_mip_obj_val(model->problem);
    }
    if (status == GLP_OPT || status == GLP_FEAS) {
        set_take(model, found);
    }
    return true;
}

/* GLPK ends the program on an error, such as a want of memory, unless it is told where to go instead. */
static void leave(void *user)
{
    longjmp(*(jmp_buf *)user, 1);
}

static bool model_run(struct model *model, struct cover_set *found)
{
    jmp_buf back;
    volatile bool holds = false;
    glp_term_out(GLP_OFF);
    if (setjmp(back) != 0) {
        glp_free_env(); /* with the problem in it */
        return false;
    }
    glp_error_hook(leave, &back);
    model->problem = glp_create_prob();
    glp_set_obj_dir(model->problem, model->fewest ? GLP_MIN : GLP_MAX);
    columns_add(model);
    rows_add(model);
    holds = model_solve(model, found);
    glp_delete_prob(model->problem);
    glp_error_hook(NULL, NULL);
    return holds;
}

/* What `model` says; *holds: its bound is one. */
static pw_status model_ask(struct model *model, struct cover_set *found, bool *holds, pw_error *error)
{
    const struct cover *cover = model->cover;
    *holds = false;
    pw_status status = groups_make(model, error);
    size_t entries = (size_t)(cover->candidates > cover->demand ? cover->candidates : cover->demand) + 2;
    model->index = status == PW_OK ? allocate(entries, sizeof *model->index, "a program", error) : NULL;
    model->value = status == PW_OK ? allocate(entries, sizeof *model->value, "a program", error) : NULL;
    if (model->index == NULL || model->value == NULL) {
        status = PW_NO_RESOURCE;
    } else if ((double)model->count * cover->candidates <= MOST_ENTRIES) {
        *holds = model_run(model, found);
        status = model->interrupted ? pw_monitor_tell(cover->monitor, 0.0, error) : PW_OK;
    }
    PW_FREE_ALL(model->groups, model->index, model->value);
    return status;
}

/* Takes what was found where that is better. */
static pw_status found_take(const struct cover *cover, const struct cover_set *found, bool fewer, struct cover_set *set,
                            pw_error *error)
{
    struct cover_state state;
    if (found->count == 0 || (fewer && found->count >= set->count)) {
        return PW_OK;
    }
    TRY(cover_state_create(cover, &state, error));
    cover_state_of(cover, found, -1, &state);
    struct cover_score score = cover_score(cover, &state, -1);
    cover_state_of(cover, set, -1, &state);
    struct cover_score old = cover_score(cover, &state, -1);
    if (fewer ? !cover_lacks(cover, &score) : found->count == set->count && cover_better(cover, &score, &old)) {
        *set = *found;
    }
    cover_state_free(&state);
    return PW_OK;
}

pw_status cover_least_proven(const struct cover *cover, double seconds, struct cover_set *set, int *least,
                             pw_error *error)
{
    struct model model = {.cover = cover, .fewest = true, .known = set, .deadline = pw_clock() + seconds};
    struct cover_set found = {0};
    bool holds;
    TRY(model_ask(&model, &found, &holds, error));
    TRY(found_take(cover, &found, true, set, error));
    double bound = holds ? ceil(model.bound - 10.0 * tolerance) : 1.0;
    *least = bound > set->count ? set->count : (int)bound;
    return PW_OK;
}

pw_status cover_most_proven(const struct cover *cover, double seconds, struct cover_set *set, double *most,
                            pw_error *error)
{
    struct model model = {.cover = cover, .chosen = set->count, .known = set, .deadline = pw_clock() + seconds};
    struct cover_set found = {0};
    bool holds;
    TRY(model_ask(&model, &found, &holds, error));
    TRY(found_take(cover, &found, false, set, error));
    *most = holds ? cover->total * (model.bound + tolerance) : cover->total;
    return PW_OK;
}

__attribute__((constructor)) static void version_tell(void)
{
    static char fact[48];
    snprintf(fact, sizeof fact, "  GLPK      %s\n", glp_version());
    pw_build_facts_add(fact);
}
