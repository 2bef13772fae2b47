#!/usr/bin/env bash
# `strata-run effects`: effects equal differences of scores, results are stored and found again, what cannot be measured is
# said; and a planted level with much weight and nothing to say is listed as weight without effect.
. "$(dirname "$0")/measured.bash"
small=(--set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 --set model.decoder_layers=2)
train fused demo/mlrf "${small[@]}"

# The effect is the difference of two scores of the same pairs.
run --json effects fused@last --kind levels --mode zero >levels.json || { cat log; exit 1; }
unit=$(json levels.json 'report["units"][1]["intervention"]')
check "what is replaced" 'decoder.fusion.read_levels[level=1]=zero' "$unit"
check "the effect is a difference of scores" \
  "$(awk -v a="$(loss fused@last --intervene "$unit")" -v b="$(loss fused@last)" 'BEGIN { printf "%.4f", a - b }')" \
  "$(json levels.json '"%.4f" % report["units"][1]["effect"]')"
check "the loss is that of the model" "$(loss fused@last)" "$(json levels.json '"%.5f" % report["loss"]')"
check "weights of the levels sum to 1" 1.000 "$(json levels.json '"%.3f" % sum(u["weight"] for u in report["units"])')"
check "contributions sum to 1" 1.000 "$(json levels.json '"%.3f" % sum(u["contribution"] for u in report["units"])')"
check "effects by class are those of their words" True \
  "$(json levels.json 'any(u["by_class"][0] is not None for u in report["units"])')"

