#!/usr/bin/env bash
# Drives `strata-run serve` with a trained run: translations, forced decoding, next words, recordings, cancelling, cached
# models, damaged checkpoints.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
{ "$STRATA_RUN" data generate --name tiny --size 300 --seed 1 &&
  "$STRATA_RUN" train --preset mlrf/both-fnn-sa4 --data tiny --name first --set model.embed_dim=32 \
    --set model.ffn_dim=64 --set training.max_updates=3 --set checkpoint.every_updates=1 \
    --set validation.every_updates=3 --set 'validation.metrics=[nll]' --set checkpoint.metric=valid/nll \
    --set 'validation.monitor=[]' --set validation.samples=0; } > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - "$work" <<'PYTHON'
import glob, math, os, shutil, sys, time
from serve_client import Server, check, finish

work = sys.argv[1]
run = glob.glob(work + "/workspace/runs/1-*")[0]
text = "Der Hund sieht die Katze."
log = open(work + "/serve.log", "w+")
server = Server("--models", "2", log=log)


def close(a, b, tolerance=1e-4):
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))


def loads():
    return open(work + "/serve.log").read().count("loaded=")


# load
loaded = server.result("load", run="first")
check("the best checkpoint by default", loaded["step"] == 3, loaded)
check("parameters", loaded["parameters"] > 10000 and loaded["family"] == "transformer")
check("what can be recorded", "decoder.fusion.hop_weights" in [info["name"] for info in loaded["recordings"]])
check("by step", server.result("load", run="1", checkpoint="1")["step"] == 1)
check("by name and step", server.result("load", run="first@2")["step"] == 2)

# translate
found = server.result("translate", run="1", checkpoint="best", text=text, beam=4, nbest=3, lengthPenalty="mean",
                      record=["decoder.fusion.hop_weights", "decoder.layers.0.encoder_attn"])
check("source words", found["tokens"][-1] == "</s>" and len(found["tokens"]) > 5, found["tokens"])
check("three alternatives", len(found["hypotheses"]) == 3)
scores = [hypothesis["score"] for hypothesis in found["hypotheses"]]
check("best first", scores == sorted(scores, reverse=True), scores)
for hypothesis in found["hypotheses"]:
    words, values = hypothesis["tokens"], hypothesis["logProbabilities"]
    check("a value a word", len(words) == len(values) and words[-1] == "</s>" and max(values) <= 0)
    check("their sum", math.isclose(sum(values), hypothesis["logProbability"], rel_tol=1e-6))
    check("the score is the mean", math.isclose(sum(values) / len(words), hypothesis["score"], rel_tol=1e-6))
    recorded = {recording["name"]: recording for recording in hypothesis["recordings"]}
    hops = recorded["decoder.fusion.hop_weights"]
    check("axes", hops["axes"] == ["target", "hop", "level"] and hops["kind"] == "hop_weights" and hops["side"] == "decoder")
    rows, count, levels = hops["shape"]
    check("a row a word", rows == len(words) and len(hops["values"]) == rows * count * levels, hops["shape"])
    check("hops are distributions", all(math.isclose(sum(hops["values"][at:at + levels]), 1, abs_tol=1e-4)
                                        for at in range(0, len(hops["values"]), levels)))
    attention = recorded["decoder.layers.0.encoder_attn"]
    check("attention", attention["shape"][1:] == [len(words), len(found["tokens"])], attention["shape"])
plain = server.result("translate", run="1", text=text, beam=4, lengthPenalty="mean")["hypotheses"]
check("without recordings", "recordings" not in plain[0] and plain[0]["tokens"] == found["hypotheses"][0]["tokens"])
check("an internal it does not have", server.result("translate", run="1", text=text, record=["no.such"])
      ["hypotheses"][0]["recordings"] == [])

# The greedy translation, word for word through `step`.
greedy = server.result("translate", run="1", text=text, beam=1)["hypotheses"][0]
prefix = []
for value in greedy["logProbabilities"][:6]:
    following = server.result("step", run="1", text=text, prefix=prefix, topk=3)
    likely = [entry["logProbability"] for entry in following["next"]]
    check("sorted", len(likely) == 3 and likely == sorted(likely, reverse=True))
    if prefix != greedy["tokens"][:-1]:
        check("its value", abs(likely[0] - value) < 1e-4, (likely[0], value))
        prefix.append(following["next"][0]["token"])
