"""Checkpoints of a run and the parameters in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Union

from .errors import Error
from .files import read_json
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
        """The model's parameters by name, mapped from the file; the moving average of them if ``average``."""
        file = self.folder / ("ema" if average else "") / "model.safetensors"
        if average and not file.exists():
            raise Error(f"{self.folder} has no moving average: the run was trained without training.ema")
        return Tensors(file)

    def model_config(self) -> Dict[str, Any]:
        """What the model is, with the sizes of its vocabularies."""
        return read_json(self.folder / "config.json")


def list_checkpoints(run: Run) -> List[Checkpoint]:
    """The checkpoints that are there, oldest first."""
    folder = run.folder / "checkpoints"
    found = []
    for place in folder.iterdir() if folder.is_dir() else ():
        digits = place.name[len("step-") :]
        if place.name.startswith("step-") and digits.isdigit() and (place / "manifest.json").exists():
            found.append(Checkpoint(run.name, int(digits), _scores(place), (place / "pinned").exists(), place))
    return sorted(found, key=lambda checkpoint: checkpoint.step)


def find_checkpoint(run: Run, selector: Union[str, int]) -> Checkpoint:
    """``"last"``, ``"best"`` by the run's metric (the oldest of equal ones; the last if none was scored), or a step."""
    checkpoints = list_checkpoints(run)
    if run.family == "imported":
        raise Error(f"the run '{run.name}' was imported from {run.dataset} and has no model")
    if not checkpoints:
        raise Error(f"the run '{run.name}' has no checkpoint in {run.folder / 'checkpoints'}")
    if selector == "last":
        return checkpoints[-1]
    if selector == "best":
        scored = [checkpoint for checkpoint in checkpoints if run.metric in checkpoint.scores]
        sign = -1 if run.metric.endswith(("bleu", "accuracy")) else 1
        return min(scored, key=lambda c: sign * c.scores[run.metric]) if scored else checkpoints[-1]
    for checkpoint in checkpoints:
        if str(selector) == str(checkpoint.step):
            return checkpoint
    steps = ", ".join(str(checkpoint.step) for checkpoint in checkpoints)
    raise Error(f"the run '{run.name}' has no checkpoint '{selector}': give best, last or one of the steps {steps}")


def _scores(folder: Path) -> Dict[str, float]:
    path = folder / "manifest.json"
    scores = read_json(path).get("scores")
    if not isinstance(scores, dict):
        raise Error(f"{path} is damaged: it has no scores")
    return {name: float(value) for name, value in scores.items() if value is not None and math.isfinite(value)}
