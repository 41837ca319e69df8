/* Energy transport by Monte Carlo (energy_transport.h): rays march through a picture of the plan by half a pixel at a
 * time and leave what they carry behind, by place and by time. What happens at a face is in ray.c. */
#include "discretize/forecast/energy_transport.h"
#include "base/constants.h"
#include "discretize/forecast/levels.h"
#include "problem/absorber.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNKS = 16, RAYS_PER_CHUNK = 128, STUCK_LIMIT = 8 };
static const double LEAST_WEIGHT = 1e-7, LONGEST_TIME = 3e-6; /* s */
/* Of a chunk's rays no more are followed once they have taken so many steps, but eight at least: between walls of metal
 * a ray does not die. Ordinary plans take a quarter of it. */
enum { STEPS_MOST = 1 << 21, RAYS_LEAST = 8 };
static const double DEPOSIT_MOST = 0.25; /* m between deposits of a ray, or a part of the floor */

/* What one chunk of rays adds up. */
struct chunk {
    struct transport_patch patch[PURPOSES][PATCHES_MOST];
    double energy[TRANSPORT_BINS];
    int rays; /* that were followed */
};

struct work {
    struct levels levels;
    struct slabs slabs;
    bool wall[3][2]; /* the ends of the axes that are metal or magnetic walls */
    const struct scenario *scenario;
    int patch_columns, patch_rows;
    double patch, bin; /* m, s */
};

/* Adds `share` times what was passed. */
static void passed_add(struct passed *sum, const struct passed *passed, double share)
{
    sum->air += share * passed->air;
    sum->face_squares += share * passed->face_squares;
    sum->layer_squares += share * passed->layer_squares;
    sum->metal += share * passed->metal;
    sum->lossy += share * passed->lossy;
    sum->lossy_depth += share * passed->lossy_depth;
    sum->sheets += share * passed->sheets;
    sum->sheet_thickness += share * passed->sheet_thickness;
    for (int n = 0; n < 2; n++) {
        sum->slabs[n] += share * passed->slabs[n];
    }
    for (int a = 0; a < CLASS_COUNT; a++) {
        sum->wear[a] += share * passed->wear[a];
        sum->turn[a] += share * passed->turn[a];
        sum->kept_wear[a] += share * passed->kept_wear[a];
        sum->kept_turn[a] += share * passed->kept_turn[a];
    }
}

/* The same to a part of the floor. */
static void patch_add(struct transport_patch *patch, const struct ray *ray, double share)
{
    const struct passed *passed = &ray->passed;
    patch->energy += share;
    passed_add(&patch->mean, passed, share);
    patch->air_square += share * passed->air * passed->air;
    patch->delay += share * ray->time;
    patch->delay_square += share * ray->time * ray->time;
    for (int a = 0; a < CLASS_COUNT; a++) {
        for (int b = 0; b < CLASS_COUNT; b++) {
            patch->wear_product[a][b] += share * passed->wear[a] * passed->wear[b];
        }
    }
}

static void deposit(const struct work *work, const struct ray *ray, enum transport_purpose purpose, struct chunk *chunk)
{
    int column = (int)(ray->x / work->patch), row = (int)(ray->y / work->patch);
    int bin = (int)(ray->time / work->bin);
    double share = ray->weight * ray->undeposited[purpose];
    if (bin < TRANSPORT_BINS && purpose == TO_CHOOSE) {
        chunk->energy[bin] += share;
    }
    if (column < 0 || row < 0 || column >= work->patch_columns || row >= work->patch_rows) {
        return;
    }
    struct ray kept = *ray;
    for (int c = 0; c < CLASS_COUNT && purpose == TO_CHOOSE; c++) {
        kept.passed.wear[c] += kept.passed.kept_wear[c];
        kept.passed.turn[c] += kept.passed.kept_turn[c];
    }
    patch_add(&chunk->patch[purpose][row * work->patch_columns + column], &kept, share);
}

