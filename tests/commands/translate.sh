# translate and score as a user runs them, with a tiny, barely trained model.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STRATA_WORKSPACE=$folder/workspace
fail() { echo "$1"; exit 1; }
translate() { "$STRATA_RUN" translate --run first --threads 1 "$@"; }
score() { "$STRATA_RUN" score --run first --threads 1 "$@"; }
"$STRATA_RUN" data generate --name tiny --size 300 --seed 1 --contrastive >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
"$STRATA_RUN" train --preset mlrf/both-fnn-sa4 --data tiny --name first --set model.embed_dim=32 --set model.ffn_dim=48 \
  --set model.fusion_attn_dim=16 --set model.fusion_ffn_dim=24 --set training.max_updates=8 \
  --set validation.every_epochs=0 --set training.threads=1 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }

printf 'der Hund schläft .\n\ndie Katze sieht den Hund .\n' >"$folder/in"
"$STRATA_RUN" translate --run first@last --threads 1 --input "$folder/in" --output "$folder/out" 2>/dev/null
[ "$(wc -l <"$folder/out")" -eq 3 ] || fail "a line of output for each of input"
[ -z "$(sed -n 2p "$folder/out")" ] || fail "an empty line stays empty"

# Batch size and input and output by file or pipe change nothing.
translate --batch 1 <"$folder/in" >"$folder/single" 2>/dev/null
cmp "$folder/out" "$folder/single"

# The same sentences in other formats; of a file with both sides the model's languages say which is meant.
printf '<srcset srclang="de"><doc docid="d"><seg id="1">der Hund schläft .</seg>\n<seg id="2"></seg><seg id="3">die Katze sieht den Hund .</seg></doc></srcset>\n' >"$folder/in.sgm"
translate --input "$folder/in.sgm" >"$folder/sgm" 2>/dev/null
cmp "$folder/out" "$folder/sgm"
printf 'the dog sleeps .\nthe cat sees the dog .\n' >"$folder/target"
sed 2d "$folder/in" >"$folder/source"
python3 - "$folder" <<'PYTHON'
import json, sys
folder = sys.argv[1]
pairs = list(zip(open(folder + "/source").read().splitlines(), open(folder + "/target").read().splitlines()))
text = lambda side: "".join(f'<seg id="{at}">{pair[side]}</seg>' for at, pair in enumerate(pairs, 1))
open(folder + "/both.xml", "w").write("<?xml version='1.0'?>\n<dataset><doc id=\"d\" origlang=\"de\"><src lang=\"de\">" + text(0) +
                                      '</src><ref lang="en" translator="A">' + text(1) + "</ref></doc></dataset>\n")
open(folder + "/both.jsonl", "w").writelines(json.dumps({"translation": {"de": de, "en": en}}) + "\n" for de, en in pairs)
PYTHON
translate --input "$folder/source" >"$folder/plain" 2>/dev/null
score --source "$folder/source" --target "$folder/target" >"$folder/scores" 2>/dev/null
for both in both.xml both.jsonl; do
  translate --input "$folder/$both" >"$folder/read" 2>/dev/null
  cmp "$folder/plain" "$folder/read" || fail "the source of $both"
  score --source "$folder/$both" --target "$folder/$both" >"$folder/read" 2>/dev/null
  cmp "$folder/scores" "$folder/read" || fail "the sides of $both"
done
[ "$(translate --input "$folder/both.xml" --format lines 2>/dev/null | wc -l)" -eq "$(wc -l <"$folder/both.xml")" ] || fail "lines as they are"
if score --source "$folder/both.jsonl" --target "$folder/both.jsonl" --target-language fr 2>"$folder/log"; then fail "a language that is not there"; fi
grep -q 'has no text fr; it has the texts de, en' "$folder/log" || fail "the texts are not named"
printf '<xliff>\n' >"$folder/in.xlf"
if translate --input "$folder/in.xlf" 2>"$folder/log"; then fail "a format that is not read"; fi
grep -q 'is XLIFF' "$folder/log" || fail "the format is not named"

