#!/usr/bin/env bash
# Workspaces made by earlier versions (tests/golden/make) open, go on, merge and are repaired, and tell the same.
. "$(dirname "$0")/checks.bash"
golden=$STRATA_SOURCE/tests/golden
run() { "$STRATA_RUN" --workspace workspace "$@" 2>log; }
facts() { # what tests/golden/make kept of it
  run --json runs list --all >list.json || { cat log; failed=1; }
  for each in one theirs elsewhere; do run --json runs export $each >$each.json || { cat log; failed=1; }; done
  "$golden/facts" list.json one.json theirs.json elsewhere.json
}
wanted() { # FILE: after it was merged anew, and one was trained on
  python3 - "$1" <<'PYTHON'
import json, sys
before, after = (json.load(open(path)) for path in ("before.json", sys.argv[1]))
longer = {"one": 6, "elsewhere": 6}
for was, now in zip(before["runs"], after["runs"], strict=True):
    was["step"] = longer.get(was["name"], was["step"])
    if was != now: print(f"{now} instead of {was}")
for name, series in before["series"].items():
    for each, points in series.items():
        now = after["series"][name][each]
        if now[:len(points)] != points or (name == "theirs" and now != points): print(f"{name}: {each} is another")
    if name in longer and after["series"][name]["train/nll"][-1][0] != 6: print(f"{name} does not end at 6")
PYTHON
}

for archive in "$golden"/*.tar.xz; do
  rm -rf workspace other
  tar -xf "$archive"
  sed -i "s#\"source\": \".*/other/#\"source\": \"$PWD/other/#" workspace/runs/*/merged.json  # where it was merged from
  cp "${archive%.tar.xz}.json" before.json
  facts >now.json
  cmp -s before.json now.json || check "$archive: opened" "$(cat before.json)" "$(cat now.json)"
  run workspace check >out || { echo "FAIL $archive: check"; cat out log; failed=1; }
  run runs merge other >out || { echo "FAIL $archive: merge"; cat out log; failed=1; }
  run train --resume one --set training.max_updates=6 >out || { echo "FAIL $archive: resume"; cat out log; failed=1; }
  facts >now.json
  check "$archive: goes on" "" "$(wanted now.json)"
  run workspace check >out || { echo "FAIL $archive: check after going on"; cat out log; failed=1; }
  run workspace repair >out || { echo "FAIL $archive: repair"; cat out log; failed=1; }
  facts >repaired.json
  cmp -s now.json repaired.json || check "$archive: repaired" "$(cat now.json)" "$(cat repaired.json)"
  run translate --run one --set test --beam 1 >out || { echo "FAIL $archive: translate"; cat log; failed=1; }
done
exit $failed
