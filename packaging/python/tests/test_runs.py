"""Everything but points: equal to what the program says, and to the bytes of the files."""

import json
import math
import struct
import unittest

import made
import strata
from strata.systems import list_systems


class Runs(unittest.TestCase):
    def setUp(self):
        self.reader = strata.Workspace(made.TRAINED)
        self.names = [run.name for run in self.reader.run_list()]

    def test_list(self):
        wanted = made.run_json(made.TRAINED, "runs", "list", "--all")["runs"]
        runs = self.reader.run_list(trashed=True)
        self.assertEqual(len(wanted), len(runs))
        for line, run in zip(wanted, runs):
            for key, value in line.items():
                if key == "pending":
                    continue
                got = getattr(run, key)
                got = list(got) if key == "tags" else str(got) if key == "folder" else got
                got = None if isinstance(got, float) and math.isnan(got) else got
                self.assertEqual(value, got, (run.name, key))
        self.assertIn("trashed", [run.name for run in runs])
        self.assertNotIn("trashed", self.names)
        self.assertEqual("interrupted", self.reader.run("killed").status)
        self.assertEqual(self.names, self.reader.runs().name.tolist())

    def test_more_is_better_for_some_metrics(self):
        with made.temporary() as folder:
            for number, metric in enumerate(("valid/nll", "valid/multi-bleu", "valid/token-accuracy"), 1):
                log = made.Log(folder, number, f"run{number}", metric=metric)
                log.scalars(metric, [(10, 1, 2.0), (20, 2, 3.0), (30, 3, 1.0), (40, 4, 2.5)])
            wanted = made.run_json(folder, "runs", "list")["runs"]
            best = [(run.best, run.best_step) for run in strata.Workspace(folder).run_list()]
            self.assertEqual([(run["best"], run["best_step"]) for run in wanted], best)
            self.assertEqual([(1.0, 30), (3.0, 20), (3.0, 20)], best)

    def test_of_equal_ones_the_later_is_best(self):
        with made.temporary() as folder:
            points = [(10, 1, 0.0), (20, 2, 0.0), (30, 3, 0.0)]
            made.Log(folder, 1, "low", metric="valid/nll").scalars("valid/nll", points)
            made.Log(folder, 2, "high", metric="valid/multi-bleu").scalars("valid/multi-bleu", points)
            wanted = made.run_json(folder, "runs", "list")["runs"]
            self.assertEqual([30, 30], [run["best_step"] for run in wanted])
            self.assertEqual([30, 30], [run.best_step for run in strata.Workspace(folder).run_list()])

    def test_nobody_knows_what_is_best(self):
        with made.temporary() as folder:
            for number, (name, given) in enumerate((("magic", {}), ("chrf", {}), ("trick", {"trick": "higher"})), 1):
                log = made.Log(folder, number, name, metric=name, preset="imported/tensorboard")
                log.event(type="directions", time=1.0, better=given)
                log.scalars(name, [(10, 1, 2.0), (20, 2, 3.0), (30, 3, 1.0)])
            wanted = made.run_json(folder, "runs", "list")["runs"]
            got = [(run.best, run.best_step) for run in strata.Workspace(folder).run_list()]
            self.assertEqual([(None, -1), (3.0, 20), (3.0, 20)], [(run["best"], run["best_step"]) for run in wanted])
            self.assertTrue(math.isnan(got[0][0]))
            self.assertEqual([(3.0, 20), (3.0, 20)], got[1:])
            self.assertEqual(-1, got[0][1])

    def test_groups_are_seeds(self):
        groups = {name: self.reader.run(name).group for name in self.names}
        self.assertEqual(groups["seed.s1"], groups["seed.s2"])
        self.assertNotEqual(groups["seed.s1"], groups["resumed"])

    def test_configurations(self):
        for name in self.names:
            wanted = made.run_json(made.TRAINED, "runs", "show", name)["config"]
            got = self.reader.config(name)
            if name == "elsewhere":  # of another tool: the program adds its own defaults to what is known
                wanted = {key: {inner: value[inner] for inner in got[key]} if isinstance(value, dict) else value
                          for key, value in wanted.items() if key in got}
            self.assertEqual(json.dumps(wanted, sort_keys=True), json.dumps(got, sort_keys=True), name)
            self.assertEqual(got["checkpoint"]["metric"], self.reader.config(name, flat=True)["checkpoint.metric"])
        differing = self.reader.configs(["seed.s1", "seed.s2"], differing=True)
        self.assertEqual(["run", "seed"], list(differing.columns))
        self.assertEqual([1, 2], differing.seed.tolist())

    def test_series(self):
        for line in made.run_json(made.TRAINED, "runs", "show", "seed.s1")["series"]:
            got = self.reader.series("seed.s1", line["name"]).iloc[0]
            for key in ("count", "last_step", "last", "minimum", "minimum_step", "maximum", "maximum_step", "non_finite"):
                self.assertEqual(line[key], got[key], (line["name"], key))

    def test_samples(self):
        samples = self.reader.samples("seed.s1")
        wanted = made.run_json(made.TRAINED, "runs", "samples", "seed.s1")["sentences"]
        self.assertEqual([(s["set"], s["sentence"], t["step"], t["text"]) for s in wanted for t in s["translations"]],
                         list(zip(samples.set, samples.sentence, samples.step, samples.hypothesis)))
        self.assertGreater(len(wanted), 0)

    def test_checkpoints(self):
        for name in self.names:
            wanted = made.run_json(made.TRAINED, "runs", "checkpoints", name)["checkpoints"]
            got = self.reader.checkpoint_list(name)
            self.assertEqual([(line["step"], line["pinned"]) for line in wanted], [(c.step, c.pinned) for c in got])
        best = self.reader.checkpoint("seed.s1")
        table = self.reader.checkpoints("seed.s1")
        self.assertEqual([best.step], table[table.best].step.tolist())
        self.assertEqual(best.scores["valid/nll"], min(c.scores["valid/nll"] for c in self.reader.checkpoint_list("seed.s1")))
        with self.assertRaisesRegex(strata.Error, "no checkpoint '7': give best, last or one of the steps"):
            self.reader.checkpoint("seed.s1", 7)
        with self.assertRaisesRegex(strata.Error, "no moving average.*training.ema"):
            best.parameters(average=True)

    def test_a_run_of_another_tool_has_curves_only(self):
        run = self.reader.run("elsewhere")
        self.assertEqual(("finished", "imported", "imported/fairseq"), (run.status, run.family, run.preset))
        self.assertEqual([25, 50], self.reader.scalars("elsewhere", "valid/bleu").step.tolist())
        self.assertEqual(0, len(self.reader.samples("elsewhere")))
        with self.assertRaisesRegex(strata.Error, "'elsewhere' was imported from fairseq and has no model"):
            self.reader.checkpoint("elsewhere")

    def test_parameters(self):
        parameters = self.reader.checkpoint("seed.s1", "last").parameters()
        wanted = made.run_json(made.TRAINED, "inspect", "--run", "seed.s1@last")
        self.assertEqual({t["name"]: t["shape"] for t in wanted["tensors"]},
                         {name: list(parameters[name].shape) for name in parameters})
        for tensor in wanted["tensors"]:
            array = parameters[tensor["name"]].astype("f8")
            self.assertAlmostEqual(tensor["mean"], array.mean(), places=6)
            self.assertAlmostEqual(tensor["max"], array.max(), places=6)
        with self.assertRaises(ValueError):
            parameters[tensor["name"]].flat[0] = 0  # mapped for reading only


