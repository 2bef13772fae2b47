"""Whether a run is being trained now. The index has a start without an end; who holds the run's ``train.lock`` says
whether that start goes on, as ``strata-run runs list`` does."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import struct
import time
from pathlib import Path
from typing import Any, NamedTuple, Optional

from .index import is_remote

try:
    import fcntl
except ImportError:  # not a Unix: only heartbeats count
    fcntl = None  # type: ignore[assignment]

LIMIT = 120.0  # seconds without a heartbeat after which a process elsewhere counts as gone
LOCKED_BYTE = 1 << 30
FLOCK = struct.Struct("hhqqixxxx")  # type, whence, start, length, pid


class Process(NamedTuple):
    """A process that trains a run, or did."""

    host: str
    pid: int
    mark: str  # "START@BOOT@NAMESPACE"


def is_trained(connection: sqlite3.Connection, run: int, folder: Path) -> bool:
    """Whether a process trains the run in ``folder``."""
    lock = folder / "train.lock"
    if _is_held(lock, folder):
        return True
    row = _last_process(connection, run)
    if row is None:
        return False
    process, heartbeat = Process(row[0], row[1], row[2]), row[3]
    if lock.exists() and _shares_kernel(process):
        return False
    return _is_alive(process, heartbeat)


def interruption(connection: sqlite3.Connection, run: int) -> str:
    """Why a run without an end is not being trained."""
    row = _last_process(connection, run)
    who = f"the process {row[1]} on {row[0]} is gone" if row else "its process is gone"
    return who + "; resume the run to continue"


def _last_process(connection: sqlite3.Connection, run: int) -> Any:
    return connection.execute(
        "SELECT host, pid, process, heartbeat FROM processes WHERE run = ?1 UNION ALL SELECT * FROM (SELECT host, pid, "
        "process, last_seen FROM starts WHERE run = ?1 ORDER BY number DESC LIMIT 1) LIMIT 1",
        (run,),
    ).fetchone()


def _is_held(lock: Path, folder: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        if _is_locked(descriptor):
            return True
        text, modified = os.pread(descriptor, 4096, 0), os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)
    try:
        entry = json.loads(text)
        owner, held = Process(str(entry["host"]), int(entry["pid"]), str(entry["process"])), bool(entry["held"])
    except (ValueError, KeyError, TypeError):
        return False
    if not held or _shares_kernel(owner) or (owner.host == socket.gethostname() and not is_remote(folder)):
        return False
    return time.time() - modified < LIMIT


def _is_locked(descriptor: int) -> bool:
    query = getattr(fcntl, "F_OFD_GETLK", None)
    if query is None or fcntl is None:
        return False
    asked = FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
    try:
        answer = fcntl.fcntl(descriptor, query, asked)
    except OSError:
        return False
    return bool(FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)


def _is_alive(process: Process, heartbeat: float) -> bool:
    if process.pid <= 0:
        return False
    namespace = _namespace()
    if namespace and _place(process) == f"@{_boot()}@{namespace}":
        return _mark_of(process.pid) == process.mark
    return time.time() - heartbeat < LIMIT


def _shares_kernel(process: Process) -> bool:
    return _place(process).startswith(f"@{_boot()}@")


def _place(process: Process) -> str:
    at = process.mark.find("@")
    return process.mark[at:] if at >= 0 else ""


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").partition("[")[2].rstrip("]")
    except OSError:
        return ""


def _mark_of(pid: int) -> Optional[str]:
    """As Strata marks a living process: when it started, so that a reused number is not mistaken for it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in ("Z", "X"):
        return None
    return f"{fields[19]}@{_boot()}@{_namespace()}"