translate --input "$folder/in" --beam 4 --nbest 2 --scores >"$folder/nbest" 2>/dev/null
[ "$(cut -f 1,2 "$folder/nbest" | sort -u | wc -l)" -eq "$(wc -l <"$folder/nbest")" ] || fail "sentence and rank name a line"
awk -F '\t' '$1 == previous && $3 > score { exit 1 } { previous = $1; score = $3 }' "$folder/nbest" || fail "best first"

# The search and the scorer give the same log-probabilities.
translate --json --input "$folder/in" --beam 3 >"$folder/json" 2>/dev/null
text=$STRATA_WORKSPACE/runs/1-first/text
"$STRATA_RUN" text bpe-apply --codes "$text/codes.source" <"$folder/in" >"$folder/units"
python3 - "$folder/json" "$text" "$folder/units" "$folder/ids" <<'PYTHON'
import json, sys
words = {side: {line.rsplit(" ", 1)[0]: at + 4 for at, line in enumerate(open(sys.argv[2] + "/vocabulary." + side))} | {"</s>": 2, "<unk>": 3}
         for side in ("source", "target")}
sentences = [(line.split(), entry["hypotheses"][0]["tokens"])
             for line, entry in zip(open(sys.argv[3]), json.load(open(sys.argv[1]))["translations"])]
for side, index in (("source", 0), ("target", 1)):
    with open(sys.argv[4] + "." + side, "w") as file:
        for sentence in sentences:
            file.write(" ".join(str(words[side].get(word, 3)) for word in sentence[index]) + "\n")
PYTHON
score --ids --source "$folder/ids.source" --target "$folder/ids.target" --tokens >"$folder/scores" 2>/dev/null
python3 - "$folder/json" "$folder/scores" <<'PYTHON' || fail "search and scorer differ"
import json, sys
entries = [entry["hypotheses"][0] for entry in json.load(open(sys.argv[1]))["translations"]]
rows = [line.split("\t") for line in open(sys.argv[2])]
for at in (0, 2):
    scored = [float(value) for value in rows[at][2].split()]
    found = entries[at]["logProbabilities"]
    assert len(scored) == len(found) and all(abs(a - b) < 1e-4 for a, b in zip(scored, found)), (scored, found)
PYTHON

# Recordings: one tensor per sentence, hypothesis and name, one row per token; the empty line has none.
translate --json --input "$folder/in" --beam 3 --nbest 2 --record 'decoder.fusion.hop_w*,decoder.fusion.level_norms,encoder.memory' \
  --record-to "$folder/hops.safetensors" >"$folder/json" 2>/dev/null
python3 - "$folder/json" "$folder/hops.safetensors" <<'PYTHON' || fail "recordings"
import array, json, struct, sys
sentences = json.load(open(sys.argv[1]))["translations"]
data = open(sys.argv[2], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
tensors = json.loads(data[8:8 + size])
axes = tensors.pop("__metadata__")
assert axes["axes.decoder.fusion.hop_weights"] == "target,hop,level", axes
assert axes["axes.encoder.memory"] == "source,feature", axes
names = ("decoder.fusion.hop_weights", "decoder.fusion.level_norms", "encoder.memory")
assert set(tensors) == {f"{s}.{rank}.{name}" for s in (1, 3) for rank in (1, 2) for name in names}, sorted(tensors)
for s in (1, 3):
    for rank in (1, 2):
        tokens = sentences[s - 1]["hypotheses"][rank - 1]["tokens"]
        hops = tensors[f"{s}.{rank}.decoder.fusion.hop_weights"]
        assert hops["dtype"] == "F32" and hops["shape"] == [len(tokens), 4, 4], (hops, tokens)
        begin, end = hops["data_offsets"]
        weights = array.array("f", data[8 + size + begin:8 + size + end])
        assert all(abs(sum(weights[at:at + 4]) - 1) < 1e-5 for at in range(0, len(weights), 4))
PYTHON
status=0; translate --input "$folder/in" --record 'no.such' --record-to "$folder/none" >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] && [ ! -e "$folder/none" ] || fail "an internal that it does not have gives status $status"