/* A step of `over` metres over the floor in the medium the ray believes to be in. */
static void advance(const struct work *work, const struct picture *picture, struct ray *ray, double over,
                    struct chunk *chunk)
{
    const double length = over * ray->stretch;
    const struct material *medium = &picture->materials[ray->medium];
    const double index = sqrt(medium->relative_permittivity);
    ray->x += over * ray->dx;
    ray->y += over * ray->dy;
    ray->z += over * ray->slope;
    ray->time += length * index / SPEED_OF_LIGHT;
    ray->blind -= over;
    ray_pass_medium(picture, work->scenario->band_centre, ray, length);
    const double apart[PURPOSES] = {fmin(DEPOSIT_MOST, work->patch), DEPOSIT_MOST};
    for (int p = 0; p < PURPOSES; p++) {
        ray->undeposited[p] += length * index; /* energy stays longer where it is slow */
        if (ray->undeposited[p] >= apart[p]) {
            deposit(work, ray, (enum transport_purpose)p, chunk);
            ray->undeposited[p] = 0;
        }
    }
}

/* Whether a ray that is about to leave the plan meets a wall at the end of the grid, which turns it back. */
static bool turn_at_wall(const struct work *work, const struct picture *picture, struct ray *ray, double step)
{
    const double x = ray->x + step * ray->dx, y = ray->y + step * ray->dy;
    const bool out_x = x < 0 || x >= picture->columns * picture->pixel,
               out_y = y < 0 || y >= picture->rows * picture->pixel;
    if ((out_x && !work->wall[0][ray->dx > 0]) || (out_y && !work->wall[1][ray->dy > 0])) {
        return false;
    }
    ray->dx = out_x ? -ray->dx : ray->dx;
    ray->dy = out_y ? -ray->dy : ray->dy;
    return true;
}

/* The ray is over the ceiling or under the floor: whether it comes back. */
static bool turn_at_slab(const struct work *work, struct ray *ray)
{
    const struct slab *slab = ray->slope < 0 ? &work->slabs.floor : &work->slabs.ceiling;
    if (slab->material == NULL && work->wall[2][ray->slope > 0]) {
        ray->slope = -ray->slope;
        ray->z = fmin(fmax(ray->z, work->slabs.low), work->slabs.high);
        return true;
    }
    return ray_meet_slab(&work->slabs, work->scenario->band_centre, ray);
}

/* A step through one level, or what is met there; false outside the plan. `stuck` counts what was met without one. */
static bool go_on(const struct work *work, struct ray *ray, struct chunk *chunk, int *stuck)
{
    const double frequency = work->scenario->band_centre;
    const int level = levels_at(&work->levels, ray->z);
    const struct picture *picture = &work->levels.picture[level];
    const double step = 0.5 * picture->pixel / (work->levels.count > 1 ? ray->stretch : 1);
    const double x = ray->x + step * ray->dx, y = ray->y + step * ray->dy;
    uint16_t ahead = 0;
    const bool inside = picture_material_at(picture, x, y, &ahead);
    if (!inside && turn_at_wall(work, picture, ray, step)) {
        return true;
    }
    if (ray->blind > 0) {
        advance(work, picture, ray, step, chunk);
        return true;
    }
    if (!inside) {
        return false;
    }
    if (ahead != ray->medium) {
        (*stuck)++;
        ray_meet_face(picture, frequency, ray, ahead);
        return true;
    }
    const int next = levels_at(&work->levels, ray->z + step * ray->slope);
    if (next != level && picture_material_at(&work->levels.picture[next], x, y, &ahead) && ahead != ray->medium) {
        (*stuck)++;
        ray_meet_level(picture, frequency, ray, ahead, levels_thickness(&work->levels, ray, next, ahead));
        return true;
    }
    advance(work, picture, ray, step, chunk);
    *stuck = 0;
    return true;
}

/* Until it has left the plan, or has no energy, or time is over. Returns how many steps it took. */
static int64_t follow(const struct work *work, struct ray *ray, struct chunk *chunk)
{
    const double start = ray->weight, end = work->bin * TRANSPORT_BINS;
    int stuck = 0;
    bool here = true;
    int64_t steps = 0;
    for (; here && ray->time < end && ray->weight > LEAST_WEIGHT * start && stuck < STUCK_LIMIT; steps++) {
        const bool over = work->slabs.some && (ray->z < work->slabs.low || ray->z > work->slabs.high);
        here = (!over || turn_at_slab(work, ray)) && go_on(work, ray, chunk, &stuck);
    }
    return steps;
}

/* Of a transmitter, within the storey; in two dimensions 0. */
static double height_of(const struct work *work, const struct transmitter_choice *from)
{
    const double height = isnan(from->height) ? 0.5 * (work->slabs.low + work->slabs.high) : from->height;
    return work->slabs.some ? fmin(fmax(height, work->slabs.low), work->slabs.high) : 0;
}

