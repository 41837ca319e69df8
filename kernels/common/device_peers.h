/* Which devices write into each other's memory. Leaves out: who connects them (backend_cuda.cu). */
#ifndef DEVICE_PEERS_H
#define DEVICE_PEERS_H

#include "kernels/common/cuda_check.h"

/* Of the first 64 devices: those whose memory the device has been let into. */
inline devices_done *device_connected(int device)
{
    static devices_done connected[64], none;
    return device >= 0 && device < 64 ? &connected[device] : &none;
}

inline bool device_reaches(int device, int other)
{
    return device == other || (device >= 0 && device < 64 && device_connected(device)->has(other));
}

#endif
