# SPDX-License-Identifier: Apache-2.0
"""Many designs, each a row of a database."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import Process, Setting, flags, tree, value
from .tables import frame

if TYPE_CHECKING:
    import pandas

_Path = str | os.PathLike[str]
_COLUMNS = ("id", "network", "config", "isa", "name", "settings", "status", "diagnostic", "result")
_SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Point:
    """A design. `status` is "done", "failed" (with its `diagnostic`) or "excluded" (with the condition)."""

    id: int
    network: str
    config: str
    isa: str
    name: str
    settings: dict[str, str]
    status: str
    diagnostic: str
    result: dict[str, Any] | None  #: of a point that is done: the JSON of a run

    @property
    def done(self) -> bool:
        return self.status == "done"


@dataclass(frozen=True)
class Sweep:
    """All points, in the plan's order."""

    points: list[Point]
    database: Path | None = None

    def table(self, *keys: str) -> pandas.DataFrame:
        """A row a point: its id, name, network, settings and status, and numbers of the result by their place in it, as
        "cycles", "end_to_end.frame_ms"."""
        rows = []
        for point in self.points:
            row: dict[str, Any] = {"id": point.id, "name": point.name, "network": point.network, **point.settings,
                                   "status": point.status}
            for key in keys or ("cycles", "end_to_end.frame_ms"):
                of: Any = point.result
                for part in key.split("."):
                    of = of.get(part) if isinstance(of, Mapping) else None
                row[key] = of
            rows.append(row)
        return frame(rows)


def sweep(plan: _Path, config: _Path | None = None, *, isa: _Path | None = None,
          set: Mapping[str, Setting | Iterable[Setting]] | None = None, db: _Path | None = None,
          on_point: Callable[[Point], None] | None = None, **options: Any) -> Sweep:
    """Runs a plan (a YAML file), or a network under `config` with settings of one value or several, as
    set={"parameters.block_out": [8, 16, 32]}.

    db: keeps the rows in this file, and goes on with what it lacks.
    on_point: called with each point of this call's running, once it is there; what it raises ends the sweep.
    options: others of `cosim sweep --help`, as where="fits(board)", jobs=1.
    """
    with tempfile.TemporaryDirectory(prefix="cosim-") as folder:
        file = Path(db) if db is not None else Path(folder) / "sweep.sqlite"
        known = {point.id for point in _points(file)}
        words = ["sweep", os.fspath(plan), *flags({"config": config, "isa": isa, **options, "db": file})]
        for key, of in (set or {}).items():
            values = [of] if isinstance(of, str) or not isinstance(of, Iterable) else of
            words.append(f"--set={key}={','.join(value(one) for one in values)}")
        with Process(words) as process:
            while on_point is not None and process.runs_for(_SECONDS_BETWEEN_LOOKS):
                _tell(file, known, on_point)
            process.finish()
        if on_point is not None:
            _tell(file, known, on_point)
        return Sweep(_points(file), Path(db) if db is not None else None)


def pareto(database: _Path, objectives: Iterable[str] = ()) -> dict[str, list[dict[str, Any]]]:
    """The points of each network, whether they are on the front, and what beats the others: `cosim pareto`."""
    networks: dict[str, list[dict[str, Any]]] = tree("pareto", database, objectives=",".join(objectives) or None)["networks"]
    return networks


def _tell(file: Path, known: set[int], on_point: Callable[[Point], None]) -> None:
    for point in _points(file, known):
        known.add(point.id)
        on_point(point)


def _points(file: Path, known: Iterable[int] = ()) -> list[Point]:
    if not file.is_file():
        return []
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
        try:
            rows = database.execute(f"SELECT {', '.join(_COLUMNS)} FROM point WHERE status IS NOT NULL ORDER BY id")
            return [_point(row) for row in rows if row[0] not in known]
        except sqlite3.OperationalError:  # the command has not made its tables yet
            return []


def _point(row: tuple[Any, ...]) -> Point:
    of = dict(zip(_COLUMNS, row, strict=True))
    of["settings"] = {key: str(setting) for key, setting in json.loads(of["settings"] or "[]")}
    of["result"] = json.loads(of["result"]) if of["result"] else None
    return Point(**{key: "" if given is None and key != "result" else given for key, given in of.items()})
