/* Patches in and out of a run (device_patch.h). Warp w of patch_kernel owns pieces w, w + warps, ...: its lanes copy
 * the values of a piece side by side,
 *
 *     array      . . . . [ piece ] . . . . .        [ piece ] . . .
 *                           |                           |
 *     staging    [ piece ][ piece ][ piece ] ...  in the order of the patch
 *
 * and no two warps touch the same place. */
#include "kernels/patch/device_patch.h"

#include "kernels/common/device_peers.h"
#include "kernels/common/device_room.h"

#include <string.h>

#include <algorithm>

namespace
{

enum { PIECE_VALUES = 1024, PATCH_THREADS = 256, PATCH_BLOCKS = 1024 };
const size_t STAGING_BYTES = (size_t)16 << 20, BATCH_PIECES = (size_t)2 << 20;
/* Lists that are kept: of so many bytes in all, or of this share of what the device has free when all else is there. A
 * list that is not kept is made again at every exchange, which takes longer than many steps. */
const size_t LISTED_BYTES = (size_t)128 << 20;
const uint64_t LISTED_SHARE = 4;

/* ---- lists ------------------------------------------------------------------------------------------------------- */

struct listing {
    const device_locate *locate;
    size_t batch_values;
    std::vector<patch_piece> pieces;
    size_t values = 0;
    const std::function<pw_status()> *full; /* a batch is complete */
    pw_status status = PW_OK;
};

/* C code calls this: no exception may leave it. */
void list_row(void *context, const struct patch_row *row)
{
    listing *own = (listing *)context;
    struct patch_row rest = *row;
    if (own->status != PW_OK) {
        return;
    }
    try {
        for (int done = 0; done < row->count && own->status == PW_OK; done += rest.count) {
            rest.i = row->i + done;
            rest.count = std::min(row->count - done, (int)PIECE_VALUES);
            const patch_place place = (*own->locate)(&rest);
            if (own->values + (size_t)rest.count > own->batch_values || own->pieces.size() == BATCH_PIECES) {
                own->status = (*own->full)();
                own->pieces.clear();
                own->values = 0;
            }
            own->pieces.push_back({place.value, (uint32_t)own->values, (uint16_t)rest.count, (uint16_t)place.base});
            own->values += (size_t)rest.count;
        }
    } catch (const std::bad_alloc &) {
        own->status = PW_NO_RESOURCE;
    }
}

/* Calls use(pieces, values) for each batch of the patch. */
template <typename Use>
pw_status list_batches(const patch_request &request, size_t batch_values, const Use &use, pw_error *error)
{
    listing own;
    const std::function<pw_status()> full = [&] { return use(own.pieces, own.values); };
    own.locate = &request.locate;
    own.batch_values = batch_values;
    own.full = &full;
    patch_walk(request.problem, request.patch, list_row, &own);
    if (own.status == PW_OK && !own.pieces.empty()) {
        own.status = full();
    } else if (own.status != PW_OK && error != NULL && error->message[0] == '\0') {
        return fail(error, own.status, "not enough memory on the host for the CUDA backend");
    }
    return own.status;
}

bool same_patch(const struct patch &a, const struct patch &b)
{
    return memcmp(a.first, b.first, sizeof a.first) == 0 && memcmp(a.count, b.count, sizeof a.count) == 0 &&
           a.arrays == b.arrays;
}

/* The list of the patch, moved to the front; NULL: it is not listed. */
patch_list *find_list(device_patches *patches, const struct patch &patch)
{
    for (auto list = patches->lists.begin(); list != patches->lists.end(); ++list) {
        if (same_patch((*list)->patch, patch)) {
            patches->lists.splice(patches->lists.begin(), patches->lists, list);
            return patches->lists.front().get();
        }
    }
    return NULL;
}

/* Forgets what was not used for longest. */
void shorten(device_patches *patches)
{
    while (patches->listed > patches->room && patches->lists.size() > 1) {
        patches->listed -= patches->lists.back()->bytes;
        patches->lists.pop_back();
    }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* The lanes of a warp side by side, some words of each under way at once. */
template <typename Word>
__device__ __forceinline__ void copy_words(const Word *__restrict__ from, Word *__restrict__ to, int count)
{
#pragma unroll 4
    for (int n = threadIdx.x % 32; n < count; n += 32) {
        to[n] = from[n];
    }
}

template <typename Real>
__global__ void __launch_bounds__(PATCH_THREADS)
    patch_kernel(const patch_piece *pieces, size_t count, const patch_bases bases, Real *values, bool store)
{
    const int warps = PATCH_THREADS / 32;
    for (size_t p = (size_t)blockIdx.x * warps + threadIdx.x / 32; p < count; p += (size_t)gridDim.x * warps) {
        const patch_piece piece = pieces[p];
        Real *own = (Real *)bases.of[piece.base] + piece.value, *there = values + piece.to;
        const Real *from = store ? own : there;
        Real *to = store ? there : own;
        const size_t bytes = piece.count * sizeof(Real);
        if ((((uintptr_t)from | (uintptr_t)to | bytes) & (sizeof(uint4) - 1)) == 0) {
            copy_words((const uint4 *)from, (uint4 *)to, (int)(bytes / sizeof(uint4)));
        } else {
            copy_words(from, to, piece.count);
        }
    }
}

pw_status launch(const patch_request &request, const patch_batch &batch, void *values, bool store, pw_error *error)
{
    const size_t warps = PATCH_THREADS / 32, wanted = (batch.count + warps - 1) / warps;
    const unsigned blocks = (unsigned)std::min<size_t>(wanted, PATCH_BLOCKS);
    if (request.problem->precision == PW_SINGLE) {
        patch_kernel<float><<<blocks, PATCH_THREADS, 0, request.stream>>>(batch.pieces, batch.count, request.bases,
                                                                          (float *)values, store);
    } else {
        patch_kernel<double><<<blocks, PATCH_THREADS, 0, request.stream>>>(batch.pieces, batch.count, request.bases,
                                                                           (double *)values, store);
    }
    CUDA_LAUNCHED("patch_kernel");
    return PW_OK;
}

/* A batch between the run and `values`: at once where those are on the device, else by way of the staging memory. */
pw_status copy_batch(device_patches *patches, const patch_request &request, const patch_batch &batch, void *values,
                     bool direct, bool store, pw_error *error)
{
    const size_t bytes = batch.values * problem_value_size(request.problem);
    if (direct) {
        return launch(request, batch, values, store, error);
    }
    if (store) {
        TRY(launch(request, batch, patches->staging, true, error));
        CUDA_TRY(cudaMemcpyAsync(values, patches->staging, bytes, cudaMemcpyDefault, request.stream));
    } else {
        CUDA_TRY(cudaMemcpyAsync(patches->staging, values, bytes, cudaMemcpyDefault, request.stream));
        TRY(launch(request, batch, patches->staging, false, error));
    }
    return PW_OK;
}

/* Whether the device that is at work has the memory, or reaches it: else a kernel may see nothing of it. */
bool is_on_device(const void *values)
{
    cudaPointerAttributes attributes = {};
    int device = 0;
    if (cudaPointerGetAttributes(&attributes, values) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeDevice && device_reaches(device, attributes.device);
}

pw_status prepare(device_patches *patches, pw_error *error)
{
    char *staging = NULL;
    if (patches->staging == NULL) {
        TRY(device_array(&patches->memory, &staging, STAGING_BYTES, "what parts of the grid exchange", error));
        CUDA_TRY(cudaStreamSynchronize(NULL)); /* the zeros are there */
        patches->staging = staging;
        patches->room = std::max<uint64_t>(LISTED_BYTES, device_bytes_free() / LISTED_SHARE);
    }
    return PW_OK;
}

/* A patch whose list is there. */
pw_status copy_listed(device_patches *patches, const patch_request &request, const patch_list &list, void *values,
                      bool store, pw_error *error)
{
    const bool direct = is_on_device(values);
    char *next = (char *)values;
    for (const patch_batch &batch : list.batches) {
        TRY(copy_batch(patches, request, batch, next, direct, store, error));
        next += batch.values * problem_value_size(request.problem);
    }
    if (!request.deferred) {
        CUDA_TRY(cudaStreamSynchronize(request.stream));
    }
    return PW_OK;
}

} // namespace

pw_status device_patch_copy(device_patches *patches, const patch_request &request, void *values, bool store,
                            pw_error *error)
{
    TRY(prepare(patches, error));
    const patch_list *known = find_list(patches, *request.patch);
    if (known != NULL) {
        return copy_listed(patches, request, *known, values, store, error);
    }
    std::unique_ptr<patch_list> list(new patch_list());
    list->patch = *request.patch;
    const bool direct = is_on_device(values);
    char *next = (char *)values;
    bool kept = true;
    const auto use = [&](const std::vector<patch_piece> &pieces, size_t count) {
        device_memory passing;
        const patch_piece *made = NULL;
        const size_t bytes = pieces.size() * sizeof pieces[0];
        kept = kept && list->bytes + bytes <= patches->room / 2;
        TRY(device_copy(kept ? &list->memory : &passing, &made, pieces.data(), pieces.size(),
                        "what parts of the grid exchange", error));
        CUDA_TRY(cudaStreamSynchronize(NULL));
        const patch_batch batch = {made, pieces.size(), count};
        TRY(copy_batch(patches, request, batch, next, direct, store, error));
        CUDA_TRY(cudaStreamSynchronize(request.stream)); /* `passing` goes */
        next += count * problem_value_size(request.problem);
        list->bytes += bytes;
        list->batches.push_back(batch);
        return PW_OK;
    };
    TRY(list_batches(request, STAGING_BYTES / problem_value_size(request.problem), use, error));
    if (kept) {
        patches->listed += list->bytes;
        patches->lists.push_front(std::move(list));
        shorten(patches);
    }
    return PW_OK;
}
