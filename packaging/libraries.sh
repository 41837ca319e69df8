#!/bin/sh
# Builds HDF5 and libzip for the wheel, from their sources alone: zlib is all that they need. Debian's HDF5 brings libcurl for a driver of
# files on servers, and with it krb5, ldap and ssh2. Debian's libzip brings OpenSSL for archives with a password. A wheel would carry
# these, and nobody would patch them.
#   packaging/libraries.sh PREFIX       SOURCES=FOLDER: the tars are in that folder; else apt fetches them from Debian's mirror
#                                       TRIPLET=aarch64-linux-gnu ROOT=FOLDER: for that processor, with the zlib of packaging/root.sh
# The sources are Debian's, of releases that stay for years: a newer one leaves the mirror with each upload. Their checksums are held.
set -eu
[ $# -eq 1 ] || { echo "usage: packaging/libraries.sh PREFIX" >&2; exit 2; }
prefix=$(mkdir -p "$1/licences" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tars=${SOURCES:-$work}

# shellcheck source=packaging/debian_apt.sh
. "$(dirname "$0")/debian_apt.sh"
fetch() { # NAME SUITE: the tar of the source package into $work
    rm -rf "$work/lists"
    debian_apt deb-src "$2" update
    (cd "$work" && debian_apt deb-src "$2" source --tar-only --download-only "$1")
}

unpack() { # NAME VERSION SUITE CHECKSUM LICENCE: the source into $work/NAME
    [ -n "${SOURCES:-}" ] || fetch "$1" "$3"
    tar=$(echo "$tars/$1_$2"*.orig.tar.*)
    echo "$4  $tar" | sha256sum --check --status || { echo "$tar is not $1 $2, whose SHA-256 is $4" >&2; exit 3; }
    mkdir "$work/$1"
    tar -xf "$tar" -C "$work/$1" --strip-components 1
    cp "$work/$1/$5" "$prefix/licences/$1-$2.txt"
    cd "$work/$1"
}
flags="-O2 -g0 -ffile-prefix-map=$work=."
if [ -n "${TRIPLET:-}" ]; then
    export CC="$TRIPLET-gcc --sysroot=$ROOT"
    autotools="--host=$TRIPLET"
    cmake="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSROOT=$ROOT -DCMAKE_C_COMPILER=$TRIPLET-gcc -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER"
fi

if [ ! -f "$prefix/lib/pkgconfig/hdf5.pc" ]; then
    version=1.14.5
    unpack hdf5 $version trixie 71cdb04c151ef4e8a7f88907adfc4f3b75afd44e96fbd55775e1c9d7c4e7c112 COPYING
    # Threads: as Debian builds it, so that several results are read at once. Neither the folders, the day and the machine of the build
    # (embedded-libinfo) nor the folder that it is installed into (libtool's rpath): two builds have the same bytes.
    # shellcheck disable=SC2086
    ./configure ${autotools:-} --prefix="$prefix" --disable-static --disable-tests --disable-tools --enable-hl --enable-threadsafe --enable-unsupported \
        --enable-build-mode=production --disable-embedded-libinfo --without-szlib --disable-ros3-vfd --disable-hdfs CFLAGS="$flags"
    sed -i 's/^hardcode_libdir_flag_spec=.*/hardcode_libdir_flag_spec=/; s/^runpath_var=.*/runpath_var=NO_RPATH/' libtool
    make -j"$(nproc)"
    make install-strip
    mkdir -p "$prefix/lib/pkgconfig"
    printf '%s\n' 'Name: hdf5' 'Description: HDF5' "Version: $version" "Libs: -L$prefix/lib -lhdf5" "Cflags: -I$prefix/include" \
        > "$prefix/lib/pkgconfig/hdf5.pc"
fi
if [ ! -f "$prefix/lib/pkgconfig/libzip.pc" ]; then
    # Without arc4random(), which glibc 2.35 lacks.
    unpack libzip 1.7.3 bookworm a60473ffdb7b4260c08bfa19c2ccea0438edac11193c3afbbb1f17fbcf6c6132 LICENSE
    # shellcheck disable=SC2086
    cmake . ${cmake:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$flags" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
        -DHAVE_ARC4RANDOM=OFF -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
        -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
    make -j"$(nproc)" install/strip
fi
