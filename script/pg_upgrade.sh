# Uses pg_upgrade to take servers of older PostgreSQLs to a newer one. script/test sources this file. The test runs in the folder of the
# newer one (script/matrix.sh), whose Debian does not have the older ones. So they are put there with the libraries that they need.

# pg_upgrade runs programs of both versions in one environment. So those of the older one find their libraries themselves.
pg_upgrade_wrap() { # folder, place in it, version, folder of the Debian that has the libraries
    local place=$1$2 programs=/usr/lib/postgresql/$3/bin program
    mkdir -p "$place/bin" "$place/lib"
    for program in "$place$programs"/*; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$2/lib" "$2$programs/${program##*/}" >"$place/bin/${program##*/}"
    done
    chmod +x "$place"/bin/*
    chroot "${4:-/}" sh -c "ldd $programs/*" 2>/dev/null | awk -v root="$4" '$3 ~ "^/" {print root $3}' | sort -u |
        grep -vE '/lib(c|m|resolv|dl|rt|pthread)\.so' | xargs cp -Lt "$place/lib"
}

# Puts an older PostgreSQL with the extension into the folder of another version.
pg_upgrade_place() { # version, older version
    local folder place=/opt/to-$1/postgresql-$2 to from='' source=$STATE/to-$1/source
    folder=$(matrix_folder "$1") to=$folder$place
    if [ "$2" = "$PG_VERSION" ]; then
        need_packages "postgresql-$2" "postgresql-server-dev-$2" libssl-dev g++ make
    else
        from=$(matrix_folder "$2")
    fi
    mkdir -p "$to"
    (cd "$from/" && cp -a --parents "usr/lib/postgresql/$2" "usr/share/postgresql/$2" "$to")
    pg_upgrade_wrap "$folder" "$place" "$2" "$from"
    rm -f "$to/usr/lib/postgresql/$2/lib/llvmjit.so"
    matrix_copy_source "$from$source"
    # Not optimised: only this test uses it.
    chroot "${from:-/}" make -s -j"$(nproc)" -C "$source" PG_CONFIG="/usr/lib/postgresql/$2/bin/pg_config" CXXFLAGS='-O0 -w' DESTDIR="$source/installed" all install \
        >"$STATE/pg_upgrade-$2.log" 2>&1 || { tail -n 20 "$STATE/pg_upgrade-$2.log"; fail "the extension could not be built for PostgreSQL $2."; }
    cp -a "$from$source/installed/." "$to/"
}

# From 15, and from each older one that has a folder by now. It says which it leaves out.
pg_upgrade_set_up() { # version
    local old
    rm -rf "$(matrix_folder "$1")/opt/to-$1"
    for old in "$PG_VERSION" 17 18; do
        [ "$old" -lt "$1" ] || continue
        if [ "$old" = "$PG_VERSION" ] || [ -e "$(matrix_folder "$old")/usr/lib/postgresql/$old/bin/pg_config" ]; then
            pg_upgrade_place "$1" "$old"
        else
            say "PostgreSQL $1: no server of $old is upgraded, because $old has no folder here"
        fi
    done
}
