/* Floor and ceiling by images (channel/storey) against the layered medium's Sommerfeld integrals: one storey without
 * walls, whose answer over the plan is that of a line current in closed form. */
#include "validation/support/slabs/layered.h"

#include "base/numbers/hankel.h"
#include "channel/channel.h"

enum { FREQUENCIES = 40, DISTANCES = 6, BANDS = 3, MATERIALS = 3 };

static const double WIDTH = 400e6, BAND[BANDS] = {0.9e9, 2.45e9, 6e9};                              /* Hz */
static const double DISTANCE[DISTANCES] = {1, 2, 4, 8, 16, 30}, FROM = 2.2, TO = 1.2, HEIGHT = 2.6; /* m */

static const struct {
    const char *name;
    double thickness, permittivity, conductivity; /* m, -, S/m */
} MATERIAL[MATERIALS] = {{"concrete", 0.2, 5.24, 0.05}, {"wood", 0.05, 1.99, 0.012}, {"metal", 0.01, 1, 1e7}};

/* Level [dB] and RMS delay spread [s] of a field at the band's frequencies. */
struct answer {
    double level, spread;
};

static struct answer answer_of(int dimensions, const double *frequency, const struct storey *storey, double distance,
                               const double complex *field)
{
    double current[2 * FREQUENCIES] = {0};
    for (int f = 0; f < FREQUENCIES; f++) {
        current[2 * f] = 1;
    }
    pw_channel_options options = pw_channel_options_default();
    options.spreading = storey != NULL ? PW_SPREADING_STOREY : PW_SPREADING_NONE;
    struct channel_band band;
    struct channel channel;
    pw_error error = {{0}};
    case_require(channel_band_create(dimensions, frequency, FREQUENCIES, current, &options, &band, &error),
                 error.message);
    case_require(storey != NULL ? channel_band_storey(&band, storey, false, &error) : PW_OK, error.message);
    case_require(channel_create(&band, &channel, &error), error.message);
    channel_set_field(&band, (const double *)field, 1, &channel);
    const struct slant slant = {.rise = TO - FROM,
                                .heights = {FROM, TO},
                                .along = {1, 0},
                                .departure = {.kind = ANTENNA_HERTZIAN},
                                .arrival = {.kind = ANTENNA_HERTZIAN}};
    channel_transform(&band, storey != NULL ? distance : hypot(distance, TO - FROM), &slant, &channel);
    pw_metrics metrics = channel_metrics(&band, &channel, 0, 0);
    channel_free(&channel);
    channel_band_free(&band);
    return (struct answer){metrics.path_gain_db, metrics.rms_delay_spread};
}

static void compare(int material, double centre, double distance, struct answer *made, struct answer *exact)
{
    const struct layer slab = {MATERIAL[material].thickness, MATERIAL[material].permittivity,
                               MATERIAL[material].conductivity};
    const struct layered room = {.high = HEIGHT, .below_count = 1, .below = {slab}, .above_count = 1, .above = {slab}};
    struct storey storey = {.height = HEIGHT};
    for (int side = 0; side < 2; side++) {
        storey.slabs[side] = (struct slab_choice){.thickness = slab.thickness,
                                                  .material = {.own_values = true,
                                                               .perfect_conductor = material == MATERIALS - 1,
                                                               .relative_permittivity = slab.permittivity,
                                                               .conductivity = slab.conductivity}};
    }
    double frequency[FREQUENCIES];
    double complex plan[FREQUENCIES], volume[FREQUENCIES];
    for (int f = 0; f < FREQUENCIES; f++) {
        double complex law[3], re_im[1];
        double *line = (double *)re_im;
        frequency[f] = centre + WIDTH * ((double)f / (FREQUENCIES - 1) - 0.5);
        line_current_field(frequency[f], distance, &line[0], &line[1]);
        plan[f] = re_im[0];
        layered_field(&room, frequency[f], 2, (struct place3){0, 0, FROM}, (struct place3){distance, 0, TO}, 8, law);
        volume[f] = law[2];
    }
    *made = answer_of(2, frequency, &storey, distance, plan);
    *exact = answer_of(3, frequency, NULL, distance, volume);
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "storey", "Floor and ceiling by images",
                   "One storey of 2.6 m without walls, floor and ceiling of concrete (20 cm), wood (5 cm) or metal, an "
                   "upright dipole at "
                   "2.2 m and one at 1.2 m, 1 to 30 m apart, bands of 400 MHz at 0.9, 2.45 and 6 GHz: the answer in "
                   "two dimensions in "
                   "closed form with `spreading: storey`, against the Sommerfeld integrals of the five layers.");
    int bands = validation.quick ? 1 : BANDS, distances = validation.quick ? 4 : DISTANCES;
    char *table = NULL;
    size_t size;
    FILE *lines = open_memstream(&table, &size);
    case_require(lines != NULL ? PW_OK : PW_NO_RESOURCE, "no memory for a table");
    fprintf(lines, "\n| floor, ceiling | centre | distance | level | exact | RMS spread | exact |\n"
                   "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int material = 0; material < MATERIALS; material++) {
        double level = 0, spread = 0;
        for (int n = 0; n < bands * distances; n++) {
            double centre = BAND[n / distances], distance = DISTANCE[n % distances];
            struct answer made, exact;
            compare(material, centre, distance, &made, &exact);
            level = fmax(level, fabs(made.level - exact.level));
            spread = fmax(spread, fabs(made.spread / exact.spread - 1));
            fprintf(lines, "| %s | %g GHz | %g m | %.2f dB | %.2f | %.2f ns | %.2f |\n", MATERIAL[material].name,
                    1e-9 * centre, distance, made.level, exact.level, 1e9 * made.spread, 1e9 * exact.spread);
        }
        case_gate(&validation, level, 0.5, "%s: level, dB, worst", MATERIAL[material].name);
        case_gate(&validation, spread, 0.1, "%s: RMS delay spread, relative, worst", MATERIAL[material].name);
    }
    fclose(lines);
    case_text(&validation, "%s", table);
    free(table);
    return case_end(&validation);
}
