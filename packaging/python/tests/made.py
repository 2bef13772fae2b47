"""Workspaces for the tests, made by the real program (STRATA_RUN), and what the program says of them."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import xxhash

PROGRAM = os.environ["STRATA_RUN"]
TRAINED = Path(os.environ["STRATA_TRAINED"])  # a workspace with trained runs, which is only read

CONFIG = """seed: {seed}
data:
  dataset: toy
model:
  family: transformer
checkpoint:
  metric: valid/nll
"""


def run(workspace, *arguments):
    """Standard output of the program."""
    done = subprocess.run([PROGRAM, "--workspace", str(workspace), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def run_json(workspace, *arguments):
    return json.loads(run(workspace, "--json", *arguments))


def exported(workspace, name):
    """The points of a run by series, [(step, wall, value)], as `runs export` writes them."""
    document = json.loads(run(workspace, "runs", "export", name, "--format", "json"))
    return {series: [(step, wall, float(value)) for step, wall, value in points]
            for series, points in document["series"].items()}


def bits(points):
    """Points such that equal means equal in every bit; NaN has one form in the program's JSON, so here, too."""
    return [(int(step), struct.pack("<d", wall), "nan" if value != value else struct.pack("<d", value))
            for step, wall, value in points]


def difference(wanted, got):
    """The first point in which two lists differ, in words; nothing if they are equal. (unittest's takes minutes.)"""
    wanted, got = bits(wanted), bits(got)
    for place, (one, other) in enumerate(zip(wanted, got)):
        if one != other:
            return f"point {place}: {one} was expected, {other} was read"
    return "" if len(wanted) == len(got) else f"{len(wanted)} points were expected, {len(got)} were read"


def copy_of(workspace, folder):
    copy = Path(folder) / "copy"
    shutil.copytree(workspace, copy, symlinks=True)
    return copy


def state_of(folder):
    """Every file and folder below with what a change would show: size, time of modification, content."""
    found = {}
    for path in sorted([Path(folder), *Path(folder).rglob("*")]):
        state = path.lstat()
        found[str(path)] = (state.st_size, state.st_mtime_ns, state.st_ino, path.read_bytes() if path.is_file() else b"")
    return found


def changed(before, after):
    """The paths in which two states differ."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Log:
    """Writes an event log as core/store/event_log.h describes it."""

    def __init__(self, workspace, number, name, seed=1, metric="valid/nll", preset=""):
        self.folder = Path(workspace) / "runs" / f"{number}-{name}"
        self.folder.mkdir(parents=True)
        (self.folder / "config.effective.yaml").write_text(CONFIG.format(seed=seed), encoding="utf-8")
        self.file = self.folder / "events.log"
        self.file.write_bytes(b"STRATALG" + struct.pack("<II", 1, 0))
        self.event(type="created", time=1.0, name=name, preset=preset, dataset="toy", family="transformer", seed=seed,
                   metric=metric)

    def event(self, **event):
        self._append(1, json.dumps(event).encode())

    def scalars(self, series, points):
        """Points are (step, microseconds, value)."""
        for begin in range(0, len(points), 100000):
            part = points[begin:begin + 100000]
            name = series.encode()
            packed = b"".join(struct.pack("<qqd", *point) for point in part)
            self._append(2, struct.pack("<HI", len(name), len(part)) + name + packed)

    def _append(self, kind, payload):
        checksum = xxhash.xxh3_64_intdigest(payload) ^ (0x9E3779B97F4A7C15 * (kind + 1) & (2**64 - 1))
        with open(self.file, "ab") as out:
            out.write(struct.pack("<IIQ", len(payload), kind, checksum) + payload)


def temporary():
    return tempfile.TemporaryDirectory(prefix="strata-test-")
