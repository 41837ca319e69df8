/* The choice of access points: equal to a search through all subsets on small cases, bounds that hold, channels equal
 * to a search through all colourings, and what is said where a need cannot be met. The searches here are written apart
 * from those of the library: subsets are bits of a number, and scores are sums over places. */
#include "tests/support/check.h"

#include "place/planwave_place.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 14, MOST_PLACES = 60 };

struct small_case {
    int candidates, places;
    double level[MOST_CANDIDATES * MOST_PLACES], weight[MOST_PLACES];
};

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.15g instead of %.15g", value, wanted);
    }
}

static double uniform(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (double)(*state >> 8) / 16777216.0;
}

/* Candidates and places at random on a floor of 30 m by 20 m with walls every 6 m: a loss by distance, 7 dB a wall, and
 * some decibels at random. */
static struct small_case case_make(int candidates, int places, uint32_t seed)
{
    static double x[MOST_CANDIDATES + MOST_PLACES], y[MOST_CANDIDATES + MOST_PLACES];
    struct small_case made = {.candidates = candidates, .places = places};
    for (int n = 0; n < candidates + places; n++) {
        x[n] = 30.0 * uniform(&seed);
        y[n] = 20.0 * uniform(&seed);
    }
    for (int d = 0; d < places; d++) {
        made.weight[d] = 0.5 + uniform(&seed);
    }
    for (int c = 0; c < candidates; c++) {
        for (int d = 0; d < places; d++) {
            int to = candidates + d;
            double walls = fabs(floor(x[c] / 6.0) - floor(x[to] / 6.0)) + fabs(floor(y[c] / 6.0) - floor(y[to] / 6.0));
            double away = fmax(1.0, hypot(x[c] - x[to], y[c] - y[to]));
            made.level[c * places + d] = -30.0 - 25.0 * log10(away) - 7.0 * walls + 6.0 * (uniform(&seed) - 0.5);
        }
    }
    return made;
}

struct worth {
    double lacking, covered, doubled, mean;
};

static struct worth worth_of(const struct small_case *of, const pw_siting_need *need, unsigned subset)
{
    struct worth worth = {0};
    double total = 0.0;
    for (int d = 0; d < of->places; d++) {
        double best = -300.0, second = -300.0;
        for (int c = 0; c < of->candidates; c++) {
            double level = of->level[c * of->places + d];
            if ((subset >> c & 1U) == 0) {
                continue;
            }
            second = fmax(second, fmin(best, level));
            best = fmax(best, level);
        }
        total += of->weight[d];
        worth.covered += best >= need->level ? of->weight[d] : 0.0;
        worth.doubled += need->has_second && second >= need->second_level ? of->weight[d] : 0.0;
        worth.mean += of->weight[d] * best;
    }
    worth.mean /= total;
    if (need->best == 0) {
        worth.lacking = fmax(0.0, need->share * total - worth.covered);
        worth.lacking += need->has_second ? fmax(0.0, need->second_share * total - worth.doubled) : 0.0;
    }
    return worth;
}

static bool better(const struct worth *a, const struct worth *b)
{
    const double slack = 1e-7;
    if (fabs(a->lacking - b->lacking) > slack) {
        return a->lacking < b->lacking;
    }
    if (fabs(a->covered - b->covered) > slack) {
        return a->covered > b->covered;
    }
    if (fabs(a->doubled - b->doubled) > slack) {
        return a->doubled > b->doubled;
    }
    return a->mean > b->mean;
}

static int bits(unsigned subset)
{
    int count = 0;
    for (; subset != 0; subset &= subset - 1) {
        count++;
    }
    return count;
}

/* The best subset of `count`. */
static struct worth best_of(const struct small_case *of, const pw_siting_need *need, int count)
{
    struct worth best = {.lacking = DBL_MAX};
    for (unsigned subset = 1; subset < 1U << of->candidates; subset++) {
        struct worth worth = {0};
        if (bits(subset) == count) {
            worth = worth_of(of, need, subset);
            best = best.lacking == DBL_MAX || better(&worth, &best) ? worth : best;
        }
    }
    return best;
}

static unsigned subset_of(const pw_siting_answer *answer)
{
    unsigned subset = 0;
    for (int n = 0; n < answer->count; n++) {
        subset |= 1U << answer->site[n];
    }
    return subset;
}

static pw_siting_answer choose(const struct small_case *of, const pw_siting_need *need)
{
    pw_siting_answer answer;
    pw_error error = {""};
    assert_int_equal(pw_siting_choose_levels(of->level, of->weight, of->candidates, of->places, need, &answer, &error),
                     PW_OK);
    return answer;
}