# Prefixes: the search continues after them; a prefix of the greedy translation changes nothing.
printf 'the cat\n\nthe dog sees\n' >"$folder/prefixes"
translate --input "$folder/in" --beam 3 --nbest 3 --tokens --prefix "$folder/prefixes" >"$folder/out" 2>/dev/null
[ "$(grep -c "^1.[123].the cat\b" "$folder/out")" -eq 3 ] && [ "$(grep -c "^3.[123].the dog sees\b" "$folder/out")" -eq 3 ] ||
  { cat "$folder/out"; fail "translations begin with their prefixes"; }
grep -q "^2.1.$" "$folder/out" || fail "an empty line stays empty behind its prefix"
translate --input "$folder/in" --beam 1 --tokens >"$folder/greedy" 2>/dev/null
cut -d ' ' -f 1,2 "$folder/greedy" >"$folder/prefixes"
translate --input "$folder/in" --beam 1 --tokens --prefix "$folder/prefixes" >"$folder/out" 2>/dev/null
cmp "$folder/greedy" "$folder/out" || fail "the greedy translation's own beginning changes it"
printf 'the\n' >"$folder/prefixes"
status=0; translate --input "$folder/in" --prefix "$folder/prefixes" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "1 prefixes for 3 lines" "$folder/err" || fail "prefixes for some lines only give status $status"

score --source "$folder/in" --target "$folder/in" --tokens >"$folder/scores" 2>/dev/null
awk -F '\t' '{ n = split($3, token, " "); sum = 0; for (i = 1; i <= n; ++i) sum += token[i]
  if (n != $2 || (sum - $1) ^ 2 > 1e-6) exit 1 }' "$folder/scores" || fail "tokens add up to the sentence"
[ "$(sed -n 2p "$folder/scores" | cut -f 2)" -eq 1 ] || fail "an empty sentence is </s> alone"
printf '4 5 6\n' >"$folder/ids"
printf '4 5 6 2\n' >"$folder/ended"
score --ids --source "$folder/ids" --target "$folder/ids" >"$folder/a" 2>/dev/null
score --ids --source "$folder/ended" --target "$folder/ended" >"$folder/b" 2>/dev/null
cmp "$folder/a" "$folder/b"

# Contrastive pairs: swapping right and wrong swaps the result.
head -n 60 "$STRATA_WORKSPACE/datasets/tiny/contrastive/de-en.tsv" >"$folder/pairs"
awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $5, $4 }' "$folder/pairs" >"$folder/exchanged"
score --json --contrastive "$folder/pairs" >"$folder/a" 2>/dev/null
score --json --contrastive "$folder/exchanged" >"$folder/b" 2>/dev/null
python3 - "$folder/a" "$folder/b" <<'PYTHON' || fail "contrastive accuracy"
import json, sys
first, second = (json.load(open(path))["contrastive"] for path in sys.argv[1:])
whole = [row for row in first if row["distance"] is None]
assert sum(row["pairs"] for row in whole) == 60
assert sum(row["pairs"] for row in first if row["distance"] is not None) == 60
assert all(a["right"] + b["right"] == a["pairs"] == b["pairs"] for a, b in zip(first, second))
PYTHON
score --contrastive "$folder/pairs" 2>/dev/null | grep -q '^agreement *all *60 ' || fail "the table of accuracies"
awk -F '\t' -v OFS='\t' 'NR == 2 { $2 = $2 "nd" } 1' "$folder/pairs" >"$folder/wrong"
! score --contrastive "$folder/wrong" >/dev/null 2>"$folder/log" && grep -q "wrong:2: expected phenomenon, distance" "$folder/log" ||
  fail "a distance that is no number is read"

