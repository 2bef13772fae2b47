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
verb = json.loads(subprocess.run([os.environ["STRATA_RUN"], "--json", "train", "--preset", "demo/mlrf", "--data", "tiny",
                                  "--dry-run", *sum((["--set", text] for text in small), [])],
                                 capture_output=True, text=True).stdout)
check("parameters", dry["parameters"] == verb["parameters"] > 0, (dry["parameters"], verb["parameters"]))
check("memory", 0.8 < dry["memoryBytes"] / verb["memory_bytes"] < 1.2, (dry["memoryBytes"], verb["memory_bytes"]))
check("updates", dry["updates"] == verb["updates"], (dry["updates"], verb["updates"]))
check("time", dry["secondsEstimate"] > 0 and dry["secondsPerUpdate"] > 0)
check("configuration", dry["config"]["data"]["dataset"] == "tiny")
steps = [step for step, rate in dry["learningRate"]]
check("the rate is drawn to the end", steps[0] == 1 and steps[-1] == dry["updates"] and steps == sorted(set(steps)), steps)
check("rates", all(rate >= 0 for step, rate in dry["learningRate"]))
bad = server.fault("dryRun", preset="demo/mlrf", dataset="tiny", overrides=["model.heads=7"])
check("a wrong combination", bad["code"] == -32000 and "heads" in bad["message"], bad)
check("an absent dataset", "tiny" in server.fault("dryRun", preset="demo/mlrf", dataset="huge")["message"])
check("no preset", server.fault("dryRun")["code"] == -32602)

# the latest input wins; what waits can be cancelled
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

# What was asked before the input ended is answered.
lines = "".join(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}) + "\n"
                for id, method in ((1, "presets"), (2, "hello")))
piped = subprocess.run([os.environ["STRATA_RUN"], "serve"], input=lines[:-1], capture_output=True, text=True)
check("a pipe", sorted(json.loads(line)["id"] for line in piped.stdout.splitlines()) == [1, 2], piped.stdout)
check("its status", piped.returncode == 0)

# Nobody reads the answers any more.
lost = Server()
lost.result("hello")
lost.process.stdout.close()
try:
    check("it ends with its reader", lost.process.wait(timeout=20) == 0)
except subprocess.TimeoutExpired:
    check("it ends with its reader", False)
    lost.process.kill()

# A workspace that is not there
os.environ["STRATA_WORKSPACE"] = sys.argv[1] + "/nowhere"
nowhere = Server()
message = nowhere.fault("load", run="first")
check("an absent workspace is named", "nowhere" in message["message"] and message["code"] == -32000, message)
check("and not made", not os.path.exists(os.environ["STRATA_WORKSPACE"]))
check("it still serves", "protocol" in nowhere.result("hello") and nowhere.close() == 0)
finish("serve holds")
PYTHON
