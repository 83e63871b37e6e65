# Runs clients: programs under test/clients that use ids through a driver or an ORM; script/test and script/part source this file.
#
# Each client has a folder with `run`, which builds and runs it, and `packages`, the Debian packages that it needs. The code that
# pages show is put into a copy of these folders (tools/check_recipes). The first program of a driver runs as the page has it, and
# again for each other kind of id (KIND; its functions are called SCHEME_…), with what the page says to replace; each time in a
# database made from test/clients/schema.sql. It prints what it did and saw, and psql with test/clients/checks.sql what it should
# have printed. The table's column must be unchanged afterwards. A client with its own checks.sql tests something other than the
# kinds of id. psql then runs that file, and before the client its schema.sql, if it has one. The client runs once, with bigint. It
# finds the vectors in SNOWID_VECTORS. A client with a file `since` runs from that PostgreSQL on, because its driver is only in
# that one's Debian. What has passed leaves its packages' versions for tools/client_versions.
#
# Server and client use unusual time zones, so that a date that loses its zone on the way is noticed.

CLIENT_KINDS="bigint:snowflake snowflake:snowflake uuid:uuidv7 ulid:ulid sno:sno"
CLIENTS=$STATE/clients

client_runs() { [ ! -e "test/clients/$1/since" ] || [ "$PG_MAJOR" -ge "$(cat "test/clients/$1/since")" ]; } # client

# A Node.js that does not come from Debian brings npm along, and has no package of that name. In another Debian npm does not run.
clients_packages() { # client...
    local client
    for client in "$@"; do ! client_runs "$client" || cat "test/clients/$client/packages"; done | sort -u | while read -r package; do
        echo "$package"
        [ "$package" != nodejs ] || [ -n "${SNOWID_ROOT:-}" ] || command -v npm >/dev/null || echo npm
    done
}

