# A cluster under Patroni whose servers get their worker ids from a directory in the cluster itself. script/test sources
# this file. Clients write at both nodes and keep what they received. The leader freezes for longer than its key lives, and
# wakes up beside the new one.

PATRONI_PORT=${PATRONI_PORT:-7431}  # and the next six
PATRONI_FOLDER=$STATE/patroni
PATRONI_STRICT=false
PATRONI_PIDS=()
PATRONI_WRITERS=()

patroni_psql() { # node, argument...
    "$PG_BIN/psql" -h 127.0.0.1 -p $((PATRONI_PORT + $1)) -U postgres -d postgres -XAtq -v ON_ERROR_STOP=1 "${@:2}" 2>/dev/null
}

patroni_api() { # node, method, path, data
    curl -s -m 60 -X "$2" -d "${4:-}" "http://127.0.0.1:$((PATRONI_PORT + 2 + $1))/$3"
}

patroni_settings() { # worker id
    local ports="$((PATRONI_PORT + 1)),$((PATRONI_PORT + 2))"
    echo "{\"shared_preload_libraries\": \"snowid\", \"snowid.worker_id\": \"$1\", \"max_worker_processes\": 16,
        \"snowid.directory\": \"host=127.0.0.1,127.0.0.1 port=$ports dbname=postgres user=postgres target_session_attrs=read-write\"}"
}

