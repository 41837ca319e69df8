/* Running spectra where all components are solved (volume.h): which planes and cuts there are, their points, and the
 * receivers that are taken from them. */
#include "discretize/setup_places.h"
#include "discretize/volume/volume.h"
#include "problem/spectra/sheet_place.h"

#include "base/constants.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what the scenario leaves open ------------------------------------------------------------------------------- */

/* True where a plane in the list is as near as a cell allows, or within `reach` [m]. */
static bool height_listed(const struct spectra_choice *spectra, double height, double reach)
{
    for (int n = 0; n < spectra->height_count; n++) {
        if (fabs(spectra->heights[n] - height) <= reach) {
            return true;
        }
    }
    return false;
}

/* The planes that receivers of the spectra stand in; returns how many. What the list has no room for is found out when
 * the receivers are placed. */
static int receiver_heights(const struct setup *setup, struct spectra_choice *spectra)
{
    const struct scenario *scenario = &setup->chosen;
    for (int r = 0; r < scenario->lattice_receiver_count && spectra->height_count < HEIGHT_LIMIT; r++) {
        double height = volume_height(scenario->lattice_receivers[r].height);
        if (!height_listed(spectra, height, 0.5 * scenario->grid.cell)) {
            spectra->heights[spectra->height_count++] = height;
        }
    }
    return spectra->height_count;
}

/* The usual height over every floor whose storey has no plane yet. */
static void storey_heights(const struct plan_choice *plan, struct spectra_choice *spectra)
{
    double floor = 0;
    for (int s = 0; s < plan->storey_count && spectra->height_count < HEIGHT_LIMIT; s++) {
        double middle = 0.5 * plan->storeys[s].height;
        if (!height_listed(spectra, floor + middle, middle)) {
            spectra->heights[spectra->height_count++] = floor + fmin(USUAL_HEIGHT, middle);
        }
        floor += plan->storeys[s].height + plan->storeys[s].ceiling.thickness;
    }
}

/* Components that receivers of the spectra take in, besides Ez, or Hz, which is kept anyway. */
void volume_choose_components(struct setup *setup)
{
    struct scenario *scenario = &setup->chosen;
    for (int r = 0; r < scenario->lattice_receiver_count && scenario->spectra.components_open; r++) {
        const struct direction *along = &scenario->lattice_receivers[r].polarisation;
        scenario->spectra.components[0] = scenario->spectra.components[0] || along->x != 0;
        scenario->spectra.components[1] = scenario->spectra.components[1] || along->y != 0;
    }
    scenario->spectra.components_open = false;
}

