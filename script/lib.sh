# What the scripts share. They source this file. All of them work on a private copy of PostgreSQL: the extension is
# installed into that copy, and servers run in their own folders, on Unix sockets only. The system's folders and
# clusters stay as they are.
set -euo pipefail

PG_VERSION=${SNOWID_PG_VERSION:-15}
SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=${SNOWID_STATE:-/var/tmp/snowid-$(id -u)}
SEEN=${SNOWID_ROOT:-}$STATE  # the same from outside of another Debian (script/matrix.sh)
PG_MAJOR=${PG_VERSION%%-*}
PG_SYSTEM_BIN=/usr/lib/postgresql/$PG_MAJOR/bin
PG_ROOT=$STATE/postgresql-$PG_VERSION
PG_BIN=$PG_ROOT$PG_SYSTEM_BIN
DEMO=$STATE/demo
export PGCTLTIMEOUT=300  # seconds: others may use the machine
cd "$SOURCE"

say() { printf '== %s\n' "${SNOWID_ROOT:+PostgreSQL $PG_VERSION: }$*"; }
fail() {
    printf 'snowid: %s\n' "${SNOWID_ROOT:+PostgreSQL $PG_VERSION: }$*" >&2
    exit 1
}

# Servers refuse to run as root. Root runs them as the user that Debian's package creates.
unprivileged() {
    local as_user=(chroot --userspec=postgres:postgres --skip-chdir / env HOME="$STATE")
    if [ "$(id -u)" != 0 ]; then as_user=(); fi
    "${as_user[@]}" "$@"
}

need_disk() { # megabytes
    local free
    mkdir -p "$STATE" 2>/dev/null || fail "cannot write to $STATE. Set SNOWID_STATE to a folder that you can write to."
    free=$(df -Pm "$STATE" | awk 'NR == 2 {print $4}')
    [ "$free" -ge "$1" ] || fail "needs $1 MB of disk in $STATE, and $free MB are free. Set SNOWID_STATE to another folder."
}

# What is built lies in the clone and in $STATE, so one run at a time works with either. The locks end with the run.
only_run() {
    need_disk 0
    exec {LOCKS[0]}<"$SOURCE" {LOCKS[1]}>>"$STATE/lock"
    flock -n "${LOCKS[0]}" || fail "another run works in $SOURCE. Wait until it ends, or use another clone with a SNOWID_STATE of its own."
    flock -n "${LOCKS[1]}" || fail "another run works in $STATE. Wait until it ends, or set SNOWID_STATE to another folder."
}
LOCKS=()

# Runs a command, ends whatever it has left, wherever that went, and writes what all of it took of processors to a file. Where namespaces
# are allowed, the first process of one gets all orphans. It ignores signals that it does not handle.
contained() { # file, command...
    local inside=(unshare --pid --ipc --fork --kill-child --mount-proc)
    if [ "$(id -u)" != 0 ]; then inside+=(--map-current-user --keep-caps); fi
    "${inside[@]}" true 2>/dev/null || inside=()
    "${inside[@]}" bash -c 'trap "exit 130" INT TERM
        if [ $$ = 1 ]; then
            mount -t tmpfs -o mode=1777 tmpfs /dev/shm
            if [ $UID != 0 ]; then set -- "$1" setpriv --inh-caps=-all --ambient-caps=-all "${@:2}"; fi
        fi
        status=0; "${@:2}" || status=$?; times >"$1"; exit $status' contained "$@"
}

# Servers under $STATE that nothing contained, but not that of script/demo.
end_servers() {
    local file pid
    find "$STATE" \( -path "$DEMO" -o -path "$STATE/pg*" \) -prune -o -name postmaster.pid -print | while read -r file; do
        pid=$(head -n 1 "$file")
        if [ "/proc/$pid/cwd" -ef "${file%/*}" ]; then kill -QUIT "$pid"; fi
    done
}

