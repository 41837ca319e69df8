#!/bin/sh
# Builds HDF5 for the wheel, from its source alone: zlib is all it needs. Debian's own brings libcurl for a driver of files on servers, and
# with it krb5, ldap and ssh2, which a wheel would carry and nobody would patch.
#   packaging/hdf5.sh PREFIX            HDF5_SOURCE=hdf5.tar.gz: a file that is here already; else apt fetches it from Debian's mirror
# The source is Debian's, of the release that stays for years: a newer one leaves the mirror with each upload. Its checksum is held.
set -eu
version=1.14.5 suite=trixie
checksum=71cdb04c151ef4e8a7f88907adfc4f3b75afd44e96fbd55775e1c9d7c4e7c112

[ $# -eq 1 ] || { echo "usage: packaging/hdf5.sh PREFIX" >&2; exit 2; }
prefix=$(mkdir -p "$1" && cd "$1" && pwd)
[ ! -f "$prefix/lib/pkgconfig/hdf5.pc" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # the tar of the source package into $work, by an apt that knows that release alone
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
    [ -n "$mirror" ] || { echo "apt knows no mirror of Debian here: give HDF5_SOURCE=hdf5-$version.tar.gz" >&2; exit 4; }
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$work/sources"
    mkdir -p "$work/lists" "$work/cache"
    set -- -q -o APT::Sandbox::User="$(id -un)" -o Dir::Etc::SourceList="$work/sources" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
    apt-get "$@" update
    (cd "$work" && apt-get "$@" source --tar-only --download-only hdf5)
    HDF5_SOURCE=$(echo "$work"/hdf5_"$version"*.orig.tar.*)
}
[ -n "${HDF5_SOURCE:-}" ] || fetch
echo "$checksum  $HDF5_SOURCE" | sha256sum --check --status ||
    { echo "$HDF5_SOURCE is not HDF5 $version, whose SHA-256 is $checksum" >&2; exit 3; }

mkdir "$work/source" "$work/build"
tar -xf "$HDF5_SOURCE" -C "$work/source" --strip-components 1
cd "$work/build"
# Threads: as Debian builds it, so that several results are read at once.
../source/configure --prefix="$prefix" --disable-static --disable-tests --disable-tools --enable-hl --enable-threadsafe --enable-unsupported \
    --enable-build-mode=production --without-szlib --disable-ros3-vfd --disable-hdfs CFLAGS="-O2 -g0 -ffile-prefix-map=$work=."
make -j"$(nproc)"
make install-strip
cp ../source/COPYING "$prefix/COPYING"
mkdir "$prefix/lib/pkgconfig"
printf '%s\n' 'Name: hdf5' 'Description: HDF5' "Version: $version" "Libs: -L$prefix/lib -lhdf5" "Cflags: -I$prefix/include" \
    > "$prefix/lib/pkgconfig/hdf5.pc"
