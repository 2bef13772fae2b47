#!/usr/bin/env bash
# The protocol of `strata-run mcp`, line by line, without a model: what is answered to what, and how it ends.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
"$STRATA_RUN" data generate --name tiny --size 300 --seed 1 > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$STRATA_RUN" runs list > /dev/null || exit 1  # makes the index
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - "$work" <<'PYTHON'
import json, os, subprocess, sys, time
from serve_client import Server, check, finish


class Mcp(Server):
    """The same pipes with another verb; a session that has begun."""
    verb = "mcp"

    def begin(self, version="2025-06-18"):
        reply = self.result("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return reply

    def tool(self, tool, /, **arguments):
        return self.result("tools/call", name=tool, arguments=arguments)


READING = {"list_runs", "show_run", "read_curves", "wait_for_runs", "list_translations", "compare_translations", "translate",
           "query", "intervene", "list_internals", "list_presets", "list_datasets", "plan_run"}
WRITING = {"launch_run", "stop_run"}

server = Mcp()
check("nothing before initialize", server.fault("tools/list")["code"] == -32600)
check("but ping", server.result("ping") == {})
check("initialize without a version", server.fault("initialize")["code"] == -32602)
begun = server.begin()
check("the version asked for", begun["protocolVersion"] == "2025-06-18", begun)
check("tools are offered", begun["capabilities"] == {"tools": {}} and begun["serverInfo"]["name"] == "strata", begun)
check("it says that it only reads", "--write" in begun["instructions"], begun)
check("only one initialize", server.fault("initialize", protocolVersion="2025-06-18")["code"] == -32600)


def faulty(name, line, code, id=None):
    server.write(line)
    message = server.read()
    check(name, message["error"]["code"] == code and message["id"] == id, message)


faulty("no JSON", '{"jsonrpc": ', -32700)
faulty("invalid UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}', -32700)
faulty("no version", '{"id": 7, "method": "ping"}', -32600, 7)
faulty("a batch, which this version has not", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600)
faulty("an empty batch", "[]", -32600)
faulty("a deep message", '{"jsonrpc":"2.0","id":1,"method":"ping","params":' + "[" * 100 + "]" * 100 + "}", -32600)
faulty("a line of 17 MiB", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + "x" * (17 << 20) + '"}}', -32600)
faulty("params by position", '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[1]}', -32602, "a")
for method in ("resources/list", "prompts/list", "logging/setLevel", "divine"):
    check(f"{method} is unknown", server.fault(method)["code"] == -32601)
server.write("")
server.write('{"jsonrpc":"2.0","method":"notifications/divine"}')
server.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}')
server.write('{"jsonrpc":"2.0","id":3,"result":{}}')
check("blank lines, notifications and responses answer nothing", server.result("ping") == {})

tools = {tool["name"]: tool for tool in server.result("tools/list")["tools"]}
check("the tools that read", set(tools) == READING, sorted(tools))
check("are marked", all(tool["annotations"]["readOnlyHint"] and not tool["annotations"]["destructiveHint"] for tool in tools.values()))
check("described", all(len(tool["description"]) > 60 and tool["title"] for tool in tools.values()))
check("and have schemas", all(tool[key]["type"] == "object" for tool in tools.values() for key in ("inputSchema", "outputSchema")))
check("one page", server.fault("tools/list", cursor="x")["code"] == -32602)
check("an unknown tool", server.fault("tools/call", name="delete_all", arguments={})["code"] == -32602)
check("a tool that is not offered", server.fault("tools/call", name="launch_run", arguments={})["code"] == -32602)
check("arguments by position", server.fault("tools/call", name="list_runs", arguments=[1])["code"] == -32602)
none = server.tool("list_runs")
check("no runs", none["structuredContent"] == {"runs": [], "total": 0} and none["isError"] is False, none)
check("the same as text", json.loads(none["content"][0]["text"]) == none["structuredContent"], none)
for name, arguments, said in (("list_runs", {"limit": 0}, "limit"), ("list_runs", {"moon": 1}, "moon"), ("list_runs", {"status": ["odd"]}, "odd"),
                              ("show_run", {}, "'run' is missing"), ("show_run", {"run": "absent"}, "absent"),
                              ("read_curves", {"runs": []}, "names no run"), ("wait_for_runs", {"runs": "x", "timeout_seconds": -1}, "timeout"),
                              ("query", {"sql": "DELETE FROM runs"}, "only reads"), ("query", {"sql": "SELECT naem FROM runs"}, "'name'"),
                              ("query", {"sql": "SELECT 1", "rows": 0}, "rows"),
                              ("compare_translations", {"set": "tiny/tset"}, "tiny/tset"),
                              ("compare_translations", {"set": "tiny/test", "systems": ["a=/etc/passwd"]}, "a=/etc/passwd"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "../tiny"}, "../tiny"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "/etc"}, "/etc"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "tiny", "overrides": ["data.dataset=/etc"]}, "'dataset'"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "tiny", "overrides": ["data={dataset: /etc}"]}, "'dataset'"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "tiny", "overrides": ["training={from: /etc}"]}, "single keys"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "tiny", "overrides": ["training.from=/etc"]}, "not a folder"),
                              ("plan_run", {"preset": "mlrf/base", "dataset": "tiny", "overrides": ["training.from=.."]}, "not a folder")):
    answer = server.tool(name, **arguments)
    check(f"{name} {arguments}", answer["isError"] and said in answer["content"][0]["text"], answer)
