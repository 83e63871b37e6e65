# What the scripts share. They source this file. All of them work on a private copy of PostgreSQL: the extension is
# installed into that copy, and servers run in their own folders, on Unix sockets only. The system's folders and
# clusters stay as they are.
set -euo pipefail

PG_VERSION=${SNOWID_PG_VERSION:-15}
SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=${SNOWID_STATE:-/var/tmp/snowid-$(id -u)}
PG_MAJOR=${PG_VERSION%-cassert}
PG_SYSTEM_BIN=/usr/lib/postgresql/$PG_MAJOR/bin
PG_ROOT=$STATE/postgresql-$PG_VERSION
PG_BIN=$PG_ROOT$PG_SYSTEM_BIN
cd "$SOURCE"

# Runs in other Debians (script/matrix.sh) run at the same time, so their lines carry their version.
LABEL=${SNOWID_ROOT:+PostgreSQL $PG_VERSION: }

say() { printf '%s\n' "== $LABEL$*"; }
fail() {
    printf '%s\n' "snowid: $LABEL$*" >&2
    exit 1
}

# Servers refuse to run as root. Root runs them as the user that Debian's package creates.
unprivileged() {
    if [ "$(id -u)" = 0 ]; then
        chroot --userspec=postgres:postgres --skip-chdir / env HOME="$STATE" "$@"
    else
        "$@"
    fi
}

DOCS_PACKAGES=(mkdocs mkdocs-material mkdocs-literate-nav clang-14 lld-14 python3 wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32)

# Installs those of the named Debian packages that are missing, without the cluster that Debian would create. Only one
# part of a run does so at a time.
need_packages() {
    [ -n "$(missing_packages "$@")" ] || return 0
    need_disk 0
    (
        flock 5
        missing=($(missing_packages "$@"))
        [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}" 5>&-
    ) 5>"$STATE/packages.lock" || exit 1
}

# The same for packages without which a part is skipped.
want_packages() {
    local package
    for package in "$@"; do (need_packages "$package") || true; done
}

