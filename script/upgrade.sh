# Tests updates of the extension. script/test sources this file. sql/released/ keeps the whole script of every release.
# Each older one is installed with today's library, must work, and after the update must be the same as a fresh installation. A
# made-up version with its delta proves that a difference would be noticed.

upgrade_psql() { "$PG_BIN/psql" -h "$STATE/upgrade" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Runs commands and files of test/upgrade in a copy of a database, and writes everything that its catalogues say about the
# extension to a file. The database `fresh` has a fresh installation.
upgrade_catalog() { # file, database, command...
    local file=$1 command
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c "CREATE DATABASE upgrade TEMPLATE $2"
    for command in "${@:3}"; do
        [ ! -f "test/upgrade/$command" ] || command=$(cat "test/upgrade/$command")
        upgrade_psql -d upgrade -c "$command"
    done
    upgrade_psql -d upgrade -f test/upgrade/catalog.sql >"$file"
    [ "$(wc -l <"$file")" -gt 1000 ] || fail "$file says nothing of the extension."
}

# Creating a C function looks up its symbol in the library. works.sql calls every generator that needs no argument.
# Before 1.1.0 more could stand in its records than later versions let in.
upgrade_released() { # version
    local before=(works.sql uses.sql) after=(works.sql used.sql)
    say "from $1"
    if [[ $1 < 1.1.0 ]]; then
        before+=(old_generators.sql given_times.sql odd_rows.sql)
        after+=(old_records_kept.sql)
    fi
    upgrade_catalog "$STATE/upgrade.old" template1 "CREATE EXTENSION snowid VERSION '$1'" "${before[@]}" 'ALTER EXTENSION snowid UPDATE' "${after[@]}"
    diff "$STATE/upgrade.fresh" "$STATE/upgrade.old" || fail "an update from $1 leaves another catalogue than CREATE EXTENSION."
}

# Someone may have put overloads of pg_catalog's functions into the schema. The old version's functions may be bound to
# them, but nothing of the new version may be. Overloads of the extension's own functions keep their names, even if they
# are members of it.
upgrade_planted() { # version, the new version's script
    local bound name namesakes='layout_replace snowflake snowid_layout_replace snowid_time_lt_support ulid_lt'
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade'
    upgrade_psql -d upgrade -c 'CREATE SCHEMA ids' -c "CREATE FUNCTION ids.format(text, text) RETURNS text LANGUAGE sql AS 'SELECT \$1'" \
        -c "CREATE EXTENSION snowid SCHEMA ids VERSION '$1'"
    for name in $namesakes; do
        upgrade_psql -d upgrade -c "CREATE FUNCTION ids.$name(oid, oid) RETURNS boolean LANGUAGE sql AS 'SELECT true'"
    done
    upgrade_psql -d upgrade -c 'ALTER EXTENSION snowid ADD FUNCTION ids.ulid_lt(oid, oid)'
    SNOWID_SCRIPT=$2 upgrade_psql -d upgrade -f test/tap/planted.sql -c 'ALTER EXTENSION snowid UPDATE'
    bound=$(upgrade_psql -d upgrade -f test/tap/bound.sql)
    [ -z "$bound" ] || fail "an update from $1 leaves what others have planted: $bound"
    [ "$(upgrade_psql -d upgrade -c "SELECT string_agg(proname, ' ' ORDER BY proname COLLATE \"C\") FROM pg_proc
        WHERE oidvectortypes(proargtypes) = 'oid, oid' AND pronamespace = 'ids'::regnamespace AND prorettype = 'boolean'::regtype AND prolang = 14")" = "$namesakes" ] ||
        fail "an update from $1 renames what others have planted."
}

# Today's library with the functions, grants and tables of an old version, called with whatever anybody can hand to them.
upgrade_called() { # version
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade' -c 'DROP ROLE IF EXISTS stranger' -c 'CREATE ROLE stranger'
    upgrade_psql -d upgrade -c "CREATE EXTENSION snowid VERSION '$1'"
    "$PG_BIN/psql" -h "$STATE/upgrade" -U postgres -XAtq -d upgrade -v role=stranger -f test/tap/every_call.sql >"$STATE/upgrade.calls" 2>"$STATE/upgrade.errors" || true
    grep -q 'all was called' "$STATE/upgrade.calls" || fail "a call with the SQL of $1 ends the server: $(tail -n 3 "$STATE/upgrade.errors")"
    ! grep -A 1 'ERROR:  XX' "$STATE/upgrade.errors" || fail "a call with the SQL of $1 is an internal error."
}

# Beside a library that lacks a function of the new version, the update says what to do and changes nothing.
upgrade_library() { # extension folder, version, old version
    local said
    sed "s/'snowid_drop_replicated'/'snowid_of_later'/" "$1/snowid--$3--$2.sql" >"$1/snowid--$3--made.up.sql"
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade'
    upgrade_psql -d upgrade -c "CREATE EXTENSION snowid VERSION '$3'"
    ! said=$(upgrade_psql -d upgrade -c "ALTER EXTENSION snowid UPDATE TO 'made.up'" 2>&1) || fail "an update beside an older library goes through."
    [[ $said == *'ERROR:  the library of snowid is older than this update'*'could not find function'*'HINT:  Install the new library.'* ]] ||
        fail "an update beside an older library says: $said"
    rm "$1/snowid--$3--made.up.sql"
    upgrade_psql -d upgrade -c 'SELECT snowflake_next()' -c 'ALTER EXTENSION snowid UPDATE' >/dev/null
}

upgrade_made_up() { # extension folder, version
    local lines line
    say "to a version that is made up"
    lines=$(grep -vc '^--' test/upgrade/made_up.sql)
    { cat "$1/snowid--$2.sql" && echo 'SET LOCAL search_path = @extschema@;' && cat test/upgrade/made_up.sql; } >"$1/snowid--made.up.sql"
    cp test/upgrade/made_up.sql "$1/snowid--$2--made.up.sql"
    upgrade_catalog "$STATE/upgrade.made_up" template1 "CREATE EXTENSION snowid VERSION 'made.up'"
    upgrade_catalog "$STATE/upgrade.old" fresh "ALTER EXTENSION snowid UPDATE TO 'made.up'"
    diff "$STATE/upgrade.made_up" "$STATE/upgrade.old" || fail "the same delta leaves another catalogue."
    for ((line = 1; line <= lines; line++)); do
        grep -v '^--' test/upgrade/made_up.sql | sed "${line}d" >"$1/snowid--$2--made.up.sql"
        upgrade_catalog "$STATE/upgrade.old" fresh "ALTER EXTENSION snowid UPDATE TO 'made.up'" 2>/dev/null || continue
        ! cmp -s "$STATE/upgrade.made_up" "$STATE/upgrade.old" || fail "nobody sees that line $line of the delta is missing."
    done
    echo "each of $lines missing lines is seen"
}

# forget.sql leaves the state that pg_upgrade from an earlier PostgreSQL leaves. snowid_catalog_update() must complete it.
upgrade_server() {
    say "to another PostgreSQL"
    upgrade_catalog "$STATE/upgrade.old" fresh forget.sql
    ! cmp -s "$STATE/upgrade.fresh" "$STATE/upgrade.old" || [ "$PG_MAJOR" -lt 18 ] || fail "nothing was forgotten."
    upgrade_catalog "$STATE/upgrade.old" fresh forget.sql \
        'SELECT snowid_catalog_update()' 'SELECT snowid_catalog_update()'
    diff "$STATE/upgrade.fresh" "$STATE/upgrade.old" || fail "snowid_catalog_update() leaves another catalogue than CREATE EXTENSION."
}

# The dumps were written by pg_dump of an older PostgreSQL, from a database that data.sql had filled. They are restored
# here.
upgrade_dump() {
    local file
    for file in test/upgrade/dump-*.sql; do
        say "${file##*/}"
        upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade'
        upgrade_psql -d upgrade -f "$file" >/dev/null
        upgrade_psql -d upgrade -c "SELECT snowid_generator_accept('past')"  # the dump has all of its ids
        upgrade_psql -d upgrade -f test/upgrade/check.sql
    done
}

# The way back that doc/operations.md shows: a dump goes into a database with the SQL of an old version, whose records of
# generators have fewer columns.
upgrade_back() { # version
    say "back to $1"
    local dump=$STATE/upgrade.back
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade' -c 'DROP DATABASE IF EXISTS back' -c 'CREATE DATABASE back'
    upgrade_psql -d upgrade -f test/upgrade/data.sql >/dev/null
    upgrade_psql -d back -c "CREATE EXTENSION snowid VERSION '$1'"
    "$PG_BIN/pg_dump" -h "$STATE/upgrade" -U postgres -Fc -f "$dump" upgrade
    "$PG_BIN/pg_restore" -l "$dump" | grep -vE 'EXTENSION|TABLE DATA \S+ snowid_(generator|granted|partition)' >"$dump.list"
    "$PG_BIN/pg_restore" -h "$STATE/upgrade" -U postgres -L "$dump.list" --exit-on-error -d back "$dump"
    upgrade_psql -d upgrade -c '\copy (SELECT id, name, scheme, layout, worker, partition, sequence_min, sequence_max, overlap, backfill FROM snowid_generator) TO stdout' |
        upgrade_psql -d back -c '\copy snowid_generator FROM stdin'
    upgrade_psql -d back -c "UPDATE witness SET generators = regexp_replace(generators, ',[tf],[tf]\)', ')', 'g')" -f test/upgrade/check.sql
}

# What doc/operations.md says of logical replication: the schema, the records of partitions, and in the end those of generators.
upgrade_records() {
    local dump=("$PG_BIN/pg_dump" -h "$STATE/upgrade" -U postgres) said
    say "to a server that gets the rows by replication"
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS new' -c 'CREATE DATABASE new'
    "${dump[@]}" --schema-only upgrade | upgrade_psql -d new >/dev/null
    "${dump[@]}" --data-only -t snowid_partitioned -t snowid_partition_times upgrade | upgrade_psql -d new >/dev/null
    upgrade_psql -d new -c 'CALL snowid_maintain()'
    "${dump[@]}" --data-only -t snowid_layout -t snowid_generator -t snowid_granted -t snowid_horizon upgrade | upgrade_psql -d new >/dev/null
    said=$(upgrade_psql -d new -c "SELECT count(*), count(error), snowflake_worker(snowflake_next('orders')) FROM snowid_maintenance" \
        -c "SELECT * FROM snowid_check() WHERE subject IN ('partitions', 'default')")
    [ "$said" = '1|0|5' ] || fail "a server that gets the rows by replication says: $said"
}

# The library of the newest release under today's script, in a copy of PostgreSQL of its own.
upgrade_rollback() { # version
    local old=$STATE/snowid-$1-$PG_MAJOR.so install=$STATE/rollback/usr/lib/postgresql/$PG_MAJOR
    say "the library of $1 put back"
    (flock 4; pg_upgrade_module "$1" "$old" "$PG_CONFIG" 4>&-) 4>"$old.lock"
    ! grep -q "^$(git rev-parse HEAD)," "$old.commit" || return 0  # without its history
    rm -rf "$STATE/rollback"
    mkdir "$STATE/rollback"
    cp -al "$PG_ROOT/usr" "$STATE/rollback/"
    chown -h "$(stat -c %U "$STATE/upgrade")" "$install/lib"
    SNOWID_INSTALL=$install SNOWID_OLD_LIBRARY=$old tap test/upgrade/rollback.pl
    rm -rf "$STATE/rollback"
}

upgrade() {
    local extensions version file
    extensions=$("$PG_BIN/pg_config" --sharedir)/extension
    version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" snowid.control)
    # shellcheck disable=SC2064
    trap "server_stop '$STATE/upgrade'; rm -f '$extensions'/snowid--made.up.sql '$extensions'/snowid--*--made.up.sql" EXIT
    server_fresh "$STATE/upgrade" "shared_preload_libraries = 'snowid'" "log_statement = none"
    upgrade_catalog "$STATE/upgrade.fresh" template1 'CREATE EXTENSION snowid'
    upgrade_psql -d postgres -c 'ALTER DATABASE upgrade RENAME TO fresh'
    for file in sql/released/snowid--*.sql; do
        file=${file##*/snowid--}
        [ "${file%.sql}" != "$version" ] || continue  # it has just been frozen
        upgrade_released "${file%.sql}"
        upgrade_planted "${file%.sql}" "$extensions/snowid--$version.sql"
        upgrade_called "${file%.sql}"
    done
    upgrade_library "$extensions" 1.1.0 1.0.0
    upgrade_made_up "$extensions" "$version"
    upgrade_server
    upgrade_dump
    upgrade_back 1.0.0
    upgrade_records
    [ "$PG_MAJOR" -gt 15 ] || upgrade_rollback 1.0.0
}
