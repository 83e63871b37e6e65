# Tests of a fleet and of its directory. script/part sources this file. The model needs no server. The churn needs a
# directory: a PostgreSQL that is stopped in the middle, as if its machine had failed.

CHURN_LAYOUT='epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12'
CHURN_SECONDS=${CHURN_SECONDS:-8}

churn_psql() { "$PG_BIN/psql" -h "$STATE/churn" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Changes the text of one of the directory's functions, to plant a fault.
churn_plant() { # function, text, instead of it
    churn_psql -c "DO \$\$ DECLARE was text := pg_get_functiondef('snowid_directory.$1'::regproc); BEGIN
        ASSERT strpos(was, '$2') > 0; EXECUTE replace(was, '$2', '$3'); END \$\$"
}

churn_run() { # seconds, fault of a holder
    build/fleet/churn "host=$STATE/churn user=postgres dbname=postgres" 200 "$1" "$CHURN_SEED" "${2:-}"
}

churn_begin() {
    churn_psql -c 'SET client_min_messages = error' -c 'DROP EXTENSION IF EXISTS snowid_directory' -c 'CREATE EXTENSION snowid_directory' \
        -c "SELECT snowid_directory.add('$CHURN_LAYOUT', 1, 64, now() - interval '1 min')"
}

churn_finds() { # fault, what plants it...
    local status=0
    churn_begin
    [ $# = 1 ] || "${@:2}"
    for _ in {1..10}; do
        status=0
        churn_run "$CHURN_SECONDS" "$1" || status=$?
        [ $status = 0 ] || break
    done
    [ $status = 1 ] || { echo "the planted fault $1 is not found"; return 1; }
    echo "the planted fault $1 is found"
}

# 200 holders of 64 numbers. With SNOWID_PLANTED, as in `script/test long`, planted faults are found.
fleet_churn() {
    local server=$STATE/churn status=0
    CHURN_SEED=${SNOWID_SEED:-$RANDOM}
    echo "SNOWID_SEED=$CHURN_SEED"
    server_fresh "$server" "max_connections = 260"
    churn_begin
    (
        sleep "$CHURN_SECONDS"
        unprivileged "$PG_BIN/pg_ctl" -D "$server/data" -l "$server/log" -m immediate -w restart >/dev/null
    ) &
    churn_run $((2 * CHURN_SECONDS)) || status=1
    wait $!
    if [ -n "${SNOWID_PLANTED:-}" ]; then
        churn_finds no_from || status=1
        churn_finds lease_is_enough || status=1
        churn_finds no_token churn_plant renew 'AND w.token = renew.token' '' || status=1
    fi
    server_stop "$server"
    return $status
}

# Two servers, one of which has made an id that the other made too, with a number that it no longer had.
fleet_report() {
    local folder=test/fleet/report status=0
    { script/fleet-report --layout "$CHURN_LAYOUT" --log a=$folder/a.log --log b=$folder/b.log --ids a=$folder/a.ids --ids b=$folder/b.ids || true; } |
        diff $folder/expected - || return 1
    script/fleet-report --layout "$CHURN_LAYOUT" --log a=$folder/a.log --ids a=$folder/a.ids >/dev/null || { echo "one server alone is found guilty"; status=1; }
    ! script/fleet-report --layout "$CHURN_LAYOUT" --log a=$folder/a.log --log b=$folder/b.log --ids a=$folder/a.ids >/dev/null ||
        { echo "an id by another's number is not found"; status=1; }
    return $status
}
