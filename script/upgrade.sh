# Updates of the extension; sourced by script/test. A release is what sql/released/ keeps of it, its whole script as it was
# installed. Each of them is installed with the library of today, must work, and updated must be what is installed afresh.
# A version that is made up here, with its delta, proves that a difference would be seen.

upgrade_psql() { "$PG_BIN/psql" -h "$STATE/upgrade" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

# A new database with the extension, and all that its catalogues say, in a file.
upgrade_catalog() { # file, command...
    local file=$1 command
    shift
    upgrade_psql -d postgres -c 'DROP DATABASE IF EXISTS upgrade' -c 'CREATE DATABASE upgrade'
    for command in "$@"; do upgrade_psql -d upgrade -c "$command"; done
    upgrade_psql -d upgrade -f test/upgrade/catalog.sql >"$file"
    [ "$(wc -l <"$file")" -gt 1000 ] || fail "$file says nothing of the extension."
}

# Every function of C is looked up in the library when it is created; every generator that needs no argument gives an id.
upgrade_released() { # version
    say "from $1"
    upgrade_catalog "$STATE/upgrade.old" "CREATE EXTENSION snowid VERSION '$1'" "$(cat test/upgrade/works.sql)" \
        'ALTER EXTENSION snowid UPDATE' "$(cat test/upgrade/works.sql)"
    diff "$STATE/upgrade.fresh" "$STATE/upgrade.old" || fail "an update from $1 leaves another catalogue than CREATE EXTENSION."
}

upgrade_made_up() { # extension folder, version
    local lines line
    say "to a version that is made up"
    lines=$(grep -vc '^--' test/upgrade/made_up.sql)
    cat "$1/snowid--$2.sql" test/upgrade/made_up.sql >"$1/snowid--made.up.sql"
    cp test/upgrade/made_up.sql "$1/snowid--$2--made.up.sql"
    upgrade_catalog "$STATE/upgrade.made_up" "CREATE EXTENSION snowid VERSION 'made.up'"
    upgrade_catalog "$STATE/upgrade.old" "CREATE EXTENSION snowid" "ALTER EXTENSION snowid UPDATE TO 'made.up'"
    diff "$STATE/upgrade.made_up" "$STATE/upgrade.old" || fail "the same delta leaves another catalogue."
    for ((line = 1; line <= lines; line++)); do
        grep -v '^--' test/upgrade/made_up.sql | sed "${line}d" >"$1/snowid--$2--made.up.sql"
        upgrade_catalog "$STATE/upgrade.old" "CREATE EXTENSION snowid" "ALTER EXTENSION snowid UPDATE TO 'made.up'" 2>/dev/null || continue
        ! cmp -s "$STATE/upgrade.made_up" "$STATE/upgrade.old" || fail "nobody sees that line $line of the delta is missing."
    done
    echo "each of $lines missing lines is seen"
}

# What pg_upgrade from an earlier version leaves.
upgrade_server() {
    say "to another PostgreSQL"
    upgrade_catalog "$STATE/upgrade.old" 'CREATE EXTENSION snowid' "$(cat test/upgrade/forget.sql)"
    ! cmp -s "$STATE/upgrade.fresh" "$STATE/upgrade.old" || [ "$PG_MAJOR" -lt 18 ] || fail "nothing was forgotten."
    upgrade_catalog "$STATE/upgrade.old" 'CREATE EXTENSION snowid' "$(cat test/upgrade/forget.sql)" \
        'SELECT snowid_catalog_update()' 'SELECT snowid_catalog_update()'
    diff "$STATE/upgrade.fresh" "$STATE/upgrade.old" || fail "snowid_catalog_update() leaves another catalogue than CREATE EXTENSION."
}

upgrade() {
    local extensions version file
    extensions=$("$PG_BIN/pg_config" --sharedir)/extension
    version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" snowid.control)
    server_stop "$STATE/upgrade"
    rm -rf "$STATE/upgrade"
    # shellcheck disable=SC2064
    trap "server_stop '$STATE/upgrade'; rm -f '$extensions'/snowid--made.up.sql '$extensions'/snowid--*--made.up.sql" EXIT
    server_start "$STATE/upgrade" "shared_preload_libraries = 'snowid'" "log_statement = none"
    upgrade_catalog "$STATE/upgrade.fresh" 'CREATE EXTENSION snowid'
    for file in sql/released/snowid--*.sql; do
        [ -e "$file" ] || continue
        cmp -s "$file" "$extensions/${file##*/}" || cp "$file" "$extensions/"
        file=${file##*/snowid--}
        upgrade_released "${file%.sql}"
    done
    upgrade_made_up "$extensions" "$version"
    upgrade_server
}