# Installs those of the named Debian packages that are missing. No cluster is created, and no service is started. Another
# apt-get is waited for, and a run that is ended lets this one finish.
need_packages() { # package...
    local missing log=${TMPDIR:-/tmp}/snowid-apt.log as_root=()
    missing=$(comm -23 <(printf '%s\n' "$@" | sort -u) <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p' | sort -u) | xargs)
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
    "${as_root[@]}" apt-get --version >/dev/null 2>&1 || fail "needs the packages $missing. As root: apt-get install $missing"
    say "installing $missing"
    setsid -w "${as_root[@]}" flock /var/lib/dpkg bash -ec "$INSTALL" snowid $missing >"$log" 2>&1 || { tail -n 3 "$log" >&2; fail "could not install $missing."; }
    missing=$(sed -nE 's/(^|.* )postgresql-([0-9]+)( .*|$)/\2/p' <<<"$missing")
    if [ -n "$missing" ]; then say "apt no longer makes a cluster for PostgreSQL $missing; to get one: pg_createcluster $missing main --start"; fi
}
INSTALL='
    made=(/etc/postgresql-common/createcluster.d/snowid.conf)
    if [ ! -e /usr/sbin/policy-rc.d ]; then made+=(/usr/sbin/policy-rc.d); fi
    trap "rm -f \${made[*]}" EXIT
    echo "create_main_cluster = false" | install -D /dev/stdin "${made[0]}"
    [ ${#made[@]} = 1 ] || printf "#!/bin/sh\nexit 101\n" | install -m 755 /dev/stdin "${made[1]}"
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"'

# Those of the named packages that this Debian has.
packaged() { # package...
    apt-cache show "$@" 2>/dev/null | sed -n 's/^Package: //p' | sort -u
}

DOCS_PACKAGES=(mkdocs mkdocs-material mkdocs-literate-nav clang-14 lld-14 python3 wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32)

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

# Fetches the npm packages that a folder's lock file names, once, and again when that file has changed.
npm_fetch() { # folder, to
    ! cmp -s "$1/package-lock.json" "$2/node_modules/of.json" || return 0
    if ! command -v npm >/dev/null; then echo "there is no npm" && return 1; fi
    mkdir -p "$2"
    cp "$1/package.json" "$1/package-lock.json" "$2/"
    npm --prefix "$2" ci --ignore-scripts --no-audit --no-fund && cp "$1/package-lock.json" "$2/node_modules/of.json"
}

# PostgreSQL finds its files relative to its programs, so a copy of its folders works anywhere.
need_private_postgresql() {
    need_packages rsync
    mkdir -p "$PG_ROOT"
    rsync -aR $("$PG_SYSTEM_BIN/pg_config" --bindir --sharedir --pkglibdir --includedir | sort -u) "$PG_ROOT"
    if [ "$(id -u)" = 0 ]; then chown postgres: "$STATE"; fi
}

# make does not notice another PostgreSQL or compiler, or other flags, so what was built before is removed then.
build_and_install() { # what else to make...
    local by make=(make -s "PG_CONFIG=$PG_BIN/pg_config")
    by=$("$PG_BIN/postgres" --version; g++ --version; sha256sum Makefile)
    say "building"
    if [ "$(cat build/by 2>/dev/null)" != "$by" ]; then "${make[@]}" clean >/dev/null; fi
    mkdir -p build
    echo "$by" >build/by
    { "${make[@]}" -j"$(nproc)" all "$@" && "${make[@]}" install; } >"$STATE/build.log" 2>&1 ||
        { tail -n 30 "$STATE/build.log" >&2; fail "the build failed; all of it is in $SEEN/build.log."; }
}

# The clock that a test can set.
build_clock() { cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$1" "$SOURCE/test/clock/clock.c"; } # file

# Starts a server in its own folder, which holds its data, socket and log. Further arguments are lines for its
# configuration, if it has none yet.
server_start() { # folder, line...
    local folder=$1
    if unprivileged "$PG_BIN/pg_ctl" -D "$folder/data" status >/dev/null 2>&1; then return 0; fi
    if [ ! -f "$folder/data/PG_VERSION" ]; then
        rm -rf "$folder"
        unprivileged mkdir -p "$folder"
        unprivileged "$PG_BIN/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >"$STATE/initdb.log" ||
            fail "initdb failed; see $SEEN/initdb.log."
        printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" "${@:2}" >>"$folder/data/postgresql.conf"
    fi
    unprivileged "$PG_BIN/pg_ctl" -D "$folder/data" -l "$folder/log" -w start >/dev/null ||
        { tail -n 5 "$folder/log" >&2; fail "the server did not start; its log is ${SNOWID_ROOT:-}$folder/log."; }
}

# The same without anything that an earlier run has left there. Such a server need not outlive its machine.
server_fresh() { # folder, line...
    server_stop "$1"
    rm -rf "$1"
    server_start "$1" "fsync = off" "${@:2}"
}

server_stop() { # folder
    [ ! -d "$1/data" ] || unprivileged "$PG_BIN/pg_ctl" -D "$1/data" -m fast -w stop >/dev/null 2>&1 || true
}

under_valgrind() { # folder of a server, option of valgrind...
    server_stop "$1"
    printf '#!/bin/sh\nexec valgrind -q %s "%s" "$@"\n' "${*:2}" "$PG_BIN/postgres" >"$1/postgres"
    chmod +x "$1/postgres"
    unprivileged "$PG_BIN/pg_ctl" -D "$1/data" -l "$1/log" -p "$1/postgres" -t 120 -w start >/dev/null
}
