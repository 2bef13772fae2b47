#!/usr/bin/env bash
# `strata-run runs inside` as tables, and what it says where nothing is recorded. Its JSON is compared with what the panels
# draw in tests/ui/test_inside_and_runner.cpp.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" "$@" 2>log; }
train() { # NAME PRESET OPTIONS...
  run train --data tiny --name "$1" --preset "$2" --set training.max_updates=4 --set validation.every_updates=2 \
    --set validation.every_epochs=0 --set 'validation.metrics=[nll]' --set 'validation.monitor=[]' --set validation.samples=0 \
    --set checkpoint.metric=valid/nll --set training.threads=1 "${@:3}" >/dev/null || { cat log; exit 1; }
}
run data generate --name tiny --size 300 --seed 1 >/dev/null || { cat log; exit 1; }
small=(--set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 --set model.decoder_layers=2)
train fused demo/mlrf "${small[@]}" --set recording.sentences=3
train blind demo/mlrf "${small[@]}" --set recording.sentences=0
train history dhea/gate-cpu --set model.hidden=16 --set model.encoder_layers=1 --set model.decoder_layers=2 --set recording.sentences=3

run runs inside fused >fused.txt
holds "title" "Mean weight of each level, decoder, step 4" "$(cat fused.txt)"
holds "lowest level" "embedding" "$(cat fused.txt)"
check "levels of the decoder" 3 "$(awk '/, decoder,/ { on = 1 } /, encoder,/ { on = 0 } on && /^(embedding|layer [0-9])/' fused.txt | wc -l)"
# Each hop is a distribution: its column of printed weights, three digits each, sums to 1.
sums=$(awk '/^embedding|^layer [0-9]/ { first = $1 == "embedding" ? 2 : 3; for (i = first; i <= NF; ++i) sum[i - first] += $i }
            /^evenness/ { for (i in sum) if (sum[i] < 0.995 || sum[i] > 1.005) print "hop", i, sum[i]; delete sum; ++tables }
            END { print tables + 0 > "/dev/stderr" }' fused.txt 2>tables)
check "sums of the weights of a hop" "" "$sums"
check "a table per side with fusion" "$(grep -c 'Mean weight' fused.txt)" "$(cat tables)"
# On both sides the classes of the words read: each class's mean is a distribution over the levels.
train encoder mlrf/enc-sa4-cpu "${small[@]}" --set recording.sentences=3
for each in fused:decoder encoder:encoder; do
  run --json runs inside "${each%:*}" >classes.json
  check "classes of the ${each#*:}" "ok" "$(python3 - "${each#*:}" <<'END'
import json, sys
classes = json.load(open("classes.json"))["hop_weights"][sys.argv[1]]["classes"]
known = [levels for levels in classes.values() if levels[0][0] is not None]
assert len(known) >= 2, classes
for levels in known:
    assert all(abs(sum(hop) - 1) < 1e-5 for hop in zip(*levels)), levels
print("ok")
END
)"
done
run runs inside fused --step 2 >fused2.txt
holds "an earlier step" "step 2" "$(cat fused2.txt)"
check "another step, other weights" differ "$(cmp -s <(tail -n +2 fused.txt) <(tail -n +2 fused2.txt) && echo same || echo differ)"
run runs inside fused --step 3
check "status of a step without recordings" 2 $?
holds "it names the steps" "recorded steps are 2, 4" "$(cat log)"
run runs inside blind
check "status without recordings" 1 $?
holds "it says what to set" "recording.sentences" "$(cat log)"
run runs inside history >history.txt
holds "shares" "Share of the source by class" "$(cat history.txt)"
check "a row per layer and their mean" 3 "$(grep -cE '^(mean of the layers|layer [12]) .*%' history.txt)"
# Of every attention: the Transformer's three kinds in two layers with their heads, and DHEA's two.
kinds() { awk '/^(encoder|history|source), / { split($0, part, ","); n[part[1]]++ } END { for (k in n) print k, n[k] }' "$1" | sort | tr '\n' ' '; }
heads=$(grep -cE '^source, layer 1, unit' fused.txt)
check "a Transformer has several heads" true "$([ "$heads" -gt 1 ] && echo true)"
check "attentions of the Transformer" "encoder $((3 + 2 * heads)) history $((3 + 2 * heads)) source $((3 + 2 * heads)) " "$(kinds fused.txt)"
check "attentions of DHEA" "history 3 source 3 " "$(kinds history.txt)"
run --json runs inside history --sentence 2 --words >maps.json
run --json runs inside history --sentence 2 --other-step 2 >difference.json
check "sums of rows, whole words, what has changed" "ok" "$(python3 - <<'END'
import json
maps = json.load(open("maps.json"))["sentence"]["maps"]
rows = [row for m in maps for row in m["weights"]]
differences = [row for m in json.load(open("difference.json"))["sentence"]["maps"] for row in m["difference"]]
assert rows and all(abs(sum(row) - 1) < 1e-4 for row in rows)
assert not any(word.endswith("@@") for m in maps for word in m["rows"] + m["columns"])
assert differences and all(abs(sum(row)) < 1e-4 for row in differences)
assert max(abs(value) for row in differences for value in row) > 0
print("ok")
END
)"
run runs inside history --sentence 9
check "status of a sentence that is not recorded" 2 $?
holds "it names the sentences" "from 1 to 3" "$(cat log)"
run runs inside history --words
check "status of words without a sentence" 2 $?
exit $failed