void volume_choose_heights(struct setup *setup)
{
    struct spectra_choice *spectra = &setup->chosen.spectra;
    const struct plan_choice *plan = &setup->chosen.plan;
    volume_choose_components(setup);
    if (spectra->height_count > 0 || !spectra->enabled) {
        return;
    }
    int for_receivers = receiver_heights(setup, spectra);
    if (for_receivers == 0 && spectra->cut_count > 0) {
        return;
    }
    storey_heights(plan, spectra);
    qsort(spectra->heights, (size_t)spectra->height_count, sizeof *spectra->heights, pw_number_order);
    if (for_receivers > 0) {
        warn(&setup->choices, "spectra on %d plane%s, the lowest at %.3g m, for the receivers that are taken from them",
             spectra->height_count, spectra->height_count > 1 ? "s" : "", spectra->heights[0]);
    } else {
        warn(&setup->choices, "spectra %.3g m over %s, Ez: 'spectra.heights', 'cuts' and 'components' choose others",
             spectra->heights[0], plan->storey_count > 1 ? "every floor" : "the floor");
    }
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

static int clamp_node(double value, int low, int high)
{
    return (int)fmin(fmax(value, low), high);
}

/* Nodes first, first + step, ... of one component along one axis, between two places [m]. */
struct node_row {
    int first, count;
    double begin; /* m: where the component stands at the first */
};

static struct node_row node_row(const struct setup *setup, int c, int axis, const double ends[2])
{
    const struct problem *problem = &setup->problem;
    const double slack = 1e-3; /* cells */
    double cell = problem->axis[0].spacing, origin = volume_component_origin(setup, c, axis);
    int last = problem->axis[axis].count - 1;
    struct node_row row = {.first = clamp_node(ceil((ends[0] - origin) / cell - slack), 0, last)};
    int end = clamp_node(floor((ends[1] - origin) / cell + slack), row.first, last);
    row.count = (end - row.first) / setup->scenario->spectra.spacing + 1;
    row.begin = origin + row.first * cell;
    return row;
}

/* A plane to be sampled: across `normal` at `at` [m], over ranges [m] of the three axes. */
struct plane_wanted {
    int normal;
    double at, range[3][2];
};

static void add_sheet(struct setup *setup, const struct plane_wanted *plane, int c)
{
    struct problem *problem = &setup->problem;
    struct spectra *spectra = &problem->spectra;
    const int along = plane->normal == 0 ? 1 : 0, up = plane->normal == 2 ? 1 : 2;
    const double cell = problem->axis[0].spacing, origin = volume_component_origin(setup, c, plane->normal);
    const int level = clamp_node(round((plane->at - origin) / cell), 0, problem->axis[plane->normal].count - 1);
    const struct node_row columns = node_row(setup, c, along, plane->range[along]);
    const struct node_row rows = node_row(setup, c, up, plane->range[up]);
    const int64_t stride[] = {1, problem->axis[0].count, (int64_t)problem->axis[0].count * problem->axis[1].count};
    struct setup_sheet *sheet = &setup->sheets[spectra->sheet_count];
    *sheet = (struct setup_sheet){.component = (enum component)c,
                                  .normal = plane->normal,
                                  .asked = plane->at,
                                  .position = origin + level * cell,
                                  .column_first = columns.begin,
                                  .row_first = rows.begin,
                                  .pitch = setup->scenario->spectra.spacing * cell,
                                  .columns = columns.count,
                                  .rows = rows.count,
                                  .first_point = spectra->rows};
    spectra->sheets[spectra->sheet_count++] =
        (struct spectra_sheet){.first = c * problem_nodes(problem) + columns.first * stride[along] +
                                        rows.first * stride[up] + level * stride[plane->normal],
                               .column_stride = setup->scenario->spectra.spacing * stride[along],
                               .row_stride = setup->scenario->spectra.spacing * stride[up],
                               .columns = columns.count,
                               .rows = rows.count};
    spectra->rows += columns.count * rows.count;
}

static pw_status check_height(const struct setup *setup, double height, pw_error *error)
{
    return height >= setup->building.low && height <= setup->building.high
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: spectra.heights: %g m lies outside the building, which reaches from %g m to %g m",
                      setup->scenario->file, height, setup->building.low, setup->building.high);
}

static pw_status check_cut(const struct setup *setup, int number, pw_error *error)
{
    const struct cut_choice *cut = &setup->scenario->spectra.cuts[number];
    const struct point high = {setup->plan.width, setup->plan.height};
    const double slack = 1e-6; /* m: rounding of the input */
    return fmin(cut->from.x, cut->to.x) >= -slack && fmin(cut->from.y, cut->to.y) >= -slack &&
                   fmax(cut->from.x, cut->to.x) <= high.x + slack && fmax(cut->from.y, cut->to.y) <= high.y + slack
               ? PW_OK
               : fail(error, PW_BAD_INPUT,
                      "%s: spectra.cuts[%d]: from (%g m, %g m) to (%g m, %g m) it leaves the plan: allowed are 0 to "
                      "%g m and 0 to %g m",
                      setup->scenario->file, number, cut->from.x, cut->from.y, cut->to.x, cut->to.y, high.x, high.y);
}

static void add_plane(struct setup *setup, const struct plane_wanted *plane)
{
    for (int c = 2; c >= 0; c--) { /* first Ez, which vertical antennas receive, or Hz, which loops do */
        if (setup->scenario->spectra.components[c]) {
            add_sheet(setup, plane, setup_component(setup, c));
        }
    }
}

