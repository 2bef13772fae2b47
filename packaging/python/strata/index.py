"""The workspace's index, an SQLite database, read without changing a file.

How it is opened depends on what lies next to it:

- In a workspace that nobody has open there is only ``workspace.db``. It is read as it is, without locks, and read again
  if it has changed meanwhile: SQLite itself would create files next to it even for a reader.
- While a process writes there are also ``workspace.db-wal`` and ``-shm``. They are read as SQLite's readers do, with its
  locks, but the shared memory is opened for reading only.
- If the shared memory is missing or not to be trusted (a copy of a workspace, a file system of another computer), a
  private copy of the two other files is read.
- On network file systems Strata writes a rollback journal instead; SQLite's locks are enough for that.

Each reading is a connection and a transaction of its own: all of it is from one moment, and nothing is held between.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, Optional, Tuple, TypeVar
from contextlib import contextmanager
from urllib.parse import quote

from .errors import Error

Result = TypeVar("Result")

APPLICATION = 0x53545254  # "STRT"
NEWEST_FORMAT = 8  # the newest schema that this package knows
WAIT = 20.0  # seconds for another process's transaction
ATTEMPTS = 20  # when files change while they are read
REMOTE = {
    "nfs", "nfs4", "smb", "smb2", "smb3", "smbfs", "cifs", "lustre", "gpfs", "afs", "ceph", "beegfs", "9p", "coda",
    "panfs", "orangefs", "fuse.sshfs",
}

# SQLite's connections of one thread at a time, since they and _HEADERS share locks on a file.
_one_at_a_time = threading.RLock()
# Descriptors by device and inode, which are never closed: when a process closes any descriptor of a file, the system
# drops all locks that the process has on it, those of the caller's own connections, too.
_HEADERS: Dict[Tuple[int, int], int] = {}


class _Changed(Exception):
    """The files changed while they were read: read them again."""


def is_remote(path: Path) -> bool:
    """Whether a path is on a file system that other computers write to, as far as the system says (Linux)."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    real = os.path.realpath(path)
    kind, longest = "", -1
    for fields in (line.split() for line in lines):
        if len(fields) < 3:
            continue
        place = fields[1].replace("\\040", " ")
        inside = real == place or real.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= longest:
            kind, longest = fields[2], len(place)
    return kind in REMOTE


class Index:
    """``workspace.db`` of a workspace."""

    def __init__(self, root: Path) -> None:
        self.file = root / "workspace.db"
        if not self.file.is_file():
            raise Error(
                f"there is no workspace in {root}: give the folder that has workspace.db, or set STRATA_WORKSPACE. "
                f"`strata-run --workspace {root} runs list` makes the index of a folder of runs"
            )
        self.read(lambda connection: None)

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What ``work`` makes of one moment's data. It may be called again if they change meanwhile."""
        for attempt in range(ATTEMPTS):
            try:
                with _one_at_a_time, self._transaction() as connection:
                    return work(connection)
            except _Changed:
                time.sleep(0.01 * attempt)
            except sqlite3.Error as error:
                if attempt + 1 == ATTEMPTS or not self._may_pass(error):
                    raise self._explained(error) from error
                time.sleep(0.01 * attempt)
        raise Error(f"{self.file} changes too often to be read: try again")

    def format(self) -> int:
        """The version of the schema."""
        return int(self.read(lambda connection: connection.execute("PRAGMA user_version").fetchone()[0]))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        wal, memory = Path(f"{self.file}-wal"), Path(f"{self.file}-shm")
        if not self._has_log():  # a rollback journal
            with self._connection(self.file, "mode=ro") as connection:
                yield connection
        elif not wal.exists() or wal.stat().st_size == 0:
            before = self._fingerprint()
            try:
                with self._connection(self.file, "mode=ro&immutable=1") as connection:
                    yield connection
            finally:
                if self._fingerprint() != before:  # what was found, or failed, is of no moment
                    raise _Changed
        elif memory.exists() and not is_remote(self.file):
            with self._connection(self.file, "mode=ro&readonly_shm=1") as connection:
                yield connection
        else:
            with self._copy() as copy, self._connection(copy, "mode=rw") as connection:
                yield connection

    @contextmanager
    def _connection(self, file: Path, options: str) -> Iterator[sqlite3.Connection]:
        uri = f"file:{quote(str(file.absolute()))}?{options}"
        connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("BEGIN")
            self._check_format(connection)
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        """The database and its log. What the log had before a checkpoint is in the database after it, so the database
        must not change until the log has been copied."""
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            copy = Path(folder) / "workspace.db"
            before = self._state_of(self.file)
            shutil.copyfile(self.file, copy)
            try:
                shutil.copyfile(f"{self.file}-wal", f"{copy}-wal")
            except FileNotFoundError:
                raise _Changed from None
            if self._state_of(self.file) != before:
                raise _Changed
            yield copy

    def _fingerprint(self) -> Tuple[object, ...]:
        return self._state_of(self.file), self._state_of(Path(f"{self.file}-wal"))

    @staticmethod
    def _state_of(file: Path) -> Optional[Tuple[int, int, int]]:
        """Unless a file has one of size 0, which has no content: nothing."""
        try:
            state = file.stat()
        except FileNotFoundError:
            return None
        return (state.st_ino, state.st_size, state.st_mtime_ns) if state.st_size > 0 else None

    def _has_log(self) -> bool:
        """Whether the database is written through a log (WAL), by its header."""
        try:
            state = self.file.stat()
            place = (state.st_dev, state.st_ino)
            if place not in _HEADERS:
                _HEADERS[place] = os.open(self.file, os.O_RDONLY)
            header = os.pread(_HEADERS[place], 100, 0)
        except OSError as error:
            raise Error(f"cannot read {self.file}: {error.strerror}") from error
        if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
            raise self._damaged("its header is not that of an index")
        return header[18] == 2 or header[19] == 2

    def _check_format(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise Error(f"{self.file} belongs to another program: give the folder of a workspace of Strata")
        if found > NEWEST_FORMAT:
            raise Error(
                f"{self.file} was written by a newer version of Strata (format {found}, this package knows "
                f"{NEWEST_FORMAT}): install the package `strata` of that version"
            )

    @staticmethod
    def _may_pass(error: sqlite3.Error) -> bool:
        """Whether it may be the moment between two states of the files: a log that is being created or removed."""
        text = str(error)
        return "unable to open" in text or "readonly" in text or "read-only" in text or "disk I/O" in text

    def _damaged(self, why: object) -> Error:
        return Error(
            f"{self.file} is damaged ({why}): run `strata-run workspace repair`, which rebuilds it from the folders of "
            "the runs"
        )

    def _explained(self, error: sqlite3.Error) -> Error:
        text = str(error)
        if "malformed" in text or "not a database" in text:
            return self._damaged(text)
        if "locked" in text or "busy" in text:
            return Error(f"{self.file} has been in use by another process for too long: try again, or end that process")
        if "readonly" in text or "read-only" in text:
            return Error(
                f"{self.file}: a process died while it wrote, which reading alone cannot mend: run `strata-run runs "
                "list` once"
            )
        return Error(f"{self.file}: {text}")
