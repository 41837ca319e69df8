/* Rays at faces (ray.h). The normal of a face is the gradient of the permittivity around the pixel where it was
 * met, so that tilted and round walls reflect as they should. */
#include "discretize/forecast/ray.h"
#include "base/constants.h"
#include "base/numbers/splitmix.h"
#include "problem/grid_medium.h"

#include <complex.h>
#include <float.h>
#include <math.h>

enum { NORMAL_REACH = 3 /* pixels */ };
static const double PIXELS_MOST = 4e6, SMALLEST_PIXEL = 4e-3 /* m */;
static const double THIN = 0.33; /* wavelengths */
/* Of a stencil of fourth order the wave number is wrong by -1/5 of what the group velocity is wrong by. */
static const double WAVE_NUMBER = -0.2;
enum medium_class medium_class(double permittivity)
{
    static const double TOP[CLASS_GLASS] = {1.05, 2.3, 3.2, 4.5, 5.7};
    int class = CLASS_AIR;
    while (class < CLASS_GLASS && permittivity >= TOP[class]) {
        class ++;
    }
    return (enum medium_class) class;
}

double ray_draw(struct ray *ray)
{
    return splitmix_unit(splitmix_next(&ray->random));
}

pw_status picture_create(const struct floorplan *plan, double share, struct picture *picture, pw_error *error)
{
    picture->plan = plan;
    picture->poles = materials_have_poles(plan->materials, plan->material_count);
    picture->pixel = fmax(sqrt(plan->width * plan->height / (share * PIXELS_MOST)), SMALLEST_PIXEL);
    picture->columns = (int)ceil(plan->width / picture->pixel);
    picture->rows = (int)ceil(plan->height / picture->pixel);
    picture->material =
        allocate((size_t)picture->rows * (size_t)picture->columns, sizeof(uint16_t), "a picture of the plan", error);
    picture->materials =
        allocate((size_t)plan->material_count, sizeof *picture->materials, "a picture of the plan", error);
    TRY_MADE(picture->material != NULL && picture->materials != NULL);
    for (int m = 0; m < plan->material_count; m++) {
        picture->materials[m] = plan->materials[m];
        picture->materials[m].perfect_conductor =
            plan->materials[m].perfect_conductor || plan->materials[m].dispersion.opaque;
    }
#pragma omp parallel for schedule(dynamic, 4)
    for (int j = 0; j < picture->rows; j++) {
        for (int i = 0; i < picture->columns; i++) {
            picture->material[(size_t)j * (size_t)picture->columns + (size_t)i] =
                floorplan_material_at(plan, (i + 0.5) * picture->pixel, (j + 0.5) * picture->pixel);
        }
    }
    return PW_OK;
}

void picture_free(struct picture *picture)
{
    FREE_ALL(picture->material, picture->materials);
}

bool picture_material_at(const struct picture *picture, double x, double y, uint16_t *material)
{
    double column = floor(x / picture->pixel), row = floor(y / picture->pixel);
    if (!(column >= 0 && row >= 0 && column < picture->columns && row < picture->rows)) {
        return false;
    }
    *material = picture->material[(size_t)row * (size_t)picture->columns + (size_t)column];
    return true;
}

static double complex complex_permittivity(double frequency, const struct material *material)
{
    return material->relative_permittivity -
           I * material->conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY);
}

bool ray_conductor(double frequency, const struct material *material)
{
    return -cimag(complex_permittivity(frequency, material)) > material->relative_permittivity;
}

/* Unit normal of the face at (x, y): the gradient of the permittivity, metal and good conductors counting as dense. The
 * last normal, or the direction of flight, where there is none. */
static void face_normal(const struct picture *picture, double frequency, struct ray *ray)
{
    double gradient[2] = {0, 0};
    for (int j = -NORMAL_REACH; j <= NORMAL_REACH; j++) {
        for (int i = -NORMAL_REACH; i <= NORMAL_REACH; i++) {
            uint16_t m = 0;
            if (i * i + j * j <= NORMAL_REACH * NORMAL_REACH &&
                picture_material_at(picture, ray->x + i * picture->pixel, ray->y + j * picture->pixel, &m)) {
                const struct material *material = &picture->materials[m];
                const bool turns_back = material->perfect_conductor || ray_conductor(frequency, material);
                const double density =
                    turns_back ? fmax(50, material->relative_permittivity) : material->relative_permittivity;
                gradient[0] += i * density;
                gradient[1] += j * density;
            }
        }
    }
    double length = hypot(gradient[0], gradient[1]);
    if (length > 1e-9) {
        ray->normal[0] = gradient[0] / length;
        ray->normal[1] = gradient[1] / length;
    } else if (ray->normal[0] == 0 && ray->normal[1] == 0) {
        ray->normal[0] = ray->dx;
        ray->normal[1] = ray->dy;
    }
}

