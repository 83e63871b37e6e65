#!/usr/bin/env bash
# What ids of plain/snowid.sql cost, beside Instagram's function and nextval(): microseconds an id in one session, and ids a second by eight. On a private
# server of script/test.
#
#     bench/plain.sh [SECONDS]
source "$(dirname "${BASH_SOURCE[0]}")/../script/lib.sh"
need_private_postgresql
server=$STATE/bench-plain
server_stop "$server"
rm -rf "$server"
server_start "$server" 'jit = off' "max_wal_size = '4GB'" 'autovacuum = off'
psql=("$PG_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1)
"${psql[@]}" -c 'SET client_min_messages = warning' -f plain/snowid.sql -c "SELECT snowid.snowid_set('worker_id', '7')" >/dev/null
sed -n '/^CREATE SCHEMA insta5/,$p' bench/setup.sql | "${psql[@]}"
"${psql[@]}" -c 'CREATE SEQUENCE bench_seq'

alone() { # rows, statement
    local n best=1000000000 us
    for n in 1 2 3 4 5; do
        us=$("${psql[@]}" -c '\timing on' -c "$2" | sed -n 's/^Time: \([0-9]*\)\.\([0-9]*\) ms.*/\1\2/p')
        [ "$us" -ge "$best" ] || best=$us
    done
    awk "BEGIN {printf \"%.2f us an id\", $best / $1}"
}
clients() { # statement, ids in it
    unprivileged bash -c 'echo "$1" >"$2/script.sql"' bench "$1;" "$server"
    unprivileged "$PG_BIN/pgbench" -n -M prepared -f "$server/script.sql" -c 8 -j 2 -T "${seconds}" -h "$server" -U postgres postgres | awk "/^tps/ {printf \"%d ids a second\n\", \$3 * $2}"
}
seconds=${1:-5}
for id in 'snowid.snowflake_next()' 'snowid.uuidv7_next()' 'insta5.next_id()' "nextval('bench_seq')"; do
    echo "$id: $(alone 200000 "SELECT count($id) FROM generate_series(1, 200000)"), by eight $(clients "SELECT count($id) FROM generate_series(1, 1000)" 1000)"
done
batch='SELECT count(*) FROM (SELECT snowid.snowflake_next_batch(1000000)) s'
echo "snowid.snowflake_next_batch(1000000): $(alone 1000000 "$batch")"
server_stop "$server"
