#!/usr/bin/env bash
# Drives `strata-run inspect` as a user does: hand-computed statistics, every type, damaged files, a run's checkpoints.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export STRATA_WORKSPACE=$work/workspace
{ "$STRATA_RUN" data generate --name tiny --size 300 --seed 1 &&
  "$STRATA_RUN" train --preset demo/mlrf --data tiny --name first --set model.embed_dim=32 --set model.ffn_dim=64 \
    --set training.max_updates=2 --set checkpoint.every_updates=1 --set validation.every_updates=2 --set 'validation.metrics=[nll]' \
    --set checkpoint.metric=valid/nll --set 'validation.monitor=[]' --set validation.samples=0; } > log 2>&1 ||
  { cat log; exit 1; }
python3 - <<'PYTHON'
import glob, json, math, os, struct, subprocess, sys

failed = []


def check(name, condition, seen=None):
    if not condition:
        failed.append(name)
        print(f"FAIL {name}" + (f": {str(seen)[:400]}" if seen is not None else ""))


def inspect(*arguments, status=0):
    done = subprocess.run([os.environ["STRATA_RUN"], "inspect", *arguments], capture_output=True, text=True)
    check("status of " + " ".join(arguments), done.returncode == status, (done.returncode, done.stderr))
    return done.stdout if status == 0 else done.stderr


def write(path, tensors):
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


nan, infinity = float("nan"), float("inf")
values = [1.0, -2.0, 3.5, 0.25]
write("types.safetensors", {
    "double": ("F64", [2, 2], struct.pack("<4d", *values)),
    "single": ("F32", [4], struct.pack("<4f", *values)),
    "half": ("F16", [4], struct.pack("<4e", *values)),
    "tiny": ("F16", [1], struct.pack("<e", 2.0 ** -24)),
    "brain": ("BF16", [4], b"".join(struct.pack("<f", value)[2:] for value in values)),
    "whole": ("I64", [3], struct.pack("<3q", -5, 7, 1)),
    "bytes": ("U8", [2], bytes([200, 100])),
    "broken": ("F32", [2, 2], struct.pack("<4f", nan, 1.0, nan, 3.0)),
    "endless": ("F32", [2], struct.pack("<2f", infinity, 1.0)),
    "empty": ("F32", [0, 3], b""),
    "scalar": ("F32", [], struct.pack("<f", 4.0))})
report = json.loads(inspect("types.safetensors", "--json"))
tensors = {tensor["name"]: tensor for tensor in report["tensors"]}
check("total", report["parameters"] == 29 and report["nan"] == 2, report["parameters"])
mean = sum(values) / 4
deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / 4)
norm = math.sqrt(sum(value * value for value in values))
for name in ("double", "single", "half", "brain"):
    seen = tensors[name]
    check(name, seen["min"] == -2 and seen["max"] == 3.5 and seen["mean"] == mean and seen["nan"] == 0
          and math.isclose(seen["std"], deviation) and math.isclose(seen["norm"], norm), seen)
check("shape and type", tensors["double"]["shape"] == [2, 2] and tensors["double"]["type"] == "F64")
check("the smallest half", tensors["tiny"]["max"] == 2.0 ** -24, tensors["tiny"])
check("integers", (tensors["whole"]["min"], tensors["whole"]["max"], tensors["whole"]["mean"]) == (-5, 7, 1))
check("bytes", tensors["bytes"]["max"] == 200)
broken = tensors["broken"]
check("NaN are counted and left out", (broken["nan"], broken["min"], broken["max"], broken["mean"], broken["std"])
      == (2, 1, 3, 2, 1), broken)
check("infinity", tensors["endless"]["infinite"] == 1 and tensors["endless"]["max"] is None
      and tensors["endless"]["min"] == 1, tensors["endless"])
check("nothing", tensors["empty"]["mean"] is None and tensors["empty"]["norm"] == 0)
check("a scalar", tensors["scalar"]["shape"] == [] and tensors["scalar"]["mean"] == 4)

# A run: parameters as counted before training, the newest checkpoint unless another is named.
dry = json.loads(subprocess.run([os.environ["STRATA_RUN"], "--json", "train", "--preset", "demo/mlrf", "--data", "tiny",
                                 "--dry-run", "--set", "model.embed_dim=32", "--set", "model.ffn_dim=64"],
                                capture_output=True, text=True).stdout)
last = json.loads(inspect("--run", "first", "--json"))
check("parameters of a run", last["parameters"] == dry["parameters"] and last["step"] == 2, last["parameters"])
check("a step", json.loads(inspect("--run", "1@1", "--json"))["step"] == 1)
check("the best", json.loads(inspect("--run", "first@best", "--json"))["step"] == 2)
table = inspect("--run", "first")
check("a table", "decoder.embed_tokens.weight" in table and f"{dry['parameters']} parameters" in table, table[-300:])
folder = glob.glob("workspace/runs/1-*/checkpoints/step-00000001")[0]
check("a folder", json.loads(inspect("--model", folder, "--json"))["parameters"] == dry["parameters"])
check("a file as a model", inspect("--model", "types.safetensors", "--json") == inspect("types.safetensors", "--json"))

# Errors say what is wrong.
check("nothing to inspect", "--run" in inspect(status=2))
check("two things", "--run" in inspect("--run", "first", "--model", folder, status=2))
check("an absent file", "nothing.safetensors" in inspect("nothing.safetensors", status=2))
check("an unknown run", "second" in inspect("--run", "second", status=2))
with open("types.safetensors", "rb") as file:
    content = file.read()
with open("cut.safetensors", "wb") as file:
    file.write(content[:-1])
check("a truncated file", "cut.safetensors" in inspect("cut.safetensors", status=1))
with open(folder + "/model.safetensors", "r+b") as file:
    file.seek(-1, os.SEEK_END)
    byte = file.read(1)
    file.seek(-1, os.SEEK_END)
    file.write(bytes([byte[0] ^ 1]))
for arguments in (("--run", "first@1"), ("--model", folder), (folder + "/model.safetensors",)):
    check("a flipped bit", "step-00000001/model.safetensors" in inspect(*arguments, status=1))
sys.exit(1 if failed else 0)
PYTHON
status=$?
[ $status = 0 ] && echo 'inspect holds'
exit $status
