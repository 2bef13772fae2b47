#!/usr/bin/env bash
# Whether a GPU computes what a CPU does: tests/gpu/check.sh [--device cuda] [--programs DIR] [--references DIR] [--narrow]
# Every reference case in float32, twenty updates compared with the CPU's, bf16, beam search, an exact resume, two
# processes, and a step that is not finite. Prints a table; status 1 if a row fails. With --device cpu it runs anywhere and
# compares libtorch's operators, which a GPU uses, with the CPU kernels. A minute beside a GPU and 16 cores. With --narrow
# the presets' models are a few units wide.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda narrow= programs=$here/../../build/release/bin references=$here/../references/models
while [ $# -gt 0 ]; do
  case "$1" in
    --device) device=$2; shift 2 ;;
    --programs) programs=$2; shift 2 ;;
    --references) references=$2; shift 2 ;;
    --narrow) narrow=yes; shift ;;
    -h | --help) sed -n '2,6s/^# //p' "$0"; exit 0 ;;
    *) echo "check.sh: unknown option $1" >&2; exit 2 ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
engine=$programs/strata-engine
[ -x "$engine" ] || { echo "check.sh: no strata-engine in $programs" >&2; exit 2; }
run() { "$engine" --workspace "$work/w" "$@"; }
log=$work/log failed=0
row() { # NAME STATUS DETAIL
  printf '%-34s %-5s %s\n' "$1" "$2" "$3"
  [ "$2" = ok ] || failed=1
}

# On a CPU the plain operators, which are a GPU's, are what is checked.
there() { if [ "$device" = cpu ]; then STRATA_PLAIN_OPERATORS=1 run "$@"; else run "$@"; fi; }

cases() {
  local out wanted
  wanted=$(find "$references" -name config.json | wc -l)
  if out=$(there verify --precision float32 --device "$device" $([ "$device" = cpu ] && echo --plain) "$references" 2>"$log") &&
    [ "$(tail -1 <<<"$out")" = "$wanted cases agree" ]; then
    row "reference cases, float32" ok "$wanted cases"
  else
    row "reference cases, float32" FAIL "$(grep -c '^FAIL' <<<"$out") tensors differ: $(head -1 "$log")"
  fi
}

