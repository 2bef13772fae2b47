# A Slurm cluster on this computer, its daemons started by hand: all its files are in the test's folder. `nodes` are its
# nodes, each with a slurmd; one if it is not set.
. "$(dirname "$0")/queue.bash"
daemons=()
trap 'stop_slurm; kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT

skip() { echo "SKIP: $*"; exit $([ -n "${CI:-}" ] && echo 1 || echo 77); }  # where CI is set, a missing tool is a failure
await() {  # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "waited in vain for $what: $(squeue 2>&1; tail -n 5 "$folder"/*/slurm-*.log 2>&1)"
    sleep 0.2
  done
}
free_port() {
  local port
  for port in $(shuf -i 20000-30000 -n 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

write_configuration() {
  local slurm=$1 node
  cat >"$slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket,cred_expire=5
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd-%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  for node in "${nodes[@]}"; do
    mkdir -p "$slurm/spool/$node"
    echo "NodeName=$node NodeAddr=127.0.0.1 NodeHostname=$(uname -n | cut -d. -f1) Port=$(free_port) CPUs=8 RealMemory=1024"
  done >>"$slurm/slurm.conf"
}

start_slurm() {
  local program node slurm=$folder/slurm
  [ -n "${nodes:-}" ] || nodes=(localhost)
  unset ${!SLURM_*} ${!SBATCH_*}  # of a job that runs this test
  PATH=$PATH:/usr/sbin:/sbin
  for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
    command -v "$program" >/dev/null || skip "$program is not here (Debian: apt install slurm-wlm munge)"
  done
  mkdir -p "$slurm/munge" "$slurm/state" "$slurm/spool"
  chmod 755 "$folder" "$slurm" "$slurm/munge"  # as munged wants them
  (umask 077 && head -c 1024 /dev/urandom >"$slurm/munge/key")
  write_configuration "$slurm"
  export SLURM_CONF=$slurm/slurm.conf
  munged --foreground --num-threads=2 --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
    --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" >"$slurm/munged.out" 2>&1 &
  daemons+=($!)
  for _ in $(seq 50); do [ -S "$slurm/munge/socket" ] && break; sleep 0.1; done
  slurmctld -D -i >"$slurm/slurmctld.out" 2>&1 &
  daemons+=($!)
  for node in "${nodes[@]}"; do
    slurmd -D -N "$node" >"$slurm/slurmd-$node.out" 2>&1 &
    daemons+=($!)
  done
  for _ in $(seq 150); do
    [ "$(timeout 5 sinfo --noheader --format=%T-%D 2>/dev/null)" = "idle-${#nodes[@]}" ] && return
    for program in "${daemons[@]}"; do kill -0 "$program" 2>/dev/null || break 2; done
    sleep 0.2
  done
  skip "Slurm does not start here: $(grep -hE 'error|fatal' "$slurm"/*.out | grep -viE 'mpi|pmi' | tail -n 5)"
}

# Ends the daemons and their child processes, which have the configuration in their environment.
stop_slurm() {
  local left
  [ ${#daemons[@]} -gt 0 ] || return 0
  kill "${daemons[@]}" 2>/dev/null || true
  wait "${daemons[@]}" 2>/dev/null || true
  for _ in $(seq 50); do
    left=$(SLURM_CONF= grep -lsz "^SLURM_CONF=$folder/" /proc/[0-9]*/environ | tr -dc '0-9\n' || true)
    [ -n "$left" ] || return 0
    kill -KILL $left 2>/dev/null || true
    sleep 0.1
  done
}
