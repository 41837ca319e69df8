/* With G = H0^(2)(kR)/(4j), t along the metal and n = (-t_y, t_x):
 *
 *     Ez:  integral of j G = -Ez of the source;                                       scattered: integral of j G
 *     Hz:  integral of k^2 t.t' L L' G - (dL/ds)(dL'/ds) G = -integral of L d/dn Hz;  scattered: -integral of j n'.grad
 * G
 *
 * The logarithm of G is integrated over the inner element in closed form, the rest and the outer element by Gauss's
 * rule. */
#include "validation/support/metal/currents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validation/support/case.h"
#include "validation/support/metal/gauss.h"
#include "validation/support/metal/hankel_table.h"

struct element {
    struct spot from, to, middle;
    double length, tx, ty;
    int node[2]; /* unknowns of the linear functions at its ends, -1 at an open end */
};

struct currents {
    bool horizontal;
    double k;
    int elements, nodes, unknowns;
    struct element *element;
    double complex *matrix; /* (unknowns, unknowns), as lower and upper triangles */
    int *pivot;
    double complex *current; /* (unknowns) */
};

static void *needed(size_t count, size_t size)
{
    pw_error error = {{0}};
    void *memory = allocate(count, size, "an integral equation", &error);
    case_require(memory == NULL ? PW_NO_RESOURCE : PW_OK, error.message);
    return memory;
}

/* ---- elements ---- */

/* Between two corners elements shrink as the third power of the distance. */
static double graded(double t)
{
    return t * t * t / (t * t * t + (1 - t) * (1 - t) * (1 - t));
}

static int pieces_of(const struct currents *currents, double length, double density, bool rounded)
{
    const double wavelengths = currents->k * length / (2 * M_PI);
    return rounded ? (int)ceil(fmax(density * wavelengths, 1)) : (int)ceil(0.5 * density + 2 * density * wavelengths);
}

static void add_element(struct currents *currents, struct spot from, struct spot to, int first, int second)
{
    struct element *element = &currents->element[currents->elements++];
    *element = (struct element){.from = from, .to = to, .node = {first, second}};
    element->length = hypot(to.x - from.x, to.y - from.y);
    element->tx = (to.x - from.x) / element->length;
    element->ty = (to.y - from.y) / element->length;
    element->middle = (struct spot){0.5 * (from.x + to.x), 0.5 * (from.y + to.y)};
}

