#!/usr/bin/env bash
# The official Python SDK of the Model Context Protocol drives `strata-run mcp` on a trained run. The SDK checks every
# message, and every result against the tool's schema. It comes from PyPI.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" > "$work/log" 2>&1 &&
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes --only-binary=:all: \
    -r "$here/mcp-packages.txt" > "$work/log" 2>&1 ||
  { tail -n 3 "$work/log"; echo "SKIP: the SDK cannot be installed"; [ -z "${CI:-}" ] && exit 77 || exit 1; }
export STRATA_WORKSPACE=$work/workspace
{ "$STRATA_RUN" data generate --name tiny --size 300 --seed 1 &&
  "$STRATA_RUN" train --preset mlrf/both-fnn-sa4 --data tiny --name first --set model.embed_dim=32 \
    --set model.ffn_dim=64 --set training.max_updates=60 --set training.log_every=1 --set checkpoint.every_updates=30 --set checkpoint.keep_last=9 \
    --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set training.phases=[] --set training.schedule.name=inverse_sqrt \
    --set training.schedule.warmup=20 \
    --set validation.every_updates=30 --set 'validation.metrics=[nll]' --set checkpoint.metric=valid/nll \
    --set 'validation.monitor=[]' --set validation.samples=0 --set training.device=cpu &&
  "$STRATA_RUN" translate --run first@30 --set test && "$STRATA_RUN" translate --run first@60 --set test &&
  "$STRATA_RUN" --json compare --set tiny/test --metric bleu,chrf > "$work/compare.json" &&
  "$STRATA_RUN" runs export first --format json --output "$work/points.json" &&
  printf 'der Hund sieht die Katze .\n' > "$work/in" &&
  "$STRATA_RUN" --json translate --run first@60 --beam 3 --input "$work/in" > "$work/translated.json"; } > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here "$work/venv/bin/python" - "$work" <<'PYTHON'
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from serve_client import check, finish

work = sys.argv[1]
TEXT = "der Hund sieht die Katze ."
environment = {**os.environ}


def server(*options):
    return StdioServerParameters(command=os.environ["STRATA_RUN"], args=["mcp", "--device", "cpu", "--threads", "1", *options], env=environment)


async def result(session, name, /, **arguments):
    answer = await session.call_tool(name, arguments)
    text = answer.content[0].text
    assert not answer.is_error, (name, text)
    structured = answer.structured_content
    check(f"{name}: the text says the same", json.loads(text) == structured)
    return structured


async def refused(session, said, name, /, **arguments):
    answer = await session.call_tool(name, arguments)
    check(f"{name} refuses {arguments}", answer.is_error and said in answer.content[0].text, answer)


async def reading(session):
    runs = await result(session, "list_runs", filter="fir", status=["finished"])
    check("the run", [run["name"] for run in runs["runs"]] == ["first"] and runs["runs"][0]["step"] == 60, runs)
    shown = await result(session, "show_run", run="first")
    check("its configuration", shown["config"]["model"]["embed_dim"] == 32)
    check("its checkpoints", 60 in [each["step"] for each in shown["checkpoints"]], shown["checkpoints"])

    exported = json.load(open(work + "/points.json"))["series"]
    curves = (await result(session, "read_curves", runs=["first"], series=["train/loss", "valid/*"], points=5))["curves"]
    check("the series", {each["series"] for each in curves} == {name for name in exported if name == "train/loss" or name.startswith("valid/")})
    for curve in curves:
        points = [[step, value] for step, _, value in exported[curve["series"]]]
        check("thinned points are points", all(point in points for point in curve["points"]), curve)
        check("not more than asked for", len(curve["points"]) == min(5, len(points)) and curve["count"] == len(points), curve)
        check("the last is exact", [curve["last"]["step"], curve["last"]["value"]] == points[-1] == curve["points"][-1], curve)
        if curve["series"] in ("train/loss", "valid/nll"):
            best = min(points, key=lambda point: point[1])
            check("the best is exact", [curve["best"]["step"], curve["best"]["value"]] == best, (curve, best))

    listed = await result(session, "list_translations", set="tiny/test")
    check("two translations", len(listed["translations"]) == 2 and not listed["problems"], listed)
    printed = json.load(open(work + "/compare.json"))
    compared = await result(session, "compare_translations", set="tiny/test", metrics=["bleu", "chrf"])
    check("the differences that compare prints", compared["significance"] == printed["significance"], compared["significance"])
    check("with p-values and intervals", all(0 < each["p_value"] <= 1 and each["low"] <= each["high"] for each in compared["significance"]))
    scores = [{name: each["score"] for name, each in system["scores"].items()} for system in compared["systems"]]
    check("the scores that compare prints", scores == [{name: each["score"] for name, each in system["scores"].items()} for system in printed["systems"]])
    name = compared["systems"][1]["name"]
    one = await result(session, "compare_translations", set="tiny/test", systems=[name])
    check("one system alone", len(one["systems"]) == 1 and one["significance"] == [], one)
    turned = await result(session, "compare_translations", set="tiny/test", baseline=name)
    check("another baseline", turned["baseline"] == name and len(turned["significance"]) == 1, turned["significance"])

    check("datasets", [each["name"] for each in (await result(session, "list_datasets"))["datasets"]] == ["tiny"])
    presets = await result(session, "list_presets", filter="mlrf/")
    check("presets", "mlrf/base" in [each["name"] for each in presets["presets"]])
    plan = await result(session, "plan_run", preset="mlrf/base", dataset="tiny", overrides=["model.embed_dim=32", "training.max_updates=9", "training.device=cpu"])
    check("a plan", plan["parameters"] > 0 and plan["updates"] == 9 and plan["config"]["model"]["embed_dim"] == 32, plan.keys())