# Samples: the same seed gives the same samples for any batch size, another seed gives others.
translate --input "$folder/in" --sample --nbest 4 --seed 5 --batch 1 >"$folder/a" 2>/dev/null
translate --input "$folder/in" --sample --nbest 4 --seed 5 >"$folder/b" 2>/dev/null
cmp "$folder/a" "$folder/b"
[ "$(grep -c '^1' "$folder/a")" -eq 4 ] || fail "as many samples as asked"
translate --input "$folder/in" --sample --nbest 4 --seed 6 >"$folder/b" 2>/dev/null
cmp -s "$folder/a" "$folder/b" && fail "another seed gives the same samples"
translate --input "$folder/in" --sample --top-k 1 --tokens >"$folder/a" 2>/dev/null
cmp "$folder/a" "$folder/greedy" || fail "drawing from the likeliest word is the greedy search"

# No n-gram repeats, the penalty avoids <unk>, and the diversity penalty spreads the beam.
translate --input "$folder/in" --beam 3 --no-repeat 1 --tokens --max-length 0,6 >"$folder/a" 2>/dev/null
awk '{ delete seen; for (i = 1; i <= NF; ++i) if (seen[$i]++) exit 1 }' "$folder/a" || { cat "$folder/a"; fail "a word comes twice"; }
translate --input "$folder/in" --beam 4 --unk-penalty 100 --length-penalty marian:0.5,0.1 --tokens >"$folder/a" 2>/dev/null
grep -q '<unk>' "$folder/a" && fail "<unk> in spite of its penalty"
translate --input "$folder/in" --beam 4 --nbest 4 --diversity 2 >"$folder/a" 2>/dev/null

# Ensembles: a model with itself changes nothing; a second model does.
translate --input "$folder/in" --beam 3 --nbest 2 --scores >"$folder/a" 2>/dev/null
for kind in linear log; do
  translate --input "$folder/in" --beam 3 --nbest 2 --scores --run first@last --ensemble $kind >"$folder/b" 2>/dev/null
  python3 - "$folder/a" "$folder/b" <<'PYTHON' || fail "a model with itself ($kind) is another"
import sys
a, b = ([line.rstrip("\n").split("\t") for line in open(path)] for path in sys.argv[1:])
assert len(a) == len(b)
for x, y in zip(a, b):
    assert x[:2] + x[4:] == y[:2] + y[4:] and abs(float(x[2]) - float(y[2])) < 1e-4, (x, y)
PYTHON
done
"$STRATA_RUN" train --preset demo/mlrf --data tiny --name second --set model.embed_dim=16 --set training.max_updates=4 \
  --set validation.every_epochs=0 --set training.threads=1 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
score --source "$folder/in" --target "$folder/in" --tokens >"$folder/a" 2>/dev/null
"$STRATA_RUN" score --run second --threads 1 --source "$folder/in" --target "$folder/in" --tokens >"$folder/b" 2>/dev/null
score --run second --ensemble linear --source "$folder/in" --target "$folder/in" --tokens >"$folder/c" 2>/dev/null
python3 - "$folder/a" "$folder/b" "$folder/c" <<'PYTHON' || fail "a linear ensemble averages probabilities"
import math, sys
columns = [[float(value) for line in open(path) for value in line.split("\t")[2].split()] for path in sys.argv[1:]]
for a, b, c in zip(*columns):
    assert abs(math.log((math.exp(a) + math.exp(b)) / 2) - c) < 1e-4, (a, b, c)
PYTHON
status=0; translate --run second <"$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q -- "--ensemble" "$folder/err" || fail "two models and no word how give status $status"
"$STRATA_RUN" data generate --name other --size 200 --seed 2 --ambiguity 1 >/dev/null 2>&1
"$STRATA_RUN" train --preset demo/mlrf --data other --name third --set model.embed_dim=16 --set training.max_updates=1 \
  --set validation.every_epochs=0 --set training.threads=1 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
status=0; translate --run third --ensemble log <"$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "1-first/text/vocabulary.source and .*3-third/text/vocabulary.source differ" "$folder/err" ||
  { cat "$folder/err"; fail "models of different vocabularies give status $status"; }

