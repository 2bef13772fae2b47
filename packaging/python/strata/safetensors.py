"""Tensors of a safetensors file as numpy arrays that are read when they are used.

The header is checked completely before any array is given out: types, shapes and ranges must match the file's size, and
every byte must belong to exactly one tensor."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from .errors import Error
from .files import unreadable

TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}
LONGEST_HEADER = 100_000_000  # bytes, the format's own limit


class TensorInfo(NamedTuple):
    """What the header says of a tensor."""

    dtype: str  # the format's name: "F32"
    shape: Tuple[int, ...]
    begin: int  # bytes after the header
    end: int


class Tensors(Mapping[str, np.ndarray]):
    """The tensors of a file by name. Opening reads the header only; an array is mapped from the file, read-only, so
    that only what is used of it is read. BF16, which numpy lacks, becomes float32 (in memory)."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.metadata: Dict[str, str] = {}
        self.info: Dict[str, TensorInfo] = {}
        try:
            self._read_header()
        except OSError as error:
            raise unreadable(file, error) from error

    def __getitem__(self, name: str) -> np.ndarray:
        info = self.info[name]
        kind = np.dtype(TYPES[info.dtype])
        if math.prod(info.shape) == 0:
            array = np.zeros(info.shape, kind)
        else:
            try:
                array = np.memmap(self.file, kind, "r", self._start + info.begin, info.shape)
            except OSError as error:
                raise unreadable(self.file, error) from error
            except ValueError as error:
                raise self._fault(f"it has become shorter while it was read ({error})") from error
        return _from_bf16(array) if info.dtype == "BF16" else array

    def __iter__(self) -> Iterator[str]:
        return iter(self.info)

    def __len__(self) -> int:
        return len(self.info)

    def __repr__(self) -> str:
        return f"<{len(self)} tensors of {self.file}>"

    def _read_header(self) -> None:
        size = self.file.stat().st_size
        with open(self.file, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > min(size - 8, LONGEST_HEADER):
                raise self._fault("its header extends beyond the end of the file: truncated or not a safetensors file")
            text = stream.read(length)
        self._start = 8 + length
        try:
            header = json.loads(text.decode("utf-8"), object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise self._fault(f"its header is not valid JSON ({error})") from error
        if not isinstance(header, dict):
            raise self._fault("its header is not an object")
        metadata = header.pop("__metadata__", {})
        if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
            raise self._fault("its metadata must be strings")
        self.metadata = metadata
        self.info = {name: self._checked(name, entry, size - self._start) for name, entry in header.items()}
        self._check_coverage(size - self._start)

    def _checked(self, name: str, entry: Any, size: int) -> TensorInfo:
        where = f"tensor '{name}'"
        if not isinstance(entry, dict):
            raise self._fault(f"{where} is not an object")
        shape, offsets = _counts(entry.get("shape")), _counts(entry.get("data_offsets"))
        if not isinstance(entry.get("dtype"), str) or entry["dtype"] not in TYPES:
            raise self._fault(f"{where} has an unknown type")
        if shape is None or offsets is None or len(offsets) != 2:
            raise self._fault(f"{where} has no valid shape or data_offsets")
        width = np.dtype(TYPES[entry["dtype"]]).itemsize
        begin, end = offsets
        if begin > end or end > size or end - begin != math.prod(shape) * width:
            raise self._fault(f"{where} extends beyond the end of the file or has another size: truncated or damaged")
        return TensorInfo(entry["dtype"], tuple(shape), begin, end)

    def _check_coverage(self, size: int) -> None:
        at = 0
        for info in sorted(self.info.values(), key=lambda info: (info.begin, info.end)):
            if info.begin != at and info.end > info.begin:
                raise self._fault("its tensors overlap or leave a gap")
            at = max(at, info.end)
        if at != size:
            raise self._fault("contains bytes that belong to no tensor")

    def _fault(self, what: str) -> Error:
        return Error(f"{self.file}: {what}")


def _counts(value: Any) -> Optional[List[int]]:
    """A list of natural numbers; ``None`` for anything else."""
    if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
        return None
    return value


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name is given twice")
    return result


def _from_bf16(halves: np.ndarray) -> np.ndarray:
    return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32)
