/* Which walls decide the level at a place: one run from the transmitter and one from the place, on the grid of the full
 * solve, as planwave sensitivity has them (api/study/gradients.h). Asked for, answered by the worker, stopped by who
 * asked, and by any change of the document. */
#include "serve/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALLS_MOST = 64, FREQUENCIES_LEAST = 16 };
/* Of the memory that is free; and bytes of a node and frequency: of the running spectra of a box around all walls, and
 * of two stations at the nodes of walls, which are a quarter of all. */
static const double MEMORY_SHARE = 0.25, NODE_BYTES = 8 * 1.5;
/* Bytes: more takes longer to get than a person waits for Stop; half of the flat's 232 frequencies say the same within
 * 3 %. */
static const double MEMORY_MOST = 1e9;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

void walls_stop(struct session *session, int client, const char *why)
{
    int kept = 0;
    for (int n = 0; n < session->walls_count; n++) {
        if (session->walls[n].client == client) {
            clients_answer_one(session->clients, client, refusal(session->walls[n].id, why));
        } else {
            session->walls[kept++] = session->walls[n];
        }
    }
    session->walls_count = kept;
    if (session->walls_client == client) {
        atomic_store(&session->walls_stopped, true);
    }
}

struct blob *walls_hear(struct session *session, int client, const struct message *message)
{
    const pw_floorplan_facts plan = pw_floorplan_describe(session->document.plan);
    const char *name = message->transmitter;
    char text[160];
    if (message->at.x < 0 || message->at.y < 0 || message->at.x > plan.width || message->at.y > plan.height) {
        snprintf(text, sizeof text, "(%.3f, %.3f) m is not on the plan", message->at.x, message->at.y);
        return refusal(message->id, text);
    }
    if (name[0] != '\0' && pw_scenario_find_transmitter(session->document.scenario, name) < 0) {
        snprintf(text, sizeof text, "there is no transmitter '%s'", name);
        return refusal(message->id, text);
    }
    walls_stop(session, client, "asked anew");
    if (session->walls_count == CLIENTS_MOST) {
        return refusal(message->id, "too many questions are waiting; ask again");
    }
    struct walls_ask *ask = &session->walls[session->walls_count++];
    *ask = (struct walls_ask){.client = client, .id = message->id, .at = message->at};
    memcpy(ask->transmitter, name, PW_NAME_SIZE);
    return NULL;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* What was solved, for the answer. */
struct walls_found {
    char transmitter[PW_NAME_SIZE];
    pw_gradients_wall walls[WALLS_MOST];
    int count, frequencies, left_out; /* frequencies of the scenario for which there was no room */
    int64_t nodes, nodes_left_out;
    double seconds;
};

/* The scenario with one transmitter, and a receiver at the place alone. */
static pw_status scenario_of(const struct session *session, const struct walls_work *work, pw_scenario **scenario,
                             struct walls_found *found, pw_error *error)
{
    char receivers[160];
    const char *overrides[] = {receivers};
    snprintf(receivers, sizeof receivers, "receivers=[{name: here, at: [%.9g m, %.9g m]}]", work->ask.at.x,
             work->ask.at.y);
    TRY(pw_scenario_parse(session->document.file, work->text, overrides, 1, scenario, error));
    pw_scenario_watch(*scenario, work->go_on, work->monitor.user);
    const int named = pw_scenario_find_transmitter(*scenario, work->ask.transmitter), t = named < 0 ? 0 : named;
    snprintf(found->transmitter, sizeof found->transmitter, "%s", pw_scenario_describe_transmitter(*scenario, t).name);
    return pw_scenario_keep_transmitters(*scenario, &t, 1, error);
}

/* As many frequencies as the scenario has, or as there is room for. */
static pw_status choose_frequencies(pw_scenario *scenario, struct walls_found *found, pw_error *error)
{
    pw_setup *setup = NULL;
    TRY(pw_setup_create(scenario, PW_SINGLE, false, &setup, error));
    const pw_facts facts = pw_setup_facts(setup);
    pw_setup_free(setup);
    const double bytes = NODE_BYTES * facts.nx * facts.ny, free = MEMORY_SHARE * (double)pw_memory_available(),
                 room = free > 0 ? fmin(free, MEMORY_MOST) : MEMORY_MOST;
    const int most = (int)fmax(FREQUENCIES_LEAST, room / bytes),
              count = facts.frequency_count < most ? facts.frequency_count : most;
    found->left_out = facts.frequency_count - count;
    if (found->left_out > 0) {
        pw_scenario_set_frequencies(scenario, count);
    }
    return PW_OK;
}

static pw_status walls_solve(const struct session *session, const struct walls_work *work, struct walls_found *found,
                             pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_gradients) *made = NULL;
    const pw_gradients_options options = {
        .compute = session->compute, .precision = PW_SINGLE, .monitor = work->monitor, .thickness = true};
    const double began = pw_clock();
    TRY(scenario_of(session, work, &scenario, found, error));
    TRY(choose_frequencies(scenario, found, error));
    TRY(pw_gradients_solve(scenario, &options, &made, error));
    TRY(pw_gradients_walls(made, 0, 0, WALLS_MOST, found->walls, &found->count, error));
    const pw_gradients_facts facts = pw_gradients_describe(made);
    found->frequencies = facts.frequencies;
    found->nodes = facts.nodes;
    found->nodes_left_out = facts.left_out;
    found->seconds = pw_clock() - began;
    return PW_OK;
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

static json_t *walls_list(const struct walls_found *found)
{
    json_t *list = json_array();
    for (int n = 0; n < found->count; n++) {
        const pw_gradients_wall *wall = &found->walls[n];
        json_array_append_new(list, json_pack("{s:[f, f], s:[f, f], s:f, s:s, s:o, s:o}", "from", wall->line[0],
                                              wall->line[1], "to", wall->line[2], wall->line[3], "thickness",
                                              wall->thickness, "material", wall->material, "db_per_10_percent",
                                              json_finite(0.1 * wall->per_relative), "db_per_cm",
                                              json_finite(0.01 * wall->per_metre)));
    }
    return list;
}

static struct blob *walls_blob(const struct walls_work *work, const struct walls_found *found)
{
    json_t *object = json_pack(
        "{s:s, s:I, s:f, s:f, s:s, s:i, s:i, s:I, s:I, s:f, s:o}", "type", "sensitivity", "revision",
        (json_int_t)work->revision, "x", work->ask.at.x, "y", work->ask.at.y, "transmitter", found->transmitter,
        "frequencies", found->frequencies, "frequencies_left_out", found->left_out, "nodes", (json_int_t)found->nodes,
        "nodes_left_out", (json_int_t)found->nodes_left_out, "seconds", found->seconds, "walls", walls_list(found));
    if (work->ask.id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(work->ask.id));
    }
    return blob_of_text(describe_dump(object));
}

void walls_answer(struct session *session, const struct walls_work *work)
{
    pw_error error = {""};
    struct walls_found *found = calloc(1, sizeof *found);
    pw_status status = found != NULL ? walls_solve(session, work, found, &error)
                                     : fail(&error, PW_NO_RESOURCE, "not enough memory for walls");
    const char *text = status != PW_INTERRUPTED               ? error.message
                       : atomic_load(&session->walls_stopped) ? "stopped"
                                                              : "the plan was changed before the walls were found";
    struct blob *answer = status == PW_OK ? walls_blob(work, found) : refusal(work->ask.id, text);
    free(found);
    pthread_mutex_lock(&session->lock);
    session->walls_client = 0;
    pthread_mutex_unlock(&session->lock);
    clients_answer_one(session->clients, work->ask.client, answer);
}
