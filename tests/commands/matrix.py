"""Every verb on a family's own presets, through the real program: matrix.py PRESET... [ROW...] [--own-widths]

Models are the presets' own, but for their widths without --own-widths; batches, numbers of updates and the generated
corpus are small. Prints one row a verb, of those that are named or of all, and one column a preset; status 1 where a
cell fails.
"""
import array
import glob
import json
import math
import os
import socket
import struct
import subprocess
import sys
import tempfile

ENGINE = os.environ["STRATA_RUN"]
WORK = tempfile.mkdtemp()
WORKSPACE = os.path.join(WORK, "workspace")
SMALL = {
    "training.batch.unit": "sentences", "training.batch.size": 6, "training.accumulate": 1, "training.log_every": 1,
    "training.max_epochs": 0, "training.device": "cpu", "training.threads": 1, "validation.every_epochs": 0,
    "validation.monitor": "[]", "validation.metrics": "[nll,multi-bleu]", "validation.beam": 2, "validation.samples": 1,
    "checkpoint.every_epochs": 0, "checkpoint.every_minutes": 0, "checkpoint.metric": "valid/nll", "checkpoint.keep_last": 2,
    "recording.sentences": 1, "early_stopping.metric": '""', "decoding.beam": 2}
# Widths by the beginning of a preset's name: what a verb does with a model depends on none.
NARROW = {
    "deepatt/": {"model.embed_dim": 64, "model.hidden": 64},
    "dhea/": {"model.hidden": 64, "training.init": "xavier"},  # the preset's range lets nothing through layers so narrow
    "densenmt/": {"model.embed_dim": 64, "model.token_embed_dim": 64, "model.out_embed_dim": 64, "model.hidden": 64, "model.growth": 32},
    "baseline/fconv": {"model.embed_dim": 64, "model.hidden": 64},
    "baseline/transformer": {"model.embed_dim": 64, "model.ffn_dim": 128},
    "mlrf/": {"model.embed_dim": 64, "model.ffn_dim": 128, "model.fusion_attn_dim": 64, "model.fusion_ffn_dim": 64}}
WIDTHS = {}  # of the preset that is tested


class Failure(Exception):
    pass


