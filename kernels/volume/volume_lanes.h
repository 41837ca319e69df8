/* A stream for every run, so that runs too small to fill the device step beside each other. What all runs share, the
 * adding of the spectra, is on a stream of its own: it begins when all runs have come so far (`join`), and they go on
 * when it is done (`fork`). */
#ifndef VOLUME_LANES_H
#define VOLUME_LANES_H

#include <vector>

#include "kernels/common/cuda_check.h"

struct volume_lanes {
    std::vector<cudaStream_t> own; /* of each run */
    cudaEvent_t reached = NULL;

    volume_lanes() = default;
    volume_lanes(const volume_lanes &) = delete;
    volume_lanes &operator=(const volume_lanes &) = delete;
    ~volume_lanes()
    {
        /* On the way out nothing can be done about a failure. */
        for (cudaStream_t lane : own) {
            (void)(lane != NULL && cudaStreamDestroy(lane));
        }
        (void)(reached != NULL && cudaEventDestroy(reached));
    }

    pw_status create(int runs, pw_error *error)
    {
        own.assign((size_t)runs, NULL);
        CUDA_TRY(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
        for (cudaStream_t &lane : own) {
            CUDA_TRY(cudaStreamCreateWithFlags(&lane, cudaStreamNonBlocking));
        }
        return PW_OK;
    }

    pw_status join(cudaStream_t shared, pw_error *error) const
    {
        for (cudaStream_t lane : own) {
            CUDA_TRY(cudaEventRecord(reached, lane));
            CUDA_TRY(cudaStreamWaitEvent(shared, reached, 0));
        }
        return PW_OK;
    }

    pw_status fork(cudaStream_t shared, pw_error *error) const
    {
        CUDA_TRY(cudaEventRecord(reached, shared));
        for (cudaStream_t lane : own) {
            CUDA_TRY(cudaStreamWaitEvent(lane, reached, 0));
        }
        return PW_OK;
    }
};

#endif
