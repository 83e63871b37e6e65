# Runs a script on a PostgreSQL version that this Debian does not have. Each version has a folder with a small Debian in
# it, which is made once. script/test and script/bench run there as they do here, on a copy of this source. All of this
# needs root. To have the folder made again from what its suite holds now, remove it. That is safe: seen from outside,
# nothing is ever mounted in it.
source script/release/arch.sh

# 19 is in experimental, which is not a complete system, so it is added to sid's folder.
matrix_suite() { # version
    case ${1%%-*} in
        13) echo bullseye ;;  # for script/release/directory
        15) echo bookworm ;;
        17) echo trixie ;;
        18 | 19) echo sid ;;
        *) fail "this knows the PostgreSQL versions $PG_VERSION, 17, 18 and 19, not \"$1\"." ;;
    esac
}

matrix_folder() { # version
    local version=${1%-cassert}
    if [ "$version" = 19 ]; then version=18; fi
    if [ -n "${SNOWID_STATE:-}" ]; then echo "$SNOWID_STATE/pg$version"; else echo "/var/cache/snowid-pg$version"; fi
}

# Runs a command as root inside the folder. Its mounts are in their own mount namespace: they vanish however the run
# ends, and no rm of the folder can reach through them. The process and IPC namespaces end whatever a failed test left
# running. /dev belongs to the folder, so nothing in this machine's /dev is created or removed. The first process of a
# PID namespace ignores signals that it does not handle.
matrix_inside() { # folder, command...
    local name environment=(PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/tmp)
    for name in http_proxy https_proxy no_proxy SNOWID_{PG_VERSION,ROOT,SEED,COMMIT,LONG} CI; do [ -z "${!name:-}" ] || environment+=("$name=${!name}"); done
    unshare --mount --pid --ipc --fork --kill-child --mount-proc --root="$1" env -i "${environment[@]}" \
        bash -ec 'trap "exit 130" INT TERM
            mkdir -p /dev/shm
            mount -t tmpfs -o mode=1777 tmpfs /dev/shm
            "$@" || exit' matrix "${@:2}"
}

# The mirror is the one from which this machine gets its own packages. It may be a snapshot, whose lists have expired. Only
# PostgreSQL comes from experimental: without the pin apt would refuse its libpq. No package may start a service.
# A shell that mmdebstrap starts knows only file descriptors below 10, so those that are open here are closed to it.
matrix_make_system() { # folder, suite, architecture if it is another
    local mirror sources
    [ ! -e "$1/.snowid-made" ] || return 0
    need_packages mmdebstrap debian-archive-keyring util-linux
    mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v codename="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$1 == codename {print $2; exit}')
    [ -n "$mirror" ] || fail "found no mirror of this Debian in apt's configuration."
    sources=("deb $mirror $2 main")
    if [ "$2" = sid ]; then sources+=("deb $mirror experimental main"); fi
    say "making a Debian $2 in $1"
    rm -rf --one-file-system "$1"
    mmdebstrap ${3:+--architectures="$3"} --variant=minbase --include=ca-certificates --keyring=/usr/share/keyrings/debian-archive-keyring.gpg --dpkgopt=force-unsafe-io \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
        --customize-hook='printf "%s\n" "Package: src:postgresql-19" "Pin: release a=experimental" "Pin-Priority: 500" >"$1/etc/apt/preferences.d/snowid"' \
        --customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d" && chmod +x "$1/usr/sbin/policy-rc.d"' \
        "$2" "$1" "${sources[@]}" >"$1.log" 2>&1 3>&- 4>&- 7>&- ||
        { tail -n 3 "$1.log" >&2; fail "mmdebstrap failed; all it said is in $1.log."; }
    if [ -n "${3:-}" ]; then arch_compiler "$1" "$3"; fi
    touch "$1/.snowid-made"
}

# Sets `folder` to the folder of a version, and makes it if it does not exist. One run at a time may change it.
matrix_enter() { # version
    local arch
    folder=$(matrix_folder "$1")
    arch=$(arch_of "$1")
    [ "$(id -u)" = 0 ] || fail "this needs root: it makes a Debian $(matrix_suite "$1") in $folder, and works in a chroot."
    mkdir -p "$(dirname "$folder")"
    if [ -z "${http_proxy:-}" ]; then eval "$(apt-config shell http_proxy Acquire::http::Proxy)"; fi
    if [ -n "${http_proxy:-}" ]; then export http_proxy; fi
    exec 7>"$folder.lock"
    flock -n 7 || { say "waiting for another run in $folder"; flock 7; }
    if [ ! -e "$folder/.snowid-made" ]; then STATE=$(dirname "$folder") need_disk 4000; fi
    if [ -n "$arch" ]; then arch_emulate "$arch"; fi
    matrix_make_system "$folder" "$(matrix_suite "$1")" "$arch"
}

# PostgreSQL's headers without the LLVM on which their package depends, and which takes longer to install than all else: no bitcode
# is built.
matrix_headers() {
    [ ! -e "$("$PG_SYSTEM_BIN/pg_config" --includedir-server)/postgres.h" ] || return 0
    unpack_packages "$STATE/headers" "postgresql-server-dev-$PG_MAJOR"
    cp -a "$STATE/headers/." /
}

# Copies all files that git knows or would add. The copy also holds what was built from it, so a file is written only
# when its content differs, and gets the time of the copying.
matrix_copy_source() { # to
    need_packages rsync
    mkdir -p "$1"
    rsync -rlpc --delete --exclude=/.git --filter=':- .gitignore' ./ "$1/"
}

# Warnings are errors there, because another compiler and other headers may find more.
matrix_run() { # version, script, argument...
    local folder
    folder=$(matrix_folder "$1")
    CI=1 SNOWID_PG_VERSION=$1 SNOWID_ROOT=$folder matrix_inside "$folder" "/usr/src/snowid-$1/$2" "${@:3}"
}

# Does so after it has made the folder, and brought the source there.
matrix() { # version, script, argument...
    matrix_enter "$1"
    matrix_copy_source "$folder/usr/src/snowid-$1"
    matrix_run "$@"
}
