# Runs servers under valgrind. script/part sources this file.

under_valgrind() { # folder of a server, option of valgrind...
    server_stop "$1"
    printf '#!/bin/sh\nexec valgrind -q %s "%s" "$@"\n' "${*:2}" "$PG_BIN/postgres" >"$1/postgres"
    chmod +x "$1/postgres"
    unprivileged "$PG_BIN/pg_ctl" -D "$1/data" -l "$1/log" -p "$1/postgres" -t 120 -w start >/dev/null
}

# Only reports about our functions count: PostgreSQL itself writes padding bytes that were never set. The tests' output
# does not count: some of them are too slow here to be on time.
memcheck() {
    local server=$STATE/memcheck
    server_fresh "$server" "${PRELOADED[@]}" "jit = off"
    under_valgrind "$server" --leak-check=no --error-limit=no --num-callers=40 "--log-file=$server/memcheck.%p"
    make -s installcheck PGHOST="$server" PGUSER=postgres REGRESS="$(regress_tests '(time|wide)_plans|convert(_also|_notes|_renumber|_schema|_widen)?')" ISOLATION= || true
    server_stop "$server"
    ls "$server"/memcheck.* >/dev/null && ! grep -hE -B 1 -A 20 'at 0x[0-9A-F]+: (snowid(_|::)|\(anonymous)' "$server"/memcheck.*
}

# Valgrind counts every instruction of every function of a server. A record is for one architecture, one compiler and one
# PostgreSQL. If there is none, the counts are only shown. Laws check costs that may grow with the data, and compare
# sessions with each other. Else than with these settings, horizons are raised as fast as this machine is.
instructions() {
    local server=$STATE/instructions bare=$STATE/instructions-bare settings=("jit = off" "autovacuum = off") laws=0 what=compare counts folder database
    counts=test/instructions/$(uname -m)-gcc$(g++ -dumpversion)-pg$PG_VERSION.tsv
    if [ -n "${SNOWID_RECORD:-}" ]; then what=record; elif [ ! -f "$counts" ]; then echo "no counts are recorded in $counts" && counts=/dev/null; fi
    cc -O2 -Wall -Wextra -Werror -shared -fPIC -isystem "$("$PG_CONFIG" --includedir-server)" -o "$STATE/count.so" test/instructions/count.c
    local psql=("$PG_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1)
    server_fresh "$bare" "${settings[@]}"
    server_fresh "$server" "${settings[@]}" "${PRELOADED[@]}" "snowid.layout = 'wide'" "snowid.reserve = '60s'" "snowid.clock_drift = '60s'" \
        "max_prepared_transactions = 1"
    for folder in "$server" "$bare"; do
        for database in postgres template1; do
            "${psql[@]}" -h "$folder" -d "$database" -c "CREATE FUNCTION count_from_here() RETURNS void LANGUAGE c AS '$STATE/count'"
        done
    done
    "${psql[@]}" -h "$bare" -c 'CREATE DATABASE without'
    "${psql[@]}" -h "$bare" -d without -f test/instructions/queries.sql
    "${psql[@]}" -c 'CREATE EXTENSION snowid' -c "SELECT snowid_generator_create('counted', worker => 3)" -c 'SELECT snowid_seal_key_create()' -c 'CREATE SEQUENCE counted_by' \
        -c 'CREATE DATABASE laws'
    "${psql[@]}" -d laws -c 'CREATE EXTENSION snowid' -f test/instructions/laws.sql
    for folder in "$server" "$bare"; do
        under_valgrind "$folder" --tool=callgrind --compress-strings=no --compress-pos=no "--callgrind-out-file=$folder/counts.%p"
    done
    "${psql[@]}" -f test/instructions/statements.sql
    python3 test/instructions/laws.py "$server" "$bare" "${psql[@]}" || laws=$?
    server_stop "$server"
    server_stop "$bare"
    python3 test/instructions/counts.py $what "$counts" "$server"/counts.* && return $laws
}