# Tuning: the score of a length penalty is that of translating with it.
"$STRATA_RUN" tune --run first --threads 1 --beam 1,3 --length-penalty none --length-penalty gnmt:0..2:1 --json >"$folder/tuned" 2>/dev/null
valid=$STRATA_WORKSPACE/datasets/tiny/sets/valid
translate --input "$valid/raw.source" --beam 3 --length-penalty gnmt:2 --tokens >"$folder/a" 2>/dev/null
"$STRATA_RUN" evaluate --hypothesis "$folder/a" --reference "$valid/tokens.target" --metric multi-bleu --json >"$folder/b" 2>/dev/null
python3 - "$folder/tuned" "$folder/b" "$STRATA_WORKSPACE/runs/1-first" <<'PYTHON' || fail "tuning"
import json, os, sys
tuned = json.load(open(sys.argv[1]))
curve = {(point["beam"], point["length_penalty"]): point["score"] for point in tuned["curve"]}
assert set(curve) == {(beam, rule) for beam in (1, 3) for rule in ("none", "gnmt:0", "gnmt:1", "gnmt:2")}, curve
assert curve[3, "none"] == curve[3, "gnmt:0"] and len({curve[1, rule] for rule in ("none", "gnmt:1", "gnmt:2")}) == 1
scores = json.load(open(sys.argv[2]))["systems"][0]["scores"]
score = next(iter(scores.values()))["score"]
assert abs(score - curve[3, "gnmt:2"]) < 1e-9, (score, curve)
assert tuned["best"]["score"] == max(curve.values())
stored = json.load(open(tuned["file"]))
assert stored["curve"] == tuned["curve"] and tuned["file"].startswith(sys.argv[3] + "/tuning/"), tuned["file"]
PYTHON
"$STRATA_RUN" tune --run first --threads 1 --beam 2 --length-penalty mean --metric bleu 2>/dev/null | grep -q "best on valid: .* bleu with --beam 2 --length-penalty mean" || fail "the table of tuning"
status=0; "$STRATA_RUN" tune --run first --on test >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "test set" "$folder/err" || fail "tuning on a test set gives status $status"

# Interventions: a zeroed encoder changes the translations; a mean is cached for the next time.
score --source "$folder/in" --target "$folder/in" >"$folder/a" 2>/dev/null
score --source "$folder/in" --target "$folder/in" --intervene encoder.memory=zero >"$folder/b" 2>/dev/null
cmp -s "$folder/a" "$folder/b" && fail "an encoder that says nothing changes nothing"
score --source "$folder/in" --target "$folder/in" --intervene encoder.memory=mean >"$folder/b" 2>/dev/null
ls "$STRATA_WORKSPACE"/runs/1-first/means/step-*.safetensors >/dev/null || fail "the means are not kept"
score --source "$folder/in" --target "$folder/in" --intervene encoder.memory=mean >"$folder/c" 2>/dev/null
cmp "$folder/b" "$folder/c" && ! cmp -s "$folder/a" "$folder/b" || fail "means that were kept are others"
translate --input "$folder/in" --beam 2 --scores >"$folder/a" 2>/dev/null
translate --input "$folder/in" --beam 2 --scores --intervene 'decoder.layers.1.encoder_attn[head=0]=zero' \
  --intervene decoder.fusion.hop_weights=mean >"$folder/b" 2>/dev/null
[ "$(wc -l <"$folder/b")" -eq 3 ] && ! cmp -s "$folder/a" "$folder/b" || fail "an intervention does not reach the search"
status=0; translate --input "$folder/in" --intervene encoder.nothing=zero >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "no internal 'encoder.nothing'" "$folder/err" || fail "an internal that is not there gives status $status"

# Weights given at one place. A source word, one at a time: sentences in one batch are as they are alone.
translate --text 'der Hund schläft .' --beam 2 --scores --json >"$folder/a" 2>/dev/null
begin=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["translations"][0]["hypotheses"][0]["tokens"][0])' "$folder/a")
given() { translate --beam 2 --scores --prefix-tokens "$begin" --intervene "decoder.layers.1.encoder_attn[target=1]=$1" "${@:2}"; }
given read:1 --text 'der Hund schläft .' >"$folder/b" 2>/dev/null
translate --beam 2 --scores --prefix-tokens "$begin" --text 'der Hund schläft .' >"$folder/a" 2>/dev/null
cmp -s "$folder/a" "$folder/b" && fail "weights that are given change nothing"
given read:1 --text 'der Hund schläft .' --text 'die Katze sieht den Hund .' --batch 8 2>/dev/null | head -1 | cmp - "$folder/b" ||
  fail "weights given in a batch"
