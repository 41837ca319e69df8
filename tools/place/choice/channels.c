/* Channels for the access points of an answer (tools/place/planwave_place.h): with s(d) the strongest at a place d, and
 * P the powers there, what is made smallest is the mean over the weight of
 *
 *     sum over the others on the channel of s(d) of P_other(d)/P_s(d)
 *
 * which is a sum over pairs of access points on one channel: a graph whose edges have weights is coloured. Few are
 * coloured in the best way there is, by branch and bound; many by exchanges from several beginnings. */
#include "place/choice/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 20000000, BEGINNINGS = 200 };

struct graph {
    int count, channels;
    double edge[PW_SITING_MOST][PW_SITING_MOST]; /* mean of interference over signal, both ways */
};

static double watts(double level)
{
    return level > COVER_NOTHING ? pow(10.0, 0.1 * level) : 0.0;
}

/* The index in the answer of the strongest at a place; -1: nothing arrives. */
static int server_at(const double *level, int demand, const pw_siting_answer *answer, int place)
{
    int best = -1;
    double most = COVER_NOTHING;
    for (int n = 0; n < answer->count; n++) {
        double here = level[(size_t)answer->site[n] * (size_t)demand + (size_t)place];
        if (here > most) {
            most = here;
            best = n;
        }
    }
    return best;
}

static double power_at(const double *level, int demand, const pw_siting_answer *answer, int n, int place)
{
    return watts(level[(size_t)answer->site[n] * (size_t)demand + (size_t)place]);
}

static void graph_fill(const double *level, const double *weight, int demand, const pw_siting_answer *answer,
                       struct graph *graph)
{
    double total = 0.0;
    for (int d = 0; d < demand; d++) {
        int server = server_at(level, demand, answer, d);
        total += weight[d];
        for (int n = 0; n < answer->count && server >= 0; n++) {
            if (n != server) {
                double ratio = power_at(level, demand, answer, n, d) / power_at(level, demand, answer, server, d);
                graph->edge[n][server] += weight[d] * ratio;
            }
        }
    }
    for (int a = 0; a < answer->count; a++) {
        for (int b = 0; b < a; b++) {
            double both = (graph->edge[a][b] + graph->edge[b][a]) / total;
            graph->edge[a][b] = graph->edge[b][a] = both;
        }
    }
}

/* Of access point n towards the first `count` others on `channel`. */
static double edges_of(const struct graph *graph, const int *channel, int n, int of, int count)
{
    double sum = 0.0;
    for (int m = 0; m < count; m++) {
        sum += m != n && channel[m] == of ? graph->edge[n][m] : 0.0;
    }
    return sum;
}

static double edges_all(const struct graph *graph, const int *channel)
{
    double sum = 0.0;
    for (int n = 0; n < graph->count; n++) {
        sum += edges_of(graph, channel, n, channel[n], n);
    }
    return sum;
}

/* ---- exchanges ---- */

static double channels_descend(const struct graph *graph, int *channel)
{
    bool better = true;
    while (better) {
        better = false;
        for (int n = 0; n < graph->count; n++) {
            double have = edges_of(graph, channel, n, channel[n], graph->count);
            for (int c = 0; c < graph->channels; c++) {
                double other = edges_of(graph, channel, n, c, graph->count);
                if (other < have * (1.0 - 1e-12)) {
                    channel[n] = c;
                    have = other;
                    better = true;
                }
            }
        }
    }
    return edges_all(graph, channel);
}

/* ---- branch and bound ---- */

struct branch {
    const struct graph *graph;
    int channel[PW_SITING_MOST], best[PW_SITING_MOST];
    double least;
    int64_t nodes;
};

/* Channels of access points from n on; `used` are in use so far, and all that are not are alike. */
static void branch_from(struct branch *branch, int n, int used, double sum)
{
    const struct graph *graph = branch->graph;
    if (sum >= branch->least * (1.0 - 1e-12) || branch->nodes++ > MOST_NODES) {
        return;
    }
    if (n == graph->count) {
        branch->least = sum;
        memcpy(branch->best, branch->channel, sizeof branch->best);
        return;
    }
    for (int c = 0; c < graph->channels && c <= used; c++) {
        branch->channel[n] = c;
        branch_from(branch, n + 1, c == used ? used + 1 : used, sum + edges_of(graph, branch->channel, n, c, n));
    }
}

