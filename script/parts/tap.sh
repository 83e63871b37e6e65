# Runs test/tap/*.pl and their like: tests of servers of their own. script/part sources this file.

# The clock that tests set, and the cluster of which servers get copies (test/tap/programs/initdb).
tap_set_up() {
    build_clock "$STATE/clock.so"
    [ ! -e "$PG_ROOT/cluster" ] || return 0
    rm -rf "$STATE/cluster"
    unprivileged "$PG_BIN/initdb" -D "$STATE/cluster" -A trust -N >/dev/null
    mv "$STATE/cluster" "$PG_ROOT/"
}

# As the user that may start servers, on a copy that this user can read. Of what failed, what the test said before it died
# comes first: of a long log only the end is shown. The logs of a failed test are kept.
tap() { # part
    local folder=$STATE/tap/${1#tap/} pgxs=$PG_ROOT/usr/lib/postgresql/$PG_MAJOR/lib/pgxs/src/test logs
    logs=$folder/tmp_check/log
    rm -rf "$folder"
    unprivileged mkdir -p "$folder/test"
    cp -r test/{tap,fleet,long,upgrade,vectors} "$folder/test/"
    cp -r README.md Makefile doc plain "$STATE/clock.so" "$folder/"
    if [ -e convert ]; then cp -r convert "$folder/"; fi
    if [ -e build/cli/snowid ]; then cp build/cli/snowid "$folder/"; fi
    if (cd "$folder" && unprivileged env PG_TEST_TIMEOUT_DEFAULT=900 PATH="$folder/test/tap/programs:$PG_BIN:$PATH" SNOWID_INITDB="$PG_BIN/initdb" SNOWID_CLUSTER="$PG_ROOT/cluster" \
        PG_REGRESS="$pgxs/regress/pg_regress" TESTDIR="$folder" TESTDATADIR="$folder/tmp_check" TESTLOGDIR="$logs" prove --timer -I "$pgxs/perl" -I test/tap "$(part_file "$1")"); then
        rm -rf "$folder"
    else
        tail -n 15 "$logs"/regress_log_*
        grep -hA 8 '^[^ ]* not ok' "$logs"/regress_log_* | head -n 30
        return 1
    fi
}
