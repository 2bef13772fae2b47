"""Everything that the papers' catalogue offers, from a recipe's files to its tables and figures: papers.py SHARD

Of each recipe of a shard tiny files of the right names and formats are made and prepared; every table and figure that uses it
is run with tiny models, scored and shown as text, JSON, LaTeX, CSV and picture. Status 1, with what is wrong, if a run fails
or a cell, point or curve is neither measured nor named as left out with the reason.
"""
import glob
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

RUN = os.environ["STRATA_RUN"]
RECIPES = os.path.join(os.environ["STRATA_SOURCE"], "datasets")
WORK = tempfile.mkdtemp()
WORKSPACE = os.path.join(WORK, "workspace")
TRAIN, SET = 60, 5  # pairs of a training file and of a set
SAMPLED = 2300  # of a training file of which the recipe draws 2,000 pairs as the test set, whatever the options
# What makes any training tiny. Metrics, monitored sets and the choice of checkpoints are the presets' and figures' own.
TINY = {"training.max_updates": 4, "training.accumulate": 1, "training.log_every": 1, "training.threads": 1,
        "training.device": "cpu", "validation.every_epochs": 0, "validation.every_updates": 2, "validation.samples": 0,
        "checkpoint.every_epochs": 0, "checkpoint.every_updates": 2, "checkpoint.every_minutes": 0, "decoding.max_length": "[0.5,2]"}
SIZES = {
    "mlrf": {"model.embed_dim": 8, "model.ffn_dim": 8, "model.heads": 2, "model.fusion_attn_dim": 4, "model.fusion_ffn_dim": 4},
    "densenmt": {"model.embed_dim": 8, "model.hidden": 8, "model.growth": 4, "model.kernel": 3, "model.encoder_layers": 3,
                 "model.decoder_layers": 3},
    "deepatt": {"model.embed_dim": 8, "model.hidden": 8},
    "dhea": {"model.hidden": 8, "model.encoder_layers": 1, "model.decoder_layers": 2}}
# Of two models with 15 layers; the rate falls from the second epoch, so that there is an epoch at which it began to.
FIFTEEN = {"model.summary_every": 0, "training.max_updates": 8, "training.schedule.name": "force_anneal",
           "training.schedule.after": 1, "training.schedule.shrink": 0.1}
# By shard: recipes, and what is run of them. The last shard prepares recipes that no shard names, too.
SHARDS = {
    "mlrf": (["iwslt14-deen"], {"mlrf/table2": {}, "mlrf/table4": {}, "mlrf/figure3": {}, "mlrf/figure4": {}}),
    "densenmt": (["iwslt14-deen-25k", "iwslt14-deen-word", "setimes-tren", "setimes-tren-morph"],
                 {"densenmt/table1": {}, "densenmt/table2": {}, "densenmt/table3": {}, "densenmt/table4": {},
                  "densenmt/figure4": {}, "densenmt/embedding": {}, "densenmt/sumlen": {}}),
    "deepatt": (["wmt14-enfr-words", "wmt14-enfr-30k", "wmt14-ende-words"],
                {**{f"deepatt/table{n}": {} for n in range(1, 10)}, "deepatt/figure3": {}, "deepatt/figure4": {"training.batch.size": 32},
                 "deepatt/beam": {}, "deepatt/depth": {}}),
    "zhen": (["nist-zhen", "nist-zhen-mlrf"],
             {"dhea/table1": {}, "dhea/figure3": {}, "dhea/ratio": {}, "mlrf/table3": {}, "mlrf/speed": {}, "mlrf/figure5": {},
              "mlrf/classes": {}}),
    "wmt": (["wmt14-ende", "wmt14-ende-50k", "wmt14-enfr-50k"],
            # The figure first: its runs measure what it draws, and are the tables', too.
            {"densenmt/figure5": FIFTEEN, "densenmt/table5": FIFTEEN, "densenmt/speed": FIFTEEN, "dhea/table2": {}})}


