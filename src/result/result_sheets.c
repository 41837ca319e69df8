/* The sheets of running spectra of a result: their list from the file, which one is chosen, and what lies in its plane.
 * Leaves the numbers on them to result_data.c. */
#include "result/result_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_LIMIT = 1024 };

static const char *const axes[3] = {"x", "y", "z"};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* Index of a text among three. */
static pw_status read_word(hid_t group, const char *name, const char *const words[3], int *index, pw_error *error)
{
    OWNED char *text = NULL;
    TRY(hdf5_read_text(group, name, &text, error));
    for (*index = 0; *index < 3 && strcmp(text, words[*index]) != 0; (*index)++) {
    }
    return *index < 3 ? PW_OK
                      : fail(error, PW_BAD_INPUT, "attribute '%s' is '%.20s', not %s, %s or %s", name, text, words[0],
                             words[1], words[2]);
}

/* Axes and extents; component and normal are known. */
static pw_status read_sheet_axes(const struct reading *reading, hid_t group, struct result_sheet *sheet,
                                 pw_error *error)
{
    hsize_t rows, columns, extent[3];
    const char *along = axes[sheet->normal == 0 ? 1 : 0], *up = axes[sheet->normal == 2 ? 1 : 2];
    TRY(reading_line(reading, group, (struct line){along, false, 0}, &sheet->column_axis, &columns, error));
    TRY(reading_line(reading, group, (struct line){up, false, 0}, &sheet->row_axis, &rows, error));
    TRY(reading_length(reading, group, result_component_word(reading->result, sheet->component), 3, ELEMENT_COMPLEX,
                       extent, error));
    FAIL_IF(extent[0] != (hsize_t)reading->result->frequency_count || extent[1] != rows || extent[2] != columns, error,
            PW_BAD_INPUT, "the spectra %s are %llu x %llu x %llu, their axes %d x %llu x %llu",
            sheet->name[0] != '\0' ? sheet->name : "of a transmitter", (unsigned long long)extent[0],
            (unsigned long long)extent[1], (unsigned long long)extent[2], reading->result->frequency_count,
            (unsigned long long)rows, (unsigned long long)columns);
    sheet->rows = (int)rows;
    sheet->columns = (int)columns;
    return PW_OK;
}

static pw_status read_sheet(const struct reading *reading, hid_t spectra, struct result_sheet *sheet, pw_error *error)
{
    OWNED_ID hid_t group = hdf5_group_open(spectra, sheet->name, error);
    TRY_OPEN(group);
    const char *components[3];
    for (int c = 0; c < 3; c++) {
        components[c] = result_component_word(reading->result, c);
    }
    TRY(read_word(group, "component", components, &sheet->component, error));
    TRY(read_word(group, "normal", axes, &sheet->normal, error));
    TRY(hdf5_read_numbers(group, "asked", &sheet->asked, 0, error));
    TRY(hdf5_read_numbers(group, "position", &sheet->position, 0, error));
    return read_sheet_axes(reading, group, sheet, error);
}

pw_status reading_sheets(const struct reading *reading, hid_t group, struct result_transmitter *transmitter,
                         pw_error *error)
{
    if (!hdf5_member_exists(group, "spectra")) {
        return PW_OK;
    }
    OWNED_ID hid_t spectra = hdf5_group_open(group, "spectra", error);
    TRY_OPEN(spectra);
    OWNED char(*names)[NAME_SIZE] = NULL;
    int count = 1;
    bool volume = result_is_vector(reading->result);
    if (volume) {
        TRY(hdf5_group_names(spectra, SHEET_LIMIT, &names, &count, error));
    }
    TRY_MADE(transmitter->sheets = allocate((size_t)count, sizeof *transmitter->sheets, "sheets of spectra", error));
    for (int s = 0; s < count; s++) {
        struct result_sheet *sheet = &transmitter->sheets[s];
        transmitter->sheet_count = s + 1;
        if (volume) {
            memcpy(sheet->name, names[s], NAME_SIZE);
            TRY(read_sheet(reading, spectra, sheet, error));
        } else {
            sheet->component = sheet->normal = 2;
            TRY(read_sheet_axes(reading, spectra, sheet, error));
        }
    }
    return PW_OK;
}