run data generate --name tiny --size 600 --length 3,8 --seed 1 >/dev/null 2>"$log" || { cat "$log"; exit 1; }
at_once=$(($(nproc) / 4)) pids=() shown=0  # rows need several cores
[ $at_once -ge 1 ] || at_once=1
# Computes rows, beside others, with a log of their own.
start() { # FUNCTION ARGUMENT...
  while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do wait -n; show; done
  local number=${#pids[@]}
  (log=$work/log.$number failed=0; "$@"; exit $failed) >"$work/rows.$number" &
  pids+=($!)
}
# Prints the next rows in the order of their start if they are there.
show() {
  while [ $shown -lt ${#pids[@]} ] && ! kill -0 "${pids[$shown]}" 2>/dev/null; do
    wait "${pids[$shown]}" || failed=1
    cat "$work/rows.$shown"
    shown=$((shown + 1))
  done
}

quiet=(--data tiny --set training.batch.unit=sentences --set training.batch.size=4 --set training.accumulate=1
  --set training.log_every=1 --set training.max_epochs=0 --set validation.every_epochs=0 --set 'validation.monitor=[]'
  --set 'validation.metrics=[nll]' --set checkpoint.metric=valid/nll --set checkpoint.every_epochs=0 --set checkpoint.every_minutes=0
  --set validation.samples=0 --set recording.sentences=0 --set early_stopping.metric='""')
quiet+=(--set training.threads=$(($(nproc) / at_once)))
still=(--set training.dropout=0 --set training.attention_dropout=0 --set training.activation_dropout=0)
# Small widths for a preset if they are asked for, else nothing: its own.
widths() { # PRESET
  case "$narrow$1" in
    yesmlrf/*) printf -- '--set model.%s ' embed_dim=64 ffn_dim=128 fusion_attn_dim=64 fusion_ffn_dim=64 ;;
    yesdensenmt/*) printf -- '--set model.%s ' embed_dim=64 token_embed_dim=64 out_embed_dim=64 hidden=64 growth=32 ;;
    yesdeepatt/* | yesbaseline/fconv*) printf -- '--set model.%s ' embed_dim=64 hidden=64 ;;
    yesdhea/*) printf -- '--set model.%s ' hidden=64 ;;
  esac
}
train() { run --json train --preset "$1" $(widths "$1") "${quiet[@]}" --device cpu "${@:2}" >/dev/null 2>"$log"; }                # PRESET ARGUMENTS
train_there() { there --json train --preset "$1" $(widths "$1") "${quiet[@]}" --device "$device" "${@:2}" >/dev/null 2>"$log"; } # PRESET ARGUMENTS

# The largest relative difference of two runs' losses, and of their layers' gradient norms at the first step: exact, then
# rounded and where.
difference() { # RUN RUN STEPS
  python3 - <(run runs export "$1") <(run runs export "$2") "$3" <<'PYTHON'
import csv, sys
def series(path):
    found = {}
    for row in csv.reader(open(path)):
        if row[0] == "train/loss" or row[0].startswith("grad_norm/"):
            found[row[0], int(row[1])] = float(row[-1])
    return found
a, b, steps = series(sys.argv[1]), series(sys.argv[2]), int(sys.argv[3])
keys = [k for k in a if k[1] <= (steps if k[0] == "train/loss" else 1)]
assert len(keys) > steps and set(keys) <= set(b), (len(keys), steps)
worst, (name, step) = max((abs(a[k] - b[k]) / max(abs(a[k]), 1e-6), k) for k in keys)
print(f"{worst} {worst:.2g} ({name}, step {step})")
PYTHON
}
within() { # NAME RUN RUN STEPS LIMIT
  local seen
  seen=$(difference "$2" "$3" "$4") || { row "$1" FAIL "no figures"; return; }
  if awk -v a="${seen%% *}" -v b="$5" 'BEGIN { exit !(a <= b) }'; then row "$1" ok "${seen#* }"; else row "$1" FAIL "${seen#* }, more than $5"; fi
}

compare_preset() { # PRESET
  local name=${1//\//-}
  train "$1" --name "$name-cpu" "${still[@]}" --set training.precision=fp32 --set training.max_updates=20 ||
    { row "$1" FAIL "on the CPU: $(tail -1 "$log")"; return; }
  train_there "$1" --name "$name-gpu" "${still[@]}" --set training.precision=fp32 --set training.max_updates=20 ||
    { row "$1" FAIL "in float32: $(tail -1 "$log")"; return; }
  within "$1: 20 updates" "$name-cpu" "$name-gpu" 20 1e-4
  train_there "$1" --name "$name-half" "${still[@]}" --set training.precision=bf16 --set training.max_updates=3 ||
    { row "$1: bf16" FAIL "$(tail -1 "$log")"; return; }
  within "$1: bf16" "$name-cpu" "$name-half" 3 0.1
  local set=$work/w/datasets/tiny/sets/valid/tokens.source
  head -8 "$set" >"$log.in"
  if run translate --run "$name-cpu@last" --device cpu --beam 4 --input "$log.in" --output "$log.cpu" 2>"$log" &&
    there translate --run "$name-cpu@last" --device "$device" --beam 4 --input "$log.in" --output "$log.gpu" 2>"$log" &&
    cmp -s "$log.cpu" "$log.gpu"; then
    row "$1: beam search" ok "8 sentences"
  else
    row "$1: beam search" FAIL "$(head -1 "$log")"
  fi
}

resume() { # PRESET: 10 + 10 updates are 20, dropout on
  local name=${1//\//-}
  train_there "$1" --name "$name-whole" --set training.deterministic=true --set training.max_updates=20 &&
    train_there "$1" --name "$name-halves" --set training.deterministic=true --set training.max_updates=10 &&
    there train --resume "$name-halves" --set training.max_updates=20 >/dev/null 2>"$log" ||
    { row "$1: 10 + 10 = 20" FAIL "$(tail -1 "$log")"; return; }
  if cmp -s "$work"/w/runs/*-"$name-whole"/checkpoints/step-00000020/model.safetensors \
    "$work"/w/runs/*-"$name-halves"/checkpoints/step-00000020/model.safetensors; then
    row "$1: 10 + 10 = 20" ok "bit for bit"
  else
    row "$1: 10 + 10 = 20" FAIL "parameters differ"
  fi
}

# Two processes, on a GPU each if there are two, do what one does that accumulates two batches.
pair() { # PRESET
  local name=${1//\//-} port rank first
  local update=(--set training.deterministic=true --set training.max_updates=10 --set training.threads=1)
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  train_there "$1" --name "$name-alone" "${update[@]}" --set training.accumulate=2 ||
    { row "$1: two processes" FAIL "one process: $(tail -1 "$log")"; return; }
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=$port there --json train --preset "$1" $(widths "$1") "${quiet[@]}" --device "$device" \
      --name "$name-pair" "${update[@]}" >/dev/null 2>"$log.$rank" &
    [ $rank = 0 ] && first=$!
  done
  wait "$first" && wait $! || { row "$1: two processes" FAIL "$(tail -1 "$log".[01])"; return; }
  if cmp -s "$work"/w/runs/*-"$name-alone"/checkpoints/step-00000010/model.safetensors \
    "$work"/w/runs/*-"$name-pair"/checkpoints/step-00000010/model.safetensors; then
    row "$1: two processes" ok "bit for bit$(sed -n 's/.*gradients are summed/,/p' "$log.0")"
  else
    row "$1: two processes" FAIL "parameters differ"
  fi
}

# A rate that takes the parameters out of range: the step after it is not finite and must not be applied.
poisoned() { # PRESET OPTIMIZER
  local name=poisoned-$2
  if there --json train --preset "$1" $(widths "$1") "${quiet[@]}" --name "$name" --device "$device" --set training.optimizer.name="$2" --set training.log_every=50 \
    --set training.optimizer.lr=1e30 --set training.schedule.name=constant --set 'training.phases=[]' --set training.max_updates=60 >/dev/null 2>"$log"; then
    row "$2: a step that is not finite" FAIL "went unnoticed"
  elif grep -q 'is not finite' "$log" && run --json inspect --run "$name" >"$log.inspect" 2>/dev/null &&
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(d["nan"] != 0)' "$log.inspect"; then
    row "$2: a step that is not finite" ok "refused, saved parameters are numbers"
  else
    row "$2: a step that is not finite" FAIL "$(tail -1 "$log")"
  fi
}

start cases
for preset in mlrf/both-fnn-sa4 densenmt/4l-2 deepatt/att-1-1 dhea/gate dhea/hybrid baseline/fconv-iwslt; do
  start compare_preset "$preset"
done
start resume mlrf/both-fnn-sa4
start resume dhea/gate
start pair mlrf/both-fnn-sa4
for optimizer in adam nag; do start poisoned mlrf/base "$optimizer"; done
while [ $shown -lt ${#pids[@]} ]; do wait -n; show; done
exit $failed
