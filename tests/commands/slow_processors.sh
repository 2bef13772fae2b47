#!/usr/bin/env bash
# Processors without AVX-512 (Haswell: AVX2; Nehalem: SSE4.2), emulated by qemu: every family's reference cases agree, a
# search finds the same translations, and what they cannot, bf16 and int8, is said and done in float32.
. "$(dirname "$0")/checks.bash"
engine=$(dirname "$STRATA_RUN")/strata-engine
command -v qemu-x86_64 >/dev/null || { echo "qemu-user is not here"; exit $([ -n "${CI:-}" ] && echo 1 || echo 77); }
[ "$(uname -m)" = x86_64 ] || { echo "not an x86-64 processor"; exit 0; }
export STRATA_WORKSPACE=$work/workspace
"$STRATA_RUN" data generate --name tiny --size 300 --seed 1 >/dev/null 2>log || { cat log; exit 1; }
"$STRATA_RUN" train --preset demo/mlrf --data tiny --name first --set training.max_updates=20 --set validation.every_epochs=0 \
  --set training.threads=1 >/dev/null 2>log || { cat log; exit 1; }
head -5 "$STRATA_WORKSPACE/datasets/tiny/sets/test/raw.source" >in
"$STRATA_RUN" translate --run first --input in --threads 1 >here 2>log || { cat log; exit 1; }

cases=$STRATA_SOURCE/tests/references/models
for processor in Haswell Nehalem; do
  emulated() { qemu-x86_64 -cpu $processor "$engine" --workspace "$STRATA_WORKSPACE" "$@" 2>log; }
  check "reference cases on $processor" "$(find "$cases" -name config.json | wc -l) cases agree" \
    "$(emulated verify --precision float32 "$cases" | tail -1)"
  for needs in "bf16 needs a CPU with AVX-512 and" "int8 needs a CPU with AVX-512 VNNI"; do
    emulated translate --run first --input in --threads 1 --compute "${needs%% *}" >there || { cat log; failed=1; }
    check "translations with ${needs%% *} on $processor" "$(cat here)" "$(cat there)"
    holds "${needs%% *} on $processor" "$needs" "$(cat log)"
  done
done
exit $failed
