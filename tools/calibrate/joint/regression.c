/* Robust regression (regression.h) by normal equations in columns of unit length; the systems are small. */
#include "calibrate/joint/regression.h"

#include "tools/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60 };
static const double RIDGE = 1e-9;        /* of the diagonal: what cannot be told apart is shared out */
static const double SAME = 1e-7;         /* dB: when the weights have settled */
static const double NORMAL_MAD = 1.4826; /* standard deviation over median absolute deviation, normal distribution */

double huber_loss(double residual, double huber)
{
    double size = fabs(residual);
    return huber > 0.0 && size > huber ? huber * size - 0.5 * huber * huber : 0.5 * residual * residual;
}

/* Abramowitz and Stegun 26.7.5, an expansion about the normal quantile; exact values where that is too short. */
double student_quantile(double freedom)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776};
    const double z = 1.959964;
    if (freedom < 5.0) {
        return few[(int)fmax(1.0, freedom) - 1];
    }
    double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4.0 * freedom) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom * freedom) +
           (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom * freedom * freedom);
}

static bool is_in(const struct regression *regression, int row)
{
    return regression->left_out == NULL || !regression->left_out[row];
}

static double residual_of(const struct regression *regression, const double *beta, int row)
{
    const double *line = regression->matrix + (size_t)row * (size_t)regression->columns;
    double rest = regression->target[row];
    for (int c = 0; c < regression->columns; c++) {
        rest -= line[c] * beta[c];
    }
    return rest;
}

/* Lower factor of a (n, n) with a ridge, in place; rows and columns were scaled to a diagonal of one. */
static void factor(double *a, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j] + (i == j ? RIDGE : 0.0);
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = i == j ? sqrt(fmax(sum, RIDGE)) : sum / a[j * n + j];
        }
    }
}

/* What was known before counts as so many rows of a one: the smaller the scale, the less. */
static double prior_weight(const struct regression *regression, int column, double scale)
{
    double prior = regression->prior != NULL ? regression->prior[column] : 0.0;
    return prior > 0.0 ? fmax(1.0, regression->alike) * scale * scale / (prior * prior) : 0.0;
}

/* Sum of weight x x' over the rows and what was known before, (n, n), and the lengths of the columns, by which it is
 * scaled. */
