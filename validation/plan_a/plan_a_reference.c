/* Reading plan A and its answers from outside (plan_a.h). */
#include "validation/plan_a/plan_a.h"

const char *const PLAN_A_PROBE[PLAN_A_PROBES] = {"north", "south", "east", "west"};
const char *const PLAN_A_BAND[PLAN_A_BANDS] = {"0.85-1.15 GHz", "2.1-2.7 GHz"};

static FILE *open_reference(const char *name)
{
    char path[256], header[256];
    snprintf(path, sizeof path, "validation/reference/%s", name);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(header, sizeof header, file) == NULL) {
        fprintf(stderr, "%s cannot be read: validation runs from the root of the repository\n", path);
        exit(2);
    }
    return file;
}

/* Rows "frequency_hz,probe,re,im,re,im"; `second` takes the second pair. Keeps the rows at the frequencies of the band.
 */
static struct plan_a_answer read_answer(const char *name, int band, bool second)
{
    struct plan_a_answer answer = {{0}, {{0}}};
    double low = band == 0 ? 0.85e9 : 2.1e9, high = band == 0 ? 1.15e9 : 2.7e9, frequency, value[4];
    double spacing = (high - low) / (PLAN_A_FREQUENCIES - 1);
    char probe[32];
    int kept = 0;
    FILE *file = open_reference(name);
    while (fscanf(file, "%lf,%31[a-z],%lf,%lf,%lf,%lf", &frequency, probe, &value[0], &value[1], &value[2],
                  &value[3]) == 6) {
        double place = (frequency - low) / spacing;
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            if (strcmp(probe, PLAN_A_PROBE[p]) == 0 && fabs(place - nearbyint(place)) < 1e-3) {
                int f = (int)nearbyint(place);
                answer.frequency[f] = frequency;
                answer.g[p][f] = second ? value[2] + I * value[3] : value[0] + I * value[1];
                kept++;
            }
        }
    }
    fclose(file);
    if (kept != PLAN_A_PROBES * PLAN_A_FREQUENCIES) {
        fprintf(stderr, "%s: %d rows at the frequencies of the band, not %d\n", name, kept,
                PLAN_A_PROBES * PLAN_A_FREQUENCIES);
        exit(2);
    }
    return answer;
}

struct plan_a_answer plan_a_integral_equation(int band)
{
    return read_answer(band == 0 ? "plan_a_integral_equation_1000MHz.csv" : "plan_a_integral_equation_2400MHz.csv",
                       band, false);
}

struct plan_a_answer plan_a_meep(bool fine)
{
    return read_answer("plan_a_meep_2400MHz.csv", 1, !fine);
}

struct text plan_a_scenario(const char *grid, double band_centre, double band_width, double shift)
{
    struct text text = {0};
    double x0, y0, x1, y1;
    char material[32];
    text_add(&text, "plan:\n  size: [15.36, 15.36]\n  rectangles:\n");
    FILE *file = open_reference("plan_a_walls.csv");
    while (fscanf(file, "%lf,%lf,%lf,%lf,%31s", &x0, &y0, &x1, &y1, material) == 5) {
        text_add(&text, "    - {from: [%.9g, %.9g], to: [%.9g, %.9g], material: %s}\n", x0 - shift, y0 - shift,
                 x1 - shift, y1 - shift,
                 strcmp(material, "wall") == 0 ? "{relative_permittivity: 2.89, conductivity: 0.002 S/m}" : "air");
    }
    fclose(file);
    text_add(&text,
             "grid: {%s}\nband: {centre: %g, width: %g}\n"
             "transmitters: [{name: t, at: [%.9g, %.9g]}]\nreceivers:\n",
             grid, band_centre, band_width, 7.68 - shift, 7.68 - shift);
    static const double PROBE[PLAN_A_PROBES][2] = {{7.68, 10.24}, {7.68, 5.12}, {10.24, 7.68}, {5.12, 7.68}};
    for (int p = 0; p < PLAN_A_PROBES; p++) {
        text_add(&text, "  - {name: %s, at: [%.9g, %.9g]}\n", PLAN_A_PROBE[p], PROBE[p][0] - shift,
                 PROBE[p][1] - shift);
    }
    return text;
}

double plan_a_error(const double complex *a, const double complex *b)
{
    double difference = 0, norm = 0;
    for (int f = 0; f < PLAN_A_FREQUENCIES; f++) {
        difference += pow(cabs(a[f] - b[f]), 2);
        norm += pow(cabs(b[f]), 2);
    }
    return sqrt(difference / norm);
}
