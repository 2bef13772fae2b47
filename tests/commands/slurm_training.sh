#!/usr/bin/env bash
# One run trained by tasks on two nodes of a real Slurm: by srun, and by the script of train --slurm, which near the time limit
# saves and requeues itself, and goes on when it is submitted again after it was cancelled.
set -eu
nodes=(one two)
. "$(dirname "$0")/slurm.bash"
start_slurm
export MASTER_ADDR=127.0.0.1  # only Slurm knows the names of these nodes
run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1
small=(--preset mlrf/base --data toy --set model.embed_dim=32 --set model.ffn_dim=32 --set model.encoder_layers=1
  --set model.decoder_layers=1 --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=1 --set validation.monitor=[]
  --set validation.every_epochs=0 --set validation.samples=0 --set checkpoint.every_epochs=0 --set recording.sentences=0
  --set training.threads=1 --set training.device=cpu)
parameters() { echo "$(field "$1" folder)/checkpoints/step-$(printf %08d "$2")/model.safetensors"; }  # RUN STEP

# 1. srun: a task on each node, the same training as of one process with two batches an update.
run train --name alone "${small[@]}" --set training.accumulate=2 --set training.max_updates=10 >/dev/null 2>&1
srun --nodes=2 --ntasks-per-node=1 "$STRATA_RUN" --workspace "$folder/w" train --name step "${small[@]}" \
  --set training.max_updates=10 >"$folder/step.log" 2>&1 || fail "srun: $(cat "$folder/step.log")"
grep -q "processes=2" "$folder/step.log" || fail "srun: $(cat "$folder/step.log")"
[ "$(grep -c "finished at step" "$folder/step.log")" = 1 ] || fail "each task prints: $(cat "$folder/step.log")"
cmp "$(parameters alone 10)" "$(parameters step 10)" || fail "two tasks differ from one process"

status=0
MASTER_ADDR=nowhere.invalid srun --nodes=2 --ntasks-per-node=1 "$STRATA_RUN" --workspace "$folder/w" train --name lost "${small[@]}" \
  >"$folder/said" 2>&1 || status=$?
[ $status = 1 ] && grep -q "nowhere.invalid.*MASTER_ADDR" "$folder/said" || fail "an unknown address: $status, $(cat "$folder/said")"

# 2. The script: checked when it is written, and started as it says.
status=0
run train --slurm --name batch "${small[@]}" --data gone --output "$folder/jobs/batch.sbatch" 2>"$folder/said" || status=$?
[ $status = 2 ] && [ ! -e "$folder/jobs/batch.sbatch" ] || fail "an unknown dataset: $status, $(cat "$folder/said")"
mkdir -p "$folder/jobs"
run train --slurm --nodes 2 --tasks-per-node 2 --sbatch --time=10 --name batch "${small[@]}" --output "$folder/jobs/batch.sbatch" >"$folder/said"
grep -qF "4 processes: sbatch $folder/jobs/batch.sbatch" "$folder/said" || fail "what to do next: $(cat "$folder/said")"
log() { cat "$folder/jobs/slurm-$job.log" 2>/dev/null; }
told() { log | grep -qs "$1"; }
gone() { [ -z "$(squeue --noheader --jobs="$job" 2>/dev/null)" ]; }
job=$(sbatch --parsable "$folder/jobs/batch.sbatch")
await 60 "the job to train" told " epoch=3 "
[ "$(scontrol show job "$job" | sed -nE 's/.*NumNodes=([0-9]+).*/\1/p')" = 2 ] || fail "the nodes: $(scontrol show job "$job")"
told "processes=4" || fail "the processes: $(log)"

# 3. Near the limit it saves, requeues itself and goes on.
scontrol update JobId="$job" TimeLimit=2
again() { [ "$(log | grep -c 'processes=4')" = 2 ]; }
await 120 "the job to go on" again
told "outcome=stopped" || fail "nothing saved near the limit: $(log)"

# 4. Cancelled it saves and stays away; the same script continues the run.
scontrol update JobId="$job" TimeLimit=10
step=$(field batch step)
goes_on() { [ "$(field batch step)" -gt "$step" ]; }
await 30 "the requeued job to train" goes_on
scancel "$job"
await 30 "the cancelled job to end" gone
wait_for batch stopped
step=$(field batch step)
sed -i "s/^)$/  --set training.max_updates=$((step + 20))\n)/" "$folder/jobs/batch.sbatch"
job=$(sbatch --parsable "$folder/jobs/batch.sbatch")
await 60 "the run to finish" gone
same "the end" "$(field batch status) $(field batch step)" "finished $((step + 20))"
run --json runs show batch >"$folder/batch.json"
same "processes of the starts" "$(at "$folder/batch.json" '[s["processes"] for s in d["starts"]]')" "[4, 4, 4]"
run workspace check | grep -q "all is well" || fail "$(run workspace check 2>&1)"
echo "tasks of Slurm train one run"
