"""Goes through the table of formats of docs/other-tools.md: gives two sentence pairs in each format to each verb, and
compares whether they are read, as the same as lines, or refused by the name of the format. sentences.py DOCUMENT, in a
folder of its own, with STRATA_RUN and STRATA_WORKSPACE."""
import json
import os
import re
import sys

from format_tables import lines, run, table, workspace, written

SIDES = {"de": ["eins zwei drei", "vier & fünf"], "en": ["one two three four", "five & six seven eight"]}
ESCAPED = {side: [line.replace("&", "&amp;") for line in lines] for side, lines in SIDES.items()}
LANGUAGES = ["--source-language", "de", "--target-language", "en"]
failed = []


def segments(side):
    return "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(ESCAPED[side], 1))


def sgml(side, element, language):
    return f'<{element} setid="x" {language}="{side}">\n<doc docid="d" sysid="s">\n{segments(side)}</doc>\n</{element}>\n'


def wmt():
    return ("<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"x\"><doc origlang=\"de\" id=\"d\">\n"
            f'<src lang="de">{segments("de")}</src><ref lang="en" translator="A">{segments("en")}</ref>'
            f'<hyp lang="en" system="s">{segments("en")}</hyp></doc></dataset>\n')


def tmx():
    units = "".join(f'<tu><tuv xml:lang="de"><seg>{de}</seg></tuv><tuv xml:lang="en"><seg>{en}</seg></tuv></tu>\n'
                    for de, en in zip(ESCAPED["de"], ESCAPED["en"]))
    return f'<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="de"/><body>\n{units}</body></tmx>\n'


def objects():
    return [{"translation": {"de": de, "en": en}} for de, en in zip(SIDES["de"], SIDES["en"])]


def both(name, text):
    return {side: written(name, text) for side in SIDES}


def each(pattern, of):
    return {side: written(pattern.format(side), of(side)) for side in SIDES}


# By the name in the table: {side: file}, and options that are needed.
SAMPLES = {
    "lines": lambda: (each("plain.{}", lambda side: "\n".join(SIDES[side]) + "\n"), []),
    "lines, compressed": lambda: (each("packed.{}.gz", lambda side: "\n".join(SIDES[side]) + "\n"), []),
    "SGML": lambda: ({"de": written("src.sgm", sgml("de", "srcset", "srclang")),
                      "en": written("ref.sgm", sgml("en", "refset", "trglang"))}, []),
    "WMT XML": lambda: (both("wmt.xml", wmt()), []),
    "TMX": lambda: (both("memory.tmx", tmx()), []),
    "JSON lines": lambda: (both("pairs.jsonl", "".join(json.dumps(line) + "\n" for line in objects())), []),
    "TSV": lambda: (both("pairs.tsv", "".join(f"{de}\t{en}\n" for de, en in zip(SIDES["de"], SIDES["en"]))),
                    ["--source-column", "1", "--target-column", "2"]),
    "XLIFF": lambda: (both("pairs.xlf", '<?xml version="1.0"?>\n<xliff version="1.2"><file></file></xliff>\n'), []),
    "gettext": lambda: (both("pairs.po", 'msgid "eins"\nmsgstr "one"\n'), []),
    "CSV": lambda: (both("pairs.csv", "eins,one\nzwei,two\n"), []),
    "HTML": lambda: (both("page", "<!DOCTYPE html>\n<html><body><p>eins</p></body></html>\n"), []),
    "JSON list": lambda: (both("pairs.json", json.dumps(objects()) + "\n"), []),
    "Parquet": lambda: (both("pairs.parquet", "PAR1\0\0\0PAR1"), []),
}
# What a refusal calls the format.
NAMES = {"XLIFF": "XLIFF", "gettext": "gettext", "CSV": "CSV", "HTML": "<html>", "JSON list": "a list", "Parquet": "Parquet"}


def only(options, *kept):
    """The options of a list of pairs whose names are kept."""
    return [word for at in range(0, len(options), 2) if options[at] in kept for word in options[at:at + 2]]


