/* Transfer functions through floor and ceiling (storey.h). A tap at delay tau of what is left beside the direct path
 * becomes exp(-jw tau) S(w, c tau), S the sum over the images; a table holds these for all taps and frequencies, as
 * long as heights and antennas stay the same. */
#include "channel/storey/storey.h"

#include "api/channel.h"
#include "base/constants.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum {
    ANGLES = 256,         /* steps of the sine at which slabs are tabulated; linear between */
    IMAGES = 255,         /* at most: 63 turns and the first three */
    CROSSINGS = 16,       /* places of a step along the way, which share a table; and one for none */
    TABLE_LIMIT = 1 << 20 /* taps times frequencies that are kept */
};
static const double NEGLIGIBLE = 3e-4; /* amplitude of the images of a turn against the straight path */
enum { GUARD = 4 };                    /* taps before delay zero */

struct storey_band {
    struct storey storey;
    int count;
    double first, spacing;      /* Hz */
    double complex *root;       /* (count): exp(-j 2 pi n/count) */
    double complex *reflection; /* (2, ANGLES + 1, count): floor, ceiling */
    bool reflects[2];
};

struct storey_work {
    struct slant slant;                                        /* of the tables */
    bool known;                                                /* there are some */
    enum storey_part part;                                     /* that is in work */
    double complex *table;                                     /* (tables, count, count), owned: taps, frequencies */
    double complex *rest, *early, *late, *family, *row, *made; /* (count); the first owns all */
    bool *filled;                                              /* (tables, count): rows of the tables */
};

/* A product without C's care for infinities, which costs several times as much. */
static inline double complex times(double complex a, double complex b)
{
    return creal(a) * creal(b) - cimag(a) * cimag(b) + (creal(a) * cimag(b) + cimag(a) * creal(b)) * I;
}

pw_status storey_band_create(const struct storey *storey, const struct storey_axis *axis, struct storey_band **made,
                             pw_error *error)
{
    size_t count = (size_t)axis->count;
    struct storey_band *band = *made = allocate(1, sizeof **made, "a storey", error);
    TRY_MADE(band);
    *band = (struct storey_band){.storey = *storey, .count = axis->count, .first = axis->frequency[0]};
    band->spacing = count > 1 ? (axis->frequency[count - 1] - band->first) / (double)(count - 1) : 0.0;
    band->root = allocate(count, sizeof *band->root, "a storey", error);
    band->reflection = allocate(2 * (ANGLES + 1) * count, sizeof *band->reflection, "a storey's floor", error);
    if (band->root == NULL || band->reflection == NULL) {
        storey_band_free(band);
        *made = NULL;
        return PW_NO_RESOURCE;
    }
    for (size_t f = 0; f < count; f++) {
        band->root[f] = cexp(-2.0 * I * M_PI * (double)f / (double)count);
    }
    for (size_t side = 0; side < 2; side++) {
        band->reflects[side] = storey->slabs[side].thickness > 0.0;
        for (size_t n = 0; n < (ANGLES + 1) * count && band->reflects[side]; n++) {
            double value[2];
            storey_reflection(&storey->slabs[side], axis->frequency[n % count], (double)(n / count) / ANGLES,
                              !axis->horizontal, value);
            band->reflection[side * (ANGLES + 1) * count + n] = value[0] + I * value[1];
        }
    }
    return PW_OK;
}

const struct storey *storey_of_band(const struct storey_band *band)
{
    return &band->storey;
}

void storey_band_free(struct storey_band *band)
{
    if (band != NULL) {
        FREE_ALL(band->root, band->reflection, band);
    }
}

/* Tables: of the plan alone; or, for each place of the step, of that under and over the tops of what is lower. */
static size_t tables_of(const struct storey_band *band)
{
    return storey_is_open(&band->storey) ? 2 * (CROSSINGS + 1) : 1;
}

/* Whether the table is kept. */
static bool has_table(const struct storey_band *band)
{
    return (int64_t)tables_of(band) * band->count * band->count <= TABLE_LIMIT;
}

