# Runs a script on a PostgreSQL version that this Debian does not have. script/test and script/bench source it, for
# `--pg 17`, 18 or 19. Debian packages of every version are built and tested there too (script/package.sh).
#
# Each version has a folder with a small Debian in it. debootstrap makes it once, and it is kept. script/test runs there
# as it does here, on a copy of this source. All of this needs root. To have the folder made again from what its suite
# holds now, remove it. That is safe: seen from outside, nothing is ever mounted in it.

# 17 is in trixie, 18 in sid. 19 is in experimental, which is not a complete system, so it is added to sid's folder.
matrix_suite() { # version
    case ${1%-cassert} in
        13) echo bullseye ;;  # for script/directory
        15) echo bookworm ;;
        17) echo trixie ;;
        18 | 19) echo sid ;;
        *) fail "this knows the PostgreSQL versions $PG_VERSION, 17, 18 and 19, not \"$1\"." ;;
    esac
}

matrix_folder() { # version
    local version=${1%-cassert}
    [ "$version" != 19 ] || version=18
    if [ -n "${SNOWID_STATE:-}" ]; then echo "$SNOWID_STATE/pg$version"; else echo "/var/cache/snowid-pg$version"; fi
}

# The mirror from which this machine gets its own packages.
matrix_mirror() {
    local codename mirror
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v codename="$codename" '$1 == codename {print $2; exit}')
    [ -n "$mirror" ] || fail "found no mirror of Debian ${codename:-(which?)} in apt's configuration."
    echo "$mirror"
}

# Runs a command as root inside the folder. Its mounts are in their own mount namespace: they vanish however the run
# ends, and no rm of the folder can reach through them. The process and IPC namespaces end whatever a failed test left
# running. /dev belongs to the folder, so nothing in this machine's /dev is created or removed. The first process of a
# PID namespace ignores signals that it does not handle, so it traps those that interrupt a run.
matrix_inside() { # folder, command...
    local variable environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/tmp)
    for variable in http_proxy https_proxy no_proxy SNOWID_PG_VERSION SNOWID_ROOT SNOWID_SEED SNOWID_COMMIT SNOWID_RUN CI; do
        [ -z "${!variable:-}" ] || environment+=("$variable=${!variable}")
    done
    unshare --mount --propagation private --pid --ipc --fork --kill-child bash -ec '
        trap "exit 130" INT TERM
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mkdir -p "$root/dev/shm"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        status=0
        chroot "$root" /usr/bin/env -i "$@" || status=$?
        exit $status' matrix "$1" "${environment[@]}" "${@:2}"
}

# A folder without its mark was not finished, so it is made again.
matrix_make_system() { # folder, suite
    local folder=$1 suite=$2 mirror include=()
    [ ! -e "$folder/.snowid-made" ] || return 0
    mirror=$(matrix_mirror)
    [[ $mirror != https:* ]] || include=(--include=ca-certificates)
    say "making a Debian $suite in $folder"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    # debootstrap mounts /proc, and would leave it mounted if it were killed.
    unshare --mount --propagation private debootstrap --variant=minbase "${include[@]}" --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
        "$suite" "$folder" "$mirror" >"$folder.log" 2>&1 ||
        { tail -n 3 "$folder.log" >&2; fail "debootstrap failed; all it said is in $folder.log."; }
    # No package may start a service.
    printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
    chmod +x "$folder/usr/sbin/policy-rc.d"
    printf '%s\n' force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/snowid"
    # A mirror may be a snapshot, and its lists may have expired.
    printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Languages "none";' >"$folder/etc/apt/apt.conf.d/snowid"
    rm -f "$folder"/etc/apt/sources.list.d/*
    echo "deb $mirror $suite main" >"$folder/etc/apt/sources.list"
    if [ "$suite" = sid ]; then
        # Only this source package comes from experimental. Without the pin apt would refuse its libpq.
        echo "deb $mirror experimental main" >>"$folder/etc/apt/sources.list"
        printf '%s\n' 'Package: src:postgresql-19' 'Pin: release a=experimental' 'Pin-Priority: 500' \
            >"$folder/etc/apt/preferences.d/snowid"
    fi
    touch "$folder/.snowid-made"
}

# Copies all files that git knows or would add. The copy also holds what was built from it, so a file is written only
# when its content differs, and gets the time of the copying. Several work trees share the folder, and their files' own
# times would mislead make.
matrix_copy_source() { # to
    local to=$1 file
    mkdir -p "$to"
    git ls-files -coz --exclude-standard | sort -z | while IFS= read -r -d '' file; do
        [ -f "$file" ] || continue  # removed, but that is not committed yet
        printf '%s\0' "$file"
        cmp -s "$file" "$to/$file" && continue
        mkdir -p "$to/$(dirname "$file")"
        cp --preserve=mode "$file" "$to/$file"
    done >"$to.files.new"
    [ ! -e "$to.files" ] || comm -z -23 "$to.files" "$to.files.new" | (cd "$to" && xargs -0 -r rm -f)
    mv "$to.files.new" "$to.files"
}

# A build is thrown away when the Makefile or the installed packages have changed.
matrix_stamp() { cat Makefile "$1/var/lib/dpkg/status" 2>/dev/null | sha256sum; }

# Sets `folder` to the folder of a version, and installs what it takes to make and use one.
matrix_prepare() { # version
    folder=$(matrix_folder "$1")
    [ "$(id -u)" = 0 ] ||
        fail "this needs root: it makes a Debian $(matrix_suite "$1") in $folder with debootstrap, and works in a chroot."
    need_packages debootstrap debian-archive-keyring git util-linux
    mkdir -p "$(dirname "$folder")"
    [ -n "${http_proxy:-}" ] || eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    [ -z "${http_proxy:-}" ] || export http_proxy
}

# Makes the folder of a version if it does not exist. Only one run at a time may use a folder, so it holds a lock.
# Servers that are started inside must not inherit the lock (9>&-).
matrix_enter() { # version
    local suite
    suite=$(matrix_suite "$1")
    matrix_prepare "$1"
    [ -e "$folder/.snowid-made" ] || STATE=$(dirname "$folder") need_disk 4000
    exec 9>"$folder.lock"
    flock -n 9 || { say "waiting for another run in $folder"; flock 9; }
    matrix_make_system "$folder" "$suite" 9>&-
}

matrix() { # version, script, argument...
    local version=$1 script=$2 folder source status=0
    shift 2
    matrix_enter "$version"
    source=/usr/src/snowid-$version
    [ "$(matrix_stamp "$folder")" = "$(cat "$folder$source.stamp" 2>/dev/null)" ] || rm -rf "$folder$source" "$folder$source.files"
    matrix_copy_source "$folder$source"
    # Warnings are errors there, because another compiler and other headers may find more.
    CI=1 SNOWID_PG_VERSION=$version SNOWID_ROOT=$folder \
        matrix_inside "$folder" "$source/$script" "$@" 9>&- || status=$?
    matrix_stamp "$folder" >"$folder$source.stamp"
    return $status
}
