#!/usr/bin/env bash
# A sweep as an array of a real Slurm: one node that this test starts and shuts down. Tasks that finish, fail, are
# cancelled, are preempted and come near their time limit, all imported by merge while they train.
set -eu
. "$(dirname "$0")/slurm.bash"
start_slurm

cluster="$folder/a cluster, 50%"
run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1
cat >"$folder/sweep.yaml" <<'YAML'
sweep: tiny 'sweep'
preset: mlrf/base
data: toy
set: [model.embed_dim=32, model.ffn_dim=32, model.encoder_layers=1, model.decoder_layers=1, "training.phases=[]",
      training.schedule.name=inverse_sqrt, training.schedule.warmup=20, training.batch.unit=sentences, training.batch.size=32,
      training.max_updates=0, training.log_every=1, "validation.monitor=[]", validation.every_epochs=0, validation.samples=0,
      checkpoint.every_epochs=0, recording.sentences=0, training.threads=1, training.device=cpu]
grid: {training.dropout: [0.1, 0.2, 0.3]}
seeds: 2
slurm: {time: 10, account: nmt, cpus: 1, memory: 64, lines: [--nice=1], before: ['. "$folder/before.bash"']}
YAML
run sweep "$folder/sweep.yaml" --slurm --output "$cluster" >"$folder/said"
grep -qF "sbatch '$cluster/array.sbatch'" "$folder/said" || fail "what to do next: $(cat "$folder/said")"