counted = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, NULL AS no, 'x' AS x FROM n"
check("a query", server.tool("query", sql=counted, rows=2)["structuredContent"] == {"columns": ["i", "no", "x"], "rows": [[1, None, "x"], [2, None, "x"]], "more": True})
check("all its rows", server.tool("query", sql=counted, rows=5)["structuredContent"]["more"] is False)
data = server.tool("list_datasets")["structuredContent"]["datasets"]
check("datasets", [each["name"] for each in data] == ["tiny"] and {each["name"] for each in data[0]["sets"]} >= {"valid", "test"}, data)
check("the end of the input ends it", server.close() == 0)

# Other versions
old = Mcp()
check("an older version", old.begin("2024-11-05")["protocolVersion"] == "2024-11-05")
first = old.result("tools/list")["tools"][0]
check("has no later members", set(first) == {"name", "description", "inputSchema"}, first)
check("nor results", set(old.tool("list_runs")) == {"content", "isError"})
old.close()
middle = Mcp()
check("the middle version", middle.begin("2025-03-26")["protocolVersion"] == "2025-03-26")
calls = [{"jsonrpc": "2.0", "id": 10, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/divine"},
         {"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": {"name": "list_runs"}}, 5]
middle.write(json.dumps(calls))
answers = middle.read()
check("a batch is answered by one", isinstance(answers, list) and sorted(str(each["id"]) for each in answers) == ["10", "11", "None"], answers)
middle.close()
new = Mcp()
check("a version that is not known", new.begin("2099-01-01")["protocolVersion"] == "2025-06-18")

# Progress, cancelling, calls at the same time, and the end while one waits
queued = subprocess.run([os.environ["STRATA_RUN"], "--json", "runs", "list"], capture_output=True, text=True)
check("the workspace is as it was", json.loads(queued.stdout) == {"runs": []}, queued.stdout)
new.close()
writing = Mcp("--write")
writing.begin()
tools = {tool["name"]: tool for tool in writing.result("tools/list")["tools"]}
check("--write adds tools", set(tools) == READING | WRITING, sorted(tools))
check("that are marked", not any(tools[name]["annotations"]["readOnlyHint"] for name in WRITING) and
      tools["stop_run"]["annotations"]["destructiveHint"])
overrides = ["model.embed_dim=32", "model.ffn_dim=64", "training.max_updates=2", "training.device=cpu"]
answer = writing.tool("launch_run", preset="mlrf/base", dataset="tiny", name="a/b", overrides=overrides, start=False)
check("a bad name", answer["isError"], answer)
answer = writing.tool("launch_run", preset="mlrf/base", dataset="tiny", overrides=["model.heads=7"], start=False)
check("a bad setting", answer["isError"] and "heads" in answer["content"][0]["text"], answer)
run = writing.tool("launch_run", preset="mlrf/base", dataset="tiny", name="waits", overrides=overrides, start=False)["structuredContent"]
check("a run is queued", run["status"] == "queued" and run["name"] == "waits" and run["parameters"] > 0, run)
again = writing.tool("launch_run", preset="mlrf/base", dataset="tiny", name="twice", overrides=overrides, start=False)
check("not twice", again["isError"] and "'waits'" in again["content"][0]["text"] and "seed=2" in again["content"][0]["text"], again)
waiting = writing.send("tools/call", name="wait_for_runs", arguments={"runs": ["waits"], "timeout_seconds": 600}, _meta={"progressToken": "t"})
told = [writing.read()["params"] for _ in range(2)]
check("progress is told", all(each["progressToken"] == "t" and "waits is queued" in each["message"] for each in told) and
      told[0]["progress"] < told[1]["progress"] <= told[1]["total"] == 600, told)
other = writing.send("tools/call", name="show_run", arguments={"run": "waits"})
while (message := writing.read()).get("method"):
    pass
check("a call does not wait for another", message["id"] == other and message["result"]["structuredContent"]["config"]["model"]["embed_dim"] == 32, message)
writing.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waiting}}))
time.sleep(1.5)
ping = writing.send("ping")
while (message := writing.read()).get("method"):
    pass
