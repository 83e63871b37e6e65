# Rehearses a release and the update to the one after it. script/test sources this file. In a copy of this tree `make freeze` keeps
# today's scripts as released, and the version `next` changes something of every kind (test/upgrade/next). An installation of today's that
# works and is updated must be the same as a fresh one of the next.

UPGRADED=(snowid snowid_convert snowid_directory)

upgrade_psql() { PGOPTIONS="-c client_min_messages=warning" "$PG_BIN/psql" -h "$STATE/upgrade" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

upgrade_database() { # name, template
    upgrade_psql -d postgres -c "DROP DATABASE IF EXISTS $1" -c "CREATE DATABASE $1 ${2:+TEMPLATE $2}"
}

# Runs commands and files of test/upgrade in a new database, and writes everything that its catalogues say about the extension to a
# file.
upgrade_catalog() { # file, extension, template, command...
    local command
    upgrade_database upgrade "$3"
    for command in "${@:4}"; do
        if [ -f "test/upgrade/$command" ]; then command=$(cat "test/upgrade/$command"); fi
        upgrade_psql -d upgrade -c "$command"
    done
    upgrade_psql -d upgrade -v extension="$2" -f test/upgrade/catalog.sql >"$1"
    [ "$(wc -l <"$1")" -gt 100 ] || fail "$1 says nothing of the extension."
}

# Makes the tree in which the next version is made, as CONTRIBUTING.md says.
upgrade_freeze() { # tree
    local extension
    rm -rf "$1"
    matrix_copy_source "$1"
    make -s -C "$1" PG_CONFIG="$PG_BIN/pg_config" freeze
    # A function of bodies/ and a comment need nothing in the delta.
    sed -i 's/LANGUAGE plpgsql/& COST 77/' "$1/sql/install/bodies/10-catalog-update.sql"
    sed -i "s/IS 'completes/IS 'made up: completes/" "$1/sql/install/bodies/10-catalog-update.sql"
    for extension in "${UPGRADED[@]}"; do
        sed -i "s/^default_version.*/default_version = 'next'/" "$1/$(upgrade_control "$extension")"
        mkdir -p "$1/sql/upgrade"
        cp "test/upgrade/next/$extension.sql" "$1/sql/upgrade/$extension--$(upgrade_version "$extension")--next.sql.in"
    done
}
upgrade_control() { git ls-files "$1.control" "convert/$1.control"; } # extension
upgrade_version() { sed -n "s/^default_version *= *'\(.*\)'/\1/p" "$(upgrade_control "$1")"; } # extension

# Builds the next version's scripts and puts them beside today's.
upgrade_install() { # tree
    local extension update
    for extension in "${UPGRADED[@]}"; do
        update=$extension--$(upgrade_version "$extension")--next.sql
        make -s -C "$1" PG_CONFIG="$PG_BIN/pg_config" "$extension--next.sql" "$update"
        { cat "$1/$extension--next.sql"; echo 'SET LOCAL search_path = pg_catalog, pg_temp;'; cat "test/upgrade/next/$extension.sql"; } >"$EXTENSIONS/$extension--next.sql"
        cp "$1/$update" "$EXTENSIONS/"
    done
}

# The same changes as an update, and then without one line of the delta after another: each has to be seen.
upgrade_updates() { # tree, extension
    local delta seen=0 line lines version
    version=$(upgrade_version "$2")
    delta=$1/sql/upgrade/$2--$version--next.sql.in
    say "$2 $version to the next version"
    upgrade_catalog "$STATE/upgrade.next" "$2" template1 "CREATE EXTENSION $2 VERSION 'next' CASCADE"
    upgrade_catalog "$STATE/upgrade.old" "$2" "released_$2" "ALTER EXTENSION $2 UPDATE TO 'next'" $([ "$2" != snowid ] || echo works.sql used.sql)
    diff "$STATE/upgrade.next" "$STATE/upgrade.old" || fail "an update leaves another catalogue than CREATE EXTENSION."
    lines=$(grep -vc '^--' "test/upgrade/next/$2.sql")
    for ((line = 1; line <= lines; line++)); do
        grep -v '^--' "test/upgrade/next/$2.sql" | sed "${line}d" >"$delta"
        make -s -C "$1" PG_CONFIG="$PG_BIN/pg_config" "$2--$version--next.sql"
        cp "$1/$2--$version--next.sql" "$EXTENSIONS/"
        upgrade_catalog "$STATE/upgrade.old" "$2" "released_$2" "ALTER EXTENSION $2 UPDATE TO 'next'" 2>/dev/null || { seen=$((seen + 1)); continue; }
        ! cmp -s "$STATE/upgrade.next" "$STATE/upgrade.old" || fail "nobody sees that line $line of the delta is missing."
        seen=$((seen + 1))
    done
    cp "test/upgrade/next/$2.sql" "$delta"
    echo "each of $seen missing lines is seen"
}

# The owner of the schema may have put overloads of pg_catalog's functions there. Nothing of the next version may be bound to them.
upgrade_planted() {
    local bound
    say "beside planted overloads"
    upgrade_database upgrade
    upgrade_psql -d upgrade -c 'CREATE SCHEMA ids' -c "CREATE EXTENSION snowid SCHEMA ids VERSION '$(upgrade_version snowid)'"
    SNOWID_SCRIPT=$EXTENSIONS/snowid--next.sql upgrade_psql -d upgrade -f test/tap/planted.sql -c "ALTER EXTENSION snowid UPDATE TO 'next'"
    bound=$(upgrade_psql -d upgrade -f test/tap/bound.sql)
    [ -z "$bound" ] || fail "an update leaves what others have planted: $bound"
}

# forget.sql leaves the state that pg_upgrade from an earlier PostgreSQL leaves. snowid_catalog_update() must complete it.
upgrade_server() {
    say "to another PostgreSQL"
    upgrade_catalog "$STATE/upgrade.fresh" snowid template1 'CREATE EXTENSION snowid'
    upgrade_psql -d postgres -c 'ALTER DATABASE upgrade RENAME TO fresh'
    upgrade_catalog "$STATE/upgrade.old" snowid fresh forget.sql
    ! cmp -s "$STATE/upgrade.fresh" "$STATE/upgrade.old" || [ "$PG_MAJOR" -lt 18 ] || fail "nothing was forgotten."
    upgrade_catalog "$STATE/upgrade.old" snowid fresh forget.sql 'SELECT snowid_catalog_update()' 'SELECT snowid_catalog_update()'
    diff "$STATE/upgrade.fresh" "$STATE/upgrade.old" || fail "snowid_catalog_update() leaves another catalogue than CREATE EXTENSION."
}

upgrade_dump() {
    say "a dump and a restore"
    upgrade_database upgrade
    upgrade_psql -d upgrade -f test/upgrade/data.sql >/dev/null
    upgrade_database restored
    "$PG_BIN/pg_dump" -h "$STATE/upgrade" -U postgres upgrade | upgrade_psql -d restored >/dev/null
    upgrade_psql -d restored -c "SELECT snowid_generator_accept('past')" -f test/upgrade/check.sql  # the dump has all of its ids
}

# What doc/operations.md says of logical replication: the schema, the records of partitions, and in the end those of generators.
upgrade_records() {
    local dump=("$PG_BIN/pg_dump" -h "$STATE/upgrade" -U postgres) said
    say "to a server that gets the rows by replication"
    upgrade_database new
    "${dump[@]}" --schema-only upgrade | upgrade_psql -d new >/dev/null
    "${dump[@]}" --data-only -t _snowid.partitioned -t _snowid.partition_times upgrade | upgrade_psql -d new >/dev/null
    upgrade_psql -d new -c 'CALL snowid_maintain()'
    "${dump[@]}" --data-only -t _snowid.layout -t _snowid.generator -t _snowid.granted -t _snowid.horizon upgrade | upgrade_psql -d new >/dev/null
    said=$(upgrade_psql -d new -c "SELECT count(*), count(error), snowflake_worker(snowflake_next('orders')) FROM snowid_maintenance" \
        -c "SELECT * FROM snowid_check() WHERE subject IN ('partitions', 'default')")
    [ "$said" = '1|0|5' ] || fail "a server that gets the rows by replication says: $said"
}

upgrade() {
    local EXTENSIONS extension
    EXTENSIONS=$("$PG_BIN/pg_config" --sharedir)/extension
    # shellcheck disable=SC2064
    trap "server_stop '$STATE/upgrade'; rm -f '$EXTENSIONS'/snowid*--next.sql" EXIT
    upgrade_freeze "$STATE/next"
    upgrade_install "$STATE/next"
    server_fresh "$STATE/upgrade" "shared_preload_libraries = 'snowid'" "log_statement = none"
    for extension in "${UPGRADED[@]}"; do
        upgrade_database "released_$extension"
        upgrade_psql -d "released_$extension" -c "CREATE EXTENSION $extension VERSION '$(upgrade_version "$extension")' CASCADE" \
            $([ "$extension" != snowid ] || printf -- '-f test/upgrade/%s ' works.sql uses.sql)
    done
    upgrade_planted
    for extension in "${UPGRADED[@]}"; do upgrade_updates "$STATE/next" "$extension"; done
    upgrade_server
    upgrade_dump
    upgrade_records
}
