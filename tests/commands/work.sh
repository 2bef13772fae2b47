#!/usr/bin/env bash
# The queue: a run resumed through it, a worker that is signalled to end, a trainer that is killed.
set -eu
. "$(dirname "$0")/queue.bash"

run data generate --name toy --size 1500 --seed 3 >/dev/null 2>&1
small="--set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=1 --set model.decoder_layers=1
  --set validation.samples=2 --set training.phases=[] --set training.schedule.name=inverse_sqrt
  --set training.schedule.warmup=20 --set training.batch.unit=sentences --set training.batch.size=32
  --set training.log_every=5 --set validation.monitor=[] --set validation.every_epochs=0
  --set checkpoint.every_epochs=0 --set recording.sentences=0 --set training.threads=1 --set training.device=cpu"
run train --preset mlrf/base --data toy --name a $small --set training.max_updates=3 >/dev/null 2>"$folder/err" ||
  { cat "$folder/err" >&2; fail "train"; }
[ "$(field a status)" = finished ] || fail "the run is $(field a status)"

# With more updates a finished run goes on.
status=0; run runs resume a --updates 3 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "has made 3 updates" "$folder/err" || fail "resumed to what it has made: status $status"
run runs resume a --updates 5 >/dev/null
run runs first a | grep -q "next to be trained" || fail "first in the queue"
run work --once >/dev/null 2>"$folder/err" || { cat "$folder/err" >&2; fail "more updates"; }
status=0; run runs first a 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "is not in the queue" "$folder/err" || fail "a finished run is first: status $status"
[ "$(field a status)" = finished ] && [ "$(field a step)" = 5 ] || fail "not at 5 updates, but $(field a step)"

# Without its limit the resumed run trains until a signal ends it, which saves it.
sed -i 's/max_updates: .*/max_updates: 0/; s/max_epochs: .*/max_epochs: 0/' "$folder"/w/runs/1-a/config.effective.yaml
run runs resume a >/dev/null 2>&1 && fail "an edited run goes on without a word"
run runs resume a --accept-edited | grep -q "is queued" || fail "resume"
[ "$(field a status)" = queued ] || fail "not queued"
"$STRATA_RUN" --workspace "$folder/w" work 2>"$folder/work.log" & worker=$!
wait_for a running
sleep 1
run runs stop a --wait 60 >/dev/null || fail "stop"
wait_for a stopped
kill -0 $worker || fail "the worker outlives its job"
[ "$(field a step)" -gt 5 ] || fail "resuming did not go on"

# A killed trainer is reported, and the worker continues.
run runs resume a >/dev/null
wait_for a running
child=$(run --json runs show a | grep '"pid"' | tail -1 | tr -dc 0-9)
kill -9 "$child"
wait_for a interrupted
kill -0 $worker || fail "the worker outlives a crash"

# SIGTERM to the worker saves the run and exits with 143.
run runs resume a >/dev/null
wait_for a running
kill -TERM $worker
status=0; wait $worker || status=$?
[ $status = 143 ] || fail "the worker ended with $status"
wait_for a stopped

# Two at a time, with the worker's device and threads; SIGTERM saves both.
run train --preset mlrf/base --data toy --name b $small --set training.max_updates=3 >/dev/null 2>&1 || fail "train b"
sed -i 's/max_updates: .*/max_updates: 0/; s/max_epochs: .*/max_epochs: 0/; s/device: cpu/device: "cuda:99"/' "$folder"/w/runs/*-b/config.effective.yaml
grep -q 'cuda:99' "$folder"/w/runs/*-b/config.effective.yaml || fail "b asks for no other device"
run runs resume a >/dev/null
run runs resume b --accept-edited >/dev/null
"$STRATA_RUN" --workspace "$folder/w" work --jobs 2 --threads 2 --device cpu 2>"$folder/work.log" & worker=$!
wait_for a running  # neither ends by itself, so that whoever runs alone waits in vain for the other
wait_for b running
run --json runs show b >"$folder/b.json"
same "threads and device of b" "$(at "$folder/b.json" 'd["starts"][-1]["threads"], d["starts"][-1]["device"]')" "(2, 'cpu')"
kill -TERM $worker
status=0; wait $worker || status=$?
[ $status = 143 ] || fail "the worker of two ended with $status"
wait_for a stopped
wait_for b stopped

# How many, and where, is set for the queue; a worker that is running follows. The queue has an order.
same "settings" "$(run runs queue)" "1 at a time, each on the device of its configuration"
for wrong in "--at-once 0" "--devices gpu" "--devices cpu,cpu"; do
  status=0; run runs queue $wrong 2>"$folder/err" || status=$?
  [ $status != 0 ] && grep -qE "at-once|device" "$folder/err" || fail "runs queue $wrong: status $status"
done
run train --preset mlrf/base --data toy --name d $small --set training.max_updates=3 >/dev/null 2>&1 || fail "train d"
run runs resume d --updates 100000 >/dev/null
run runs resume b >/dev/null
run runs resume a >/dev/null
same "moved to the front" "$(run runs move a --before d | tr -s ' \n' ' ')" " 1 a 2 d 3 b "
same "moved up" "$(run --json runs move b --up | tr -d ' \n')" '{"queue":["a","b","d"]}'
run runs move d --up >/dev/null; run runs move b --last >/dev/null
status=0; run runs move a 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q -- "--before" "$folder/err" || fail "moved nowhere: status $status"
"$STRATA_RUN" --workspace "$folder/w" work 2>"$folder/work.log" & worker=$!
wait_for a running
sleep 1
same "the second waits" "$(field d status)" queued
status=0; run runs move a --last 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "is not in the queue" "$folder/err" || fail "a running run is moved: status $status"
run runs queue --at-once 2 --devices cpu | grep -q "2 at a time on each of cpu" || fail "runs queue"
wait_for d running  # the second in the queue
sleep 1
same "the third waits" "$(field b status)" queued
run runs stop d --wait 60 >/dev/null
wait_for b running  # on the CPU, though its configuration asks for another device
kill -TERM $worker
status=0; wait $worker || status=$?
[ $status = 143 ] || fail "the worker that follows the settings ended with $status"
run runs queue --devices own >/dev/null
same "settings again" "$(run runs queue)" "2 at a time, each on the device of its configuration"

# A device that does not exist is refused before the run is created.
! run train --preset mlrf/base --data toy --name c $small --device cuda:99 2>"$folder/err" || fail "cuda:99"
! run runs show c >/dev/null 2>&1 || fail "a run without a device was made"
run workspace check | grep -q "all is well" || fail "check"
echo "the queue holds"