check("beam 1 is greedy", prefix == greedy["tokens"][:len(prefix)], (prefix, greedy["tokens"]))

# The same hypothesis by forced decoding
hypothesis = found["hypotheses"][1]
forced = server.result("force", run="1", text=text, target=hypothesis["tokens"],
                       record=["decoder.fusion.hop_weights"])["hypotheses"]
check("one answer", len(forced) == 1 and forced[0]["tokens"] == hypothesis["tokens"])
check("its values", close(forced[0]["logProbabilities"], hypothesis["logProbabilities"]))
hops = [[recording["values"] for recording in entry["recordings"] if recording["kind"] == "hop_weights"][0]
        for entry in (forced[0], hypothesis)]
check("its recordings", close(*hops))
words = server.result("force", run="1", text=text, target="the dog")["hypotheses"][0]
check("words by text", words["text"].startswith("the dog") and words["tokens"][-1] == "</s>", words)
begun = server.result("force", run="1", text=text, prefix="the dog", beam=3, nbest=3, maxLength=6)["hypotheses"]
check("a forced beginning", len(begun) == 3 and all(entry["tokens"][:2] == words["tokens"][:2] for entry in begun), begun)
check("no longer than allowed", all(len(entry["tokens"]) <= 6 for entry in begun))

# Weights of an attention that are given at one place, from which the model goes on. `attention` is the best hypothesis's.
def given(text_weights, place=1, method="force", **more):
    names = ["decoder.layers.%d.encoder_attn" % layer for layer in range(layers)]
    return dict(run="1", text=text, beam=3, nbest=1, prefix=best["tokens"][:place], **more,
                intervene=["%s[head=%d,target=%d]=%s" % (name, head, place, text_weights(name, head, place))
                           for name in names for head in range(heads)])


best = server.result("translate", run="1", text=text, beam=3, record=["decoder.layers.*"])["hypotheses"][0]
maps = {recording["name"]: recording for recording in best["recordings"] if recording["name"].endswith("encoder_attn")}
layers, (heads, _, positions) = len(maps), next(iter(maps.values()))["shape"]


def own(name, head, place):
    rows = maps[name]["shape"][1]
    row = maps[name]["values"][(head * rows + place) * positions:][:positions]
    return "read:" + ",".join("%d*%.9g" % (at, weight) for at, weight in enumerate(row))


plain = server.result("force", **{**given(own), "intervene": []})["hypotheses"][0]
same = server.result("force", **given(own))["hypotheses"][0]
check("its own weights change nothing", same["tokens"] == plain["tokens"] and
      close(same["logProbabilities"], plain["logProbabilities"], 1e-5))
other = server.result("force", **given(lambda *_: "read:0"))["hypotheses"][0]
check("the beginning stays", other["tokens"][:1] == best["tokens"][:1] and
      close(other["logProbabilities"][:1], plain["logProbabilities"][:1], 1e-6))
check("what follows does not", not close(other["logProbabilities"][1:2], plain["logProbabilities"][1:2], 1e-5))
for name, part, texts in (
        ("no such internal", "no internal 'decoder.nothing'", ["decoder.nothing[target=1]=read:0"]),
        ("no intervention", "is not an intervention", ["decoder.layers.0.encoder_attn[target=1]=read:"]),
        ("a mean", "strata-run translate --intervene", ["encoder.memory=mean"])):
    fault = server.fault("translate", run="1", text=text, intervene=texts)
    check(name, fault.get("code") == -32602 and part in fault["message"], fault)
fault = server.fault("translate", run="1", text=text, intervene=["decoder.layers.0.encoder_attn[target=1]=read:99"])
check("no such word", "so position 99 cannot be read" in fault["message"], fault)

