/* Readings about the draws (readings.h). */
#include "uncertainty/readings.h"

#include "uncertainty/draws.h"
#include "uncertainty/statistics.h"

#include <math.h>

const double READING_SCATTER = 3;

double reading_meets(double value, double scatter, double threshold, bool falls)
{
    const double over = falls ? threshold - value : value - threshold;
    if (scatter > 0) {
        return 0.5 * erfc(-over / (scatter * sqrt(2)));
    }
    return over >= 0;
}

/* Newton's steps between bounds: at first the lowest and the highest draw, each with the quantile of the scatter. */
double reading_quantile(const double *values, int count, double scatter, double p)
{
    enum { STEPS = 60 };
    const double near = 1e-6 * scatter, reach = scatter * normal_quantile(p);
    double low = values[0] + reach, high = values[count - 1] + reach, sum = 0, squares = 0;
    if (scatter <= 0) {
        return quantile_at(values, count, p);
    }
    for (int n = 0; n < count; n++) {
        sum += values[n] / count;
    }
    for (int n = 0; n < count; n++) {
        squares += (values[n] - sum) * (values[n] - sum) / count;
    }
    double level = fmin(fmax(sum + sqrt(squares + scatter * scatter) * normal_quantile(p), low), high);
    for (int step = 0; step < STEPS && high - low > near; step++) {
        double under = 0, density = 0;
        for (int n = 0; n < count; n++) {
            const double z = (level - values[n]) / scatter;
            under += 0.5 * erfc(-z / sqrt(2)) / count;
            density += exp(-z * z / 2) / (sqrt(2 * M_PI) * scatter * count);
        }
        low = under <= p ? level : low;
        high = under >= p ? level : high;
        const double next = level - (under - p) / density;
        if (fabs(next - level) <= near) {
            return next;
        }
        level = next > low && next < high ? next : (low + high) / 2;
    }
    return level;
}