static void channels_colour(const struct graph *graph, pw_siting_channels *assigned)
{
    struct branch branch = {.graph = graph, .least = INFINITY};
    uint32_t random = 2463534242U;
    for (int b = 0; b < BEGINNINGS; b++) {
        int channel[PW_SITING_MOST] = {0};
        for (int n = 0; n < graph->count; n++) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            channel[n] = b == 0 ? n % graph->channels : (int)(random % (uint32_t)graph->channels);
        }
        double sum = channels_descend(graph, channel);
        if (sum < branch.least) {
            branch.least = sum;
            memcpy(branch.best, channel, sizeof branch.best);
        }
    }
    branch_from(&branch, 0, 0, 0.0);
    memcpy(assigned->channel, branch.best, sizeof assigned->channel);
    assigned->interference = edges_all(graph, assigned->channel);
    assigned->exact = branch.nodes <= MOST_NODES;
}

/* The channel of the first access point is called 0, the next new one 1, and so on. */
static void channels_rename(int count, int *channel)
{
    int name[PW_SITING_CHANNELS], used = 0;
    memset(name, -1, sizeof name);
    for (int n = 0; n < count; n++) {
        if (name[channel[n]] < 0) {
            name[channel[n]] = used++;
        }
        channel[n] = name[channel[n]];
    }
}

/* ---- signal over interference and noise ---- */

struct weighted {
    double value, weight;
};

static int weighted_compare(const void *a, const void *b)
{
    double x = ((const struct weighted *)a)->value, y = ((const struct weighted *)b)->value;
    return (x > y) - (x < y);
}

/* `channel` NULL: all on one. */
static pw_status sinr_fill(const double *level, const double *weight, int demand, const pw_siting_answer *answer,
                           const int *channel, double noise, double sinr[3], pw_error *error)
{
    static const double shares[3] = {0.05, 0.5, 0.95};
    struct weighted *place = allocate((size_t)demand, sizeof *place, "signal over interference", error);
    double total = 0.0, sum = 0.0;
    TRY_MADE(place);
    for (int d = 0; d < demand; d++) {
        int server = server_at(level, demand, answer, d);
        double below = watts(noise), signal = server >= 0 ? power_at(level, demand, answer, server, d) : 0.0;
        for (int n = 0; n < answer->count; n++) {
            bool same = n != server && server >= 0 && (channel == NULL || channel[n] == channel[server]);
            below += same ? power_at(level, demand, answer, n, d) : 0.0;
        }
        place[d] = (struct weighted){10.0 * log10(fmax(signal / below, 1e-30)), weight[d]};
        total += weight[d];
    }
    qsort(place, (size_t)demand, sizeof *place, weighted_compare);
    for (int d = 0, s = 0; d < demand && s < 3; d++) {
        for (sum += place[d].weight; s < 3 && sum >= shares[s] * total * (1.0 - 1e-12); s++) {
            sinr[s] = place[d].value;
        }
    }
    free(place);
    return PW_OK;
}

pw_status pw_siting_channels_levels(const double *level, const double *weight, int demand,
                                    const pw_siting_answer *answer, int channels, double noise,
                                    pw_siting_channels *assigned, pw_error *error)
{
    FAIL_IF(channels < 1 || channels > PW_SITING_CHANNELS, error, PW_USAGE, "%d channels; allowed are 1 to %d",
            channels, PW_SITING_CHANNELS);
    FAIL_IF(answer->count < 1 || answer->count > PW_SITING_MOST || demand < 1, error, PW_USAGE,
            "channels are for an answer with access points and places");
    struct graph *graph = allocate(1, sizeof *graph, "a graph of access points", error);
    TRY_MADE(graph);
    *assigned = (pw_siting_channels){0};
    graph->count = answer->count;
    graph->channels = channels;
    graph_fill(level, weight, demand, answer, graph);
    channels_colour(graph, assigned);
    const int one[PW_SITING_MOST] = {0};
    assigned->single_interference = edges_all(graph, one);
    free(graph);
    channels_rename(answer->count, assigned->channel);
    TRY(sinr_fill(level, weight, demand, answer, assigned->channel, noise, assigned->sinr, error));
    return sinr_fill(level, weight, demand, answer, NULL, noise, assigned->single_sinr, error);
}