# The npm packages, which all clients share. Another Debian may not trust what this machine's npm trusts. If they cannot be fetched, the
# clients that need them say so.
clients_fetch() { # version, client...
    local to=$CLIENTS
    if [ "$1" != "$PG_VERSION" ]; then to=$(matrix_folder "$1")/var/tmp/snowid-0/clients; fi
    [ $# != 1 ] && grep -qx nodejs $(printf 'test/clients/%s/packages ' "${@:2}") || return 0
    { need_packages $(clients_packages node-postgres) && npm_fetch test/clients "$to"; } >"$STATE/npm.log" 2>&1 || true
}

clients_psql() { # database, argument...
    "$PG_BIN/psql" -h "$CLIENT/server" -p "$CLIENTS_PORT" -U postgres -XAtq -v ON_ERROR_STOP=1 -F $'\t' -d "$@"
}

clients_template() { # kind, scheme
    local make="$2_at(made)"
    if [ "$2" = snowflake ]; then make='snowflake_encode(made, 1, 0)'; fi
    if [ "$2" = sno ]; then make='sno_encode(made, 7, 1, 0, false)'; fi
    clients_psql postgres -c "CREATE DATABASE template_$1"
    clients_psql "template_$1" -v kind="$1" -v next="$2_next" -v make="$make" -f test/clients/schema.sql
}

# JDBC has no Unix sockets, so the server listens on a free port of the loopback interface. There it accepts only the
# clients' role.
clients_start() { # kind...
    local kind
    CLIENTS_PORT=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
    printf '%s\n' 'local all all trust' 'host all app 127.0.0.1/32 scram-sha-256' | unprivileged tee "$CLIENT/hba" >/dev/null
    server_fresh "$CLIENT/server" "shared_preload_libraries = 'snowid'" "snowid.worker_id = 7" "timezone = 'Asia/Kathmandu'" \
        "listen_addresses = '127.0.0.1'" "port = $CLIENTS_PORT" "hba_file = '$CLIENT/hba'"
    clients_psql postgres -c "CREATE ROLE app LOGIN PASSWORD 'app'"
    for kind in "$@"; do clients_template "${kind%:*}" "${kind#*:}"; done
}

# Programs build what they need in their folders.
clients_copy() { # kind, scheme
    rm -rf "$CLIENT/programs"
    if [ "$1" = bigint ]; then tools/check_recipes "$CLIENT/programs"; else tools/check_recipes "$CLIENT/programs" "$@"; fi
    cp -r test/vectors "$CLIENT/programs/vectors"
    if [ "$(id -u)" = 0 ]; then chown -R postgres: "$CLIENT/programs"; fi
}

# Lists and texts look different in each language.
clients_plain() { tr -s '\t []",'"'" ' ' <"$1" | sed 's/ $//'; } # file

clients_column() { # database
    clients_psql "$1" -c "SELECT attname, attnum, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
        WHERE attrelid = 'message'::regclass AND attnum > 0 ORDER BY 2"
}

client_kind() { # client, kind, scheme
    local database=client_${1//[^a-z0-9]/_}_$2 said=$CLIENT/said/$1-$2 checks=test/clients/checks.sql
    if [ -e "test/clients/$1/checks.sql" ]; then checks=test/clients/$1/checks.sql; fi
    clients_copy "$2" "$3"
    clients_psql postgres -c "CREATE DATABASE $database TEMPLATE template_$2 OWNER app"
    if [ -e "test/clients/$1/schema.sql" ]; then clients_psql "$database" -f "test/clients/$1/schema.sql" >/dev/null; fi
    clients_column "$database" >"$said.before"
    (cd "$CLIENT/programs/$1" && unprivileged env HOME="$CLIENTS/home" TZ=America/New_York LANG=C.UTF-8 KIND="$2" SCHEME="$3" SNOWID_VECTORS="$CLIENT/programs/vectors" \
        PGHOST=127.0.0.1 PGPORT="$CLIENTS_PORT" PGUSER=app PGPASSWORD=app PGDATABASE="$database" \
        DATABASE_URL="postgresql://app:app@127.0.0.1:$CLIENTS_PORT/$database" timeout 600 ./run) >"$said" || { cat "$said"; return 1; }
    clients_psql "$database" -v time="$3_time" -f "$checks" >"$said.expected"
    clients_column "$database" >"$said.after"
    diff -u --label "psql says" --label "the client says" <(clients_plain "$said.expected") <(clients_plain "$said") &&
        diff -u --label "column before" --label "column after" "$said.before" "$said.after"
}

client() { # client
    local kind kinds=$CLIENT_KINDS status=0 CLIENT=$CLIENTS/$1
    rm -f "$CLIENTS/versions/$1"
    client_runs "$1" || { echo "skipped: its driver is in the Debian of PostgreSQL $(cat "test/clients/$1/since")"; return; }
    if [ -e "test/clients/$1/checks.sql" ]; then kinds=bigint:snowflake; fi
    ! grep -qx nodejs "test/clients/$1/packages" || cmp test/clients/package-lock.json "$CLIENTS/node_modules/of.json"
    rm -rf "$CLIENT"
    mkdir -p "$CLIENT/said" "$CLIENTS/versions" "$CLIENTS/home"
    if [ "$(id -u)" = 0 ]; then chown postgres: "$CLIENT" "$CLIENTS/home"; fi
    clients_start $kinds
    for kind in $kinds; do
        client_kind "$1" "${kind%:*}" "${kind#*:}" || { echo "FAILED with ${kind%:*}"; status=1; }
    done
    server_stop "$CLIENT/server"
    [ $status = 0 ]
    client_versions "$1" >"$CLIENTS/versions/$1"
}

# The packages that it has run with. Of those from npm, it is what its programs name, and what they generate.
client_versions() { # client
    local name
    dpkg-query -W -f='${Package} ${Version}\n' $(clients_packages "$1") 2>/dev/null || true  # npm may be no package
    grep -qx nodejs "test/clients/$1/packages" || return 0
    node --version | sed 's/^v/nodejs /'
    for name in $(node -p 'Object.keys(require("./test/clients/package.json").dependencies).join(" ")'); do
        ! grep -rqE "['\"/ ]$name['\"/ ]" "$CLIENT/programs/$1" || node -p "'$name ' + require('$CLIENTS/node_modules/$name/package.json').version"
    done
}
