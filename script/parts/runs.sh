# Tests script/test: what it counts, that a second run at the same time is refused, and that it leaves nothing when it is ended. script/part
# sources this file. The runs are of a copy of the source, with what is built from it, whose tools/parts has parts for this test.

runs() {
    local folder=$STATE/runs first status=0 said
    rm -rf "$folder"
    mkdir -p "$folder/state"
    rsync -a --exclude=/.git --exclude='/build/*/test' --exclude='core_test' --exclude=/build/docs --exclude=/build/site ./ "$folder/source"
    ln -s "$PG_ROOT" "$folder/state/"
    cat >>"$folder/source/tools/parts" <<'TABLE'
planted/good    | 9 | | | sleep 2
planted/bad     | 9 | | | sleep 2; false
planted/killed  | 9 | | | sleep 1000
planted/dear    | 1 | | | perl -e 'do {1 for 1 .. 1e6} while (times)[0] < 3'
planted/orphan  | 9 | | | server_fresh "$STATE/orphan"; setsid sleep 1000 & exit 1
planted/servers | 9 | | | server_fresh "$STATE/servers"; setsid sleep 1000 & sleep 1000
TABLE
    cd "$folder/source"

    runs_test planted/good planted/bad planted/killed planted/dear >"$folder/first" 2>&1 &
    first=$!
    runs_until grep -q '== building' "$folder/first"
    ! said=$(runs_test planted/good 2>&1) || fail "a second run in one clone is not refused."
    [[ $said == *"another run works in $folder/source"* ]] || fail "it says $said."
    cp -r "$folder/source" "$folder/clone"
    ! said=$(cd "$folder/clone" && runs_test planted/good 2>&1) || fail "a second run in one folder is not refused."
    [[ $said == *"another run works in $folder/state"* ]] || fail "it says $said."
    runs_until pgrep -f 'script/part 15:planted/killed' >/dev/null
    kill -KILL $(pgrep -f 'bash script/part 15:planted/killed')
    wait $first || status=$?
    [ $status = 1 ] || fail "a run with failures has the status $status."
    cat "$folder/first"
    [ "$(tail -n 1 "$folder/first")" = "2 passed, 2 failed, 0 skipped" ] || fail "a run of four counts wrongly."
    grep -q '^FAILED  15:planted/bad' "$folder/first" && grep -q '^FAILED  15:planted/killed' "$folder/first" || fail "it does not say what failed."
    grep -qE '^ +15:planted/dear took [3-9] s of processors; its budget is 1$' "$folder/first" || fail "a part over its budget is not told."

    (runs_test planted/orphan) >"$folder/second" 2>&1 && fail "a part that fails passes."
    ! runs_left || fail "this is left by a part that has failed."
    runs_test planted/servers >"$folder/third" 2>&1 &
    first=$!
    runs_until runs_left
    kill -TERM $first
    status=0
    wait $first || status=$?
    [ $status = 143 ] || fail "a run that is ended has the status $status."
    runs_until eval '! runs_left' || fail "this is left by a run that was ended."
}

runs_test() { SNOWID_STATE="$STATE/runs/state" SNOWID_JOBS=3 exec script/test "$@"; }
runs_left() { pgrep -af "postgres -D $STATE/runs/state" || pgrep -af 'sleep 1000'; }
runs_until() { for _ in {1..300}; do ! "$@" || return 0; sleep 0.2; done; return 1; } # command...
