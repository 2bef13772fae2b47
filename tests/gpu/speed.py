"""How fast a GPU trains and decodes, a preset of each family: tests/gpu/speed.sh [OPTIONS]

Prints a row a preset: target tokens a second in training and in decoding, and what an update asks of the host and of the
device by libtorch's profiler (bench --profile-step). bf16 products on a GPU and float32 on a CPU, and one preset in the
other precision and with lengths that are multiples of 8. Status 1 where a figure is missing. At most nine minutes; what does not fit fails.

--peer FILE measures another program beside the Transformer, the two in turns. It is started as
    FILE UPDATES LAYERS DIM FFN HEADS
with DEVICE (cpu, cuda), DTYPE (float32, bfloat16), MAX_TOKENS (of a batch) and THREADS in the environment beside
whatever it reads itself; the last line that it prints is JSON with tgt_tok_s. The ratio says something only where both
train on the same text: --workspace DIR --data NAME for ours.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TRANSFORMER = "baseline/transformer-iwslt"
PRESETS = [TRANSFORMER, "mlrf/both-fnn-sa4", "densenmt/4l-2", "deepatt/att-1-1", "dhea/gate", "baseline/fconv-iwslt"]
FULL = ["--runs", "3", "--updates", "20", "--warm-up", "5"]
BRIEF = ["--runs", "1", "--updates", "1", "--warm-up", "1", "--sentences", "4", "--tokens", "5"]
BRIEF_BATCH = 256  # tokens
BRIEF_SIZES = {  # of the model, as no figure is meant to be one
    TRANSFORMER: ["embed_dim=64", "ffn_dim=64"], "mlrf/both-fnn-sa4": ["embed_dim=64", "ffn_dim=64", "fusion_attn_dim=32", "fusion_ffn_dim=64"],
    "densenmt/4l-2": ["embed_dim=32", "hidden=32", "growth=16"], "deepatt/att-1-1": ["embed_dim=32", "hidden=32"],
    "dhea/gate": ["hidden=32"], "baseline/fconv-iwslt": ["embed_dim=32", "hidden=32"]}
COLUMNS = [("precision", "{}", 10), ("training tokens/s", "{:.0f}", 18), ("decoding tokens/s", "{:.0f}", 18),
           ("operators", "{:.0f}", 10), ("launches", "{:.0f}", 9), ("busy ms", "{:.2f}", 9), ("step ms", "{:.2f}", 9),
           ("idle", "{:.0%}", 6)]


class Failure(Exception):
    pass


def parse(arguments):
    parser = argparse.ArgumentParser(prog="speed.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--brief", action="store_true", help="tiny models and batches, one run: whether it works, not how fast")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../build/release/bin"))
    parser.add_argument("--json", metavar="FILE", help="the figures as JSON as well")
    parser.add_argument("--data", metavar="NAME", help="dataset to train on; synthetic sentences when absent")
    parser.add_argument("--workspace", metavar="DIR", help="of that dataset")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--peer", metavar="FILE", help="another program, beside the Transformer")
    parser.add_argument("--turns", type=int, default=3, help="of ours and the peer")
    return parser.parse_args(arguments)


class Engine:
    def __init__(self, options, folder):
        self.options, self.end = options, time.monotonic() + 60 * options.minutes
        self.program = os.path.join(options.programs, "strata-engine")
        self.workspace = options.workspace or folder
        if not os.access(self.program, os.X_OK):
            sys.exit(f"speed.sh: no strata-engine in {options.programs}")

    def output(self, command, **more):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=max(0, self.end - time.monotonic()), **more)
        except subprocess.TimeoutExpired:
            raise Failure(f"does not fit into {self.options.minutes:g} minutes")
        if done.returncode != 0:
            raise Failure((done.stderr.strip().splitlines() or ["no message"])[-1])
        return done.stdout

    def run(self, *words):
        return json.loads(self.output([self.program, "--workspace", self.workspace, "--json", *words]))

    def bench(self, preset, precision, *more):
        words = ["bench", "--no-store", "--preset", preset, "--device", self.options.device, "--threads",
                 str(self.options.threads), "--set", f"training.precision={precision}", *more]
        if self.options.data:
            words += ["--data", self.options.data]
        words += BRIEF if self.options.brief else FULL
        if self.options.brief:
            words += ["--set", "training.batch.unit=tokens", "--set", f"training.batch.size={BRIEF_BATCH}"]
            for size in BRIEF_SIZES[preset]:
                words += ["--set", "model." + size]
        return self.run(*words)["models"][0]


def row(engine, preset, precision, lengths=1):
    model = engine.bench(preset, precision, "--profile-step", "--set", f"training.batch.length_multiple={lengths}")
    step = model["step_profile"]
    return {"preset": preset if lengths == 1 else f"{preset} x{lengths}", "precision": precision, "device": model["device"], "parameters": model["parameters"],
            "memory_peak_mib": model["memory_peak_mib"],
            "training tokens/s": model["training_target_tokens_per_second"]["median"],
            "decoding tokens/s": model["decoding_tokens_per_second"]["median"],
            "operators": step["operators"], "launches": step["launches"], "busy ms": step["device_busy_ms"],
            "step ms": step["wall_ms"], "idle": step["idle_share"],
            "kernels": step["kernels"]}


def missing(found, on_device):
    """Columns without a positive number; a CPU launches nothing, and a device may never idle."""
    names = [name for name, *_ in COLUMNS[1:] if on_device or name not in ("launches", "busy ms", "idle")]
    return [name for name in names if not isinstance(found[name], (int, float)) or not math.isfinite(found[name]) or
            found[name] < 0 or (found[name] == 0 and name != "idle")]


def text_of(found):
    cells = ["-" if found[name] is None else form.format(found[name]) for name, form, _ in COLUMNS]
    return f"{found['preset']:32}" + "".join(f"{cell:>{width}}" for cell, (*_, width) in zip(cells, COLUMNS))


def measured(engine, precisions):
    """A row a preset; those that fail say why and are left out."""
    rows, failed = [], False
    print(f"{'preset':32}" + "".join(f"{name:>{width}}" for name, _, width in COLUMNS), flush=True)
    for preset, precision, lengths in ([(preset, precisions[0], 1) for preset in PRESETS] +
                                       [(TRANSFORMER, precisions[1], 1), (TRANSFORMER, precisions[0], 8)]):
        try:
            found = row(engine, preset, precision, lengths)
            rows.append(found)
            absent = missing(found, engine.options.device != "cpu")
            print(text_of(found) + ("  FAIL: no " + ", ".join(absent) if absent else ""), flush=True)
            failed = failed or bool(absent)
        except Failure as error:
            failed = True
            print(f"{preset:32}{precision:>10}  FAIL: {error}", flush=True)
    return rows, failed


def peers(engine, precision):
    options = engine.options
    config = engine.run("train", "--preset", TRANSFORMER, "--dry-run")["config"]
    model, batch = config["model"], config["training"]["batch"]["size"]
    updates = 1 if options.brief else 20
    environment = {**os.environ, "DEVICE": options.device.split(":")[0], "THREADS": str(options.threads or os.cpu_count()),
                   "DTYPE": "bfloat16" if precision == "bf16" else "float32",
                   "MAX_TOKENS": str(BRIEF_BATCH if options.brief else batch)}
    command = [sys.executable, options.peer, str(updates)] + [
        str(model[name]) for name in ("encoder_layers", "embed_dim", "ffn_dim", "heads")]
    ours, theirs = [], []
    for _ in range(options.turns):
        ours.append(engine.bench(TRANSFORMER, precision, "--no-decoding")["training_target_tokens_per_second"]["median"])
        lines = engine.output(command, env=environment).strip().splitlines()
        try:
            theirs.append(float(json.loads(lines[-1])["tgt_tok_s"]))
        except (ValueError, KeyError, IndexError, TypeError):
            raise Failure(f"{options.peer} prints no JSON with tgt_tok_s in its last line")
    ratios = [a / b for a, b in zip(ours, theirs)]
    return {"peer": options.peer, "preset": TRANSFORMER, "precision": precision, "ours": ours, "theirs": theirs,
            "ratio": {"minimum": min(ratios), "median": statistics.median(ratios), "maximum": max(ratios)}}


def main(arguments):
    options = parse(arguments)
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(options, folder)
        precisions = ("fp32", "bf16") if options.device == "cpu" else ("bf16", "fp32")
        rows, failed = measured(engine, precisions)
        report = {"device": options.device, "data": options.data or "synthetic", "rows": rows}
        if options.peer:
            try:
                report["peer"] = peer = peers(engine, precisions[0])
                ratio = peer["ratio"]
                print(f"{TRANSFORMER} beside {os.path.basename(options.peer)}, {precisions[0]}, {options.turns} turns: "
                      f"{statistics.median(peer['ours']):.0f} and {statistics.median(peer['theirs']):.0f} tokens/s, ratio "
                      f"{ratio['minimum']:.2f} / {ratio['median']:.2f} / {ratio['maximum']:.2f}")
            except Failure as error:
                failed = True
                print(f"{TRANSFORMER} beside {options.peer}  FAIL: {error}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
