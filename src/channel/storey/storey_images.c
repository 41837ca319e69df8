/* Images in floor and ceiling, and what the slabs reflect (storey.h). */
#include "channel/storey/storey.h"

#include "base/constants.h"
#include "scenario/material_table.h"

#include <complex.h>
#include <math.h>

struct storey_image storey_image(double height, double from, double to, int index)
{
    /* 0: straight; 1: floor; 2: ceiling; then by turns of up and down, mirrored or not. */
    static const int MIRRORED[4] = {0, 0, 1, 1}, DOWN[4] = {0, 1, 1, 0};
    int turn = (index + 1) / 4, kind = (index + 1) % 4; /* index -1 would be the straight path again */
    if (index == 0) {
        return (struct storey_image){.rise = to - from, .leaves = 1};
    }
    if (index <= 2) {
        bool floor = index == 1;
        double at = floor ? -from : 2.0 * height - from;
        return (struct storey_image){.rise = to - at, .met = {floor, !floor}, .leaves = -1};
    }
    bool mirrored = MIRRORED[kind] != 0, down = DOWN[kind] != 0;
    double away = 2.0 * height * turn;
    if (!mirrored) {
        return (struct storey_image){.rise = to - (from + (down ? -away : away)), .met = {turn, turn}, .leaves = 1};
    }
    /* -from - 2 turn h met the floor once more than the ceiling; -from + 2 (turn + 1) h the other way round. */
    double at = down ? -from - away : -from + away + 2.0 * height;
    return (struct storey_image){.rise = to - at, .met = {turn + down, turn + !down}, .leaves = -1};
}

struct permittivity storey_permittivity(const struct material_choice *material, double frequency)
{
    const struct material_row *row = material->own_values ? NULL : material_row_find(material->name, 1e-9 * frequency);
    double real = material->relative_permittivity, conductivity = material->conductivity, loss = 0.0;
    if (row != NULL) {
        material_row_evaluate(row, 1e-9 * frequency, &real, &conductivity);
    }
    for (int p = 0; row == NULL && p < material->pole_count; p++) {
        struct permittivity pole = pole_at(&material->poles[p], frequency);
        real += pole.real;
        loss += pole.loss;
    }
    return (struct permittivity){real, loss + conductivity / (2.0 * M_PI * frequency * FREE_SPACE_PERMITTIVITY)};
}

/* A slab between two half spaces of air: Born and Wolf, Principles of Optics, 1.6.4; time dependence exp(+jwt). */
void storey_reflection(const struct slab_choice *slab, double frequency, double sine, bool upright, double value[2])
{
    double complex reflected = 0.0;
    if (slab->thickness > 0.0 && slab->material.perfect_conductor) {
        reflected = upright ? 1.0 : -1.0;
    } else if (slab->thickness > 0.0) {
        const struct permittivity own = storey_permittivity(&slab->material, frequency);
        double complex inside = own.real - I * own.loss, across = csqrt(inside - (1.0 - sine * sine));
        across = cimag(across) > 0.0 ? -across : across;
        double complex air = upright ? inside * sine : sine;
        double complex face = (air - across) / (air + across);
        double complex turn = cexp(-2.0 * I * (2.0 * M_PI * frequency / SPEED_OF_LIGHT) * slab->thickness * across);
        reflected = inside == 1.0 ? 0.0 : air == 0.0 ? -1.0 : face * (1.0 - turn) / (1.0 - face * face * turn);
    }
    value[0] = creal(reflected);
    value[1] = cimag(reflected);
}