static void normal_fill(const struct regression *regression, const double *weight, double scale, double *normal,
                        double *length)
{
    int n = regression->columns;
    memset(normal, 0, (size_t)n * (size_t)n * sizeof *normal);
    for (int row = 0; row < regression->rows; row++) {
        const double *line = regression->matrix + (size_t)row * (size_t)n;
        for (int i = 0; is_in(regression, row) && i < n; i++) {
            for (int j = 0; line[i] != 0.0 && j <= i; j++) {
                normal[i * n + j] += weight[row] * line[i] * line[j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        normal[i * n + i] += prior_weight(regression, i, scale);
        length[i] = normal[i * n + i] > 0.0 ? sqrt(normal[i * n + i]) : 1.0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            normal[i * n + j] /= length[i] * length[j];
        }
    }
}

/* ---- rows that are only known to lie below their target ---- */

static const double INNER = 0.6744897502; /* standard deviations: half of a normal distribution lies inside */

static double normal_density(double t)
{
    return exp(-0.5 * t * t) / sqrt(2.0 * M_PI);
}

static double normal_below(double t)
{
    return 0.5 * erfc(-t / sqrt(2.0));
}

/* Mean of Huber's psi over a standard normal error that is known to be less than t; *slope: by t. Where psi is the
 * error itself this is the score of a censored normal variable (Tobin, Econometrica 26 (1958) 24). */
static double below_psi(double t, double huber, double *slope)
{
    double k = huber > 0.0 ? huber : 30.0, inner = fmin(t, k);
    *slope = 0.0;
    if (t <= -k) {
        return -k;
    }
    if (t < -15.0) { /* the tail, expanded in 1 / t */
        *slope = 1.0 - 1.0 / (t * t);
        return t + 1.0 / t;
    }
    double under = normal_below(t), top = t > k ? k * (under - normal_below(k)) : 0.0;
    double psi = (-k * normal_below(-k) + normal_density(k) - normal_density(inner) + top) / under;
    *slope = normal_density(t) / under * (inner - psi);
    return psi;
}

double below_loss(double t, double huber)
{
    double slope, loss = 0.0;
    const int steps = 64;
    if (t > 8.0) {
        return 0.0;
    }
    double from = huber > 0.0 ? fmax(t, -huber) : fmax(t, -15.0), width = (8.0 - from) / steps;
    for (int n = 0; n < steps; n++) { /* psi is the loss's slope; beyond `from` it is a constant, or t */
        loss -= below_psi(from + (n + 0.5) * width, huber, &slope) * width;
    }
    return loss + (huber > 0.0 ? huber * (from - t) : 0.5 * (t * t - from * from));
}

static bool is_below(const struct regression *regression, int row)
{
    return regression->below != NULL && regression->below[row];
}

/* Chance that an error of deviation sigma, less than `most`, is one of the inner half. */
static double inner_chance(double most, double sigma)
{
    double t = most / sigma;
    return t <= -INNER ? 0.0 : (normal_below(fmin(t, INNER)) - normal_below(-INNER)) / normal_below(t);
}

/* The deviation of which half of all errors are inner ones, those of rows below their target by their chance. `sizes`
 * (count): of the other rows, ascending. */
static double scale_with_below(const struct regression *regression, const double *beta, const double *sizes, int count)
{
    double low = 0.0, high = fmax(1e-9, sizes[count - 1] / INNER);
    for (int n = 0; n < 40; n++) {
        double sigma = 0.5 * (low + high), inner = 0.0, all = count;
        for (int k = 0; k < count && sizes[k] <= INNER * sigma; k++) {
            inner++;
        }
        for (int row = 0; row < regression->rows; row++) {
            if (is_in(regression, row) && is_below(regression, row)) {
                inner += inner_chance(residual_of(regression, beta, row), sigma);
                all++;
            }
        }
        *(2.0 * inner < all ? &low : &high) = sigma;
    }
    return high;
}

/* From the median of absolute residuals, made larger for the parameters that were fitted: `fitted` of them, of one that
 * was known before the share that the rows told. */
static double scale_of(const struct regression *regression, const double *beta, double fitted, double *work)
{
    int count = 0, below = 0;
    for (int row = 0; row < regression->rows; row++) {
        if (is_in(regression, row) && !is_below(regression, row)) {
            work[count++] = fabs(residual_of(regression, beta, row));
        }
        below += is_in(regression, row) && is_below(regression, row);
    }
    if (count == 0) {
        return 0.0;
    }
    qsort(work, (size_t)count, sizeof *work, pw_number_order);
    double median = 0.5 * (work[count / 2] + work[(count - 1) / 2]);
    double scale = below > 0 ? scale_with_below(regression, beta, work, count) : NORMAL_MAD * median;
    return scale * sqrt(count / fmax(1.0, count - fitted));
}

static double weight_of(double residual, double scale, double huber)
{
    double most = huber * scale;
    return huber > 0.0 && fabs(residual) > most ? most / fabs(residual) : 1.0;
}

/* How a row pulls: psi times the scale, the weight with which it holds the next step, and the slope of psi. */
struct pull {
    double psi, weight, slope;
};

static struct pull pull_of(const struct regression *regression, double rest, int row, double scale)
{
    double huber = regression->huber;
    if (is_below(regression, row) && !(scale > 0.0)) {
        return (struct pull){fmin(0.0, rest), rest < 0.0, rest < 0.0};
    }
    if (!is_below(regression, row)) {
        double weight = scale > 0.0 ? weight_of(rest, scale, huber) : 1.0;
        return (struct pull){weight * rest, weight, huber > 0.0 && fabs(rest) > huber * scale ? 0.0 : 1.0};
    }
    double t = rest / scale, slope, psi = below_psi(t, huber, &slope);
    double weight = t < 0.0 ? fmin(1.0, fmax(slope, psi / t)) : slope;
    return (struct pull){psi * scale, weight, slope};
}

/* One weighted solution; returns by how much a residual changed at most. */
static double step(const struct regression *regression, double scale, double *weight, double *normal, double *length,
                   double *right, double *beta)
{
    int n = regression->columns;
    memset(right, 0, (size_t)n * sizeof *right);
    for (int row = 0; row < regression->rows; row++) {
        const double *line = regression->matrix + (size_t)row * (size_t)n;
        struct pull pull = pull_of(regression, residual_of(regression, beta, row), row, scale);
        weight[row] = pull.weight;
        for (int i = 0; is_in(regression, row) && i < n; i++) {
            right[i] += line[i] * pull.psi;
        }
    }
    for (int i = 0; i < n; i++) {
        double known = prior_weight(regression, i, scale);
        right[i] += known > 0.0 ? known * (regression->mean[i] - beta[i]) : 0.0;
    }
    normal_fill(regression, weight, scale, normal, length);
    for (int i = 0; i < n; i++) {
        right[i] /= length[i];
    }
    factor(normal, n);
    cholesky_solve(normal, n, right);
    double moved = 0.0;
    for (int i = 0; i < n; i++) {
        beta[i] += right[i] / length[i];
        moved = fmax(moved, fabs(right[i]) / sqrt((double)regression->rows));
    }
    return moved;
}

/* How many coefficients the rows tell, by the factor of the normal equations in columns of `length`. */
static double told_count(const struct regression *regression, const double *factored, const double *length,
                         double scale, double *work)
{
    int n = regression->columns;
    double told = n;
    for (int i = 0; i < n; i++) {
        double known = prior_weight(regression, i, scale);
        if (known > 0.0) {
            memset(work, 0, (size_t)n * sizeof *work);
            work[i] = 1.0;
            cholesky_solve(factored, n, work);
            told -= known * work[i] / (length[i] * length[i]);
        }
    }
    return told;
}

pw_status regression_solve(const struct regression *regression, double *beta, double *scale, pw_error *error)
{
    size_t n = (size_t)regression->columns, rows = (size_t)regression->rows;
    double *work = allocate(n * n + 2 * n + 2 * rows, sizeof *work, "a regression", error);
    TRY_MADE(work);
    double *normal = work, *length = work + n * n, *right = length + n, *weight = right + n, *sizes = weight + rows;
    memset(beta, 0, n * sizeof *beta);
    /* Every weight is one at first; what was known before holds most then, else the rows would seem free of errors. */
    *scale = regression->prior != NULL ? scale_of(regression, beta, 0.0, sizes) : 0.0;
    double moved = 2.0 * SAME;
    for (int iteration = 0; iteration < ITERATIONS && moved >= SAME; iteration++) {
        moved = step(regression, *scale, weight, normal, length, right, beta);
        *scale = scale_of(regression, beta, told_count(regression, normal, length, *scale, right), sizes);
    }
    free(work);
    return PW_OK;
}

double regression_alike(const struct regression *regression, const double *beta, double scale, const int *cluster,
                        int clusters)
{
    double pairs = 0.0, products = 0.0, squares = 0.0, rows = 0.0, together = 0.0;
    for (int c = 0; c < clusters; c++) {
        double sum = 0.0, own = 0.0, count = 0.0;
        for (int row = 0; row < regression->rows; row++) {
            if (cluster[row] == c && is_in(regression, row) && !is_below(regression, row)) {
                double psi = pull_of(regression, residual_of(regression, beta, row), row, scale).psi;
                sum += psi;
                own += psi * psi;
                count++;
            }
        }
        products += sum * sum - own;
        squares += own;
        pairs += count * (count - 1.0);
        rows += count;
        together += count * count;
    }
    if (!(pairs > 0.0) || !(squares > 0.0)) {
        return 1.0;
    }
    double correlation = fmin(1.0, products / pairs * rows / squares);
    return fmax(1.0, 1.0 + (together / rows - 1.0) * correlation);
}

/* ---- variances ---- */

/* covariance = b^-1 meat b^-1 of scaled columns, `factored` being the factor of b; the larger diagonal counts. */
static void sandwich_add(const double *factored, const double *meat, const double *length, int n, double *work,
                         double *covariance)
{
    double *half = work, *whole = work + n * n;
    for (int j = 0; j < n; j++) { /* half = b^-1 meat, by columns */
        for (int i = 0; i < n; i++) {
            half[j * n + i] = meat[i * n + j];
        }
        cholesky_solve(factored, n, half + j * n);
    }
    for (int i = 0; i < n; i++) { /* whole = (b^-1 half')' */
        for (int j = 0; j < n; j++) {
            whole[i * n + j] = half[j * n + i];
        }
        cholesky_solve(factored, n, whole + i * n);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            covariance[i * n + j] = whole[i * n + j] / (length[i] * length[j]);
        }
    }
}

/* Takes the larger of two variances, and the correlation that goes with it. */
static void variance_widen(double *covariance, const double *least, int n, double *deviation)
{
    for (int i = 0; i < n; i++) {
        deviation[i] = sqrt(fmax(covariance[i * n + i], least[i * n + i]));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            bool widened = least[i * n + i] > covariance[i * n + i] || least[j * n + j] > covariance[j * n + j];
            const double *from = widened ? least : covariance;
            double both = sqrt(from[i * n + i] * from[j * n + j]);
            double alike = both > 0.0 ? from[i * n + j] / both : 0.0;
            covariance[i * n + j] = covariance[j * n + i] = alike * deviation[i] * deviation[j];
        }
    }
    for (int i = 0; i < n; i++) {
        covariance[i * n + i] = deviation[i] * deviation[i];
    }
}

