/* Searches for a choice of candidates (cover.h): greedy, by exchanges, and through all of them. */
#include "place/choice/cover.h"

#include <string.h>

static const double exhaust_looks = 2e9;  /* places looked at by a search through all choices: some seconds */
static const double exchange_looks = 1e9; /* by exchanges from other beginnings */
enum { MOST_BEGINNINGS = 40 };

static bool set_has(const struct cover_set *set, int candidate)
{
    for (int n = 0; n < set->count; n++) {
        if (set->site[n] == candidate) {
            return true;
        }
    }
    return false;
}

pw_status cover_greedy(const struct cover *cover, int most, struct cover_set *set, struct cover_score *score,
                       pw_error *error)
{
    OWNED_BY(cover_state_free) struct cover_state state = {0};
    TRY(cover_state_create(cover, &state, error));
    set->count = 0;
    *score = cover_score(cover, &state, -1);
    bool open = cover->want > 0.0 || cover->want_second > 0.0; /* else as many as there may be */
    while (set->count < most && set->count < cover->candidates && (!open || cover_lacks(cover, score))) {
        struct cover_score best = {0};
        int found = -1;
        for (int c = 0; c < cover->candidates; c++) {
            if (set_has(set, c)) {
                continue;
            }
            struct cover_score with = cover_score(cover, &state, c);
            if (found < 0 || cover_better(cover, &with, &best)) {
                best = with;
                found = c;
            }
        }
        set->site[set->count++] = found;
        cover_state_add(cover, &state, found, &state);
        *score = best;
        TRY(pw_monitor_tell(cover->monitor, 0.0, error));
    }
    return PW_OK;
}

/* ---- exchanges ---- */

/* The best exchange of one member; false: none is better. */
static bool exchange_once(const struct cover *cover, struct cover_set *set, struct cover_score *score,
                          struct cover_state *state)
{
    struct cover_score best = *score;
    int member = -1, by = -1;
    for (int n = 0; n < set->count; n++) {
        cover_state_of(cover, set, n, state);
        for (int c = 0; c < cover->candidates; c++) {
            if (set_has(set, c)) {
                continue;
            }
            struct cover_score with = cover_score(cover, state, c);
            if (cover_better(cover, &with, &best)) {
                best = with;
                member = n;
                by = c;
            }
        }
    }
    if (member >= 0) {
        set->site[member] = by;
        *score = best;
    }
    return member >= 0;
}

static pw_status descend(const struct cover *cover, struct cover_set *set, struct cover_score *score,
                         struct cover_state *state, pw_error *error)
{
    while (exchange_once(cover, set, score, state)) {
        TRY(pw_monitor_tell(cover->monitor, 0.0, error));
    }
    return PW_OK;
}

/* Marsaglia's xorshift; any number but 0 begins it. */
static uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Half of the members are drawn anew. */
static void set_shake(const struct cover *cover, struct cover_set *set, uint32_t *random)
{
    for (int n = 0; n < (set->count + 1) / 2; n++) {
        int member = (int)(random_next(random) % (uint32_t)set->count), candidate;
        do {
            candidate = (int)(random_next(random) % (uint32_t)cover->candidates);
        } while (set_has(set, candidate));
        set->site[member] = candidate;
    }
}

pw_status cover_exchange(const struct cover *cover, struct cover_set *set, struct cover_score *score, pw_error *error)
{
    OWNED_BY(cover_state_free) struct cover_state state = {0};
    if (set->count == 0 || set->count >= cover->candidates) {
        return PW_OK;
    }
    TRY(cover_state_create(cover, &state, error));
    double looks = 4.0 * set->count * (double)cover->candidates * cover->demand, budget = exchange_looks / looks;
    int beginnings = budget < MOST_BEGINNINGS ? (int)budget : MOST_BEGINNINGS;
    uint32_t random = 2463534242U;
    TRY(descend(cover, set, score, &state, error));
    for (int n = 0; n < beginnings; n++) {
        struct cover_set other = *set;
        set_shake(cover, &other, &random);
        cover_state_of(cover, &other, -1, &state);
        struct cover_score found = cover_score(cover, &state, -1);
        TRY(descend(cover, &other, &found, &state, error));
        if (cover_better(cover, &found, score)) {
            *set = other;
            *score = found;
        }
    }
    return PW_OK;
}

/* ---- all of them ---- */

static double cover_choices(const struct cover *cover, int count)
{
    double choices = 1.0;
    for (int n = 0; n < count; n++) {
        choices *= (double)(cover->candidates - n) / (n + 1);
    }
    return choices;
}

bool cover_exhaustible(const struct cover *cover, int count)
{
    return cover_choices(cover, count) * cover->demand <= exhaust_looks;
}

/* A search through all choices of `count`: those made so far are `chosen`, with the state that each left. */
struct exhaust {
    const struct cover *cover;
    int count;
    struct cover_set chosen, *found;
    struct cover_score *score;
    bool any;
    struct cover_state states[PW_SITING_MOST]; /* (count): of the first 0, 1, ... of the chosen */
};

static pw_status exhaust_from(struct exhaust *exhaust, int first, pw_error *error)
{
    const struct cover *cover = exhaust->cover;
    int depth = exhaust->chosen.count, left = exhaust->count - depth;
    for (int c = first; c <= cover->candidates - left; c++) {
        exhaust->chosen.site[depth] = c;
        if (left > 1) {
            cover_state_add(cover, &exhaust->states[depth], c, &exhaust->states[depth + 1]);
            exhaust->chosen.count = depth + 1;
            TRY(exhaust_from(exhaust, c + 1, error));
            exhaust->chosen.count = depth;
            continue;
        }
        struct cover_score with = cover_score(cover, &exhaust->states[depth], c);
        if (!exhaust->any || cover_better(cover, &with, exhaust->score)) {
            exhaust->any = true;
            *exhaust->score = with;
            *exhaust->found = exhaust->chosen;
            exhaust->found->count = exhaust->count;
        }
    }
    return depth + 2 <= exhaust->count ? PW_OK : pw_monitor_tell(cover->monitor, 0.0, error);
}

pw_status cover_exhaust(const struct cover *cover, int count, struct cover_set *set, struct cover_score *score,
                        pw_error *error)
{
    struct exhaust exhaust = {.cover = cover, .count = count, .found = set, .score = score};
    pw_status status = PW_OK;
    for (int n = 0; n < count && status == PW_OK; n++) {
        status = cover_state_create(cover, &exhaust.states[n], error);
    }
    THEN(status, exhaust_from(&exhaust, 0, error));
    for (int n = 0; n < count; n++) {
        cover_state_free(&exhaust.states[n]);
    }
    return status;
}
