"""Goes through the table of foreign files of docs/other-tools.md: gives each file to its verb, and compares what was read with
what is known of the file, or whether it is refused by the name of its format. foreign_files.py DOCUMENT REFERENCES, in a folder
of its own, with STRATA_RUN and STRATA_WORKSPACE. Files of TensorBoard, sacreBLEU, subword-nmt, SentencePiece, Hugging Face and
the Translate Toolkit are made by these (foreign-packages.txt); logs of fairseq and JoeyNMT are in REFERENCES."""
import json
import os
import re
import subprocess
import sys

import sentencepiece
import tokenizers
from subword_nmt import apply_bpe, learn_bpe
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from translate.storage import po, tmx, xliff

from format_tables import lines, run, table, workspace, written

DE, EN = ["der Hund schläft .", "die Katze sieht den Hund ."], ["the dog sleeps .", "the cat sees the dog ."]
REFERENCES = os.path.abspath(sys.argv[2])
STEPS = [(10, 3.5), (20, 3.25), (30, 3.0)]
SCORES = [0.5, 0.25]
names = iter(range(1000))


def text(*rows):
    return "".join(row + "\n" for row in rows)


# --- Each gives (status, what was said, what was read) of a verb for a file ---------------------------------------------------

def curves(path):
    """{series: [(step, value)]}"""
    name = f"run{next(names)}"
    status, _, said = run("runs", "import", path, "--name", name)
    if status:
        return status, said, None
    run("runs", "export", name, "--format", "json", "--output", name + ".json")
    series = json.load(open(name + ".json"))["series"]
    return status, said, {key: [(step, value) for step, _, value in points] for key, points in series.items()}


def scores(path):
    name = f"system{next(names)}"
    run("systems", "import", "plain.en", "--name", name, "--set", "set")
    status, _, said = run("systems", "scores", "import", path, "--set", "set", "--system", name, "--metric", "M")
    if status:
        return status, said, None
    listed = json.loads(run("systems", "scores", "list", "--set", "set")[1])["scores"]
    return status, said, next(each["mean"] for each in listed if each["system"] == name)


def output(path):
    name = f"system{next(names)}"
    status, _, said = run("systems", "import", path, "--name", name, "--set", "set")
    return status, said, None if status else lines(workspace("systems", name, "output.txt"))


def agreement(hypothesis, gold, *options):
    """Precision and recall."""
    status, out, said = run("align", "--hypothesis", hypothesis, "--gold", gold, *options)
    if status:
        return status, said, None
    found = json.loads(out)["systems"][0]
    return status, said, (found["precision"], found["recall"])


def links(path):
    return agreement(path, "links")


def naacl(path):
    return agreement("links", path, "--format", "naacl")


def prepared(*options):
    """Source words of the set, subwords where they are, and how many of them are unknown."""
    name = f"data{next(names)}"
    status, _, said = run("data", "prepare", "--name", name, "--source", "de", "--target", "en", "--train", "plain.de,plain.en",
                          "--valid", "valid=plain.de,plain.en", "--tokenizer", "none", *options)
    if status:
        return status, said, None
    found = json.loads(run("data", "show", name)[1])["sets"]["valid"]
    return status, said, (found["source_tokens"], found["source_unknown"])


def vocabulary(path):
    return prepared("--source-vocabulary", path, "--target-vocabulary", "words.en")


def codes(path):
    return prepared("--codes", path)


def dictionary(path):
    if not os.path.exists(workspace("datasets", "words")):
        run("data", "prepare", "--name", "words", "--source", "de", "--target", "en", "--train", "plain.de,plain.en",
            "--valid", "valid=plain.de,plain.en", "--tokenizer", "none")
    status, _, said = run("data", "lexicon", "--dataset", "words", "--import", path)
    return status, said, None if status else "read"


def sentences(path):
    status, out, said = run("evaluate", "--reference", "plain.en", "--hypothesis", path, "--target-language", "en")
    return status, said, None if status else round(json.loads(out)["systems"][0]["scores"]["BLEU"]["score"], 3)


VERBS = {"runs import": curves, "systems scores import": scores, "systems import": output, "align": links,
         "align --format naacl": naacl, "data prepare --source-vocabulary": vocabulary, "data prepare --codes": codes,
         "data lexicon --import": dictionary, "evaluate": sentences}


# --- Files that the tools make ------------------------------------------------------------------------------------------------

def tensorboard(folder):
    writer = EventFileWriter(folder)
    for step, value in STEPS:
        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag="loss", simple_value=value)])
        writer.add_event(event_pb2.Event(wall_time=1000 + step, step=step, summary=summary))
    writer.close()
    return folder


