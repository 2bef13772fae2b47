#!/usr/bin/env bash
# Several processes train one run together, started with torchrun's variables: the same parameters as one process, bit for
# bit where an update has two batches; other numbers of processes on resuming; a process that is killed or stopped; orders;
# errors of each process; a change of the command.
set -eu
. "$(dirname "$0")/queue.bash"
run data generate --name toy --size 900 --seed 3 >/dev/null 2>&1 || fail "data generate"
small=(--preset mlrf/both-fnn-sa4 --data toy --set model.embed_dim=32 --set model.ffn_dim=64 --set model.fusion_attn_dim=32
  --set model.fusion_ffn_dim=32 --set model.encoder_layers=2 --set model.decoder_layers=2 --set validation.samples=2
  --set recording.sentences=2 --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=5 --set validation.monitor=[]
  --set validation.every_epochs=1 --set checkpoint.every_epochs=0 --set training.threads=1 --set training.device=cpu
  --set training.distributed.timeout=10)

free_port() {
  local port
  for port in $(shuf -i 20000-30000 -n 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
# together SIZE LOG ARGUMENTS...: starts the processes; their ids are in `pids`, the output of rank R in LOG.R
together() {
  local size=$1 log=$2 port rank
  shift 2
  port=$(free_port) pids=()
  for rank in $(seq 0 $((size - 1))); do
    RANK=$rank WORLD_SIZE=$size LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "$STRATA_RUN" --workspace "$folder/w" "$@" >"$folder/$log.out.$rank" 2>"$folder/$log.$rank" &
    pids+=($!)
  done
}
said() { tail -n 5 "$folder/$1".[0-9]* >&2; }
all_end() { # LOG [STATUS]: each process ends with this status, 0 if none is given
  local pid status
  for pid in "${pids[@]}"; do
    status=0
    wait "$pid" || status=$?
    [ $status = "${2:-0}" ] || { said "$1"; fail "$1: a process ended with status $status"; }
  done
}
parameters() { echo "$(field "$1" folder)/checkpoints/step-$(printf %08d "$2")/model.safetensors"; }  # RUN STEP
trained() { # RUN SIZE ARGUMENTS...
  local name=$1 size=$2
  shift 2
  together "$size" "$name" train --name "$name" "${small[@]}" "$@"
  all_end "$name"
}
points() { run runs export "$1" | grep -vE 'tokens_per_second|resident|epoch_seconds' | cut -d, -f1-2,4-; }
begun() { # LOG: waits until the run has made an update
  for _ in $(seq 300); do grep -qs 'train/loss\|step=\|parameters=' "$folder/$1.0" && return; sleep 0.1; done
  said "$1"
  fail "$1 does not begin"
}

# 1. Two processes with one batch an update each are one process with two: the same parameters and curves.
run train --name alone "${small[@]}" --set training.accumulate=2 --set training.max_updates=30 >/dev/null 2>"$folder/alone.log" || { cat "$folder/alone.log"; fail alone; }
trained two 2 --set training.max_updates=30
cmp "$(parameters alone 30)" "$(parameters two 30)" || fail "two processes differ from one"
cmp <(points alone) <(points two) || fail "their curves differ: $(diff <(points alone) <(points two) | head)"
[ "$(points two | wc -l)" -gt 20 ] || fail "few points: $(points two)"
[ "$(cat "$folder"/two.out.1)" = "" ] && [ ! -s "$folder/two.1" ] || fail "rank 1 writes: $(cat "$folder"/two.1)"
grep -q 'processes=2' "$folder/two.0" || fail "the number of processes is not said"
run --json runs show two >"$folder/two.json"
same "processes of the start" "$(at "$folder/two.json" 'd["starts"][0]["processes"]')" 2
for name in alone two; do run --json runs show "$name" >"$folder/$name.json"; done
same "scores" "$(at "$folder/two.json" '[(s["name"], s["last"]) for s in d["series"] if s["name"].startswith(("valid/", "train/loss", "grad_norm/all"))]')" \
  "$(at "$folder/alone.json" '[(s["name"], s["last"]) for s in d["series"] if s["name"].startswith(("valid/", "train/loss", "grad_norm/all"))]')"

# 2. The same command continues the run; also with one process, and with four, of which two have no batch.
trained parts 2 --set training.max_updates=10
trained parts 1 --set training.max_updates=20
trained parts 4 --set training.max_updates=30
cmp "$(parameters alone 30)" "$(parameters parts 30)" || fail "a change of the number of processes changes the run"
run --json runs show parts >"$folder/parts.json"
same "processes of the starts" "$(at "$folder/parts.json" '[s["processes"] for s in d["starts"]]')" "[2, 1, 4]"

# 3. A command that differs is refused, by all, and nothing is changed.
together 2 other train --name two "${small[@]}" --set training.max_updates=40 --set training.dropout=0.4
set +e
wait "${pids[0]}"; [ $? = 2 ] || fail "another dropout: status"
wait "${pids[1]}"; [ $? != 0 ] || fail "another dropout: status of rank 1"
set -e
grep -q 'training.dropout 0.1 instead of 0.4\|with training.dropout' "$folder/other.0" || fail "another dropout: $(cat "$folder/other.0")"
[ ! -s "$folder/other.1" ] || fail "rank 1 repeats the error: $(cat "$folder/other.1")"
same "steps" "$(field two step)" 30
together 2 nameless train "${small[@]}"
set +e; wait "${pids[0]}"; [ $? = 2 ] || fail "no name: status"; wait "${pids[1]}"; set -e
grep -q -- '--name' "$folder/nameless.0" || fail "no name: $(cat "$folder/nameless.0")"

# 4. A process is killed, or stopped: the others end, naming it; the run is interrupted and continues, here with one process.
for way in KILL.1 KILL.0 STOP.1 STOP.0; do
  name=lost-$way signal=${way%.*} rank=${way#*.}
  together 2 "$name" train --name "$name" "${small[@]}" --set checkpoint.every_updates=5
  begun "$name"
  for _ in $(seq 200); do [ -d "$(field "$name" folder)/checkpoints/step-00000005" ] && break; sleep 0.1; done
  kill "-$signal" "${pids[$rank]}"
  began=$SECONDS
  other=$((1 - rank)) status=0
  wait "${pids[$other]}" || status=$?
  [ $status = 1 ] || { said "$name"; fail "$way: status $status"; }
  [ $((SECONDS - began)) -le 30 ] || fail "$way: the other process ended after $((SECONDS - began)) s"
  grep -q "rank $rank (" "$folder/$name.$other" || { said "$name"; fail "$way: the lost process is not named"; }
  kill -KILL "${pids[$rank]}" 2>/dev/null || true
  wait "${pids[$rank]}" 2>/dev/null || true
  wait_for "$name" interrupted
  step=$(field "$name" step)
  trained "$name" 1 --set checkpoint.every_updates=5 --set training.max_updates=$((step + 5))
  same "$way: the status after going on" "$(field "$name" status)" finished
done

# 5. Orders: stop from the workspace is acknowledged when all have ended; a signal to any process stops all.
together 2 ordered train --name ordered "${small[@]}"
begun ordered
run runs stop ordered >/dev/null
all_end ordered
same "status after the order" "$(field ordered status)" stopped
together 2 ordered train --name ordered "${small[@]}"
begun ordered
run runs pause ordered >/dev/null
all_end ordered
same "status after a pause" "$(field ordered status)" paused
together 2 signalled train --name signalled "${small[@]}"
begun signalled
sleep 1
kill -TERM "${pids[1]}"
status=0; wait "${pids[0]}" || status=$?
same "status of rank 0" $status 0
status=0; wait "${pids[1]}" || status=$?
same "status of rank 1" $status 143
same "status after the signal" "$(field signalled status)" stopped

# 6. An error of one process alone ends all of them.
grep -q . "$folder/w/datasets/toy/manifest.yaml"
port=$(free_port)
RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$STRATA_RUN" --workspace "$folder/w" train --name alas "${small[@]}" >/dev/null 2>"$folder/alas.0" & first=$!
status=0
RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$STRATA_RUN" --workspace "$folder/elsewhere" train --name alas "${small[@]}" >/dev/null 2>"$folder/alas.1" || status=$?
[ $status != 0 ] && grep -q "toy" "$folder/alas.1" || fail "no dataset there: $status, $(cat "$folder/alas.1")"
status=0; wait $first || status=$?
same "status of rank 0" $status 1
grep -q 'rank 1 (.*toy' "$folder/alas.0" || fail "no dataset at rank 1: $(cat "$folder/alas.0")"
echo "distributed training holds"
