"""Reads the YAML that Strata writes: nested maps, lists as blocks of ``- `` or between brackets, plain scalars and
strings in JSON's quotation marks. Everything else that YAML has is refused with file and line. Numbers are YAML 1.2's,
as Strata reads them: ``1e-09`` is one (PyYAML makes a string of it)."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

from .errors import Error

INTEGER = re.compile(r"[-+]?[0-9]+\Z")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf,
}
NO_KEY = "-?:,&*!|>'%@`"  # a key that begins with one of these is written between quotation marks
DEEPEST = 100
_quoted = json.JSONDecoder()


class _Line(NamedTuple):
    number: int  # from 1
    indent: int
    text: str  # without indentation


class _Problem(ValueError):
    def __init__(self, number: int, what: str) -> None:
        super().__init__(what)
        self.number = number


def read_yaml(path: Path) -> Any:
    """The document in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error
    return parse_yaml(text, str(path))


def parse_yaml(text: str, source: str) -> Any:
    """The document in a text; ``source`` names it in errors."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        body = line.lstrip(" ")
        if body and not body.startswith("#"):
            lines.append(_Line(number, len(line) - len(body), body.rstrip(" \r")))
    try:
        if len(lines) == 1 and lines[0].indent == 0 and lines[0].text in ("{}", "[]"):
            return _value(lines[0].text, lines[0].number)
        value, end = _block(lines, 0, 0) if lines else (None, 0)
        if end < len(lines):
            raise _Problem(lines[end].number, "has another indentation than the lines before")
        return value
    except _Problem as problem:
        raise Error(f"{source}:{problem.number}: {problem}; expected the YAML that Strata writes") from None


def _block(lines: List[_Line], at: int, depth: int) -> Tuple[Any, int]:
    """The map or list that begins at a line; also the line after it."""
    if depth > DEEPEST:
        raise _Problem(lines[at].number, f"is nested more than {DEEPEST} levels deep")
    if lines[at].text == "-" or lines[at].text.startswith("- "):
        return _list(lines, at, depth)
    return _map(lines, at, depth)


def _list(lines: List[_Line], at: int, depth: int) -> Tuple[List[Any], int]:
    items: List[Any] = []
    indent = lines[at].indent
    while at < len(lines) and lines[at].indent == indent and lines[at].text.startswith("- "):
        line = lines[at]
        body = line.text[2:].lstrip(" ")
        if body.startswith("- ") or _key_end(body, line.number) is not None:  # a list or a map begins in this line
            lines[at] = _Line(line.number, indent + len(line.text) - len(body), body)
            item, at = _block(lines, at, depth + 1)
        else:
            item, at = _value(body, line.number), at + 1
        items.append(item)
    if at < len(lines) and lines[at].indent > indent:
        raise _Problem(lines[at].number, "has another indentation than the lines before")
    return items, at


def _map(lines: List[_Line], at: int, depth: int) -> Tuple[Dict[str, Any], int]:
    result: Dict[str, Any] = {}
    indent = lines[at].indent
    while at < len(lines) and lines[at].indent == indent:
        line = lines[at]
        end = _key_end(line.text, line.number)
        if end is None or line.text[0] in NO_KEY:
            raise _Problem(line.number, f"'{line.text}' is not KEY: VALUE")
        key = _value(line.text[:end], line.number) if line.text.startswith('"') else line.text[:end]
        if key in result:
            raise _Problem(line.number, f"the key '{key}' is given twice")
        rest = line.text[end + 1 :].strip(" ")
        at += 1
        if rest:
            result[key] = _value(rest, line.number)
        elif at < len(lines) and lines[at].indent > indent:
            result[key], at = _block(lines, at, depth + 1)
        else:
            result[key] = None
    if at < len(lines) and lines[at].indent > indent:
        raise _Problem(lines[at].number, "has another indentation than the lines before")
    return result, at


def _key_end(text: str, number: int) -> Any:
    """Where the colon after a key is; ``None`` if a line has no key."""
    if text.startswith('"'):
        _, end = _string(text, 0, number)
        return end if text[end : end + 1] == ":" and text[end + 1 : end + 2] in ("", " ") else None
    if text.startswith(("[", "{")):
        return None
    found = re.search(r":(?= |\Z)", text)
    return found.start() if found else None


def _value(text: str, number: int) -> Any:
    value, end = _item(text, 0, number, 0)
    if text[end:].strip(" "):
        raise _Problem(number, f"'{text[end:].strip()}' follows a value")
    return value


def _item(text: str, at: int, number: int, depth: int) -> Tuple[Any, int]:
    """The scalar or bracketed list that begins at a character; also the character after it."""
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at, number)
    if first == "[":
        return _flow(text, at, number, depth + 1)
    if text.startswith("{}", at):
        return {}, at + 2
    if first and first in "{}]&*!|>'%@`?":
        raise _Problem(number, f"a value begins with '{first}'")
    if depth == 0:
        end = len(text)
        if " #" in text[at:] or ": " in text[at:]:
            raise _Problem(number, f"'{text[at:]}' needs quotation marks")
    else:
        found = re.compile(r"[,\[\]{}]").search(text, at)
        end = found.start() if found else len(text)
    return _plain(text[at:end].strip(" ")), end


def _flow(text: str, at: int, number: int, depth: int) -> Tuple[List[Any], int]:
    if depth > DEEPEST:
        raise _Problem(number, f"is nested more than {DEEPEST} levels deep")
    items: List[Any] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return items, at + 1
    while True:
        item, at = _item(text, at, number, depth)
        items.append(item)
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return items, at + 1
        if text[at : at + 1] != ",":
            raise _Problem(number, "a list between brackets has no end")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


def _string(text: str, at: int, number: int) -> Tuple[str, int]:
    try:
        value, end = _quoted.raw_decode(text, at)
    except ValueError:
        raise _Problem(number, "a string between quotation marks is damaged or has no end") from None
    return str(value), end


def _plain(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    if INTEGER.match(text) and -(2**63) <= int(text) < 2**63:
        return int(text)
    if NUMBER.match(text) and math.isfinite(float(text)):
        return float(text)
    return text