static pw_status sheets_begin(struct setup *setup, int planes, pw_error *error)
{
    struct spectra *spectra = &setup->problem.spectra;
    spectra->columns = 1;
    spectra->spacing = setup->scenario->spectra.spacing;
    setup->sheets = allocate(3 * (size_t)planes, sizeof *setup->sheets, "planes of spectra", error);
    spectra->sheets = allocate(3 * (size_t)planes, sizeof *spectra->sheets, "planes of spectra", error);
    return setup->sheets != NULL && spectra->sheets != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* A horizontal one over the region. */
static void add_level(struct setup *setup, double height)
{
    const struct spectra_choice *choice = &setup->scenario->spectra;
    const struct point from = choice->has_region ? choice->from : (struct point){0, 0};
    const struct point to = choice->has_region ? choice->to : (struct point){setup->plan.width, setup->plan.height};
    const struct plane_wanted plane = {
        .normal = 2,
        .at = height,
        .range = {{fmin(from.x, to.x), fmax(from.x, to.x)}, {fmin(from.y, to.y), fmax(from.y, to.y)}}};
    add_plane(setup, &plane);
}

pw_status volume_choose_layer(struct setup *setup, pw_error *error)
{
    TRY(sheets_begin(setup, 1, error));
    add_level(setup, 0);
    return PW_OK;
}

pw_status volume_choose_sheets(struct setup *setup, pw_error *error)
{
    const struct spectra_choice *choice = &setup->scenario->spectra;
    TRY(sheets_begin(setup, choice->height_count + choice->cut_count, error));
    for (int h = 0; h < choice->height_count; h++) {
        TRY(check_height(setup, choice->heights[h], error));
        add_level(setup, choice->heights[h]);
    }
    for (int n = 0; n < choice->cut_count; n++) {
        const struct cut_choice *cut = &choice->cuts[n];
        TRY(check_cut(setup, n, error));
        const bool along_x = cut->from.y == cut->to.y;
        const struct plane_wanted plane = {.normal = along_x ? 1 : 0,
                                           .at = along_x ? cut->from.y : cut->from.x,
                                           .range = {{fmin(cut->from.x, cut->to.x), fmax(cut->from.x, cut->to.x)},
                                                     {fmin(cut->from.y, cut->to.y), fmax(cut->from.y, cut->to.y)},
                                                     {setup->building.low, setup->building.high}}};
        add_plane(setup, &plane);
    }
    return PW_OK;
}

/* ---- receivers --------------------------------------------------------------------------------------------------- */

/* The horizontal sheet of component c nearest to a height; NULL: there is none. */
static const struct setup_sheet *sheet_near(const struct setup *setup, double height, int c)
{
    const struct setup_sheet *near = NULL;
    for (int s = 0; s < setup->problem.spectra.sheet_count; s++) {
        const struct setup_sheet *sheet = &setup->sheets[s];
        if (sheet->normal == 2 && sheet->component == setup_component(setup, c) &&
            (near == NULL || fabs(sheet->position - height) < fabs(near->position - height))) {
            near = sheet;
        }
    }
    return near;
}

/* How the receivers of a set-up are served. */
struct service {
    double wavelength; /* m, at the upper edge of the band */
    double across;     /* m: of the worst component of a receiver, between the heights of its planes */
    double away;       /* m: the worst height ... */
    const struct receiver_choice *worst; /* ... and whose it is */
    int far, slanted; /* receivers farther than SHEET_NEAR of a wavelength in height; with components at two heights */
};

/* "0.5 m, 1.2 m": the horizontal planes as they were asked for. */
static void heights_list(const struct spectra_choice *spectra, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int n = 0; n < spectra->height_count && used + 24 < size; n++) {
        used += (size_t)snprintf(text + used, size - used, "%s%.4g m", n > 0 ? ", " : "", spectra->heights[n]);
    }
}

static pw_status no_plane(const struct setup *setup, const struct receiver_choice *choice, int c, pw_error *error)
{
    const struct spectra_choice *spectra = &setup->scenario->spectra;
    const char *file = setup->scenario->file;
    char list[400];
    if (!spectra->components[c]) {
        const char *word = component_word(setup->scenario->horizontal, c);
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: receiver '%s' takes in %c%s, which the spectra do not keep: add %s to spectra.components, "
                    "or give it record: steps",
                    file, choice->line, choice->name, toupper(word[0]), word + 1, word);
    }
    heights_list(spectra, list, sizeof list);
    return fail(error, PW_BAD_INPUT,
                "%s:%d: receiver '%s' at a height of %.4g m is to be taken from the spectra, of which no plane lies "
                "within %g m (spectra.heights: %s): add its height to spectra.heights, or give it record: steps",
                file, choice->line, choice->name, volume_height(choice->height), SHEET_REACH,
                list[0] != '\0' ? list : "none");
}

/* One component of a receiver: how far away in the plane it is taken, in *away [m]; the point in *point, -1 where it
 * lies between several. */
