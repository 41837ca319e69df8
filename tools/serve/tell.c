/* What a session tells its windows of itself: state, progress, the plan; and how it says no (session.h). */
#include "serve/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of the plan along its longer side: as many as doors of pixels need, fewer where there are many shapes to look
 * at, all of which a point may lie in. */
enum { PLAN_SIDE = 1024, PLAN_SIDE_LEAST = 512, PLAN_LOOKS = 40000000 };

struct blob *refusal(int id, const char *text)
{
    json_t *object = json_pack("{s:s, s:o}", "type", "refused", "text", json_string(text));
    if (object == NULL) {
        object = json_pack("{s:s, s:s}", "type", "refused", "text", "the message cannot be carried out");
    }
    if (id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(id));
    }
    return blob_of_text(describe_dump(object));
}

static struct blob *state_blob(const struct session *session)
{
    struct live_state state = {&session->document, session->view, session->wave, clients_count(session->clients)};
    return blob_of_text(describe_state(&state));
}

void session_tell_state(struct session *session)
{
    clients_tell(session->clients, NEWS_STATE, state_blob(session));
}

void session_tell_progress(struct session *session, const char *stage, double done, double seconds_left)
{
    json_t *object = json_pack("{s:s, s:I, s:s, s:f, s:o}", "type", "progress", "revision",
                               (json_int_t)atomic_load(&session->latest), "stage", stage, "done",
                               isfinite(done) ? done : 0, "seconds_left", json_finite(seconds_left));
    clients_tell(session->clients, NEWS_PROGRESS, blob_of_text(describe_dump(object)));
}

static double plan_pitch(const struct document *document)
{
    const pw_floorplan_facts plan = pw_floorplan_describe(document->plan);
    double side = sqrt((double)PLAN_LOOKS / (1 + pw_scenario_describe_plan(document->scenario).shape_count));
    return fmax(plan.width, plan.height) / fmin(PLAN_SIDE, fmax(PLAN_SIDE_LEAST, side));
}

/* What lies between the points, as lines one point wide. */
static void thin_mark(const struct document *document, const struct frame *frame, uint8_t *indices)
{
    const int materials = pw_floorplan_describe(document->plan).material_count;
    pw_thin_line *lines = NULL;
    size_t count = 0;
    (void)pw_scenario_thin_lines(document->scenario, 2 * frame->pitch_x, NAN, &lines, &count, NULL);
    for (size_t n = 0; n < count; n++) {
        int index = 0;
        for (int m = 0; m < materials && m < 256; m++) {
            index = strcmp(pw_floorplan_describe_material(document->plan, m).name, lines[n].material) == 0 ? m : index;
        }
        const double dx = lines[n].x1 - lines[n].x0, dy = lines[n].y1 - lines[n].y0;
        const int steps = 1 + (int)(2 * hypot(dx, dy) / frame->pitch_x);
        for (int k = 0; k <= steps && index > 0; k++) {
            const double column = floor((lines[n].x0 + dx * k / steps) / frame->pitch_x);
            const double row = floor((lines[n].y0 + dy * k / steps) / frame->pitch_y);
            if (column >= 0 && column < frame->columns && row >= 0 && row < frame->rows) {
                indices[(size_t)row * (size_t)frame->columns + (size_t)column] = (uint8_t)index;
            }
        }
    }
    free(lines);
}

struct blob *session_plan_frame(struct session *session)
{
    const struct document *document = &session->document;
    const pw_floorplan_facts plan = pw_floorplan_describe(document->plan);
    const double pitch = plan_pitch(document);
    struct frame frame = {.kind = FRAME_PLAN,
                          .revision = document->revision,
                          .sequence = ++session->plan_sequence,
                          .rows = (int)ceil(plan.height / pitch - 1e-6),
                          .columns = (int)ceil(plan.width / pitch - 1e-6),
                          .x0 = 0.5 * pitch,
                          .y0 = 0.5 * pitch,
                          .pitch_x = pitch,
                          .pitch_y = pitch,
                          .seconds = NAN,
                          .error_db = NAN,
                          .transmitter = FRAME_BEST};
    const size_t count = (size_t)frame.rows * (size_t)frame.columns;
    uint16_t *materials = calloc(count, sizeof *materials);
    uint8_t *indices = malloc(count);
    struct blob *blob = NULL;
    if (materials != NULL && indices != NULL &&
        pw_floorplan_pixels(document->plan, pitch, 1, frame.columns, frame.rows, materials, NULL) == PW_OK) {
        for (size_t n = 0; n < count; n++) {
            indices[n] = (uint8_t)(materials[n] < 255 ? materials[n] : 255);
        }
        thin_mark(document, &frame, indices);
        blob = frame_create(&frame, NULL, indices);
    }
    PW_FREE_ALL(materials, indices);
    return blob;
}

void session_tell_plan(struct session *session)
{
    blob_release(session->last_plan);
    session->last_plan = session_plan_frame(session);
    clients_tell(session->clients, NEWS_PLAN, blob_hold(session->last_plan));
}
