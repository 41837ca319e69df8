/* A walk: poses, the empty floor, what the persons change, and the poses that check it (walk.h). */
#include "walk/walk.h"

#include "walk/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_POSES = 1000000 };

size_t walk_links(const struct walk *walk)
{
    return (size_t)walk->receivers * (size_t)walk->transmitters;
}

static pw_status make_poses(const pw_walk_options *options, struct walk *walk, pw_error *error)
{
    double longest = 0;
    for (int n = 0; n < options->person_count; n++) {
        longest = fmax(longest, path_length(&options->paths[n]));
    }
    const double count = floor(longest / options->speed * options->rate + 1e-9) + 1;
    if (!(count <= MOST_POSES)) {
        return fail(error, PW_USAGE, "%.3g poses; allowed are %d: a lower rate or a shorter path", count, MOST_POSES);
    }
    walk->persons = options->person_count;
    walk->poses = (int)count;
    walk->walks = longest > 0;
    walk->rate = options->rate;
    walk->speed = options->speed;
    walk->radius = options->radius;
    walk->method = options->method;
    walk->position = allocate((size_t)walk->persons * (size_t)walk->poses, sizeof *walk->position, "poses", error);
    TRY_MADE(walk->position);
    for (int person = 0; person < walk->persons; person++) {
        for (int pose = 0; pose < walk->poses; pose++) {
            path_at(&options->paths[person], pose * options->speed / options->rate,
                    walk->position[(size_t)person * (size_t)walk->poses + (size_t)pose]);
        }
    }
    return PW_OK;
}

static pw_status make_arrays(struct walk *walk, pw_error *error)
{
    const size_t links = walk_links(walk), values = (size_t)walk->frequencies * links, poses = (size_t)walk->poses;
    TRY(pw_memory_check((double)(poses * values * sizeof *walk->csi), "the channels of a walk",
                        "a lower rate, fewer transmitters and receivers, or fewer frequencies (spectra.count)", error));
    walk->empty = allocate(values, sizeof *walk->empty, "channels of the empty floor", error);
    walk->csi = allocate(poses * values, sizeof *walk->csi, "the channels of a walk", error);
    walk->blockage = allocate(poses * links, sizeof *walk->blockage, "blockages", error);
    TRY_MADE(walk->empty);
    TRY_MADE(walk->csi);
    TRY_MADE(walk->blockage);
    return PW_OK;
}

/* 10 lg of the mean power of a link without persons over that with them, over the frequencies. */
static double walk_blockage(const struct walk *walk, const float complex *csi, size_t link)
{
    double empty = 0, now = 0;
    for (int f = 0; f < walk->frequencies; f++) {
        const size_t at = (size_t)f * walk_links(walk) + link;
        empty += pow(cabs(walk->empty[at]), 2);
        now += pow(cabsf(csi[at]), 2);
    }
    return 10 * log10(empty / now);
}

static void find_blockages(struct walk *walk)
{
    const size_t links = walk_links(walk), values = (size_t)walk->frequencies * links;
    for (size_t n = 0; n < (size_t)walk->poses * links; n++) {
        walk->blockage[n] = walk_blockage(walk, walk->csi + n / links * values, n % links);
    }
}

/* ---- against whole solves ---------------------------------------------------------------------------------------- */

static void compare_link(const struct walk *walk, const float complex *whole, size_t link, pw_walk_check *check)
{
    const size_t links = walk_links(walk);
    const float complex *own = walk->csi + (size_t)check->pose * (size_t)walk->frequencies * links;
    double difference = 0, field = 0, scattered = 0;
    for (int f = 0; f < walk->frequencies; f++) {
        const size_t at = (size_t)f * links + link;
        difference += pow(cabsf(own[at] - whole[at]), 2);
        field += pow(cabsf(whole[at]), 2);
        scattered += pow(cabs(whole[at] - walk->empty[at]), 2);
    }
    check->receiver = (int)(link / (size_t)walk->transmitters);
    check->transmitter = (int)(link % (size_t)walk->transmitters);
    check->field = sqrt(difference / field);
    check->scattered = sqrt(difference / scattered);
    check->blockage = walk_blockage(walk, whole, link);
}

