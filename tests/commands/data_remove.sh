#!/usr/bin/env bash
# A dataset goes to the trash, from which it comes back; runs that need it are named first.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level error "$@"; }
run data generate --name tiny --size 300 --seed 1 >/dev/null || exit 1
run data generate --name tiny --size 400 --seed 1 >/dev/null || exit 1
present() { ls "$STRATA_WORKSPACE/datasets" | paste -sd ' '; }
check "two versions" "tiny tiny@1" "$(present)"
small="--set model.embed_dim=16 --set model.ffn_dim=16 --set model.encoder_layers=1 --set model.decoder_layers=1
  --set training.max_updates=2 --set validation.every_epochs=0 --set validation.metrics=[nll] --set validation.monitor=[]
  --set checkpoint.metric=valid/nll --set checkpoint.every_epochs=0 --set training.threads=1 --set training.device=cpu"
run train --preset demo/mlrf --data tiny@1 --name first $small >/dev/null 2>log || { cat log; exit 1; }

# Version 2 is needed by nobody.
run data remove tiny </dev/null >/dev/null 2>log || { cat log; failed=1; }
check "version 1 is the newest" tiny "$(present)"
check "in the trash" tiny@2 "$(run data list --trash)"
run data remove tiny </dev/null >out 2>log
check "status while a run needs it" 2 $?
holds "the run is named" "1 run needs it: first" "$(cat log)"
check "nothing was changed" tiny "$(present)"
holds "with --yes" '"users": [' "$(run --json data remove tiny --yes </dev/null)"
check "none is left" "" "$(present)"
run train --resume first --set training.max_updates=3 >/dev/null 2>log && { echo "FAIL trained without data"; failed=1; }

run data restore tiny@1 >/dev/null || failed=1
run data restore tiny >/dev/null || failed=1
check "both are back" "tiny tiny@1" "$(present)"
run data show tiny@1 --verify >/dev/null && run data show tiny --verify >/dev/null || failed=1
run train --resume first --set training.max_updates=3 >/dev/null 2>log || { cat log; failed=1; }
run data restore tiny >/dev/null 2>log
check "status of a second restoring" 2 $?
run data remove tiny@1 --yes >/dev/null
run data generate --name tiny --size 500 --seed 2 >/dev/null
check "the next version" "tiny tiny@2" "$(present)"
run data remove tiny@2 --yes >/dev/null
holds "what would go" "2 trashed datasets" "$(run runs prune --empty-trash)"
check "it is still there" "tiny@1 tiny@2" "$(run data list --trash | paste -sd ' ')"
run runs prune --empty-trash --yes >/dev/null || failed=1
check "it is gone" "the trash has no dataset" "$(run data list --trash)"
check "the newest stays" tiny "$(present)"
holds "the workspace" "all is well" "$(run workspace check)"
exit $failed
