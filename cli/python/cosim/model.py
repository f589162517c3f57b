# SPDX-License-Identifier: Apache-2.0
"""Networks, configurations and modules."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .command import Setting, text, tree
from .loaded import LoadedModule, load_module
from .results import Run, run

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Module:
    """A network compiled for one accelerator, in a file."""

    path: Path
    text: str  #: what the compiler said of it

    def run(self, **options: Any) -> Run:
        return run(self.path, **options)

    def load(self, **options: Any) -> LoadedModule:
        """To run it in this process: as load_module."""
        return load_module(self.path, **options)


def compile(network: _Path, output: _Path, config: _Path | None = None, *, isa: _Path | None = None,
            set: Mapping[str, Setting] | None = None, **options: Any) -> Module:
    """As `cosim compile` does."""
    said = text("compile", network, config=config, isa=isa, set=set, output=os.fspath(output), **options)
    return Module(Path(output), said)


def explain(network: _Path, config: _Path | None = None, *, isa: _Path | None = None,
            set: Mapping[str, Setting] | None = None, **options: Any) -> dict[str, Any]:
    """Why each layer takes its cycles, and what would lift it: the JSON of `cosim explain`."""
    said: dict[str, Any] = tree("explain", network, config=config, isa=isa, set=set, **options)
    return said


def inspect(model: _Path, config: _Path | None = None, **options: Any) -> dict[str, Any]:
    """What a model file holds, what of it would run where, and all that keeps it from running."""
    said: dict[str, Any] = tree("inspect", model, config=config, **options)
    return said


def _first_words(listing: str) -> list[str]:
    return [line.split()[0] for line in listing.splitlines() if line and not line[0].isspace()]


def networks() -> list[str]:
    """Names of the zoo."""
    return _first_words(text("models"))


def configs() -> list[str]:
    """The configurations that come with cosim."""
    return _first_words(text("configs"))


def isas() -> list[str]:
    """The ISAs that come with cosim."""
    return _first_words(text("isa", "list"))