check("a cancelled call is not answered", message == {"jsonrpc": "2.0", "id": ping, "result": {}}, message)
looked = writing.tool("wait_for_runs", runs=["waits"], timeout_seconds=0)["structuredContent"]
check("a look", not looked["ended"] and looked["runs"][0]["status"] == "queued", looked)
stopped = writing.tool("stop_run", run="waits")["structuredContent"]
check("a waiting run is stopped", stopped["status"] == "stopped" and stopped["acknowledged"], stopped)
ended = writing.tool("wait_for_runs", runs=["waits"])["structuredContent"]
check("it has ended", ended["ended"] and ended["runs"][0]["status"] == "stopped", ended)
check("only once", writing.tool("stop_run", run="waits")["isError"])


def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()[1] == str(pid):
                    found.append(int(name))
            except OSError:
                pass
    return found


engine = children_of(writing.process.pid)
check("one engine", len(engine) == 1, engine)
os.kill(engine[0], 9)
time.sleep(0.5)
presets = writing.tool("list_presets", filter="mlrf/")["structuredContent"]["presets"]
check("the engine starts again", "mlrf/base" in {each["name"] for each in presets}, presets[:2])
engine = children_of(writing.process.pid)
writing.send("tools/call", name="wait_for_runs", arguments={"runs": ["waits"], "timeout_seconds": 600})
begun = time.monotonic()
check("it ends with a call that waits", writing.close() == 0 and time.monotonic() - begun < 60)
check("and the engine with it", engine and not any(alive(pid) for pid in engine), engine)

# Calls made before the end of the input are answered; nothing but messages is on stdout.
lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
         {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_runs"}}]
piped = subprocess.run([os.environ["STRATA_RUN"], "--log-level", "trace", "mcp"], input="".join(json.dumps(line) + "\n" for line in lines),
                       capture_output=True, text=True)
check("a pipe", [json.loads(line)["id"] for line in piped.stdout.splitlines()] == [1, 2] and piped.returncode == 0, piped)

# A workspace that does not exist is not made.
os.environ["STRATA_WORKSPACE"] = sys.argv[1] + "/nowhere"
nowhere = Mcp()
nowhere.begin()
answer = nowhere.tool("list_runs")
check("an absent workspace", answer["isError"] and "nowhere is not a workspace" in answer["content"][0]["text"], answer)
nowhere.close()
check("is not made", not os.path.exists(os.environ["STRATA_WORKSPACE"]))
finish("the protocol holds")
PYTHON
