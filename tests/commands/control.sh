#!/usr/bin/env bash
# Commands to a queued run, signals to its trainer, and the points that it records.
set -eu
. "$(dirname "$0")/queue.bash"
saved() {  # TEXT RUN: the step that "RUN: saved at step N" names, with its checkpoint there
  step=$(echo "$1" | sed -nE "s/^$2: saved at step ([0-9]+)$/\1/p")
  [ -n "$step" ] || fail "the answer was '$1'"
  [ -f "$folder/w/runs/"*"-$2/checkpoints/step-$(printf %08d "$step")/model.safetensors" ] || fail "no checkpoint at $step"
  echo "$step"
}

run data generate --name toy --size 1500 --seed 3 >/dev/null 2>&1
common="--data toy --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.log_every=1 --set validation.monitor=[] --set validation.every_epochs=0
  --set checkpoint.every_epochs=0 --set recording.sentences=0 --set validation.samples=0 --set training.threads=1
  --set training.device=cpu --set checkpoint.keep_last=9"
run train --preset mlrf/base $common --name a --set training.max_updates=3 --set training.batch.size=32 --set model.embed_dim=32 \
  --set model.ffn_dim=64 --set model.encoder_layers=1 --set model.decoder_layers=1 >/dev/null 2>"$folder/err" ||
  { cat "$folder/err" >&2; fail "train"; }
sed -i 's/max_updates: .*/max_updates: 0/; s/max_epochs: .*/max_epochs: 0/' "$folder"/w/runs/1-a/config.effective.yaml

# A checkpoint command: saved, and the run continues.
run runs resume a --accept-edited >/dev/null
"$STRATA_RUN" --workspace "$folder/w" work 2>"$folder/work.log" & worker=$!
wait_for a running
first=$(saved "$(run runs checkpoint a --wait 60)" a)
[ "$(field a status)" = running ] || fail "a checkpoint ended the run"

# Paused, it is saved and ends; resumed, it continues from there; stopped, it ends as well.
paused=$(saved "$(run runs pause a --wait 60)" a)
wait_for a paused
[ "$(field a step)" = "$paused" ] && [ "$paused" -gt "$first" ] || fail "paused at $paused, then at $(field a step)"
status=0; run runs checkpoint a 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "there is nothing to checkpoint" "$folder/err" || fail "a checkpoint of a paused run"
run runs resume a >/dev/null
wait_for a running
run --json runs show a | grep '"from_step"' | tail -1 | grep -q " $paused," || fail "resumed elsewhere than at $paused"
stopped=$(saved "$(run runs stop a --wait 60)" a)
wait_for a stopped
[ "$stopped" -ge "$paused" ] || fail "stopped at $stopped, before $paused"
kill -0 $worker || fail "the worker ended with its job"
kill -TERM $worker
wait $worker || true

# The queue's trainer: SIGTERM saves at the end of the step and exits with 143.
job=$(run runs resume a | grep -oE 'job [0-9]+' | tr -dc 0-9)
"$STRATA_RUN" --workspace "$folder/w" train --job "$job" >/dev/null 2>"$folder/err" & trainer=$!
wait_for a running
kill -TERM $trainer
status=0; wait $trainer || status=$?
[ $status = 143 ] || { cat "$folder/err"; fail "SIGTERM: status $status"; }
[ "$(field a status)" = stopped ] || fail "after SIGTERM the run is $(field a status)"
saved "a: saved at step $(field a step)" a >/dev/null

# A second signal exits at once: in the middle of a step of many seconds, with nothing saved.
"$STRATA_RUN" --workspace "$folder/w" train --preset mlrf/base $common --name slow --set training.batch.size=1500 --set training.accumulate=8 \
  >/dev/null 2>"$folder/slow.log" & trainer=$!
for _ in $(seq 300); do grep -q 'parameters=' "$folder/slow.log" && break; sleep 0.1; done
sleep 0.3
status=0; run runs checkpoint slow --wait 0.2 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "has not acknowledged checkpoint" "$folder/err" || fail "a command to a busy run"
kill -TERM $trainer
sleep 0.3
kill -0 $trainer || { cat "$folder/slow.log"; fail "the first signal did not wait for the step's end"; }
began=$(date +%s%N)
kill -TERM $trainer
status=0; wait $trainer || status=$?
[ $status = 143 ] || fail "a second signal: status $status"
[ $((($(date +%s%N) - began) / 1000000)) -lt 500 ] || fail "a second signal did not leave at once"
ls "$folder"/w/runs/*-slow/checkpoints/step-* >/dev/null 2>&1 && fail "a second signal saved"
[ "$(field slow status)" = interrupted ] || fail "after two signals the run is $(field slow status)"

# Every point of every start is exported once, in both formats.
run runs export a --output "$folder/a.csv"
run runs export a --format json --output "$folder/a.json"
run --json runs show a >"$folder/show.json"
python3 - "$folder" "$(field a step)" <<'PYTHON'
import csv, json, sys
folder, last = sys.argv[1], int(sys.argv[2])
shown = {series["name"]: series for series in json.load(open(folder + "/show.json"))["series"]}
exported = json.load(open(folder + "/a.json"))["series"]
rows = {}
for row in csv.DictReader(open(folder + "/a.csv")):
    rows.setdefault(row["series"], []).append((int(row["step"]), float(row["wall_time"]), float(row["value"])))
assert rows.keys() == exported.keys() == shown.keys(), (rows.keys(), exported.keys(), shown.keys())
for name, points in rows.items():
    steps = [step for step, _, _ in points]
    assert steps == sorted(set(steps)), name
    assert all(a[1] <= b[1] for a, b in zip(points, points[1:])), name
    assert len(points) == len(exported[name]) == shown[name]["count"], name
    assert all(a[0] == b[0] and abs(a[1] - b[1]) < 1e-5 and a[2] == b[2] for a, b in zip(points, exported[name])), name
    assert (shown[name]["last_step"], shown[name]["last"]) == (points[-1][0], points[-1][2]), name
assert [step for step, _, _ in rows["train/loss"]] == list(range(1, last + 1)), "a step of train/loss is missing"
PYTHON
run workspace check | grep -q "all is well" || fail "check"
echo "commands and signals hold"
