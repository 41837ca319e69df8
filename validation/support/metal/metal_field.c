/* The field around a shape (metal_shape.h). A slit is the complement of a strip (Babinet): with the source above, the
 * field under the screen is minus what a strip of the other polarisation scatters, above it that of the mirror and the
 * same. */
#include "validation/support/bessel.h"
#include "validation/support/metal/currents.h"
#include "validation/support/metal/half_plane.h"
#include "validation/support/metal/metal_shape.h"

enum { POST_TERMS = 120 };
static const double FINER = 1.5;

struct metal_field {
    const struct metal_shape *shape;
    bool horizontal;
    struct spot source;
    struct currents *currents[METAL_FREQUENCIES]; /* NULL where there is a closed form */
};

/* At frequencies first .. last. */
static struct metal_field *create_some(const struct metal_shape *shape, bool horizontal, double density, int first,
                                       int last)
{
    struct metal_field *field = calloc(1, sizeof *field);
    struct contour *contour = calloc(1, sizeof *contour);
    if (field == NULL || contour == NULL) {
        case_require(PW_NO_RESOURCE, "no memory for a field");
        abort();
    }
    *field = (struct metal_field){.shape = shape, .horizontal = horizontal};
    const bool slit = shape->kind == METAL_SLIT;
    metal_contour(shape, contour);
    if (slit) {
        const double size = contour->line[1].point[0].x;
        contour->count = 0;
        contour_add(contour, false, 2, (struct spot[]){{0, 0}, {size, 0}});
    }
    for (int f = first; f <= last && shape->kind >= METAL_STRIP && shape->kind != METAL_POST; f++) {
        field->currents[f] = currents_create(contour, 2 * M_PI * METAL_FREQUENCY[f] / SPEED_OF_LIGHT,
                                             slit ? !horizontal : horizontal, density);
    }
    free(contour);
    return field;
}

struct metal_field *metal_field_create(const struct metal_shape *shape, bool horizontal, double density)
{
    return create_some(shape, horizontal, density, 0, METAL_FREQUENCIES - 1);
}

void metal_field_free(struct metal_field *field)
{
    for (int f = 0; field != NULL && f < METAL_FREQUENCIES; f++) {
        currents_free(field->currents[f]);
    }
    free(field);
}

void metal_field_move(struct metal_field *field, struct spot source)
{
    field->source = source;
    for (int f = 0; f < METAL_FREQUENCIES; f++) {
        if (field->currents[f] != NULL) {
            currents_solve(field->currents[f], source);
        }
    }
}

/* The angle from the metal to the left of the origin, through the side above it. */
static struct polar from_metal(struct spot p)
{
    double angle = M_PI - atan2(p.y, p.x);
    return (struct polar){hypot(p.x, p.y), angle >= 2 * M_PI ? 0 : angle};
}

static double complex post_field(double radius, double k, struct spot at, struct spot source, bool horizontal)
{
    const double x = k * radius, r = k * hypot(at.x, at.y), r0 = k * hypot(source.x, source.y);
    const double angle = atan2(at.y, at.x) - atan2(source.y, source.x);
    double complex sum = solve_hankel(k * hypot(at.x - source.x, at.y - source.y));
    for (int n = 0; n < POST_TERMS; n++) {
        const double complex c = horizontal ? -jn_slope(n, x) / hankel_slope(n, x) : -jn(n, x) / hankel(n, x);
        const double complex term = c * hankel(n, r) * hankel(n, r0);
        if (!isfinite(creal(term)) || !isfinite(cimag(term)) || (n > x && cabs(term) < 1e-12)) {
            break;
        }
        sum += (n == 0 ? 1 : 2) * term * cos(n * angle);
    }
    return sum;
}

/* A wedge's series does not end where both are as far from the edge. */
static double complex wedge_at(double k, struct spot at, struct spot source, bool horizontal)
{
    const struct polar here = from_metal(at), there = from_metal(source);
    if (fabs(log(here.distance / there.distance)) < 0.08) {
        return NAN;
    }
    return wedge_field(k, 3, 4, here, there, horizontal);
}

double complex metal_field_at(const struct metal_field *field, int f, struct spot at)
{
    const double k = 2 * M_PI * METAL_FREQUENCY[f] / SPEED_OF_LIGHT;
    const struct spot source = field->source;
    const double complex direct = solve_hankel(k * hypot(at.x - source.x, at.y - source.y));
    switch (field->shape->kind) {
    case METAL_NONE:
        return direct;
    case METAL_HALF_PLANE:
        return half_plane_field(k, from_metal(at), from_metal(source), field->horizontal);
    case METAL_WEDGE:
        return wedge_at(k, at, source, field->horizontal);
    case METAL_POST:
        return post_field(0.5 * field->shape->size * SPEED_OF_LIGHT / METAL_CENTRE, k, at, source, field->horizontal);
    case METAL_SLIT:
        if (at.y < 0) {
            return -currents_scattered(field->currents[f], at);
        }
        return direct + currents_scattered(field->currents[f], at) +
               (field->horizontal ? 1 : -1) * solve_hankel(k * hypot(at.x - source.x, at.y + source.y));
    default:
        return direct + currents_scattered(field->currents[f], at);
    }
}

double metal_field_doubt(const struct metal_field *field, double density)
{
    double sum = 0;
    int count = 0;
    if (field->currents[0] == NULL) {
        return 0;
    }
    struct metal_field *finer = create_some(field->shape, field->horizontal, FINER * density, 1, 1);
    struct contour *contour = calloc(1, sizeof *contour);
    if (contour == NULL) {
        case_require(PW_NO_RESOURCE, "no memory for a contour");
        abort();
    }
    metal_contour(field->shape, contour);
    metal_field_move(finer, field->source);
    for (int n = 0; n < 144; n++) {
        const struct spot at = {-0.8 + 0.1 * (n % 12), -0.7 + 0.1 * (n / 12.0)};
        const double k = 2 * M_PI * METAL_CENTRE / SPEED_OF_LIGHT;
        const double away = k * hypot(at.x - field->source.x, at.y - field->source.y);
        if (contour_distance(contour, at) > 0.01 && away > 2 * M_PI) {
            sum += pow(cabs(metal_field_at(field, 1, at) - metal_field_at(finer, 1, at)) / cabs(solve_hankel(away)), 2);
            count++;
        }
    }
    free(contour);
    metal_field_free(finer);
    return sqrt(sum / count) / (1 - 1 / (FINER * FINER));
}