static void reflect(struct ray *ray)
{
    double along = ray->dx * ray->normal[0] + ray->dy * ray->normal[1];
    ray->dx -= 2 * along * ray->normal[0];
    ray->dy -= 2 * along * ray->normal[1];
}

/* What a grid gets wrong in a medium follows from the error g of its group velocity there: the admittance at a face is
 * (1 + g) times what it should be, attenuation (1 - g) times, the wave number 1 + WAVE_NUMBER g times. It is largest
 * for waves along an axis, and a quarter of that at 45 degrees: this says how much of it meets a direction (of any
 * length). A stencil of fourth order errs as the sum over the axes of k_i^6. */
static double alignment(double x, double y, double z)
{
    double squares = x * x + y * y + z * z;
    return (pow(x, 6) + pow(y, 6) + pow(z, 6)) / (squares * squares * squares);
}

double ray_near_face(const struct picture *picture, double x, double y, double most, enum medium_class *class,
                     bool *metal)
{
    /* No farther than the picture reaches: of a wave that is longer than the plan all of it is near. */
    const int reach = (int)fmin(most / picture->pixel, fmax(picture->rows, picture->columns));
    double nearest = most * most;
    uint16_t own = 0, m = 0;
    if (!picture_material_at(picture, x, y, &own)) {
        return HUGE_VAL;
    }
    bool found = false;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double dx = i * picture->pixel, dy = j * picture->pixel, square = dx * dx + dy * dy;
            if (square < nearest && picture_material_at(picture, x + dx, y + dy, &m) && m != own) {
                const struct material *here = &picture->materials[own], *there = &picture->materials[m];
                nearest = square;
                found = true;
                *metal = there->perfect_conductor;
                *class = medium_class(fmax(here->relative_permittivity, there->relative_permittivity));
            }
        }
    }
    return found ? sqrt(nearest) : HUGE_VAL;
}

/* Where cells are chosen, so much of it is never taken away. */
static const double LEFT_AT_LEAST = 0.5;

/* How much of the error at an axis is taken from a medium before it stands on the grid: what waves have that meet a
 * wall at the angle for which the grid is right there (problem/grid_medium.h). */
static double taken_away(const struct picture *picture, double frequency, const struct material *medium)
{
    const double complex permittivity = complex_permittivity(frequency, medium);
    const double share = picture->poles ? 0 : grid_medium_share(creal(permittivity), -cimag(permittivity));
    const double square = GRID_MEDIUM_SINE_SQUARE / medium->relative_permittivity;
    return share > 0 ? share * alignment(sqrt(square), sqrt(1 - square), 0) : 0;
}

void ray_pass_medium(const struct picture *picture, double frequency, struct ray *ray, double length)
{
    const struct material *medium = &picture->materials[ray->medium];
    enum medium_class class = medium_class(medium->relative_permittivity);
    if (class == CLASS_AIR) {
        ray->passed.air += length;
    }
    if (class != CLASS_AIR || medium->conductivity > 0) {
        double index = sqrt(medium->relative_permittivity);
        double nepers = 0.5 * medium->conductivity * FREE_SPACE_IMPEDANCE / index * length;
        double phase = -2 * M_PI * frequency * index / SPEED_OF_LIGHT * length;
        double full = alignment(ray->dx, ray->dy, ray->slope);
        const double left = fabs(full - taken_away(picture, frequency, medium)),
                     kept = fmax(LEFT_AT_LEAST * full - left, 0);
        const double turn = class == CLASS_AIR ? 0 : WAVE_NUMBER * phase;
        ray->weight *= exp(-2 * nepers);
        ray->passed.wear[class] += left * nepers;
        ray->passed.turn[class] += left * turn;
        ray->passed.kept_wear[class] += kept * nepers;
        ray->passed.kept_turn[class] += kept * turn;
    }
}

/* Metres from the ray to where the medium `inside` ends along the normal, on its side of the face; `beyond` is what
 * follows. More than `most`: HUGE_VAL. */
