# The measurement of a GPU's speed, here on the CPU with a few words per batch: every result is present and is a number,
# the peer gets the Transformer's sizes, and running out of time is a failure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/peer.py" <<'PYTHON'
import json, os, sys
assert sys.argv[1:] == ["1", "6", "512", "1024", "4"], sys.argv
assert (os.environ["DEVICE"], os.environ["DTYPE"], os.environ["MAX_TOKENS"]) == ("cpu", "float32", "256"), os.environ
print("reading")
print(json.dumps({"tgt_tok_s": 100.0}))
PYTHON
speed() { "$STRATA_SOURCE/tests/gpu/speed.sh" --device cpu --brief --programs "$(dirname "$STRATA_RUN")" --turns 2 "$@"; }
speed --peer "$folder/peer.py" --json "$folder/speed.json" >"$folder/table" || { cat "$folder/table"; exit 1; }
cat "$folder/table"
python3 - "$folder/speed.json" "$folder/table" <<'PYTHON'
import json, math, sys
report = json.load(open(sys.argv[1]))
rows = report["rows"]
wanted = ["baseline/transformer-iwslt", "mlrf/both-fnn-sa4", "densenmt/4l-2", "deepatt/att-1-1", "dhea/gate",
          "baseline/fconv-iwslt"]
assert [(row["preset"], row["precision"]) for row in rows] == [(name, "fp32") for name in wanted] + [
    (wanted[0], "bf16"), (wanted[0] + " x8", "fp32")]
for row in rows:
    for name in ("training tokens/s", "decoding tokens/s", "step ms", "parameters", "memory_peak_mib"):
        assert math.isfinite(row[name]) and row[name] > 0, (row["preset"], name, row[name])
    assert row["operators"] > 100, row  # a layer alone takes dozens
    assert row["launches"] is None and row["busy ms"] is None and row["idle"] is None, row
# Separate operators round factors to bf16; a CPU with an instruction for it multiplies them by a kernel instead of operators.
by_kernel = "avx512_bf16" in open("/proc/cpuinfo").read()
more = rows[-2]["operators"] - rows[0]["operators"]
assert more < 0 if by_kernel else more > 0, (rows[-2]["operators"], rows[0]["operators"], by_kernel)
peer = report["peer"]
assert peer["theirs"] == [100.0, 100.0] and len(peer["ours"]) == 2, peer
assert math.isclose(peer["ratio"]["maximum"], max(peer["ours"]) / 100), peer
lines = open(sys.argv[2]).read().splitlines()
assert len(lines) == 1 + len(rows) + 1 and all(name in lines[0] for name in ("launches", "idle")), lines
PYTHON
echo 'print("done")' >"$folder/silent.py"
if speed --minutes 0.001 --peer "$folder/silent.py" >"$folder/table"; then echo "FAIL: no time, no failure"; exit 1; fi
[ "$(grep -c 'FAIL: does not fit into 0.001 minutes' "$folder/table")" = 9 ] || { cat "$folder/table"; exit 1; }
