/* Multiple scattering between persons (between.h): with b what a person sends and a what arrives,
 *
 *     b_p = T (a_p + sum over q of S_pq b_q),    (S b)_m = sum over n of H_{n-m}^(2)(k D) e^{j(n-m) theta} b_n,
 *
 * D and theta from q to p, by Graf's addition theorem; repeated until nothing changes. Where walls send waves back, S
 * has these too, of p itself as well, and the equations are solved by elimination: between walls of metal repeating
 * them may not end. */
#include "walk/scatter/between.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SETTLED = 1e-5;
enum { MOST_ROUNDS = 60 };

size_t between_work(const struct walk *walk, int orders)
{
    const size_t persons = (size_t)walk->persons, waves = 2 * (size_t)orders + 1;
    return 2 * persons * waves + persons * persons * (2 * waves - 1) +
           persons * waves * (persons * waves + (size_t)walk->transmitters);
}

static bool sees(const struct between *between, int p, int q)
{
    const struct walk *walk = between->walk;
    const size_t persons = (size_t)walk->persons, pose = (size_t)between->pose;
    return p != q && (between->returned != NULL || walk->sees[(pose * persons + (size_t)p) * persons + (size_t)q]);
}

/* H_l e^{jl theta} for l = -2 orders ... 2 orders, from person q to person p. */
static void fill_shift(const struct between *between, int p, int q, double complex *shift)
{
    const struct walk *walk = between->walk;
    const double *from = walk->position[(size_t)q * (size_t)walk->poses + (size_t)between->pose],
                 *to = walk->position[(size_t)p * (size_t)walk->poses + (size_t)between->pose];
    const double x = between->k * hypot(to[0] - from[0], to[1] - from[1]),
                 theta = atan2(to[1] - from[1], to[0] - from[0]);
    const int most = 2 * between->orders;
    for (int l = 0; l <= most; l++) {
        const double complex h = jn(l, x) - I * yn(l, x);
        shift[most + l] = h * cexp(I * (l * theta));
        shift[most - l] = (l % 2 == 0 ? h : -h) * cexp(-I * (l * theta));
    }
}

/* What arrives at person p of what the others send is added to `sum`. */
static void add_others(const struct between *between, int p, const double complex *sent, const double complex *shifts,
                       double complex *sum)
{
    const int orders = between->orders, waves = 2 * orders + 1, persons = between->walk->persons;
    for (int q = 0; q < persons; q++) {
        if (!sees(between, p, q)) {
            continue;
        }
        const double complex *shift = shifts + (size_t)(p * persons + q) * (size_t)(2 * waves - 1);
        for (int m = 0; m < waves; m++) {
            double complex one = 0;
            for (int n = 0; n < waves; n++) {
                one += shift[2 * orders + n - m] * sent[q * waves + n];
            }
            sum[m] += one;
        }
    }
}

/* Of one transmitter: `wave` (persons), each `stride` apart, from what arrives to what is sent. */
static void settle(const struct between *between, double complex *wave, size_t stride, const double complex *shifts,
                   double complex *work)
{
    const int orders = between->orders, waves = 2 * orders + 1, persons = between->walk->persons;
    double complex *sent = work, *next = work + persons * waves;
    double change = 1, size = 0;
    memset(sent, 0, (size_t)(persons * waves) * sizeof *sent);
    for (int round = 0; round < MOST_ROUNDS && change > SETTLED * SETTLED * size; round++) {
        change = size = 0;
        for (int p = 0; p < persons; p++) {
            double complex *own = next + p * waves;
            memcpy(own, wave + (size_t)p * stride, (size_t)waves * sizeof *own);
            add_others(between, p, sent, shifts, own);
            for (int m = -orders; m <= orders; m++) {
                own[orders + m] *= between->answer[m < 0 ? -m : m];
                const double complex step = own[orders + m] - sent[p * waves + orders + m];
                change += creal(step * conj(step));
                size += creal(own[orders + m] * conj(own[orders + m]));
            }
        }
        memcpy(sent, next, (size_t)(persons * waves) * sizeof *sent);
    }
    for (int p = 0; p < persons; p++) {
        memcpy(wave + (size_t)p * stride, sent + p * waves, (size_t)waves * sizeof *sent);
    }
}

