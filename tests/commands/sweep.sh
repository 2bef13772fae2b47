#!/usr/bin/env bash
# A sweep queued here, and the same as a Slurm array, whose tasks are run by hand and imported by merge.
set -eu
. "$(dirname "$0")/queue.bash"
run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1
cat >"$folder/sweep.yaml" <<'YAML'
sweep: tiny
preset: mlrf/base
data: toy
set: [model.embed_dim=32, model.ffn_dim=32, model.encoder_layers=1, model.decoder_layers=1, "training.phases=[]",
      training.schedule.name=inverse_sqrt, training.schedule.warmup=20, training.batch.unit=sentences, training.batch.size=32,
      training.max_updates=8, training.log_every=2, "validation.monitor=[]", validation.every_epochs=0, validation.samples=0,
      checkpoint.every_epochs=0, recording.sentences=0, training.threads=1, training.device=cpu]
grid: {training.dropout: [0.1, 0.2]}
seeds: 1
slurm: {time: "00:10:00"}
YAML

# 1. Here: queued once.
run sweep "$folder/sweep.yaml" | grep -q "tiny.dropout-0.2.s1 *queued" || fail "not queued"
run --json sweep "$folder/sweep.yaml" | grep -c '"queued already"' | grep -qx 2 || fail "queued twice"
status=0; sed 's/training.dropout/training.dropot/' "$folder/sweep.yaml" >"$folder/bad.yaml"
run sweep "$folder/bad.yaml" 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "training.dropout" "$folder/err" || fail "unknown key: $(cat "$folder/err")"

# By options instead of a file: the same runs.
options=()
while read -r setting; do options+=(--set "$setting"); done < <(sed -n '/^set:/,/^grid/p' "$folder/sweep.yaml" | grep -oE '[a-z_.]+=(\[\]|[a-z0-9_.]+)')
run --json sweep --name tiny --preset mlrf/base --data toy --grid "training.dropout=0.1, 0.2" --seeds 1 "${options[@]}" >"$folder/options.json" ||
  fail "by options"
grep -c '"queued already"' "$folder/options.json" | grep -qx 2 || fail "other runs by options: $(cat "$folder/options.json")"
for wrong in "--name tiny" "--name tiny --preset mlrf/base --data toy --seeds 0" "$folder/sweep.yaml --name tiny" \
  "--name tiny --preset mlrf/base --data toy --grid training.dropout"; do
  status=0; run sweep $wrong 2>"$folder/err" || status=$?
  [ $status = 2 ] || fail "sweep $wrong: status $status"
done

# 2. As an array: each task trains in its own workspace.
run sweep "$folder/sweep.yaml" --slurm --output "$folder/cluster" >/dev/null
script=$folder/cluster/array.sbatch
bash -n "$script" || fail "the script is no shell script"
sed -i 's/train --resume "$name"/& --accept-edited/' "$script"  # below, limits are edited
grep -q 'accept-edited' "$script" || fail "the script does not resume"
grep -q '^#SBATCH --array=0-1$' "$script" || fail "array"
SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_JOB_ID=6 bash "$script" >"$folder/task.log" 2>&1 || { cat "$folder/task.log" >&2; fail "task 1"; }
[ -d "$folder"/cluster/task-0001/runs/1-tiny.dropout-0.2.s1/checkpoints/step-00000008 ] || fail "task 1 trained nothing"