void result_sheets_free(struct result_transmitter *transmitter)
{
    for (int s = 0; s < transmitter->sheet_count; s++) {
        FREE_ALL(transmitter->sheets[s].column_axis, transmitter->sheets[s].row_axis, transmitter->sheets[s].values);
    }
    free(transmitter->sheets);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The plane through the nodes of Ez that a sheet lies in. */
static struct result_face face_of(const struct result *result, const struct result_sheet *sheet)
{
    struct result_face face = {.columns = result->nx,
                               .rows = result->ny,
                               .column_first = result->origin_x,
                               .row_first = result->origin_y,
                               .column_low = result->low[0],
                               .row_low = result->low[1],
                               .inner_columns = result->nx - result->low[0] - result->high[0],
                               .inner_rows = result->ny - result->low[1] - result->high[1]};
    if (sheet != NULL && sheet->normal < 2) {
        face.columns = sheet->normal == 0 ? result->ny : result->nx;
        face.column_first = sheet->normal == 0 ? result->origin_y : result->origin_x;
        face.rows = result->nz;
        face.row_first = result->origin_z + 0.5 * result->cell;
        face.column_low = result->low[sheet->normal == 0 ? 1 : 0];
        face.row_low = result->low[2];
        face.inner_columns = face.columns - face.column_low - result->high[sheet->normal == 0 ? 1 : 0];
        face.inner_rows = face.rows - face.row_low - result->high[2];
    }
    return face;
}

static void sheet_choose(struct result *result, int sheet)
{
    for (int t = 0; t < result->transmitter_count; t++) {
        struct result_transmitter *transmitter = &result->transmitters[t];
        if (sheet < transmitter->sheet_count) {
            const struct result_sheet *chosen = &transmitter->sheets[sheet];
            transmitter->rows = chosen->rows;
            transmitter->columns = chosen->columns;
            transmitter->x_axis = chosen->column_axis;
            transmitter->y_axis = chosen->row_axis;
        }
    }
    const struct result_transmitter *first = &result->transmitters[0];
    result->sheet = sheet;
    result->face = face_of(result, sheet < first->sheet_count ? &first->sheets[sheet] : NULL);
}

static bool sheets_equal(const struct result_sheet *a, const struct result_sheet *b)
{
    return strcmp(a->name, b->name) == 0 && a->component == b->component && a->normal == b->normal &&
           a->asked == b->asked && a->position == b->position && a->rows == b->rows && a->columns == b->columns &&
           memcmp(a->column_axis, b->column_axis, (size_t)a->columns * sizeof *a->column_axis) == 0 &&
           memcmp(a->row_axis, b->row_axis, (size_t)a->rows * sizeof *a->row_axis) == 0;
}

/* A sheet that is chosen for one transmitter is chosen for all. */
static pw_status sheets_compare(const struct result *result, pw_error *error)
{
    const struct result_transmitter *first = &result->transmitters[0];
    for (int t = 1; t < result->transmitter_count; t++) {
        const struct result_transmitter *other = &result->transmitters[t];
        bool same = other->sheet_count == first->sheet_count;
        for (int s = 0; same && s < first->sheet_count; s++) {
            same = sheets_equal(&first->sheets[s], &other->sheets[s]);
        }
        FAIL_IF(!same, error, PW_BAD_INPUT, "transmitter '%s' has other spectra than '%s'", other->name, first->name);
    }
    return PW_OK;
}

/* The first horizontal sheet of Ez, else the first horizontal one, else the first. */
pw_status result_sheets_begin(struct result *result, pw_error *error)
{
    const struct result_transmitter *first = &result->transmitters[0];
    int best = 0, best_rank = 0;
    if (result_is_vector(result)) {
        TRY(sheets_compare(result, error));
    }
    for (int s = 0; s < first->sheet_count; s++) {
        const struct result_sheet *sheet = &first->sheets[s];
        int rank = sheet->normal == 2 ? (sheet->component == 2 ? 2 : 1) : 0;
        if (rank > best_rank) {
            best = s;
            best_rank = rank;
        }
    }
    sheet_choose(result, best);
    return PW_OK;
}

pw_status result_view_create(const struct result *result, int sheet, struct result *view, pw_error *error)
{
    size_t size = (size_t)result->transmitter_count * sizeof *result->transmitters;
    *view = *result;
    TRY_MADE(view->transmitters = allocate(1, size, "a view of a result", error));
    memcpy(view->transmitters, result->transmitters, size);
    sheet_choose(view, sheet);
    return PW_OK;
}

void result_view_free(struct result *view)
{
    free(view->transmitters);
    view->transmitters = NULL;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

int result_axis_nearest(const double *axis, int count, double at)
{
    double spacing = count > 1 ? (axis[count - 1] - axis[0]) / (count - 1) : INFINITY;
    if (count < 1 || !(at >= axis[0] - spacing && at <= axis[count - 1] + spacing)) {
        return -1;
    }
    double index = count > 1 ? round((at - axis[0]) / spacing) : 0.0;
    return (int)fmax(0.0, fmin(count - 1, index));
}

static double distance_between(const struct result_transmitter *from, double x, double y, double z)
{
    double flat = hypot(x - from->x, y - from->y);
    return isnan(z) ? flat : hypot(flat, z - from->height);
}

double result_distance(const struct result *result, const struct result_transmitter *from, double u, double v)
{
    if (result->dimensions == 2) {
        return distance_between(from, u, v, NAN);
    }
    const struct result_sheet *sheet = &from->sheets[result->sheet];
    double away = sheet->position;
    return sheet->normal == 2   ? distance_between(from, u, v, away)
           : sheet->normal == 1 ? distance_between(from, u, away, v)
                                : distance_between(from, away, u, v);
}

/* The same plane as it was asked for. Cuts along one line may reach over different lengths. */
static bool plane_shared(const struct result_sheet *a, const struct result_sheet *b)
{
    double across = fabs(a->column_axis[0] - b->column_axis[0]), pitch = 0;
    if (a->columns > 1) {
        pitch = a->column_axis[1] - a->column_axis[0];
    }
    return a->normal == b->normal && a->asked == b->asked && a->columns - b->columns <= 1 &&
           b->columns - a->columns <= 1 && (pitch == 0 || across <= pitch);
}

int result_sheet_partner(const struct result *result, int sheet, int component)
{
    const struct result_transmitter *first = &result->transmitters[0];
    for (int s = 0; s < first->sheet_count; s++) {
        if (first->sheets[s].component == component && plane_shared(&first->sheets[s], &first->sheets[sheet])) {
            return s;
        }
    }
    return -1;
}

const char *result_sheet_text(const struct result *result, int sheet, char text[SHEET_TEXT])
{
    text[0] = '\0';
    if (result->horizontal && sheet < result->transmitters[0].sheet_count) {
        snprintf(text, SHEET_TEXT, "%s",
                 result_component_symbol(result, result->transmitters[0].sheets[sheet].component));
    }
    if (result->dimensions == 3 && sheet < result->transmitters[0].sheet_count) {
        const struct result_sheet *from = &result->transmitters[0].sheets[sheet];
        const char *across = axes[from->normal];
        snprintf(text, SHEET_TEXT, "E%s %s%s%s%.2f m", axes[from->component],
                 from->normal == 2 ? "at height " : "on the cut at ", from->normal == 2 ? "" : across,
                 from->normal == 2 ? "" : " = ", from->position);
    }
    return text;
}

static pw_status sheet_check(const struct result *result, int sheet, pw_error *error)
{
    int count = result->transmitters[0].sheet_count;
    return sheet >= 0 && sheet < count ? PW_OK
                                       : fail(error, PW_USAGE, "sheet %d: this result has %d, from 0 on", sheet, count);
}

/* ---- by height or by number -------------------------------------------------------------------------------------- */

/* True at the first sheet of its plane, in the order of the file. */
static bool plane_begins(const struct result_transmitter *from, int sheet)
{
    for (int s = 0; s < sheet; s++) {
        if (plane_shared(&from->sheets[s], &from->sheets[sheet])) {
            return false;
        }
    }
    return true;
}

int result_heights(const struct result *result, int *sheets)
{
    const struct result_transmitter *first = &result->transmitters[0];
    int count = 0;
    for (int s = 0; s < first->sheet_count; s++) {
        if (first->sheets[s].normal == 2 && plane_begins(first, s)) {
            int ez = result_sheet_partner(result, s, 2);
            sheets[count++] = ez >= 0 ? ez : s;
        }
    }
    return count;
}

/* "0.8 m, 1.5 m", as they were asked for; of cuts "1 (y = 3 m), 2 (x = 2 m)". */
static void planes_list(const struct result_transmitter *from, bool cuts, char *text, size_t size)
{
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    for (int s = 0; s < from->sheet_count && used + 40 < size; s++) {
        const struct result_sheet *sheet = &from->sheets[s];
        if ((sheet->normal < 2) != cuts || !plane_begins(from, s)) {
            continue;
        }
        const char *comma = count++ > 0 ? ", " : "";
        used += cuts ? (size_t)snprintf(text + used, size - used, "%s%d (%s = %.4g m)", comma, count,
                                        axes[sheet->normal], sheet->position)
                     : (size_t)snprintf(text + used, size - used, "%s%.4g m", comma, sheet->asked);
    }
    if (count == 0) {
        snprintf(text, size, "none");
    }
}

/* The plane that is meant, as its first sheet; -1: there is none. */
static int plane_find(const struct result_transmitter *from, const pw_sheet_choice *choice)
{
    int cuts = 0, best = -1;
    double nearest = SHEET_REACH;
    for (int s = 0; s < from->sheet_count; s++) {
        const struct result_sheet *sheet = &from->sheets[s];
        if (!plane_begins(from, s)) {
            continue;
        }
        if (sheet->normal < 2) {
            cuts++;
            if (choice->cut > 0 && cuts == choice->cut) {
                return s;
            }
        } else if (choice->cut == 0 && isnan(choice->height)) {
            return s;
        } else if (choice->cut == 0 && fabs(sheet->asked - choice->height) <= nearest) {
            nearest = fabs(sheet->asked - choice->height);
            best = s;
        }
    }
    return best;
}

static pw_status plane_missing(const struct result *result, const pw_sheet_choice *choice, pw_error *error)
{
    char list[600];
    planes_list(&result->transmitters[0], choice->cut > 0, list, sizeof list);
    FAIL_IF(choice->cut > 0, error, PW_BAD_INPUT, "no cut %d in this result; it has: %s", choice->cut, list);
    return fail(error, PW_BAD_INPUT, "no spectra within %g m of height %g m; this result has heights: %s", SHEET_REACH,
                choice->height, list);
}

/* "ex, ez": the components that were kept in the plane of a sheet. */
static void components_list(const struct result *result, int sheet, char text[16])
{
    size_t used = 0;
    for (int c = 0; c < 3; c++) {
        if (result_sheet_partner(result, sheet, c) >= 0) {
            used += (size_t)snprintf(text + used, 16 - used, "%s%s", used > 0 ? ", " : "",
                                     result_component_word(result, c));
        }
    }
}

pw_sheet_choice pw_sheet_choice_default(void)
{
    return (pw_sheet_choice){.height = NAN};
}

pw_status pw_result_sheet_find(const pw_result *result, const pw_sheet_choice *choice, int *sheet, pw_error *error)
{
    FAIL_IF(result == NULL || choice == NULL || sheet == NULL, error, PW_USAGE, "pw_result_sheet_find: no %s given",
            result == NULL ? "result" : "choice");
    const struct result_transmitter *first = &result->transmitters[0];
    bool asked = !isnan(choice->height) || choice->cut != 0 || choice->component != PW_COMPONENT_OWN;
    *sheet = result->sheet;
    const pw_component component = result_component(result, choice->component);
    if (!asked ||
        (!result_is_vector(result) && isnan(choice->height) && choice->cut == 0 && component == PW_COMPONENT_EZ)) {
        return PW_OK;
    }
    FAIL_IF(result->horizontal && (!isnan(choice->height) || choice->cut != 0), error, PW_USAGE,
            "%s: was solved in two dimensions: it has neither heights nor cuts", result->path);
    FAIL_IF(!result_is_vector(result), error, PW_USAGE,
            "%s: was solved in two dimensions: it has Ez alone, and neither heights nor cuts", result->path);
    FAIL_IF(first->sheet_count == 0, error, PW_BAD_INPUT, "%s: no running spectra; run with `spectra:` in the scenario",
            result->path);
    FAIL_IF(choice->cut < 0 || (choice->cut > 0 && !isnan(choice->height)), error, PW_USAGE,
            "a cut (%d) counts from 1 and has no height", choice->cut);
    int plane = plane_find(first, choice);
    if (plane < 0) {
        return plane_missing(result, choice, error);
    }
    int ez = result_sheet_partner(result, plane, 2);
    bool one = component >= PW_COMPONENT_EX && component <= PW_COMPONENT_EZ;
    *sheet = one                            ? result_sheet_partner(result, plane, (int)component - PW_COMPONENT_EX)
             : component == PW_COMPONENT_HZ ? -1
             : ez >= 0                      ? ez
                                            : plane;
    if (*sheet < 0) {
        char kept[16] = "";
        components_list(result, plane, kept);
        static const char *const names[] = {"", "ex", "ey", "ez", "", "hz"};
        return fail(error, PW_BAD_INPUT, "%s was not kept there; spectra.components kept: %s", names[choice->component],
                    kept);
    }
    return PW_OK;
}

int pw_result_sheet_count(const pw_result *result)
{
    return result->transmitters[0].sheet_count;
}

pw_status pw_result_sheet_describe(const pw_result *result, int sheet, pw_sheet *facts, pw_error *error)
{
    TRY(sheet_check(result, sheet, error));
    const struct result_sheet *from = &result->transmitters[0].sheets[sheet];
    *facts = (pw_sheet){.name = from->name,
                        .component = result_component(result, (pw_component)(PW_COMPONENT_EX + from->component)),
                        .normal = from->normal,
                        .asked = from->asked,
                        .position = from->position,
                        .rows = from->rows,
                        .columns = from->columns};
    return PW_OK;
}

pw_status pw_result_sheet_choose(pw_result *result, int sheet, pw_error *error)
{
    TRY(sheet_check(result, sheet, error));
    sheet_choose(result, sheet);
    return PW_OK;
}

int pw_result_sheet_chosen(const pw_result *result)
{
    return result->sheet;
}
