"""Files of a workspace: JSON, texts, digests, and paths that must stay inside their folder."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Dict, List, Tuple, TypeVar

import xxhash

from .errors import Error

Work = TypeVar("Work", bound=Callable[..., Any])

# Files that have been found to have a digest, by what tells a file from what replaces it.
_VERIFIED: Dict[Tuple[int, int, int, int], str] = {}


def reading(work: Work) -> Work:
    """A function of which what the system says of files is an ``Error`` of this package: while runs are trained, files
    come and go between two looks."""

    @functools.wraps(work)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        try:
            return work(*arguments, **named)
        except OSError as error:
            raise unreadable(error.filename, error) from error

    return wrapped  # type: ignore[return-value]


def unreadable(path: Any, error: OSError) -> Error:
    """Why a file cannot be read."""
    gone = "; it was removed or replaced meanwhile: read again" if isinstance(error, FileNotFoundError) else ""
    return Error(f"cannot read {path}: {error.strerror or error}{gone}")


def digest_of(data: bytes) -> str:
    """XXH3-128 in hexadecimal, as everywhere in a workspace."""
    return str(xxhash.xxh3_128_hexdigest(data))


def verify(path: Path, digest: str) -> None:
    """That a file has this digest; the whole file is read, once until it is replaced."""
    try:
        with open(path, "rb") as stream:
            state = path.stat()
            identity = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
            if _VERIFIED.get(identity) == digest:
                return
            found = xxhash.xxh3_128()
            for block in iter(lambda: stream.read(1 << 20), b""):
                found.update(block)
    except OSError as error:
        raise unreadable(path, error) from error
    if found.hexdigest() != digest:
        raise Error(f"{path} is damaged: its content is not what was written (by its digest)")
    _VERIFIED[identity] = digest


def check_own_digest(document: Dict[str, Any], text: str, path: Path) -> None:
    """That a manifest has the digest that it says: of itself without that member, and without blanks."""
    digest = document.get("digest")
    packed = "".join(part for part in re.findall(r'"(?:[^"\\]|\\.)*"|\s+|[^"\s]+', text) if not part.isspace())
    own = f'"digest":"{digest}"'
    rest = packed.replace(own + ",", "", 1) if own + "," in packed else packed.replace("," + own, "", 1)
    if digest_of(rest.encode("utf-8")) != digest:
        raise Error(f"{path} is damaged: it does not match its own digest")


def read_json(path: Path) -> Dict[str, Any]:
    """The object in a JSON file."""
    return read_document(path)[0]


def read_document(path: Path) -> Tuple[Dict[str, Any], str]:
    """The object in a JSON file, and its text."""
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, RecursionError) as error:
        raise Error(f"{path} is damaged: it is not valid JSON ({error})") from error
    if not isinstance(document, dict):
        raise Error(f"{path} is damaged: it is not an object")
    return document, text


def read_lines(path: Path, count: int, digest: str = "") -> List[str]:
    """The lines of a stored text, which has one for each of ``count`` sentences, and this digest if one is given."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise Error(f"{path} is damaged: it is not UTF-8; import or translate it again") from error
    if digest and digest_of(data) != digest:
        raise Error(f"{path}: its content has changed since it was stored; import or translate it again")
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
