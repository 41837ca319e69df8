/* What a session tells its windows of itself: state, progress, the plan; and how it says no (session.h). */
#include "serve/session.h"

#include <math.h>
#include <stdlib.h>

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

static double plan_pitch(const struct floorplan *plan)
{
    double side = sqrt((double)PLAN_LOOKS / (1 + plan->shape_count));
    return fmax(plan->width, plan->height) / fmin(PLAN_SIDE, fmax(PLAN_SIDE_LEAST, side));
}

struct blob *session_plan_frame(struct session *session)
{
    const struct floorplan *plan = &session->document.plan;
    const double pitch = plan_pitch(plan);
    struct frame frame = {.kind = FRAME_PLAN,
                          .revision = session->document.revision,
                          .sequence = ++session->plan_sequence,
                          .rows = (int)ceil(plan->height / pitch - 1e-6),
                          .columns = (int)ceil(plan->width / pitch - 1e-6),
                          .x0 = 0.5 * pitch,
                          .y0 = 0.5 * pitch,
                          .pitch_x = pitch,
                          .pitch_y = pitch,
                          .seconds = NAN,
                          .error_db = NAN,
                          .transmitter = FRAME_BEST};
    uint8_t *indices = malloc((size_t)frame.rows * (size_t)frame.columns);
    for (int r = 0; r < frame.rows && indices != NULL; r++) {
        for (int c = 0; c < frame.columns; c++) {
            uint16_t index = floorplan_material_at(plan, (c + 0.5) * pitch, (r + 0.5) * pitch);
            indices[(size_t)r * (size_t)frame.columns + (size_t)c] = (uint8_t)(index < 255 ? index : 255);
        }
    }
    struct blob *blob = indices != NULL ? frame_create(&frame, NULL, indices) : NULL;
    free(indices);
    return blob;
}

void session_tell_plan(struct session *session)
{
    blob_release(session->last_plan);
    session->last_plan = session_plan_frame(session);
    clients_tell(session->clients, NEWS_PLAN, blob_hold(session->last_plan));
}
