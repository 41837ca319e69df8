/* Cubics between places 0.02 apart that have the right values and slopes: H0' = -H1, H1' = H0 - H1/x. */
#include "validation/support/metal/hankel_table.h"

#include <math.h>
#include <pthread.h>

enum { COUNT = 12001 };
static const double STEP = 0.02, LEAST = 2;

static double complex value[2][COUNT], slope[2][COUNT];

static void fill(void)
{
    for (int n = 0; n < COUNT; n++) {
        const double x = LEAST + n * STEP;
        value[0][n] = j0(x) - I * y0(x);
        value[1][n] = j1(x) - I * y1(x);
        slope[0][n] = -STEP * value[1][n];
        slope[1][n] = STEP * (value[0][n] - value[1][n] / x);
    }
}

static double complex look_up(int order, double x)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    const double place = (x - LEAST) / STEP;
    const int n = (int)place;
    const double t = place - n, u = 1 - t;
    const double complex *v = &value[order][n], *s = &slope[order][n];
    return u * u * ((1 + 2 * t) * v[0] + t * s[0]) + t * t * ((3 - 2 * t) * v[1] - u * s[1]);
}

double complex table_hankel0(double x)
{
    return x < LEAST || x >= LEAST + STEP * (COUNT - 1) ? j0(x) - I * y0(x) : look_up(0, x);
}

double complex table_hankel1(double x)
{
    return x < LEAST || x >= LEAST + STEP * (COUNT - 1) ? j1(x) - I * y1(x) : look_up(1, x);
}
