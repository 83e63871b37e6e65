# Runs sqlsmith, which makes up queries, for SNOWID_LONG_SECONDS seconds on a server that preloads the library: in a database without the
# extension, and in one with ids of every type. No server process may crash. It finds most on 15-cassert. script/part sources this file.

sqlsmith_run() {
    local server=$STATE/sqlsmith database psql
    command -v sqlsmith >/dev/null || { echo "skipped: sqlsmith is not packaged here"; return 0; }
    server_fresh "$server" "${PRELOADED[@]}" "statement_timeout = 2s"
    psql=("$PG_BIN/psql" -h "$server" -U postgres -Xq -v ON_ERROR_STOP=1)
    "${psql[@]}" -d postgres -c 'CREATE ROLE smith LOGIN' -c 'CREATE DATABASE without' -c 'CREATE EXTENSION snowid'
    for database in without postgres; do
        "${psql[@]}" -d $database -f test/long/sqlsmith.sql
        timeout "${SNOWID_LONG_SECONDS:-300}" sqlsmith --target="host=$server dbname=$database user=smith" --exclude-catalog || [ $? = 124 ] &
    done
    wait
    ! grep -E 'terminated by signal|TRAP' "$server/log"
    server_stop "$server"
}
