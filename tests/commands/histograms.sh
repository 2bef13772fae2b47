#!/usr/bin/env bash
# recording.histogram_every and `strata-run runs histograms`: presets of every family train the same bit for bit with it,
# also stopped and resumed, or killed; the figures add up; what is not there is said.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" "$@" 2>log; }
small="--set training.batch.unit=sentences --set training.batch.size=8 --set validation.samples=0 --set validation.every_epochs=0
  --set validation.every_updates=4 --set validation.metrics=[nll] --set checkpoint.metric=valid/nll --set validation.monitor=[]
  --set checkpoint.every_epochs=0 --set training.accumulate=1 --set training.max_epochs=0 --set training.threads=1 --set training.device=cpu
  --set training.log_every=3 --set training.phases=[] --set recording.sentences=0
  --set checkpoint.every_updates=2 --set checkpoint.keep_last=5"
train() { run train "$@" >/dev/null || { cat log; exit 1; }; }
model() { echo "$STRATA_WORKSPACE"/runs/*-"$1"/checkpoints/step-"$(printf %08d "$2")"/model.safetensors; }
run data generate --name tiny --size 300 --seed 2 >/dev/null || { cat log; exit 1; }

for preset in mlrf/dec-sa4-cpu dhea/gate-cpu densenmt/4l-2-cpu deepatt/att-1-1-cpu; do
  name=${preset%%/*} own=(--set model.hidden=16)
  case $name in
    mlrf) own=(--set model.embed_dim=16 --set model.ffn_dim=32 --set model.fusion_attn_dim=16 --set model.fusion_ffn_dim=32) ;;
    densenmt) own+=(--set model.embed_dim=16 --set model.growth=8) ;;
    deepatt) own+=(--set model.embed_dim=16) ;;
  esac
  train --preset "$preset" --data tiny --name "plain-$name" $small "${own[@]}" --set training.max_updates=8
  train --preset "$preset" --data tiny --name "counted-$name" $small "${own[@]}" --set training.max_updates=6 --set recording.histogram_every=2
  train --resume "counted-$name" --set training.max_updates=8
  check "$preset: the same model with histograms" same "$(cmp -s "$(model "plain-$name" 8)" "$(model "counted-$name" 8)" && echo same)"
  for kind in weights gradients activations; do
    run --json runs histograms "counted-$name" --kind "$kind" >"$kind.json" || { cat log; exit 1; }
  done
  check "$preset: figures" ok "$(python3 - <<'END'
import json
found = {kind: json.load(open(kind + ".json"))["histograms"] for kind in ("weights", "gradients", "activations")}
for kind, layers in found.items():
    assert layers and all(each["step"] == 8 for each in layers), kind
    for each in layers:
        assert sum(count for _, _, count in each["bins"]) + each["non_finite"] == each["values"]
        assert each["quantiles"] == sorted(each["quantiles"])
        assert all(lower <= upper for lower, upper, _ in each["bins"])
sizes = {kind: {each["layer"]: each["values"] for each in layers} for kind, layers in found.items()}
assert sizes["weights"] == sizes["gradients"]
assert {"encoder.embed_tokens", "encoder.layers.0", "decoder.layers.0"} <= set(sizes["activations"])
print("ok")
END
)"
done

# Of a layer over training, of one step with its bins.
run runs histograms counted-mlrf >list.txt
holds "title" "Histograms of the weights" "$(cat list.txt)"
holds "a layer" "decoder.layers.1" "$(cat list.txt)"
check "the newest step" 8 "$(awk '$1 == "encoder.layers.0" { print $2 }' list.txt)"
run runs histograms counted-mlrf --kind gradients --layer encoder.layers.0 >layer.txt
check "every step of a layer" "2 4 6 8 " "$(awk '$1 == "encoder.layers.0" { printf "%s ", $2 }' layer.txt)"
run runs histograms counted-mlrf --layer encoder.layers.0 --step 4 >bins.txt
holds "its bins" "Bins with values" "$(cat bins.txt)"

# What is missing or wrong is said.
run runs histograms plain-mlrf
check "status without histograms" 1 $?
holds "it says what to set" "recording.histogram_every" "$(cat log)"
run runs histograms counted-mlrf --step 3
check "status of another step" 2 $?
holds "it names the steps" "recorded steps are 2, 4, 6, 8" "$(cat log)"
run runs histograms counted-mlrf --layer encoder.layers.9
check "status of another layer" 2 $?
holds "it names the layers" "encoder.layers.0, encoder.layers.1" "$(cat log)"
run runs histograms counted-mlrf --kind biases
check "status of another kind" 2 $?
run train --preset mlrf/dec-sa4-cpu --data tiny --set recording.histogram_every=-1 --dry-run
check "status of a negative number" 2 $?
holds "it names the key" "recording.histogram_every" "$(cat log)"

# Resumed from an earlier checkpoint, the steps after it are those of the new attempt; a killed run keeps what it wrote.
rm -r "$STRATA_WORKSPACE"/runs/*-counted-mlrf/checkpoints/step-0000000[68]
train --resume counted-mlrf --set training.max_updates=5 --set recording.histogram_every=5
run --json runs histograms counted-mlrf --layer encoder.layers.0 >again.json
check "steps after resuming from step 4" "[2, 4, 5]" "$(python3 -c 'import json; print([h["step"] for h in json.load(open("again.json"))["histograms"]])')"
"$STRATA_RUN" train --preset mlrf/dec-sa4-cpu --data tiny --name killed $small --set model.embed_dim=16 --set model.ffn_dim=32 --set training.max_updates=0 \
  --set recording.histogram_every=1 >/dev/null 2>killed.log &
pid=$!
for _ in $(seq 600); do run --json runs histograms killed >killed.json && break; sleep 0.1; done
kill -KILL $pid
wait $pid 2>/dev/null
run --json runs histograms killed >killed.json
check "a killed run's histograms are read" 0 $?
run workspace repair >/dev/null
check "repairing passes over them" 0 $?
run --json runs histograms killed >repaired.json
check "and keeps them" same "$(cmp -s killed.json repaired.json && echo same)"
exit $failed
