#!/usr/bin/env python3
"""Times how the Python package reads 50 runs of 100,000 points into one data frame. Needs numpy, pandas and libxxhash:

    STRATA_RUN=build/release/bin/strata-run tests/benchmarks/python_reader.py [RUNS [POINTS [TIMES]]]

The program indexes the runs, from logs as training writes them; points of each run are then compared with `runs export`.
"""
import os
import sys
import tempfile
import time
from pathlib import Path

package = Path(__file__).resolve().parents[2] / "packaging" / "python"
sys.path[:0] = [str(package), str(package / "tests")]
os.environ.setdefault("STRATA_TRAINED", "")
if "STRATA_RUN" not in os.environ:
    sys.exit(__doc__)

import made
import strata

runs, points, times = (int(word) for word in (sys.argv[1:] + ["50", "100000", "5"][len(sys.argv) - 1:]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        for run in range(1, runs + 1):
            log = made.Log(workspace, run, f"run{run}", seed=run)
            log.scalars("train/nll", [(10 * i, 1700000000000000 + 123457 * i, 1 / (i + run)) for i in range(points)])
        made.run(workspace, "runs", "list")
        print(f"{runs} runs of {points} points, index of {(workspace / 'workspace.db').stat().st_size >> 20} MiB")
        for _ in range(times):
            began = time.perf_counter()
            frame = strata.Workspace(workspace).scalars()
            print(f"{len(frame)} rows in {time.perf_counter() - began:.2f} s")
        for run in (1, runs):
            got = frame[frame.run == f"run{run}"]
            wanted = made.exported(workspace, f"run{run}")["train/nll"]
            assert made.bits(wanted) == made.bits(zip(got.step, got.wall, got.value))


main()