/* The rows of 1 - T S, and behind them T a of each transmitter: (unknowns, unknowns + transmitters). */
static void fill_equations(const struct between *between, const double complex *wave, size_t stride,
                           const double complex *shifts, double complex *equations)
{
    const int orders = between->orders, waves = 2 * orders + 1, persons = between->walk->persons,
              unknowns = persons * waves, width = unknowns + between->walk->transmitters;
    for (int row = 0; row < unknowns; row++) {
        const int p = row / waves, m = row % waves;
        const double complex answer = between->answer[abs(m - orders)];
        for (int column = 0; column < unknowns; column++) {
            const int q = column / waves, n = column % waves, pair = p * persons + q;
            double complex arrives = between->returned[(pair * waves + m) * waves + n];
            arrives += p != q ? shifts[pair * (2 * waves - 1) + 2 * orders + n - m] : 0;
            equations[row * width + column] = (row == column ? 1 : 0) - answer * arrives;
        }
        for (int t = 0; t < between->walk->transmitters; t++) {
            equations[row * width + unknowns + t] = answer * wave[(size_t)p * stride + (size_t)(t * waves + m)];
        }
    }
}

/* Gauss's, with the largest of a column as its pivot; the unknowns come to stand behind the rows. */
static void eliminate(double complex *equations, int unknowns, int width)
{
    for (int i = 0; i < unknowns; i++) {
        int most = i;
        for (int row = i + 1; row < unknowns; row++) {
            most = cabs(equations[row * width + i]) > cabs(equations[most * width + i]) ? row : most;
        }
        const double complex pivot = equations[most * width + i];
        for (int column = i; column < width; column++) {
            const double complex value = equations[most * width + column] / pivot;
            equations[most * width + column] = equations[i * width + column];
            equations[i * width + column] = value;
        }
        for (int row = 0; row < unknowns; row++) {
            const double complex factor = row != i ? equations[row * width + i] : 0;
            for (int column = i + 1; column < width && factor != 0; column++) {
                equations[row * width + column] -= factor * equations[i * width + column];
            }
        }
    }
}

/* All transmitters at once, with what walls send back. */
static void solve(const struct between *between, double complex *wave, size_t stride, const double complex *shifts,
                  double complex *equations)
{
    const int waves = 2 * between->orders + 1, unknowns = between->walk->persons * waves,
              width = unknowns + between->walk->transmitters;
    fill_equations(between, wave, stride, shifts, equations);
    eliminate(equations, unknowns, width);
    for (int row = 0; row < unknowns; row++) {
        for (int t = 0; t < between->walk->transmitters; t++) {
            wave[(size_t)(row / waves) * stride + (size_t)(t * waves + row % waves)] =
                equations[row * width + unknowns + t];
        }
    }
}

void scatter_between(const struct between *between, double complex *wave, double complex *work)
{
    const struct walk *walk = between->walk;
    const int orders = between->orders, persons = walk->persons;
    const size_t waves = 2 * (size_t)orders + 1, stations = (size_t)walk->transmitters + (size_t)walk->receivers;
    if (persons == 1 && between->returned == NULL) {
        for (size_t n = 0; n < (size_t)walk->transmitters * waves; n++) {
            const int m = (int)(n % waves) - orders;
            wave[n] *= between->answer[m < 0 ? -m : m];
        }
        return;
    }
    double complex *shifts = work + 2 * (size_t)persons * waves;
    for (int pair = 0; pair < persons * persons; pair++) {
        if (sees(between, pair / persons, pair % persons)) {
            fill_shift(between, pair / persons, pair % persons, shifts + (size_t)pair * (2 * waves - 1));
        }
    }
    if (between->returned != NULL) {
        solve(between, wave, stations * waves, shifts, shifts + (size_t)(persons * persons) * (2 * waves - 1));
        return;
    }
    for (int t = 0; t < walk->transmitters; t++) {
        settle(between, wave + (size_t)t * waves, stations * waves, shifts, work);
    }
}
