# Uses pg_upgrade to upgrade a server from PostgreSQL 15 and the newest release to a newer PostgreSQL. script/test sources
# this file. The test runs in the folder of the newer one (script/matrix.sh), whose Debian does not have 15. So 15 is put
# there with the libraries that it needs.

PG_UPGRADE_OLD=/opt/postgresql-$PG_VERSION

# The module of a release, built once from the commit before the one that froze its script. Without the git history,
# today's module serves that script.
pg_upgrade_module() { # version, file, pg_config
    local source=$STATE/release-$1 commit
    commit=$(git log -1 --format=%H^ --diff-filter=A -- "sql/released/snowid--$1.sql")
    git rev-parse -q --verify "$commit" >/dev/null || { say "the history does not reach back to $1"; commit=HEAD; }
    commit="$(git rev-parse "$commit"), $("$3" --version | sed 's/\..*//')"  # it serves all minor releases
    [ "$(cat "$2.commit" 2>/dev/null)" != "$commit" ] || return 0
    say "building the module of $1"
    rm -rf "$source"
    mkdir -p "$source"
    git archive "${commit%%,*}" | tar -x -C "$source"
    make -s -j"$(nproc)" -C "$source" snowid.so PG_CONFIG="$3" >"$source.log" 2>&1 ||
        { tail -n 20 "$source.log"; fail "the module of $1 could not be built; see $source.log."; }
    mv "$source/snowid.so" "$2"
    echo "$commit" >"$2.commit"
    rm -rf "$source"
}

# pg_upgrade runs programs of both versions in one environment. So those of 15 find their libraries themselves.
pg_upgrade_wrap() { # folder
    local program
    mkdir -p "$1/bin" "$1/lib"
    for program in "$1$PG_SYSTEM_BIN"/*; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$PG_UPGRADE_OLD/lib" "$PG_UPGRADE_OLD$PG_SYSTEM_BIN/${program##*/}" >"$1/bin/${program##*/}"
    done
    chmod +x "$1"/bin/*
    ldd "$1$PG_SYSTEM_BIN"/* 2>/dev/null | awk '$3 ~ "^/" {print $3}' | sort -u | grep -vE '/lib(c|m|resolv|dl|rt|pthread)\.so' | xargs cp -Lt "$1/lib"
}

# Puts PostgreSQL 15 with the release into the folder of another version. It is the one of Debian's last point release:
# 15.20 marks every column with an option, which pg_upgrade to an earlier minor release cannot restore.
pg_upgrade_place() { # version
    local folder release to share package packages=()
    folder=$(matrix_folder "$1")
    release=$(cd sql/released && printf '%s\n' snowid--*.sql | sed 's/snowid--\(.*\)\.sql/\1/' | sort -V | tail -n 1)
    need_packages "postgresql-$PG_VERSION" "postgresql-server-dev-$PG_VERSION" libssl-dev g++ make git
    to=$folder$PG_UPGRADE_OLD
    for package in postgresql postgresql-client postgresql-server-dev; do packages+=("$package-$PG_VERSION/$(matrix_suite "$PG_VERSION")"); done
    unpack_packages "$to" "${packages[@]}"
    (flock 4; pg_upgrade_module "$release" "$STATE/snowid-$release.so" "$to$PG_SYSTEM_BIN/pg_config" 4>&-) 4>"$STATE/snowid-$release.lock"
    pg_upgrade_wrap "$to"
    rm -f "$to/usr/lib/postgresql/$PG_VERSION/lib/llvmjit.so"
    cp "$STATE/snowid-$release.so" "$to/usr/lib/postgresql/$PG_VERSION/lib/snowid.so"
    share=$to/usr/share/postgresql/$PG_VERSION/extension
    cp "sql/released/snowid--$release.sql" "$share/"
    sed "s/^default_version.*/default_version = '$release'/" snowid.control >"$share/snowid.control"
}
