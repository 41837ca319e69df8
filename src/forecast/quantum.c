/* Quanta at faces (quantum.h). The normal of a face is the gradient of the permittivity around the pixel where it was
 * met, so that tilted and round walls reflect as they should. */
#include "forecast/quantum.h"
#include "base/constants.h"
#include "base/memory.h"
#include "base/numbers/splitmix.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NORMAL_REACH = 3 /* pixels */ };
static const double PIXELS_MOST = 4e6, SMALLEST_PIXEL = 4e-3 /* m */;
static const double THIN = 0.33 /* wavelengths */;

double quantum_draw(struct quantum *quantum)
{
    return splitmix_unit(splitmix_next(&quantum->random));
}

pw_status picture_create(const struct floorplan *plan, struct picture *picture, pw_error *error)
{
    picture->plan = plan;
    picture->pixel = fmax(sqrt(plan->width * plan->height / PIXELS_MOST), SMALLEST_PIXEL);
    picture->columns = (int)ceil(plan->width / picture->pixel);
    picture->rows = (int)ceil(plan->height / picture->pixel);
    picture->material =
        allocate((size_t)picture->rows * (size_t)picture->columns, sizeof(uint16_t), "a picture of the plan", error);
    picture->materials =
        allocate((size_t)plan->material_count, sizeof *picture->materials, "a picture of the plan", error);
    if (picture->material == NULL || picture->materials == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int m = 0; m < plan->material_count; m++) {
        picture->materials[m] = plan->materials[m];
        picture->materials[m].perfect_conductor =
            plan->materials[m].perfect_conductor || plan->materials[m].dispersion.opaque;
    }
#pragma omp parallel for schedule(dynamic, 16)
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
    free(picture->material);
    free(picture->materials);
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

/* Unit normal of the face at (x, y): the gradient of the permittivity, metal counting as dense. The last normal, or the
 * direction of flight, where there is none. */
static void face_normal(const struct picture *picture, struct quantum *quantum)
{
    double gradient[2] = {0, 0};
    for (int j = -NORMAL_REACH; j <= NORMAL_REACH; j++) {
        for (int i = -NORMAL_REACH; i <= NORMAL_REACH; i++) {
            uint16_t m = 0;
            if (i * i + j * j <= NORMAL_REACH * NORMAL_REACH &&
                picture_material_at(picture, quantum->x + i * picture->pixel, quantum->y + j * picture->pixel, &m)) {
                double density =
                    picture->materials[m].perfect_conductor ? 50 : picture->materials[m].relative_permittivity;
                gradient[0] += i * density;
                gradient[1] += j * density;
            }
        }
    }
    double length = hypot(gradient[0], gradient[1]);
    if (length > 1e-9) {
        quantum->normal[0] = gradient[0] / length;
        quantum->normal[1] = gradient[1] / length;
    } else if (quantum->normal[0] == 0 && quantum->normal[1] == 0) {
        quantum->normal[0] = quantum->dx;
        quantum->normal[1] = quantum->dy;
    }
}

static void reflect(struct quantum *quantum)
{
    double along = quantum->dx * quantum->normal[0] + quantum->dy * quantum->normal[1];
    quantum->dx -= 2 * along * quantum->normal[0];
    quantum->dy -= 2 * along * quantum->normal[1];
}

/* What a grid gets wrong at a face is a part of the wave that goes on (validation/walls.md): about the jump of the
 * permittivity times the index over the cosine, times a power of the cell. That, over the amplitude of what the quantum
 * does, is the term of the face. */
static double face_term(double jump, double index, double cosine, double amplitude)
{
    return jump * index / fmax(cosine, 0.2) / fmax(amplitude, 0.1);
}

/* Metres from the quantum to where the medium `inside` ends along the normal, on its side of the face; `beyond` is what
 * follows. More than `most`: HUGE_VAL. */
static double layer_thickness(const struct picture *picture, const struct quantum *quantum, uint16_t inside,
                              double most, uint16_t *beyond)
{
    double along = quantum->dx * quantum->normal[0] + quantum->dy * quantum->normal[1], side = along < 0 ? -1 : 1;
    bool entered = false;
    const int steps = (int)(2 * most / picture->pixel) + 4;
    for (int k = 0; k < steps; k++) {
        double depth = 0.5 * k * picture->pixel;
        if (!picture_material_at(picture, quantum->x + side * depth * quantum->normal[0],
                                 quantum->y + side * depth * quantum->normal[1], beyond)) {
            return HUGE_VAL;
        }
        if (entered && *beyond != inside) {
            return depth;
        }
        entered = entered || *beyond == inside;
    }
    return HUGE_VAL;
}

/* Reflection and transmission of a slab with the same medium on both sides: of E along its faces by its admittances, or
 * of H along them (`parallel`) by its impedances. */
static void slab_coefficients(double frequency, const struct material *outside, const struct slab *slab, double cosine,
                              bool parallel, double complex *r, double complex *t)
{
    const struct material *inside = slab->material;
    double omega = 2 * M_PI * frequency, k0 = omega / SPEED_OF_LIGHT;
    double complex permittivity =
        inside->relative_permittivity - I * inside->conductivity / (omega * FREE_SPACE_PERMITTIVITY);
    double e = outside->relative_permittivity;
    double complex outer = sqrt(e) * cosine, inner = csqrt(permittivity - e * (1 - cosine * cosine));
    double complex angle = k0 * inner * slab->thickness, s = csin(angle), c = ccos(angle);
    if (parallel) {
        outer /= e;
        inner /= permittivity;
    }
    double complex sum = 2 * outer * inner * c + I * (outer * outer + inner * inner) * s;
    *r = I * (outer * outer - inner * inner) * s / sum;
    *t = 2 * outer * inner / sum;
}

/* A layer thin enough for its faces to act together. */
static void meet_layer(double frequency, bool parallel, struct quantum *quantum, const struct material *outside,
                       const struct material *inside, double thickness)
{
    double along = quantum->dx * quantum->normal[0] + quantum->dy * quantum->normal[1],
           cosine = fmax(fabs(along), 0.05), e = outside->relative_permittivity;
    double complex r, t;
    slab_coefficients(frequency, outside, &(struct slab){inside, thickness}, cosine, parallel, &r, &t);
    double back = creal(r * conj(r)), on = creal(t * conj(t));
    quantum->weight *= fmin(back + on, 1);
    bool reflected = quantum_draw(quantum) * (back + on) < back;
    double jump = fabs(inside->relative_permittivity - e), index = sqrt(fmax(inside->relative_permittivity, e));
    double term = face_term(jump, index, cosine, reflected ? cabs(r) : cabs(t));
    quantum->passed.layer_squares += term * term;
    quantum->passed.layer_thickness += term * term * thickness * thickness;
    if (reflected) {
        reflect(quantum);
    } else {
        quantum->blind = thickness / cosine;
    }
}

/* A face between two dielectrics: Fresnel's coefficient for Ez, or for E in the plane (`parallel`), decides by chance.
 */
static void meet_face(struct quantum *quantum, bool parallel, const struct material *from, const struct material *to,
                      uint16_t m)
{
    double n1 = sqrt(from->relative_permittivity), n2 = sqrt(to->relative_permittivity);
    double along = quantum->dx * quantum->normal[0] + quantum->dy * quantum->normal[1];
    double cosine = fmax(fabs(along), 0.05), sine = sqrt(fmax(0, 1 - cosine * cosine));
    double refracted = n1 / n2 * sine, jump = fabs(to->relative_permittivity - from->relative_permittivity);
    double r = 1, t = 0;
    if (refracted < 1) {
        double beyond = sqrt(1 - refracted * refracted);
        double here = parallel ? n2 * cosine : n1 * cosine, there = parallel ? n1 * beyond : n2 * beyond;
        r = (here - there) / (here + there);
        t = sqrt(fmax(1 - r * r, 0));
    }
    bool back = quantum_draw(quantum) < r * r;
    double term = face_term(jump, fmax(n1, n2), cosine, back ? fabs(r) : t);
    quantum->passed.face_squares += term * term;
    if (back) {
        reflect(quantum);
        return;
    }
    double side = along < 0 ? -1 : 1, beyond = sqrt(1 - refracted * refracted);
    double tangent[2] = {quantum->dx - along * quantum->normal[0], quantum->dy - along * quantum->normal[1]};
    double length = fmax(hypot(tangent[0], tangent[1]), DBL_MIN);
    quantum->dx = side * beyond * quantum->normal[0] + refracted * tangent[0] / length;
    quantum->dy = side * beyond * quantum->normal[1] + refracted * tangent[1] / length;
    quantum->medium = m;
}

static void meet_metal(const struct picture *picture, struct quantum *quantum, uint16_t ahead)
{
    uint16_t beyond = 0;
    double thickness = layer_thickness(picture, quantum, ahead, SHEET_MOST, &beyond);
    quantum->passed.metal += 1;
    if (thickness <= SHEET_MOST) {
        quantum->passed.sheets += 1;
        quantum->passed.sheet_thickness += thickness;
    }
    reflect(quantum);
}

/* Layers under a third of a wavelength inside act as one. */
static void meet_dielectric(const struct picture *picture, double frequency, struct quantum *quantum, uint16_t ahead)
{
    const struct material *from = &picture->materials[quantum->medium], *to = &picture->materials[ahead];
    double wavelength = SPEED_OF_LIGHT / (frequency * sqrt(to->relative_permittivity));
    uint16_t beyond = 0;
    double thickness = to->relative_permittivity > from->relative_permittivity
                           ? layer_thickness(picture, quantum, ahead, THIN * wavelength, &beyond)
                           : HUGE_VAL;
    if (thickness <= THIN * wavelength && beyond == quantum->medium) {
        meet_layer(frequency, picture->parallel, quantum, from, to, thickness);
    } else {
        meet_face(quantum, picture->parallel, from, to, ahead);
    }
}

void quantum_meet_face(const struct picture *picture, double frequency, struct quantum *quantum, uint16_t ahead)
{
    face_normal(picture, quantum);
    if (picture->materials[ahead].perfect_conductor) {
        meet_metal(picture, quantum, ahead);
    } else {
        meet_dielectric(picture, frequency, quantum, ahead);
    }
    quantum->blind = fmax(quantum->blind, 0) + 2.5 * picture->pixel;
}

bool quantum_meet_slab(const struct slabs *slabs, double frequency, struct quantum *quantum)
{
    static const struct material AIR = {.relative_permittivity = 1};
    const struct slab *slab = quantum->slope < 0 ? &slabs->floor : &slabs->ceiling;
    double complex r = -1, t = 0;
    if (slab->material == NULL) {
        return false;
    }
    if (slab->material->perfect_conductor) {
        quantum->passed.metal += 1;
        quantum->passed.slabs[slab == &slabs->ceiling] += 1;
    } else {
        double cosine = fmax(fabs(quantum->slope) / quantum->stretch, 0.05), e = slab->material->relative_permittivity;
        slab_coefficients(frequency, &AIR, slab, cosine, false, &r, &t);
        if (quantum_draw(quantum) >= creal(r * conj(r))) {
            return false;
        }
        double term = face_term(fabs(e - 1), sqrt(e), cosine, cabs(r));
        quantum->passed.face_squares += term * term;
    }
    quantum->slope = -quantum->slope;
    quantum->z = fmin(fmax(quantum->z, slabs->low), slabs->high);
    return true;
}
