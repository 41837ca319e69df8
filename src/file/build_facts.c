/* How this library was built, and the versions of the libraries that it meets at run time. */
#include "base/status.h"

#include <civetweb.h>
#include <expat.h>
#include <fftw3.h>
#include <glpk.h>
#include <hdf5.h>
#include <jansson.h>
#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <yaml.h>
#include <zip.h>
#include <zlib.h>

#include <jpeglib.h> /* needs FILE of stdio.h */

/* libjpeg-turbo and jansson do not tell at run time, or not in all versions: these are as built with. */
#ifdef LIBJPEG_TURBO_VERSION
#define TEXT_OF(version) #version
#define TEXT(version)    TEXT_OF(version)
#define JPEG_VERSION     TEXT(LIBJPEG_TURBO_VERSION)
#else
#define JPEG_VERSION "another libjpeg"
#endif

#ifndef PW_CUDA
#define PW_CUDA "not known"
#endif

static char facts[768];

/* What stands behind the name of the library, up to the end of the line: "expat_2.5.0", "LIBTIFF, Version 4.5.0\n...".
 */
static const char *version_alone(const char *text, char version[32])
{
    text += strcspn(text, "0123456789");
    snprintf(version, 32, "%.*s", (int)strcspn(text, "\n"), text);
    return version;
}

static void facts_write(void)
{
    unsigned major = 0, minor = 0, release = 0;
    char fftw[32], expat[32], tiff[32];
    (void)H5get_libversion(&major, &minor, &release); /* zeros say that it failed */
    snprintf(facts, sizeof facts,
             "  compiler  %s %s\n"
             "  CUDA      %s\n"
             "  HDF5      %u.%u.%u\n"
             "  FFTW      %s\n"
             "  libpng    %s, zlib %s, libyaml %s\n"
             "  libtiff   %s, libjpeg-turbo %s, libzip %s, jansson %s, expat %s\n"
             "  GLPK      %s, CivetWeb %s\n",
#ifdef __clang__
             "clang",
#else
             "gcc",
#endif
             __VERSION__, PW_CUDA, major, minor, release, version_alone(fftw_version, fftw), png_get_libpng_ver(NULL),
             zlibVersion(), yaml_get_version_string(), version_alone(TIFFGetVersion(), tiff), JPEG_VERSION,
             zip_libzip_version(), JANSSON_VERSION, version_alone(XML_ExpatVersion(), expat), glp_version(),
             mg_version());
}

const char *pw_build_facts(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, facts_write);
    return facts;
}
