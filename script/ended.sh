# Ends a script/test and looks for what it has left: compilers, servers, clients. script/test sources this file. The run works on
# the same build, in a folder of its own.
ended_run() {
    local folder=$STATE/ended run status=0
    rm -rf "$folder"
    mkdir -p "$folder"
    ln -s "$PG_ROOT" "$folder/"
    env -u SNOWID_RUN SNOWID_STATE="$folder" SNOWID_JOBS=3 script/test regress tap/006_failover &
    run=$!
    trap 'kill $run 2>/dev/null || true' EXIT
    for _ in {1..600}; do [ "$(pgrep -cf "postgres -D $folder")" -lt 2 ] || break; sleep 0.2; done
    pgrep -af "$folder" || fail "nothing was started."
    kill -TERM $run
    wait $run || status=$?
    [ $status = 143 ] || fail "its status is $status."
    ! pgrep -af "$folder" || fail "this goes on."
}