class Verbs:
    """Each reads the files of a format and returns (status, what was said, whether the sentences are those of SIDES)."""

    def __init__(self, key, files, columns):
        self.key, self.files, self.columns = key, files, columns
        self.name = "t" + re.sub(r"\W", "", key)
        self.pair = files["de"] + "," + files["en"]
        written("plain.en", "\n".join(SIDES["en"]) + "\n")

    def prepare(self):
        status, _, said = run("data", "prepare", "--name", self.name, "--source", "de", "--target", "en", "--train", self.pair,
                              "--valid", "valid=" + self.pair, *self.columns)
        texts = [] if status else [lines(workspace("datasets", self.name, "sets/valid", name)) for name in ("raw.source", "raw.target")]
        return status, said, texts == list(SIDES.values())

    def preview(self):
        status, out, said = run("data", "preview", "--source", "de", "--target", "en", "--train", self.pair, "--merges", "10", *self.columns)
        if status:
            return status, said, False
        preview = json.loads(out)
        stops = [line["text"] for line in preview["rejected"] if line["stops"]]
        pairs = [[pair["source"], pair["target"]] for pair in preview["pairs"]]
        return len(stops), " ".join(stops), pairs == [list(pair) for pair in zip(*SIDES.values())]

    def import_set(self):
        status, _, said = run("systems", "import-set", "--name", self.name, "--reference", self.files["en"], "--source",
                              self.files["de"], *LANGUAGES, *self.columns)
        texts = [] if status else [lines(workspace("testsets", self.name, name)) for name in ("raw.source", "raw.target")]
        return status, said, texts == list(SIDES.values())

    def import_system(self):
        if not os.path.exists(workspace("testsets", "plain")):
            run("systems", "import-set", "--name", "plain", "--reference", "plain.en", "--target-language", "en")
        status, _, said = run("systems", "import", self.files["en"], "--name", self.name, "--set", "plain",
                              *only(self.columns, "--target-column"))
        return status, said, not status and lines(workspace("systems", self.name, "output.txt")) == SIDES["en"]

    def evaluate(self):
        target = only(LANGUAGES + self.columns, "--target-language", "--target-column")
        status, out, said = run("evaluate", "--reference", self.files["en"], "--hypothesis", self.files["en"], "plain.en", *target)
        scores = [] if status else [system["scores"]["BLEU"]["score"] for system in json.loads(out)["systems"]]
        return status, said, [round(score, 3) for score in scores] == [100, 100]

    def compare(self):
        status, out, said = run("compare", "--reference", self.files["en"], "--source", self.files["de"], "--system",
                                "a=" + self.files["en"], "b=plain.en", *LANGUAGES, *self.columns)
        scores = [] if status else [system["scores"]["BLEU"]["score"] for system in json.loads(out)["systems"]]
        return status, said, [round(score, 3) for score in scores] == [100, 100]

    def align(self):
        written("links", "0-0 2-3\n2-4\n")  # the first and the last words of both sides
        status, _, said = run("align", "--hypothesis", "links", "--gold", "links", "--source", self.files["de"], "--target",
                              self.files["en"], *LANGUAGES, *self.columns)
        return status, said, "warning" not in said


VERBS = {"`data prepare`": Verbs.prepare, "`data preview`": Verbs.preview, "`systems import-set`": Verbs.import_set,
         "`systems import`": Verbs.import_system, "`evaluate`": Verbs.evaluate, "`compare`": Verbs.compare, "`align`": Verbs.align}


def main(path):
    rows = table(path, "format")
    if {row["format"] for row in rows} != set(SAMPLES):
        failed.append(f"the table has {[row['format'] for row in rows]}, this test {list(SAMPLES)}")
    for row in rows:
        key = row["format"]
        if key not in SAMPLES:
            continue
        missing = set(VERBS) - set(row)
        if missing:
            failed.append(f"the table lacks the columns {missing}")
        for verb, call in VERBS.items():
            status, said, same = call(Verbs(key, *SAMPLES[key]()))
            if row.get(verb) == "read" and (status or not same):
                failed.append(f"{key}, {verb}: status {status}, {'other sentences' if not same else ''} {said}")
            elif row.get(verb) == "refused" and (not status or NAMES[key] not in said):
                failed.append(f"{key}, {verb}: status {status}, not refused by its name: {said}")
            elif row.get(verb) not in ("read", "refused"):
                failed.append(f"{key}, {verb}: the table says {row.get(verb)}")
    print("\n".join(failed) or f"{len(rows)} formats hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