# Invalid requests
for name, part, params in (
        ("no model", "'run'", {"text": text}),
        ("both", "'run'", {"run": "1", "model": run, "text": text}),
        ("no text", "'text'", {"run": "1"}),
        ("an empty text", "'text'", {"run": "1", "text": " \n"}),
        ("a beam of 0", "'beam'", {"run": "1", "text": text, "beam": 0}),
        ("more alternatives than beam", "nbest", {"run": "1", "text": text, "beam": 2, "nbest": 3}),
        ("an unknown member", "'colour'", {"run": "1", "text": text, "colour": 1}),
        ("a novel", "sentences", {"run": "1", "text": "Hund " * 5000})):
    fault = server.fault("translate", **params)
    check(name, fault.get("code") == -32602 and part in fault["message"], fault)
for name, part, params in (
        ("an unknown run", "second", {"run": "second", "text": text}),
        ("an unknown step", "77", {"run": "1", "checkpoint": "77", "text": text}),
        ("no folder", "/nowhere", {"model": "/nowhere", "text": text}),
        ("a length rule", "long", {"run": "1", "text": text, "lengthPenalty": "long"})):
    fault = server.fault("translate", **params)
    check(name, fault.get("code") == -32000 and part in fault["message"], fault)
check("no such word", server.fault("step", run="1", text=text, prefix=["zzzz"])["code"] == -32602)

# Cancelling: a search that would take minutes
long = {"run": "1", "text": "Hund " * 900, "beam": 200, "lengthPenalty": "none"}
search = server.send("translate", **long)
time.sleep(0.5)
begin = time.monotonic()
cancel = server.send("cancel", id=search)
answers = server.answers(2)
passed = time.monotonic() - begin
check("cancelled", answers[cancel]["result"] == {"cancelled": True} and answers[search]["error"]["code"] == -32800)
check("within 200 ms", passed <= 0.2, passed)
check("it goes on", server.result("translate", run="1", text=text, beam=1)["hypotheses"][0]["tokens"] == greedy["tokens"])
older = server.send("translate", **long, latest=True)
newer = server.send("translate", run="1", text=text, beam=1, latest=True)
answers = server.answers(2)
check("the latest input wins", answers[older]["error"]["code"] == -32800 and
      answers[newer]["result"]["hypotheses"][0]["tokens"] == greedy["tokens"])

# Two models stay loaded.
for step in ("1", "2"):
    server.result("load", run="first", checkpoint=step)
before = loads()
for step in ("2", "1", "2"):
    server.result("load", run="first", checkpoint=step)
check("loaded models are kept", loads() == before, loads() - before)
server.result("load", run="first", checkpoint="3")
server.result("load", run="first", checkpoint="2")
check("the last used is kept", loads() == before + 1, loads() - before)
server.result("load", run="first", checkpoint="1")
check("the oldest goes", loads() == before + 2, loads() - before)

# A model can be given by its folder, with the text pipeline of its run or its own.
best = found["hypotheses"][0]["tokens"]
search = {"text": text, "beam": 4, "lengthPenalty": "mean"}
copy = work + "/copy"
os.mkdir(copy)
for name in ("config.json", "model.safetensors"):
    shutil.copy(run + "/checkpoints/step-00000003/" + name, copy)
check("by folder", server.result("translate", model=run + "/checkpoints/step-00000003", **search)
      ["hypotheses"][0]["tokens"] == best)
check("no text", "text pipeline" in server.fault("translate", model=copy, **search)["message"])
check("but a model", server.result("load", model=copy)["parameters"] == loaded["parameters"])
shutil.copytree(run + "/text", copy + "/text")
check("its own text", server.result("translate", model=copy, **search)["hypotheses"][0]["tokens"] == best)

# Damage is reported, and another checkpoint is suggested.
with open(run + "/checkpoints/step-00000002/model.safetensors", "r+b") as file:
    file.seek(-3, os.SEEK_END)
    byte = file.read(1)
    file.seek(-3, os.SEEK_END)
    file.write(bytes([byte[0] ^ 16]))
fault = server.fault("translate", run="first@2", text=text)
check("a damaged checkpoint is refused", fault.get("code") == -32000 and "step-00000002/model.safetensors" in fault["message"], fault)
check("another one is offered", "step-00000003" in fault["message"], fault)
check("it goes on after damage", server.result("load", run="first@3")["step"] == 3)
check("the end", server.close() == 0)
finish("serve translates")
PYTHON
