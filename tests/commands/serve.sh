#!/usr/bin/env bash
# Drives `strata-run serve` as the window does, without a model: the protocol, the presets, the schema and dry runs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
"$STRATA_RUN" data generate --name tiny --size 300 --seed 1 > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - "$work" <<'PYTHON'
import json, os, subprocess, sys, time
from serve_client import Server, check, finish

server = Server()

# hello and the protocol
hello = server.result("hello")
check("hello", hello["protocol"] == 1 and hello["program"] == "strata-run" and hello["device"], hello)
check("versions", hello["version"].count(".") == 2 and hello["libtorch"].startswith("2."), hello)
unknown = server.fault("divine")
check("an unknown method", unknown["code"] == -32601 and "'divine'" in unknown["message"], unknown)
check("known methods are named", "translate" in unknown["message"], unknown)
check("an unknown member", server.fault("hello", name="x")["code"] == -32602)


def faulty(name, line, code, id=None):
    server.write(line)
    message = server.read()
    check(name, message["error"]["code"] == code and message["id"] == id, message)


faulty("no JSON", "{\"jsonrpc\": ", -32700)
faulty("invalid UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"h\xff"}', -32700)
faulty("a batch", "[]", -32600)
faulty("no version", '{"id": 7, "method": "hello"}', -32600, 7)
faulty("an unknown member of a message", '{"jsonrpc":"2.0","id":7,"method":"hello","more":1}', -32600, 7)
faulty("params by position", '{"jsonrpc":"2.0","id":"a","method":"hello","params":[1]}', -32602, "a")
faulty("a deep message", '{"jsonrpc":"2.0","id":1,"method":"hello","params":' + "[" * 100 + "]" * 100 + "}", -32600)
faulty("a line of 17 MiB", '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"a":"' + "x" * (17 << 20) + '"}}', -32600)
faulty("a line of zeros", b"\0" * 1000, -32700)
faulty("cancel without an id", '{"jsonrpc":"2.0","id":8,"method":"cancel","params":{}}', -32602, 8)
check("cancel of nothing", server.result("cancel", id=12345) == {"cancelled": False})
server.write("")
server.write('{"jsonrpc":"2.0","method":"hello"}')
server.write('{"jsonrpc":"2.0","id":3,"result":1}')
check("blank lines, notifications and responses answer nothing", "protocol" in server.result("hello"))

# presets and schema
presets = {preset["name"]: preset["description"] for preset in server.result("presets")["presets"]}
check("presets", "mlrf/both-fnn-sa4" in presets and all(presets.values()), sorted(presets))
for parent in ("deepatt/att-2-2", "densenmt/4l-2", "dhea/gate-stable", "mlrf/both-fnn-sa4"):
    check(f"{parent} and its recipe for a CPU", {parent, parent.removesuffix("-stable") + "-cpu"} <= set(presets))

# their parameters, for a dataset's vocabularies or any others; the expected counts are those of models.md
counted = server.result("presets", vocabulary=[8848, 6632])
counts = {preset["name"]: preset.get("parameters") for preset in counted["presets"]}
check("every preset is counted", set(counts) == set(presets) and all(count and count > 0 for count in counts.values()),
      [name for name, count in counts.items() if not count])
known = {"densenmt/base-4l": 10144720, "densenmt/4l-2": 10469328, "densenmt/8l-2": 12825488, "deepatt/att-1-1": 22188008,
         "deepatt/att-9-7": 114541544, "deepatt/ed-9-7": 114933736, "dhea/none": 39653376, "dhea/gate": 44898304,
         "dhea/hybrid-stable": 39667712, "dhea/gate-cpu": 9338368, "mlrf/base": 11196904, "mlrf/both-fnn-sa4": 12775912,
         "mlrf/both-fnn-sa4-cpu": 12775912}
check("counts", {name: counts[name] for name in known} == known, {name: counts[name] for name in known})
check("the sizes are told", counted["vocabulary"] == [8848, 6632], counted.get("vocabulary"))
check("without sizes nothing is counted", not any("parameters" in preset for preset in server.result("presets")["presets"]))
papers = [paper["name"] for paper in counted["papers"]]
check("every preset has a paper", {preset["paper"] for preset in counted["presets"]} == set(papers), papers)
check("papers have titles", all(paper["title"] for paper in counted["papers"]) and len(set(papers)) == len(papers), counted["papers"])
of = server.result("presets", dataset="tiny")
tiny = {preset["name"]: preset["parameters"] for preset in of["presets"]}
sizes = server.result("presets", vocabulary=of["vocabulary"])["presets"]
check("a dataset's sizes", {preset["name"]: preset["parameters"] for preset in sizes} == tiny)
small = server.result("presets", vocabulary=[4, 5])["presets"]
check("sizes that do not fit", all("src_vocab" in preset["problem"] and "parameters" not in preset for preset in small), small[0])
check("an absent dataset of presets", "tiny" in server.fault("presets", dataset="huge")["message"])
check("dataset and sizes", server.fault("presets", dataset="tiny", vocabulary=[5, 5])["code"] == -32602)
for wrong in ([5], [5, 5, 5], [5, "5"], [5, 5.5], [5, -1], 5, "tiny", None):
    check(f"sizes {wrong}", server.fault("presets", vocabulary=wrong)["code"] == -32602)

# tables and figures, as `paper list` and `paper show` have them
def verb(*arguments):
    run = subprocess.run([os.environ["STRATA_RUN"], "--json", *arguments], capture_output=True, text=True)
    return json.loads(run.stdout)


listed = server.result("tables")
check("tables and figures are listed as paper list does", listed == verb("paper", "list"), str(listed)[:300])
MEASURED = {"seeds", "datasets", "work", "shown", "footnotes"}
for id in ("mlrf/table2", "dhea/table1", "densenmt/table1", "deepatt/table8"):
    table, shown = server.result("tables", id=id), verb("paper", "show", id)
    rows = [{key: value for key, value in row.items() if key not in ("measured", "status", "cells")} for row in shown["rows"]]
    heads = [{key: value for key, value in each.items() if key not in ("rows", *MEASURED)} for each in (table, shown)]
    check(f"{id} but for what is measured", heads[0] == heads[1] and not MEASURED & table.keys(), heads)
    check(f"the rows of {id}", table["rows"] == rows, next((pair for pair in zip(table["rows"], rows) if pair[0] != pair[1]), None))
row = {row["name"]: row for row in server.result("tables", id="dhea/table1")["rows"]}
gate = [each for each in row.values() if each["preset"] == "dhea/gate"][0]
check("printed figures", gate["printed"] == {"mt03": 46.6, "mt04": 47.73, "mt05": 45.35, "mt06": 43.97, "average": 45.9}, gate)
check("parameters for the paper's vocabularies", gate["parameters"] == 79656960, gate)
quoted = row["Moses"]
check("a quoted row is never run", quoted["preset"] is None and quoted["parameters"] is None and quoted["quoted"], quoted)
gate = [each for each in server.result("tables", id="dhea/table1", vocabulary=[8848, 6632])["rows"] if each["preset"] == "dhea/gate"][0]
check("parameters for other sizes", gate["parameters"] == 44898304, gate)
fused = [each for each in server.result("tables", id="mlrf/table2", dataset="tiny")["rows"] if each["preset"] == "mlrf/both-fnn-sa4"][0]
check("parameters for a dataset", fused["parameters"] == tiny["mlrf/both-fnn-sa4"], fused)
for figure in listed["figures"]:
    given, shown = server.result("tables", id=figure["id"]), verb("paper", "show", figure["id"])
    same = ("figure", "title", "kind", "x", "scorer", "notes")
    check(f"{figure['id']}", all(given[key] == shown[key] for key in same) and given["kind"] == figure["kind"], given)
    points = [point for series in given["series"] for point in series["points"]]
    known = all(point["preset"] is None or point["preset"] in presets for point in points)
    check(f"presets of {figure['id']}", points and known, points[:3])
sizes = server.result("tables", id="densenmt/embedding")["series"]
base = [series for series in sizes if series["name"] == "BASE-4L"][0]["points"]
check("points of a figure", [(point["preset"], point["x"], point["printed"]["de-en"]) for point in base] ==
      [("densenmt/base-4l-e64", 7.10894, 28.97), ("densenmt/base-4l-e128", 10.307532, 29.99), ("densenmt/base-4l", 16.440524, 30.43)], base)
check("sizes of a panel of its own", base[2]["panel_parameters"]["tr-en"] == 27570784, base[2])
check("digits of the paper", base[2]["printed_text"]["tr-en"] == "20.99" and base[0]["printed_text"]["tr-en-morph"] == "18.90", base)
absent = server.fault("tables", id="dhea/tabel1")
check("an unknown table", absent["code"] == -32000 and "'dhea/tabel1'" in absent["message"], absent)
check("the nearest is named", "'dhea/table1'" in absent["message"], absent)
check("a number is no table", server.fault("tables", id=3)["code"] == -32602)
check("sizes without a table", server.fault("tables", vocabulary=[5, 5])["code"] == -32602)
schema = server.result("schema", preset="mlrf/both-fnn-sa4")
keys = {key["path"]: key for key in schema["keys"]}
types = {"bool", "int", "number", "string", "choice", "string-list", "number-list", "list", "object"}
check("types of keys", {key["type"] for key in keys.values()} <= types)
check("every key has help", all(key["help"] for key in keys.values()))
check("a key", keys["training.batch.size"]["type"] == "int" and keys["training.batch.size"]["minimum"] >= 1)
check("a family's keys", "model.encoder_fusion.type" in keys or "model.encoder_fusion" in keys)
check("the preset's values", schema["config"]["model"]["embed_dim"] == 256, schema["config"]["model"])
check("the schema of a configuration", server.result("schema", config=schema["config"])["config"] == schema["config"])
nearest = server.fault("schema", preset="mlrf/bse")
check("an unknown preset", nearest["code"] == -32000 and "mlrf/base" in nearest["message"], nearest)
check("a foreign configuration", "moon" in server.fault("schema", config={**schema["config"], "moon": 1})["message"])
check("preset and configuration", server.fault("schema", preset="a", config={})["code"] == -32602)

# dry runs
small = ["model.embed_dim=32", "model.ffn_dim=64", "training.max_updates=50"]
bare = server.result("dryRun", preset="demo/mlrf", overrides=small)
check("without a dataset nothing is counted", "parameters" not in bare and bare["config"]["model"]["embed_dim"] == 32, bare)
dry = server.result("dryRun", preset="demo/mlrf", dataset="tiny", overrides=small)
trained = verb("train", "--preset", "demo/mlrf", "--data", "tiny", "--dry-run", *sum((["--set", text] for text in small), []))
check("parameters", dry["parameters"] == trained["parameters"] > 0, (dry["parameters"], trained["parameters"]))
check("memory", 0.8 < dry["memoryBytes"] / trained["memory_bytes"] < 1.2, (dry["memoryBytes"], trained["memory_bytes"]))
check("updates", dry["updates"] == trained["updates"], (dry["updates"], trained["updates"]))
check("time", dry["secondsEstimate"] > 0 and dry["secondsPerUpdate"] > 0)
check("configuration", dry["config"]["data"]["dataset"] == "tiny")
steps = [step for step, rate in dry["learningRate"]]
check("the rate is drawn to the end", steps[0] == 1 and steps[-1] == dry["updates"] and steps == sorted(set(steps)), steps)
check("rates", all(rate >= 0 for step, rate in dry["learningRate"]))
bad = server.fault("dryRun", preset="demo/mlrf", dataset="tiny", overrides=["model.heads=7"])
check("a wrong combination", bad["code"] == -32000 and "heads" in bad["message"], bad)
check("an absent dataset", "tiny" in server.fault("dryRun", preset="demo/mlrf", dataset="huge")["message"])
check("no preset", server.fault("dryRun")["code"] == -32602)

# the latest input wins; waiting calls can be cancelled
first = server.send("dryRun", preset="demo/mlrf", dataset="tiny", latest=True)
second = server.send("dryRun", preset="demo/mlrf", dataset="tiny", latest=True)
third = server.send("dryRun", preset="demo/mlrf", dataset="tiny", overrides=small, latest=True)
queued = server.send("hello")
cancel = server.send("cancel", id=queued)
light = server.send("presets")
answers = server.answers(6)
check("earlier calls are given up", all(answers[id]["error"]["code"] == -32800 for id in (first, second)))
check("the latest is answered", answers[third]["result"]["parameters"] == dry["parameters"])
check("a waiting call is cancelled", answers[queued]["error"]["code"] == -32800)
check("and cancel says so", answers[cancel]["result"] == {"cancelled": True})
check("the end of the input ends it", server.close() == 0)

# Calls made before the end of the input are answered.
lines = "".join(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}) + "\n"
                for id, method in ((1, "presets"), (2, "hello")))
piped = subprocess.run([os.environ["STRATA_RUN"], "serve"], input=lines[:-1], capture_output=True, text=True)
check("a pipe", sorted(json.loads(line)["id"] for line in piped.stdout.splitlines()) == [1, 2], piped.stdout)
check("its status", piped.returncode == 0)

# The reader of the answers has exited.
lost = Server()
lost.result("hello")
lost.process.stdout.close()
try:
    check("it ends with its reader", lost.process.wait(timeout=20) == 0)
except subprocess.TimeoutExpired:
    check("it ends with its reader", False)
    lost.process.kill()

# A workspace that does not exist
os.environ["STRATA_WORKSPACE"] = sys.argv[1] + "/nowhere"
nowhere = Server()
message = nowhere.fault("load", run="first")
check("an absent workspace is named", "nowhere" in message["message"] and message["code"] == -32000, message)
check("and not made", not os.path.exists(os.environ["STRATA_WORKSPACE"]))
check("it still serves", "protocol" in nowhere.result("hello") and nowhere.close() == 0)
finish("serve holds")
PYTHON
