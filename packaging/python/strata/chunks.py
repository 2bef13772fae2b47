"""Sealed chunks of scalars: a header, differences of steps, differences of wall times, values, and a checksum of all
that; all little-endian."""

from __future__ import annotations

import struct
from typing import Tuple

import numpy as np
import xxhash

HEADER = struct.Struct("<BBBBIqqq")  # version, kinds of the three columns, count, first step, stride, first wall time
CHECKSUM = struct.Struct("<Q")  # XXH3-64; chunks of version 1 have none
CONSTANT, BITS32, BITS64 = 0, 1, 2
WIDTH = {CONSTANT: 0, BITS32: 4, BITS64: 8}


def chunk_size(data: bytes) -> int:
    """The number of points in a chunk. Bytes that are no chunk, or not as they were written, are a ``ValueError``."""
    if len(data) < HEADER.size:
        raise ValueError("is too short")
    version, step, wall, value, count, _, _, _ = HEADER.unpack_from(data)
    if version not in (1, 2):
        raise ValueError(f"has the unknown version {version}")
    if step not in WIDTH or wall not in (BITS32, BITS64) or value not in (BITS32, BITS64):
        raise ValueError("has unknown columns")
    end = HEADER.size + count * (WIDTH[step] + WIDTH[wall] + WIDTH[value])
    if len(data) != end + (CHECKSUM.size if version == 2 else 0):
        raise ValueError("has another length than its header says")
    if version == 2 and CHECKSUM.unpack_from(data, end) != (xxhash.xxh3_64_intdigest(data[:end]),):
        raise ValueError("has another checksum than when it was written")
    return int(count)


def decode_chunk(data: bytes, step_out: np.ndarray, wall_out: np.ndarray, value_out: np.ndarray) -> None:
    """Writes a chunk's points to three arrays of its size: steps (int64), wall times in microseconds (int64), values
    (float64)."""
    _, step, wall, value, count, first_step, stride, first_wall = HEADER.unpack_from(data)
    if count == 0:
        return
    at = HEADER.size
    if step == CONSTANT:
        step_out[:] = np.arange(count, dtype=np.int64) * np.int64(stride) + np.int64(first_step)
    else:
        at = _sums(data, at, (step, count, first_step), step_out)
    at = _sums(data, at, (wall, count, first_wall), wall_out)
    value_out[:] = np.frombuffer(data, "<f4" if value == BITS32 else "<f8", count, at)


def _sums(data: bytes, at: int, column: Tuple[int, int, int], out: np.ndarray) -> int:
    """Running sums of a column of differences; returns where the next column begins."""
    kind, count, first = column
    out[:] = np.frombuffer(data, "<u4" if kind == BITS32 else "<i8", count, at)
    out[0] = first  # the first difference is not used
    np.cumsum(out, out=out)
    return at + count * WIDTH[kind]
