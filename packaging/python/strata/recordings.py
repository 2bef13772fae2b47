"""Recorded internals of a model: attention maps, hop weights, gates, states, for some sentences at some steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .errors import Error, nearest
from .files import member, path_inside, read_json, verify
from .safetensors import Tensors

FORMAT = 1
START = "<s>"  # stands for the start symbol, which the first word is generated from


@dataclass(frozen=True)
class Sentence:
    """A recorded sentence."""

    number: int  # in its evaluation set
    source: Tuple[str, ...]  # tokens as the model reads them, </s> included
    target: Tuple[str, ...]  # tokens generated, </s> included


@dataclass(frozen=True)
class RecordingInfo:
    """What a recorded internal is."""

    name: str  # "decoder.fusion.hop_weights"
    kind: str  # "attention", "hop_weights", "gate", "states", ...
    side: str  # "encoder" or "decoder"
    layer: int  # -1 if it does not belong to one layer
    axes: Tuple[str, ...]  # one per dimension: "target", "source", "history", "head", "hop", "level", ...
    first_level: int  # on the axis "level": 0 is the embedding, l the output of layer l
    sentences: Tuple[int, ...]  # places in Recordings.sentences


@dataclass(frozen=True)
class Recording:
    """The values of an internal for one sentence."""

    info: RecordingInfo
    sentence: Sentence
    values: np.ndarray  # float32, one dimension for each of info.axes; mapped from the file

    @property
    def axes(self) -> Tuple[str, ...]:
        """The name of each dimension."""
        return self.info.axes

    @property
    def labels(self) -> List[List[str]]:
        """The labels of each dimension: words, numbers of levels, else 0, 1, ..."""
        return [self._labels(axis, length) for axis, length in zip(self.info.axes, self.values.shape)]

    def _labels(self, axis: str, length: int) -> List[str]:
        source, target = list(self.sentence.source), list(self.sentence.target)
        history = [START] + target[:-1]  # column j is the word read at step j
        labels = {"source": source, "target": target, "history": history, "memory": source + history}.get(axis)
        if axis == "level":
            labels = [str(self.info.first_level + level) for level in range(length)]
        return labels if labels is not None and len(labels) == length else [str(at) for at in range(length)]


class Recordings:
    """The recordings of one step of a run: ``recordings["decoder.fusion.hop_weights"]`` is that of the first sentence,
    ``recordings["decoder.fusion.hop_weights", 2]`` that of the third."""

    def __init__(self, folder: Path, step: int) -> None:
        self.folder = folder
        self.step = step
        path = folder / "index.json"
        index = read_json(path)
        if index.get("format") != FORMAT:
            raise Error(f"{path} has the format {index.get('format')}, but this package reads {FORMAT}")
        self.sentences = [_sentence(entry, path) for entry in member(index, "sentences", list, path)]
        self.info: Dict[str, RecordingInfo] = {}
        self._files: Dict[str, Tuple[Path, str]] = {}  # with its digest
        self._tensors: Dict[str, Tensors] = {}
        for entry in member(index, "recordings", list, path):
            info = _info(entry, path, len(self.sentences))
            self.info[info.name] = info
            file = path_inside(folder, member(entry, "file", str, path))
            self._files[info.name] = file, member(entry, "digest", str, path)

    def names(self, kind: Optional[str] = None) -> List[str]:
        """The names of the recorded internals, of one kind if it is given."""
        return [name for name, info in self.info.items() if kind in (None, info.kind)]

    def __getitem__(self, key: Any) -> Recording:
        name, place = key if isinstance(key, tuple) else (key, 0)
        if name not in self.info:
            hint = nearest(str(name), self.info)
            raise Error(f"{self.folder} has no recording '{name}'{hint}; it has: {', '.join(self.info) or 'none'}")
        info = self.info[name]
        if place not in info.sentences:
            raise Error(f"'{name}' was recorded for the sentences {list(info.sentences)}, not for {place}")
        if name not in self._tensors:
            file, digest = self._files[name]
            verify(file, digest)
            self._tensors[name] = Tensors(file)
        tensors, tensor = self._tensors[name], f"sentence.{place}"
        if tensor not in tensors or tensors.info[tensor].dtype != "F32":
            raise Error(f"{tensors.file} is damaged: it has no F32 tensor '{tensor}'")
        if len(tensors.info[tensor].shape) != len(info.axes):
            raise Error(f"{tensors.file} is damaged: '{tensor}' has not {len(info.axes)} axes")
        return Recording(info, self.sentences[place], tensors[tensor])

    def __repr__(self) -> str:
        return f"<step {self.step}: {len(self.info)} recordings of {len(self.sentences)} sentences>"


def _sentence(entry: Any, path: Path) -> Sentence:
    if not isinstance(entry, dict):
        raise Error(f"{path} is damaged: a sentence is not an object")
    return Sentence(
        member(entry, "sentence", int, path),
        tuple(member(entry, "source", list, path)),
        tuple(member(entry, "target", list, path)),
    )


def _info(entry: Any, path: Path, sentences: int) -> RecordingInfo:
    if not isinstance(entry, dict):
        raise Error(f"{path} is damaged: a recording is not an object")
    places = tuple(member(entry, "sentences", list, path))
    if not all(type(place) is int and 0 <= place < sentences for place in places):
        raise Error(f"{path} is damaged: a recording is of a sentence that it does not list")
    return RecordingInfo(
        name=member(entry, "name", str, path),
        kind=member(entry, "kind", str, path),
        side=member(entry, "side", str, path),
        layer=member(entry, "layer", int, path),
        axes=tuple(member(entry, "axes", list, path)),
        first_level=int(entry.get("first_level", 0)),
        sentences=places,
    )