/* In three dimensions: all directions alike, weighed as a vertical dipole radiates. */
static void rise(const struct work *work, const struct transmitter_choice *from, struct ray *ray)
{
    ray->stretch = 1;
    if (work->slabs.some) {
        double sine = 0.999 * (2 * ray_draw(ray) - 1), cosine = sqrt(1 - sine * sine);
        ray->z = height_of(work, from);
        ray->slope = sine / cosine;
        ray->stretch = 1 / cosine;
        ray->weight = 1.5 * cosine * cosine;
    }
}

static void run_chunk(const struct work *work, int number, struct chunk *chunk)
{
    const struct scenario *scenario = work->scenario;
    int64_t steps = 0;
    for (int q = 0; q < RAYS_PER_CHUNK && (steps < STEPS_MOST || q < RAYS_LEAST); q++) {
        int index = number * RAYS_PER_CHUNK + q;
        const struct transmitter_choice *from = &scenario->transmitters[index % scenario->transmitter_count];
        struct ray ray = {.weight = 1, .random = 0x5851f42d4c957f2du * (uint64_t)(index + 1)};
        double part = ray_draw(&ray), angle = 2 * M_PI * ray_draw(&ray);
        ray.x = from->at.x + part * (from->to.x - from->at.x);
        ray.y = from->at.y + part * (from->to.y - from->at.y);
        ray.dx = cos(angle);
        ray.dy = sin(angle);
        rise(work, from, &ray);
        const struct picture *picture = &work->levels.picture[levels_at(&work->levels, ray.z)];
        if (picture_material_at(picture, ray.x, ray.y, &ray.medium) &&
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): levels_create() has made the pictures */
            !picture->materials[ray.medium].perfect_conductor) {
            steps += follow(work, &ray, chunk);
        }
        chunk->rays++;
    }
}

static void patch_normalise(struct transport_patch *patch)
{
    if (!(patch->energy > 0)) {
        return;
    }
    patch->air_square /= patch->energy;
    patch->delay /= patch->energy;
    patch->delay_square /= patch->energy;
    patch->mean.air /= patch->energy;
    patch->mean.face_squares /= patch->energy;
    patch->mean.layer_squares /= patch->energy;
    patch->mean.metal /= patch->energy;
    patch->mean.lossy /= patch->energy;
    patch->mean.lossy_depth /= patch->energy;
    patch->mean.sheets /= patch->energy;
    patch->mean.sheet_thickness /= patch->energy;
    for (int n = 0; n < 2; n++) {
        patch->mean.slabs[n] /= patch->energy;
    }
    for (int a = 0; a < CLASS_COUNT; a++) {
        patch->mean.wear[a] /= patch->energy;
        patch->mean.turn[a] /= patch->energy;
        for (int b = 0; b < CLASS_COUNT; b++) {
            patch->wear_product[a][b] /= patch->energy;
        }
    }
}

static void patch_sum(struct transport_patch *sum, const struct transport_patch *part)
{
    sum->energy += part->energy;
    passed_add(&sum->mean, &part->mean, 1);
    sum->air_square += part->air_square;
    sum->delay += part->delay;
    sum->delay_square += part->delay_square;
    for (int a = 0; a < CLASS_COUNT; a++) {
        for (int b = 0; b < CLASS_COUNT; b++) {
            sum->wear_product[a][b] += part->wear_product[a][b];
        }
    }
}

/* In the order of the chunks, so that the sums do not depend on the number of threads. */
static void gather(const struct work *work, const struct chunk *chunks, struct energy_transport *transport)
{
    for (int c = 0; c < CHUNKS; c++) {
        for (int b = 0; b < TRANSPORT_BINS; b++) {
            transport->energy[b] += chunks[c].energy[b] / (SPEED_OF_LIGHT * work->bin * CHUNKS * chunks[c].rays);
        }
        for (int u = 0; u < PURPOSES; u++) {
            for (int p = 0; p < transport->patch_count; p++) {
                patch_sum(&transport->patch[u][p], &chunks[c].patch[u][p]);
            }
        }
    }
    for (int u = 0; u < PURPOSES; u++) {
        for (int p = 0; p < transport->patch_count; p++) {
            patch_normalise(&transport->patch[u][p]);
        }
    }
}

/* What a pixel of a material adds to the mean of its class: nothing if it is metal. */
struct pixel_medium {
    enum medium_class class;
    double count, permittivity;
    bool seen;
};

