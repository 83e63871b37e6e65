# Runs sql/*.sql and specs/*.spec on a server. script/part sources this file.

PRELOADED=("shared_preload_libraries = 'snowid'" "snowid.worker_id = 7")

# All tests of sql/, or of another folder, but those that match.
regress_tests() { (cd "${2:-sql}" && ls ./*.sql) | sed 's|^\./||; s|\.sql$||' | grep -vxE "$1" | xargs; }  # pattern, folder

# The results are written beside the server, because several of these run at once. Tests of several sessions need what the
# server shares.
regress() { # folder, tests, configuration line...
    local server=$STATE/$1 isolation=()
    server_fresh "$server" "${@:3}"
    # Without the compiler PostgreSQL would silently interpret.
    [[ $* != *jit_above_cost* ]] || "$PG_BIN/psql" -h "$server" -U postgres -XAtc 'SELECT pg_jit_available()' | grep -qx t || fail "JIT is not available"
    [[ $* == *shared_preload_libraries* ]] || isolation=(ISOLATION=)
    make -s ${REGRESS_IN:+-C "$REGRESS_IN"} installcheck PGHOST="$server" PGUSER=postgres TEST_OUTPUT="$server" REGRESS="$2" "${isolation[@]}" ||
        { cat "$server"/output*/regression.diffs; exit 1; }
    server_stop "$server"
}
