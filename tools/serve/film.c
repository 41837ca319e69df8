/* The film of the wave: Ez of one transmitter on the cells of a preview, slowed down, from the pulse until it has
 * faded, and again. */
#include "serve/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FRAMES_PER_SECOND = 12, FADED = 3e-3 /* of the largest field so far */;
enum {
    FRAME_SIDE = 600, /* points along a side, at most */
    PIECE = 20        /* steps after which a change of the document is looked for */
};

void film_stop(struct film *film)
{
    pw_simulation_free(film->simulation);
    pw_setup_free(film->setup);
    pw_scenario_free(film->scenario);
    free(film->field);
    *film = (struct film){.due = film->due};
}

static pw_status film_begin(struct session *session, const struct film_frame *wanted, pw_error *error)
{
    struct film *film = &session->film;
    film_stop(film);
    TRY(pw_previews_film(session->previews, &wanted->task, wanted->transmitter, &film->scenario, &film->setup, error));
    const pw_facts facts = pw_setup_facts(film->setup);
    film->field = allocate((size_t)facts.nx * (size_t)facts.ny, sizeof *film->field, "a film", error);
    TRY_MADE(film->field);
    film->revision = wanted->revision;
    memcpy(film->transmitter, wanted->wave.transmitter, PW_NAME_SIZE);
    return PW_OK;
}

/* The part of the field that lies on the plan, every `stride`th point of it. */
static struct blob *film_frame(struct session *session, int transmitter)
{
    struct film *film = &session->film;
    const pw_facts facts = pw_setup_facts(film->setup);
    int low = facts.absorber_low[0], bottom = facts.absorber_low[1];
    int columns = facts.nx - low - facts.absorber_high[0], rows = facts.ny - bottom - facts.absorber_high[1];
    int stride = ((columns > rows ? columns : rows) - 1) / FRAME_SIDE + 1;
    struct frame frame = {.kind = FRAME_WAVE,
                          .revision = film->revision,
                          .sequence = ++session->wave_sequence,
                          .rows = (rows + stride - 1) / stride,
                          .columns = (columns + stride - 1) / stride,
                          .x0 = facts.origin_x + low * facts.cell,
                          .y0 = facts.origin_y + bottom * facts.cell,
                          .pitch_x = stride * facts.cell,
                          .pitch_y = stride * facts.cell,
                          .seconds = (double)pw_simulation_step(film->simulation) * facts.time_step,
                          .error_db = NAN,
                          .transmitter = transmitter};
    float *values = malloc((size_t)frame.rows * (size_t)frame.columns * sizeof *values);
    double largest = 0;
    for (int r = 0; r < frame.rows && values != NULL; r++) {
        const double *row = film->field + (size_t)(bottom + r * stride) * (size_t)facts.nx + (size_t)low;
        for (int c = 0; c < frame.columns; c++) {
            values[(size_t)r * (size_t)frame.columns + (size_t)c] = (float)row[c * stride];
            largest = fmax(largest, fabs(row[c * stride]));
        }
    }
    film->peak = fmax(film->peak, largest);
    bool faded = largest < FADED * film->peak || pw_simulation_step(film->simulation) >= facts.steps;
    struct blob *blob = values != NULL ? frame_create(&frame, values, NULL) : NULL;
    free(values);
    if (faded) { /* it begins again on the same set-up */
        pw_simulation_free(film->simulation);
        film->simulation = NULL;
        film->peak = 0;
    }
    return blob;
}

/* As far as the next frame or the end of the run; less where a change or the end of the session must not wait so long.
 */
static pw_status film_advance(struct session *session, double speed, pw_error *error)
{
    struct film *film = &session->film;
    const pw_facts facts = pw_setup_facts(film->setup);
    int64_t wanted = (int64_t)fmax(1, round(1e-9 * speed / FRAMES_PER_SECOND / facts.time_step));
    int64_t left = facts.steps - pw_simulation_step(film->simulation);
    left = wanted < left ? wanted : left;
    while (left > 0 && !atomic_load(&session->ended) && atomic_load(&session->latest) == film->revision) {
        int64_t piece = left < PIECE ? left : PIECE;
        TRY(pw_simulation_advance(film->simulation, piece, error));
        left -= piece;
    }
    return PW_OK;
}

pw_status film_step(struct session *session, const struct film_frame *wanted, double *wait, pw_error *error)
{
    struct film *film = &session->film;
    bool same = film->setup != NULL && film->revision == wanted->revision &&
                strcmp(film->transmitter, wanted->wave.transmitter) == 0;
    pw_status status = same ? PW_OK : film_begin(session, wanted, error);
    if (status == PW_OK && film->simulation == NULL) {
        status = pw_simulation_create(film->setup, &session->compute, 0, 1, &film->simulation, error);
    }
    if (status == PW_OK) {
        status = film_advance(session, wanted->wave.speed, error);
        THEN(status, pw_simulation_field(film->simulation, 0, film->field, error));
    }
    if (status != PW_OK) {
        film_stop(film);
        return status;
    }
    clients_tell(session->clients, NEWS_WAVE, film_frame(session, wanted->transmitter));
    double now = pw_clock();
    film->due = fmax(film->due + 1 / FRAMES_PER_SECOND, now);
    *wait = film->due - now;
    return PW_OK;
}