def packed_events(folder):
    [name] = os.listdir(tensorboard(folder))
    data = open(os.path.join(folder, name), "rb").read()
    os.remove(os.path.join(folder, name))
    written(os.path.join(folder, name + ".gz"), data)
    return folder


def sacrebleu_prints(name, *options):
    """What its program prints for a file that is its own reference."""
    done = subprocess.run([sys.executable, "-m", "sacrebleu", "plain.en", "-i", "plain.en", "-m", "chrf", *options],
                          capture_output=True, check=True)
    return written(name, done.stdout)


def subword_codes():
    with open("subword.codes", "w", encoding="utf-8") as out:
        learn_bpe.learn_bpe(open("plain.de", encoding="utf-8"), out, 3)
    return "subword.codes"


def subwords(codes):
    """How many there are, as subword-nmt applies its codes."""
    with open(codes, encoding="utf-8") as file:
        return len(" ".join(map(apply_bpe.BPE(file).process_line, DE)).split())


def sentencepiece_model(ending):
    if not os.path.exists("pieces.model"):
        sentencepiece.SentencePieceTrainer.train(input="plain.de", model_prefix="pieces", vocab_size=25, minloglevel=2)
    return "pieces" + ending


def hugging_face():
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.train(["plain.de"], tokenizers.trainers.BpeTrainer(vocab_size=40, show_progress=False))
    made.save("tokenizer.json")
    return "tokenizer.json"


