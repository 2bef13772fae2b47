"""Files of a workspace: JSON, texts, and paths that must stay inside their folder."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List

from .errors import Error


def read_json(path: Path) -> Dict[str, Any]:
    """The object in a JSON file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Error(f"{path} is damaged: it is not valid JSON ({error})") from error
    if not isinstance(document, dict):
        raise Error(f"{path} is damaged: it is not an object")
    return document


def read_lines(path: Path, count: int) -> List[str]:
    """The lines of a stored text, which has one for each of ``count`` sentences."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Error(f"{path} is damaged: it is not UTF-8; import or translate it again") from error
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(lines) != count:
        raise Error(f"{path} has {len(lines)} lines instead of {count}: import or translate it again")
    return lines


def path_inside(folder: Path, relative: str) -> Path:
    """A path that a file of the workspace names; it may not leave ``folder``."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts:
        raise Error(f"{folder} names the file '{relative}', which is outside of it: the workspace is damaged")
    return folder / path


def member(document: Dict[str, Any], key: str, kind: Any, path: Path) -> Any:
    """A member of a JSON object, of one type (``int``, ``str``, ``(int, float)``, ...)."""
    value = document.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Error(f"{path} is damaged: its '{key}' is missing or of another type")
    return value
