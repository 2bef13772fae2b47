"""The workspace: what a user of this package begins with."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import tables
from .checkpoints import Checkpoint, find_checkpoint, list_checkpoints
from .config import flat as flat_config
from .config import read_config
from .errors import Error
from .files import reading
from .index import Index
from .recordings import Recordings
from .runs import COLUMNS, Run, RunLike, find_run, read_runs, row_of
from .scalars import Points, SeriesKey, read_points, series_of
from .systems import System, list_systems

RunsLike = Union[None, RunLike, Sequence[RunLike]]
Patterns = Union[str, Sequence[str]]

SERIES = (
    "run", "series", "count", "last_step", "last", "minimum", "minimum_step", "maximum", "maximum_step", "non_finite",
)
CHECKPOINTS = ("run", "step", "best", "pinned", "scores", "folder")
SYSTEMS = (
    "id", "test_set", "run", "preset", "seed", "checkpoint", "decode", "sentences", "created", "format", "file",
)
SCORES = (
    "id", "test_set", "run", "preset", "seed", "checkpoint", "decode", "metric", "score", "signature", "imported",
)
LOOKS = ("run", "time", "dataset", "set", "checkpoint", "settings", "scores")
SAMPLES = ("run", "step", "set", "sentence", "source", "reference", "hypothesis")


class Workspace:
    """A folder of datasets and runs, opened for reading.

    ``path`` is the folder; without it that of ``STRATA_WORKSPACE``, else ``~/Strata``. Nothing in it is created or
    changed, and nothing stays open: each call reads the newest state, all of it from one moment. What the index does
    not have yet (folders of runs that were copied by hand, logs of runs trained elsewhere) is there after
    ``strata-run runs list``.

    Wherever runs are named, a name, an id, a :class:`Run`, a list of these, or None (all that are not in the trash)
    will do. Tables are pandas data frames, or lists of dictionaries where pandas is not installed.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]", None] = None) -> None:
        chosen = path if path is not None else os.environ.get("STRATA_WORKSPACE") or "~/Strata"
        self.root = Path(chosen).expanduser().absolute()
        self._index = Index(self.root)

    def __repr__(self) -> str:
        return f"strata.Workspace({str(self.root)!r})"

    # Runs

    @reading
    def run_list(self, trashed: bool = False) -> List[Run]:
        """All runs by id; those in the trash only if asked for."""
        runs = self._index.read(lambda connection: read_runs(connection, self.root))
        return [run for run in runs if trashed or not run.trashed]

    @reading
    def runs(self, trashed: bool = False) -> Any:
        """The same as a table, a line per run with the columns of :class:`Run`."""
        return tables.table([row_of(run) for run in self.run_list(trashed)], COLUMNS)

    @reading
    def run(self, run: RunLike) -> Run:
        """The run of a name or an id."""
        return find_run(self.run_list(trashed=True), run, self._index)

    @reading
    def config(self, run: RunLike, flat: bool = False) -> Dict[str, Any]:
        """A run's complete configuration: nested, or by dotted path if ``flat``."""
        config = read_config(self.run(run))
        return flat_config(config) if flat else config

    @reading
    def configs(self, runs: RunsLike = None, differing: bool = False) -> Any:
        """The flat configurations of several runs as a table: a line per run, a column per key (None: the run has no
        such key); only the keys in which the runs differ if ``differing``."""
        configs = {run.name: flat_config(read_config(run)) for run in self._chosen(runs)}
        keys: Dict[str, None] = {key: None for config in configs.values() for key in config}
        if differing:
            texts = {key: {json.dumps(config.get(key)) for config in configs.values()} for key in keys}
            keys = {key: None for key in keys if len(texts[key]) > 1}
        rows = [{"run": run, **{key: config.get(key) for key in keys}} for run, config in configs.items()]
        return tables.table(rows, ["run", *keys])

    @reading
    def samples(self, runs: RunsLike = None) -> Any:
        """What runs made of some sentences at each validation, as a table."""
        return self._rows(
            "SELECT run, step, set_name, sentence, source, reference, hypothesis FROM samples ORDER BY run, set_name, "
            "sentence, step", runs, SAMPLES,
        )

    # Curves

    @reading
    def series(self, runs: RunsLike = None, series: Patterns = "*") -> Any:
        """The series of runs as a table: number of points, last value, extremes of the finite values."""
        chosen = {run.id: run.name for run in self._chosen(runs)}
        wanted = {key.id for key in self._keys(list(chosen), series)}
        rows = self._index.read(lambda connection: connection.execute(
            "SELECT id, run, name, count, last_step, last_value, minimum, minimum_step, maximum, maximum_step, "
            "non_finite FROM series ORDER BY run, name"
        ).fetchall())
        return tables.table(
            [dict(zip(SERIES, (chosen[row[1]], row[2], *map(_nan, row[3:])))) for row in rows if row[0] in wanted],
            SERIES,
        )

    @reading
    def points(self, runs: RunsLike = None, series: Patterns = "*") -> List[Points]:
        """The points of series as arrays, one :class:`Points` per run and series.

        ``series`` is a name, a glob such as ``"valid/*"``, or a list of these. Values are those of ``strata-run runs
        export``, bit for bit, NaN and infinities included; a resumed run has only the points of its newest start from
        where that one began.
        """
        chosen = self._chosen(runs)
        names = {run.id: run.name for run in chosen}
        keys, columns = self._read(list(names), series)
        parts, at = [], 0
        for key in keys:
            part = slice(at, at + key.length)
            parts.append(Points(names[key.run], key.name, *(column[part] for column in columns)))
            at += key.length
        return parts

    @reading
    def scalars(self, runs: RunsLike = None, series: Patterns = "*") -> Any:
        """The same as one pandas data frame with the columns run, series (both categorical), step, wall (seconds since
        the Unix epoch) and value."""
        pandas = tables.pandas_for("scalars()", "points()")
        names = {run.id: run.name for run in self._chosen(runs)}
        keys, columns = self._read(list(names), series)
        counts = [key.length for key in keys]

        def category(labels: List[str]) -> Any:
            known = list(dict.fromkeys(labels))
            codes = np.array([known.index(label) for label in labels], np.int32)
            return pandas.Categorical.from_codes(np.repeat(codes, counts), known)

        return pandas.DataFrame({
            "run": category([names[key.run] for key in keys]), "series": category([key.name for key in keys]),
            "step": columns.step, "wall": columns.wall, "value": columns.value,
        }, copy=False)

    # Translations

    @reading
    def system_list(self, runs: RunsLike = None) -> List[System]:
        """The stored translations of runs, and, unless runs are named, those imported from other toolkits. Damaged ones
        are left out; :meth:`problems` says why."""
        systems, _ = list_systems(self.root, self._chosen(runs))
        return [system for system in systems if runs is None or system.run is not None]

    @reading
    def systems(self, runs: RunsLike = None) -> Any:
        """The same as a table."""
        return tables.table([_system_row(system, SYSTEMS) for system in self.system_list(runs)], SYSTEMS)

    @reading
    def system(self, id: str) -> System:
        """The system of an id, or of the name of a run that has exactly one."""
        systems = self.system_list()
        found = [system for system in systems if system.id == id]
        found = found or [system for system in systems if system.run is not None and system.run.name == id]
        if len(found) != 1:
            known = ", ".join(system.id for system in (found or systems)) or "none yet"
            raise Error(f"{'no' if not found else 'more than one'} system '{id}' in {self.root}; there are: {known}")
        return found[0]

    @reading
    def scores(self, runs: RunsLike = None) -> Any:
        """The scores stored with translations as a table, a line per translation and metric. Scores that other programs
        made are means over their sentences (``imported``)."""
        rows = []
        for system in self.system_list(runs):
            for score in system.scores:
                row = _system_row(system, SCORES)
                row.update(metric=score.metric, score=score.score, signature=score.signature, imported=score.imported)
                rows.append(row)
        return tables.table(rows, SCORES)

    @reading
    def looks(self, runs: RunsLike = None) -> Any:
        """Each time that a test set was scored, as a table, oldest first."""
        def decoded(row: Dict[str, Any]) -> Dict[str, Any]:
            return {**row, "settings": json.loads(row["settings"]), "scores": json.loads(row["scores"])}

        return self._rows(
            "SELECT run, time, dataset, set_name, checkpoint, settings, scores FROM looks ORDER BY time, rowid",
            runs, LOOKS, decoded,
        )

    @reading
    def problems(self) -> List[str]:
        """What is wrong with the translations and scores that are left out, a sentence each."""
        return list_systems(self.root, self._chosen(None))[1]

    # Models

    @reading
    def checkpoint_list(self, runs: RunsLike = None) -> List[Checkpoint]:
        """The checkpoints that are there, by run, oldest first."""
        return [checkpoint for run in self._chosen(runs) for checkpoint in list_checkpoints(run)]

    @reading
    def checkpoints(self, runs: RunsLike = None) -> Any:
        """The same as a table; ``best`` by the metric of the run."""
        rows = []
        for run in self._chosen(runs):
            for checkpoint in list_checkpoints(run):
                row = dict(vars(checkpoint), best=find_checkpoint(run, "best").step == checkpoint.step)
                rows.append({key: row[key] for key in CHECKPOINTS})
        return tables.table(rows, CHECKPOINTS)

    @reading
    def checkpoint(self, run: RunLike, which: Union[str, int] = "best") -> Checkpoint:
        """A run's checkpoint: ``"best"``, ``"last"`` or a step. ``.parameters()`` are its arrays."""
        return find_checkpoint(self.run(run), which)

    @reading
    def recorded_steps(self, run: RunLike) -> List[int]:
        """The steps with recordings, ascending."""
        folder = self.run(run).folder / "recordings"
        found = folder.glob("step-*/index.json") if folder.is_dir() else ()
        names = [file.parent.name[len("step-") :] for file in found]
        return sorted(int(name) for name in names if name.isdigit())

    @reading
    def recordings(self, run: RunLike, step: Optional[int] = None) -> Recordings:
        """The recordings of a step; of the newest without ``step``."""
        chosen = self.run(run)
        steps = self.recorded_steps(chosen)
        if not steps:
            raise Error(f"the run '{chosen.name}' has no recordings: recording.sentences says how many are recorded")
        at = steps[-1] if step is None else step
        if at not in steps:
            raise Error(f"the run '{chosen.name}' has no recordings of step {step}; it has: {', '.join(map(str, steps))}")
        return Recordings(chosen.folder / "recordings" / f"step-{at}", at)

    def _chosen(self, runs: RunsLike) -> List[Run]:
        if runs is None:
            return self.run_list()
        wanted = [runs] if isinstance(runs, (Run, str, int)) else list(runs)
        known = self.run_list(trashed=True)
        chosen = [find_run(known, run, self._index) for run in wanted]
        return list({run.id: run for run in chosen}.values())

    def _keys(self, runs: List[int], series: Patterns) -> List[SeriesKey]:
        patterns = [series] if isinstance(series, str) else list(series)
        return self._index.read(lambda connection: series_of(connection, runs, patterns))

    def _read(self, runs: List[int], series: Patterns) -> Any:
        patterns = [series] if isinstance(series, str) else list(series)

        def work(connection: Any) -> Any:
            keys = series_of(connection, runs, patterns)
            if not keys:
                self._refuse_unknown(connection, runs, patterns)
            return keys, read_points(connection, keys, self._index.file)

        return self._index.read(work)

    def _refuse_unknown(self, connection: Any, runs: List[int], patterns: List[str]) -> None:
        """Names without a glob that no run has are mistyped; runs without points have none of any name."""
        known = [key.name for key in series_of(connection, runs, ["*"])]
        if known and not any(character in pattern for pattern in patterns for character in "*?["):
            raise Error(
                f"no such series: {', '.join(patterns)}; the runs have: {', '.join(dict.fromkeys(known))}"
            )

    def _rows(self, sql: str, runs: RunsLike, columns: Sequence[str], change: Any = None) -> Any:
        names = {run.id: run.name for run in self._chosen(runs)}
        found = self._index.read(lambda connection: connection.execute(sql).fetchall())
        rows = [dict(zip(columns, (names[row[0]], *row[1:]))) for row in found if row[0] in names]
        return tables.table([change(row) for row in rows] if change else rows, columns)


def _nan(value: Any) -> Any:
    return float("nan") if value is None else value


def _system_row(system: System, columns: Sequence[str]) -> Dict[str, Any]:
    run = system.run
    known = {
        **vars(system),
        "run": run.name if run else None,
        "preset": run.preset if run else None,
        "seed": run.seed if run else None,
    }
    return {key: known.get(key) for key in columns}
