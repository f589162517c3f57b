# SPDX-License-Identifier: Apache-2.0
"""Lists of rows as pandas frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} as {"a.b": 1}."""
    columns: dict[str, Any] = {}
    for key, of in row.items():
        if isinstance(of, Mapping):
            columns |= flat(of, f"{prefix}{key}.")
        else:
            columns[prefix + key] = of
    return columns


def frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame([flat(row) for row in rows])