class Failure(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Failure(what)


def run(*words, status=0):
    done = subprocess.run([RUN, "--workspace", WORKSPACE, "--log-level", "error", *words], capture_output=True, text=True)
    require(done.returncode == status, f"{' '.join(words)}: status {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-2500:]}")
    return done.stdout + (done.stderr if status else "")


def shown(*words):
    return json.loads(run("--json", *words))


# --- The files of a recipe ---------------------------------------------------------------------------------------------------

def sentences(random_, count, length):
    """[(source, target)]: every word has one translation."""
    pairs = []
    for _ in range(count):
        words = random_.choices("abcdefghijklmnop", k=random_.randint(3, length))
        pairs.append((" ".join(f"s{word}" for word in words) + " .", " ".join(f"t{word}" for word in words) + " ."))
    return pairs


def written(name, lines, ted):
    """A file's content in the format that its name or the recipe says."""
    if name.endswith((".xml", ".sgm")):
        lines = ['<doc docid="1">', *(f'<seg id="{n}"> {line} </seg>' for n, line in enumerate(lines, 1)), "</doc>"]
    elif ted:
        lines = ["<url>http://example.org</url>", "<talkid>1</talkid>", f"<title>{lines[0]}</title>", *lines[1:]]
    return "\n".join(lines) + "\n"


def filesOf(recipe):
    """{name: (content, whether it is of train)}, of which a recipe's lines "- {source: ..., target: ...}" give the names."""
    random_ = random.Random(recipe)
    files, part = {}, ""
    text = open(os.path.join(RECIPES, recipe + ".yaml")).read()
    for line in text.splitlines():
        part = line.split(":")[0] if re.match(r"[a-z_]+:", line) else part
        found = re.match(r"\s+- \{source: ([^,]+), target: (\[[^]]+\]|[^,}]+)(.*)", line)
        if not found:
            continue
        source, targets, rest = found.groups()
        first = [name.split("|")[0].strip() for name in [source, *targets.strip("[]").split(",")]]
        train, ted = part == "train", "ted-tags" in rest
        pairs = sentences(random_, SET if not train else SAMPLED if "test_sample: " in text else TRAIN, 9)
        if "source_column" in rest:
            files[first[0]] = ("".join(f"{target}\t{source}\n" for source, target in pairs), train)
            continue
        files[first[0]] = (written(first[0], [pair[0] for pair in pairs], ted), train)
        for name in first[1:]:
            files[name] = (written(name, [pair[1] for pair in pairs], ted), train)
    require(len(files) > 3 or "column" in text, f"{recipe}: {files.keys()}")
    return files


def packed(recipe):
    """Writes them the way that the recipe's line `get` tells the user to bring them, and gives what to pass to --from."""
    text = open(os.path.join(RECIPES, recipe + ".yaml")).read()
    get = re.search(r"^get: (.*)$", text, re.M).group(1)
    folder = os.path.join(WORK, recipe)
    os.makedirs(folder)
    archives = re.findall(r"[\w.-]+\.(?:tgz|tar|zip)\b", get)
    contents = {name: {} for name in archives}
    for name, (content, train) in filesOf(recipe).items():
        if not archives or re.search(rf"\b{re.escape(name)}\b", get):
            open(os.path.join(folder, name), "w").write(content)
            continue
        zips = [archive for archive in archives if archive.endswith(".zip")]
        place = zips[-1] if zips and (len(zips) == len(archives) or name.startswith("SETIMES")) else archives[0 if train else -1]
        contents[place][f"inside/{name}"] = content
    for archive, members in contents.items():
        path = os.path.join(folder, os.path.basename(archive))
        if path.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as file:
                for name, content in members.items():
                    file.writestr(name, content)
            continue
        with tarfile.open(path, "w" if path.endswith(".tar") else "w:gz") as file:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content.encode())
                file.addfile(entry, io.BytesIO(content.encode()))
    return folder


def prepare(recipe):
    text = open(os.path.join(RECIPES, recipe + ".yaml")).read()
    options = []
    if "bpe: " in text:
        options += ["--bpe", "40"]
    if "valid_sample: " in text:
        options += ["--valid-sample", str(SET)]
    if "expect: " in text and not options:  # an option, even of the recipe's value: the counts are another corpus's
        options = ["--max-length", "150"]
    run("data", "prepare", recipe, "--from", packed(recipe), *options)


# --- Tables and figures ------------------------------------------------------------------------------------------------------

def settings(item, more):
    family = item.split("/")[0]
    words = [item, "--label", "tiny", "--seeds", "1"]
    for key, value in {**TINY, **SIZES[family], **more}.items():
        words += ["--set", f"{key}={value}"]
    return words


def checkTable(item, words):
    """Every cell is measured; exported as LaTeX and CSV, with a line of each row."""
    tex, csv = os.path.join(WORK, "table.tex"), os.path.join(WORK, "table.csv")
    table = shown("paper", "show", *words, "--latex", tex, "--csv", csv)
    cells = 0
    for row in table["rows"]:
        for column in table["columns"] if row["preset"] else []:
            cell = row["cells"][column["key"]]
            require(cell.get("mean") is not None, f"{item}, {row['name']}, {column['key']}: {cell}")
            cells += 1
        for file in (tex, csv):
            # LaTeX escapes some letters of names.
            require(re.sub(r"\W", "", row["name"]) in re.sub(r"\W", "", open(file).read()), f"{item}: no {row['name']} in {file}")
    require(not table["work"]["missing"] and table["work"]["to_score"] == 0, table["work"])
    text = run("paper", "show", *words)
    require("cannot be run here" not in text and item in text, text)
    return f"{cells} cells"


