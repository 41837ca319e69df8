/* Sommerfeld integrals (layered.h). With V and I the voltages and currents of the lines that stand for TM waves (e) and
 * TE waves (h), driven by a unit current (i) or voltage (v) at the dipole's height,
 *     E across z, across k:  -V_i^h p     along k:  -V_i^e p + kr/(w eps) V_v^e pz     along z:  kr/(w eps) I_i^e p -
 *     (kr/(w eps))^2 I_v^e pz
 * is the spectrum over k across z, whose angle is integrated in closed form (Bessel functions). The integral over kr
 * passes above the poles and branch points, and leaves out the direct wave, which has a closed form. */
#include "validation/support/slabs/layered.h"

static const double PERMITTIVITY = 8.8541878128e-12, PERMEABILITY = 4e-7 * M_PI;

/* J0, J1, J2 at x + jy by Neumann's addition theorem, sum over m of J_(n-m)(x) j^m I_m(y). */
static void bessel(double complex z, double complex value[3])
{
    enum { TERMS = 40, START = 60 };
    double x = creal(z), y = cimag(z), real[TERMS + 3], imaginary[TERMS + 1];
    /* J_m(x) upwards while m < x, where that is stable, else downwards from far above (Miller). */
    int start = TERMS + START + (int)x;
    double above = 0, here = 1e-290, sum = 0;
    for (int m = 0; m <= TERMS + 2; m++) {
        real[m] = 0;
    }
    if (x < 1e-12) {
        real[0] = 1;
    } else {
        for (int m = start; m > 0; m--) {
            double below = 2 * m / x * here - above;
            above = here;
            here = below;
            if (fabs(here) > 1e200) {
                here *= 1e-200;
                above *= 1e-200;
                sum *= 1e-200;
                for (int n = 0; n <= TERMS + 2; n++) {
                    real[n] *= 1e-200;
                }
            }
            if (m - 1 <= TERMS + 2) {
                real[m - 1] = here;
            }
            sum += (m - 1) % 2 == 0 ? (m == 1 ? here : 2 * here) : 0;
        }
        for (int n = 0; n <= TERMS + 2; n++) {
            real[n] /= sum;
        }
    }
    double power = 1; /* I_m(y) by its series: y is small */
    for (int m = 0; m <= TERMS; m++) {
        double term = power, total = 0;
        for (int n = 1; n < 60; n++) {
            total += term;
            term *= y * y / 4 / n / (n + m);
        }
        imaginary[m] = total;
        power *= y / 2 / (m + 1);
    }
    static const double complex TURN[4] = {1, I, -1, -I};
    for (int n = 0; n < 3; n++) {
        value[n] = 0;
        for (int m = -TERMS; m <= TERMS; m++) { /* J_-q = (-1)^q J_q; j^-m I_-m = j^-m I_m */
            int order = n - m, magnitude = abs(order);
            if (magnitude > TERMS + 2) {
                continue;
            }
            double j = order < 0 && magnitude % 2 == 1 ? -real[magnitude] : real[magnitude];
            value[n] += j * TURN[((m % 4) + 4) % 4] * imaginary[abs(m)];
        }
    }
}

/* One line: wave number along z and impedance, of TM or TE waves. */
struct line {
    double complex number, impedance;
};

static struct line line_of(double frequency, double complex permittivity, double complex radial, bool tm)
{
    double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT;
    double complex number = csqrt(k * k * permittivity - radial * radial);
    number = cimag(number) > 0 ? -number : number;
    return (struct line){number, tm ? number / (w * PERMITTIVITY * permittivity) : w * PERMEABILITY / number};
}

double complex layered_reflect(const struct layer *layers, int count, double frequency, double complex radial, bool tm,
                               double complex *through)
{
    struct line air = line_of(frequency, 1, radial, tm);
    double complex load = air.impedance;
    *through = 1;
    for (int n = count - 1; n >= 0; n--) {
        double complex permittivity =
            layers[n].permittivity - I * layers[n].conductivity / (2 * M_PI * frequency * PERMITTIVITY);
        struct line line = line_of(frequency, permittivity, radial, tm);
        double complex face = (load - line.impedance) / (load + line.impedance);
        double complex turn = cexp(-I * line.number * layers[n].thickness);
        *through *= (1 + face) * turn / (1 + face * turn * turn);
        load = line.impedance * (1 + face * turn * turn) / (1 - face * turn * turn);
    }
    return (load - air.impedance) / (load + air.impedance);
}

