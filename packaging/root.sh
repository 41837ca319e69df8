#!/bin/sh
# Makes a folder with the headers and libraries of Debian 12 for another processor, for a compiler that takes it as --sysroot. Nothing is
# installed on this machine, nothing in the folder is run, and no rights are needed.
#   packaging/root.sh FOLDER DEBIAN_ARCHITECTURE PACKAGE...
# A database of dpkg tells which package a file belongs to: dpkg --admindir=FOLDER/var/lib/dpkg -S FILE.
set -eu
[ $# -ge 3 ] || { echo "usage: packaging/root.sh FOLDER DEBIAN_ARCHITECTURE PACKAGE..." >&2; exit 2; }
root=$1 arch=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=packaging/debian_apt.sh
. "$(dirname "$0")/debian_apt.sh"
foreign="-o APT::Architecture=$arch -o APT::Architectures=$arch -o APT::Install-Recommends=false"
# shellcheck disable=SC2086
debian_apt deb bookworm $foreign update
# shellcheck disable=SC2086
debian_apt deb bookworm $foreign -y --download-only install "$@"

rm -rf "$root"
known=$root/var/lib/dpkg
mkdir -p "$known/info"
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
    { dpkg-deb -f "$package"; printf '%s\n' 'Status: install ok unpacked' ''; } >> "$known/status"
    dpkg-deb --fsys-tarfile "$package" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|' > "$known/info/$(dpkg-deb -f "$package" Package).list"
done
# A link to /lib/NAME means the file in this root, not that of this machine.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