/* The answer is as good as the best of all subsets of its size, and no smaller one meets the need. */
static void answer_is_best(const struct small_case *of, const pw_siting_need *need)
{
    pw_siting_answer answer = choose(of, need);
    struct worth best = best_of(of, need, answer.count), got = worth_of(of, need, subset_of(&answer));
    if (!answer.met || !answer.exact) {
        fail_msg("%d access points of %d, %.1f %% and %.1f %% of at most %.1f %% and %.1f %%", answer.count,
                 of->candidates, 100.0 * answer.share, 100.0 * answer.second_share, 100.0 * answer.most_share,
                 100.0 * answer.most_second_share);
    }
    assert_int_equal(answer.least_count, answer.count);
    assert_false(better(&best, &got));
    assert_near(answer.mean_level, best.mean, 1e-9);
    if (need->best > 0) {
        assert_int_equal(answer.count, need->best);
        return;
    }
    assert_true(got.lacking < 1e-7);
    for (int fewer = 1; fewer < answer.count; fewer++) {
        assert_true(best_of(of, need, fewer).lacking > 1e-7);
    }
}

static void equal_to_exhaustive_search(void **state)
{
    (void)state;
    const struct small_case cases[] = {case_make(10, 60, 1), case_make(12, 40, 2), case_make(14, 50, 3)};
    for (int n = 0; n < 3; n++) {
        pw_siting_need need = pw_siting_need_default();
        need.level = -65.0;
        need.share = 0.9;
        answer_is_best(&cases[n], &need);
        need.has_second = true;
        need.second_level = -72.0;
        need.second_share = 0.8;
        answer_is_best(&cases[n], &need);
        for (need.best = 1; need.best <= 4; need.best++) {
            answer_is_best(&cases[n], &need);
        }
    }
}

/* A bound that is over or under the truth is worse than none: proven counts and shares are held against all subsets,
 * with the quick bounds alone (no time to search) and with the programs that GLPK solves. */
static void bounds_hold(void **state)
{
    (void)state;
    for (uint32_t seed = 10; seed < 20; seed++) {
        const struct small_case of = case_make(12, 40, seed);
        pw_siting_need need = pw_siting_need_default();
        need.search_time = 0.0;
        need.level = -64.0;
        need.has_second = seed % 2 == 0;
        need.second_share = 0.8;
        pw_siting_answer answer = choose(&of, &need);
        if (answer.met) {
            assert_true(answer.least_count <= answer.count && !answer.exact);
            for (int fewer = 1; fewer < answer.least_count; fewer++) {
                assert_true(best_of(&of, &need, fewer).lacking > 1e-7);
            }
        }
        double total = 0.0;
        for (int d = 0; d < of.places; d++) {
            total += of.weight[d];
        }
        need.has_second = false;
        need.best = 3;
        answer = choose(&of, &need);
        struct worth best = best_of(&of, &need, 3);
        assert_true(answer.share_bound * total >= best.covered - 1e-7);
        assert_true(answer.share * total <= best.covered + 1e-7);
        assert_false(answer.exact);
    }
}

/* So many candidates that all choices of the size of the answer are too many: integer programming proves that fewer do
 * not do. Places in a row of 200 m, each covered by the candidates within 10 m of it: it takes ten. */
static void integer_programs_prove(void **state)
{
    (void)state;
    enum { ROW = 200, SITES = 60 };
    static double level[SITES * ROW], weight[ROW];
    pw_siting_need need = pw_siting_need_default();
    pw_siting_answer answer;
    pw_error error = {""};
    need.share = 1.0;
    for (int d = 0; d < ROW; d++) {
        weight[d] = 1.0;
        for (int c = 0; c < SITES; c++) {
            double site = c < 10 ? 10.0 + 20.0 * c : fmod(37.3 * c, 200.0); /* the first ten do it, the others do not */
            level[c * ROW + d] = fabs(site - (d + 0.5)) < 10.0 ? -60.0 : -90.0;
        }
    }
    assert_int_equal(pw_siting_choose_levels(level, weight, SITES, ROW, &need, &answer, &error), PW_OK);
    assert_true(answer.met);
    assert_int_equal(answer.count, 10);
    assert_int_equal(answer.least_count, 10);
    need.best = 6;
    assert_int_equal(pw_siting_choose_levels(level, weight, SITES, ROW, &need, &answer, &error), PW_OK);
    assert_near(answer.share, 0.6, 1e-12);
    assert_true(answer.share_bound >= 0.6 - 1e-12 && answer.share_bound < 0.6 + 1e-4);
    assert_true(answer.met);
}