given read:1 --text 'der Hund schläft .' --intervene 'decoder.layers.0.encoder_attn[target=50]=read:0' >/dev/null 2>"$folder/err"
grep -q "nothing is replaced at target 50" "$folder/err" || { cat "$folder/err"; fail "a place that is never reached is not named"; }
status=0; given read:40 --text 'der Hund schläft .' >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "so position 40 cannot be read" "$folder/err" || { cat "$folder/err"; fail "a word that is not there gives status $status"; }
status=0; translate --text 'der Hund schläft .' --prefix-tokens 'no-such-token' >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "'no-such-token' is not in the target vocabulary" "$folder/err" || fail "an unknown token gives status $status"

# Unknown words: with a small vocabulary most are <unk>; each is replaced by its dictionary entry.
mkdir "$folder/few"
for language in de en; do
  for split in train valid; do cp "$STRATA_WORKSPACE/datasets/tiny/sets/valid/tokens.$([ $language = de ] && echo source || echo target)" "$folder/few/$split.$language"; done
done
"$STRATA_RUN" data prepare --name few --train "$folder/few/train" --valid "valid=$folder/few/valid" --source de --target en \
  --vocabulary-size 200,8 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
"$STRATA_RUN" train --preset demo/mlrf --data few --name few --set model.embed_dim=16 --set training.max_updates=4 \
  --set validation.every_epochs=0 --set training.threads=1 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
few() { "$STRATA_RUN" translate --run few --threads 1 --beam 2 --tokens --min-length 5 --input "$folder/in" "$@"; }
status=0; few --posunk >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "data lexicon --dataset few" "$folder/err" || { cat "$folder/err"; fail "no dictionary gives status $status"; }
"$STRATA_RUN" data lexicon --dataset few 2>/dev/null | grep -q "translations of .* source words of dataset few" || fail "data lexicon"
"$STRATA_RUN" data show few --verify >/dev/null 2>&1 || fail "a dictionary harms its dataset"
few >"$folder/a" 2>/dev/null
grep -q '<unk>' "$folder/a" || { cat "$folder/a"; fail "a model of few words knows all"; }
few --posunk >"$folder/b" 2>/dev/null
grep -q '<unk>' "$folder/b" && fail "<unk> in spite of --posunk"
python3 - "$folder/a" "$folder/b" "$folder/in" "$STRATA_WORKSPACE/datasets/few/lexicon.tsv" <<'PYTHON' || fail "words in the place of <unk>"
import sys
plain, replaced, source = (open(path).read().split("\n") for path in sys.argv[1:4])
best = {}
for line in open(sys.argv[4]).read().split("\n")[1:-1]:
    word, translation, p = line.split("\t")
    if word not in best or float(p) > best[word][0]: best[word] = (float(p), translation)
seen = 0
for a, b, s in zip(plain, replaced, source):
    a, b = a.split(), b.split()
    assert len(a) == len(b), (a, b)
    possible = {best[word][1] if word in best else word for word in s.split()}
    for x, y in zip(a, b):
        assert y in possible if x == "<unk>" else x == y, (a, b, possible)
        seen += x == "<unk>"
