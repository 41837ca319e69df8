/* How this library was built, and the versions of the libraries that it meets at run time. */
#include "api/support.h"

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

enum { ADDED_LIMIT = 8 };
static const char *added[ADDED_LIMIT];
static size_t added_count;
static char facts[1024];

void pw_build_facts_add(const char *text)
{
    if (added_count < ADDED_LIMIT) {
        added[added_count++] = text;
    }
}

/* What stands behind the name of the library, up to the end of the line: "fftw-3.3.10-sse2". */
static const char *version_alone(const char *text, char version[32])
{
    text += strcspn(text, "0123456789");
    snprintf(version, 32, "%.*s", (int)strcspn(text, "\n"), text);
    return version;
}

static void facts_write(void)
{
    unsigned major = 0, minor = 0, release = 0;
    char fftw[32];
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
             __VERSION__, PW_CUDA, major, minor, release, version_alone(fftw_version, fftw), png_get_libpng_ver(NULL),
             zlibVersion(), yaml_get_version_string());
    for (size_t n = 0; n < added_count; n++) {
        strncat(facts, added[n], sizeof facts - strlen(facts) - 1);
    }
}

const char *pw_build_facts(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, facts_write);
    return facts;
}
