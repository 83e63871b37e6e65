# Runs clients: programs under test/clients that use ids through a driver or an ORM; script/test sources it.
#
# Each client has a folder with `run`, which builds and runs it, and `packages`, the Debian packages that it needs. It runs
# once for each kind of id (KIND; its functions are called SCHEME_…), in its own database, which is made from
# test/clients/schema.sql. A client prints what it did and saw. psql runs test/clients/checks.sql, which prints what the
# client should have printed. The table's column must be unchanged afterwards. A client with its own checks.sql tests
# something other than the kinds of id. psql then runs that file, and before the client its schema.sql, if it has one. The
# client runs once, with bigint. It finds the vectors in SNOWID_VECTORS.
#
# Server and client use unusual time zones, so that a date that loses its zone on the way is noticed.

CLIENTS=$STATE/clients
CLIENT_KINDS="bigint:snowflake snowflake:snowflake uuid:uuidv7 ulid:ulid sno:sno"

clients_all() { (cd test/clients && printf '%s\n' */run | sed 's|/run$||'); }

# The named clients, or all.
clients_named() { # client...
    local client
    for client in "$@"; do
        [ -e "test/clients/$client/run" ] || fail "there is no client \"$client\"; the clients are" $(clients_all).
    done
    if [ $# -gt 0 ]; then printf '%s\n' "$@"; else clients_all; fi
}

# A Node.js that does not come from Debian brings npm along, and has no package of that name.
clients_packages() { # client...
    local client
    for client in "$@"; do cat "test/clients/$client/packages"; done | sort -u | while read -r package; do
        echo "$package"
        [ "$package" != nodejs ] || command -v npm >/dev/null || echo npm
    done
}

clients_psql() { # database, argument...
    "$PG_BIN/psql" -h "$CLIENTS/server" -p "$CLIENTS_PORT" -U postgres -XAtq -v ON_ERROR_STOP=1 -F $'\t' -d "$@"
}

clients_template() { # kind, scheme
    local make="$2_at(made)"
    [ "$2" != snowflake ] || make='snowflake_encode(made, 1, 0)'
    [ "$2" != sno ] || make='sno_encode(made, 7, 1, 0, false)'
    clients_psql postgres -c "CREATE DATABASE template_$1"
    clients_psql "template_$1" -v kind="$1" -v next="$2_next" -v make="$make" -f test/clients/schema.sql
}

# JDBC has no Unix sockets, so the server listens on a free port of the loopback interface. There it accepts only the
# clients' role.
clients_start() {
    local kind
    unprivileged mkdir -p "$CLIENTS/home"
    rm -rf "$CLIENTS/said"
    mkdir "$CLIENTS/said"
    CLIENTS_PORT=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
    printf '%s\n' 'local all all trust' 'host all app 127.0.0.1/32 scram-sha-256' | unprivileged tee "$CLIENTS/hba" >/dev/null
    server_fresh "$CLIENTS/server" "shared_preload_libraries = 'snowid'" "snowid.worker_id = 7" "timezone = 'Asia/Kathmandu'" \
        "listen_addresses = '127.0.0.1'" "port = $CLIENTS_PORT" "hba_file = '$CLIENTS/hba'"
    clients_psql postgres -c "CREATE ROLE app LOGIN PASSWORD 'app'"
    for kind in $CLIENT_KINDS; do clients_template "${kind%:*}" "${kind#*:}"; done
}

clients_stop() { server_stop "$CLIENTS/server"; }

# Programs run in a copy of their folders, and download and build what they need there.
clients_copy() {
    rm -rf "$CLIENTS/programs"
    cp -r test/clients "$CLIENTS/programs"
    cp -r test/vectors "$CLIENTS/programs/vectors"
    [ "$(id -u)" != 0 ] || chown -R postgres: "$CLIENTS/programs"
}

# All clients share their npm packages.
clients_npm() {
    [ -n "${CLIENTS_NPM:-}" ] || { CLIENTS_NPM=fetched; npm_fetch test/clients "$CLIENTS" || CLIENTS_NPM=missing; }
    [ "$CLIENTS_NPM" = fetched ] || { echo "npm could not fetch what this needs"; return 1; }
}

clients_column() { # database
    clients_psql "$1" -c "SELECT attname, attnum, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
        WHERE attrelid = 'message'::regclass AND attnum > 0 ORDER BY 2"
}

client_kind() { # client, kind, scheme
    local database=client_${1//[^a-z0-9]/_}_$2 said=$CLIENTS/said/$1-$2 checks=test/clients/checks.sql
    [ ! -e "test/clients/$1/checks.sql" ] || checks=test/clients/$1/checks.sql
    clients_psql postgres -c "CREATE DATABASE $database TEMPLATE template_$2 OWNER app"
    [ ! -e "test/clients/$1/schema.sql" ] || clients_psql "$database" -f "test/clients/$1/schema.sql" >/dev/null
    clients_column "$database" >"$said.before"
    (cd "$CLIENTS/programs/$1" && unprivileged env HOME="$CLIENTS/home" TZ=America/New_York LANG=C.UTF-8 KIND="$2" SCHEME="$3" SNOWID_VECTORS="$CLIENTS/programs/vectors" \
        PGHOST=127.0.0.1 PGPORT="$CLIENTS_PORT" PGUSER=app PGPASSWORD=app PGDATABASE="$database" \
        DATABASE_URL="postgresql://app:app@127.0.0.1:$CLIENTS_PORT/$database" timeout 600 ./run) >"$said" || { cat "$said"; return 1; }
    clients_psql "$database" -v bound="$3_lower_bound" -f "$checks" >"$said.expected"
    clients_column "$database" >"$said.after"
    diff -u --label "psql says" --label "the client says" "$said.expected" "$said" &&
        diff -u --label "column before" --label "column after" "$said.before" "$said.after"
}

client() { # client
    local kind kinds=$CLIENT_KINDS status=0
    [ ! -e "test/clients/$1/checks.sql" ] || kinds=bigint:snowflake
    if grep -qx nodejs "test/clients/$1/packages"; then clients_npm || return 1; fi
    for kind in $kinds; do
        client_kind "$1" "${kind%:*}" "${kind#*:}" || { echo "FAILED with ${kind%:*}"; status=1; }
    done
    return $status
}

clients() {
    local client
    clients_start
    clients_copy
    for client in $SNOWID_CLIENTS; do report "clients/$client" client "$client"; done
    server_stop "$CLIENTS/server"
}