class Systems(unittest.TestCase):
    def setUp(self):
        self.reader = strata.Workspace(made.TRAINED)

    def test_list(self):
        wanted = made.run_json(made.TRAINED, "systems", "list")["systems"]
        got = {system.id: system for system in self.reader.system_list()}
        self.assertEqual({line["id"] for line in wanted}, set(got))
        self.assertEqual([], self.reader.problems())
        for line in wanted:
            system = got[line["id"]]
            self.assertEqual(line["set"], system.test_set)
            self.assertEqual(line["sentences"], system.sentences)
            self.assertAlmostEqual(line["created"], system.created, places=3)
            self.assertEqual(line.get("run"), system.run.id if system.run else None)
            for key in ("checkpoint", "decode", "format", "file"):
                self.assertEqual(line.get(key, ""), getattr(system, key), (system.id, key))
            self.assertEqual(line.get("imported_scores") or [], [s.metric for s in system.scores if s.imported])
            self.assertEqual(line["sentences"], len(system.text()))
            self.assertEqual(line["sentences"], len(system.tokens()))

    def test_texts(self):
        system = self.reader.system("seed.s1")
        file = system.run.folder / "outputs" / (system.id.split("/")[1] + ".txt")
        self.assertEqual(file.read_text(encoding="utf-8"), "".join(line + "\n" for line in system.text()))
        with self.assertRaisesRegex(strata.Error, "no system 'missing'.*there are: run-"):
            self.reader.system("missing")

    def test_scores(self):
        scores = self.reader.scores()
        wanted = {line["id"]: line for line in made.run_json(made.TRAINED, "systems", "list", "--scores")["systems"]}
        bleu = scores[scores.metric == "BLEU"]
        self.assertEqual(1, len(bleu))
        for _, row in bleu.iterrows():
            self.assertEqual(wanted[row.id]["scores"]["BLEU"], {"score": row.score, "signature": row.signature})
        imported = scores[scores.imported]
        self.assertEqual([("theirs", "COMET")], list(zip(imported.id, imported.metric)))
        self.assertAlmostEqual(0.25, imported.score.iloc[0])  # of 0.0, 0.5, 0.0, 0.5, ... as imported
        self.assertEqual([0.0, 0.5], self.reader.system("theirs").sentence_scores("comet")[:2].tolist())
        with self.assertRaisesRegex(strata.Error, "no imported scores of 'x'; it has: COMET"):
            self.reader.system("theirs").sentence_scores("x")

    def test_looks(self):
        looks = self.reader.looks("seed.s1")
        wanted = made.run_json(made.TRAINED, "runs", "show", "seed.s1")["looks"]
        self.assertEqual([(look["time"], look["scores"]) for look in wanted], list(zip(looks.time, looks.scores)))
        self.assertEqual(1, len(wanted))

    def test_damaged_ones_are_left_out_and_named(self):
        with made.temporary() as folder:
            workspace = made.copy_of(made.TRAINED, folder)
            (file,) = workspace.glob("runs/*-seed.s1/outputs/*.json")
            file.write_text(file.read_text(encoding="utf-8")[:-20], encoding="utf-8")
            systems, problems = list_systems(workspace, strata.Workspace(workspace).run_list())
            self.assertEqual(["theirs"], [system.id for system in systems])
            self.assertIn("is damaged: it is not valid JSON", problems[0])
            self.assertEqual(problems, strata.Workspace(workspace).problems())