assert seen > 0
PYTHON
: >"$folder/empty"  # an empty dictionary copies
few --posunk --dictionary "$folder/empty" --posunk-attention decoder.layers.0.encoder_attn --posunk-head 1 >"$folder/c" 2>/dev/null
grep -qE 'Hund|schläft|Katze|sieht' "$folder/c" || { cat "$folder/c"; fail "words without a translation are copied"; }
status=0; few --posunk --posunk-attention decoder.layers.0.self_attn >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "it has decoder.layers.0.encoder_attn" "$folder/err" || fail "an attention that does not align gives status $status"
printf 'dog\tHund\t0.9\n' >"$folder/reversed"
"$STRATA_RUN" data lexicon --dataset few --import "$folder/reversed" >/dev/null 2>"$folder/err" || :
grep -q "reversed: is .*reversed\|is it reversed" "$folder/err" || { cat "$folder/err"; fail "a reversed dictionary is taken without a word"; }
status=0; "$STRATA_RUN" data lexicon --dataset few --import "$folder/empty" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "is an empty dictionary" "$folder/err" || { cat "$folder/err"; fail "an empty dictionary gives status $status"; }

# A shortlist: each sentence is made of frequent words and the dictionary's translations only, here the best of each word.
status=0; translate --shortlist 1 --input "$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "data lexicon --dataset tiny" "$folder/err" || { cat "$folder/err"; fail "a shortlist without a dictionary gives status $status"; }
status=0; translate --dictionary "$folder/empty" --input "$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q -- "--shortlist" "$folder/err" || { cat "$folder/err"; fail "a dictionary for nothing gives status $status"; }
status=0; translate --shortlist 1 --dictionary "$folder/empty" --input "$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q "is an empty dictionary" "$folder/err" || { cat "$folder/err"; fail "a shortlist of nothing gives status $status"; }
"$STRATA_RUN" data lexicon --dataset tiny >/dev/null 2>&1
translate --shortlist 1,100 --input "$folder/in" --batch 1 --beam 20 --nbest 20 --json >"$folder/json" 2>/dev/null
translate --input "$folder/in" --batch 1 --beam 20 --nbest 20 --json >"$folder/whole" 2>/dev/null
cut -f 1,2 "$STRATA_WORKSPACE/datasets/tiny/shortlist.tsv" | tail -n +2 >"$folder/entries"
tr -s ' ' '\n' <"$folder/in" | awk 'NF { print $0 "\t" $0 }' >>"$folder/entries"  # a word without an entry stays itself
cut -f 2 "$folder/entries" | "$STRATA_RUN" text bpe-apply --codes "$text/codes.target" | paste "$folder/entries" - >"$folder/lexicon"
python3 - "$folder/json" "$folder/whole" "$folder/in" "$folder/lexicon" "$text/vocabulary.target" <<'PYTHON' || fail "a shortlist"
import json, sys
listed, whole = ([{word for hypothesis in entry["hypotheses"] for word in hypothesis["tokens"]}
                  for entry in json.load(open(path))["translations"]] for path in sys.argv[1:3])
best = {}  # the likeliest translation comes first
for line in open(sys.argv[4]).read().splitlines():
    word, _, units = line.split("\t")
    best.setdefault(word, set(units.split()))
usual = {line.rsplit(" ", 1)[0] for line in open(sys.argv[5]).read().splitlines()[:100]} | {"</s>", "<unk>"}
others = 0
for found, every, source in zip(listed, whole, open(sys.argv[3])):
    possible = usual.union(*(best[word] for word in source.split()))
    assert found <= possible, found - possible
    others += len(every - possible)
assert others > 0  # which the whole search finds
PYTHON

