/* The channel and the halo by MPI. Only the main thread speaks. Long messages go in chunks, since MPI counts in int;
 * commands and halos have communicators of their own. A failure within MPI, the loss of a rank among them, ends all
 * ranks: that is what MPI does by itself. */
#include "backend/mpi/ranks.h"

#include <mpi.h>

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 24, HALO_CHUNK = 1 << 30 };

static MPI_Comm commands = MPI_COMM_NULL, halos = MPI_COMM_NULL;

/* ---- the channel ------------------------------------------------------------------------------------------------- */

static void send_bytes(void *context, int rank, const void *bytes, size_t size)
{
    const char *next = bytes;
    (void)context;
    while (size > 0) {
        size_t some = size < CHUNK ? size : CHUNK;
        MPI_Send(next, (int)some, MPI_BYTE, rank, 0, commands);
        next += some;
        size -= some;
    }
}

static void receive_bytes(void *context, int rank, void *bytes, size_t size)
{
    static char dropped[CHUNK];
    char *next = bytes;
    (void)context;
    while (size > 0) {
        size_t some = size < CHUNK ? size : CHUNK;
        MPI_Recv(next != NULL ? next : dropped, (int)some, MPI_BYTE, rank, 0, commands, MPI_STATUS_IGNORE);
        next = next != NULL ? next + some : NULL;
        size -= some;
    }
}

/* MPI itself would wait by asking over and over, which costs the others a core while rank 0 reads a plan or writes. */
static void wait_for_command(void *context)
{
    struct timespec pause = {.tv_nsec = 20000};
    int there = 0;
    (void)context;
    for (;;) {
        MPI_Iprobe(0, 0, commands, &there, MPI_STATUS_IGNORE);
        if (there) {
            return;
        }
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 1000000 ? pause.tv_nsec * 2 : pause.tv_nsec;
    }
}

/* ---- the halo ---------------------------------------------------------------------------------------------------- */

struct mpi_exchange {
    MPI_Request *requests; /* (count), owned, persistent */
    int count;
};

static int chunks_of(size_t bytes)
{
    return (int)((bytes + HALO_CHUNK - 1) / HALO_CHUNK);
}

/* Requests for one direction of a region. */
static void add_requests(struct mpi_exchange *exchange, int neighbour, const void *bytes, size_t size, bool send)
{
    char *next = (char *)(uintptr_t)bytes;
    while (size > 0) {
        size_t some = size < HALO_CHUNK ? size : HALO_CHUNK;
        MPI_Request *request = &exchange->requests[exchange->count++];
        if (send) {
            MPI_Send_init(next, (int)some, MPI_BYTE, neighbour, 0, halos, request);
        } else {
            MPI_Recv_init(next, (int)some, MPI_BYTE, neighbour, 0, halos, request);
        }
        next += some;
        size -= some;
    }
}

static void close_exchange(void *state)
{
    struct mpi_exchange *exchange = state;
    if (exchange != NULL) {
        for (int r = 0; r < exchange->count; r++) {
            MPI_Request_free(&exchange->requests[r]);
        }
        FREE_ALL(exchange->requests, exchange);
    }
}

static pw_status open_exchange(void *context, int own, const struct halo_region *regions, int count, void **exchange,
                               pw_error *error)
{
    struct mpi_exchange *opened = allocate(1, sizeof *opened, "an exchange between ranks", error);
    size_t requests = 0;
    (void)context;
    (void)own;
    for (int r = 0; r < count; r++) {
        requests += (size_t)(chunks_of(regions[r].incoming_bytes) + chunks_of(regions[r].outgoing_bytes));
    }
    TRY_MADE(opened);
    opened->requests = allocate(requests, sizeof(MPI_Request), "an exchange between ranks", error);
    if (opened->requests == NULL) {
        free(opened);
        return PW_NO_RESOURCE;
    }
    for (int r = 0; r < count; r++) {
        add_requests(opened, regions[r].neighbour, regions[r].incoming, regions[r].incoming_bytes, false);
    }
    for (int r = 0; r < count; r++) {
        add_requests(opened, regions[r].neighbour, regions[r].outgoing, regions[r].outgoing_bytes, true);
    }
    *exchange = opened;
    return PW_OK;
}

static pw_status start_exchange(void *state, void *stream, pw_error *error)
{
    struct mpi_exchange *exchange = state;
    (void)stream;
    (void)error;
    MPI_Startall(exchange->count, exchange->requests);
    return PW_OK;
}

static pw_status finish_exchange(void *state, void *stream, pw_error *error)
{
    struct mpi_exchange *exchange = state;
    (void)stream;
    (void)error;
    for (int r = 0; r < exchange->count; r++) {
        MPI_Wait(&exchange->requests[r], MPI_STATUS_IGNORE);
    }
    return PW_OK;
}

static const struct halo HALO_MPI = {
    .name = "mpi", .open = open_exchange, .start = start_exchange, .finish = finish_exchange, .close = close_exchange};

/* ---- joining and leaving ----------------------------------------------------------------------------------------- */

/* This rank's share of the processors that it may use: launchers bind a rank to some, or let all have all. */
static int share_of_processors(MPI_Comm machine)
{
    cpu_set_t own;
    int rank, ranks, sharing = 0;
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_size(machine, &ranks);
    if (sched_getaffinity(0, sizeof own, &own) != 0) {
        return 1;
    }
    for (int r = 0; r < ranks; r++) {
        cpu_set_t other = own;
        MPI_Bcast(&other, sizeof other, MPI_BYTE, r, machine);
        sharing += CPU_EQUAL(&own, &other) != 0;
    }
    int share = CPU_COUNT(&own) / (sharing > 0 ? sharing : 1);
    return share > 0 ? share : 1;
}