class Recorded(unittest.TestCase):
    def setUp(self):
        self.reader = strata.Workspace(made.TRAINED)
        self.run = self.reader.run("seed.s1")

    def test_values_are_the_bytes_of_the_files(self):
        for step in self.reader.recorded_steps(self.run):
            recordings = self.reader.recordings(self.run, step)
            for name in recordings.names():
                data = (recordings.folder / f"{name}.safetensors").read_bytes()
                length = int.from_bytes(data[:8], "little")
                header = json.loads(data[8 : 8 + length])
                for place in recordings.info[name].sentences:
                    entry = header[f"sentence.{place}"]
                    begin, end = (8 + length + offset for offset in entry["data_offsets"])
                    values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
                    recording = recordings[name, place]
                    self.assertEqual(entry["shape"], list(recording.values.shape))
                    self.assertEqual(list(values), recording.values.flatten().tolist())
                    self.assertEqual(entry["shape"], [len(labels) for labels in recording.labels])

    def test_hop_weights(self):
        recording = self.reader.recordings("seed.s1")["decoder.fusion.hop_weights"]
        self.assertEqual(("target", "hop", "level"), recording.axes)
        self.assertEqual(list(recording.sentence.target), recording.labels[0])
        self.assertEqual(["0", "1", "2"], recording.labels[2])
        self.assertTrue((abs(recording.values.sum(axis=-1) - 1) < 1e-5).all())

    def test_history_begins_with_the_start_symbol(self):
        recording = self.reader.recordings("seed.s1")["decoder.layers.0.self_attn"]
        self.assertEqual(("head", "target", "history"), recording.axes)
        self.assertEqual(["<s>", *recording.sentence.target[:-1]], recording.labels[2])
        self.assertEqual(0, recording.values[:, 0, 1:].sum())  # the first word reads nothing else

    def test_unknown_ones(self):
        with self.assertRaisesRegex(strata.Error, "no recordings of step 3; it has: "):
            self.reader.recordings("seed.s1", 3)
        with self.assertRaisesRegex(strata.Error, "no recordings: recording.sentences"):
            self.reader.recordings("resumed")
        recordings = self.reader.recordings("seed.s1")
        with self.assertRaisesRegex(strata.Error, "no recording 'decoder.fusion.hops'.*did you mean"):
            recordings["decoder.fusion.hops"]
        with self.assertRaisesRegex(strata.Error, r"recorded for the sentences \[0, 1\], not for 5"):
            recordings["decoder.fusion.hop_weights", 5]

    def test_a_file_outside_of_its_folder(self):
        with made.temporary() as folder:
            workspace = made.copy_of(made.TRAINED, folder)
            (index,) = workspace.glob("runs/*-seed.s1/recordings/step-4/index.json")
            index.write_text(index.read_text(encoding="utf-8").replace(
                '"decoder.fusion.hop_weights.safetensors"', '"../../config.effective.yaml"'), encoding="utf-8")
            with self.assertRaisesRegex(strata.Error, "outside of it"):
                strata.Workspace(workspace).recordings("seed.s1", 4)


if __name__ == "__main__":
    unittest.main()