# 3. Signalled near its limit, a task saves, requeues itself and continues from there.
mkdir "$folder/bin"
printf '#!/bin/sh\necho "$@" >>%s\n' "$folder/scontrol.log" >"$folder/bin/scontrol"
chmod +x "$folder/bin/scontrol"
sed -i 's/max_updates: .*/max_updates: 0/' "$folder/cluster/specs/0000.yaml"
PATH=$folder/bin:$PATH SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID=6 bash "$script" >"$folder/task.log" 2>&1 & task=$!
log=$folder/cluster/task-0000/runs/1-tiny.dropout-0.1.s1/events.log
for _ in $(seq 200); do [ -e "$log" ] && grep -q started "$log" && break; sleep 0.1; done
run runs merge "$folder/cluster" >/dev/null || fail "merging while a task trains"
run runs list | grep -q "tiny.dropout-0.1.s1-3 *running" || { run runs list >&2; fail "a run that trains elsewhere is not shown so"; }
sleep 1
kill -USR1 $task
status=0; wait $task || status=$?
[ $status = 0 ] && grep -qx "requeue 6_0" "$folder/scontrol.log" || { cat "$folder/task.log" >&2; fail "the task did not go back into the queue: $status"; }
sed -i 's/max_updates: .*/max_updates: 1/' "$folder"/cluster/task-0000/runs/*/config.effective.yaml
PATH=$folder/bin:$PATH SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID=6 bash "$script" >"$folder/task.log" 2>&1 || { cat "$folder/task.log" >&2; fail "going on"; }

# Cancelled, it saves as well, and is not requeued: the signal goes to its shell only or, on some clusters, also to the
# program.
sed -i 's/max_updates: .*/max_updates: 0/' "$folder"/cluster/task-0000/runs/*/config.effective.yaml
rm "$folder/scontrol.log"
for together in "" -; do
  rm "$folder/task.log"  # else the one before might be read: the shell in the background empties it when it gets to run
  PATH=$folder/bin:$PATH SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID=6 setsid bash "$script" >"$folder/task.log" 2>&1 & task=$!
  for _ in $(seq 200); do grep -qs "info epoch" "$folder/task.log" && break; sleep 0.1; done
  kill -TERM -- $together$task
  status=0; wait $task || status=$?
  [ $status = 143 ] && grep -q "outcome=stopped" "$folder/task.log" || { cat "$folder/task.log" >&2; fail "cancelled: $status"; }
done
[ ! -e "$folder/scontrol.log" ] || fail "a cancelled task is back in the queue"
sed -i 's/max_updates: .*/max_updates: 1/' "$folder"/cluster/task-0000/runs/*/config.effective.yaml
PATH=$folder/bin:$PATH SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID=6 bash "$script" >"$folder/task.log" 2>&1 || { cat "$folder/task.log" >&2; fail "going on"; }

# 4. Import: new points are added, existing runs stay, and the workspace is intact.
run --json runs merge "$folder/cluster" >"$folder/merged.json"
grep -A1 '"grown"' "$folder/merged.json" | grep -q 'tiny.dropout-0.1.s1-3' || { cat "$folder/merged.json" >&2; fail "nothing grew"; }
[ "$(field tiny.dropout-0.1.s1-3 status)" = finished ] || fail "the run came home $(field tiny.dropout-0.1.s1-3 status)"
[ "$(field tiny.dropout-0.2.s1-4 step)" = 8 ] || fail "steps of task 1"
here=$(run --json runs show tiny.dropout-0.2.s1-4 | sed -nE 's/^ *"folder": "(.*runs[^"]*s1)",?$/\1/p' | head -1)
cmp "$here/checkpoints/step-00000008/model.safetensors" "$folder"/cluster/task-0001/runs/1-*/checkpoints/step-00000008/model.safetensors || fail "the model differs"
run --json runs merge "$folder/cluster" --follow | grep -q '"unchanged": 2' || fail "merged twice"
run runs export tiny.dropout-0.2.s1-4 >"$folder/a.csv"
"$STRATA_RUN" --workspace "$folder/cluster/task-0001" runs export 1 >"$folder/b.csv"
cmp "$folder/a.csv" "$folder/b.csv" || fail "scalars differ"

# 5. A task that fails before it has a run is reported, and merge does not wait for it. Runs continued here stay.
sed -i 's/dataset: toy/dataset: gone/' "$folder/cluster/specs/0001.yaml"
rm -r "$folder/cluster/task-0001"
status=0; SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_JOB_ID=6 bash "$script" 2>/dev/null || status=$?
[ $status = 2 ] || [ $status = 1 ] || fail "a task without data ends with $status"
timeout 60 "$STRATA_RUN" --json --workspace "$folder/w" runs merge "$folder/cluster" --follow >"$folder/merged.json" || fail "follows for ever"
grep -q "task-0001 ended with status $status" "$folder/merged.json" || { cat "$folder/merged.json" >&2; fail "the task that failed"; }
more=$(($(field tiny.dropout-0.1.s1-3 step) + 5))
run train --resume tiny.dropout-0.1.s1-3 --set training.max_updates=$more >/dev/null 2>&1 || fail "going on at home"
run runs merge "$folder/cluster" >/dev/null || fail "merged after going on at home"
here=$(run --json runs show tiny.dropout-0.1.s1-3 | sed -nE 's/^ *"folder": "(.*runs[^"]*s1)",?$/\1/p' | head -1)
[ -d "$here/checkpoints/step-$(printf %08d $more)" ] && [ "$(field tiny.dropout-0.1.s1-3 step)" = $more ] || fail "merging undid what was trained here"
run workspace check | grep -q "all is well" || { run workspace check >&2; fail "workspace check"; }
echo "sweeps and merging hold"
