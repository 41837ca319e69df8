/* A part of a grid that takes turns on a device, and all of them (turns.cu). What of a part's state is no array of
 * units (whole_state.h), of poles and of Mur's edges, is carried: put together on the host, then copied as a patch. */
#ifndef TURN_PART_H
#define TURN_PART_H

#include "kernels/turns/turns.h"

struct turns;

struct turn_part {
    turns *all = NULL; /* borrowed */
    int number = 0;
    struct part_box box = {};
    const struct problem *problem = NULL; /* borrowed */
    const struct solver *solver = NULL;
    void *state = NULL; /* of the solver, owned */
    std::unique_ptr<turn_engine> engine;
    device_arena arena;
    std::vector<whole_piece> comes, goes;
    std::vector<int64_t> pole_shift; /* of each component: from the part's states of poles to those of the whole */
    pinned_memory kept;              /* constants, then what receivers recorded, of all runs */
    size_t constants = 0;            /* bytes */
    pinned_memory carried;           /* what goes by patches, on its way */
    int waited = 0;                  /* samples that waited when the turn began */
    int64_t from = 0;                /* step at which it began */
    std::vector<double> energy;      /* of each run, of its own nodes, when the last advance ended; empty: not known */
    cudaEvent_t came = NULL, gone = NULL;

    ~turn_part();
    char *record_of(int run) const
    {
        return kept.bytes + constants + (size_t)run * problem->steps * engine->record(run).row_bytes;
    }
};

/* All parts of a grid. */
struct turns {
    const struct problem *whole = NULL; /* borrowed */
    struct cut cut = {};
    struct part_options options = {};
    int device = 0;
    char *shares = NULL; /* owned */
    size_t share = 0;    /* bytes of one */
    whole_state state;
    std::vector<std::unique_ptr<turn_part>> parts;
    turn_part *holder[TURN_SHARES] = {}; /* who came to a share last */
    turn_part *ahead = NULL;             /* who has come for the next advance already */
    cudaStream_t in = NULL, out = NULL;

    ~turns();
};

/* turn_answers.cu: a part as one that is asked by parted.c. */
extern const struct solver turn_part_solver;

/* turn_values.cu: a patch of the part, as the host has it. */
void turn_copy(const turn_part *part, int run, const struct patch *patch, void *values, bool store);

/* Bytes that are carried, of a run. */
size_t turn_carried_bytes(const turn_part *part);
/* Puts together what is carried, when the part comes. */
void turn_gather(turn_part *part);
/* To the device (`in`); back to the host, of the part's own nodes. */
pw_status turn_carry(turn_part *part, bool in, pw_error *error);

#endif
