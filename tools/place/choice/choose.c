/* The choice of candidates (tools/place/planwave_place.h): which search is made and what is proven by it. */
#include "place/choice/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int integer_compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

pw_siting_need pw_siting_need_default(void)
{
    return (pw_siting_need){
        .level = -67.0, .share = 0.95, .second_level = -75.0, .second_share = 0.95, .search_time = 30.0};
}

static pw_status need_check(const pw_siting_need *need, int candidates, pw_error *error)
{
    FAIL_IF(!isfinite(need->level) || (need->has_second && !isfinite(need->second_level)), error, PW_USAGE,
            "a wanted level is not a number");
    FAIL_IF(!(need->share > 0.0 && need->share <= 1.0) ||
                (need->has_second && !(need->second_share > 0.0 && need->second_share <= 1.0)),
            error, PW_USAGE, "the wanted share is %g %%; allowed are values above 0 and up to 100 %%",
            100.0 * (need->share > 0.0 && need->share <= 1.0 ? need->second_share : need->share));
    FAIL_IF(need->best < 0 || need->best > PW_SITING_MOST || need->most < 0 || need->most > PW_SITING_MOST, error,
            PW_USAGE, "%d access points; allowed are 1 to %d",
            need->best < 0 || need->best > PW_SITING_MOST ? need->best : need->most, PW_SITING_MOST);
    FAIL_IF(need->best > candidates, error, PW_USAGE, "%d access points are to be placed, and there are %d candidates",
            need->best, candidates);
    return need->search_time >= 0.0 ? PW_OK : fail(error, PW_USAGE, "the time of a search is under 0");
}

/* ---- the levels ---- */

/* The levels of the caller without what is no number. */
static pw_status cover_create(const double *level, const double *weight, int candidates, int demand,
                              const pw_siting_need *need, struct cover *cover, double **copy, pw_error *error)
{
    size_t count = (size_t)candidates * (size_t)demand;
    *cover = (struct cover){.candidates = candidates,
                            .demand = demand,
                            .weight = weight,
                            .need = need->level,
                            .second = need->second_level,
                            .has_second = need->has_second,
                            .monitor = &need->monitor};
    for (int d = 0; d < demand; d++) {
        FAIL_IF(!(weight[d] > 0.0 && isfinite(weight[d])), error, PW_USAGE,
                "the weight of place %d is %g; allowed is more than 0", d + 1, weight[d]);
        cover->total += weight[d];
    }
    cover->slack = 1e-9 * cover->total;
    *copy = allocate(count, sizeof **copy, "the levels of a choice", error);
    TRY_MADE(*copy);
    for (size_t n = 0; n < count; n++) {
        (*copy)[n] = level[n] > COVER_NOTHING ? level[n] : COVER_NOTHING;
    }
    cover->level = *copy;
    return PW_OK;
}

/* With every candidate in use. */
static pw_status reach(const struct cover *cover, struct cover_score *score, pw_error *error)
{
    struct cover_state state;
    TRY(cover_state_create(cover, &state, error));
    for (int c = 0; c < cover->candidates; c++) {
        cover_state_add(cover, &state, c, &state);
    }
    *score = cover_score(cover, &state, -1);
    cover_state_free(&state);
    return PW_OK;
}

/* ---- searches ---- */

/* What is known of a choice under way. */
struct search {
    struct cover cover;
    double seconds;
    struct cover_set set;
    struct cover_score score;
    int least;   /* proven: no fewer do */
    double most; /* proven: weight that so many cover at most */
    bool exact;
};

static pw_status rescore(struct search *search, pw_error *error)
{
    struct cover_state state;
    TRY(cover_state_create(&search->cover, &state, error));
    cover_state_of(&search->cover, &search->set, -1, &state);
    search->score = cover_score(&search->cover, &state, -1);
    cover_state_free(&state);
    return PW_OK;
}

/* The best of the size that the set has. */
static pw_status improve(struct search *search, pw_error *error)
{
    const struct cover *cover = &search->cover;
    int count = search->set.count;
    search->exact = search->seconds > 0.0 && cover_exhaustible(cover, count);
    return search->exact ? cover_exhaust(cover, count, &search->set, &search->score, error)
                         : cover_exchange(cover, &search->set, &search->score, error);
}

/* Fewer, for as long as exchanges find a way: first without the member that is missed least. */
static pw_status shrink(struct search *search, pw_error *error)
{
    const struct cover *cover = &search->cover;
    struct cover_state state;
    TRY(cover_state_create(cover, &state, error));
    pw_status status = PW_OK;
    while (status == PW_OK && search->set.count > search->least) {
        struct cover_set fewer = search->set;
        struct cover_score score = {0};
        int without = -1;
        for (int n = 0; n < search->set.count; n++) {
            cover_state_of(cover, &search->set, n, &state);
            struct cover_score left = cover_score(cover, &state, -1);
            if (without < 0 || cover_better(cover, &left, &score)) {
                without = n;
                score = left;
            }
        }
        fewer.count--;
        fewer.site[without] = fewer.site[fewer.count];
        status = cover_exchange(cover, &fewer, &score, error);
        if (status != PW_OK || cover_lacks(cover, &score)) {
            break;
        }
        search->set = fewer;
        search->score = score;
    }
    cover_state_free(&state);
    return status;
}