/* Largest leverage of a cluster that is corrected for as a whole. */
static const double LEVERAGE_MOST = 0.8;

/* How far a row draws the fit to itself: x' b^-1 x of scaled columns, `factored` being the factor of b. */
static double leverage_of(const double *factored, const double *line, const double *length, int n, double *work)
{
    double leverage = 0.0;
    for (int i = 0; i < n; i++) {
        work[i] = line[i] / length[i];
    }
    cholesky_solve(factored, n, work);
    for (int i = 0; i < n; i++) {
        leverage += work[i] * line[i] / length[i];
    }
    return leverage;
}

struct scores {
    const double *factored, *length;
    double *leverage, *spare;         /* (clusters), (n) */
    double *sums, *plain, *clustered; /* (clusters, n); (n, n) of rows, and of clusters */
    int used_rows, used_clusters;
};

/* Sums of psi x over rows, in scaled columns. */
static void rows_sum(const struct regression *regression, const double *beta, double scale, const int *cluster,
                     struct scores *scores)
{
    int n = regression->columns;
    for (int row = 0; row < regression->rows; row++) {
        if (!is_in(regression, row)) {
            continue;
        }
        const double *line = regression->matrix + (size_t)row * (size_t)n, *length = scores->length;
        double psi = pull_of(regression, residual_of(regression, beta, row), row, scale).psi;
        double *sum = scores->sums + (size_t)cluster[row] * (size_t)n;
        scores->used_rows++;
        scores->leverage[cluster[row]] += leverage_of(scores->factored, line, length, n, scores->spare);
        for (int i = 0; i < n; i++) {
            sum[i] += psi * line[i] / length[i];
            for (int j = 0; j < n; j++) {
                scores->plain[i * n + j] += psi * psi * line[i] * line[j] / (length[i] * length[j]);
            }
        }
    }
}

