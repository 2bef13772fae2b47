"""The points of series, as in ``strata-run runs export``."""

from __future__ import annotations

import fnmatch
import sqlite3
from dataclasses import dataclass
from typing import Dict, Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

from .chunks import chunk_size, decode_chunk
from .errors import Error


class SeriesKey(NamedTuple):
    """A series of the index."""

    id: int
    run: int  # the run's id
    name: str
    length: int  # number of points


@dataclass(frozen=True)
class Points:
    """The points of one series of one run, in the order of their steps."""

    run: str
    series: str
    step: np.ndarray  # int64
    wall: np.ndarray  # float64, seconds since the Unix epoch
    value: np.ndarray  # float64; NaN and infinities as recorded

    def __len__(self) -> int:
        return len(self.step)


class Columns(NamedTuple):
    """The points of several series, one after the other."""

    step: np.ndarray
    wall: np.ndarray
    value: np.ndarray


def matching(names: Iterable[str], patterns: Sequence[str]) -> List[str]:
    """The names that equal a pattern or match it as a glob, in which ``*`` stands for ``/`` as well."""
    known = list(names)
    chosen = set()
    for pattern in patterns:
        chosen |= {pattern} if pattern in known else {name for name in known if fnmatch.fnmatchcase(name, pattern)}
    return [name for name in known if name in chosen]


def series_of(connection: sqlite3.Connection, runs: Sequence[int], patterns: Sequence[str]) -> List[SeriesKey]:
    """The series with points, in the order of ``runs``, then by name."""
    rows: Dict[int, List[SeriesKey]] = {run: [] for run in runs}
    for row in connection.execute("SELECT id, run, name, count FROM series WHERE count > 0 ORDER BY name"):
        if row[1] in rows:
            rows[row[1]].append(SeriesKey(*row))
    wanted = set(matching(sorted({key.name for keys in rows.values() for key in keys}), patterns))
    return [key for run in runs for key in rows[run] if key.name in wanted]


def read_points(connection: sqlite3.Connection, series: Sequence[SeriesKey], file: object) -> Columns:
    """All points of the series. Resumed runs have none that a later start has repeated: the index drops them."""
    total = sum(key.length for key in series)
    step, wall = np.empty(total, np.int64), np.empty(total, np.int64)
    value = np.empty(total, np.float64)
    at = 0
    for key in series:
        end = at + key.length
        place = f"{file}: the series '{key.name}' of run {key.run}"
        _read_series(connection, key.id, (step[at:end], wall[at:end], value[at:end]), place)
        at = end
    seconds = wall.astype(np.float64)
    seconds /= 1e6
    return Columns(step, seconds, value)


def _read_series(
    connection: sqlite3.Connection, series: int, out: Tuple[np.ndarray, np.ndarray, np.ndarray], place: str
) -> None:
    step, wall, value = out
    at = 0
    try:
        chunks = connection.execute("SELECT data FROM chunks WHERE series = ? ORDER BY position", (series,))
        for (data,) in chunks:
            end = at + chunk_size(data)
            if end > len(step):
                raise ValueError("has more points than its series")
            decode_chunk(data, step[at:end], wall[at:end], value[at:end])
            at = end
    except ValueError as error:
        raise Error(f"{place}: a chunk {error}: run `strata-run workspace repair`") from error
    newest = connection.execute(
        "SELECT step, wall, value FROM points WHERE series = ? ORDER BY position", (series,)
    ).fetchall()
    if at + len(newest) != len(step):
        raise Error(
            f"{place} has {at + len(newest)} points instead of {len(step)}: run `strata-run workspace repair`"
        )
    if newest:
        steps, walls, values = zip(*newest)
        step[at:], wall[at:] = steps, walls
        value[at:] = np.array(values, np.float64)  # None, an absent value, becomes NaN
