/* Coated panes against the closed form (validation/sheets.md): 1 to 377 ohm per square on 4 to 24 mm of glass and on
 * double panes, 0 to 70 degrees, at eight places between the nodes. */
#include "validation/support/case.h"

#include "tests/medium/coated_pane.h"

enum { PLACES = 8, ANGLES = 4, SHEETS = 5, WALLS = 8 };

static const double RESISTANCE[SHEETS] = {1, 5, 15, 50, 377}, DEGREES[ANGLES] = {0, 30, 50, 70};
static const double DEPTH = 40, ENOUGH = 0.5; /* dB */

static const struct wall {
    const char *name;
    struct pane pane;
} PANES[WALLS] = {{"4 mm", {1, {4}, 0, 0, false, false}},
                  {"6 mm", {1, {6}, 0, 0, false, false}},
                  {"10 mm", {1, {10}, 0, 0, false, false}},
                  {"24 mm", {1, {24}, 0, 0, false, false}},
                  {"4-16-4 mm, coated behind the first", {3, {4, 16, 4}, 0, 0, false, false}},
                  {"6-12-6 mm, coated behind the last", {3, {6, 12, 6}, 2, 0, false, false}},
                  {"4-16-4 mm, both faces inside coated", {3, {4, 16, 4}, 0, 0, false, true}},
                  {"4-36-4 mm, both faces inside coated", {3, {4, 36, 4}, 0, 0, false, true}}};

/* All places and angles of one coated wall; a gate for what is above -40 dB. */
static void wall_try(struct validation *validation, const struct wall *wall, double resistance, bool horizontal)
{
    struct pane pane = wall->pane;
    double worst = 0, deep = 0;
    pane.resistance = resistance;
    pane.horizontal = horizontal;
    for (int a = 0; a < ANGLES; a++) {
        const double aside = 2 * tan(DEGREES[a] * M_PI / 180);
        for (int place = 0; place < (validation->quick ? 2 : PLACES); place++) {
            double right = 0;
            const double error = fabs(loss_error(&pane, 0.0153 * place / PLACES, 0, aside, &right));
            *(right <= DEPTH ? &worst : &deep) = fmax(right <= DEPTH ? worst : deep, error);
        }
    }
    if (worst > 0) {
        case_gate(validation, worst, ENOUGH, "%s, %g ohm, %s: largest error [dB]", wall->name, resistance,
                  horizontal ? "horizontal" : "vertical");
    }
    if (deep > 0) {
        case_figure(validation, deep, "%s, %g ohm, %s: below -40 dB", wall->name, resistance,
                    horizontal ? "horizontal" : "vertical");
    }
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "coated_panes", "Coated panes: transmission",
                   "A line source before coated glass at 2.4 GHz, cells of 15.3 mm, fd4o, in two dimensions: mean "
                   "power behind it over that without it, against the transfer matrix summed over the angular "
                   "spectrum. The worst of eight places between the nodes and of 0, 30, 50 and 70 degrees.");
    const int stride = validation.quick ? 2 : 1;
    for (int w = 0; w < WALLS; w += stride) {
        for (int r = 0; r < SHEETS; r += stride) {
            wall_try(&validation, &PANES[w], RESISTANCE[r], false);
            wall_try(&validation, &PANES[w], RESISTANCE[r], true);
        }
    }
    return case_end(&validation);
}
