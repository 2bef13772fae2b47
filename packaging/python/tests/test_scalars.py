"""Points are those of `runs export`, bit for bit."""

import math
import sys
import unittest
from pathlib import Path
from unittest import mock

import made
import strata


def check_equal(test, workspace):
    """Every run and every series, both ways of reading."""
    reader = strata.Workspace(workspace)
    frame = reader.scalars()
    count = 0
    for run in reader.run_list():
        wanted = made.exported(workspace, run.name)
        got = {points.series: points for points in reader.points(run)}
        test.assertEqual(list(wanted), list(got), run.name)
        for series, points in wanted.items():
            each = got[series]
            test.assertEqual("", made.difference(points, zip(each.step, each.wall, each.value)), (run.name, series))
            rows = frame[(frame.run == run.name) & (frame.series == series)]
            test.assertEqual("", made.difference(points, zip(rows.step, rows.wall, rows.value)), (run.name, series))
            count += len(points)
    test.assertEqual(count, len(frame))
    return count


class Trained(unittest.TestCase):
    def test_all_points_of_trained_runs(self):
        self.assertGreater(check_equal(self, made.TRAINED), 100)

    def test_a_resumed_run_has_only_its_newest_points(self):
        # Trained to 10, its checkpoint of 10 removed, resumed from 5 to 12.
        reader = strata.Workspace(made.TRAINED)
        (points,) = reader.points("resumed", "train/nll")
        self.assertEqual(list(range(1, 13)), points.step.tolist())
        starts = made.run_json(made.TRAINED, "runs", "show", "resumed")["starts"]
        self.assertEqual([0, 5], [start["from_step"] for start in starts])
        self.assertTrue((points.wall[5:] > starts[1]["time"]).all())

    def test_chosen_runs_and_series(self):
        reader = strata.Workspace(made.TRAINED)
        frame = reader.scalars(["seed.s2", reader.run("seed.s1")], ["valid/*", "train/nll"])
        self.assertEqual(["seed.s2", "seed.s1"], list(frame.run.cat.categories))
        self.assertEqual({"valid/nll", "train/nll"}, set(frame.series))
        self.assertEqual(["run", "series", "step", "wall", "value"], list(frame.columns))
        self.assertEqual(0, len(reader.scalars("seed.s1", "nothing/*")))

    def test_unknown_names_say_what_there_is(self):
        reader = strata.Workspace(made.TRAINED)
        with self.assertRaisesRegex(strata.Error, "no run 'seed.s7'.*did you mean 'seed.s"):
            reader.scalars("seed.s7")
        with self.assertRaisesRegex(strata.Error, "no such series: valid/nil; the runs have: .*valid/nll"):
            reader.points("seed.s1", "valid/nil")

    def test_without_pandas(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            reader = strata.Workspace(made.TRAINED)
            with self.assertRaisesRegex(strata.Error, r"needs pandas.*points\(\)"):
                reader.scalars()
            self.assertEqual(12, len(reader.points("resumed", "train/nll")[0]))
            self.assertEqual("seed.s1", reader.runs()[0]["name"])


class Written(unittest.TestCase):
    """Logs with what training seldom makes, indexed by the program."""

    def setUp(self):
        folder = made.temporary()
        self.addCleanup(folder.cleanup)
        self.workspace = Path(folder.name) / "a workspace #1"

    def check(self):
        made.run(self.workspace, "runs", "list")
        return check_equal(self, self.workspace)

    def test_every_kind_of_chunk(self):
        log = made.Log(self.workspace, 1, "kinds")
        n, later = 9000, 1700000000000000
        odd = [math.nan, math.inf, -math.inf, 5e-324, 1e308, 0.1, 2.0 ** -149, 1 / 3, -0.0]
        for series, step, wall, value in [
            ("equidistant/single", lambda i: 10 * i, lambda i: later + i, lambda i: 0.5 * i),
            ("gaps/double", lambda i: i * i, lambda i: later + i, lambda i: 0.1 * i),
            ("far/double", lambda i: i * 2 ** 33 + i % 2, lambda i: later + i, lambda i: 0.1),
            ("clock set back", lambda i: i, lambda i: later - 1000 * i, lambda i: odd[i % 9]),
            ("hours apart", lambda i: i, lambda i: later + i * 2 ** 33, lambda i: odd[i % 3]),
            ("only NaN", lambda i: i, lambda i: later, lambda i: math.nan),
            ("short", lambda i: i, lambda i: later + i, lambda i: odd[i % 9]),
        ]:
            log.scalars(series, [(step(i), wall(i), value(i)) for i in range(20 if series == "short" else n)])
        self.assertEqual(6 * n + 20, self.check())
        (points,) = strata.Workspace(self.workspace).points("kinds", "clock set back")
        self.assertEqual(1000, int(sum(map(math.isnan, points.value))))
        self.assertEqual(2000, int(sum(map(math.isinf, points.value))))

    def test_exactly_a_chunk_and_one_more(self):
        log = made.Log(self.workspace, 1, "edges")
        for count in (1, 4095, 4096, 4097, 8192):
            log.scalars(f"of {count}", [(i, i, float(i)) for i in range(count)])
        self.assertEqual(1 + 4095 + 4096 + 4097 + 8192, self.check())

    def test_starts_that_repeat_steps(self):
        log = made.Log(self.workspace, 1, "rewound")
        for start, begin in enumerate((0, 6000, 100, 100)):
            log.event(type="started", time=float(start), from_step=begin)
            log.scalars("loss", [(i, start * 10 ** 9 + i, start + i / 7) for i in range(begin + 1, begin + 9001)])
        log.event(type="started", time=9.0, from_step=5000)  # and has not got any further
        self.assertEqual(5000, self.check())
        (points,) = strata.Workspace(self.workspace).points("rewound")
        self.assertTrue((points.step == range(1, 5001)).all())
        self.assertEqual(0 + 100 / 7, points.value[99])
        self.assertEqual(3 + 101 / 7, points.value[100])


if __name__ == "__main__":
    unittest.main()