# Only a command ends the runs. A run that has begun gets ten more updates.
sed -i 's/train --resume "$name"/& --accept-edited/' "$cluster/array.sbatch"
cat >"$cluster/before.bash" <<'BASH'
for kept in "$folder/task-000$SLURM_ARRAY_TASK_ID"/runs/*/checkpoints/step-*; do
  [ -d "$kept" ] || continue
  sed -i "s/max_updates: .*/max_updates: $((10#${kept##*step-} + 10))/" "${kept%/checkpoints/*}/config.effective.yaml"
done
BASH
# Task 0 finishes, 1 is cancelled, 2 fails while it trains, 3 before, 4 is preempted, 5 comes near its limit.
sed -i 's/max_updates: .*/max_updates: 8/' "$cluster/specs/0000.yaml"
sed -i 's/ lr: .*/ lr: 1.0e+30/' "$cluster/specs/0002.yaml"
sed -i 's/dataset: toy/dataset: gone/' "$cluster/specs/0003.yaml"

told() { grep -qs "$2" "$cluster/slurm-$1.log"; }               # TASK TEXT, in the output of a task: 7_0
trains() { told "$1" "info epoch=$2 "; }                        # TASK EPOCH
state() { squeue --noheader --jobs="$1" --format=%T 2>/dev/null || true; }
is() { [ "$(state "$1")" = "$2" ]; }                            # TASK STATE; none when it has left the queue

# 1. The array trains, and its runs are imported.
array=$(sbatch --parsable "$cluster/array.sbatch")
run --json runs merge "$cluster" --follow --every 0.5 >"$folder/merged.json" 2>"$folder/follow.log" & follow=$!
await 60 "task 1 to train" trains "${array}_1" 2
await 60 "task 4 to train" trains "${array}_4" 2
await 60 "task 5 to train" trains "${array}_5" 2
[ "$(scontrol show job "${array}_1" | sed -n 's/.*JobName=//p')" = "tiny 'sweep'" ] || fail "the job's name"
scontrol show job "${array}_1" | grep -q 'Account=nmt' || fail "the account"
scontrol show job "${array}_1" | grep -q 'TimeLimit=00:10:00' || fail "the time limit"
# Slurm checks the limits twice per minute.
scontrol update JobId="${array}_5" TimeLimit=2
follows() { run runs list | grep -q "dropout-0.1.s2 .*running"; }
await 20 "a run that trains there to be shown so here" follows

# 2. A cancelled task saves and is not requeued; submitted again by its index it continues.
scancel "${array}_1"
await 20 "the cancelled task to end" is "${array}_1" ""
told "${array}_1" "outcome=stopped" || fail "cancelled, and nothing saved: $(tail -5 "$cluster/slurm-${array}_1.log")"
told "${array}_1" "finished at step" && fail "cancelled, the task came back by itself"
again=$(sbatch --parsable --array=1 "$cluster/array.sbatch")
await 40 "the task to go on" is "$again" ""
told "${again}_1" "finished at step" || fail "gone on: $(tail -5 "$cluster/slurm-${again}_1.log")"

# 3. A task that Slurm itself requeues saves, too.
scontrol requeue "${array}_4"
await 40 "the preempted task to finish" told "${array}_4" "finished at step"
told "${array}_4" "outcome=stopped" || fail "preempted, and nothing saved"

# 4. Near its limit a task saves and requeues itself: only itself, not the whole array, whose job id the last task has.
await 60 "the last task to finish" told "${array}_5" "finished at step"
told "${array}_5" "outcome=stopped" || fail "nothing saved near the limit"
[ "$(grep -c 'finished at step' "$cluster/slurm-${array}_0.log")" = 1 ] || fail "a task that had finished was queued again"

# 5. The merge has ended with the last task, and all runs are here.
gone() { ! kill -0 "$follow" 2>/dev/null; }
await 20 "the merge to end" gone
wait "$follow" || fail "the merge: $(cat "$folder/follow.log")"
grep -A6 '"added"' "$folder/merged.json" | grep -c "tiny 'sweep'" | grep -qx 5 || fail "added: $(cat "$folder/merged.json")"
tr -d '\n ' <"$folder/merged.json" | grep -qF '"unchanged":0,"running":false,"waiting":[],"failed":["task-0002' ||
  fail "merged: $(cat "$folder/merged.json")"
grep -qF '"problems": []' "$folder/merged.json" || fail "problems: $(cat "$folder/merged.json")"
grep -q "task-0002 ended with status" "$folder/merged.json" && grep -q "task-0003 ended with status" "$folder/merged.json" ||
  fail "what failed: $(cat "$folder/merged.json")"
home() { run --json runs show "$1" | sed -nE 's/^ *"folder": "(.*)",?$/\1/p' | head -1; }
whole() {  # TASK RUN STATUS: the run at home is the task's
  local there="$cluster/task-000$1" here
  here=$(home "$2")
  [ "$(field "$2" status)" = "$3" ] || fail "task $1 came home $(field "$2" status)"
  cmp "$there"/runs/1-*/config.effective.yaml "$here/config.effective.yaml" || fail "configuration of task $1"
  diff -r "$there"/runs/1-*/checkpoints "$here/checkpoints" || fail "checkpoints of task $1"
  "$STRATA_RUN" --workspace "$there" runs export 1 >"$folder/there.csv"
  run runs export "$2" >"$folder/here.csv"
  cmp "$folder/there.csv" "$folder/here.csv" && [ "$(wc -l <"$folder/here.csv")" -gt 3 ] || fail "curves of task $1"
}
whole 0 "tiny 'sweep'.dropout-0.1.s1" finished
whole 1 "tiny 'sweep'.dropout-0.1.s2" finished
whole 2 "tiny 'sweep'.dropout-0.2.s1" failed
whole 4 "tiny 'sweep'.dropout-0.3.s1" finished
whole 5 "tiny 'sweep'.dropout-0.3.s2" finished
for task in 1 4 5; do
  name="tiny 'sweep'.dropout-0.$((task / 2 + 1)).s$((task == 4 ? 1 : 2))"
  saved=$(run --json runs show "$name" | sed -nE 's/^ *"from_step": ([0-9]+),$/\1/p' | tail -1)
  [ "$saved" -gt 0 ] && [ "$(field "$name" step)" = $((saved + 10)) ] || fail "task $task goes on from $saved to $(field "$name" step)"
done

# 6. A job of several tasks whose script trains once trains alone.
printf '#!/bin/bash\n"%s" --workspace "%s/w" train --preset nobody/knows --data toy\n' "$STRATA_RUN" "$folder" >"$folder/once.sbatch"
sbatch --wait --ntasks=2 --output="$folder/once.log" "$folder/once.sbatch" >/dev/null || true
grep -q "nobody/knows" "$folder/once.log" && ! grep -q "launcher" "$folder/once.log" || fail "a job of two tasks: $(cat "$folder/once.log")"
[ -z "$(squeue --noheader)" ] || fail "left in the queue: $(squeue)"
run workspace check | grep -q "all is well" || fail "$(run workspace check 2>&1)"
echo "arrays of Slurm train, end, go on and come home"
