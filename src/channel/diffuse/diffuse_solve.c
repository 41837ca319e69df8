/* How scattered waves spread over the plan (diffuse.h): conjugate gradients on the blocks' balance of power. */
#include "channel/diffuse/diffuse.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const double EXACT = 1e-8; /* what the balance may miss, of the source */
enum { ANGLES = 64 };

double diffuse_reflection(struct permittivity inside)
{
    const double complex dielectric = inside.real - I * inside.loss;
    double sum = 0.0;
    for (int n = 0; n < ANGLES; n++) { /* over the cosine of the angle to the normal, which is a weight too */
        const double outer = (n + 0.5) / ANGLES;
        const double complex inner = csqrt(dielectric - 1.0 + outer * outer);
        const double across = cabs((outer - inner) / (outer + inner)),
                     along = cabs((dielectric * outer - inner) / (dielectric * outer + inner));
        sum += (across * across + along * along) * outer / ANGLES;
    }
    return sum;
}

double diffuse_exchange(const struct diffuse_node *nodes, int count, size_t stride, double cell)
{
    double resistance = 0.0, face = 0.0;
    int faces = 0;
    for (int n = 0; n < count; n++) {
        const struct diffuse_node *node = nodes + (size_t)n * stride;
        if (node->spread == 0.0F) {
            return 0.0;
        }
        resistance += (n == 0 || n == count - 1 ? 0.5 : 1.0) * cell / node->spread;
        faces += n > 0 && (node->face > 0.0F) != (node[-(ptrdiff_t)stride].face > 0.0F);
        face = fmax(face, node->face);
    }
    return 1.0 / (resistance + faces * face);
}

/* What leaves each block, less what comes to it. */
static void balance(const struct diffuse_floor *floor, const double *density, double *out)
{
    const int columns = floor->columns;
    for (int n = 0; n < floor->rows * columns; n++) {
        out[n] = floor->loss[n] * density[n];
    }
    for (int n = 0; n < floor->rows * columns; n++) {
        const int next[2] = {n % columns < columns - 1 ? n + 1 : n, n / columns < floor->rows - 1 ? n + columns : n};
        for (int side = 0; side < 2; side++) {
            const double flow = (side == 0 ? floor->right : floor->above)[n] * (density[n] - density[next[side]]);
            out[n] += flow;
            out[next[side]] -= flow;
        }
    }
}

static double product(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int n = 0; n < count; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

/* What multiplies a block's own w in its balance. */
static void own_fill(const struct diffuse_floor *floor, double *own)
{
    const int columns = floor->columns;
    for (int n = 0; n < floor->rows * columns; n++) {
        const bool right = n % columns < columns - 1, above = n / columns < floor->rows - 1;
        own[n] = floor->loss[n] + (right ? floor->right[n] : 0.0) + (above ? floor->above[n] : 0.0) +
                 (n % columns > 0 ? floor->right[n - 1] : 0.0) + (n >= columns ? floor->above[n - columns] : 0.0);
    }
}

/* Hestenes and Stiefel, 1952, with the balance scaled by its diagonal. */
pw_status diffuse_solve(const struct diffuse_floor *floor, const double *source, double *density, pw_error *error)
{
    const int count = floor->rows * floor->columns;
    OWNED double *work = allocate((size_t)count, 5 * sizeof *work, "scattered waves", error);
    TRY_MADE(work);
    double *own = work, *left = own + count, *way = left + count, *out = way + count, *scaled = out + count;
    const double allowed = EXACT * EXACT * product(source, source, count);
    own_fill(floor, own);
    for (int n = 0; n < count; n++) {
        density[n] = 0.0;
        left[n] = source[n];
        way[n] = scaled[n] = left[n] / own[n];
    }
    double size = product(left, scaled, count);
    for (int turn = 0; turn < count && product(left, left, count) > allowed; turn++) {
        balance(floor, way, out);
        const double step = size / product(way, out, count), before = size;
        for (int n = 0; n < count; n++) {
            density[n] += step * way[n];
            left[n] -= step * out[n];
            scaled[n] = left[n] / own[n];
        }
        size = product(left, scaled, count);
        for (int n = 0; n < count; n++) {
            way[n] = scaled[n] + size / before * way[n];
        }
    }
    return PW_OK;
}