/* The pose where a link is blocked most, and others in the middles of equal parts of the walk, in order. */
static int choose_checks(const struct walk *walk, int count, int *pose)
{
    size_t most = 0;
    int chosen = 0;
    for (size_t n = 0; n < (size_t)walk->poses * walk_links(walk); n++) {
        most = walk->blockage[n] > walk->blockage[most] ? n : most;
    }
    const int blocked = (int)(most / walk_links(walk));
    bool taken = false;
    for (int n = 0; n < count - 1; n++) {
        const int middle = (int)((2 * n + 1) * (int64_t)walk->poses / (2 * (count - 1)));
        if (!taken && middle >= blocked) {
            pose[chosen++] = blocked;
            taken = true;
        }
        if (middle != blocked) {
            pose[chosen++] = middle;
        }
    }
    if (!taken) {
        pose[chosen++] = blocked;
    }
    return chosen;
}

static pw_status check_poses(struct stage *stage, pw_error *error)
{
    struct walk *walk = stage->walk;
    int count = stage->options->checks < walk->poses ? stage->options->checks : walk->poses;
    const size_t links = walk_links(walk), values = (size_t)walk->frequencies * links;
    int *pose = allocate((size_t)count, sizeof *pose, "poses", error);
    float complex *whole = allocate((size_t)count * values, sizeof *whole, "channels of whole solves", error);
    walk->check = allocate((size_t)count * links, sizeof *walk->check, "checks", error);
    pw_status status = pose == NULL || whole == NULL || walk->check == NULL ? PW_NO_RESOURCE : PW_OK;
    if (status == PW_OK) {
        count = choose_checks(walk, count, pose);
        status = stage_solve_poses(stage, pose, count, whole, error);
    }
    for (size_t n = 0; status == PW_OK && n < (size_t)count * links; n++) {
        walk->check[n].pose = pose[n / links];
        compare_link(walk, whole + n / links * values, n % links, &walk->check[n]);
        walk->check_count++;
    }
    free(pose);
    free(whole);
    return status;
}

static pw_status solve_exact(struct stage *stage, pw_error *error)
{
    const struct walk *walk = stage->walk;
    OWNED int *pose = allocate((size_t)walk->poses, sizeof *pose, "poses", error);
    TRY_MADE(pose);
    for (int n = 0; n < walk->poses; n++) {
        pose[n] = n;
    }
    return stage_solve_poses(stage, pose, walk->poses, walk->csi, error);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

pw_status walk_solve(const pw_scenario *scenario, const pw_walk_options *options, struct walk *walk, pw_error *error)
{
    struct stage stage = {0};
    *walk = (struct walk){0};
    snprintf(walk->title, sizeof walk->title, "%s", pw_scenario_describe(scenario).title);
    pw_status status = make_poses(options, walk, error);
    THEN(status, stage_make(scenario, options, walk, &stage, error));
    THEN(status, make_arrays(walk, error));
    THEN(status, stage_solve(&stage, error));
    if (options->method == PW_WALK_EXACT) {
        THEN(status, solve_exact(&stage, error));
    }
    if (status == PW_OK) {
        find_blockages(walk);
    }
    if (options->method != PW_WALK_EXACT && options->checks > 0) {
        THEN(status, check_poses(&stage, error));
    }
    stage_free(&stage);
    return status;
}

void walk_free(struct walk *walk)
{
    free(walk->name);
    free(walk->place);
    free(walk->frequency);
    free(walk->position);
    free(walk->sees);
    free(walk->floor.solid);
    free(walk->empty);
    free(walk->csi);
    free(walk->blockage);
    free(walk->check);
    *walk = (struct walk){0};
}