async def translating(session):
    verb = json.load(open(work + "/translated.json"))["translations"][0]["hypotheses"][0]
    done = []

    async def note(progress, total, message):
        done.append((progress, total))
    answer = await session.call_tool("translate", {"run": "first", "checkpoint": "60", "sentences": [TEXT, "ein Mann ."], "beam": 3, "nbest": 2},
                                     progress_callback=note)
    results = answer.structured_content["results"]
    best = results[0]["translations"][0]
    check("as `translate`", best["text"] == verb["text"] and abs(best["log_probability"] - verb["logProbability"]) < 1e-4, (best, verb))
    check("best first", len(results[0]["translations"]) == 2 and best["score"] >= results[0]["translations"][1]["score"], results)
    check("progress", done == [(1, 2), (2, 2)], done)
    await refused(session, "absent", "translate", run="absent", sentences=[TEXT])
    await refused(session, "no sentence", "translate", run="first", sentences=[])
    await refused(session, "checkpoint", "translate", run="first", checkpoint="../../x", sentences=[TEXT])
    await refused(session, "first/x", "translate", run=work + "/workspace/runs/1-first/x", sentences=[TEXT])

    internals = (await result(session, "list_internals", run="first"))["internals"]
    hops = [each["name"] for each in internals if each["kind"] == "hop_weights" and each["side"] == "decoder"]
    check("internals", len(hops) > 0, internals[:3])
    blocks = [each["name"] for each in internals if each["kind"] == "block" and each["side"] == "decoder"]
    told = await result(session, "intervene", run="first", checkpoint="60", sentences=[TEXT], beam=3, interventions=[name + "=zero" for name in blocks])
    only = told["results"][0]
    check("before it is as it was", only["before"]["text"] == best["text"], only)
    check("the model is another without its blocks", abs(only["log_probability_change"]) > 1e-3 and told["changed"] + told["unchanged"] == 1, only)
    change = only["before_with_intervention"]["log_probability"] - only["before"]["log_probability"]
    check("the change is the difference", abs(change - only["log_probability_change"]) < 1e-9, only)
    parts = " ".join(only["before"]["text"].split())
    check("words that change were there", all(each["before"] in parts for each in only["changes"]), only)
    await refused(session, "divine", "intervene", run="first", sentences=[TEXT], interventions=["decoder.divine=zero"])
    await refused(session, "'interventions' is empty", "intervene", run="first", sentences=[TEXT], interventions=[])
    both = await asyncio.gather(result(session, "translate", run="first", checkpoint="60", sentences=[TEXT], beam=3), result(session, "list_runs"),
                                result(session, "compare_translations", set="tiny/test"))
    check("calls at once", both[0]["results"][0]["translations"][0]["text"] == best["text"] and both[1]["total"] == 1 and both[2]["sentences"] > 0)


async def writing(session):
    settings = ["model.embed_dim=32", "model.ffn_dim=64", "training.max_updates=4", "training.device=cpu", "training.threads=1",
                "validation.every_epochs=0", "validation.samples=0", "recording.sentences=0"]
    run = await result(session, "launch_run", preset="mlrf/base", dataset="tiny", name="short", overrides=settings)
    check("launched", run["name"] == "short" and run["worker_started"], run)
    said = []

    async def note(progress, total, message):
        said.append(message)
    answer = await session.call_tool("wait_for_runs", {"runs": ["short"], "timeout_seconds": 300}, progress_callback=note)
    ended = answer.structured_content
    check("it has trained", ended["ended"] and ended["runs"][0]["status"] == "finished" and ended["runs"][0]["step"] == 4, ended)
    check("progress names the run", said and all(each.startswith("short is ") for each in said), said)
    long = await result(session, "launch_run", preset="mlrf/base", dataset="tiny", name="long", overrides=settings + ["training.max_updates=1000000"])
    for _ in range(300):
        shown = await result(session, "show_run", run="long")
        if shown["status"] == "running" and shown["step"] > 0:
            break
        await asyncio.sleep(0.2)
    paused = await result(session, "stop_run", run="long", action="pause", wait_seconds=120)
    check("paused", paused["acknowledged"] and paused["outcome"].startswith("saved at step"), paused)
    ended = await result(session, "wait_for_runs", runs=["long", "short"], timeout_seconds=60)
    check("both have ended", ended["ended"] and [each["status"] for each in ended["runs"]] == ["paused", "finished"], ended)


async def main():
    async with stdio_client(server()) as (read, write), ClientSession(read, write, read_timeout_seconds=300) as session:
        begun = await session.initialize()
        check("the server", begun.server_info.name == "strata" and begun.protocol_version == "2025-06-18", begun)
        tools = {tool.name for tool in (await session.list_tools()).tools}
        check("only tools that read", "list_runs" in tools and not {"launch_run", "stop_run"} & tools, tools)
        await reading(session)
        await translating(session)
    async with stdio_client(server("--write")) as (read, write), ClientSession(read, write, read_timeout_seconds=300) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        check("and those that write", {"launch_run", "stop_run"} <= tools, tools)
        await writing(session)


asyncio.run(main())
finish("the SDK works with mcp")
PYTHON
