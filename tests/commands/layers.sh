#!/usr/bin/env bash
# `strata-run layers`: for every family the last level of the lens has the model's own loss; a sentence alone is the one
# stored; results are stored and found again; what cannot be measured is said.
. "$(dirname "$0")/measured.bash"
train fused demo/mlrf --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 --set model.decoder_layers=2
train looks-back dhea/gate-cpu --set model.hidden=16 --set model.encoder_layers=1 --set model.decoder_layers=2
train dense densenmt/4l-2-cpu --set model.embed_dim=16 --set model.hidden=16 --set model.growth=8
train deep deepatt/att-1-1-cpu --set model.embed_dim=16 --set model.hidden=24 --set model.encoder_layers=2
for each in "fused 3 4" "looks-back 2 3" "dense 5 5" "deep 3 1"; do
  read -r name encoder lens <<<"$each"
  run --json layers "$name@last" >report.json || { cat log; failed=1; }
  check "$name: levels of the encoder" "$encoder" "$(json report.json 'len(report["similarity"][0]["levels"])')"
  check "$name: levels that the output layer reads" "$lens" "$(json report.json 'len(report["lens"]["levels"])')"
  check "$name: the last level has the loss of the model" "$(loss "$name@last")" \
    "$(json report.json '"%.5f" % -report["lens"]["means"][-1]["log_probability"]')"
  check "$name: and no divergence from it" True \
    "$(json report.json 'abs(report["lens"]["means"][-1]["divergence"]) < 1e-5')"
  check "$name: a level is similar to itself" "1.000000" \
    "$(json report.json '"%.6f" % report["similarity"][1]["cka"][0]')"
  check "$name: the map is symmetric" True \
    "$(json report.json 'abs(report["similarity"][0]["cka"][1] - report["similarity"][0]["cka"][len(report["similarity"][0]["levels"])]) < 1e-12')"
done
check "what a fusion makes of the levels is the last" fused "$(run --json layers fused@last >fused.json; json fused.json 'report["lens"]["levels"][-1]')"
check "what the output layer does not read" "['embedding']" "$(json report.json 'report["lens"]["unread"]')"

# One sentence: as stored, and as a text of its own.
same='all(abs(a - b) < 1e-4 for x, y in zip(one["log_probability"], other["log_probability"]) for a, b in zip(x, y)) and one["top"] == other["top"]'
run --json layers fused@last --sentence 3 >third.json || cat log
sed -n 3p "$sides/raw.source" >source && sed -n 3p "$sides/raw.target" >target
run --json layers fused@last --text "$(cat source)" --reference "$(cat target)" >text.json || cat log
sentences() { python3 -c "
import json
one, other = json.load(open('third.json'))['sentence'], $1
print($same)"; }
check "a sentence of the set is the one stored" True "$(sentences 'json.load(open("fused.json"))["lens"]["sentences"][2]')"
check "and the same as a text" True "$(sentences 'json.load(open("text.json"))["sentence"]')"
check "its table has a column per level" 1 \
  "$(run layers fused@last --sentence 3 | grep -c '^reference  *embedding  *layer 1  *layer 2  *fused$')"

# It is stored: the next call finds it, unless it is to be measured again.
stored=$(echo "$STRATA_WORKSPACE"/runs/*-fused/layers/*.valid.*.json)
[ -f "$stored" ] || { echo "nothing is stored"; failed=1; }
sed -i 's/"tokens":[0-9]*/"tokens":7/' "$stored"
run --json layers fused@last >again.json
check "a stored result is not measured again" 7 "$(json again.json 'report["lens"]["tokens"]')"
STRATA_PROGRESS=lines run --json layers fused@last --again --limit 10 >ten.json
holds "progress for programs" '"done":10,"total":10' "$(tail -1 log)"
check "the first sentences" "10 10" "$(json ten.json 'report["limit"], len(report["lens"]["sentences"])' | tr -d '(),')"
run layers fused@last --limit 10 >ten.txt || cat log
holds "few positions are said" "are fewer than 10 for each of 32 features" "$(cat ten.txt)"
holds "tables" "cosine to next" "$(cat ten.txt)"
run layers fused --set test; check "status of a test set" 2 $?
holds "it names the validation sets" "validates on valid" "$(cat log)"
run layers fused --sentence 100000; check "status of a sentence that does not exist" 2 $?
run layers fused --text "ein Hund"; check "status of a text without its reference" 2 $?
exit $failed
