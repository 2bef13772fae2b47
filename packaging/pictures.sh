#!/usr/bin/env bash
# Makes the pictures of all panels again that the pages of help show: packaging/pictures.sh [options]
#   --workspace DIR  drawn as it is if it has runs, else filled first [build/pictures]
#   --updates N      of each run that is trained for it [1500]
#   --to DIR         light pictures; the dark ones go to DIR/dark [resources/help/pictures]
#   --size WxH       of the window [1280x800]
# The runs, of all four families, are trained on a generated corpus with fixed seeds on one thread: made again, pictures
# differ in times and speeds only. The programs are those of build/release, or of STRATA_BIN.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${STRATA_BIN:-$root/build/release/bin}
workspace=$root/build/pictures updates=1500 to=$root/resources/help/pictures size=1280x800
while [ $# -gt 0 ]; do
  case "$1" in
    --workspace) workspace=$2 ;;
    --updates) updates=$2 ;;
    --to) to=$2 ;;
    --size) size=$2 ;;
    *) sed -n '2,9s/^# //p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
export STRATA_WORKSPACE=$workspace STRATA_RUN=$bin/strata-run QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 TZ=UTC
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

run() { "$bin/strata-run" --log-level error "$@"; }

# train NAME PRESET SEED [KEY=VALUE...]
train() {
  local name=$1 preset=$2 setting settings=()
  for setting in "seed=$3" "training.max_updates=$updates" training.max_epochs=0 'training.phases=[]' \
    training.batch.size=400 training.log_every=10 training.schedule.warmup=200 validation.every_epochs=0 \
    "validation.every_updates=$((updates / 10))" 'validation.metrics=[nll,multi-bleu]' 'validation.monitor=[]' \
    checkpoint.every_epochs=0 "checkpoint.every_updates=$((updates / 10))" recording.sentences=6 \
    "recording.histogram_every=$((updates / 50))" "${@:4}"; do
    settings+=(--set "$setting")
  done
  echo "training $name"
  "$bin/strata-run" train --preset "$preset" --data demo --name "$name" --threads 1 "${settings[@]}" >"$made/log" 2>&1
}

# kill_when_saved NAME PRESET SEED: trains until there is a checkpoint, then ends as a computer without power does.
kill_when_saved() {
  train "$@" &
  until compgen -G "$workspace/runs/*-$1/checkpoints/step-*" >/dev/null; do sleep 0.2; done
  kill -KILL "$(run --json runs show "$1" | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' | tail -1)"
  wait $! || true
}

# Runs of all families, three seeds, one that breaks, one that is killed, two that wait, what is measured of them, and
# another toolkit's translations: every ninth word of the base system's is left out.
fill() {
  local small=(model.embed_dim=64 model.hidden=64) name
  run data generate --name demo --size 6000 --seed 1 >"$made/log"
  train deepatt deepatt/att-1-1-cpu 1 "${small[@]}"
  train densenmt densenmt/4l-2-cpu 1 "${small[@]}" model.growth=32
  train broken demo/base 1 training.optimizer.lr=1e30 || true
  kill_when_saved killed demo/base 2
  train dhea-gate dhea/gate-cpu 1 model.hidden=64 model.encoder_layers=2 model.decoder_layers=2
  train base demo/base 1
  for name in 1 2 3; do train "mlrf.s$name" demo/mlrf "$name"; done
  for name in deepatt densenmt dhea-gate base mlrf.s1 mlrf.s2 mlrf.s3; do
    echo "translating with $name"
    run translate --run "$name@best" --set test --output "$made/$name.txt" --threads 1 >"$made/log" 2>&1
  done
  awk '{ line = ""; for (i = 1; i <= NF; ++i) if (++word % 9) line = line (line == "" ? "" : " ") $i; print line }' \
    "$made/base.txt" >"$made/other.txt"
  run systems import "$made/other.txt" --name other-toolkit --set demo/test >"$made/log"
  run sweep --name waits --preset demo/base --data demo --grid 'training.dropout=0.1, 0.3' >"$made/log"
  for name in densenmt deepatt; do run readers "$name" --threads 1 >"$made/log"; done
  for name in dhea-gate mlrf.s1; do
    run layers "$name" --limit 100 --threads 1 >"$made/log"
    run effects "$name" --limit 100 --threads 1 >"$made/log"
  done
}

# draw THEME DIR: one picture a panel, without the number of the panel in its name; of the newest run, or of one that has
# what the panel shows.
draw() {
  local options=(--theme "$1" --size "$size" --colours 256 --screenshot "$made/$1") panel
  "$bin/strata" "${options[@]}"
  for panel in readers:densenmt layers:mlrf.s1 interventions:mlrf.s1 target-attention:dhea-gate log:broken; do
    "$bin/strata" "${options[@]}" --panel "${panel%:*}" --run "${panel#*:}"
  done
  mkdir -p "$2"
  for picture in "$made/$1"/[0-9]*.png; do mv "$picture" "$2/$(basename "$picture" | sed 's/^[0-9]*-//')"; done
}

[ -d "$workspace/runs" ] || fill
draw light "$to"
draw dark "$to/dark"
du -ch "$to"/*.png "$to"/dark/*.png | tail -1