missing_packages() {
    local package
    for package in $(printf '%s\n' "$@" | sort -u); do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

install_packages() {
    command -v apt-get >/dev/null || fail "needs the Debian packages $*, and there is no apt-get here."
    local root=()
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || fail "needs the packages $*. As root: apt-get install $*"
        root=(sudo -n)
    fi
    say "installing $*"
    local drop_in=/etc/postgresql-common/createcluster.d/snowid.conf
    "${root[@]}" mkdir -p "${drop_in%/*}"
    echo 'create_main_cluster = false' | "${root[@]}" tee "$drop_in" >/dev/null
    { "${root[@]}" apt-get -qq update &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
            "$@" >"${TMPDIR:-/tmp}/snowid-apt.log" 2>&1; } || {
        "${root[@]}" rm -f "$drop_in"
        tail -n 3 "${TMPDIR:-/tmp}/snowid-apt.log" >&2 || true
        fail "could not install $*."
    }
    "${root[@]}" rm -f "$drop_in"
}

# Fetches the npm packages that a folder's lock file names, once, and again when that file has changed.
npm_fetch() { # folder, to
    local wanted
    wanted=$(cat "$1/package.json" "$1/package-lock.json" | sha256sum)
    [ "$wanted" != "$(cat "$2/node_modules.stamp" 2>/dev/null)" ] || return 0
    mkdir -p "$2"
    cp "$1/package.json" "$1/package-lock.json" "$2/"
    npm --prefix "$2" ci --ignore-scripts --no-audit --no-fund && echo "$wanted" >"$2/node_modules.stamp"
}

# Unpacks the files of Debian packages without installing them.
unpack_packages() { # folder, package...
    rm -rf "$1"
    mkdir -p "$1"
    (
        cd "$1"
        apt-get -qq download "${@:2}" 2>/dev/null || { apt-get -qq update && apt-get -qq download "${@:2}"; }
        for package in *.deb; do dpkg -x "$package" . && rm "$package"; done
    )
}

need_disk() { # megabytes
    local free
    mkdir -p "$STATE" 2>/dev/null || fail "cannot write to $STATE. Set SNOWID_STATE to a folder that you can write to."
    free=$(df -Pm "$STATE" | awk 'NR == 2 {print $4}')
    [ "$free" -ge "$1" ] || fail "needs $1 MB of disk in $STATE, and $free MB are free. Set SNOWID_STATE to another folder."
}

# PostgreSQL finds its files relative to its programs, so a copy of its folders works anywhere. The copy is made again
# when the files in the folders have changed, because a package was upgraded, added or removed.
need_private_postgresql() {
    local folders version copied part
    folders=$("$PG_SYSTEM_BIN/pg_config" --bindir --sharedir --pkglibdir --includedir | sort -u)
    version=$("$PG_SYSTEM_BIN/postgres" --version)
    copied="$version; its files are $(find $folders -printf '%p %s %T@ %l\n' | sort | sha256sum)"
    if [ "$(cat "$PG_ROOT/version" 2>/dev/null)" != "$copied" ]; then
        say "copying $version to $PG_ROOT"
        rm -rf "$PG_ROOT"
        for part in $folders; do
            mkdir -p "$PG_ROOT$part"
            cp -a "$part/." "$PG_ROOT$part"
        done
        echo "$copied" >"$PG_ROOT/version"
    fi
    [ "$(id -u)" != 0 ] || chown postgres: "$STATE"
}

# make does not notice that its objects were built for another PostgreSQL, so those are removed first.
build_and_install() {
    say "building"
    [ "$(cat build/postgresql 2>/dev/null || echo "${SNOWID_PG_VERSION:-15}")" = "$PG_VERSION" ] ||
        make -s clean PG_CONFIG="$PG_BIN/pg_config" >/dev/null
    mkdir -p build
    echo "$PG_VERSION" >build/postgresql
    make -s -j"$(nproc)" PG_CONFIG="$PG_BIN/pg_config" >"$STATE/build.log" 2>&1 ||
        { tail -n 30 "$STATE/build.log" >&2; fail "the build failed; all of it is in ${SNOWID_ROOT:-}$STATE/build.log."; }
    rm -rf "$("$PG_BIN/pg_config" --pkglibdir)"/bitcode/snowid*  # this build may not make any
    make -s install PG_CONFIG="$PG_BIN/pg_config" >>"$STATE/build.log" 2>&1 ||
        { tail -n 5 "$STATE/build.log" >&2; fail "could not install into $PG_ROOT."; }
    # Tests update from released versions.
    cp sql/released/snowid--*.sql "$("$PG_BIN/pg_config" --sharedir)/extension/"
}

# Starts a server in its own folder, which holds its data, socket and log. Further arguments are lines for its
# configuration, if it has none yet.
SERVERS=()  # folders of servers that this shell has started
server_start() { # folder, line...
    local folder=$1 line
    shift
    if unprivileged "$PG_BIN/pg_ctl" -D "$folder/data" status >/dev/null 2>&1; then return 0; fi
    if [ ! -f "$folder/data/PG_VERSION" ]; then
        rm -rf "$folder"
        unprivileged mkdir -p "$folder"
        unprivileged "$PG_BIN/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >"$STATE/initdb.log" ||
            fail "initdb failed; see ${SNOWID_ROOT:-}$STATE/initdb.log."
        {
            echo "listen_addresses = ''"
            echo "unix_socket_directories = '$folder'"
            for line in "$@"; do echo "$line"; done
        } | unprivileged tee -a "$folder/data/postgresql.conf" >/dev/null
    fi
    unprivileged "$PG_BIN/pg_ctl" -D "$folder/data" -l "$folder/log" -w start >/dev/null ||
        { tail -n 5 "$folder/log" >&2; fail "the server did not start; its log is ${SNOWID_ROOT:-}$folder/log."; }
    SERVERS+=("$folder")
}

# The same without anything that an earlier run has left there.
server_fresh() { # folder, line...
    server_stop "$1"
    rm -rf "$1"
    server_start "$@"
}

server_stop() { # folder
    [ ! -d "$1/data" ] || unprivileged "$PG_BIN/pg_ctl" -D "$1/data" -m fast -w stop >/dev/null 2>&1 || true
}

# Ends the servers in the folders of SERVERS after an interrupt. One that is just starting may not have its file yet.
servers_abort() {
    local file
    [ ${#SERVERS[@]} != 0 ] || return 0
    sleep 0.3
    find "${SERVERS[@]}" -name postmaster.pid 2>/dev/null | while read -r file; do
        unprivileged "$PG_BIN/pg_ctl" -D "${file%/*}" -m immediate -w stop >/dev/null 2>&1 || true
    done
}
