"""Reads the workspaces of Strata: runs, curves, configurations, scores, recordings and parameters.

>>> import strata
>>> workspace = strata.Workspace()
>>> workspace.scalars(["base", "mlrf"], "valid/*")

Nothing is ever written to a workspace, and it may be read while runs are trained.
"""

from .checkpoints import Checkpoint
from .config import flat
from .errors import Error
from .recordings import Recording, RecordingInfo, Recordings, Sentence
from .runs import Run
from .safetensors import Tensors
from .scalars import Points
from .systems import Score, System
from .workspace import Workspace

__version__ = "0.1.0"
__all__ = [
    "Checkpoint",
    "Error",
    "Points",
    "Recording",
    "RecordingInfo",
    "Recordings",
    "Run",
    "Score",
    "Sentence",
    "System",
    "Tensors",
    "Workspace",
    "flat",
]
