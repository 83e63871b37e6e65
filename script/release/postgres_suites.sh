# Runs PostgreSQL's own regression and isolation suites on a server that preloads the library and on one that does not. Both must find
# the same: Debian's package differs in a few from what the suites expect. They come from its source, once. script/part sources this file.

postgres_suites() {
    local with
    suites_source "$STATE/suites"
    cc -shared -fPIC -O1 -I"$("$PG_BIN/pg_config" --includedir-server)" -o "$STATE/suites/regress.so" "$STATE/suites/source/src/test/regress/regress.c"
    cp "$("$PG_BIN/pg_config" --pkglibdir)"/{autoinc,refint}.so "$STATE/suites/"
    suites_run "shared_preload_libraries = ''" >"$STATE/suites/without"
    suites_run "shared_preload_libraries = 'snowid'" >"$STATE/suites/with"
    grep -c '^ok .*\|\.\.\. ok' "$STATE/suites/with"
    diff "$STATE/suites/without" "$STATE/suites/with"
}

# apt-get's lists have no sources, so these are asked for in a folder of their own.
suites_source() { # folder
    local release=('$(CODENAME) $(REPO_URI)') apt=(apt-get -qq -o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$1/lists")
    [ ! -e "$1/source" ] || return 0
    rm -rf "$1"
    mkdir -p "$1/lists/partial"
    apt-get indextargets --format "${release[0]}" 'Created-By: Packages' |
        awk -v codename="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$1 == codename {print "deb-src", $2, $1, "main"; exit}' >"$1/sources.list"
    "${apt[@]}" update
    (cd "$1" && "${apt[@]}" source "postgresql-$PG_MAJOR" && mv postgresql-"$PG_MAJOR"*/ source)
    chown -R postgres: "$1"
}

# What passed and what did not, without times and paths.
suites_run() { # configuration line
    local tests=$PG_ROOT/usr/lib/postgresql/$PG_MAJOR/lib/pgxs/src/test server=$STATE/suites-server
    server_fresh "$server" "$1" >&2
    {
        suite regress pg_regress parallel_schedule
        suite isolation pg_isolation_regress isolation_schedule
    } | tee /dev/stderr | sed -E 's/ +[0-9]+ ms$//; /^(diff|---|\+\+\+|parallel group) /d'
    server_stop "$server"
}

suite() { # folder, program, schedule
    (cd "$STATE/suites/source/src/test/$1" && unprivileged env PATH="$PG_BIN:$PATH" "$tests/$1/$2" --inputdir=. --outputdir="$server" --bindir="$PG_BIN" \
        --dlpath="$STATE/suites" --host="$server" --user=postgres --max-concurrent-tests=20 --schedule="$3") || cat "$server/regression.diffs"
}
