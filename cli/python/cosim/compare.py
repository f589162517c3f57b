# SPDX-License-Identifier: Apache-2.0
"""Differences between runs, layer by layer."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import tree
from .results import Run
from .tables import frame

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Change:
    """A number that differs; None where one of the runs has none."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Comparison:
    """One run held against the first: docs/reference/sweep.md, `compare`."""

    json: dict[str, Any]

    @property
    def totals(self) -> list[Change]:
        return [Change(row["name"], row["before"], row["after"]) for row in self.json["totals"]]

    @property
    def layers(self) -> list[dict[str, Any]]:
        """Those that lost most first."""
        layers: list[dict[str, Any]] = self.json["layers"]
        return layers

    def table(self) -> pandas.DataFrame:
        return frame(self.layers)


def compare(first: Run | str | os.PathLike[str], *others: Run | str | os.PathLike[str],
            model: str | os.PathLike[str] | None = None) -> list[Comparison]:
    """Each of `others` against `first`: runs, JSON files, points (FILE.sqlite:ID) or, with `model`, configurations."""
    with tempfile.TemporaryDirectory(prefix="cosim-") as folder:
        names: list[str | os.PathLike[str]] = []
        for number, of in enumerate((first, *others)):
            if isinstance(of, Run):
                file = Path(folder) / f"{number}.json"
                file.write_text(json.dumps(of.json))
                of = file
            names.append(of)
        return [Comparison(row) for row in tree("compare", *names, model=model)["comparisons"]]
