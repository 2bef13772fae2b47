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
exit $failed
