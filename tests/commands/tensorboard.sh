#!/usr/bin/env bash
# TensorBoard itself, from PyPI: its reader shows what `runs export --format tfevents` has written, and `runs import` reads
# what its writer has written, with restarts, tensors of both precisions and a folder for each run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.bash"
tools "$here/tensorboard-packages.txt"
export STRATA_WORKSPACE=$work/workspace TF_CPP_MIN_LOG_LEVEL=3
run() { "$STRATA_RUN" "$@" 2>>log || { cat log; exit 1; }; }
cat > write.py <<'PYTHON'
import json, math, struct, sys
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

single = lambda value: struct.unpack("f", struct.pack("f", value))[0]
expected = {}


def write(folder, events, suffix=""):
    writer = EventFileWriter(folder, filename_suffix=suffix)
    for event in events:
        writer.add_event(event)
    writer.close()


def simple(step, **values):
    return event_pb2.Event(wall_time=1000 + step, step=step, summary=summary_pb2.Summary(value=[
        summary_pb2.Summary.Value(tag=tag.replace("__", "/"), simple_value=value) for tag, value in values.items()]))


def tensor(step, tag, value, double, first):
    proto = tensor_pb2.TensorProto(dtype=2 if double else 1, tensor_shape={})
    proto.tensor_content = struct.pack("d" if double else "f", value)
    one = summary_pb2.Summary.Value(tag=tag, tensor=proto)
    if first:
        one.metadata.plugin_data.plugin_name = "scalars"
        one.metadata.data_class = summary_pb2.DATA_CLASS_SCALAR
    return event_pb2.Event(wall_time=1000 + step, step=step, summary=summary_pb2.Summary(value=[one]))


write("logs/base", [simple(s, loss=1 / s, train__loss=s / 3) for s in range(1, 101)], ".a")
write("logs/base", [simple(s, loss=2 / s, train__loss=s / 7) for s in range(81, 121)], ".b")
expected["base", "loss"] = [(s, single((1 if s <= 80 else 2) / s)) for s in range(1, 121)]
expected["base", "train/loss"] = [(s, single(s / 3 if s <= 80 else s / 7)) for s in range(1, 121)]
write("logs/deep/er", [tensor(s, "valid", math.sqrt(s), False, s == 0) for s in range(10)] +
      [tensor(s, "exact", math.sqrt(s), True, s == 0) for s in range(10)] + [simple(11, odd=math.nan), simple(12, odd=math.inf)])
expected["deep/er", "valid"] = [(s, single(math.sqrt(s))) for s in range(10)]
expected["deep/er", "exact"] = [(s, math.sqrt(s)) for s in range(10)]
expected["deep/er", "odd"] = [(11, "NaN"), (12, "Infinity")]
json.dump([[run, tag, points] for (run, tag), points in expected.items()], open("expected.json", "w"))
PYTHON
venv/bin/python write.py || exit 1
run runs import logs > text
check "two runs" 2 "$(grep -c added text)"
for name in logs-base logs-deep-er; do run runs export $name --format json --output "$name.json"; done
python3 - <<'PYTHON' || failed=1
import json
runs = {"base": json.load(open("logs-base.json")), "deep/er": json.load(open("logs-deep-er.json"))}
expected = json.load(open("expected.json"))
assert sorted((r, t) for r, t, _ in expected) == sorted((n, s) for n, r in runs.items() for s in r["series"])
for run, tag, points in expected:
    got = runs[run]["series"][tag]
    assert [[step, value] for step, _, value in got] == points, (run, tag, got[:3], points[:3])
    assert all(wall == 1000 + step for step, wall, _ in got), (run, tag)
PYTHON
run runs export logs-base logs-deep-er --format tfevents --output board > text
cat > read.py <<'PYTHON'
import json, math, struct
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.util import tensor_util

single = lambda value: struct.unpack("f", struct.pack("f", float(value)))[0]
for name in ("logs-base", "logs-deep-er"):
    board = plugin_event_accumulator.EventAccumulator("board/" + name, tensor_size_guidance={"scalars": 0})
    board.Reload()
    series = json.load(open(name + ".json"))["series"]
    tags = board.Tags()["tensors"]
    assert sorted(tags) == sorted(series), (tags, sorted(series))
    for tag, points in series.items():
        assert board.SummaryMetadata(tag).plugin_data.plugin_name == "scalars", tag
        shown = [(e.step, e.wall_time, tensor_util.make_ndarray(e.tensor_proto).item()) for e in board.Tensors(tag)]
        wanted = [(step, wall, single(value)) for step, wall, value in points]
        same = lambda a, b: a[:2] == b[:2] and (a[2] == b[2] or (math.isnan(a[2]) and math.isnan(b[2])))
        assert len(shown) == len(wanted) and all(map(same, shown, wanted)), (tag, shown[:3], wanted[:3])
print("shown")
PYTHON
check "TensorBoard shows them" shown "$(venv/bin/python read.py 2>>log || tail -n 5 log)"
exit $failed
