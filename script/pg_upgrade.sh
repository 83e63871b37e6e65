# Uses pg_upgrade to upgrade servers of older PostgreSQLs and the newest release to a newer PostgreSQL. script/test sources
# this file. The test runs in the folder of the newer one (script/matrix.sh), whose Debian does not have the older ones. So
# they are put there with the libraries that they need.

# The module of a release, built once from the commit before the one that froze its script. Without the git history,
# today's module serves that script.
pg_upgrade_module() { # version, file, pg_config, folder of another Debian that has it
    local root=${4:-} source=$STATE/release-$1 pg_config=$3 commit inside=()
    [ -z "$root" ] || inside=(chroot "$root")
    commit=$(git log -1 --format=%H^ --diff-filter=A -- "sql/released/snowid--$1.sql")
    git rev-parse -q --verify "$commit" >/dev/null || { say "the history does not reach back to $1"; commit=HEAD; }
    commit="$(git rev-parse "$commit"), $("${inside[@]}" "$pg_config" --version | sed 's/\..*//')"  # it serves all minor releases
    [ "$(cat "$2.commit" 2>/dev/null)" != "$commit" ] || return 0
    say "building the module of $1 for ${commit#*, }"
    rm -rf "$root$source"
    mkdir -p "$root$source"
    git archive "${commit%%,*}" | tar -x -C "$root$source"
    # Not optimised, and with headers that are compiled once: only tests use it. <string> does not stand PostgreSQL's macros.
    printf '#include %s\n' '<string>' '"src/pg/prelude.hpp"' >"$root$source/first.hpp"
    pg_upgrade_make() { "${inside[@]}" make -s -j"$(nproc)" -C "$source" PG_CONFIG="$pg_config" "$@"; }
    { pg_upgrade_make --eval='%.gch: %; $(CXX) $(CXXFLAGS) $(CPPFLAGS) -x c++-header $< -o $@' first.hpp.gch CXXFLAGS='-O0 -w' &&
        pg_upgrade_make snowid.so CXXFLAGS='-O0 -w -include first.hpp'; } >"$root$source.log" 2>&1 ||
        { tail -n 20 "$root$source.log"; fail "the module of $1 could not be built; see $root$source.log."; }
    mv "$root$source/snowid.so" "$2"
    echo "$commit" >"$2.commit"
    rm -rf "$root$source"
}

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

# Puts an older PostgreSQL with the release into the folder of another version.
pg_upgrade_place() { # version, older version
    local folder place=/opt/to-$1/postgresql-$2 to from='' release module share
    folder=$(matrix_folder "$1") to=$folder$place
    release=$(cd sql/released && printf '%s\n' snowid--*.sql | sed 's/snowid--\(.*\)\.sql/\1/' | sort -V | tail -n 1)
    if [ "$2" = "$PG_VERSION" ]; then
        need_packages "postgresql-$2" "postgresql-server-dev-$2" libssl-dev g++ make git
    else
        from=$(matrix_folder "$2")
    fi
    mkdir -p "$to"
    (cd "$from/" && cp -a --parents "usr/lib/postgresql/$2" "usr/share/postgresql/$2" "$to")
    module=$STATE/snowid-$release-$2.so
    (flock 4; pg_upgrade_module "$release" "$module" "/usr/lib/postgresql/$2/bin/pg_config" "$from" 4>&-) 4>"$module.lock"
    pg_upgrade_wrap "$folder" "$place" "$2" "$from"
    rm -f "$to/usr/lib/postgresql/$2/lib/llvmjit.so"
    cp "$module" "$to/usr/lib/postgresql/$2/lib/snowid.so"
    share=$to/usr/share/postgresql/$2/extension
    cp "sql/released/snowid--$release.sql" "$share/"
    sed "s/^default_version.*/default_version = '$release'/" snowid.control >"$share/snowid.control"
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