def merges():
    """Of bytes, where a blank before a word is a part of it."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    made.train(["plain.de"], tokenizers.trainers.BpeTrainer(vocab_size=100, show_progress=False))
    return next(path for path in made.model.save(".") if path.endswith("merges.txt"))


def translate_toolkit(store, name):
    for source, target in zip(DE, EN):
        if isinstance(store, tmx.tmxfile):
            store.addtranslation(source, "de", target, "en")
        else:
            store.addsourceunit(source).target = target
    return written(name, bytes(store))


# --- Files after the tools' documents -----------------------------------------------------------------------------------------

def comet(name):
    return written(name, json.dumps({"plain.en": [{"src": de, "mt": en, "COMET": score}
                                                  for de, en, score in zip(DE, EN, SCORES)]}))


def comet_compare(name):
    return written(name, json.dumps({"model": "m", "source": DE, "reference": EN, "translations": [
        {"name": "x", "mt": EN, "scores": SCORES}]}))


def logged(path, pattern):
    """(step, value) of a log's lines, found by another way than the importer's."""
    return [(int(step), float(value)) for step, value in re.findall(pattern, open(path, encoding="utf-8").read())]


def reference(name):
    return os.path.join(REFERENCES, "curves", name)


MARIAN = text("[2024-01-31 10:00:00] [marian] Marian v1.12.0", "[2024-01-31 10:01:00] Ep. 1 : Up. 100 : Sen. 6,200 : Cost 9.3 : Time 1s")
OPENNMT = text("[2024-01-31 10:01:00,000 INFO] Step 50/ 1000; acc: 3.1; ppl: 220.0; xent: 5.4; lr: 0.1; 5/5 tok/s; 12 sec")
NAACL = "".join(f"{s} {w} {w} S\n" for s, words in (("1", "1234"), ("2", "125")) for w in words)
JSON_LR, SIMPLE_LR = (r'train_inner.*"num_updates": "(\d+)", "lr": "([^"]+)"', r"train_inner.*num_updates=(\d+), lr=([^,]+)")
BLEU = r"Steps: (\d+).*?bleu: ([0-9.]+)"
MEAN, ALL_LINKS = sum(SCORES) / 2, (1.0, 1.0)
KNOWN = [("der", 1), ("Hund", 2), (".", 2)]
WORDS = sum(len(line.split()) for line in DE)

# By the first column: the file, and what is read of it, or how a refusal calls it.
SAMPLES = {
    "TensorBoard's events": lambda: (tensorboard("events"), lambda read: read == {"loss": STEPS}),
    "TensorBoard's events, compressed": lambda: (packed_events("packed"), lambda read: read == {"loss": STEPS}),
    "fairseq's log, json": lambda: (reference("fairseq-0.10.2-json.log"), lambda read: read["lr"] == logged(
        reference("fairseq-0.10.2-json.log"), JSON_LR)),
    "fairseq's log, simple": lambda: (reference("fairseq-0.12.2-simple.log"), lambda read: read["lr"] == logged(
        reference("fairseq-0.12.2-simple.log"), SIMPLE_LR)),
    "JoeyNMT's folder": lambda: (reference("joeynmt-2.3.0"), lambda read: read["valid/bleu"] == logged(
        reference("joeynmt-2.3.0/validations.txt"), BLEU)),
    "Marian's log": lambda: (written("marian.log", MARIAN), "Marian's log"),
    "OpenNMT-py's log": lambda: (written("opennmt.log", OPENNMT), "OpenNMT-py's log"),
    "Sockeye's metrics": lambda: (written("metrics", text("1\tbleu-val=0.10\tepoch=0", "2\tbleu-val=0.20\tepoch=0")), "Sockeye's metrics"),
    "Hugging Face's trainer state": lambda: (written("trainer_state.json", json.dumps({"log_history": [{"step": 1, "loss": 2.0}]}, indent=2)),
                                             "Hugging Face's Trainer"),
    "Weights & Biases' run": lambda: (written("run-1.wandb", b":W&B\xe1\xbe\x00" + bytes(40)), "a Weights & Biases run"),
    "MLflow's metric": lambda: (written("loss", text("1700000000000 3.5 10", "1700000001000 3.25 20")), "MLflow's folder"),
    "curves as CSV": lambda: (written("curve.csv", text("Wall time,Step,Value", "1700000000.0,10,3.5")), "CSV"),
    "COMET's scores, json": lambda: (comet("comet.json"), MEAN),
    "comet-compare's scores": lambda: (comet_compare("compare.json"), MEAN),
    "what comet-score prints": lambda: (written("printed.txt", "".join(f"plain.en\tSegment {n}\tscore: {score:.4f}\n"
                                                                      for n, score in enumerate(SCORES))), MEAN),
    "WMT's seg.score": lambda: (written("M-refA.seg.score", "".join(f"x\t{score}\n" for score in SCORES)), MEAN),
    "scores as TSV": lambda: (written("table.tsv", text("id\tscore", "2\t0.25", "1\t0.5")), MEAN),
    "numbers, one a line": lambda: (written("numbers.txt.gz", text(*map(str, SCORES))), MEAN),
    "sacreBLEU's scores, json": lambda: (sacrebleu_prints("bleu.json"), "what sacreBLEU prints"),
    "sacreBLEU's scores, text": lambda: (sacrebleu_prints("bleu.txt", "-f", "text"), "what sacreBLEU prints"),
    "scores as CSV": lambda: (written("scores.csv", text("id,score", "1,0.5", "2,0.25")), "CSV"),
    "scores as JSON lines": lambda: (written("scores.jsonl", text('{"prediction": 0.5}', '{"prediction": 0.25}')), "JSON lines"),
    "scores as a JSON list": lambda: (written("list.json", json.dumps(SCORES)), "a list in JSON"),
    "scores in Excel": lambda: (written("scores.xlsx", b"PK\3\4" + bytes(30)), "Excel"),
    "scores in Parquet": lambda: (written("scores.parquet", b"PAR1\x15\0\0\0PAR1"), "Parquet"),
    "fairseq-generate's output": lambda: (written("generate.out", "".join(
        f"S-{n}\t{de}\nT-{n}\t{en}\nH-{n}\t-0.5\t{en}\nP-{n}\t-0.5\n" for n, (de, en) in reversed(list(enumerate(zip(DE, EN)))))), EN),
    "Marian's n-best list": lambda: (written("marian.nbest", "".join(
        f"{n} ||| {en} ||| F0= -1 ||| -0.1\n{n} ||| worse ||| F0= -2 ||| -0.2\n" for n, en in enumerate(EN))), EN),
    "Sockeye's output, json": lambda: (written("sockeye.json", "".join(
        json.dumps({"sentence_id": str(n), "translation": en, "score": 0.5}) + "\n" for n, en in enumerate(EN))), EN),
    "Marian's output with links": lambda: (written("marian.links", text(*(en + " ||| 0-0 1-1" for en in EN))), "Marian writes them"),
    "OpenNMT-py's output with scores": lambda: (written("opennmt.scores", text(*(en + "\t-0.25" for en in EN))), "OpenNMT-py writes it"),
    "OpenNMT-tf's output with scores": lambda: (written("opennmt-tf.scores", text(*("-0.250000 ||| " + en for en in EN))), "OpenNMT-tf writes it"),
    "Sockeye's output with links": lambda: (written("sockeye.links", text(*(en + "\t0-0 1-1" for en in EN))), "Sockeye writes it"),
    "OpenNMT-py's log of a translation": lambda: (written("opennmt.out", "".join(
        f"SENT {n}: {de.split()}\nPRED {n}: {en}\nPRED SCORE: -0.5\n" for n, (de, en) in enumerate(zip(DE, EN), 1))), "OpenNMT-py's log"),
    "Pharaoh's links": lambda: (written("pharaoh", text("0-0 1-1 2-2 3-3", "0-0 1-1 4-4")), ALL_LINKS),
    "Pharaoh's links, compressed": lambda: (written("pharaoh.gz", text("0-0 1-1 2-2 3-3", "0-0 1-1 4-4")), ALL_LINKS),
    "TALP's links": lambda: (written("talp", text("0s0 1s1 2s2 3s3", "0s0 1s1 4s4")), ALL_LINKS),
    "NAACL's links": lambda: (written("naacl", NAACL), ALL_LINKS),
    "GIZA++'s A3": lambda: (written("x.A3.final", text("# Sentence pair (1) source length 2 target length 2 alignment score : 0.1", "the dog",
                                                      "NULL ({ }) der ({ 1 }) Hund ({ 2 })")), "A3 file of GIZA++"),
    "subword-nmt's vocabulary, fairseq's dictionary": lambda: (written("dict.de.txt", text(*(f"{w} {n}" for w, n in KNOWN))),
                                                               (WORDS, sum(word not in dict(KNOWN) for word in " ".join(DE).split()))),
    "SentencePiece's vocabulary": lambda: (sentencepiece_model(".vocab"), "a vocabulary of SentencePiece"),
    "SentencePiece's model": lambda: (sentencepiece_model(".model"), "a model of SentencePiece"),
    "Hugging Face's tokenizer": lambda: (hugging_face(), "a tokenizer of Hugging Face"),
    "Marian's vocabulary": lambda: (written("vocab.yml", text(*(f'"{w}": {n}' for n, (w, _) in enumerate(KNOWN)))), "a vocabulary in YAML"),
    "OpenNMT-py's vocabulary": lambda: (written("opennmt.vocab", text("<unk>\t0", *(f"{w}\t{n}" for w, n in KNOWN))), "a vocabulary with tabs"),
    "a vocabulary in JSON": lambda: (written("vocab.json", json.dumps({"der": 0, "Hund": 1})), "a vocabulary in JSON"),
    "subword-nmt's codes": lambda: (subword_codes(), (subwords("subword.codes"), 0)),
    "fastBPE's codes": lambda: (written("fast.codes", text("e n</w> 12", "t h 10")), "codes of fastBPE"),
    "Hugging Face's merges": lambda: (merges(), "Hugging Face's merges.txt"),
    "dictionary as TSV": lambda: (written("words.tsv", text("Hund\tdog\t0.9", "Katze\tcat")), "read"),
    "dictionary of Moses": lambda: (written("lex.f2e", text("dog Hund 0.9", "cat Katze 0.5")), "a lexical table of Moses"),
    "dictionary of fast_align": lambda: (written("fast.align", text("Hund\tdog\t-0.105361", "Katze\tcat\t-0.693147")), "fast_align writes it"),
    "Translate Toolkit's TMX": lambda: (translate_toolkit(tmx.tmxfile(), "kit.tmx"), 100.0),
    "Translate Toolkit's XLIFF": lambda: (translate_toolkit(xliff.xlifffile(), "kit.xlf"), "XLIFF"),
    "Translate Toolkit's PO": lambda: (translate_toolkit(po.pofile(), "kit.po"), "gettext"),
}


def fault(row):
    """What is wrong with a row of the table; none: nothing."""
    key, wanted = row["foreign file"], row["it is"]
    path, known = SAMPLES[key]()
    status, said, read = VERBS[row["given to"].strip("`")](path)
    if wanted == "refused":
        return None if status in (1, 2) and isinstance(known, str) and known in said else f"not refused by its name: {status} {said} {read}"
    if wanted != "read":
        return f"the table says {wanted}"
    if status:
        return f"status {status}: {said}"
    return None if (known(read) if callable(known) else known == read) else f"read as {read}"


def main(path):
    written("plain.de", text(*DE))
    written("plain.en", text(*EN))
    written("words.en", text(*(f"{word} 1" for word in sorted(set(" ".join(EN).split())))))
    written("links", text("0-0 1-1 2-2 3-3", "0-0 1-1 4-4"))
    run("systems", "import-set", "--name", "set", "--reference", "plain.en", "--source", "plain.de")
    rows = table(path, "foreign file")
    failed = []
    if {row["foreign file"] for row in rows} != set(SAMPLES):
        failed.append(f"only one of table and test has {sorted({row['foreign file'] for row in rows} ^ set(SAMPLES))}")
    for row in rows:
        if row["foreign file"] in SAMPLES and (wrong := fault(row)):
            failed.append(f"{row['foreign file']}, {row['given to']}: {wrong}")
    print("\n".join(failed) or f"{len(rows)} foreign files hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
