# How long a cluster under Patroni makes no ids, and how long it has no primary, in switchovers and if its leader is killed.
# The directory is in the cluster itself, whose failovers lose nothing: synchronous_mode_strict. script/test sources this
# file.

# The times at which a node was a primary, in milliseconds.
switchovers_watch() {
    local node
    while :; do
        for node in 1 2; do patroni_psql $node -c 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE NOT pg_is_in_recovery()' >>"$PATRONI_FOLDER/primary" || true; done
        sleep 0.05
    done
}

switchovers_now() { date +%s%3N; }
switchovers_gap() { # since; of the times on standard input, in tenths of a second
    sort -n | awk -v last="$1" '$1 > last {if ($1 - last > gap) gap = $1 - last; last = $1} END {printf "%.0f", gap / 100}'
}
switchovers_seconds() { echo "$(($1 / 10)).$(($1 % 10))"; }

# Ids are missing if a call was refused, which takes 5 s.
switchovers_measure() { # what, since, whether ids may be missing
    local ids primary
    ids=$(awk '{printf "%.0f\n", $1 / 4194304 + 1704067200000}' "$PATRONI_FOLDER"/ids? | switchovers_gap "$2")
    primary=$(switchovers_gap "$2" <"$PATRONI_FOLDER/primary")
    echo "$1: no ids for $(switchovers_seconds "$ids") s, no primary for $(switchovers_seconds "$primary") s"
    if [ -z "${3:-}" ]; then [ "$ids" -lt $((primary + 50)) ]; fi
}

switchovers_ready() {
    patroni_until 120 "there is a synchronous standby" eval 'patroni_is_synchronous $(patroni_leader)' &&
        patroni_until 240 "the nodes have numbers for long" eval 'patroni_has_time 1 && patroni_has_time 2'
}

switchovers_switch() {
    local leader
    leader=$(patroni_leader)
    patroni_until 60 "a switchover" patroni_switches "$leader" &&
        patroni_until 60 "node $((3 - leader)) leads" patroni_is_primary $((3 - leader)) &&
        patroni_until 200 "it makes ids" patroni_makes_ids $((3 - leader))
}

# There, and back after half a minute.
switchovers_both() { # what, whether ids may be missing after the second
    local began
    began=$(switchovers_now)
    switchovers_switch || return 1
    sleep 30
    switchovers_measure "$1: a switchover" "$began" || return 1
    echo "the check: $(patroni_psql "$(patroni_leader)" -c 'SELECT finding FROM snowid_directory.check()')"
    patroni_until 60 "there is a synchronous standby" eval 'patroni_is_synchronous $(patroni_leader)' || return 1
    began=$(switchovers_now)
    switchovers_switch || return 1
    sleep 10
    switchovers_measure "$1: and back" "$began" "${2:-}"
}

# The leader and its Patroni are gone, and come back when the other node leads.
switchovers_kill() {
    local leader began
    leader=$(patroni_leader)
    began=$(switchovers_now)
    kill -KILL $(patroni_processes "$leader") 2>/dev/null
    patroni_until 90 "the other node leads" patroni_is_primary $((3 - leader)) || return 1
    patroni_until 60 "it makes ids" patroni_makes_ids $((3 - leader)) || return 1
    sleep 10
    switchovers_measure "the leader is killed" "$began" || return 1
    patroni_begin "n$leader.again.log" patroni "$PATRONI_FOLDER/n$leader.yml"
    PATRONI_PIDS[$leader]=$!
}

switchovers_rig() {
    local twice all
    PATRONI_STRICT=true
    trap patroni_stop EXIT
    patroni_begin_ids || return 1
    switchovers_watch &
    PATRONI_WRITERS+=($!)
    switchovers_ready || return 1
    switchovers_both undeclared may || return 1
    switchovers_ready || return 1
    patroni_psql "$(patroni_leader)" -c 'SELECT snowid_directory.lossless(true)' || return 1
    switchovers_both lossless || return 1
    switchovers_ready || return 1
    switchovers_kill || return 1
    switchovers_ready || return 1
    twice=$(patroni_twice)
    all=$(cat "$PATRONI_FOLDER"/ids? | wc -l)
    echo "$twice of $all ids twice"
    [ "$twice" = 0 ] && [ "$all" -gt 10000 ]
}
