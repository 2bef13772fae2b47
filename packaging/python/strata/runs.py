"""The table of runs."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple, Union

from .activity import interruption, is_trained
from .errors import Error, nearest
from .index import Index

_SELECT = """
SELECT r.id, r.name, r.preset, r.dataset, r.family, r.status, r.message, r.metric, r.step, r.seed, r.note, r.folder,
  r.created, m.last_step, m.last_value, m.minimum, m.minimum_step, m.maximum, m.maximum_step, t.last_value AS tokens,
  {minimum_last} AS minimum_last, {maximum_last} AS maximum_last, {better} AS better,
  (SELECT SUM(s.last_seen - s.time) FROM starts s WHERE s.run = r.id) AS seconds,
  (SELECT COUNT(*) FROM looks l WHERE l.run = r.id) AS looks, {diverged} AS diverged, {config_group} AS config_group,
  {config_digest} AS config_digest, {config_before} AS config_before
FROM runs r LEFT JOIN series m ON m.run = r.id AND m.name = r.metric
  LEFT JOIN series t ON t.run = r.id AND t.name = 'train/tokens_per_second' AND r.preset <> 'imported/tensorboard'
ORDER BY r.id"""


@dataclass(frozen=True)
class Run:
    """One line of the table of runs, as ``strata-run --json runs list`` gives it."""

    id: int
    name: str
    status: str  # created, queued, running, paused, stopped, finished, failed or interrupted
    message: str  # why it failed, stopped or was interrupted
    preset: str
    dataset: str
    family: str
    seed: int
    step: int  # updates done
    metric: str  # the series that best and last are of
    best: float  # NaN: no value, or nobody knows which values are better
    best_step: int  # the last step with it; -1: none
    last: float
    last_step: int
    tokens_per_second: float
    seconds: float  # of training, over all its starts
    test_looks: int  # how often a test set was scored
    diverged: bool  # it failed at numbers that are not finite
    group: str  # equal for runs whose configurations differ only in the seed
    tags: Tuple[str, ...]
    note: str
    trashed: bool
    created: float  # seconds since the Unix epoch
    folder: Path
    config_digests: Tuple[str, ...] = field(default=(), repr=False)  # of config.effective.yaml, now and before; or none
    better: int = field(default=0, repr=False)  # of the metric: 1 higher values, -1 lower ones, 0: nobody knows


RunLike = Union[Run, str, int]
COLUMNS = tuple(name for name in Run.__dataclass_fields__ if name not in ("config_digests", "better"))


def row_of(run: Run) -> Dict[str, Any]:
    """A run as a row of a table."""
    row = {**asdict(run), "tags": list(run.tags)}
    return {name: row[name] for name in COLUMNS}


def read_runs(connection: sqlite3.Connection, root: Path) -> List[Run]:
    """All runs, those in the trash, too."""
    tags: Dict[int, List[str]] = {}
    for run, tag in connection.execute("SELECT run, tag FROM tags ORDER BY run, tag"):
        tags.setdefault(run, []).append(tag)
    added = {  # what older formats lack, and what stands for it
        "runs r": {"diverged": "0", "config_group": "''", "config_digest": "''", "config_before": "''"},
        "series m": {"minimum_last": "m.minimum_step", "maximum_last": "m.maximum_step", "better": "NULL"},
    }
    parts = {}
    for table, columns in added.items():
        name, short = table.split()
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        parts.update({c: f"{short}.{c}" if c in present else instead for c, instead in columns.items()})
    select = _SELECT.format(**parts)
    cursor = connection.execute(select)
    names = [column[0] for column in cursor.description]
    return [_run_of(connection, dict(zip(names, row)), tags, root) for row in cursor.fetchall()]


def _run_of(connection: sqlite3.Connection, row: Dict[str, Any], tags: Dict[int, List[str]], root: Path) -> Run:
    scored = row["last_step"] is not None and row["last_step"] >= 0
    better = row["better"]
    if better is None:  # an index of an older format, or no value yet
        better = 1 if row["metric"].endswith(("bleu", "accuracy")) else -1
    best = {1: "maximum", -1: "minimum"}.get(better) if scored else None
    status, message, folder = row["status"], row["message"], root / row["folder"]
    if status == "running" and not is_trained(connection, row["id"], folder):
        status, message = "interrupted", interruption(connection, row["id"])
    return Run(
        id=row["id"],
        name=row["name"],
        status=status,
        message=message,
        preset=row["preset"],
        dataset=row["dataset"],
        family=row["family"],
        seed=row["seed"],
        step=row["step"],
        metric=row["metric"],
        best=_number(row[best]) if best else math.nan,
        best_step=row[best + "_last"] if best else -1,
        last=_number(row["last_value"]) if scored else math.nan,
        last_step=row["last_step"] if scored else -1,
        tokens_per_second=row["tokens"] or 0.0,
        seconds=row["seconds"] or 0.0,
        test_looks=row["looks"],
        diverged=bool(row["diverged"]),
        group=row["config_group"],
        tags=tuple(tags.get(row["id"], ())),
        note=row["note"],
        trashed=row["folder"].startswith("trash/"),
        created=row["created"],
        folder=folder,
        config_digests=tuple(each for each in (row["config_digest"], row["config_before"]) if each),
        better=better,
    )


def find_run(runs: Sequence[Run], wanted: RunLike, index: Index) -> Run:
    """The run of a name or an id."""
    if isinstance(wanted, Run):
        return wanted
    for run in runs:
        if wanted == run.name or str(wanted) == str(run.id):
            return run
    hint = nearest(str(wanted), [run.name for run in runs])
    raise Error(f"there is no run '{wanted}' in {index.file.parent}: `strata-run runs list` shows all runs{hint}")


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