enum { ID_BYTES = 20, BUILD_IDENTITY_SIZE = 192 };

struct build_note {
    unsigned char bytes[ID_BYTES];
    size_t count;
};

/* The program or the library that holds this function. */
static bool is_own(const struct dl_phdr_info *object)
{
    const ElfW(Addr) here = (ElfW(Addr))(uintptr_t)&is_own;
    for (int h = 0; h < object->dlpi_phnum; h++) {
        const ElfW(Phdr) *head = &object->dlpi_phdr[h];
        const ElfW(Addr) first = object->dlpi_addr + head->p_vaddr;
        if (head->p_type == PT_LOAD && here >= first && here - first < head->p_memsz) {
            return true;
        }
    }
    return false;
}

static size_t aligned(size_t size)
{
    return (size + 3) / 4 * 4;
}

/* Notes are a head, a name and a description, each at a multiple of four bytes. */
static void read_notes(const char *notes, size_t size, struct build_note *found)
{
    ElfW(Nhdr) head;
    for (size_t at = 0; at + sizeof head <= size;) {
        memcpy(&head, notes + at, sizeof head);
        const char *name = notes + at + sizeof head, *id = name + aligned(head.n_namesz);
        at += sizeof head + aligned(head.n_namesz) + aligned(head.n_descsz);
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" && memcmp(name, "GNU", sizeof "GNU") == 0) {
            found->count = head.n_descsz < ID_BYTES ? head.n_descsz : ID_BYTES;
            memcpy(found->bytes, id, found->count);
        }
    }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    if (!is_own(object)) {
        return 0;
    }
    for (int h = 0; h < object->dlpi_phnum; h++) {
        const ElfW(Phdr) *head = &object->dlpi_phdr[h];
        if (head->p_type == PT_NOTE) {
            read_notes((const char *)(uintptr_t)(object->dlpi_addr + head->p_vaddr), head->p_memsz, user);
        }
    }
    return 1;
}

/* Which planwave this is, as "0.1.0 (f613cb4ddd), build 3f2a...": ranks of one job must be of one build, since they
 * send each other plain structures. The last is from the linker, where it leaves such a note. Zeros fill the rest. */
static void build_identity(char text[BUILD_IDENTITY_SIZE])
{
    struct build_note found = {.count = 0};
    char id[2 * ID_BYTES + 1] = "";
    dl_iterate_phdr(look_at, &found);
    for (size_t n = 0; n < found.count; n++) {
        snprintf(id + 2 * n, 3, "%02x", found.bytes[n]);
    }
    memset(text, 0, BUILD_IDENTITY_SIZE);
    snprintf(text, BUILD_IDENTITY_SIZE, "%s (%s)%s%s", PW_VERSION, pw_commit(), found.count > 0 ? ", build " : "", id);
}

/* What a rank says of itself, for the others to compare. */
struct introduction {
    char build[BUILD_IDENTITY_SIZE], host[MPI_MAX_PROCESSOR_NAME];
};

/* Whether all are of one build; else who is not, for rank 0 to say, in `disagreement`. */
static void compare_builds(int rank, int count, char *disagreement, size_t size)
{
    struct introduction own = {.build = ""}, first;
    int length;
    build_identity(own.build);
    MPI_Get_processor_name(own.host, &length);
    first = own;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, commands);
    int differs = strcmp(first.build, own.build) != 0 ? rank : count, least = count;
    MPI_Allreduce(&differs, &least, 1, MPI_INT, MPI_MIN, commands);
    if (least < count) {
        MPI_Bcast(&own, sizeof own, MPI_BYTE, least, commands);
        snprintf(disagreement, size,
                 "the ranks are not of one build of planwave: rank 0 on %.60s is %s, rank %d on %.60s is %s; install "
                 "the same one everywhere",
                 first.host, first.build, least, own.host, own.build);
    }
}

pw_status ranks_join(struct ranks *ranks, pw_error *error)
{
    int provided, rank, count, here, number;
    MPI_Comm machine;
    FAIL_IF(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS, error, PW_NO_RESOURCE,
            "MPI does not start");
    MPI_Comm_dup(MPI_COMM_WORLD, &commands);
    MPI_Comm_dup(MPI_COMM_WORLD, &halos);
    MPI_Comm_rank(commands, &rank);
    MPI_Comm_size(commands, &count);
    MPI_Comm_split_type(commands, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_rank(machine, &number);
    int threads = share_of_processors(machine);
    MPI_Comm_free(&machine);
    *ranks = (struct ranks){.channel = {.rank = rank,
                                        .count = count,
                                        .here = number,
                                        .send = send_bytes,
                                        .receive = receive_bytes,
                                        .wait = wait_for_command,
                                        .halo = &HALO_MPI},
                            .here = here,
                            .threads = threads};
    compare_builds(rank, count, ranks->disagreement, sizeof ranks->disagreement);
    return PW_OK;
}

void ranks_leave(void)
{
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised && !finalised) {
        MPI_Finalize();
    }
}

/* Open MPI says "Open MPI v4.1.4, package: ...", MPICH "MPICH Version:\t4.0.2\nMPICH Release date: ...". */
const char *ranks_library(void)
{
    static char name[64];
    static const char version[] = " Version:";
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    const char *word = strstr(text, version);
    if (word == NULL) {
        snprintf(name, sizeof name, "%.63s", text);
    } else {
        const char *number = word + sizeof version - 1;
        snprintf(name, sizeof name, "%.*s %.20s", (int)(word - text < 40 ? word - text : 40), text,
                 number + strspn(number, " \t"));
    }
    return name;
}
