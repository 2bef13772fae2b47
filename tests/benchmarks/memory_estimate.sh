#!/usr/bin/env bash
# Compares --dry-run's memory with the peak of a real run. Usage: STRATA_RUN=... memory_estimate.sh DATASET [PRESET...]
# The workspace is STRATA_WORKSPACE; UPDATES (default 60) is how long each run trains: an epoch has the largest batch for
# certain. SET adds options to both, as in SET="--threads 1 --set training.batch.size=40".
set -eu
run=${STRATA_RUN:?}
data=${1:?usage: memory_estimate.sh DATASET [PRESET...]}
shift
[ $# -gt 0 ] || set -- baseline/transformer-iwslt mlrf/base mlrf/both-fnn-sa4 mlrf/base-6l
value() { sed -nE "s/^ *\"$2\": \"?([^\",]*)\"?,?$/\1/p" "$1" | head -n 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
common="--set training.max_updates=${UPDATES:-60} --set validation.every_epochs=0 --set validation.monitor=[]
  --set checkpoint.every_epochs=0 --set training.device=cpu --set training.log_every=10 ${SET:-}"
for preset in "$@"; do
  "$run" --json --log-level error train --preset "$preset" --data "$data" $common --dry-run >"$work/dry.json"
  estimate=$(($(value "$work/dry.json" memory_bytes) >> 20))
  "$run" --json train --preset "$preset" --data "$data" $common --name "memory-$$-${preset##*/}" >/dev/null 2>"$work/log" &
  pid=$!
  peak=0
  while kill -0 $pid 2>/dev/null; do
    now=$(awk '/VmHWM/ {print int($2 / 1024)}' /proc/$pid/status 2>/dev/null || echo 0)
    [ "${now:-0}" -gt "$peak" ] && peak=$now
    sleep 0.2
  done
  wait $pid || { cat "$work/log"; exit 1; }
  echo "$preset: estimate $estimate MiB, measured $peak MiB, $((100 * (estimate - peak) / peak)) % off"
done