static double layer_thickness(const struct picture *picture, const struct ray *ray, uint16_t inside, double most,
                              uint16_t *beyond)
{
    double along = ray->dx * ray->normal[0] + ray->dy * ray->normal[1], side = along < 0 ? -1 : 1;
    bool entered = false;
    const int steps = (int)(2 * most / picture->pixel) + 4;
    for (int k = 0; k < steps; k++) {
        double depth = 0.5 * k * picture->pixel;
        if (!picture_material_at(picture, ray->x + side * depth * ray->normal[0],
                                 ray->y + side * depth * ray->normal[1], beyond)) {
            return HUGE_VAL;
        }
        if (entered && *beyond != inside) {
            return depth;
        }
        entered = entered || *beyond == inside;
    }
    return HUGE_VAL;
}

/* Nepers behind which nothing of a wave is left. */
static const double OPAQUE = 20;

/* What a wave loses in it [Np/m]. */
static double damping(double frequency, const struct material *material)
{
    return -2 * M_PI * frequency / SPEED_OF_LIGHT * cimag(csqrt(complex_permittivity(frequency, material)));
}

/* Fresnel's coefficient of a face before a good conductor. */
static double lossy_reflection(double frequency, const struct material *from, const struct material *to, double cosine,
                               bool parallel)
{
    const double e = from->relative_permittivity;
    const double complex permittivity = complex_permittivity(frequency, to);
    double complex outer = sqrt(e) * cosine, inner = csqrt(permittivity - e * (1 - cosine * cosine));
    if (parallel) {
        outer /= e;
        inner /= permittivity;
    }
    return cabs((outer - inner) / (outer + inner));
}

static void lossy_pass(double frequency, struct ray *ray, const struct material *by, double cosine)
{
    if (ray_conductor(frequency, by)) {
        ray->passed.lossy += cosine * cosine;
        ray->passed.lossy_depth += cosine * cosine * damping(frequency, by);
    }
}

/* Reflection and transmission of a slab with the same medium on both sides: of E along its faces by its admittances, or
 * of H along them (`parallel`) by its impedances. */
static void slab_coefficients(double frequency, const struct material *outside, const struct slab *slab, double cosine,
                              bool parallel, double complex *r, double complex *t)
{
    const struct material *inside = slab->material;
    double omega = 2 * M_PI * frequency, k0 = omega / SPEED_OF_LIGHT;
    double complex permittivity = complex_permittivity(frequency, inside);
    double e = outside->relative_permittivity;
    double complex outer = sqrt(e) * cosine, inner = csqrt(permittivity - e * (1 - cosine * cosine));
    if (ray_conductor(frequency, inside) && damping(frequency, inside) * slab->thickness > OPAQUE) {
        *r = -lossy_reflection(frequency, outside, inside, cosine, parallel);
        *t = 0;
        return;
    }
    double complex angle = k0 * inner * slab->thickness, s = csin(angle), c = ccos(angle);
    if (parallel) {
        outer /= e;
        inner /= permittivity;
    }
    double complex sum = 2 * outer * inner * c + I * (outer * outer + inner * inner) * s;
    *r = I * (outer * outer - inner * inner) * s / sum;
    *t = 2 * outer * inner / sum;
}

/* Direction beyond a face, from where the index is `ratio` times that beyond: along the normal what is left of unity,
 * along the face by Snellius' law. A wave that is reflected totally has none: it goes along the face. */
static void refracted_direction(const struct ray *ray, double cosine, double ratio, double direction[2])
{
    double along = ray->dx * ray->normal[0] + ray->dy * ray->normal[1], side = along < 0 ? -1 : 1;
    double sine = fmin(ratio * sqrt(fmax(0, 1 - cosine * cosine)), 1), beyond = sqrt(1 - sine * sine);
    double tangent[2] = {ray->dx - along * ray->normal[0], ray->dy - along * ray->normal[1]};
    double length = fmax(hypot(tangent[0], tangent[1]), DBL_MIN);
    for (int n = 0; n < 2; n++) {
        direction[n] = side * beyond * ray->normal[n] + sine * tangent[n] / length;
    }
}

/* The place of a face between the nodes changes a wave at random: to first order a reflection by its cosine, what goes
 * through by the contrast over the sum of the admittances; both grow with a power of the index (one face on a grid,
 * fd4o and `moment`, 7 to 18 cells a wavelength in air, permittivities 2 to 6.3). A single face changes what goes
 * through by a fifth of this; a wall, where waves go to and fro between its faces, by about all. */
static const double CHANCE_POWER = 3.5;
static double chance_back(double cosine, double index)
{
    return 2 * cosine * pow(index, CHANCE_POWER);
}
static double chance_on(double e1, double e2, double here, double there)
{
    return fabs(e1 - e2) * pow(fmax(e1, e2), 0.5 * CHANCE_POWER) / (here + there);
}

