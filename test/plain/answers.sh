# What test/plain/run and test/plain/alone.sh have in common.

# The output of the statements, without the positions of errors, and without the schema that hints of plain/snowid.sql name.
plain_answers() { # folder of a server, database, schema of the functions
    PGOPTIONS="-c search_path=public,$3 -c client_min_messages=warning -c intervalstyle=postgres -c datestyle=ISO" unprivileged "${PLAIN_BIN:-$PG_BIN}/psql" -h "$1" -U plain_owner -d "$2" \
        -Xaq -v vectors="$PLAIN_SOURCE/test/vectors" -f "$PLAIN_SOURCE/test/plain/statements.sql" 2>&1 | sed 's/^psql:[^ ]*: //; /^HINT:/s/snowid\.snowid_/snowid_/g'
}

plain_install() { # folder of a server, database
    unprivileged "${PLAIN_BIN:-$PG_BIN}/psql" -h "$1" -U plain_owner -d "$2" -Xq -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -f "$PLAIN_SOURCE/plain/snowid.sql" \
        -c "SELECT snowid.snowid_set('worker_id', '7')" >/dev/null
}