static pw_status component_place(const struct setup *setup, const struct receiver_choice *choice,
                                 const struct setup_sheet *sheet, int64_t *point, double *away, pw_error *error)
{
    const double column = (choice->at.x - sheet->column_first) / sheet->pitch;
    const double row = (choice->at.y - sheet->row_first) / sheet->pitch;
    FAIL_IF(column < -1 || row < -1 || column > (double)sheet->columns || row > (double)sheet->rows, error,
            PW_BAD_INPUT, "%s:%d: receiver '%s' at (%g m, %g m) lies outside the plane of the spectra",
            setup->scenario->file, choice->line, choice->name, choice->at.x, choice->at.y);
    const double turn = sheet_turn(sheet->pitch, setup->frequency[setup->frequency_count - 1]);
    const struct sheet_line columns = sheet_line_at(column, sheet->columns, turn);
    const struct sheet_line rows = sheet_line_at(row, sheet->rows, turn);
    *away = sheet->pitch *
            hypot(sheet_line_offset(column, sheet->columns, turn), sheet_line_offset(row, sheet->rows, turn));
    *point = columns.count > 1 || rows.count > 1
                 ? -1
                 : sheet->first_point + (int64_t)rows.first * sheet->columns + columns.first;
    return PW_OK;
}

static pw_status receiver_place(struct setup *setup, const struct receiver_choice *choice, struct service *service,
                                int64_t *point, pw_error *error)
{
    const double height = volume_level(setup, choice->height);
    const double along[] = {choice->polarisation.x, choice->polarisation.y, choice->polarisation.z};
    double lowest = INFINITY, highest = -INFINITY;
    TRY(place_check_inside(setup, "receiver", choice->name, choice->line, choice->at, error));
    TRY(place_check_height(setup, "receiver", choice->name, choice->line, choice->height, error));
    for (int c = 0; c < 3; c++) {
        if (along[c] == 0) {
            continue;
        }
        const struct setup_sheet *sheet = sheet_near(setup, height, c);
        if (sheet == NULL || fabs(sheet->position - height) > SHEET_REACH + 0.5 * setup->problem.axis[0].spacing) {
            return no_plane(setup, choice, c, error);
        }
        double away = 0;
        TRY(component_place(setup, choice, sheet, point, &away, error));
        lowest = fmin(lowest, sheet->position);
        highest = fmax(highest, sheet->position);
        setup->lattice_offset = fmax(setup->lattice_offset, hypot(away, sheet->position - height));
    }
    double far = fmax(fabs(lowest - height), fabs(highest - height));
    service->far += far > SHEET_NEAR * service->wavelength ? 1 : 0;
    service->slanted += highest > lowest ? 1 : 0;
    service->across = fmax(service->across, highest - lowest);
    if (far > service->away) {
        service->away = far;
        service->worst = choice;
    }
    return PW_OK;
}

static void service_warn(struct setup *setup, const struct service *service)
{
    const int count = setup->scenario->lattice_receiver_count;
    if (service->far > 0) {
        warn(&setup->warnings,
             "%d of %d receivers of the spectra stand over %g wavelengths above or below the plane that their field is "
             "taken from, '%s' by %.3g cm (%.2g wavelengths): phases and fading there are not theirs; add their height "
             "to spectra.heights, or give them record: steps",
             service->far, count, SHEET_NEAR, service->worst->name, 100 * service->away,
             service->away / service->wavelength);
    }
    if (service->slanted > 0) {
        warn(&setup->warnings,
             "%d of %d receivers of the spectra have slanted polarisations, whose components lie %.3g cm (%.2g "
             "wavelengths) apart in height; record: steps has them at one point",
             service->slanted, count, 100 * service->across, service->across / service->wavelength);
    }
    double pitch = setup->problem.spectra.spacing * setup->problem.axis[0].spacing;
    if (count > 0 && sheet_turn(pitch, setup->frequency[setup->frequency_count - 1]) == 0) {
        warn(&setup->warnings,
             "points of the spectra stand %.2g wavelengths apart, too far to interpolate between them: %d receivers "
             "are taken from the nearest point, and their components from points up to half of that apart; "
             "spectra.spacing: %d cells interpolates",
             pitch / service->wavelength, count,
             (int)fmax(1, floor(service->wavelength / (4 * setup->problem.axis[0].spacing) + 1e-9)));
    }
}

pw_status volume_lattice_receivers(struct setup *setup, int64_t *point, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct service service = {.wavelength = SPEED_OF_LIGHT / setup->frequency[setup->frequency_count - 1]};
    for (int r = 0; r < scenario->lattice_receiver_count; r++) {
        TRY(receiver_place(setup, &scenario->lattice_receivers[r], &service, &point[r], error));
    }
    service_warn(setup, &service);
    return PW_OK;
}
