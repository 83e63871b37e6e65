# Runs sql/*.sql and specs/*.spec on a server. script/part sources this file.

PRELOADED=("shared_preload_libraries = 'snowid'" "snowid.worker_id = 7")
# What need not run on a server without the library too: these are slow, and use nothing in shared memory; or they make ids throughout.
PRELOADED_ONLY='type_laws|.*_plans'

# All tests of sql/, or of another folder, but those that match.
regress_tests() { (cd "${2:-sql}" && ls ./*.sql) | sed 's|^\./||; s|\.sql$||' | grep -vxE "$1" | xargs; }  # pattern, folder

# The results are written beside the server, because several of these run at once. Tests of several sessions need what the
# server shares.
regress() { # folder, tests, configuration line...
    local server=$STATE/$1 isolation=()
    server_fresh "$server" "${@:3}"
    [[ $* == *shared_preload_libraries* ]] || isolation=(ISOLATION=)
    make -s ${REGRESS_IN:+-C "$REGRESS_IN"} installcheck PGHOST="$server" PGUSER=postgres TEST_OUTPUT="$server" REGRESS="$2" "${isolation[@]}" ||
        { cat "$server"/output*/regression.diffs; exit 1; }
    server_stop "$server"
}

# Each kind of call that a query can compile. Compiling takes most of the time, so other tests would only add to it.
jit() {
    "$PG_BIN/pg_config" --pkglibdir | xargs -I {} test -e {}/llvmjit.so || fail "JIT is not available"  # PostgreSQL would silently interpret
    regress regress-jit "layout snowflake snowflake_next snowflake_plans sno sno_generator ulid uuid7 texts sealed soft_errors time_plans" \
        "${PRELOADED[@]}" "jit = on" "jit_above_cost = 0" "jit_inline_above_cost = 0" "jit_optimize_above_cost = 0"
}

# The tests whose first word is in the path of a file that has changed, as layout_rows.sql is for src/core/layout/layout.hpp.
changed() {
    local words tests
    words=$(tools/changed | tr '/._-' '\n' | sort -u)
    tests=$(for name in $(regress_tests none); do ! grep -qxF "${name%%_*}" <<<"$words" || echo "$name"; done | xargs)
    [ -n "$tests" ] || { echo "skipped: no regression test has its first word in the path of a file that has changed"; return; }
    regress regress-changed "$tests" "${PRELOADED[@]}"
}