pw_status storey_work_create(const struct storey_band *band, struct storey_work **made, pw_error *error)
{
    size_t count = (size_t)band->count, kept = has_table(band) ? tables_of(band) * count * count : 1;
    struct storey_work *work = *made = allocate(1, sizeof **made, "a storey", error);
    TRY_MADE(work);
    *work = (struct storey_work){.known = false};
    work->table = allocate(kept, sizeof *work->table, "images in floor and ceiling", error);
    work->rest = allocate(6 * count, sizeof *work->rest, "images in floor and ceiling", error);
    work->filled = allocate(tables_of(band) * count, sizeof *work->filled, "images in floor and ceiling", error);
    if (work->table == NULL || work->rest == NULL || work->filled == NULL) {
        storey_work_free(work);
        *made = NULL;
        return PW_NO_RESOURCE;
    }
    work->early = work->rest + count;
    work->late = work->early + count;
    work->family = work->late + count;
    work->row = work->family + count;
    work->made = work->row + count;
    return PW_OK;
}

void storey_work_free(struct storey_work *work)
{
    if (work != NULL) {
        FREE_ALL(work->table, work->rest, work->filled, work);
    }
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* Amplitude of an antenna in a direction that rises by `up` over `length` along (x, y), against the plan's. */
static double antenna_amplitude(const struct antenna *antenna, double x, double y, double length, double up)
{
    const double direction[3] = {x * length, y * length, up};
    return antenna->kind == ANTENNA_ISOTROPIC ? 1.0 : pow(10.0, 0.05 * antenna_elevation_level(antenna, direction));
}

static double complex power_of(double complex base, int exponent)
{
    double complex power = 1.0;
    for (; exponent > 0; exponent /= 2) {
        power = exponent % 2 == 1 ? times(power, base) : power;
        base = times(base, base);
    }
    return power;
}

/* What a slab reflects at the sine, frequency by frequency between two rows of its table. */
struct slab_row {
    const double complex *low, *high;
    double part;
    int met;
};

static struct slab_row slab_row_at(const struct storey_band *band, int side, double sine, int met)
{
    double at = fmin(sine, 1.0) * ANGLES;
    int row = at < ANGLES ? (int)at : ANGLES - 1;
    const double complex *low = band->reflection + ((size_t)side * (ANGLES + 1) + (size_t)row) * (size_t)band->count;
    return (struct slab_row){low, low + band->count, at - row, met};
}

static double complex slab_row_power(const struct slab_row *row, int f)
{
    return row->met == 0 ? 1.0 : power_of(row->low[f] + row->part * (row->high[f] - row->low[f]), row->met);
}

/* Adds `share` of an image of a path of `length` [m] to sum (count); returns the amplitude of the whole image in the
 * middle of the band. */
static double image_add(const struct storey_band *band, const struct slant *slant, const struct storey_image *image,
                        double length, double complex share, double complex *sum)
{
    if ((image->met[0] > 0 && !band->reflects[0]) || (image->met[1] > 0 && !band->reflects[1])) {
        return 0.0;
    }
    double far = hypot(length, image->rise), sine = fabs(image->rise) / far, x = slant->along[0], y = slant->along[1];
    if (!(x * x + y * y > 0.5)) { /* of a link straight up, and where nobody asks */
        x = 1.0;
        y = 0.0;
    }
    double amplitude = sqrt(length) / far *
                       antenna_amplitude(&slant->departure, x, y, length, image->leaves * image->rise) *
                       antenna_amplitude(&slant->arrival, -x, -y, length, -image->rise);
    double late = image->rise * image->rise / (far + length) / SPEED_OF_LIGHT; /* s: R - L without its rounding */
    double complex phase = share * amplitude * cexp(-2.0 * I * M_PI * band->first * late);
    const double complex turn = cexp(-2.0 * I * M_PI * band->spacing * late);
    const struct slab_row below = slab_row_at(band, 0, sine, image->met[0]),
                          above = slab_row_at(band, 1, sine, image->met[1]);
    const int middle = band->count / 2;
    for (int f = 0; f < band->count; f++) {
        sum[f] += times(phase, times(slab_row_power(&below, f), slab_row_power(&above, f)));
        phase = times(phase, turn);
    }
    return amplitude * cabs(slab_row_power(&below, middle) * slab_row_power(&above, middle));
}

/* S(w, length) of all frequencies: the path and its images, each as far as it passes in that part. */
static void family_fill(const struct storey_band *band, const struct slant *slant, enum storey_part part, double length,
                        double complex *family)
{
    const double wavelength = SPEED_OF_LIGHT / (band->first + 0.5 * (band->count - 1) * band->spacing);
    double least = INFINITY, turn = 0.0;
    memset(family, 0, (size_t)band->count * sizeof *family);
    double from = slant->heights[0] - band->storey.floor, to = slant->heights[1] - band->storey.floor;
    for (int n = 0; n < IMAGES; n++) {
        const struct storey_image image = storey_image(band->storey.height, from, to, n);
        double amplitude = image_add(
            band, slant, &image, length,
            storey_share(&band->storey, part, wavelength,
                         &(struct storey_path){length, to - image.rise, image.rise, slant->crossing, slant->top}),
            family);
        least = n == 0 ? NEGLIGIBLE * sqrt(length) / hypot(length, image.rise) : least;
        turn = fmax(n % 4 == 3 ? 0.0 : turn, amplitude);
        if (n % 4 == 2 && turn < least) {
            return;
        }
    }
}

/* ---- a link ------------------------------------------------------------------------------------------------------ */

static bool slant_same(const struct slant *a, const struct slant *b)
{
    return a->heights[0] == b->heights[0] && a->heights[1] == b->heights[1] && slant_equals(a, b);
}

/* Amplitude of the direct path: what a window over the band finds at its delay. */
static double complex direct_amplitude(const struct storey_band *band, double late, const bool *usable,
                                       const double complex *transfer)
{
    double complex sum = 0.0, phase = cexp(2.0 * I * M_PI * band->first * late);
    const double complex turn = cexp(2.0 * I * M_PI * band->spacing * late);
    double weights = 0.0;
    int first = 0, last = band->count - 1;
    for (; first < last && !usable[first];) {
        first++;
    }
    for (; last > first && !usable[last];) {
        last--;
    }
    for (int f = 0; f < band->count; f++) {
        double place = (2.0 * (f - first) + 1.0) / (last - first + 1);
        double weight = usable[f] ? 1.0 - cos(M_PI * place) : 0.0; /* Hann */
        sum += weight * times(phase, transfer[f]);
        weights += weight;
        phase = times(phase, turn);
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

/* Adds amplitude exp(-jw late) to values (count). */
static void path_add(const struct storey_band *band, double complex amplitude, double late, double complex *values)
{
    double complex phase = amplitude * cexp(-2.0 * I * M_PI * band->first * late);
    const double complex turn = cexp(-2.0 * I * M_PI * band->spacing * late);
    for (int f = 0; f < band->count; f++) {
        values[f] += phase;
        phase = times(phase, turn);
    }
}

/* Row of the table of tap n. */
static const double complex *table_row(const struct storey_band *band, struct storey_work *work, int n)
{
    const int count = band->count;
    bool kept = has_table(band);
    const bool known = work->part != STOREY_WHOLE && work->slant.crossing > 0.0;
    const size_t place = known ? 1 + (size_t)(work->slant.crossing * CROSSINGS) : 0;
    const size_t index = (2 * place + (work->part == STOREY_OVER ? 1 : 0)) * (size_t)count + (size_t)n;
    double complex *row = kept ? work->table + index * (size_t)count : work->row;
    if (kept && work->filled[index]) {
        return row;
    }
    struct slant slant = work->slant;
    slant.top = 0.0; /* echoes pass over others */
    slant.crossing = place > 0 ? ((double)place - 0.5) / CROSSINGS : 0.0;
    family_fill(band, &slant, work->part, SPEED_OF_LIGHT * n / (count * band->spacing), row);
    for (int f = 0; f < count; f++) {
        row[f] = times(row[f], band->root[(int)((int64_t)f * n % count)]);
    }
    work->filled[index] = kept;
    return row;
}

/* One tap of `rest`, at delay n/(count spacing). */
static double complex tap_of(const struct storey_band *band, const double complex *rest, int n)
{
    double complex value = 0.0;
    for (int f = 0, turn = 0; f < band->count; f++) {
        value += times(rest[f], conj(band->root[turn]));
        turn = turn + n < band->count ? turn + n : turn + n - band->count; /* f n modulo count */
    }
    return value / band->count;
}

/* What is left beside the direct path, by taps: those up to its delay to `early`, later ones with their images to
 * `late`. */
static void taps_add(const struct storey_band *band, struct storey_work *work, double distance)
{
    const int count = band->count, guard = GUARD < count / 8 ? GUARD : count / 8;
    const double step = SPEED_OF_LIGHT / (count * band->spacing); /* m */
    for (int tap = -guard; tap < count - guard; tap++) {
        const int n = (tap + count) % count;
        const double complex value = tap_of(band, work->rest, n);
        const bool later = tap * step > distance;
        const double complex *row = later ? table_row(band, work, n) : NULL;
        for (int f = 0; f < count && later; f++) {
            work->late[f] += times(value, row[f]);
        }
        for (int f = 0, turn = 0; f < count && !later; f++) {
            work->early[f] += times(value, band->root[turn]);
            turn = turn + n < count ? turn + n : turn + n - count;
        }
    }
}

/* Adds to `made` (count) what a transfer function over the plan becomes in the part in work; returns its energy. */
static double part_add(const struct storey_band *band, struct storey_work *work, double distance, const bool *usable,
                       const double *transfer)
{
    const int count = band->count;
    double energy = 0.0;
    const size_t bytes = (size_t)count * sizeof(double complex);
    memset(work->rest, 0, bytes);
    memset(work->early, 0, bytes);
    memset(work->late, 0, bytes);
    path_add(band, 1.0, 1.0 / SPEED_OF_LIGHT, work->rest); /* transfer functions are relative to 1 m */
    for (int f = 0; f < count; f++) {
        work->rest[f] *= usable[f] ? transfer[2 * f] + I * transfer[2 * f + 1] : 0.0;
        energy += usable[f] ? creal(work->rest[f] * conj(work->rest[f])) : 0.0;
    }
    family_fill(band, &work->slant, work->part, distance, work->family);
    if (count >= PW_MINIMUM_FREQUENCIES) {
        const double complex direct = direct_amplitude(band, distance / SPEED_OF_LIGHT, usable, work->rest);
        path_add(band, direct, distance / SPEED_OF_LIGHT, work->early);
        for (int f = 0; f < count; f++) {
            work->rest[f] -= usable[f] ? work->early[f] : 0.0;
        }
        taps_add(band, work, distance);
    } else { /* no delays to go by */
        memcpy(work->early, work->rest, bytes);
    }
    for (int f = 0; f < count; f++) {
        work->made[f] += work->early[f] * work->family[f] + work->late[f];
    }
    return energy;
}

double storey_apply(const struct storey_band *band, struct storey_work *work, double distance,
                    const struct slant *slant, const bool *usable, const double *over, double *transfer)
{
    const int count = band->count;
    const bool open = over != NULL && storey_is_open(&band->storey);
    double after = 0.0;
    if (!work->known || !slant_same(slant, &work->slant)) {
        memset(work->filled, 0, tables_of(band) * (size_t)count * sizeof *work->filled);
    }
    work->slant = *slant;
    work->known = true;
    memset(work->made, 0, (size_t)count * sizeof *work->made);
    work->part = open ? STOREY_UNDER : STOREY_WHOLE;
    double before = part_add(band, work, distance, usable, transfer);
    if (open) {
        work->part = STOREY_OVER;
        part_add(band, work, distance, usable, over);
    }
    memset(work->rest, 0, (size_t)count * sizeof *work->rest);
    path_add(band, 1.0, -1.0 / SPEED_OF_LIGHT, work->rest);
    for (int f = 0; f < count; f++) {
        double complex made = work->rest[f] * work->made[f];
        transfer[2 * f] = usable[f] ? creal(made) : 0.0;
        transfer[2 * f + 1] = usable[f] ? cimag(made) : 0.0;
        after += transfer[2 * f] * transfer[2 * f] + transfer[2 * f + 1] * transfer[2 * f + 1];
    }
    return after / before;
}