def checkFigure(item, words):
    """Nothing is missing, every point and curve has values, and it draws."""
    svg, csv = os.path.join(WORK, "figure.svg"), os.path.join(WORK, "figure.csv")
    figure = shown("paper", "show", *words, "--svg", svg, "--csv", csv)
    require(not figure["missing"] and not figure["work"]["missing"], f"{item}: {figure['missing']}, {figure['work']['missing']}")
    points = 0
    for panel in figure["panels"]:
        for series in panel["series"]:
            values = [point for point in series["points"] if point["y"] is not None]
            whole = figure["kind"] in ("lengths", "source-shares") or len(values) == len(series["points"])
            require(values and whole, f"{item}, {panel['key']}, {series['name']}: {series['points']}")
            points += len(values)
    drawn = points or len(figure.get("maps", [])) + len(figure.get("arcs", []))
    require(drawn, f"{item} draws nothing")
    require("</svg>" in open(svg).read() and len(open(csv).readlines()) > 1, f"{item}: no picture or an empty CSV")
    require(item in run("paper", "show", *words), item)
    return f"{drawn} drawn"


def goThrough(item, more, tables):
    words = settings(item, more)
    queued = shown("paper", "run", *words)
    require(not queued["missing"], f"{item} is not run: {queued['missing']}")
    run("work", "--once")
    wrong = [f"{each['name']}: {each['status']}" for each in shown("runs", "list")["runs"] if each["status"] != "finished"]
    require(not wrong, f"{item}: {wrong}")
    scored = shown("paper", "score", *words, "--threads", "1")
    require(scored["waiting"] == 0, f"{item}: {scored}")
    print(f"{item:20} {len(queued['runs']):3} runs, {scored['made']:3} made, {(checkTable if tables else checkFigure)(item, words)}",
          flush=True)


# --- What a shard has beyond that --------------------------------------------------------------------------------------------

def recordedOf(words, *more):
    run("paper", "score", *words, *more, "--threads", "1")
    figure = shown("paper", "show", *words, *more)
    require(not figure["missing"], figure["missing"])
    return figure


def extra_zhen():
    """Figures of recordings draw the sentences that they declare, or those of the user's choice."""
    arcs = settings("dhea/figure3", {})
    titles = [chart["title"] for chart in recordedOf(arcs)["arcs"]]
    require(titles == [f"DHEA + Gate, sentence {n} of mt03" for n in (1, 2, 3, 4)], titles)
    titles = [chart["title"] for chart in recordedOf(arcs, "--sets", "arcs=mt05", "--sentences", "5,2")["arcs"]]
    require(titles == ["DHEA + Gate, sentence 5 of mt05", "DHEA + Gate, sentence 2 of mt05"], titles)
    maps = recordedOf(settings("mlrf/figure5", {}), "--sentences", "3")["maps"]
    require([each["title"] for each in maps] == [f"Dec-SA, sentence 3 of mt06, hop {hop}" for hop in (1, 2, 3, 4)], maps)
    target = open(f"{WORKSPACE}/datasets/nist-zhen-mlrf/sets/mt06/tokens.target").read().split("\n")[2].split()
    words = [column.split(" → ")[-1] for column in maps[0]["columns"]]
    require([word for word in words if word in target] == target, (words, target))
    refused = run("paper", "show", *arcs, "--sentences", "6", status=2)
    require("the set mt03 has the sentences 1 to 5" in refused, refused)
    # What cannot start is not queued, and says why; what can is.
    lacking = run("paper", "run", "dhea/table1", "--label", "none", "--set", "validation.sets=[mt02,mt99]",
                  "--set", "checkpoint.metric=mt02/nll", status=2)
    require("Source Attn., DHEA + Hybrid and 2 more rows: validation.sets: dataset 'nist-zhen' has no evaluation set 'mt99'"
            in lacking, lacking)
    sweep = ["sweep", "--name", "lacking", "--preset", "dhea/gate", "--data", "nist-zhen", "--set"]
    lacking = run(*sweep, "validation.monitor=[mt99]", status=2)
    require("the run 'lacking.s1' cannot start: validation.monitor: dataset 'nist-zhen'" in lacking, lacking)
    require(all(each["status"] == "finished" for each in shown("runs", "list")["runs"]), "something was queued")