/* Adds pixels and shapes, in their order. `media`: of the picture's materials, none of them seen. */
static void look_at_picture(const struct picture *picture, double frequency, struct pixel_medium *media,
                            double count[CLASS_COUNT], struct energy_transport *transport)
{
    const struct floorplan *plan = picture->plan;
    const size_t pixels = (size_t)picture->rows * (size_t)picture->columns;
    for (int m = 0; m < plan->material_count; m++) {
        const double permittivity = picture->materials[m].relative_permittivity;
        const bool metal = picture->materials[m].perfect_conductor;
        media[m] = (struct pixel_medium){medium_class(permittivity), metal ? 0 : 1, metal ? 0 : permittivity, false};
    }
    for (size_t n = 0; n < pixels + (size_t)plan->shape_count; n++) {
        struct pixel_medium *own = &media[n < pixels ? picture->material[n] : plan->shape_material[n - pixels]];
        own->seen = true;
        count[own->class] += own->count;
        transport->permittivity[own->class] += own->permittivity;
    }
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &picture->materials[m];
        transport->has_walls = transport->has_walls || (media[m].seen && !material_is_air(material));
        if (media[m].seen && !material->perfect_conductor) {
            transport->has_conductors = transport->has_conductors || ray_conductor(frequency, material);
            transport->largest_permittivity = fmax(transport->largest_permittivity, material->relative_permittivity);
        }
    }
}

/* Which media there are at all, whether or not energy came there; shapes may be thinner than a pixel. */
static pw_status look_at_media(const struct levels *levels, double frequency, struct energy_transport *transport,
                               pw_error *error)
{
    double count[CLASS_COUNT] = {0};
    transport->largest_permittivity = 1;
    for (int l = 0; l < levels->count; l++) {
        const struct picture *picture = &levels->picture[l];
        OWNED struct pixel_medium *media =
            allocate((size_t)picture->plan->material_count, sizeof *media, "the energy on its way", error);
        TRY_MADE(media);
        look_at_picture(picture, frequency, media, count, transport);
    }
    for (int c = 0; c < CLASS_COUNT; c++) {
        transport->permittivity[c] = count[c] > 0 ? transport->permittivity[c] / count[c] : 0;
    }
    return PW_OK;
}

/* What the nearest face sends back to each transmitter. Before metal the field is that of a wave and of its mirror
 * image. */
static void look_around_transmitters(const struct work *work, struct energy_transport *transport)
{
    const struct scenario *scenario = work->scenario;
    const double wavelength = SPEED_OF_LIGHT / scenario->band_centre, reach = 0.5 * wavelength, least = 0.1;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const struct transmitter_choice *from = &scenario->transmitters[t];
        enum medium_class class = CLASS_AIR;
        bool metal = false;
        const struct picture *picture = &work->levels.picture[levels_at(&work->levels, height_of(work, from))];
        double distance = ray_near_face(picture, 0.5 * (from->at.x + from->to.x), 0.5 * (from->at.y + from->to.y),
                                        2 * reach, &class, &metal);
        if (!isfinite(distance)) {
            continue;
        }
        double near = exp(-2 * pow(distance / reach, 2)) / scenario->transmitter_count;
        double index = sqrt(transport->permittivity[class]);
        if (metal) {
            double field = 2 * sin(fmin(2 * M_PI * distance / wavelength, 0.5 * M_PI));
            transport->near_metal += near / pow(fmax(field, least), 2);
        } else {
            transport->near_face[class] += near * pow(2 * index / pow(1 + index, 2), 2);
        }
    }
}

/* Patches of equal squares, at most PATCHES_MOST. */
static void divide(const struct floorplan *plan, struct work *work)
{
    work->patch = sqrt(plan->width * plan->height / PATCHES_MOST);
    do {
        work->patch *= 1.05;
        work->patch_columns = (int)ceil(plan->width / work->patch);
        work->patch_rows = (int)ceil(plan->height / work->patch);
    } while (work->patch_columns * work->patch_rows > PATCHES_MOST);
}