struct gap {
    double below, above, from, to; /* m: reflecting planes, dipole, receiver */
    double complex low, high;      /* voltages reflected there */
    struct line air;
};

/* Voltage at `to` of a unit current at `from`, over Z/2; that of the currents of unit voltages over Y/2 has `sign` -1.
 * Without the direct wave. */
static double complex like(const struct gap *gap, double sign)
{
    double complex low = sign * gap->low, high = sign * gap->high, k = gap->air.number;
    double height = gap->above - gap->below, apart = gap->to - gap->from, total = gap->to + gap->from;
    double complex twice = low * high * cexp(-2 * I * k * height);
    return (low * cexp(-I * k * (total - 2 * gap->below)) + high * cexp(-I * k * (2 * gap->above - total)) +
            low * high * (cexp(-I * k * (2 * height + apart)) + cexp(-I * k * (2 * height - apart)))) /
           (1 - twice);
}

/* Current at `to` of a unit current at `from`, times 2. */
static double complex cross(const struct gap *gap)
{
    double complex low = gap->low, high = gap->high, k = gap->air.number;
    double height = gap->above - gap->below, apart = gap->to - gap->from, total = gap->to + gap->from;
    double complex twice = low * high * cexp(-2 * I * k * height);
    return (low * cexp(-I * k * (total - 2 * gap->below)) - high * cexp(-I * k * (2 * gap->above - total)) +
            low * high * (cexp(-I * k * (2 * height + apart)) - cexp(-I * k * (2 * height - apart)))) /
           (1 - twice);
}

struct lines {
    double complex ve, vh; /* voltages of a unit current */
    double complex ie;     /* TM: current of a unit current */
    double complex vv, iv; /* TM: voltage and current of a unit voltage */
};

static struct lines lines_at(const struct layered *layered, double frequency, double complex radial, double from,
                             double to)
{
    struct lines lines;
    bool behind = to > layered->high && layered->above_count > 0;
    double depth = 0;
    for (int n = 0; n < layered->above_count; n++) {
        depth += layered->above[n].thickness;
    }
    for (int tm = 0; tm < 2; tm++) {
        double complex through, ignored;
        struct gap gap = {.below = layered->low, .above = layered->high, .from = from, .to = to};
        gap.air = line_of(frequency, 1, radial, tm);
        gap.low = layered_reflect(layered->below, layered->below_count, frequency, radial, tm, &ignored);
        gap.high = layered_reflect(layered->above, layered->above_count, frequency, radial, tm, &through);
        double complex z = gap.air.impedance, voltage, current = 0, driven = 0, pair = 0;
        if (!behind) {
            struct gap exchanged = gap;
            exchanged.from = to;
            exchanged.to = from;
            voltage = 0.5 * z * like(&gap, 1);
            current = 0.5 * cross(&gap);
            driven = -0.5 * cross(&exchanged); /* reciprocity */
            pair = 0.5 / z * like(&gap, -1);
        } else { /* everything at the face goes on behind; what a series voltage does follows from the same line */
            double complex k = gap.air.number, start = cexp(-I * k * (layered->high - from));
            double complex echo = gap.low * cexp(-I * k * (layered->high + from - 2 * layered->low));
            double complex several = 1 - gap.low * gap.high * cexp(-2 * I * k * (layered->high - layered->low));
            double complex on = (1 + gap.high) * through * cexp(-I * k * (to - layered->high - depth)) / several;
            voltage = 0.5 * z * (start + echo) * on;
            current = voltage / z;
            driven = 0.5 * (start - echo) * on;
            pair = driven / z;
        }
        if (tm) {
            lines.ve = voltage, lines.ie = current, lines.vv = driven, lines.iv = pair;
        } else {
            lines.vh = voltage;
        }
    }
    return lines;
}

