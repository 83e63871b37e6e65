# Runs the regression tests under valgrind. script/part sources this file.

# Only reports about our functions count: PostgreSQL itself writes padding bytes that were never set. The tests' output
# does not count: some of them are too slow here to be on time.
memcheck() {
    local server=$STATE/memcheck
    server_fresh "$server" "${PRELOADED[@]}" "jit = off"
    under_valgrind "$server" --leak-check=no --error-limit=no --num-callers=40 "--log-file=$server/memcheck.%p"
    make -s installcheck PGHOST="$server" PGUSER=postgres REGRESS="$(regress_tests '(time|wide)_plans')" ISOLATION= || true
    server_stop "$server"
    ls "$server"/memcheck.* >/dev/null && ! grep -hE -B 1 -A 20 'at 0x[0-9A-F]+: (snowid(_|::)|\(anonymous)' "$server"/memcheck.*
}
