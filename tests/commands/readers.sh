#!/usr/bin/env bash
# `strata-run readers`: shares sum to 1, results are stored and found again, and models without such blocks are refused.
. "$(dirname "$0")/measured.bash"

train dense densenmt/4l-2-cpu --set model.embed_dim=16 --set model.hidden=16 --set model.growth=8
run --json readers dense@last --limit 20 >dense.json || { cat log; exit 1; }
check "its readers" 14 "$(json dense.json 'len(report["readers"])')"
check "shares of a reader sum to 1" True \
  "$(json dense.json 'all(abs(sum(b["share"] for b in r["blocks"]) - 1) < 1e-9 for r in report["readers"])')"
check "weight times input" True \
  "$(json dense.json 'all(abs(b["weight"] * b["input"] - b["scaled"]) < 1e-9 for r in report["readers"] for b in r["blocks"])')"
check "the first sentences" 20 "$(json dense.json 'report["limit"]')"
run readers dense@last --limit 20 >dense.txt || cat log
share=$(json dense.json '"%.3f" % next(b["share"] for r in report["readers"] if r["name"] == "bottleneck" for b in r["blocks"] if b["name"] == "layer 4 c")')
holds "the table has the same figures" "$share" "$(grep bottleneck dense.txt)"
holds "columns are blocks" "layer 1 a  layer 1 c" "$(cat dense.txt)"
run readers dense@last --limit 20 --measure weight >weight.txt || cat log
holds "what the numbers are" "weight: Frobenius norm" "$(head -1 weight.txt)"

# It is stored: the next call finds it, unless it is to be measured again.
stored=$(echo "$STRATA_WORKSPACE"/runs/*-dense/readers/*.20.json)
[ -f "$stored" ] || { echo "nothing is stored"; failed=1; }
sed -i 's/"target_positions":[0-9]*/"target_positions":7/' "$stored"
run --json readers dense@last --limit 20 >again.json
check "a stored result is not measured again" 7 "$(json again.json 'report["target_positions"]')"
STRATA_PROGRESS=lines run --json readers dense@last --limit 20 --again --threads 1 >again.json
check "it is, if asked to" True "$(json again.json 'report["target_positions"] > 20')"
holds "progress for programs" '"done":20,"total":20' "$(tail -1 log)"

train deep deepatt/att-2-2-cpu --set model.embed_dim=16 --set model.hidden=16
run readers deep --limit 20 >deep.txt || cat log
holds "fast-forward connections" "h below  f below" "$(cat deep.txt)"
holds "and their chain" "decoder, chained" "$(cat deep.txt)"
train fused mlrf/enc-fnn-cpu --set model.embed_dim=16 --set model.ffn_dim=16 --set model.fusion_ffn_dim=16
run readers fused --limit 20 >fused.txt || cat log
holds "the levels of a fusion" "embedding  layer 1" "$(cat fused.txt)"
train looks-back dhea/gate-cpu --set model.hidden=16 --set model.encoder_layers=1 --set model.decoder_layers=1
run readers looks-back; check "status of a model without such blocks" 2 $?
holds "it says so" "has no such blocks" "$(cat log)"
run readers dense --measure loudness; check "status of an unknown measure" 2 $?
run readers dense --set test; check "status of a test set" 2 $?
exit $failed
