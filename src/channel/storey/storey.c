/* Which storey a result has, and how outputs say so (storey.h). */
#include "channel/storey/storey.h"

#include "scenario/scenario_read.h"
#include "scenario/scenario_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ASSUMED_HEIGHT = 2.6, ASSUMED_SLAB = 0.2; /* m */

struct storey storey_assumed(void)
{
    struct storey storey = {.height = ASSUMED_HEIGHT, .assumed = true, .top = NAN};
    for (int n = 0; n < 2; n++) {
        storey.slabs[n].thickness = ASSUMED_SLAB;
        snprintf(storey.slabs[n].material.name, sizeof storey.slabs[n].material.name, "concrete");
    }
    return storey;
}

/* The height at which the run cut the plan: of the plan, else that of the first transmitter (plan_cut.h). */
static double cut_height(const struct result *result, const struct plan_choice *plan)
{
    double own = result->transmitters[0].height;
    return !isnan(plan->cut) ? plan->cut : isnan(own) ? fmin(TERMINAL_HEIGHT, plan->storeys[0].height) : own;
}

static pw_status storey_read_plan(const struct result *result, const struct node *map, struct storey *storey,
                                  pw_error *error)
{
    struct plan_choice plan = {.cut = NAN};
    pw_status status = storeys_read(map, &plan, error);
    status = status == PW_OK ? cut_read(map, &plan, error) : status;
    if (status == PW_OK && plan.storey_count > 0) {
        int at = storey_at(&plan, cut_height(result, &plan));
        *storey = (struct storey){.floor = storey_floor(&plan, at),
                                  .top = result->over_from,
                                  .height = plan.storeys[at].height,
                                  .slabs = {plan.storeys[at].floor, plan.storeys[at].ceiling}};
    }
    free(plan.storeys);
    return status;
}

pw_status storey_of_result(const struct result *result, struct storey *storey, pw_error *error)
{
    *storey = storey_assumed();
    char *text = NULL;
    TRY(result_read_scenario(result, &text, error));
    struct tree tree;
    pw_status status = tree_parse(&tree, result->path, text, strlen(text), error);
    const struct node *plan = status == PW_OK ? node_find(tree.root, "plan") : NULL;
    if (plan != NULL && plan->kind == PW_NODE_MAP) {
        status = storey_read_plan(result, plan, storey, error);
    }
    tree_free(&tree);
    free(text);
    return status;
}

pw_status storey_holds(const struct storey *storey, const char *whose, double height, pw_error *error)
{
    return isnan(height) || (height > storey->floor && height < storey->floor + storey->height)
               ? PW_OK
               : fail(error, PW_USAGE,
                      "the height of %s is %g m, and the storey reaches from %g to %g m%s: give another height, or "
                      "another spreading than storey",
                      whose, height, storey->floor, storey->floor + storey->height,
                      storey->assumed ? " (assumed: the plan has no storey)" : "");
}

const char *storey_text(const struct storey *storey, char text[STOREY_TEXT])
{
    char slab[2][64];
    for (int n = 0; n < 2; n++) {
        const struct slab_choice *own = &storey->slabs[n];
        snprintf(slab[n], sizeof slab[n], own->thickness > 0.0 ? "%.4g cm of %.40s" : "nothing", 100.0 * own->thickness,
                 own->material.name);
    }
    snprintf(text, STOREY_TEXT, "%.4g m between %s%s%s%s", storey->height, slab[0],
             strcmp(slab[0], slab[1]) == 0 ? "" : " and ", strcmp(slab[0], slab[1]) == 0 ? "" : slab[1],
             storey->assumed ? " (assumed: the plan has no storey)" : "");
    return text;
}
