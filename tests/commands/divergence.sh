#!/usr/bin/env bash
# A learning rate of 10: every number stays finite, and yet it is told. Another run of the same settings raises no alert.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level info "$@"; }
run data generate --name tiny --size 1500 --seed 3 >log 2>&1 || { cat log; exit 1; }
train() {
  run train --preset mlrf/base --data tiny --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 \
    --set model.decoder_layers=2 --set 'training.phases=[]' --set training.schedule.name=constant --set training.clip_norm=0 \
    --set training.on_nonfinite=skip --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=5 \
    --set 'validation.monitor=[]' --set validation.every_updates=20 --set validation.every_epochs=0 --set validation.samples=0 \
    --set 'validation.metrics=[nll]' --set checkpoint.metric=valid/nll --set recording.sentences=0 --set training.max_updates=60 --set training.threads=1 \
    --set training.device=cpu "$@" >out 2>log || { cat log; failed=1; }
}
train --name calm --set training.optimizer.lr=1e-3
check 'a calm log' '' "$(grep 'training.clip_norm' log)"
check 'no alerts' 'no alerts' "$(run runs alerts)"
train --name wild --set training.optimizer.lr=10
holds 'the log' 'nats, which guessing among all' "$(cat log)"
holds 'its file' 'lower training.optimizer.lr' "$(cat "$STRATA_WORKSPACE"/runs/*-wild/log.jsonl)"
alerts=$(run runs alerts)
holds 'alerts' 'diverging: valid/nll is' "$alerts"
holds 'what to do' 'train --from wild@best' "$alerts"
check 'of one run' '' "$(printf '%s' "$alerts" | grep calm)"
check 'as JSON' diverging "$(value "$(run --json runs alerts)" alerts 0 kind)"
run runs wait wild calm >out 2>err; check 'wait: both have finished' 0 $?
holds 'wait' 'diverging: valid/nll is' "$(cat err)"
json=$(run --json runs wait wild 2>/dev/null)
check 'wait as JSON' diverging "$(value "$json" runs 0 alerts 0 kind)"
words=$(value "$(run --json runs show wild)" starts 0 target_vocabulary)
check 'the vocabulary is recorded' yes "$([ "$words" -gt 20 ] && echo yes)"
exit $failed
