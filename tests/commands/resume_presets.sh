#!/usr/bin/env bash
# Runs of presets whose configuration has an empty value are stopped and resumed in a new process: 2 + 2 updates are 4.
set -eu
. "$(dirname "$0")/queue.bash"
run data generate --name tiny --size 300 --seed 2 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "data generate"; }
small="--set model.embed_dim=16 --set model.hidden=16 --set recording.sentences=0 --set training.batch.unit=sentences
  --set training.batch.size=8 --set validation.samples=0 --set validation.every_epochs=0 --set validation.every_updates=2
  --set validation.metrics=[nll] --set checkpoint.metric=valid/nll --set validation.monitor=[] --set checkpoint.every_epochs=0 --set training.accumulate=1
  --set training.max_epochs=0 --set training.threads=1 --set training.device=cpu"
for preset in deepatt/att-2-2 deepatt/att-2-2,deepatt/small-data; do
  name=${preset##*/}
  train() { run train "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$preset: train $*"; }; }
  train --preset "$preset" --data tiny --name "whole-$name" $small --set training.max_updates=4
  train --preset "$preset" --data tiny --name "halves-$name" $small --set training.max_updates=2
  grep -q 'attention_dim: null' "$folder/w"/runs/*halves-$name*/config.effective.yaml || fail "$preset: the configuration holds no empty value"
  train --resume "halves-$name" --set training.max_updates=4
  cmp "$folder/w"/runs/*whole-$name*/checkpoints/step-00000004/model.safetensors \
    "$folder/w"/runs/*halves-$name*/checkpoints/step-00000004/model.safetensors || fail "$preset: resuming differs"
done
echo "runs with empty values go on bit for bit"