static struct spot between(struct spot a, struct spot b, double share)
{
    return (struct spot){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

static void cut_line(struct currents *currents, const struct polyline *line, double density, bool rounded)
{
    const int sides = line->closed ? line->count : line->count - 1, opening = currents->nodes;
    int node = line->closed ? currents->nodes++ : -1;
    for (int s = 0; s < sides; s++) {
        const struct spot a = line->point[s], b = line->point[(s + 1) % line->count];
        const int pieces = pieces_of(currents, hypot(b.x - a.x, b.y - a.y), density, rounded);
        for (int p = 0; p < pieces; p++) {
            const double t = (double)p / pieces, u = (p + 1.0) / pieces;
            const bool last = s == sides - 1 && p == pieces - 1;
            const int next = !last ? currents->nodes++ : line->closed ? opening : -1;
            add_element(currents, between(a, b, rounded ? t : graded(t)), between(a, b, rounded ? u : graded(u)), node,
                        next);
            node = next;
        }
    }
}

static int count_elements(const struct currents *currents, const struct contour *contour, double density)
{
    int count = 0;
    for (int n = 0; n < contour->count; n++) {
        const struct polyline *line = &contour->line[n];
        for (int s = 0; s < line->count; s++) {
            const struct spot a = line->point[s], b = line->point[(s + 1) % line->count];
            count += pieces_of(currents, hypot(b.x - a.x, b.y - a.y), density, contour->rounded);
        }
    }
    return count;
}

/* ---- integrals ---- */

/* H0^(2)(kr)/(4j) less its logarithm -ln(r)/(2 pi). */
static double complex smooth_part(double k, double r)
{
    static const double EULER = 0.57721566490153286;
    if (k * r < 1e-6) {
        return 1 / (4 * I) - (log(k / 2) + EULER) / (2 * M_PI);
    }
    return table_hankel0(k * r) / (4 * I) + log(r) / (2 * M_PI);
}

/* Integrals of ln r and t ln r along a line from t0 to t1 at the height v over it. */
static void log_integrals(double t0, double t1, double v, double *constant, double *linear)
{
    double value[2], moment[2];
    const double end[2] = {t0, t1};
    for (int n = 0; n < 2; n++) {
        const double square = end[n] * end[n] + v * v, logarithm = square > 0 ? 0.5 * log(square) : 0;
        value[n] = end[n] * logarithm - end[n] + (fabs(v) > 0 ? v * atan(end[n] / v) : 0);
        moment[n] = 0.5 * (square * logarithm - 0.5 * square);
    }
    *constant = value[1] - value[0];
    *linear = moment[1] - moment[0];
}

/* potential[b] = integral over the element of its linear function b times G from p. */
static void potentials(const struct currents *currents, const struct element *element, struct spot p,
                       double complex potential[2])
{
    const double along = (p.x - element->from.x) * element->tx + (p.y - element->from.y) * element->ty;
    const double across = (p.y - element->from.y) * element->tx - (p.x - element->from.x) * element->ty;
    double constant, linear;
    log_integrals(-along, element->length - along, across, &constant, &linear);
    const double second = (linear + along * constant) / element->length;
    potential[0] = -(constant - second) / (2 * M_PI);
    potential[1] = -second / (2 * M_PI);
    static const double POINT[3] = {-0.77459666924148338, 0, 0.77459666924148338},
                        WEIGHT[3] = {5. / 18, 8. / 18, 5. / 18};
    for (int g = 0; g < 3; g++) {
        const double share = 0.5 + 0.5 * POINT[g];
        const struct spot q = between(element->from, element->to, share);
        const double complex value =
            WEIGHT[g] * element->length * smooth_part(currents->k, hypot(p.x - q.x, p.y - q.y));
        potential[0] += (1 - share) * value;
        potential[1] += share * value;
    }
}

/* block[a][b] = integral of the functions a of one and b of the other element times G. */
static void pair_integrals(const struct currents *currents, const struct element *outer, const struct element *inner,
                           double complex block[2][2])
{
    memset(block, 0, 4 * sizeof block[0][0]);
    const double apart = hypot(outer->middle.x - inner->middle.x, outer->middle.y - inner->middle.y);
    const bool near = apart < 1.5 * (outer->length + inner->length);
    static const double FAR_POINT[2] = {-0.57735026918962576, 0.57735026918962576};
    const int points = near ? GAUSS_POINTS : 2;
    for (int g = 0; g < points; g++) {
        const double share = 0.5 + 0.5 * (near ? GAUSS_POINT[g] : FAR_POINT[g]), weight = near ? GAUSS_WEIGHT[g] : 1;
        double complex potential[2];
        potentials(currents, inner, between(outer->from, outer->to, share), potential);
        for (int b = 0; b < 2; b++) {
            block[0][b] += 0.5 * weight * outer->length * (1 - share) * potential[b];
            block[1][b] += 0.5 * weight * outer->length * share * potential[b];
        }
    }
}

/* ---- the system ---- */

static void add_linear(struct currents *currents, const struct element *m, const struct element *n,
                       double complex block[2][2])
{
    const double k = currents->k, along = m->tx * n->tx + m->ty * n->ty;
    const double complex charge = (block[0][0] + block[0][1] + block[1][0] + block[1][1]) / (m->length * n->length);
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            if (m->node[a] >= 0 && n->node[b] >= 0) {
                currents->matrix[m->node[a] * currents->unknowns + n->node[b]] +=
                    k * k * along * block[a][b] - (a == b ? 1 : -1) * charge;
            }
        }
    }
}

static void fill_matrix(struct currents *currents)
{
    for (int m = 0; m < currents->elements; m++) {
        for (int n = 0; n < currents->elements; n++) {
            double complex block[2][2];
            pair_integrals(currents, &currents->element[m], &currents->element[n], block);
            if (currents->horizontal) {
                add_linear(currents, &currents->element[m], &currents->element[n], block);
            } else {
                currents->matrix[m * currents->unknowns + n] = block[0][0] + block[0][1] + block[1][0] + block[1][1];
            }
        }
    }
}

static void swap_rows(double complex *a, double complex *b, int count)
{
    for (int n = 0; n < count; n++) {
        const double complex keep = a[n];
        a[n] = b[n];
        b[n] = keep;
    }
}

/* Gauss's elimination with pivots by column. */
static void factorize(double complex *matrix, int *pivot, int count)
{
    for (int c = 0; c < count; c++) {
        pivot[c] = c;
        for (int r = c + 1; r < count; r++) {
            pivot[c] = cabs(matrix[r * count + c]) > cabs(matrix[pivot[c] * count + c]) ? r : pivot[c];
        }
        if (pivot[c] != c) {
            swap_rows(&matrix[c * count], &matrix[pivot[c] * count], count);
        }
        for (int r = c + 1; r < count; r++) {
            const double complex factor = matrix[r * count + c] /= matrix[c * count + c];
            const double real = creal(factor), imaginary = cimag(factor);
            const double *from = (const double *)&matrix[c * count];
            double *to = (double *)&matrix[r * count];
            for (int n = 2 * (c + 1); n < 2 * count; n += 2) {
                to[n] -= real * from[n] - imaginary * from[n + 1];
                to[n + 1] -= real * from[n + 1] + imaginary * from[n];
            }
        }
    }
}

