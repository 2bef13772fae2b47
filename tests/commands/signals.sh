#!/usr/bin/env bash
# Closing a terminal does not lose a run: a lost connection (SIGHUP) saves it, and training continues if the reader of
# its output exits.
set -u
. "$(dirname "$0")/queue.bash"

run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1 || fail "data generate"
common="--preset mlrf/base --data toy --set model.embed_dim=32 --set model.ffn_dim=32 --set model.encoder_layers=1
  --set model.decoder_layers=1 --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=1 --set validation.monitor=[]
  --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set recording.sentences=0 --set validation.samples=0
  --set training.threads=1 --set training.device=cpu"
endless="$common --set training.max_updates=0 --set training.max_epochs=0"
short="$common --set training.max_updates=12 --set checkpoint.every_updates=1"

# start NAME [PREFIX...]: trains in the background; waits until it has started. The parent of this test may ignore SIGHUP.
# The log of the run before is removed here: the shell in the background may empty it only after it has been read.
start() {
  local name=$1; shift
  rm -f "$folder/log"
  env --default-signal=HUP "$@" "$STRATA_RUN" --workspace "$folder/w" train $endless --name "$name" >"$folder/out" 2>"$folder/log" & trainer=$!
  for _ in $(seq 300); do grep -qs 'info step=' "$folder/log" && return; kill -0 $trainer 2>/dev/null || break; sleep 0.1; done
  cat "$folder/log" >&2; fail "$name did not start"
}
ends() { # WANTED: the trainer's status
  local status=0
  for _ in $(seq 600); do kill -0 $trainer 2>/dev/null || break; sleep 0.1; done
  kill -0 $trainer 2>/dev/null && fail "the trainer goes on"
  wait $trainer || status=$?
  [ $status = "$1" ] || { cat "$folder/log" >&2; fail "status $status instead of $1"; }
}
saved() { # NAME STATUS
  [ "$(field "$1" status)" = "$2" ] || fail "$1 is $(field "$1" status), not $2"
  [ -f "$folder/w/runs/"*"-$1/checkpoints/step-$(printf %08d "$(field "$1" step)")/model.safetensors" ] || fail "$1 is not saved at its last step"
}

# A lost connection saves and ends the run; terminal and shell may both send the signal.
start hangup
kill -HUP $trainer
ends 129
saved hangup stopped
start twice
kill -HUP $trainer; kill -HUP $trainer; sleep 0.02; kill -HUP $trainer 2>/dev/null
ends 129
saved twice stopped

# Under nohup it is ignored, and SIGTERM saves as usual.
start nohup nohup
kill -HUP $trainer
before=$(field nohup step)
for _ in $(seq 100); do [ "$(field nohup step)" -gt "$before" ] && break; sleep 0.1; done
[ "$(field nohup step)" -gt "$before" ] && [ "$(field nohup status)" = running ] || fail "nohup: a lost connection ended the run"
kill -TERM $trainer
ends 143
saved nohup stopped

# If the reader of the output exits, training continues to its end.
run --log-level debug train $short --name unread 2>&1 | head -n 1 >"$folder/out"
status=${PIPESTATUS[0]}
[ $status = 0 ] || fail "train | head ends with $status"
saved unread finished
run --json --log-level off train $short --name closed >&- 2>&- || fail "with stdout and stderr closed: status $?"
saved closed finished
grep -v '^{"time":' "$folder/w/runs/"*-closed/log.jsonl && fail "what is printed went into the log of the run"
run workspace check | grep -q "all is well" || { run workspace check >&2; fail "workspace check"; }

# Requested output that cannot be written is still an error.
status=0; run --json train $short --name full >/dev/full 2>"$folder/log" || status=$?
[ $status = 1 ] && grep -q "cannot write to stdout: No space left" "$folder/log" || { cat "$folder/log" >&2; fail "a full disk: status $status"; }
saved full finished
echo "signals hold"
