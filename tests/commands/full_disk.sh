#!/usr/bin/env bash
# Without space, and where nothing can be written, every verb that reads shows what it did before, and what frees space
# runs. The disk is one in memory, which needs a namespace of mounts.
if [ -z "${STRATA_OWN_MOUNTS:-}" ]; then
  unshare -rm true 2>/dev/null || { echo "no namespaces of mounts here"; exit 77; }
  STRATA_OWN_MOUNTS=1 exec unshare -rm bash "$0"
fi
. "$(dirname "$0")/checks.bash"
trap 'umount "$work/disk"; rm -rf "$work"' EXIT
mkdir disk && mount -t tmpfs -o size=32m none disk || exit 1
export STRATA_WORKSPACE=$work/disk/workspace
run() { "$STRATA_RUN" --log-level error "$@"; }
run data generate --name tiny --size 400 --seed 1 >/dev/null || exit 1
for name in a b c; do
  run train --preset demo/mlrf --data tiny --name $name --set seed=${#name} --set model.embed_dim=16 --set model.ffn_dim=16 \
    --set model.encoder_layers=1 --set model.decoder_layers=1 --set training.max_updates=4 --set validation.every_epochs=0 \
    --set validation.metrics=[nll] --set validation.monitor=[] --set checkpoint.metric=valid/nll --set checkpoint.every_epochs=0 \
    --set checkpoint.every_updates=1 --set training.threads=1 --set training.device=cpu >/dev/null || exit 1
done
readers() { # FILE: what they print, without the room that is left
  {
    while read -r verb; do
      eval "set -- $verb"
      run "$@" || echo "status $? of $verb"
    done <<'VERBS'
runs list
runs show a
runs diff a b
runs export a b
runs checkpoints a
runs sweep
runs prune --keep-last 1
systems list
workspace check
query 'SELECT run, series, step, value FROM scalars'
VERBS
  } 2>"$1.log" | sed 's/index of [0-9.]* MB/index/' >"$1"
}
readers before
grep -q '^status ' before && { cat before before.log; failed=1; }
fill() { dd if=/dev/zero of=disk/filler bs=64k 2>/dev/null; dd if=/dev/zero bs=512 >>disk/filler 2>/dev/null; }
same() { cmp before "$1" || { diff before "$1"; cat "$1.log"; failed=1; }; }

fill
check "no space is left" 0 "$(df --output=avail disk | tail -1 | tr -d ' ')"
readers full
same full
run workspace usage >usage 2>log || { cat log; failed=1; }
holds "usage" "checkpoints" "$(cat usage)"

# Moves a run to the trash, empties it, and removes checkpoints: the folders go at once, the index follows.
run runs trash c >/dev/null 2>log || { cat log; failed=1; }
run runs prune --empty-trash --yes >out 2>log || { cat out log; failed=1; }
holds "what was freed" "freed" "$(cat out)"
check "the run's folder is gone" "" "$(find disk/workspace/runs disk/workspace/trash -name '*3-c*')"
fill
run runs prune --keep-last 1 --yes >out 2>log || { cat out log; failed=1; }
check "checkpoints of a" 1 "$(find disk/workspace/runs/1-a/checkpoints -name 'step-*' -maxdepth 1 | wc -l)"
rm disk/filler
check "runs" "a b" "$(run --json runs list | python3 -c 'import json, sys; print(*sorted(each["name"] for each in json.load(sys.stdin)["runs"]))')"
holds "the index follows" "all is well" "$(run workspace check)"
check "nothing lies about" "" "$(find disk/workspace -name '.*.removed*' -o -name '.new-*')"

# A file system that is read-only; then with an index of an earlier version.
readers before
for index in new old; do
  [ $index = old ] && python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 6")' \
    disk/workspace/workspace.db
  mount -o remount,ro disk || exit 1
  readers $index
  [ $index = old ] && sed -i '/more in the trash\|all is well\|workspace check\|older format/d' before old  # it says that the format is older
  same $index
  check "status of a change" 1 "$(run runs rename a d >/dev/null 2>log; echo $?)"
  mount -o remount,rw disk || exit 1
done
holds "and is renewed" "all is well" "$(run runs list >/dev/null && run workspace check)"
exit $failed