patroni_configuration() { # node
    cat <<YAML
scope: fleet
name: n$1
etcd3: {host: "127.0.0.1:$((PATRONI_PORT + 5))"}
restapi: {listen: "127.0.0.1:$((PATRONI_PORT + 2 + $1))", connect_address: "127.0.0.1:$((PATRONI_PORT + 2 + $1))"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 3
    synchronous_mode: true
    synchronous_mode_strict: $PATRONI_STRICT
    postgresql: {use_pg_rewind: true, parameters: $(patroni_settings directory | tr -d '\n')}
  initdb: [encoding: UTF8, locale: C.UTF-8]
  pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
postgresql:
  listen: "127.0.0.1:$((PATRONI_PORT + $1))"
  connect_address: "127.0.0.1:$((PATRONI_PORT + $1))"
  data_dir: $PATRONI_FOLDER/n$1
  bin_dir: $PG_BIN
  pgpass: $PATRONI_FOLDER/pgpass$1
  parameters: {unix_socket_directories: $PATRONI_FOLDER}
  authentication: {superuser: {username: postgres}, replication: {username: postgres}, rewind: {username: postgres}}
YAML
}

patroni_until() { # seconds, what, command...
    local end=$((SECONDS + $1))
    until "${@:3}"; do
        [ $SECONDS -lt $end ] || { echo "not within $1 s: $2"; return 1; }
        sleep 0.3
    done
}

patroni_is_primary() { [ "$(patroni_psql "$1" -c 'SELECT pg_is_in_recovery()')" = f ]; }
patroni_is_standby() { [ "$(patroni_psql "$1" -c 'SELECT pg_is_in_recovery()')" = t ]; }
patroni_makes_ids() { [ -n "$(patroni_psql "$1" -c 'SELECT snowflake_next()')" ]; }
patroni_is_synchronous() { [ "$(patroni_psql "$1" -c "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')")" = 1 ]; }
patroni_has_time() { [ "$(patroni_psql "$1" -c "SELECT until > now() + '45 s' FROM snowid_worker")" = t ]; }
patroni_has_number() { [ "$(patroni_psql "$1" -c "SELECT state FROM snowid_worker")" = held ]; }
patroni_leader() { if patroni_is_primary 1; then echo 1; else echo 2; fi; }

# The result of a statement counts only once all of it has arrived. Each id is of another millisecond, so two servers with
# one number make the same ids, however slow the machine is.
patroni_writer() { # node
    while :; do patroni_psql "$1" -c 'SELECT snowflake_next() FROM generate_series(1, 200) WHERE pg_sleep(0.001) IS NOT NULL' >>"$PATRONI_FOLDER/ids$1" || sleep 0.05; done
}

# Runs in the background as the process $!.
patroni_begin() { # log, command...
    local log=$1
    shift
    if [ "$(id -u)" = 0 ]; then set -- chroot --userspec=postgres:postgres --skip-chdir / env HOME="$STATE" "$@"; fi
    "$@" >"$PATRONI_FOLDER/$log" 2>&1 &
    PATRONI_PIDS+=($!)
}

patroni_start() {
    local node
    rm -rf "$PATRONI_FOLDER"
    unprivileged mkdir -p "$PATRONI_FOLDER"
    local urls="http://127.0.0.1:$((PATRONI_PORT + 5))" peers="http://127.0.0.1:$((PATRONI_PORT + 6))"
    patroni_begin etcd.log etcd --data-dir "$PATRONI_FOLDER/etcd" --listen-client-urls "$urls" --advertise-client-urls "$urls" --listen-peer-urls "$peers" \
        --initial-advertise-peer-urls "$peers" --initial-cluster "default=$peers"
    for node in 1 2; do
        patroni_configuration $node | unprivileged tee "$PATRONI_FOLDER/n$node.yml" >/dev/null
        patroni_begin n$node.log patroni "$PATRONI_FOLDER/n$node.yml"
        patroni_until 60 "node $node answers" patroni_psql $node -c 'SELECT 1' >/dev/null || return 1
    done
}

# Ends only what was started here: first the servers in these folders, and then the processes.
patroni_stop() {
    local pid node
    for pid in "${PATRONI_WRITERS[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${PATRONI_PIDS[@]:1}"; do kill "$pid" 2>/dev/null || true; done
    sleep 3
    for node in 1 2; do unprivileged "$PG_BIN/pg_ctl" -D "$PATRONI_FOLDER/n$node" -m immediate -w stop >/dev/null 2>&1 || true; done
    kill "${PATRONI_PIDS[0]}" 2>/dev/null || true
    wait 2>/dev/null || true
}

patroni_processes() { # node
    local postmaster
    postmaster=$(head -n 1 "$PATRONI_FOLDER/n$1/postmaster.pid")
    echo "${PATRONI_PIDS[$1]} $postmaster $(ps -o pid= --ppid "$postmaster" | xargs)"
}

# Freezes the leader and its Patroni until the other node has taken over. The server wakes up first, so for a while there
# are two primaries.
patroni_freeze() {
    local old new frozen
    old=$(patroni_leader)
    new=$((3 - old))
    patroni_until 40 "node $new is synchronous" patroni_is_synchronous "$old" || return 1
    frozen=$(patroni_processes "$old")
    kill -STOP $frozen 2>/dev/null
    patroni_until 60 "node $new has taken over" patroni_is_primary $new || { kill -CONT $frozen 2>/dev/null; return 1; }
    patroni_until 20 "node $new makes ids" patroni_makes_ids $new || { kill -CONT $frozen 2>/dev/null; return 1; }
    kill -CONT ${frozen#* } 2>/dev/null
    sleep 4
    kill -CONT $frozen 2>/dev/null
    sleep 4
    patroni_until 90 "one of the nodes is a standby" eval 'patroni_is_standby 1 || patroni_is_standby 2' || return 1
    patroni_until 60 "the leader makes ids" eval 'patroni_makes_ids $(patroni_leader)'
}

patroni_twice() { sort -n "$PATRONI_FOLDER"/ids? | uniq -d | wc -l; }

# Nothing was lost, because the new leader was the synchronous standby. Without this, the directory would give out no number
# for two minutes, and the old leader needs one when it starts again.
patroni_trust() { # leader
    patroni_psql "$1" -c 'SELECT snowid_directory.trust()' && patroni_until 20 "both have numbers" eval 'patroni_has_number 1 && patroni_has_number 2'
}

patroni_switches() { # leader
    local answer
    answer=$(patroni_api "$1" POST switchover "{\"leader\": \"n$1\", \"candidate\": \"n$((3 - $1))\"}")
    echo "switchover: $answer"
    [[ $answer = Success* ]]
}

patroni_faults() {
    local leader
    patroni_until 90 "the nodes have numbers for longer than the leader's key lives" eval 'patroni_has_time 1 && patroni_has_time 2' || return 1
    patroni_freeze || return 1
    echo "frozen and woken: $(patroni_twice) ids twice of $(cat "$PATRONI_FOLDER"/ids? | wc -l)"
    patroni_until 90 "there is a synchronous standby" eval 'patroni_is_synchronous $(patroni_leader)' || return 1
    leader=$(patroni_leader)  # Patroni before 3.0.3 lets the old leader take its key back
    patroni_trust "$leader" || return 1
    patroni_until 60 "a switchover" patroni_switches "$leader" || return 1
    patroni_until 60 "node $((3 - leader)) leads" patroni_is_primary $((3 - leader)) || return 1
    leader=$((3 - leader))
    patroni_trust "$leader" || return 1
    patroni_until 60 "the leader makes ids" patroni_makes_ids $leader || return 1
    patroni_until 40 "there is a synchronous standby" patroni_is_synchronous "$leader" || return 1
    echo "reinit: $(patroni_api $((3 - leader)) POST reinitialize '{"force": true}')"
    sleep 4
    patroni_until 60 "there is a synchronous standby again" patroni_is_synchronous "$leader" || return 1
    echo "restart of the standby: $(patroni_api $((3 - leader)) POST restart '{}')"
    echo "restart of the leader: $(patroni_api "$leader" POST restart '{}')"
    patroni_until 60 "ids go on" eval 'patroni_makes_ids $(patroni_leader)'
    patroni_until 40 "there is a synchronous standby" eval 'patroni_is_synchronous $(patroni_leader)'
}

# The same with a number set by hand, in the dynamic configuration.
patroni_by_hand() {
    local leader
    leader=$(patroni_leader)
    patroni_api "$leader" PATCH config "{\"postgresql\": {\"parameters\": $(patroni_settings 5 | tr -d '\n')}}" >/dev/null
    patroni_until 30 "the number is in force" eval '[ "$(patroni_psql $(patroni_leader) -c "SELECT snowflake_worker(snowflake_next())")" = 5 ]' || return 1
    patroni_until 30 "on both nodes" eval '[ "$(patroni_psql 1 -c "SHOW snowid.worker_id")$(patroni_psql 2 -c "SHOW snowid.worker_id")" = 55 ]' || return 1
    patroni_freeze
}

patroni_begin_ids() {
    local node
    exec 5>"$STATE/patroni.lock" && flock 5  # clusters of two parts have the same ports
    patroni_start || return 1
    patroni_until 60 "there is a synchronous standby" eval 'patroni_is_synchronous $(patroni_leader)' || return 1
    patroni_psql "$(patroni_leader)" -c 'CREATE EXTENSION snowid' -c 'CREATE EXTENSION snowid_directory' -c "SELECT snowid_directory.add('epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12', 1, 40, now())"
    patroni_until 30 "the leader makes ids" eval 'patroni_makes_ids $(patroni_leader)' || return 1
    for node in 1 2; do
        patroni_writer $node &
        PATRONI_WRITERS+=($!)
    done
}

patroni_rig() {
    local twice all
    trap patroni_stop EXIT
    patroni_begin_ids || return 1
    patroni_faults || return 1
    twice=$(patroni_twice)
    all=$(cat "$PATRONI_FOLDER"/ids? | wc -l)
    echo "$twice of $all ids twice, of $(wc -l <"$PATRONI_FOLDER/ids1") and $(wc -l <"$PATRONI_FOLDER/ids2")"
    [ "$twice" = 0 ] && [ "$all" -gt 10000 ] || return 1
    rm "$PATRONI_FOLDER"/ids?
    patroni_by_hand || return 1
    twice=$(patroni_twice)
    echo "the planted fault, one number by hand: $twice of $(cat "$PATRONI_FOLDER"/ids? | wc -l) ids twice"
    [ "$twice" -gt 0 ]
}
