# Tests the files in monitoring/. script/part sources this file. Debian's prometheus and postgres_exporter run from copies of their
# packages, because an installed package would start its server on this machine. They scrape a server that overflows, steps its clock,
# refuses ids and has a default that cannot work.

MONITORING=$STATE/monitoring

monitoring_psql() { "$PG_BIN/psql" -h "$MONITORING/server" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

# The server is its own directory, so that all metrics exist. Its clock can be set, by less than what the directory gives.
monitoring_server() {
    local server=$MONITORING/server
    server_fresh "$server" "shared_preload_libraries = 'snowid'" "snowid.worker_id = directory" "snowid.layout = 'js'" "snowid.directory_lease = '1h'" \
        "snowid.directory = 'host=$server dbname=postgres user=postgres'"
    server_stop "$server"
    build_clock "$MONITORING/clock.so"
    head -c 8 /dev/zero | unprivileged tee "$MONITORING/clock" >/dev/null
    unprivileged env LD_PRELOAD="$MONITORING/clock.so" SNOWID_CLOCK="$MONITORING/clock" "$PG_BIN/pg_ctl" -D "$server/data" -l "$server/log" -w start >/dev/null
    monitoring_psql -d postgres -f test/monitoring/server.sql >/dev/null
}

monitoring_rules() {
    "$MONITORING/programs/usr/bin/promtool" check rules monitoring/rules.yaml && "$MONITORING/programs/usr/bin/promtool" test rules test/monitoring/rules_test.yaml
}

monitoring() {
    local status=0
    unprivileged mkdir -p "$MONITORING"
    [ -x "$MONITORING/programs/usr/bin/prometheus-postgres-exporter" ] || unpack_packages "$MONITORING/programs" prometheus prometheus-postgres-exporter
    monitoring_rules || status=1
    npm_fetch test/monitoring "$MONITORING/node" && node test/monitoring/dashboard.mjs monitoring/dashboard.json "$MONITORING/node" || status=1
    monitoring_server
    rm -rf "$MONITORING/project"
    cp -r monitoring "$MONITORING/project"  # here the user that runs servers can read it
    unprivileged python3 - "$MONITORING/project" "$MONITORING" "$PG_BIN/psql" <test/monitoring/scrape.py || status=1
    server_stop "$MONITORING/server"
    return $status
}