/* The integrand over kr. */
static void spectrum(const struct layered *layered, double frequency, int along, struct place3 from, struct place3 to,
                     double complex radial, double complex field[3])
{
    double x = to.x - from.x, y = to.y - from.y, distance = hypot(x, y), w = 2 * M_PI * frequency;
    double cosine = distance > 0 ? x / distance : 1, sine = distance > 0 ? y / distance : 0;
    double complex j[3], tilt = radial / (w * PERMITTIVITY);
    bessel(radial * distance, j);
    struct lines lines = lines_at(layered, frequency, radial, from.z, to.z);
    if (along == 2) {
        double complex across = -I * j[1] * tilt * lines.vv;
        field[0] = across * cosine;
        field[1] = across * sine;
        field[2] = -tilt * tilt * lines.iv * j[0];
    } else { /* turned so that the dipole lies along x */
        double c = along == 0 ? cosine : sine, s = along == 0 ? sine : -cosine;
        double complex mean = 0.5 * (lines.ve + lines.vh), half = 0.5 * (lines.ve - lines.vh);
        double complex parallel = -mean * j[0] + (c * c - s * s) * half * j[2], across = 2 * s * c * half * j[2];
        field[0] = along == 0 ? parallel : -across;
        field[1] = along == 0 ? across : parallel;
        field[2] = -I * j[1] * tilt * lines.ie * c;
    }
    for (int n = 0; n < 3; n++) {
        field[n] *= radial / (2 * M_PI);
    }
}

void layered_field(const struct layered *layered, double frequency, int along, struct place3 from, struct place3 to,
                   int points, double complex field[3])
{
    static const double NODE[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623},
                        WEIGHT[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                     0.10122853629037626};
    double k = 2 * M_PI * frequency / SPEED_OF_LIGHT, slowest = 1;
    for (int n = 0; n < layered->below_count; n++) {
        slowest = fmax(slowest, layered->below[n].permittivity);
    }
    for (int n = 0; n < layered->above_count; n++) {
        slowest = fmax(slowest, layered->above[n].permittivity);
    }
    double distance = hypot(to.x - from.x, to.y - from.y);
    bool behind = to.z > layered->high && layered->above_count > 0;
    double decay = behind ? to.z - from.z : INFINITY; /* of evanescent waves, m: the nearest echo */
    if (!behind) {
        decay = layered->below_count > 0 ? fmin(decay, from.z + to.z - 2 * layered->low) : decay;
        decay = layered->above_count > 0 ? fmin(decay, 2 * layered->high - from.z - to.z) : decay;
    }
    double turn = 2 * k * sqrt(slowest), end = turn + 40 / decay, height = fmin(0.3 * k, 3 / (distance + 1e-9));
    double panel = 16.0 / points * fmin(M_PI / (distance + 2 * decay), 0.7 * height);
    int panels = (int)ceil(end / panel);
    field[0] = field[1] = field[2] = 0;
    if (!behind) {
        double complex direct[6];
        volume_dipole_law(frequency, along, (struct place3){to.x - from.x, to.y - from.y, to.z - from.z}, direct);
        memcpy(field, direct, 3 * sizeof *field);
    }
    for (int p = 0; p < panels && decay < INFINITY; p++) {
        for (int q = 0; q < 8; q++) {
            double t = end * (p + 0.5 + 0.5 * (q < 4 ? -NODE[q] : NODE[q - 4])) / panels;
            double lift = t < turn ? height * pow(sin(M_PI * t / turn), 2) : 0;
            double slope = t < turn ? height * M_PI / turn * sin(2 * M_PI * t / turn) : 0;
            double complex part[3];
            spectrum(layered, frequency, along, from, to, t + I * lift, part);
            for (int n = 0; n < 3; n++) {
                field[n] += part[n] * (1 + I * slope) * 0.5 * WEIGHT[q % 4] * end / panels;
            }
        }
    }
}
