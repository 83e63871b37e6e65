# Runs the parts of script/test side by side; script/test sources it.
#
# A part needs a slot while it runs. Slots are bytes in a pipe: a part takes one out, and puts it back when it ends. There
# are two pipes. Tests of servers wait a lot, so more of them run at once than there are processors. Builds use all
# processors by themselves, so only one runs at a time. It runs at a lower priority, because tests have time limits.
#
# The first script/test makes the pipes and a file of results. Each script/test that it starts in another Debian
# (script/matrix.sh) inherits them as open files: 6 is for results, 7 for builds, 8 for tests.

declare -A JOBS=()

jobs_begin() {
    trap jobs_end EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [ -z "${SNOWID_RUN:-}" ] || return 0
    local slots=${SNOWID_JOBS:-$(($(nproc) * 2))}
    [[ $slots = [1-9]* && $slots != *[^0-9]* ]] || fail "SNOWID_JOBS is \"$slots\", which is no number of parts."
    jobs_pipe
    exec 8<>"$STATE/slots"
    if [ "$slots" = 1 ]; then
        exec 7>&8
        printf x >&8
    else
        jobs_pipe
        exec 7<>"$STATE/slots"
        printf x >&7
        printf "%$((slots - 1))s" '' >&8
    fi
    rm "$STATE/slots"
    exec 6>>"$STATE/results"
    : >"$STATE/results"
    export SNOWID_RUN=1
    JOBS_FIRST=1
}

jobs_pipe() {
    rm -f "$STATE/slots"
    mkfifo "$STATE/slots"
}

# Every command gets a process group, so that all of it can be ended. Bash makes one while job control is on.
in_background() { # name, command...
    set -m
    { set +m; trap 'exit 143' TERM; "${@:2}"; } </dev/null &
    set +m
    JOBS[$!]=$1
}

# Runs a command once there is a slot. The command has a shell of its own, so the slot is put back however it ends. When
# the run is interrupted, that shell stops the servers it has started, because they are not in its process group.
in_slot() { # pipe, command...
    local slot status
    read -rN 1 -u "$1" slot
    set +e
    (
        set -e
        trap 'servers_abort; exit 143' TERM
        "${@:2}"
    )
    status=$?
    set -e
    printf x >&"$1"
    return $status
}

in_test_slot() { in_slot 8 "$@"; }
in_build_slot() {
    renice -n 5 -p "$BASHPID" >/dev/null
    in_slot 7 "$@"
}

# Runs one part, shows how it went, and counts it. A part that cannot run here says "skipped: " and why.
job() { # name, command...
    local name=$1 log=$STATE/test-${1//[ \/]/-}.log started=$SECONDS reason
    shift
    if "$@" >"$log" 2>&1 6>&- 7>&- 8>&-; then
        reason=$(sed -n 's/^\(.* \.\. \)\?skipped: //p' "$log")
        if [ -n "$reason" ]; then job_ended skipped "$name ($reason)"; else job_ended ok "$name ($((SECONDS - started)) s)"; fi
    else
        job_ended FAILED "$name ($((SECONDS - started)) s); the end of ${SNOWID_ROOT:-}$log:
$(tail -n 40 "$log")"
    fi
}

# cat writes everything at once, so that lines of other parts do not come between.
job_ended() { # ok, skipped or FAILED, what
    local said=$STATE/said.$BASHPID
    echo "$1" >&6
    printf '%-7s %s%s\n' "$1" "$LABEL" "$2" >"$said"
    cat "$said"
    rm "$said"
}

run() { in_background "$1" in_test_slot job "$@"; }
run_build() { in_background "$1" in_build_slot job "$@"; }

# A part that fails has been reported by job(). Anything else that ends with an error did not get that far.
jobs_wait() {
    local process
    for process in "${!JOBS[@]}"; do
        wait "$process" || job_ended FAILED "${JOBS[$process]}: it was not run to its end"
    done
}

# Ends what is still running, after an interrupt or when something could not be set up.
jobs_end() {
    local process wait
    trap '' HUP INT TERM
    for process in $(jobs -rp); do kill -TERM -- "-$process" 2>/dev/null || true; done
    for ((wait = 0; wait < 100; wait++)); do
        [ -n "$(jobs -rp)" ] || return 0
        sleep 0.2
    done
    for process in $(jobs -rp); do kill -KILL -- "-$process" 2>/dev/null || true; done
}

# The closing line is about the whole run, so the first script/test prints it.
jobs_report() {
    local passed failed skipped
    [ -n "${JOBS_FIRST:-}" ] || return 0
    passed=$(grep -c '^ok$' "$STATE/results" || true)
    failed=$(grep -c '^FAILED$' "$STATE/results" || true)
    skipped=$(grep -c '^skipped$' "$STATE/results" || true)
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}
