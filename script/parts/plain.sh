# Asks plain/snowid.sql and the extension the same questions. script/test and test/plain/alone.sh source this file.
#
# Both run test/plain/statements.sql as a role that owns nothing but a database, and both must print test/plain/statements.out. Random calls of both
# (test/plain/differential.sql) are compared in one database.

# The output of the statements, without the positions of errors, and without the schema that hints of plain/snowid.sql name.
plain_answers() { # folder of a server, database, schema of the functions
    PGOPTIONS="-c search_path=public,$3 -c client_min_messages=warning -c intervalstyle=postgres -c datestyle=ISO" unprivileged "${PLAIN_BIN:-$PG_BIN}/psql" -h "$1" -U plain_owner -d "$2" \
        -Xaq -v vectors="$PLAIN_SOURCE/test/vectors" -f "$PLAIN_SOURCE/test/plain/statements.sql" 2>&1 | sed 's/^psql:[^ ]*: //; /^HINT:/s/snowid\.snowid_/snowid_/g'
}

plain_install() { # folder of a server, database
    unprivileged "${PLAIN_BIN:-$PG_BIN}/psql" -h "$1" -U plain_owner -d "$2" -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -f "$PLAIN_SOURCE/plain/snowid.sql" \
        -c "SELECT snowid.snowid_set('worker_id', '7')" >/dev/null
}

plain() {
    local server=$STATE/plain status=0 psql
    PLAIN_SOURCE=$server/source
    server_fresh "$server" "shared_preload_libraries = 'snowid'" "snowid.worker_id = 7" "jit = off"
    psql=("$PG_BIN/psql" -h "$server" -U postgres -Xq -v ON_ERROR_STOP=1)
    unprivileged mkdir "$PLAIN_SOURCE"
    cp -r plain test "$PLAIN_SOURCE"
    "${psql[@]}" -c 'CREATE ROLE plain_owner LOGIN' -c 'CREATE DATABASE extension OWNER plain_owner' -c 'CREATE DATABASE plain OWNER plain_owner' -c 'CREATE DATABASE beside OWNER plain_owner'
    "${psql[@]}" -d extension -c 'CREATE SCHEMA ids' -c 'CREATE EXTENSION snowid SCHEMA ids' -c 'GRANT USAGE ON SCHEMA ids TO plain_owner'
    plain_install "$server" plain && plain_install "$server" plain && plain_install "$server" beside && "${psql[@]}" -d beside -c 'CREATE EXTENSION snowid' || status=1
    diff test/plain/statements.out <(plain_answers "$server" extension ids) || { echo "the extension says something else"; status=1; }
    diff test/plain/statements.out <(plain_answers "$server" plain snowid) || { echo "plain/snowid.sql says something else"; status=1; }
    "${psql[@]}" -d beside -c "SET snowid_test.seed = '${SNOWID_SEED:-}'" -f test/plain/differential.sql || status=1
    server_stop "$server"
    return $status
}