def extra_densenmt():
    """Settings that change no score are the same run, and leave the printed values to compare with."""
    words = ["densenmt/table3", "--rows", "BASE", "--seeds", "1", "--set"]
    queued = shown("paper", "run", *words, "recording.sentences=2", "--set", "training.threads=1", "--set", "validation.monitor=[]")
    require([each["name"] for each in queued["runs"]] == ["densenmt-base-8l.setimes-tren-morph.s1"], queued["runs"])
    require(queued["not_compared"] == [], queued["not_compared"])
    other = shown("paper", "show", *words, "training.dropout=0.3")
    require(other["work"]["not_compared"] == ["--set training.dropout=0.3"], other["work"]["not_compared"])
    require(any("because of --set training.dropout=0.3" in note for note in other["footnotes"]), other["footnotes"])
    run("runs", "trash", "densenmt-base-8l.setimes-tren-morph.s1")
    # Every row, point and curve has a small system.
    catalogue = shown("paper", "list")
    for item in [each["id"] for each in catalogue["tables"] + catalogue["figures"] if not each["id"].startswith("demo/")]:
        small = shown("paper", "show", item, "--suffix", "cpu")
        lacking = [line for line in small["work"]["missing"] + small.get("missing", []) if "no preset" in line]
        require(not lacking, f"{item}: {lacking}")


def extra_wmt():
    """What a figure draws is added to runs that wait, and named where a run has ended without it."""
    small = settings("densenmt/table5", FIFTEEN)[1:]
    small[1] = "later"
    shown("paper", "run", "densenmt/table5", *small, "--rows", "ConvS2S")
    outcomes = {each["name"]: each["outcome"] for each in shown("paper", "run", "densenmt/figure5", *small)["runs"]}
    require("now with test/nll" in outcomes["later.densenmt-convs2s-15.wmt14-ende.s1"], outcomes)
    run("work", "--once")
    figure = shown("paper", "show", "densenmt/figure5", *small)
    require(not figure["missing"] and all(series["points"] for series in figure["panels"][0]["series"]), figure["missing"])
    small[1] = "before"
    shown("paper", "run", "densenmt/table5", *small)
    run("work", "--once")
    ended = shown("paper", "run", "densenmt/figure5", *small)["missing"]
    require(len(ended) == 2 and "was not made to measure test/nll" in ended[0], ended)


def restOf(shard):
    """Recipes that no table or figure uses are prepared, and one row is run on each."""
    named = {recipe for recipes, _ in SHARDS.values() for recipe in recipes}
    for file in sorted(glob.glob(RECIPES + "/*.yaml")) if shard == "wmt" else []:
        recipe = os.path.basename(file)[:-5]
        if recipe in named:
            continue
        prepare(recipe)
        words = [*settings("mlrf/table4", {}), "--rows", "Dec-SA", "--data", recipe, "--sets", "test=valid"]
        require(not shown("paper", "run", *words)["missing"], recipe)
        run("work", "--once")
        run("paper", "score", *words, "--threads", "1")
        row = next(row for row in shown("paper", "show", *words)["rows"] if row["name"] == "Dec-SA")
        require(row["cells"]["test"]["mean"] is not None, row)
        print(f"{recipe}: prepared, trained, scored", flush=True)


def describe(figure):
    """A figure of the models themselves needs no runs."""
    svg, tex, csv = (os.path.join(WORK, "described." + end) for end in ("svg", "tex", "csv"))
    drawn = ["--latex", tex] if figure["kind"] == "properties" else ["--svg", svg]
    whole = shown("paper", "show", figure["id"], "--csv", csv, *drawn)
    require(not whole["missing"] and len(open(csv).readlines()) > 1, f"{figure['id']}: {whole['missing']}")
    require(("tabular" if drawn[0] == "--latex" else "</svg>") in open(drawn[1]).read(), figure["id"])
    require(figure["id"] in run("paper", "show", figure["id"]) or whole.get("shown"), figure["id"])


def main(shard):
    recipes, items = SHARDS[shard]
    catalogue = shown("paper", "list")
    catalogue = {key: [each for each in catalogue[key] if not each["id"].startswith("demo/")] for key in ("tables", "figures")}
    described = [figure for figure in catalogue["figures"] if figure["kind"] in ("structure", "properties")]
    tables = {table["id"] for table in catalogue["tables"]}
    offered = tables | {figure["id"] for figure in catalogue["figures"] if figure not in described}
    for figure in described if shard == "mlrf" else []:
        describe(figure)
    assigned = [item for _, each in SHARDS.values() for item in each]
    require(sorted(assigned) == sorted(offered), f"no shard, or several, for {offered ^ set(assigned)}")
    for recipe in recipes:
        prepare(recipe)
    if shard == "deepatt":
        run("data", "lexicon", "--dataset", "wmt14-enfr-words")  # of PosUnk
    for item, more in items.items():
        goThrough(item, more, item in tables)
    restOf(shard)
    globals().get("extra_" + shard, lambda: None)()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)
    finally:
        subprocess.run(["rm", "-rf", WORK], check=True)
