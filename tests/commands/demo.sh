#!/usr/bin/env bash
# Drives `strata-run demo` as a user does, on a few pairs: what is in the workspace afterwards, what a second demo does, one that is
# interrupted, and the page.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export STRATA_WORKSPACE=$work/workspace
python3 - <<'PYTHON'
import json, os, re, signal, subprocess, sys, time

run = os.environ["STRATA_RUN"]
workspace = os.environ["STRATA_WORKSPACE"]
small = ["demo", "--pairs", "300", "--seeds", "2"]
failed = []


def check(name, condition, seen=None):
    if not condition:
        failed.append(name)
        print(f"FAIL {name}" + (f": {str(seen)[:400]}" if seen is not None else ""))


def strata(*arguments, status=0):
    done = subprocess.run([run, *arguments], capture_output=True, text=True)
    check("status of " + " ".join(arguments), done.returncode == status, (done.returncode, done.stderr))
    return done.stdout if status == 0 else done.stderr


def runs():
    return {each["name"]: each for each in json.loads(strata("--json", "runs", "list"))["runs"]}


# Interrupted while it trains: what was trained is kept, and the next demo goes on.
check("no report yet", "run `strata-run demo` first" in strata("demo", "--report-only", status=2))
first = subprocess.Popen([run, *small], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
until = time.time() + 300
while time.time() < until and first.poll() is None:
    if os.path.exists(workspace + "/workspace.db") and any(each["status"] == "finished" for each in runs().values()):
        break
    time.sleep(0.2)
first.send_signal(signal.SIGTERM)
check("the interrupted demo says so", first.wait(120) == 143, first.stderr.read())
before = runs()
check("it has trained something", any(each["status"] == "finished" for each in before.values()), before)
check("nothing goes on training", all(each["status"] != "running" for each in before.values()), before)

result = json.loads(strata("--json", *small))
after = runs()
check("all are finished", all(each["status"] == "finished" for each in after.values()), after)
check("what was finished is the same run", all(after[name]["id"] == each["id"] for name, each in before.items()))
names = [each["name"] for each in result["systems"]]
check("systems", names == ["Transformer", "MLRF", "DenseNMT", "DHEA", "Deep-Att"], names)
check("seeds", [len(each["runs"]) for each in result["systems"]] == [2, 2, 1, 1, 1], result["systems"])
check("two seeds are too few", result["difference"]["direction"] == "too few seeds", result["difference"])
check("whether the curves are flat is said", "flat" in result["learning"], result["learning"])
check("every system translates", all(all(each["translations"].values()) for each in result["examples"]))
scores = [each["BLEU"] for system in result["systems"] for each in system["runs"]]
check("every run is scored", all(score is not None for score in scores), scores)

# The last run of each system is looked into.
for system in result["systems"]:
    folder = after[system["runs"][-1]["name"]]["folder"]
    for part in ("effects", "layers"):
        check(f"{part} of {system['name']}", os.path.isdir(f"{folder}/{part}") and os.listdir(f"{folder}/{part}"))
    check(f"readers of {system['name']}",
          os.path.isdir(folder + "/readers") == (system["name"] in ("MLRF", "DenseNMT", "Deep-Att")))

# The table shows what the demo says.
table = json.loads(strata("--json", "paper", "show", "demo/systems", "--seeds", "2"))
shown = [each["cells"]["test"]["mean"] for each in table["rows"]]
check("the table", all(abs(a - b["BLEU"]) < 1e-9 for a, b in zip(shown, result["systems"])), shown)

# However many seeds are asked for, rows that are compared with no other need one, and nothing is printed of any.
runs_of = {each["name"]: each["cells"]["test"]["runs"] for each in json.loads(strata("--json", "paper", "show", "demo/systems"))["rows"]}
check("runs by row", {name: len(each) for name, each in runs_of.items()} ==
      {"Transformer": 3, "MLRF": 3, "DenseNMT": 1, "DHEA": 1, "Deep-Att": 1}, runs_of)
for figure in ("demo/gradients", "demo/arcs"):
    text = strata("paper", "show", figure)
    check(f"{figure} lacks nothing", "missing" not in text and "absent" not in text, text)
    check(f"{figure} has no printed values", "not subtracted" not in text, text)
check("the table has no printed values", "not subtracted" not in strata("paper", "show", "demo/systems"))

page = open(workspace + "/reports/demo/index.html").read()
for text in ("no ranking of the papers", "fast-forward", "Who reads whom", "Hop weights", "Target-side attention",
             "Gradient flow", result["verdict"].replace("'", "&#39;")):
    check(f"the page has {text}", text in page)
check("pictures", page.count("data:image/svg") == 6, page.count("data:image/svg"))

# A second demo trains nothing anew and finds the same.
again = json.loads(strata("--json", *small))
check("the same runs", runs().keys() == after.keys() and
      all(runs()[name]["step"] == each["step"] for name, each in after.items()))
check("the same results", {**again, "seconds": 0} == {**result, "seconds": 0})
check("the page alone", json.loads(strata("--json", "demo", "--report-only"))["systems"] == result["systems"])
sys.exit(1 if failed else 0)
PYTHON
