"""The one exception of this package."""

from __future__ import annotations

import difflib
from typing import Iterable


class Error(Exception):
    """Something a user can mend: the message says what is wrong, where, and what to do."""


def nearest(wanted: str, known: Iterable[str]) -> str:
    """``"; did you mean 'X'?"`` for a name that resembles one of ``known``, else nothing."""
    found = difflib.get_close_matches(wanted, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else ""