/* The storey of the first transmitter; its slabs' materials in `owned`. */
static pw_status find_slabs(const struct scenario *scenario, struct material owned[2], struct slabs *slabs,
                            pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    double floor = 0, height = scenario->transmitters[0].height;
    int s = 0;
    *slabs = (struct slabs){.some = scenario->dimensions == 3 && plan->storey_count > 0};
    if (!slabs->some) {
        return PW_OK;
    }
    for (; s + 1 < plan->storey_count && height > floor + plan->storeys[s].height; s++) {
        floor += plan->storeys[s].height + plan->storeys[s].ceiling.thickness;
    }
    const struct storey_choice *storey = &plan->storeys[s];
    const struct slab_choice *choices[] = {&storey->floor, &storey->ceiling};
    struct slab *parts[] = {&slabs->floor, &slabs->ceiling};
    slabs->low = floor;
    slabs->high = floor + storey->height;
    for (int n = 0; n < 2; n++) {
        if (choices[n]->thickness > 0) {
            pw_notes unheard = {0}; /* the building has told them */
            pw_status status =
                material_resolve(&choices[n]->material, scenario->band_centre, false, &unheard, &owned[n], error);
            warnings_free(&unheard);
            TRY(status);
            owned[n].perfect_conductor = owned[n].perfect_conductor || owned[n].dispersion.opaque;
            *parts[n] = (struct slab){&owned[n], choices[n]->thickness};
        }
    }
    return PW_OK;
}

/* Floor and ceiling are media of the plan too. */
static void look_at_slabs(const struct slabs *slabs, struct energy_transport *transport)
{
    const struct material *materials[] = {slabs->floor.material, slabs->ceiling.material};
    for (int n = 0; n < 2; n++) {
        if (materials[n] != NULL) {
            transport->has_walls = true;
            transport->largest_permittivity =
                fmax(transport->largest_permittivity,
                     materials[n]->perfect_conductor ? 1 : materials[n]->relative_permittivity);
        }
    }
}

/* The ends of the grid that are walls: metal (grid.absorber.sides), and planes of symmetry. */
static void find_walls(const struct scenario *scenario, struct work *work)
{
    for (int a = 0; a < scenario->dimensions; a++) {
        for (int end = 0; end < 2; end++) {
            work->wall[a][end] = absorber_kind_at(&scenario->grid.absorber, a, end) == ABSORBER_PEC ||
                                 (end == 0 && scenario->grid.symmetric[a]);
        }
    }
}

pw_status energy_transport_compute(const struct building *building, const struct scenario *scenario,
                                   struct energy_transport *transport, pw_error *error)
{
    struct work work = {.scenario = scenario, .bin = LONGEST_TIME / TRANSPORT_BINS};
    struct material slab_materials[2] = {0};
    *transport = (struct energy_transport){.bin = work.bin};
    TRY(find_slabs(scenario, slab_materials, &work.slabs, error));
    find_walls(scenario, &work);
    struct chunk *chunks = allocate(CHUNKS, sizeof *chunks, "the energy on its way", error);
    if (chunks == NULL || levels_create(building, &work.slabs, scenario->horizontal, &work.levels, error) != PW_OK ||
        look_at_media(&work.levels, scenario->band_centre, transport, error) != PW_OK) {
        levels_free(&work.levels);
        free(chunks);
        return PW_NO_RESOURCE;
    }
    divide(&building->bands[0], &work);
    look_at_slabs(&work.slabs, transport);
    look_around_transmitters(&work, transport);
    transport->slab_faces[0] = work.slabs.low;
    transport->slab_faces[1] = work.slabs.high;
    transport->patch_count = work.patch_columns * work.patch_rows;
#pragma omp parallel for schedule(dynamic, 1)
    for (int c = 0; c < CHUNKS; c++) {
        run_chunk(&work, c, &chunks[c]);
    }
    gather(&work, chunks, transport);
    free(chunks);
    levels_free(&work.levels);
    return PW_OK;
}

double energy_transport_decay_time(const struct energy_transport *transport, double ratio)
{
    const double seen = 0.01; /* 20 dB */
    for (int b = TRANSPORT_BINS - 1; b >= 0; b--) {
        if (transport->energy[b] > seen) {
            return b == TRANSPORT_BINS - 1 ? HUGE_VAL : (b + 1) * transport->bin * log(ratio) / log(seen);
        }
    }
    return 0;
}

double energy_transport_delay_spread(const struct energy_transport *transport)
{
    double sum = 0;
    int count = 0;
    for (int p = 0; p < transport->patch_count; p++) {
        const struct transport_patch *patch = &transport->patch[TO_TELL][p];
        if (patch->energy > 0) {
            sum += sqrt(fmax(patch->delay_square - patch->delay * patch->delay, 0));
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}
