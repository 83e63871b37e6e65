#!/usr/bin/env bash
# plain/snowid.sql on a server of its own, without the extension and without Perl's modules for tests: its answers, and 20 kills under four writers while
# the clock goes back and forth. Run by script/release/plain inside the folder of a version.
#
#     test/plain/alone.sh BIN
set -euo pipefail
PLAIN_BIN=$1 PLAIN_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
server=$PLAIN_SOURCE/server status=0
unprivileged() { "$@"; }
source "$PLAIN_SOURCE/test/plain/answers.sh"
psql=("$PLAIN_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1)
check() { # what, expected, got
    if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "not ok: $1: \"$3\", not \"$2\""; status=1; fi
}

set_clock() { perl -e 'print pack("q", 1e9 * $ARGV[0])' -- "$1" 1<>"$server/clock"; } # seconds from the true time

mkdir "$server"
set_clock 0
start() {
    LD_PRELOAD=$PLAIN_SOURCE/clock.so SNOWID_CLOCK=$server/clock "$PLAIN_BIN/pg_ctl" -D "$server/data" -l "$server/log" -t 60 -w start >/dev/null
}
"$PLAIN_BIN/initdb" -D "$server/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$server'" 'wal_writer_delay = 10s' >>"$server/data/postgresql.conf"
start
"${psql[@]}" -c 'CREATE ROLE plain_owner LOGIN' -c 'CREATE DATABASE plain OWNER plain_owner'
plain_install "$server" plain
plain_install "$server" plain
plain_answers "$server" plain snowid >"$server/answers"
diff "$PLAIN_SOURCE/test/plain/statements.out" "$server/answers" || status=1

# Each client tells of what was committed: its n ascends.
"${psql[@]}" -U plain_owner -d plain -c 'CREATE TABLE made (client int, n bigint GENERATED ALWAYS AS IDENTITY, id bigint NOT NULL DEFAULT snowid.snowflake_next())'
writer() { # client
    while [ ! -e "$server/stop" ]; do
        yes "INSERT INTO made (client) VALUES ($1);" | head -n 2000 | "${psql[@]}" -d plain >/dev/null 2>&1 || sleep 0.02
    done
}
for client in 1 2 3 4; do writer $client & done
for round in {1..20}; do
    sleep "0.$((RANDOM % 3 + 1))"
    set_clock "$(echo '0 -1 -0.01 -1' | cut -d ' ' -f $((round % 4 + 1)))"
    kill -9 "$(head -n 1 "$server/data/postmaster.pid")"
    until start 2>/dev/null; do sleep 0.05; done  # the server's processes have to notice first
done
set_clock 0
sleep 2
made=$("${psql[@]}" -d plain -c 'SELECT count(*) FROM made')
sleep 1
check 'writers go on after 20 kills' t "$("${psql[@]}" -d plain -c "SELECT count(*) > $made FROM made")"
touch "$server/stop"
wait
check "no committed id is there twice, of $made" 0 "$("${psql[@]}" -d plain -c 'SELECT count(*) - count(DISTINCT id) FROM made')"
check 'those of each client ascend' 0 "$("${psql[@]}" -d plain -c 'SELECT count(*) FROM (SELECT id < lag(id) OVER (PARTITION BY client ORDER BY n) AS down FROM made) s WHERE down')"
set_clock -3600
check 'a clock that is an hour behind is refused' 58000 "$("${psql[@]}" -d plain -v VERBOSITY=verbose -c 'SELECT snowid.snowflake_next()' 2>&1 | sed -n 's/.*ERROR:  \([0-9]*\): the clock is 3[56].. s behind.*/\1/p')"
set_clock 0
check 'and goes on when it is right' t "$("${psql[@]}" -d plain -c 'SELECT snowid.snowflake_next() > max(id) FROM made')"
"$PLAIN_BIN/pg_ctl" -D "$server/data" -m fast -w stop >/dev/null
exit $status
