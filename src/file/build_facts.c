/* How this library was built, and the versions of the libraries that it meets at run time. */
#include "base/status.h"

#include <fftw3.h>
#include <hdf5.h>
#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>

#ifndef PW_CUDA
#define PW_CUDA "not known"
#endif

static char facts[512];

static void facts_write(void)
{
    unsigned major = 0, minor = 0, release = 0;
    (void)H5get_libversion(&major, &minor, &release); /* zeros say that it failed */
    snprintf(facts, sizeof facts,
             "  compiler  %s %s\n"
             "  CUDA      %s\n"
             "  HDF5      %u.%u.%u\n"
             "  FFTW      %s\n"
             "  libpng    %s, zlib %s, libyaml %s\n",
#ifdef __clang__
             "clang",
#else
             "gcc",
#endif
             __VERSION__, PW_CUDA, major, minor, release,
             strncmp(fftw_version, "fftw-", 5) == 0 ? fftw_version + 5 : fftw_version, png_get_libpng_ver(NULL),
             zlibVersion(), yaml_get_version_string());
}

const char *pw_build_facts(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, facts_write);
    return facts;
}