static void substitute(const double complex *matrix, const int *pivot, int count, double complex *x)
{
    for (int c = 0; c < count; c++) {
        const double complex keep = x[pivot[c]];
        x[pivot[c]] = x[c];
        x[c] = keep;
    }
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < r; c++) {
            x[r] -= matrix[r * count + c] * x[c];
        }
    }
    for (int r = count - 1; r >= 0; r--) {
        for (int c = r + 1; c < count; c++) {
            x[r] -= matrix[r * count + c] * x[c];
        }
        x[r] /= matrix[r * count + r];
    }
}

struct currents *currents_create(const struct contour *contour, double k, bool horizontal, double density)
{
    struct currents *currents = needed(1, sizeof *currents);
    *currents = (struct currents){.horizontal = horizontal, .k = k};
    currents->element = needed((size_t)count_elements(currents, contour, density), sizeof *currents->element);
    for (int n = 0; n < contour->count; n++) {
        cut_line(currents, &contour->line[n], density, contour->rounded);
    }
    currents->unknowns = horizontal ? currents->nodes : currents->elements;
    const size_t unknowns = (size_t)currents->unknowns;
    currents->matrix = needed(unknowns * unknowns, sizeof *currents->matrix);
    currents->pivot = needed(unknowns, sizeof *currents->pivot);
    currents->current = needed(unknowns, sizeof *currents->current);
    fill_matrix(currents);
    factorize(currents->matrix, currents->pivot, currents->unknowns);
    return currents;
}

void currents_free(struct currents *currents)
{
    if (currents != NULL) {
        free(currents->element);
        free(currents->matrix);
        free(currents->pivot);
        free(currents->current);
        free(currents);
    }
}

/* Minus the source's Ez, or minus the slope of its Hz across the element. */
static double complex driven(const struct currents *currents, const struct element *element, struct spot at,
                             struct spot source)
{
    const double dx = at.x - source.x, dy = at.y - source.y, r = hypot(dx, dy), x = currents->k * r;
    if (!currents->horizontal) {
        return -table_hankel0(x);
    }
    return currents->k * table_hankel1(x) * (element->tx * dy - element->ty * dx) / r;
}

void currents_solve(struct currents *currents, struct spot source)
{
    memset(currents->current, 0, (size_t)currents->unknowns * sizeof *currents->current);
    for (int e = 0; e < currents->elements; e++) {
        const struct element *element = &currents->element[e];
        for (int g = 0; g < GAUSS_POINTS; g++) {
            const double share = 0.5 + 0.5 * GAUSS_POINT[g], weight = 0.5 * GAUSS_WEIGHT[g] * element->length;
            const double complex value =
                weight * driven(currents, element, between(element->from, element->to, share), source);
            for (int a = 0; a < 2 && currents->horizontal; a++) {
                if (element->node[a] >= 0) {
                    currents->current[element->node[a]] += (a == 0 ? 1 - share : share) * value;
                }
            }
            currents->current[e] += currents->horizontal ? 0 : value;
        }
    }
    substitute(currents->matrix, currents->pivot, currents->unknowns, currents->current);
}

/* What a current of 1 at q on the element makes at p. */
static double complex influence(const struct currents *currents, const struct element *element, struct spot p,
                                struct spot q)
{
    const double dx = p.x - q.x, dy = p.y - q.y, r = hypot(dx, dy), x = currents->k * r;
    if (!currents->horizontal) {
        return table_hankel0(x) / (4 * I);
    }
    return currents->k * table_hankel1(x) / (4 * I) * (element->tx * dy - element->ty * dx) / r;
}

double complex currents_scattered(const struct currents *currents, struct spot at)
{
    double complex sum = 0;
    for (int e = 0; e < currents->elements; e++) {
        const struct element *element = &currents->element[e];
        const double complex *current = currents->current;
        double complex at_end[2] = {0, 0};
        for (int a = 0; a < 2; a++) {
            at_end[a] = !currents->horizontal ? current[e] : element->node[a] < 0 ? 0 : current[element->node[a]];
        }
        const double away = hypot(at.x - element->middle.x, at.y - element->middle.y);
        const int points = away < 2 * element->length ? GAUSS_POINTS : away < 8 * element->length ? 2 : 1;
        for (int g = 0; g < points; g++) {
            const double place = points == 1 ? 0 : points == 2 ? (g == 0 ? -1 : 1) / sqrt(3) : GAUSS_POINT[g];
            const double weight = points == 1   ? 1
                                  : points == 2 ? 0.5
                                                : 0.5 * GAUSS_WEIGHT[g],
                         share = 0.5 + 0.5 * place;
            sum += weight * element->length * ((1 - share) * at_end[0] + share * at_end[1]) *
                   influence(currents, element, at, between(element->from, element->to, share));
        }
    }
    return sum;
}

int currents_unknowns(const struct currents *currents)
{
    return currents->unknowns;
}
