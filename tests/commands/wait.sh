#!/usr/bin/env bash
# runs wait: returns when runs have ended, and says by its status how; queued, killed and diverged runs, the time-out, signals.
set -eu
. "$(dirname "$0")/queue.bash"
run data generate --name toy --size 300 --seed 3 >/dev/null 2>&1 || fail "data generate"
small=(--preset mlrf/base --data toy --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=1
  --set model.decoder_layers=1 --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.batch.size=16 --set training.log_every=1 --set validation.monitor=[]
  --set 'validation.metrics=[nll]' --set checkpoint.metric=valid/nll --set validation.every_epochs=0 --set validation.samples=0
  --set checkpoint.every_epochs=0 --set recording.sentences=0 --set training.threads=1 --set training.device=cpu)
train() { "$STRATA_RUN" --workspace "$folder/w" train --name "$1" "${small[@]}" "${@:2}" >/dev/null 2>"$folder/$1.log" & trainer=$!; }
begun() { for _ in $(seq 300); do [ "$(field "$1" status 2>/dev/null)" = running ] && return; sleep 0.1; done; cat "$folder/$1.log"; fail "$1 does not begin"; }
# waits WANTED_STATUS ARGUMENTS...: its output is in `out`, what it says to people in `err`
waits() {
  local status=0
  run runs wait "${@:2}" >"$folder/out" 2>"$folder/err" || status=$?
  [ $status = "$1" ] || { cat "$folder/err" >&2; fail "runs wait ${*:2}: status $status, not $1"; }
}
holds() { grep -q "$2" "$folder/$1" || fail "no '$2' in $1: $(cat "$folder/$1")"; }
alive() { kill -0 "$trainer" || fail "the run ended with the waiting"; }

# A run that trains: the wait ends after it has, and says so in one line.
train short --set training.max_updates=1000  # some seconds
begun short
waits 0 short
[ "$(field short status)" = finished ] || fail "the wait was over before the run"
same "lines" "$(wc -l <"$folder/out")" 1
holds out '^short: finished at step 1000'
wait $trainer
waits 0 1 short   # it has ended already; by number, too

# The time-out, Ctrl+C and SIGTERM end only the waiting.
train long
begun long
waits 124 long short --timeout 1s
holds out '^short: finished'
holds err '1 of 2 runs have not ended after 1s: long is running at step'
alive
waits 0 long short --any
for signal in INT:130 TERM:143; do
  set -m  # without job control, what a script starts in the background ignores SIGINT
  "$STRATA_RUN" --workspace "$folder/w" runs wait long >"$folder/out" 2>"$folder/err" & waiter=$!
  set +m
  sleep 1.5
  kill "-${signal%:*}" $waiter
  status=0; wait $waiter || status=$?
  same "status after SIG${signal%:*}" $status "${signal#*:}"
  holds err 'stopped waiting; the runs go on'
  alive
done

# Killed, it ends the wait: status 3, and why. With --json, one document.
run runs wait long --timeout 60s >"$folder/out" 2>"$folder/err" & waiter=$!
sleep 1
kill -KILL $trainer
status=0; wait $waiter || status=$?
same "status of a wait for a killed run" $status 3
holds out "^long: interrupted at step .*the process $trainer on .* is gone"
wait $trainer 2>/dev/null || true
status=0; run --json runs wait long short >"$folder/json" || status=$?
same "status with --json" $status 3
same "document" "$(at "$folder/json" '[d["timed_out"]] + [(r["name"], r["status"], r["ended"]) for r in d["runs"]]')" \
  "[False, ('long', 'interrupted', True), ('short', 'finished', True)]"

# A run that diverges, one that is stopped.
train wild --set training.optimizer.lr=1e30 --set training.schedule.name=constant --set training.clip_norm=0 --set training.max_updates=400
wait $trainer && fail "a learning rate of 1e30 trains"
waits 3 wild
holds out '^wild: failed (diverged) at step'
train halted
begun halted
run runs stop halted --wait 60 >/dev/null
waits 3 halted
holds out '^halted: stopped at step'
wait $trainer || true

# Queued runs: nobody trains them, which is said once; then a worker does.
run runs resume short --updates 1005 >/dev/null
more=$(($(field halted step) + 50))
run runs resume halted --updates $more >/dev/null
rm "$folder/err"
run runs wait --filter '^(short|halted)$' --timeout 120s >"$folder/out" 2>"$folder/err" & waiter=$!
for _ in $(seq 100); do [ -s "$folder/err" ] && break; sleep 0.1; done
holds err "is queued, but nobody trains what is queued: .strata-run work"
run work --once >/dev/null 2>&1
status=0; wait $waiter || status=$?
same "status after the queue" $status 0
same "what is said to people" "$(wc -l <"$folder/err")" 1
same "as they ended" "$(cut -d, -f1 "$folder/out" | tr '\n' ' ')" "short: finished at step 1005 halted: finished at step $more "
# With a worker that is busy, nobody is missed.
sed -i 's/max_updates: .*/max_updates: 0/' "$folder"/w/runs/*-halted/config.effective.yaml
run runs resume halted --accept-edited >/dev/null
run runs resume short --updates 1010 >/dev/null
"$STRATA_RUN" --workspace "$folder/w" work --once >/dev/null 2>&1 & worker=$!
wait_for halted running
waits 124 short --timeout 3s
grep -q 'nobody trains' "$folder/err" && fail "a worker is missed that is there: $(cat "$folder/err")"
run runs stop halted --wait 60 >/dev/null
waits 0 short --timeout 120s
wait $worker || fail "the worker failed"

# Requests that cannot be meant.
waits 2
holds err "which runs"
waits 2 shrot
holds err "did you mean 'short'"
waits 2 --filter nothing-like-it
holds err "no run matches"
waits 2 short --timeout soon
holds err "timeout soon: expects a number and one of s, m, h, d, w"
echo "waiting holds"
