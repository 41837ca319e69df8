# shellcheck shell=sh disable=SC2154
# For packaging/*.sh: an apt that knows one release of Debian alone. It keeps its state in $work, so that this machine's own is left alone.
#   debian_apt NAME SUITE COMMAND...     apt-get COMMAND of the source packages (NAME: deb-src) or the packages (deb) of that release
debian_apt() {
    kind=$1 suite=$2
    shift 2
    # shellcheck disable=SC2016
    mirrors=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sort -u)
    [ -n "$mirrors" ] || { echo "apt knows no mirror of Debian here" >&2; return 4; }
    signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
    echo "$mirrors" | sed -n "s|^Debian \(.*\)|$kind $signed \1 $suite main|p; s|^Debian-Security \(.*\)|$kind $signed \1 $suite-security main|p" > "$work/sources"
    mkdir -p "$work/lists" "$work/cache"
    touch "$work/status"
    apt-get -q -o APT::Sandbox::User="$(id -un)" -o Dir::Etc::SourceList="$work/sources" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" "$@"
}
