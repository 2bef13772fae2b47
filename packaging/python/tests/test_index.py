"""Reading changes no file, whatever state a workspace is in; damage and other formats are named."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import made
import strata
import strata.index


def read_everything(workspace):
    """Calls all there is; returns the points."""
    reader = strata.Workspace(workspace)
    for table in (reader.runs, reader.series, reader.configs, reader.systems, reader.scores, reader.looks,
                  reader.samples, reader.checkpoints, reader.problems):
        table()
    for run in reader.run_list():
        reader.config(run)
        for step in reader.recorded_steps(run):
            recordings = reader.recordings(run, step)
            for name in recordings.names():
                recordings[name].values.sum()
        for checkpoint in reader.checkpoint_list(run):
            for array in checkpoint.parameters().values():
                array.sum()
    return {(p.run, p.series): hash(tuple(made.bits(zip(p.step, p.wall, p.value)))) for p in reader.points()}


class States(unittest.TestCase):
    def setUp(self):
        folder = made.temporary()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.workspace = made.copy_of(made.TRAINED, folder.name)
        self.index = self.workspace / "workspace.db"
        made.run(self.workspace, "runs", "list")  # which also removes the log that the killed run has left
        self.points = read_everything(self.workspace)
        self.assertGreater(len(self.points), 30)

    def check_unchanged(self, note=None):
        before = made.state_of(self.workspace)
        self.assertEqual(self.points, read_everything(self.workspace))
        if note is not None:
            self.assertEqual(note, strata.Workspace(self.workspace).run("seed.s1").note)
        self.assertEqual([], made.changed(before, made.state_of(self.workspace)))

    def leave_log(self):
        """A process that dies after it committed leaves its log and shared memory."""
        code = ("import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE runs SET note = 'new' "
                "WHERE name = 'seed.s1'\"); c.commit(); os._exit(0)")
        subprocess.run([sys.executable, "-c", code, str(self.index)], check=True)
        self.assertTrue(Path(f"{self.index}-wal").stat().st_size > 0)

    def test_at_rest(self):
        self.assertEqual(["workspace.db"], sorted(p.name for p in self.workspace.glob("workspace.db*")))
        self.check_unchanged()

    def test_log_of_a_dead_process(self):
        self.leave_log()
        self.check_unchanged("new")

    def test_log_without_shared_memory(self):
        self.leave_log()
        os.remove(f"{self.index}-shm")
        self.check_unchanged("new")

    def test_log_on_a_network_file_system(self):
        self.leave_log()
        with mock.patch.object(strata.index, "is_remote", return_value=True):
            self.check_unchanged("new")

    def test_rollback_journal(self):
        connection = sqlite3.connect(self.index)
        self.assertEqual("delete", connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0])
        connection.close()
        self.check_unchanged()

    def test_written_by_somebody_else(self):
        writer = sqlite3.connect(self.index, isolation_level=None)
        for note in ("one", "two"):
            writer.execute("UPDATE runs SET note = ? WHERE name = 'seed.s1'", (note,))
            self.assertEqual(note, strata.Workspace(self.workspace).run("seed.s1").note)
        writer.execute("BEGIN IMMEDIATE")  # not committed: not seen, and not waited for
        writer.execute("UPDATE runs SET note = 'three' WHERE name = 'seed.s1'")
        began = time.monotonic()
        self.assertEqual("two", strata.Workspace(self.workspace).run("seed.s1").note)
        self.assertLess(time.monotonic() - began, 10)
        writer.execute("COMMIT")
        self.assertEqual("three", strata.Workspace(self.workspace).run("seed.s1").note)
        writer.close()

    def test_all_of_one_moment(self):
        writer = sqlite3.connect(self.index, isolation_level=None)
        self.addCleanup(writer.close)

        def work(connection):
            notes = []
            for number in range(3):
                notes += connection.execute("SELECT note FROM runs WHERE name = 'seed.s1'").fetchone()
                writer.execute("UPDATE runs SET note = ? WHERE name = 'seed.s1'", (f"later {number}",))
            return notes

        writer.execute("UPDATE runs SET note = 'first' WHERE name = 'seed.s1'")
        self.assertEqual(["first"] * 3, strata.index.Index(self.workspace).read(work))
        self.assertEqual("later 2", strata.Workspace(self.workspace).run("seed.s1").note)

    def test_changed_while_it_is_read(self):
        # The index is replaced during the first attempt, which must not be what is returned.
        calls = []

        def work(connection):
            calls.append(1)
            found = connection.execute("SELECT note FROM runs WHERE name = 'seed.s1'").fetchone()[0]
            if len(calls) == 1:
                made.run(self.workspace, "runs", "note", "seed.s1", "later")
                raise strata.Error("what is read while the index changes may look damaged")
            return found

        self.assertEqual("later", strata.index.Index(self.workspace).read(work))
        self.assertEqual(2, len(calls))

    def test_relative_and_unusual_paths(self):
        odd = self.folder / "a %41 b? #c"
        shutil.move(self.workspace, odd)
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        os.chdir(self.folder)
        self.assertEqual(self.points, read_everything(odd.name))
        self.assertEqual([odd.name], os.listdir(self.folder))
        with mock.patch.dict(os.environ, {"STRATA_WORKSPACE": str(odd)}):
            self.assertEqual(odd, strata.Workspace().root)


class Refused(unittest.TestCase):
    def setUp(self):
        folder = made.temporary()
        self.addCleanup(folder.cleanup)
        self.workspace = Path(folder.name) / "w"
        log = made.Log(self.workspace, 1, "long")
        log.scalars("loss", [(i, i, i / 7) for i in range(9000)])
        made.run(self.workspace, "runs", "list")
        self.index = self.workspace / "workspace.db"

    def change(self, sql, *values):
        connection = sqlite3.connect(self.index)
        connection.execute(sql, values)
        connection.commit()
        connection.close()

    def refused(self, pattern, use=strata.Workspace):
        before = made.state_of(self.workspace)
        with self.assertRaisesRegex(strata.Error, pattern):
            use(self.workspace)
        self.assertEqual([], made.changed(before, made.state_of(self.workspace)))

    def test_no_workspace(self):
        self.index.unlink()
        self.refused("there is no workspace in .*STRATA_WORKSPACE")

    def test_newer_format(self):
        self.change("PRAGMA user_version = 99")
        self.refused(r"newer version of Strata \(format 99, this package knows \d+\): install")

    def test_the_programs_format_is_known(self):
        self.assertGreaterEqual(strata.index.NEWEST_FORMAT, strata.index.Index(self.workspace).format())

    def test_older_format(self):
        points = strata.Workspace(self.workspace).points()[0]
        for column in ("diverged", "config_group"):  # all that later formats have added to what is read
            self.change(f"ALTER TABLE runs DROP COLUMN {column}")
        self.change("PRAGMA user_version = 1")
        reader = strata.Workspace(self.workspace)
        self.assertEqual("", reader.run("long").group)
        self.assertEqual(points.value.tolist(), reader.points()[0].value.tolist())

    def test_another_program(self):
        self.change("PRAGMA application_id = 7")
        self.refused("belongs to another program")

    def test_no_database(self):
        self.index.write_bytes(os.urandom(3000))
        self.refused("workspace.db is damaged.*workspace repair")

    def test_damaged_pages(self):
        data = bytearray(self.index.read_bytes())
        data[8192:] = os.urandom(len(data) - 8192)
        self.index.write_bytes(data)
        self.refused("workspace.db is damaged.*workspace repair", lambda w: strata.Workspace(w).points())

    def test_damaged_chunks(self):
        (data,) = sqlite3.connect(f"file:{self.index}?mode=ro&immutable=1", uri=True).execute(
            "SELECT data FROM chunks LIMIT 1").fetchone()
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 16]) + data[middle + 1:]
        for damaged, what in ((b"\3" + data[1:], "unknown version 3"), (data[:-1], "another length"),
                              (flipped, "another checksum"), (b"\1" + data[1:], "another length"),
                              (data[:20], "too short"), (data[:2] + b"\0" + data[3:], "unknown columns"),
                              (data[:1] + b"\7" + data[2:], "unknown columns")):
            self.change("UPDATE chunks SET data = ? WHERE position = 0", damaged)
            self.refused(f"series 'loss' of run 1: a chunk .*{what}.*workspace repair",
                         lambda w: strata.Workspace(w).points())
        self.change("UPDATE chunks SET data = ? WHERE position = 0", b"\1" + data[1:-8])  # as earlier versions wrote it
        values = strata.Workspace(self.workspace).points()[0].value.tolist()
        self.change("UPDATE chunks SET data = ? WHERE position = 0", data)
        self.assertEqual(values, strata.Workspace(self.workspace).points()[0].value.tolist())
        self.change("DELETE FROM points WHERE position = 8999")
        self.refused("has 8999 points instead of 9000", lambda w: strata.Workspace(w).points())


if __name__ == "__main__":
    unittest.main()
