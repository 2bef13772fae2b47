"""Tables: pandas data frames where pandas is installed."""

from __future__ import annotations

import importlib
from typing import Any, Dict, List, Sequence

from .errors import Error

Rows = List[Dict[str, Any]]


def has_pandas() -> bool:
    """Whether pandas can be imported."""
    try:
        importlib.import_module("pandas")
    except ImportError:
        return False
    return True


def pandas_for(what: str, instead: str) -> Any:
    """pandas, or an error that names another way."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise Error(f"{what} needs pandas: `pip install pandas`, or use {instead}") from None


def table(rows: Rows, columns: Sequence[str]) -> Any:
    """A data frame with these columns in this order; a list of dictionaries without pandas."""
    if not has_pandas():
        return rows
    return pandas_for("a table", "").DataFrame(rows, columns=list(columns))