static void says_what_can_be_reached(void **state)
{
    (void)state;
    const struct small_case of = case_make(10, 60, 5);
    pw_siting_need need = pw_siting_need_default();
    need.level = -45.0;
    pw_siting_answer answer = choose(&of, &need);
    struct worth all = worth_of(&of, &need, (1U << of.candidates) - 1U), got = worth_of(&of, &need, subset_of(&answer));
    assert_false(answer.met);
    assert_near(got.covered, all.covered, 1e-9); /* as much as every candidate together, with fewer of them */
    assert_near(answer.share, answer.most_share, 1e-12);
    for (int fewer = 1; fewer < answer.count; fewer++) {
        assert_true(best_of(&of, &need, fewer).covered < all.covered - 1e-9);
    }
    need = pw_siting_need_default();
    need.level = -60.0;
    need.most = 2;
    answer = choose(&of, &need);
    assert_false(answer.met);
    assert_int_equal(answer.count, 2);
    struct worth best = best_of(&of, &need, 2);
    got = worth_of(&of, &need, subset_of(&answer));
    assert_false(better(&best, &got));
    need.level = 100.0; /* nothing is covered by anyone */
    answer = choose(&of, &need);
    assert_false(answer.met);
    assert_near(answer.most_share, 0.0, 0.0);
}

static void levels_that_are_none(void **state)
{
    (void)state;
    const double level[] = {NAN, -50.0, -60.0, -INFINITY}, weight[] = {1.0, 3.0}, wrong[] = {1.0, 0.0};
    pw_siting_need need = pw_siting_need_default();
    pw_siting_answer answer;
    pw_error error = {""};
    need.best = 1;
    assert_int_equal(pw_siting_choose_levels(level, weight, 2, 2, &need, &answer, &error), PW_OK);
    assert_int_equal(answer.site[0], 0);
    assert_near(answer.share, 0.75, 1e-12);
    assert_int_equal(pw_siting_choose_levels(level, wrong, 2, 2, &need, &answer, &error), PW_USAGE);
    need.best = 3;
    assert_int_equal(pw_siting_choose_levels(level, weight, 2, 2, &need, &answer, &error), PW_USAGE);
    need.best = 0;
    need.share = 1.5;
    assert_int_equal(pw_siting_choose_levels(level, weight, 2, 2, &need, &answer, &error), PW_USAGE);
}

/* Mean over the weight of interference over signal. */
static double interference_of(const struct small_case *of, const pw_siting_answer *answer, const int *channel)
{
    double sum = 0.0, total = 0.0;
    for (int d = 0; d < of->places; d++) {
        int server = 0;
        for (int n = 1; n < answer->count; n++) {
            if (of->level[answer->site[n] * of->places + d] > of->level[answer->site[server] * of->places + d]) {
                server = n;
            }
        }
        double signal = of->level[answer->site[server] * of->places + d];
        for (int n = 0; n < answer->count; n++) {
            if (n != server && channel[n] == channel[server]) {
                sum += of->weight[d] * pow(10.0, 0.1 * (of->level[answer->site[n] * of->places + d] - signal));
            }
        }
        total += of->weight[d];
    }
    return sum / total;
}

static void channels_are_best(void **state)
{
    (void)state;
    const struct small_case of = case_make(7, 60, 8);
    pw_siting_answer answer = {.count = 7, .site = {0, 1, 2, 3, 4, 5, 6}};
    for (int channels = 1; channels <= 4; channels++) {
        pw_siting_channels assigned;
        pw_error error = {""};
        assert_int_equal(
            pw_siting_channels_levels(of.level, of.weight, of.places, &answer, channels, -94.0, &assigned, &error),
            PW_OK);
        double least = INFINITY;
        int all = (int)round(pow(channels, 7));
        for (int code = 0; code < all; code++) {
            int channel[7];
            for (int n = 0, rest = code; n < 7; n++, rest /= channels) {
                channel[n] = rest % channels;
            }
            least = fmin(least, interference_of(&of, &answer, channel));
        }
        assert_true(assigned.exact);
        assert_near(assigned.interference, least, 1e-9 * least);
        assert_near(interference_of(&of, &answer, assigned.channel), least, 1e-9 * least);
        assert_true(assigned.sinr[0] >= assigned.single_sinr[0] - 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_exhaustive_search), cmocka_unit_test(bounds_hold),
        cmocka_unit_test(integer_programs_prove),     cmocka_unit_test(says_what_can_be_reached),
        cmocka_unit_test(levels_that_are_none),       cmocka_unit_test(channels_are_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