/* A layer thin enough for its faces to act together: whether a ray turns back. Calculations of one layer on a grid
 * (fd4o and `moment`, layers of 0.07 to 1.7 cells, permittivities 2 to 6.3): a reflection is wrong by a part that goes
 * with index and cosine and not with the thickness, what goes through by what conserves energy. */
static bool layer_turns(double frequency, bool parallel, struct ray *ray, const struct material *outside,
                        const struct slab *slab, double cosine)
{
    const double e = outside->relative_permittivity;
    double complex r, t;
    slab_coefficients(frequency, outside, slab, cosine, parallel, &r, &t);
    double back = creal(r * conj(r)), on = creal(t * conj(t));
    ray->weight *= fmin(back + on, 1);
    bool reflected = ray_draw(ray) * (back + on) < back;
    double term =
        cosine * sqrt(fmax(slab->material->relative_permittivity, e)) * (reflected ? 1 : back / fmax(cabs(t), 0.1));
    ray->passed.layer_squares += term * term;
    if (reflected) {
        lossy_pass(frequency, ray, slab->material, cosine);
    }
    return reflected;
}

static void meet_layer(double frequency, bool parallel, struct ray *ray, const struct material *outside,
                       const struct material *inside, double thickness)
{
    double along = ray->dx * ray->normal[0] + ray->dy * ray->normal[1], cosine = fmax(fabs(along), 0.05);
    if (layer_turns(frequency, parallel, ray, outside, &(struct slab){inside, thickness}, cosine)) {
        reflect(ray);
    } else {
        ray->blind = thickness / cosine;
    }
}

/* What a grid changes in the amplitude at a single face: the derivatives of the logarithms of Fresnel's coefficients.
 */
static void face_wear(struct ray *ray, const double permittivity[2], const double admittance[2], const double there[2],
                      bool back)
{
    const double a = admittance[0], b = admittance[1], difference = a * a - b * b;
    double change = back ? 2 * a * b * difference / fmax(difference * difference, 1e-4) : b / (a + b);
    ray->passed.wear[medium_class(permittivity[0])] += change * alignment(ray->dx, ray->dy, ray->slope);
    ray->passed.wear[medium_class(permittivity[1])] -= change * alignment(there[0], there[1], 0);
}

/* A face between two dielectrics: Fresnel's coefficient for Ez, or for E in the plane (`parallel`), decides by chance
 * whether a ray turns back. `there`: the direction that it would have beyond. */
static bool face_turns(double frequency, bool parallel, struct ray *ray, const struct material *from,
                       const struct material *to, double cosine, const double there[2])
{
    const double e[2] = {from->relative_permittivity, to->relative_permittivity}, n1 = sqrt(e[0]), n2 = sqrt(e[1]);
    double refracted = n1 / n2 * sqrt(fmax(0, 1 - cosine * cosine)), beyond = sqrt(fmax(0, 1 - refracted * refracted));
    double admittance[2] = {parallel ? cosine / n1 : cosine * n1, parallel ? beyond / n2 : beyond * n2};
    double r = refracted < 1 ? (admittance[0] - admittance[1]) / (admittance[0] + admittance[1]) : 1;
    if (ray_conductor(frequency, to)) {
        r = lossy_reflection(frequency, from, to, cosine, parallel);
    }
    bool back = ray_draw(ray) < r * r;
    double term = back ? chance_back(cosine, fmax(n1, n2)) : chance_on(e[0], e[1], n1 * cosine, n2 * beyond);
    ray->passed.face_squares += term * term;
    if (refracted < 1) {
        face_wear(ray, e, admittance, there, back);
    }
    if (back) {
        lossy_pass(frequency, ray, to, cosine);
    }
    return back;
}

static void meet_face(double frequency, bool parallel, struct ray *ray, const struct material *from,
                      const struct material *to, uint16_t m)
{
    double along = ray->dx * ray->normal[0] + ray->dy * ray->normal[1], cosine = fmax(fabs(along), 0.05), there[2];
    refracted_direction(ray, cosine, sqrt(from->relative_permittivity) / sqrt(to->relative_permittivity), there);
    if (face_turns(frequency, parallel, ray, from, to, cosine, there)) {
        reflect(ray);
        return;
    }
    ray->dx = there[0];
    ray->dy = there[1];
    ray->medium = m;
}

static void meet_metal(const struct picture *picture, struct ray *ray, uint16_t ahead)
{
    uint16_t beyond = 0;
    double thickness = layer_thickness(picture, ray, ahead, SHEET_MOST, &beyond);
    ray->passed.metal += 1;
    if (thickness <= SHEET_MOST) {
        ray->passed.sheets += 1;
        ray->passed.sheet_thickness += thickness;
    }
    reflect(ray);
}