/* Tries all choices of as few as may do, upwards; what is left is for integer programming. */
static pw_status prove_least(struct search *search, pw_error *error)
{
    const struct cover *cover = &search->cover;
    while (search->seconds > 0.0 && search->least < search->set.count && cover_exhaustible(cover, search->least)) {
        struct cover_set set;
        struct cover_score score;
        TRY(cover_exhaust(cover, search->least, &set, &score, error));
        if (!cover_lacks(cover, &score)) {
            search->set = set;
            search->score = score;
            return PW_OK;
        }
        search->least++;
    }
    if (search->seconds > 0.0 && search->least < search->set.count) {
        int least = 1;
        TRY(cover_least_proven(cover, search->seconds, &search->set, &least, error));
        search->least = least > search->least ? least : search->least;
        TRY(rescore(search, error));
    }
    return PW_OK;
}

/* How much weight so many may cover. */
static pw_status prove_most(struct search *search, bool fewest, double reachable, pw_error *error)
{
    const struct cover *cover = &search->cover;
    double most = cover->total;
    TRY(cover_most_quick(cover, &search->set, search->set.count, &most, error));
    search->most = fmin(most, reachable);
    if (search->exact && !(fewest && cover->has_second)) {
        search->most = search->score.covered; /* where nothing lacks, or nothing is wanted, the cover comes first */
    } else if (!fewest && search->seconds > 0.0 && search->most > search->score.covered + cover->slack) {
        TRY(cover_most_proven(cover, search->seconds, &search->set, &most, error));
        search->most = fmin(search->most, most);
        TRY(rescore(search, error));
        TRY(cover_exchange(cover, &search->set, &search->score, error)); /* the mean level too */
    }
    search->most = fmax(search->most, search->score.covered);
    return PW_OK;
}

static pw_status search_best(struct search *search, int count, double reachable, pw_error *error)
{
    search->least = count;
    TRY(cover_greedy(&search->cover, count, &search->set, &search->score, error));
    TRY(improve(search, error));
    return prove_most(search, false, reachable, error);
}

static pw_status search_fewest(struct search *search, int most, double reachable, pw_error *error)
{
    struct cover *cover = &search->cover;
    search->least = cover_least_quick(cover);
    TRY(cover_greedy(cover, cover->want > 0.0 || cover->want_second > 0.0 ? most : 1, &search->set, &search->score,
                     error));
    if (cover_lacks(cover, &search->score)) {
        TRY(improve(search, error)); /* so many do not do, or greed does not find how */
    }
    if (!cover_lacks(cover, &search->score)) {
        TRY(shrink(search, error));
        TRY(prove_least(search, error));
        int least = search->least;
        TRY(improve(search, error));
        search->exact = search->exact && least == search->set.count;
    } else if (search->exact) {
        search->least = most + 1 > search->least ? most + 1 : search->least;
    }
    return prove_most(search, true, reachable, error);
}

/* ---- the answer ---- */

static void answer_fill(const struct search *search, const struct cover_score *all, pw_siting_answer *answer)
{
    const struct cover *cover = &search->cover;
    answer->count = search->set.count;
    memcpy(answer->site, search->set.site, sizeof answer->site);
    qsort(answer->site, (size_t)answer->count, sizeof answer->site[0], integer_compare);
    answer->share = search->score.covered / cover->total;
    answer->second_share = cover->has_second ? search->score.doubled / cover->total : 0.0;
    answer->mean_level = search->score.mean;
    answer->most_share = all->covered / cover->total;
    answer->most_second_share = cover->has_second ? all->doubled / cover->total : 0.0;
    answer->least_count = search->least;
    answer->share_bound = fmin(1.0, search->most / cover->total);
    answer->exact = search->exact;
}

static pw_status need_meet(const pw_siting_need *need, struct search *search, pw_siting_answer *answer, pw_error *error)
{
    struct cover *cover = &search->cover;
    struct cover_score all;
    TRY(reach(cover, &all, error));
    if (need->best > 0) {
        TRY(search_best(search, need->best, all.covered, error));
        answer_fill(search, &all, answer);
        answer->met = true;
        return PW_OK;
    }
    double want = need->share * cover->total, want_second = need->has_second ? need->second_share * cover->total : 0.0;
    bool reachable = all.covered >= want - cover->slack && all.doubled >= want_second - cover->slack;
    int most = need->most > 0 ? need->most : PW_SITING_MOST;
    most = most < cover->candidates ? most : cover->candidates;
    cover->want = fmin(want, all.covered);
    cover->want_second = fmin(want_second, all.doubled);
    TRY(search_fewest(search, most, all.covered, error));
    answer_fill(search, &all, answer);
    answer->met = reachable && !cover_lacks(cover, &search->score);
    return PW_OK;
}

pw_status pw_siting_choose_levels(const double *level, const double *weight, int candidates, int demand,
                                  const pw_siting_need *need, pw_siting_answer *answer, pw_error *error)
{
    pw_siting_need usual = pw_siting_need_default();
    struct search search = {0};
    OWNED double *copy = NULL;
    need = need != NULL ? need : &usual;
    FAIL_IF(level == NULL || weight == NULL || answer == NULL || candidates < 1 || candidates > PW_SITING_CANDIDATES ||
                demand < 1 || demand > PW_SITING_DEMAND,
            error, PW_USAGE, "%d candidates and %d places; allowed are 1 to %d and 1 to %d", candidates, demand,
            PW_SITING_CANDIDATES, PW_SITING_DEMAND);
    TRY(need_check(need, candidates, error));
    *answer = (pw_siting_answer){0};
    search.seconds = need->search_time;
    TRY(cover_create(level, weight, candidates, demand, need, &search.cover, &copy, error));
    return need_meet(need, &search, answer, error);
}