def run(*arguments, stdin="", status=0):
    done = subprocess.run([ENGINE, "--workspace", WORKSPACE, *arguments], input=stdin, capture_output=True, text=True)
    if done.returncode != status:
        raise Failure(f"{' '.join(arguments)}: status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def training(name, preset, updates, more):
    """The words of a command that trains, or resumes without a preset."""
    settings = {"training.max_updates": updates, **more}
    words = ["--json", "train", "--resume", name]
    if preset:
        words = ["--json", "train", "--preset", preset, "--data", "tiny", "--name", name]
        settings = {**SMALL, **WIDTHS, **settings}
    source = settings.pop("from", None)
    words += ["--from", source] if source else []
    for key, value in settings.items():
        words += ["--set", f"{key}={value}"]
    return words


def train(name, preset=None, updates=2, **more):
    """Trains, or resumes without a preset, and gives the run's report."""
    return json.loads(run(*training(name, preset, updates, more)))


def train_together(processes, name, preset, updates, **more):
    """The same by several processes, as torchrun starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [ENGINE, "--workspace", WORKSPACE, *training(name, preset, updates, more)]
    started = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(processes),
                                     "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}) for rank in range(processes)]
    said = [process.communicate() for process in started]
    require(not any(process.returncode for process in started),
            "".join(f"\nrank {rank} of {processes}: {errors[-2000:]}" for rank, (_, errors) in enumerate(said)))
    return json.loads(said[0][0])


def require(condition, what):
    if not condition:
        raise Failure(what)


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def floats(data):
    return array.array("f", data)


def checkpoint(report, step):
    return os.path.join(report["folder"], "checkpoints", f"step-{step:08}")


def series(name):
    """{series: {step: value}} of a run."""
    found = {}
    for line in run("runs", "export", name).splitlines()[1:]:
        key, step, *_, value = line.split(",")
        found.setdefault(key, {})[int(step)] = float(value)
    return found


def translated(*arguments):
    report = json.loads(run("--json", "translate", "--run", "whole@last", "--threads", "1", *arguments, stdin=TEXT))
    entries = report["translations"]
    require(len(entries) == len(TEXT.splitlines()), f"{len(entries)} translations")
    return entries


def cell_train(preset):
    report = train("whole", preset, 4, **{"validation.every_updates": 2, "checkpoint.every_updates": 2})
    require(report["outcome"] == "finished" and report["step"] == 4, report)
    found = series("whole")
    for name in ("valid/nll", "valid/multi-bleu"):
        require(sorted(found[name]) == [2, 4] and all(map(math.isfinite, found[name].values())), (name, found.get(name)))
    require(sorted(found["train/loss"]) == [1, 2, 3, 4], found["train/loss"])


def same_state(one, other, step, what):
    """Parameters and moments are the same bits."""
    for name in ("model", "training"):
        first, second = (tensors(checkpoint(run, step) + f"/{name}.safetensors") for run in (one, other))
        # libtorch's own generator starts anywhere in each process; nothing here draws from it.
        unequal = [key for key in first if first[key] != second.get(key) and key != "random.cpu"]
        require(first.keys() == second.keys() and not unequal, f"{what} differ: {unequal[:5]}")


def cell_resume(preset):
    whole = {"folder": glob.glob(WORKSPACE + "/runs/1-*")[0]}
    train("halves", preset, 2, **{"validation.every_updates": 2})
    same_state(whole, train("halves", None, 4), 4, "of 4 updates and of 2 + 2")


def cell_processes(preset):
    settings = {"validation.every_updates": 2, "training.ema": 0.5}
    alone = train("alone", preset, 4, **settings, **{"training.accumulate": 2})
    train_together(2, "together", preset, 2, **settings)
    # Then three, of which one has no batch.
    together = train_together(3, "together", preset, 4, **settings)
    same_state(alone, together, 4, "of one process and of several")
    for name in ("train/loss", "grad_norm/all", "valid/nll", "valid/ema-nll", "valid/multi-bleu"):
        require(series("alone")[name] == series("together")[name], name)


def cell_queue(preset):
    with open(WORK + "/sweep.yaml", "w") as file:
        json.dump({"sweep": "queued", "preset": preset, "data": "tiny", "seeds": 1,
                   "set": [f"{key}={value}" for key, value in {**SMALL, **WIDTHS, "training.max_updates": 1}.items()]}, file)
    run("sweep", WORK + "/sweep.yaml")
    run("work", "--once")
    runs = json.loads(run("--json", "runs", "list"))
    queued = [each for each in (runs["runs"] if isinstance(runs, dict) else runs) if "queued" in json.dumps(each)]
    require(queued and queued[-1]["status"] == "finished", queued)


def cell_from(preset):
    report = train("fine", preset, 1, **{"from": "whole@last"})
    require(report["outcome"] == "finished", report)
    start = series("whole")["train/loss"][1]
    require(series("fine")["train/loss"][1] != start, "fine-tuning began where training had begun")


def cell_ema(preset):
    report = train("averaged", preset, 3, **{"training.ema": 0.5, "checkpoint.every_updates": 1, "checkpoint.keep_last": 3,
                                             "validation.every_updates": 3, "training.optimizer.lr": 0.01})
    own = [tensors(checkpoint(report, step) + "/model.safetensors") for step in (1, 2, 3)]
    kept = [tensors(checkpoint(report, step) + "/ema/model.safetensors") for step in (1, 2, 3)]
    moved = 0
    for name in own[0]:
        for step in (1, 2):
            before, after, value = (floats(data[name]) for data in (kept[step - 1], kept[step], own[step]))
            places = range(0, len(after), max(1, len(after) // 500))
            require(all(math.isclose(after[i], (before[i] + value[i]) / 2, rel_tol=1e-4, abs_tol=1e-6) for i in places),
                    f"the average of {name} at step {step + 1}")
        moved += kept[2][name] != own[2][name]
    require(moved > len(own[0]) / 2, f"only {moved} averages lag behind their parameters")
    found = series("averaged")
    require(found["valid/ema-nll"][3] != found["valid/nll"][3], "the average scores as the parameters do")
    run("translate", "--run", "averaged@last+ema", "--beam", "1", stdin=TEXT)


def near(name, exact):
    """Loss and every layer's gradient norm of the first update, against those in float32."""
    half, whole = series(name), series(exact)
    names = ["train/loss"] + [key for key in whole if key.startswith("grad_norm/")]
    require(len(names) > 4, names)
    for key in names:
        a, b = half[key][1], whole[key][1]
        require(b > 0, f"{key}: no gradient")
        require(abs(a - b) <= 0.1 * abs(b) + 1e-6, f"{key}: {a} in bf16, {b} in float32")
    require(any(half[key][1] != whole[key][1] for key in names), "bf16 changed nothing")


def cell_bf16(preset):
    train("half", preset, 2, **{"training.precision": "bf16", "validation.every_updates": 2})
    near("half", "whole")


def criterion(key, value):
    def cell(preset):
        name = key.replace(".", "-")
        train(name, preset, 2, **{key: value, "validation.every_updates": 2})
        require(series(name)["train/loss"][1] != series("whole")["train/loss"][1], "the loss is the plain one")
        train(name + "-half", preset, 2, **{key: value, "training.precision": "bf16"})
        near(name + "-half", name)
    return cell


def cell_accumulate(preset):
    # Twice 3 sentences are an update of 6: the same tokens, so the same loss but for dropout's masks.
    train("accumulated", preset, 2, **{"training.accumulate": 2, "training.batch.size": 3, "training.dropout": 0,
                                      "training.attention_dropout": 0, "training.activation_dropout": 0})
    found = series("accumulated")
    require(all(map(math.isfinite, found["train/loss"].values())) and len(found["train/loss"]) == 2, found["train/loss"])


def cell_beam(preset):
    wide = translated("--beam", "4", "--nbest", "3")
    for entry in wide:
        scores = [each["score"] for each in entry["hypotheses"]]
        require(scores and scores == sorted(scores, reverse=True), scores)
    one = translated("--beam", "4", "--batch", "1")
    require([e["hypotheses"][0]["tokens"] for e in wide] == [e["hypotheses"][0]["tokens"] for e in one],
            "the company of other sentences changes a translation")


def cell_sample(preset):
    words = ["--sample", "--top-k", "20", "--nbest", "2", "--seed", "3"]
    first, again, other = translated(*words), translated(*words), translated(*words[:-1], "4")
    require(first == again, "one seed, two samples")
    require(first != other, "two seeds, one sample")


def cell_ensemble(preset):
    together = translated("--run", "halves@last", "--ensemble", "linear", "--beam", "2")
    alone = translated("--beam", "2")
    # Both members have the same parameters.
    require([e["hypotheses"][0]["tokens"] for e in together] == [e["hypotheses"][0]["tokens"] for e in alone],
            "an ensemble of one model twice translates differently")


def cell_record(preset):
    path = WORK + "/recorded.safetensors"
    translated("--beam", "2", "--record", "*", "--record-to", path)
    recorded = tensors(path)
    require(recorded and all(math.isfinite(x) for data in recorded.values() for x in floats(data)), sorted(recorded)[:4])


def cell_posunk(preset):
    if "/ed-" in preset:  # reads no source position
        run("translate", "--run", "whole@last", "--beam", "2", "--posunk", stdin=TEXT, status=2)
        return
    translated("--beam", "2", "--posunk")


def cell_score(preset):
    with open(WORK + "/in.de", "w") as file:
        file.write(TEXT)
    with open(WORK + "/in.en", "w") as file:
        file.write("the dog sees .\n" * len(TEXT.splitlines()))
    lines = run("score", "--run", "whole@last", "--source", WORK + "/in.de", "--target", WORK + "/in.en", "--tokens",
                "--threads", "1").splitlines()
    require(len(lines) == len(TEXT.splitlines()), lines)
    for line in lines:
        total, _, each = line.split("\t")
        require(math.isclose(float(total), sum(map(float, each.split())), rel_tol=1e-3, abs_tol=1e-3), line)


def cell_tune(preset):
    run("tune", "--run", "whole@last", "--beam", "1,2", "--length-penalty", "none", "--length-penalty", "gnmt:0..1:0.5",
        "--max-length", "0", "6", "--threads", "1")


def cell_average(preset):
    made = json.loads(run("--json", "average", "--run", "whole", "--last", "2", "--output", WORK + "/average"))
    parts = [tensors(checkpoint({"folder": glob.glob(WORKSPACE + "/runs/1-*")[0]}, step) + "/model.safetensors") for step in (2, 4)]
    for name, mean in tensors(made["model"] + "/model.safetensors").items():
        a, b, m = floats(parts[0][name]), floats(parts[1][name]), floats(mean)
        require(all(math.isclose(m[i], (a[i] + b[i]) / 2, rel_tol=1e-5, abs_tol=1e-6) for i in range(0, len(m), max(1, len(m) // 500))),
                name)
    run("translate", "--run", "whole@last", "--model", made["model"], "--ensemble", "log", "--beam", "1", stdin=TEXT)


def cell_interventions(preset):
    names = json.loads(run("--json", "translate", "--run", "whole@last", "--beam", "1", "--record", "*", "--record-to",
                           WORK + "/names.safetensors", stdin=TEXT)) and sorted(tensors(WORK + "/names.safetensors"))
    require(names, "nothing is recorded")
    source = next(name for name in ("decoder.attention", "encoder.values.0", "encoder.memory")
                  if any(name in recorded for recorded in names))
    words = ["--json", "score", "--run", "whole@last", "--source", WORK + "/in.de", "--target", WORK + "/in.en", "--threads", "1"]
    plain = run(*words)  # with all digits: two updates teach little
    for value in ("zero", "mean", "0.25"):
        require(run(*words, "--intervene", f"{source}={value}") != plain, f"{source}={value} changes nothing")


def cell_export(preset):
    found = series("whole")
    require({"train/loss", "valid/nll", "grad_norm/all", "lr"} <= set(found) or "lr/rest" in found, sorted(found))


CELLS = {
    "train, validate": cell_train, "stop, resume": cell_resume, "processes": cell_processes,
    "queue": cell_queue, "--from": cell_from, "ema": cell_ema, "bf16": cell_bf16, "R-Drop": criterion("criterion.r_drop", 2), "SimCut": criterion("criterion.simcut.alpha", 2),
    "accumulate": cell_accumulate, "beam, n-best": cell_beam, "sample": cell_sample, "ensemble": cell_ensemble,
    "recordings": cell_record, "PosUnk": cell_posunk, "score": cell_score, "tune": cell_tune, "average": cell_average,
    "interventions": cell_interventions, "export": cell_export}


def main(words):
    global WORKSPACE, TEXT, WIDTHS
    own_widths, words = "--own-widths" in words, [word for word in words if word != "--own-widths"]
    presets = [word for word in words if word not in CELLS]
    rows = [name for name in CELLS if name in words or len(presets) == len(words)]
    results = {}
    for preset in presets:
        if not own_widths:
            WIDTHS = next(widths for prefix, widths in NARROW.items() if preset.startswith(prefix))
        WORKSPACE = os.path.join(WORK, preset.replace("/", "-"))
        run("data", "generate", "--name", "tiny", "--size", "150", "--length", "3,6", "--seed", "1")
        run("data", "lexicon", "--dataset", "tiny", "--minimum", "1")
        with open(glob.glob(WORKSPACE + "/datasets/tiny/sets/*/tokens*source*")[0]) as file:
            TEXT = "".join(file.readlines()[:4])
        for name in rows:
            try:
                CELLS[name](preset)
                results[preset, name] = "ok"
            except (Failure, KeyError, ValueError, IndexError, FileNotFoundError) as error:
                results[preset, name] = "FAIL"
                print(f"FAIL {preset}: {name}: {type(error).__name__}: {error}")
        subprocess.run(["rm", "-rf", WORKSPACE, WORK + "/average"], check=True)
    print(f"{'':16}" + "".join(f"{preset:>28}" for preset in presets))
    for name in rows:
        print(f"{name:16}" + "".join(f"{results[preset, name]:>28}" for preset in presets))
    subprocess.run(["rm", "-rf", WORK], check=True)
    return 1 if "FAIL" in results.values() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