# A set's translation is stored with its run, and every evaluation on a test set is counted.
translate --set test 2>"$folder/err"
grep -q "test of run first is kept as test.step-00000008.beam[0-9]*.[a-z0-9.-]*: BLEU [0-9.]* (nrefs:1|" "$folder/err" || { cat "$folder/err"; fail "what was kept"; }
"$STRATA_RUN" --json systems list --scores >"$folder/systems"
"$STRATA_RUN" --json runs show first >"$folder/shown"
raw=$STRATA_WORKSPACE/datasets/tiny
translate --input "$(find "$raw" -path '*test*' -name raw.source)" >"$folder/plain" 2>/dev/null
python3 - "$folder/systems" "$folder/shown" "$folder/err" "$folder/plain" "$STRATA_WORKSPACE" <<'PYTHON' || fail "the kept translation"
import glob, json, re, sys
systems = json.load(open(sys.argv[1]))["systems"]
assert [s["name"] for s in systems] == ["first"], systems
assert systems[0]["set"] == "tiny/test", systems
looks = json.load(open(sys.argv[2]))["looks"]
assert len(looks) == 1 and looks[0]["set"] == "test", looks
said = float(re.search(r"BLEU ([0-9.]+) ", open(sys.argv[3]).read()).group(1))
assert abs(systems[0]["scores"]["BLEU"]["score"] - said) < 0.005 and abs(looks[0]["scores"]["BLEU"] - said) < 0.005
kept, = glob.glob(sys.argv[5] + "/runs/1-first/outputs/test.*.txt")
assert open(kept).read() == open(sys.argv[4]).read()
PYTHON
translate --set test --no-repeat 2 2>/dev/null # another search stands beside it
[ "$(find "$STRATA_WORKSPACE/runs/1-first/outputs" -name '*.txt' | wc -l)" -eq 2 ] || fail "two searches, two outputs"

# bf16 and int8: log-probabilities hardly change, and what is kept says so. Elsewhere a warning, and float32.
for compute in bf16 int8; do translate --set test --compute $compute 2>"$folder/err.$compute"; done
data=$STRATA_WORKSPACE/datasets/tiny/sets/test
for compute in float32 bf16 int8; do
  score --source "$data/raw.source" --target "$data/raw.target" --compute $compute 2>/dev/null |
    awk '{ sum -= $1; words += $2 } END { print sum / words }' >"$folder/nll.$compute"
done
python3 - "$folder" "$STRATA_WORKSPACE/runs/1-first/outputs" <<'PYTHON' || fail "bf16 or int8"
import glob, json, sys
def loss(compute): return float(open(f"{sys.argv[1]}/nll.{compute}").read())
kept = [json.load(open(name))["settings"]["further"].get("compute") for name in glob.glob(sys.argv[2] + "/*.json")]
flags, exact, possible = open("/proc/cpuinfo").read().split(), loss("float32"), 0
for compute, flag, needs in ("bf16", "avx512vl", "AVX-512 and"), ("int8", "avx512_vnni", "AVX-512 VNNI and"):
    if flag in flags:
        possible += 1
        assert exact != loss(compute) and abs(exact - loss(compute)) < 0.005 * exact, (exact, compute, loss(compute))
        assert kept.count(compute) == 1, kept
    else:
        assert exact == loss(compute) and compute not in kept, (exact, compute, loss(compute), kept)
        assert f"{compute} needs a CPU with {needs}" in open(f"{sys.argv[1]}/err.{compute}").read()
assert kept.count(None) == 2 and len(kept) == 2 + possible, kept
PYTHON
translate --set test --shortlist 3 2>/dev/null
python3 - "$STRATA_WORKSPACE/runs/1-first/outputs" <<'PYTHON' || fail "what is kept does not name its shortlist"
import glob, json, sys
kept = [json.load(open(name))["settings"]["further"] for name in glob.glob(sys.argv[1] + "/*.json")]
assert [further["shortlist"] for further in kept if "shortlist" in further] == [{"translations": 3, "frequent": 1000, "batch": 64}], kept
PYTHON
status=0; translate --compute int4 <"$folder/in" >/dev/null 2>"$folder/err" || status=$?
[ $status -eq 2 ] && grep -q -- "--compute: int4 not in {float32,bf16,int8}" "$folder/err" ||
  { cat "$folder/err"; fail "an unknown way to compute gives status $status"; }
for wrong in "--set test --nbest 2 --beam 2" "--set test --sample" "--set test --input $folder/in" "--set nowhere"; do
  status=0; translate $wrong >/dev/null 2>&1 || status=$?
  [ $status -eq 2 ] || fail "translate $wrong gives status $status"
done

status=0; "$STRATA_RUN" translate --run nobody <"$folder/in" >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "an unknown run gives status $status"
status=0; translate --beam 2 --nbest 3 <"$folder/in" >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "more hypotheses than the beam has give status $status"
echo "translate and score hold"
