"""Configurations of runs."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from .runs import Run
from .files import digest_of, unreadable
from .yaml_subset import read_yaml
from .errors import Error


def read_config(run: Run) -> Dict[str, Any]:
    """The complete configuration that a run was started with, every key explicit."""
    path = run.folder / "config.effective.yaml"
    if not path.exists():
        raise Error(f"{path} is not there: the folder of the run '{run.name}' was moved or removed by hand")
    try:
        digest = digest_of(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from error
    if run.config_digests and digest not in run.config_digests:
        raise Error(
            f"{path} is not as the run '{run.name}' was given it: put it back, or take it as it is with `strata-run runs "
            f"resume {run.name} --accept-edited`"
        )
    config = read_yaml(path)
    if not isinstance(config, dict):
        raise Error(f"{path} is damaged: it is not a map of keys and values")
    return config


def flat(config: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Values by dotted path, ``{"training.dropout": 0.1}``; a list is one value."""
    values: Dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict) and value:
            values.update(flat(value, f"{prefix}{key}."))
        else:
            values[f"{prefix}{key}"] = value
    return values
