"""Checkpoints of a run and the parameters in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Union

from .errors import Error
from .files import check_own_digest, member, read_document, read_json, unreadable, verify
from .runs import Run
from .safetensors import Tensors


@dataclass(frozen=True)
class Checkpoint:
    """A saved state of a run."""

    run: str
    step: int
    scores: Dict[str, float]  # of this step, by series; empty: not validated
    pinned: bool  # never removed by training
    folder: Path

    def parameters(self, average: bool = False) -> Tensors:
        """The model's parameters by name, mapped from the file, which is verified when it is first read; the moving
        average of them if ``average``."""
        name = "ema/model.safetensors" if average else "model.safetensors"
        return Tensors(self._verified(name))

    def model_config(self) -> Dict[str, Any]:
        """What the model is, with the sizes of its vocabularies."""
        return read_json(self._verified("config.json"))

    def _verified(self, name: str) -> Path:
        """A file of the checkpoint that is as it was written."""
        path = self.folder / "manifest.json"
        files = member(_manifest(self.folder), "files", dict, path)
        if name not in files and name.startswith("ema/"):
            raise Error(f"{self.folder} has no moving average: the run was trained without training.ema")
        entry = member(files, name, dict, path)
        verify(self.folder / name, member(entry, "xxh3_128", str, path))
        return self.folder / name


def list_checkpoints(run: Run) -> List[Checkpoint]:
    """The checkpoints that are there, oldest first."""
    folder = run.folder / "checkpoints"
    found = []
    try:
        places = list(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise unreadable(folder, error) from error
    for place in places:
        digits = place.name[len("step-") :]
        if not place.name.startswith("step-") or not digits.isdigit():
            continue
        try:
            scores = _scores(place)
        except Error:
            if (place / "manifest.json").exists():
                raise
            continue  # it is being written or removed
        found.append(Checkpoint(run.name, int(digits), scores, (place / "pinned").exists(), place))
    return sorted(found, key=lambda checkpoint: checkpoint.step)


def find_checkpoint(run: Run, selector: Union[str, int]) -> Checkpoint:
    """``"last"``, ``"best"`` by the run's metric (the latest of equal ones; the last if none was scored), or a step."""
    checkpoints = list_checkpoints(run)
    if run.family == "imported":
        raise Error(f"the run '{run.name}' was imported from {run.dataset} and has no model")
    if not checkpoints:
        raise Error(f"the run '{run.name}' has no checkpoint in {run.folder / 'checkpoints'}")
    if selector == "last":
        return checkpoints[-1]
    if selector == "best":
        scored = [checkpoint for checkpoint in checkpoints if run.metric in checkpoint.scores]
        return max(scored, key=lambda c: (run.better * c.scores[run.metric], c.step)) if scored else checkpoints[-1]
    for checkpoint in checkpoints:
        if str(selector) == str(checkpoint.step):
            return checkpoint
    steps = ", ".join(str(checkpoint.step) for checkpoint in checkpoints)
    raise Error(f"the run '{run.name}' has no checkpoint '{selector}': give best, last or one of the steps {steps}")


def _manifest(folder: Path) -> Dict[str, Any]:
    path = folder / "manifest.json"
    document, text = read_document(path)
    check_own_digest(document, text, path)
    return document


def _scores(folder: Path) -> Dict[str, float]:
    path = folder / "manifest.json"
    scores = _manifest(folder).get("scores")
    if not isinstance(scores, dict):
        raise Error(f"{path} is damaged: it has no scores")
    return {name: float(value) for name, value in scores.items() if value is not None and math.isfinite(value)}