/* A fit lies closer to a cluster that it was made with than the truth does: each sum is made larger by what its
 * leverage hides, as a jackknife over clusters has it (MacKinnon and White, J. Econometrics 29 (1985) 305). */
static void clusters_sum(int clusters, int n, struct scores *scores)
{
    for (int c = 0; c < clusters; c++) {
        const double *sum = scores->sums + (size_t)c * (size_t)n;
        double hidden = 1.0 / (1.0 - fmin(LEVERAGE_MOST, scores->leverage[c]));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                scores->clustered[i * n + j] += hidden * hidden * sum[i] * sum[j];
            }
        }
        scores->used_clusters += scores->leverage[c] > 0.0;
    }
}

pw_status regression_covariance(const struct regression *regression, const double *beta, double scale,
                                const int *cluster, int clusters, double *covariance, pw_error *error)
{
    int n = regression->columns;
    size_t square = (size_t)n * (size_t)n, rows = (size_t)regression->rows;
    double *work = allocate(6 * square + 3 * (size_t)n + rows + (size_t)clusters * (size_t)(n + 1), sizeof *work,
                            "the errors of a regression", error);
    TRY_MADE(work);
    double *normal = work, *spare = normal + square, *plain = spare + 2 * square, *least = plain + 2 * square;
    double *length = least + square, *deviation = length + n, *weight = deviation + n, *sums = weight + rows;
    for (int row = 0; row < regression->rows; row++) { /* psi': what lies beyond holds no information about beta */
        weight[row] = pull_of(regression, residual_of(regression, beta, row), row, scale).slope;
    }
    normal_fill(regression, weight, scale, normal, length);
    factor(normal, n);
    struct scores scores = {.factored = normal,
                            .length = length,
                            .leverage = sums + (size_t)clusters * (size_t)n,
                            .spare = sums + (size_t)clusters * (size_t)(n + 1),
                            .sums = sums,
                            .plain = plain,
                            .clustered = plain + square};
    rows_sum(regression, beta, scale, cluster, &scores);
    clusters_sum(clusters, n, &scores);
    double freedom =
        scores.used_rows / fmax(1.0, scores.used_rows - told_count(regression, normal, length, scale, deviation));
    double few = (scores.used_clusters - 1.0) / scores.used_clusters;
    for (size_t k = 0; k < square; k++) {
        scores.plain[k] *= freedom;
        scores.clustered[k] *= few;
    }
    for (int i = 0; i < n; i++) { /* what only the ridge holds is as good as unknown */
        double known = prior_weight(regression, i, scale), own = known > 0.0 ? known * regression->prior[i] : 0.0;
        scores.plain[i * n + i] += RIDGE * scale * scale + own * own / (length[i] * length[i]);
        scores.clustered[i * n + i] += own * own / (length[i] * length[i]);
    }
    sandwich_add(normal, scores.plain, length, n, spare, least);
    sandwich_add(normal, scores.clustered, length, n, spare, covariance);
    variance_widen(covariance, least, n, deviation);
    free(work);
    return PW_OK;
}
