#!/usr/bin/env bash
# Trains as a user does: dry run, training, resuming, stopping by signal, damage, averaging.
set -eu
run=${STRATA_RUN:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
fail() { echo "FAILED: $1" >&2; exit 1; }
value() { sed -nE "s/^ *\"$2\": \"?([^\",]*)\"?,?$/\\1/p" "$1" | head -n 1; }

"$run" data generate --name tiny --size 1500 --seed 3 >"$work/generate.log" 2>&1 || { cat "$work/generate.log"; fail "data generate"; }

small="--set model.embed_dim=32 --set model.ffn_dim=64 --set model.fusion_attn_dim=32 --set model.fusion_ffn_dim=32
  --set model.encoder_layers=2 --set model.decoder_layers=2 --set validation.samples=2 --set recording.sentences=2
  --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20
  --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=5
  --set validation.monitor=[] --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set training.threads=1 --set training.device=cpu"

# 1. A dry run prints its estimate and creates no run.
"$run" --json train --preset mlrf/both-fnn-sa4 --data tiny $small --dry-run >"$work/dry.json"
[ "$(value "$work/dry.json" parameters)" -gt 1000 ] || fail "dry run: parameters"
[ "$(value "$work/dry.json" device)" = cpu ] || fail "dry run: device"
[ ! -e "$STRATA_WORKSPACE/runs" ] || [ -z "$(ls "$STRATA_WORKSPACE/runs")" ] || fail "a dry run made a run"

# 2. Wrong usage and failure have different exit statuses.
set +e
"$run" train --preset mlrf/both-fnn-sa4 --data tiny --set training.bach.size=3 2>"$work/error"; [ $? = 2 ] || fail "unknown key: status"
grep -q 'training.batch.size' "$work/error" || fail "unknown key: nearest key not named"
"$run" train --preset mlrf/both-fnn-sa4 --data tiny $small --dry-run --device cuda:99 2>"$work/error"; [ $? = 1 ] || fail "a dry run without its device: status"
grep -q 'Device cuda:99 ' "$work/error" || fail "a dry run without its device"
"$run" train --preset deepatt/att-1-1 --data tiny --set model.encoder_layers=60000 2>"$work/error"; [ $? = 2 ] || fail "60,000 layers: status"
grep -q 'model.encoder_layers' "$work/error" || fail "60,000 layers: message"
"$run" train --preset mlrf/base --data tiny --set model.embed_dim=65536 --set model.ffn_dim=65536 --set model.encoder_layers=9000 2>"$work/error"; [ $? = 2 ] || fail "a model larger than memory: status"
grep -q 'parameters take [0-9]* GiB, this computer has' "$work/error" || fail "a model larger than memory: message"
"$run" train --preset mlrf/both-fnn-sa4 --data nothing 2>"$work/error"; [ $? = 2 ] || fail "unknown dataset: status"
set -e

# 3. Twenty uninterrupted updates equal ten, a resumption, and ten more.
"$run" --json train --preset mlrf/both-fnn-sa4 --data tiny --name whole $small --set training.max_updates=20 >"$work/whole.json" 2>"$work/whole.log" || { cat "$work/whole.log"; fail "training"; }
"$run" --json train --preset mlrf/both-fnn-sa4 --data tiny --name halves $small --set training.max_updates=10 >"$work/half.json" 2>/dev/null
"$run" --json train --resume halves --set training.max_updates=20 >"$work/halves.json" 2>"$work/resume.log" || { cat "$work/resume.log"; fail "resuming"; }
whole=$(value "$work/whole.json" folder)
halves=$(value "$work/halves.json" folder)
cmp "$whole/checkpoints/step-00000020/model.safetensors" "$halves/checkpoints/step-00000020/model.safetensors" || fail "resuming differs"
[ -e "$whole/text/pipeline.yaml" ] || fail "the run keeps no text pipeline"
set +e
"$run" train --resume halves --set training.dropout=0.5 2>"$work/error"; [ $? = 2 ] || fail "resume with another dropout: status"
grep -q 'training.dropout' "$work/error" && grep -q -- '--from' "$work/error" || fail "resume with another dropout: message"
set -e

# 4. A flipped byte is reported, and the previous checkpoint is used.
printf '\377' | dd of="$halves/checkpoints/step-00000020/model.safetensors" bs=1 seek=4000 conv=notrunc status=none
STRATA_MKL_FAST=0 "$run" train --resume halves --set training.max_updates=22 >/dev/null 2>"$work/damage.log" || { cat "$work/damage.log"; fail "resuming after damage"; }
"$run" --json runs show halves >"$work/starts.json"
[ "$(grep -c '"mkl_fast": true' "$work/starts.json") $(grep -c '"mkl_fast": false' "$work/starts.json")" = "2 1" ] || fail "starts do not record STRATA_MKL_FAST"
grep -q 'step-00000020/model.safetensors is damaged' "$work/damage.log" || fail "damage is not named"
[ -d "$halves/checkpoints/step-00000022" ] || fail "no checkpoint after damage"

# 5. SIGTERM saves at the end of the step; the run can be resumed.
"$run" train --preset mlrf/both-fnn-sa4 --data tiny --name stopped $small >/dev/null 2>"$work/stop.log" &
pid=$!
for _ in $(seq 200); do grep -q 'parameters=' "$work/stop.log" && break; sleep 0.1; done
sleep 1
kill -TERM $pid
set +e
wait $pid; status=$?
set -e
[ $status = 143 ] || { cat "$work/stop.log"; fail "SIGTERM: status $status"; }
ls "$STRATA_WORKSPACE"/runs/*stopped*/checkpoints/step-* >/dev/null || fail "SIGTERM: nothing saved"

# 6. Averaging refuses damaged checkpoints and otherwise writes a model folder.
set +e
"$run" average --run halves --last 2 --output "$work/average" >/dev/null 2>"$work/error" && fail "average took a damaged checkpoint"
grep -q 'step-00000020/model.safetensors is damaged' "$work/error" || fail "average: damage is not named"
set -e
"$run" train --resume halves --set training.max_updates=24 >/dev/null 2>&1 || fail "resuming again"
"$run" average --run halves --last 2 --output "$work/average" >/dev/null || fail "average"
[ -e "$work/average/model.safetensors" ] && [ -e "$work/average/config.json" ] || fail "average: files"
"$run" average --run halves --steps 9999 >/dev/null 2>"$work/error" && fail "average of no checkpoint"
grep -q 'no checkpoint of step 9999' "$work/error" || fail "average: the missing step is not named"
steps=$(python3 -c 'import json, sys; print(",".join(map(str, json.load(open(sys.argv[1]))["steps"])))' "$work/average/average.json")
"$run" average --run halves --steps "$steps" >/dev/null || fail "average of steps"
cmp -s "$work/average/model.safetensors" "$STRATA_WORKSPACE"/runs/*halves*/averages/steps-"${steps//,/-}"/model.safetensors ||
  fail "the average of steps is not that of the newest"
"$run" train --preset mlrf/both-fnn-sa4 --data tiny --name scored $small --set training.max_updates=12 --set validation.every_updates=4 \
  --set validation.metrics=[nll] --set checkpoint.metric=valid/nll --set training.ema=0.9 --set checkpoint.every_updates=4 --set checkpoint.keep_best=3 >/dev/null 2>"$work/scored.log" || { cat "$work/scored.log"; fail "training with validations"; }
"$run" --json average --run scored --best 2 --output "$work/best" >"$work/best.json" || fail "averaging the best"
python3 - "$work/best.json" "$STRATA_WORKSPACE"/runs/*scored*/checkpoints <<'PYTHON' || fail "the average of the best"
import array, json, struct, sys
def tensors(folder):
    data = open(folder + "/model.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: array.array("f", data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]])
            for name, entry in header.items() if name != "__metadata__"}
made = json.load(open(sys.argv[1]))
nll = {step: json.load(open(f"{sys.argv[2]}/step-{step:08}/manifest.json"))["scores"]["valid/nll"] for step in (4, 8, 12)}
assert made["steps"] == sorted(nll, key=nll.get)[:2], (made, nll)
parts = [tensors(f"{sys.argv[2]}/step-{step:08}") for step in made["steps"]]
for name, mean in tensors(made["model"]).items():
    assert all(abs(m - (a + b) / 2) < 1e-6 for m, a, b in zip(mean, parts[0][name], parts[1][name])), name
PYTHON
# 7. The moving average is a separate model.
echo 'ein Hund' | "$run" translate --run scored@best+ema --beam 1 >/dev/null || fail "translating with the average"
set +e
echo 'ein Hund' | "$run" translate --run halves@last+ema >/dev/null 2>"$work/error" && fail "an average that was not kept"
grep -q 'without training.ema' "$work/error" || fail "the missing average is not explained"
set -e
echo "training, resuming, stopping and averaging hold"
