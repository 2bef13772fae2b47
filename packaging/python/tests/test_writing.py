"""A workspace is read while a run is trained: what is read is always the beginning of what the run has at its end."""

import signal
import subprocess
import time
import unittest

import made
import strata

SETTINGS = [
    "training.phases=[]", "training.max_updates=100000", "training.log_every=1", "training.threads=1", "training.device=cpu",
    "model.embed_dim=16", "model.ffn_dim=16", "model.encoder_layers=1", "model.decoder_layers=1", "validation.every_epochs=0",
    "validation.every_updates=20", "validation.metrics=[nll]", "validation.monitor=[]", "checkpoint.metric=valid/nll",
    "validation.samples=0", "recording.sentences=0", "checkpoint.every_updates=50", "training.batch.size=60",
]


class Writing(unittest.TestCase):
    def setUp(self):
        folder = made.temporary()
        self.addCleanup(folder.cleanup)
        self.workspace = made.copy_of(made.TRAINED, folder.name)
        options = [word for setting in SETTINGS for word in ("--set", setting)]
        self.trainer = subprocess.Popen(
            [made.PROGRAM, "--workspace", str(self.workspace), "train", "--preset", "demo/mlrf", "--data", "tiny", "--name",
             "now", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.trainer.wait)
        self.addCleanup(self.trainer.kill)

    def read(self):
        return {points.series: list(zip(points.step.tolist(), points.wall.tolist(), points.value.tolist()))
                for points in strata.Workspace(self.workspace).points("now")}

    def test_reading_while_a_run_is_trained(self):
        seen, deadline = [], time.monotonic() + 120
        while time.monotonic() < deadline and (len(seen) < 8 or len(seen[-1]["train/nll"]) < 150):
            try:
                read = self.read()
            except strata.Error as error:
                self.assertIn("no run 'now'", str(error))  # it is still starting
                continue
            if "train/nll" in read and (not seen or read != seen[-1]):
                seen.append(read)
            time.sleep(0.05)
        self.assertGreaterEqual(len(seen), 8)
        self.assertEqual("running", strata.Workspace(self.workspace).run("now").status)
        before = sorted(path.name for path in self.workspace.glob("workspace.db*"))
        self.assertEqual(["workspace.db", "workspace.db-shm", "workspace.db-wal"], before)
        self.trainer.send_signal(signal.SIGTERM)
        self.trainer.wait()
        self.assertEqual("stopped", strata.Workspace(self.workspace).run("now").status)
        final = made.exported(self.workspace, "now")
        self.assertEqual(sorted(final), sorted(self.read()))
        for read in [*seen, self.read()]:
            for series, points in read.items():
                self.assertEqual("", made.difference(final[series][: len(points)], points), series)
            # Of one moment: series that are logged together have the same steps.
            together = {tuple(point[0] for point in read[name]) for name in ("train/nll", "train/loss", "lr")}
            self.assertEqual(1, len(together))
        self.assertEqual({name: len(points) for name, points in final.items()},
                         {name: len(points) for name, points in self.read().items()})


if __name__ == "__main__":
    unittest.main()