# It is stored: the next call finds it, unless it is to be measured again.
stored=$(echo "$STRATA_WORKSPACE"/runs/*-fused/effects/*.levels.zero.json)
[ -f "$stored" ] || { echo "nothing is stored"; failed=1; }
sed -i 's/"tokens":[0-9]*/"tokens":7/' "$stored"
run --json effects fused@last --kind levels --mode zero >again.json
check "a stored result is not measured again" 7 "$(json again.json 'report["tokens"]')"
run --json effects fused@last --kind levels --mode zero --again >again.json
check "it is, if asked to" same "$(cmp -s levels.json again.json && echo same || echo differ)"
run --json effects fused@last --kind levels --mode zero --limit 10 >ten.json
check "the first sentences" "10 10" "$(json ten.json 'report["limit"], report["sentences"]' | tr -d '(),')"

# Kinds and modes.
run effects fused@last --kind cells --mode mask --limit 10 >cells.txt || cat log
check "a row per hop and level" 12 "$(grep -c '^hop [1-4], ' cells.txt)"
holds "a correlation with its interval" "decoder: Spearman" "$(cat cells.txt)"
run effects fused@last --kind heads --limit 10 >heads.txt || cat log
check "a row per head of every attention" 24 "$(grep -c 'layer [12], head [1-4]' heads.txt)"
STRATA_PROGRESS=lines run effects fused@last --kind hops --limit 10 >/dev/null || cat log
holds "progress for programs" '"done":60,"total":60' "$(tail -1 log)"
run effects fused@last --kind gates; check "status of what the model lacks" 2 $?
holds "it names what the model has" "it has levels, hops, cells, heads, contexts" "$(cat log)"
run effects fused@last --kind hops --mode mask; check "status of a mask of hops" 2 $?
run effects fused --set test; check "status of a test set" 2 $?
holds "it names the validation sets" "validates on valid" "$(cat log)"
run effects fused --kind layers; check "status of an unknown kind" 2 $?

# The other families.
train looks-back dhea/gate-cpu --set model.hidden=16 --set model.encoder_layers=1 --set model.decoder_layers=2
run effects looks-back --kind gates --limit 10 >gates.txt || cat log
check "three gates per layer" 6 "$(grep -c '^layer [12], gate' gates.txt)"
run effects looks-back --kind contexts --limit 10 >contexts.txt || cat log
holds "the weight is the share" "share of the context's norm" "$(cat contexts.txt)"
train dense densenmt/4l-2-cpu --set model.embed_dim=16 --set model.hidden=16 --set model.growth=8
run --json effects dense --kind parts --limit 10 >parts.json || cat log
check "shares of the parts sum to 1" 1.000 "$(json parts.json '"%.3f" % sum(u["weight"] for u in report["units"])')"
run effects dense --kind blocks --limit 10 --bleu >translated.txt || cat log
holds "translating without a block, in steps" "change of BLEU, decoder: 4 units are too few" "$(cat translated.txt)"
run effects dense --kind blocks --mode zero --limit 10 >blocks.txt || cat log
check "a row per layer and side" 8 "$(grep -cE '^(encoder|decoder) layer [1-4]' blocks.txt)"
holds "blocks have a weight" "weight: mean read share of the layers that read it" "$(cat blocks.txt)"
holds "too few for a correlation" "encoder: 4 units are too few" "$(cat blocks.txt)"
train deep deepatt/att-1-1-cpu --set model.embed_dim=16 --set model.hidden=16 --set model.encoder_layers=2
run effects deep --limit 10 >deep.txt || cat log
check "fast-forward connections" 2 "$(grep -c 'column [12], layer 2' deep.txt)"

# The weight of a block is the mean, over its readers, of what `readers` prints of it; a block of the decoder has two parts.
run --json effects dense --kind blocks --mode zero --limit 10 >blocks.json || cat log
run --json effects deep --kind blocks --limit 10 >deep.json || cat log
run --json readers dense --limit 10 >dense-readers.json || cat log
run --json readers deep --limit 10 >deep-readers.json || cat log
check "weights are means of read shares" "8 of 8, 2 of 2" "$(python3 - <<'MEANS'
import json

def agreeing(units, readers, names):
    agree = 0
    for unit in units:
        shares = []
        for reader in readers:
            parts = [b["share"] for b in reader["blocks"] if (reader["map"], reader["name"], b["name"]) in names(unit, reader)]
            if parts:
                shares.append(sum(parts))
        agree += abs(sum(shares) / len(shares) - unit["weight"]) < 1e-5
    return f"{agree} of {len(units)}"

def dense(unit, reader):  # blocks are called as in the picture: "layer 2", or "layer 2 a" and "layer 2 c"
    parts = [""] if unit["group"] == "encoder" else [" a", " c"]
    return [(unit["group"], reader["name"], unit["layer"] + part) for part in parts]

def deep(unit, reader):  # the connection into layer 2 of a column
    return [("encoder a" + unit["name"][7], "layer 2", "f below")]

load = lambda name: json.load(open(name + ".json"))
print(agreeing(load("blocks")["units"], load("dense-readers")["readers"], dense) + ", " +
      agreeing(load("deep")["units"], load("deep-readers")["readers"], deep))
MEANS
)"

# The change of BLEU: as validation scores, as `evaluate` scores what `translate` prints, and stored with the rest.
run data generate --name learnable --size 4000 --seed 1 >/dev/null || cat log
data=learnable train speaks demo/mlrf "${small[@]}" --set model.embed_dim=64 --set 'training.phases=[]' --set training.max_updates=600 \
  --set validation.every_updates=600 --set 'validation.metrics=[nll,multi-bleu]' --set training.optimizer.lr=3e-3 \
  --set training.schedule.warmup=100
validated=$(grep -o 'valid/multi-bleu=[0-9.]*' log | tail -1)
run --json effects speaks@last --kind levels --mode zero >plain.json || cat log
check "translating must be asked for" False "$(json plain.json '"bleu" in report or "bleu" in report["units"][0]')"
STRATA_PROGRESS=lines run --json effects speaks@last --kind levels --mode zero --bleu >bleu.json || cat log
holds "progress of the translations only" '"done":800,"total":800' "$(tail -1 log)"
check "likelihoods are not measured again" 0 "$(grep -c '"unit":"pairs"' log)"
check "they are the same" True "$(python3 -c 'import json
plain, bleu = (json.load(open(name)) for name in ("plain.json", "bleu.json"))
print(all(bleu[key] == plain[key] for key in plain if key != "units") and
      all(b[key] == p[key] for p, b in zip(plain["units"], bleu["units"]) for key in p))')"