/* Layers under a third of a wavelength inside act as one. */
static void meet_dielectric(const struct picture *picture, double frequency, struct ray *ray, uint16_t ahead)
{
    const struct material *from = &picture->materials[ray->medium], *to = &picture->materials[ahead];
    double wavelength = SPEED_OF_LIGHT / (frequency * sqrt(to->relative_permittivity));
    uint16_t beyond = 0;
    double thickness = to->relative_permittivity > from->relative_permittivity
                           ? layer_thickness(picture, ray, ahead, THIN * wavelength, &beyond)
                           : HUGE_VAL;
    if (thickness <= THIN * wavelength && beyond == ray->medium) {
        meet_layer(frequency, picture->parallel, ray, from, to, thickness);
    } else {
        meet_face(frequency, picture->parallel, ray, from, to, ahead);
    }
}

void ray_meet_face(const struct picture *picture, double frequency, struct ray *ray, uint16_t ahead)
{
    face_normal(picture, frequency, ray);
    if (picture->materials[ahead].perfect_conductor) {
        meet_metal(picture, ray, ahead);
    } else {
        meet_dielectric(picture, frequency, ray, ahead);
    }
    ray->blind = fmax(ray->blind, 0) + 2.5 * picture->pixel;
}

/* The upper or lower face of a thing that lies: back, or on by Snellius' law. */
static void meet_lying_face(double frequency, struct ray *ray, const struct material *from, const struct material *to,
                            double cosine, uint16_t m)
{
    const double least = 0.02, index = sqrt(from->relative_permittivity / to->relative_permittivity),
                 sine = fmin(fmax(index * sqrt(1 - cosine * cosine), least), 1);
    const double there[2] = {sine, sqrt(1 - sine * sine)};
    if (face_turns(frequency, false, ray, from, to, cosine, there)) {
        ray->slope = -ray->slope;
        return;
    }
    ray->slope = copysign(there[1] / sine, ray->slope);
    ray->stretch = 1 / sine;
    ray->medium = m;
}

void ray_meet_level(const struct picture *picture, double frequency, struct ray *ray, uint16_t ahead, double thickness)
{
    const struct material *from = &picture->materials[ray->medium], *to = &picture->materials[ahead];
    const double thin = THIN * SPEED_OF_LIGHT / (frequency * sqrt(to->relative_permittivity)),
                 cosine = fmin(fmax(fabs(ray->slope) / ray->stretch, 0.05), 1);
    if (to->perfect_conductor) {
        ray->passed.metal += 1;
        if (thickness <= SHEET_MOST) {
            ray->passed.sheets += 1;
            ray->passed.sheet_thickness += thickness;
        }
        ray->slope = -ray->slope;
    } else if (thickness <= thin && to->relative_permittivity > from->relative_permittivity) {
        if (layer_turns(frequency, false, ray, from, &(struct slab){to, thickness}, cosine)) {
            ray->slope = -ray->slope;
        } else {
            ray->blind = (thickness + 1.5 * picture->pixel) / fmax(fabs(ray->slope), 1e-3);
        }
    } else {
        meet_lying_face(frequency, ray, from, to, cosine, ahead);
    }
}

bool ray_meet_slab(const struct slabs *slabs, double frequency, struct ray *ray)
{
    static const struct material AIR = {.relative_permittivity = 1};
    const struct slab *slab = ray->slope < 0 ? &slabs->floor : &slabs->ceiling;
    double complex r = -1, t = 0;
    if (slab->material == NULL) {
        return false;
    }
    if (slab->material->perfect_conductor) {
        ray->passed.metal += 1;
        ray->passed.slabs[slab == &slabs->ceiling] += 1;
    } else {
        double cosine = fmax(fabs(ray->slope) / ray->stretch, 0.05), e = slab->material->relative_permittivity;
        slab_coefficients(frequency, &AIR, slab, cosine, false, &r, &t);
        if (ray_draw(ray) >= creal(r * conj(r))) {
            return false;
        }
        double sine = sqrt((1 - cosine * cosine) / fmax(e, 1)), beyond = sqrt(1 - sine * sine);
        double index = sqrt(e);
        face_wear(ray, (double[2]){1, e}, (double[2]){cosine, index * beyond}, (double[2]){sine, beyond}, true);
        ray->passed.face_squares += pow(chance_back(cosine, index), 2);
        lossy_pass(frequency, ray, slab->material, cosine);
    }
    ray->slope = -ray->slope;
    ray->z = fmin(fmax(ray->z, slabs->low), slabs->high);
    return true;
}