sides=$STRATA_WORKSPACE/datasets/learnable/sets/valid
unit=$(json bleu.json 'report["units"][0]["intervention"]')
run translate --run speaks@last --beam 1 --tokens --input "$sides/raw.source" >with.txt || cat log
run translate --run speaks@last --beam 1 --tokens --input "$sides/raw.source" --intervene "$unit" >without.txt || cat log
run --json evaluate --hypothesis with.txt without.txt --reference "$sides/tokens.target" --metric multi-bleu \
  --significance bootstrap >evaluated.json || cat log
holds "the model's translations are worth something" "valid/multi-bleu=" "$(grep -v '=0.0000' <<<"$validated")"
check "BLEU is that of validation" "$validated" "valid/multi-bleu=$(json bleu.json '"%.4f" % report["bleu"]["score"]')"
check "change and interval are those of evaluate" "$(json evaluated.json '*("%.6f" % report["significance"][0][key] for key in ("difference", "low", "high"))')" \
  "$(json bleu.json '*("%.6f" % report["units"][0]["bleu"][key] for key in ("change", "low", "high"))')"
run effects speaks@last --kind levels --mode zero >bleu.txt || cat log
holds "it is stored" "$(json bleu.json '"BLEU %.2f of the model" % report["bleu"]["score"]')" "$(cat bleu.txt)"
holds "a column of the table" "change of BLEU" "$(cat bleu.txt)"
run --json effects speaks@last --kind levels --mode zero --again >again.json || cat log
check "measuring anew without it leaves it out" False "$(json again.json '"bleu" in report')"

# Planted: the decoder's top layer has the gain 0, so that it is constant; its layer embedding draws nearly all weight.
mkdir planted
cp -r "$STRATA_WORKSPACE"/runs/*-fused/text planted/
cp "$STRATA_WORKSPACE"/runs/*-fused/checkpoints/step-00000004/{config.json,model.safetensors} planted/
python3 - planted/model.safetensors <<'PLANT'
import array, json, struct, sys

path = sys.argv[1]
data = bytearray(open(path, "rb").read())
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + size])

def change(name, edit):
    begin, end = header[name]["data_offsets"]
    values = array.array("f", bytes(data[8 + size + begin : 8 + size + end]))
    edit(values, header[name]["shape"])
    data[8 + size + begin : 8 + size + end] = values.tobytes()

def gain(values, shape):
    for i in range(len(values)):
        values[i] = 0

def layers(values, shape):  # the first feature says whether it is the top level
    for level in range(shape[0]):
        values[level * shape[1]] = 20 if level == shape[0] - 1 else -20

def first(values, shape):  # the first unit reads that feature only
    for column in range(shape[1]):
        values[column] = 1 if column == 0 else 0

def second(values, shape):  # every hop follows it
    for row in range(shape[0]):
        values[row * shape[1]] = 5

change("decoder.layers.1.final_layer_norm.weight", gain)
change(next(n for n in header if "layer_embed" in n), layers)
change("decoder.fusion.w1.weight", first)
change("decoder.fusion.w2.weight", second)
open(path, "wb").write(data)
PLANT
train planted demo/mlrf "${small[@]}" --from "$PWD/planted" --set training.optimizer.lr=1e-20 --set training.max_updates=1
run --json effects planted --kind levels >planted.json || cat log
check "much weight" True "$(json planted.json 'report["units"][2]["weight"] > 0.9')"
check "no effect" True "$(json planted.json 'abs(report["units"][2]["effect"]) < 1e-6')"
check "it is listed" "weight without effect" "$(json planted.json 'report["units"][2]["list"]')"
run --json effects planted --kind levels --mode zero >zero.json || cat log
check "zero is not nothing" True "$(json zero.json 'abs(report["units"][2]["effect"]) > 1e-4')"
exit $failed
