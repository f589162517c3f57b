# SPDX-License-Identifier: Apache-2.0
"""Runs of networks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .command import Setting, tree
from .tables import frame

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """What `cosim run --json` says; docs/reference/run-json.md lists the keys and their units."""

    json: dict[str, Any]
    outputs: dict[str, NDArray[Any]] = field(default_factory=dict)  #: by name; empty unless asked for

    @property
    def cycles(self) -> int:
        """The accelerator's. KeyError on a device without timing."""
        cycles: int = self.json["cycles"]
        return cycles

    @property
    def frame_ms(self) -> float | None:
        """Accelerator, host and copies; None where the configuration says nothing of its host."""
        frame_ms: float | None = self.json["end_to_end"]["frame_ms"]
        return frame_ms

    @property
    def mismatches(self) -> int:
        """Values of the outputs that differ from the golden model's."""
        mismatches: int = self.json["outputs"]["mismatches"]
        return mismatches

    @property
    def layers(self) -> list[dict[str, Any]]:
        layers: list[dict[str, Any]] = self.json["layers"]
        return layers

    @property
    def ledger(self) -> dict[str, dict[str, Any]]:
        """Cycles of each unit, by what it did."""
        ledger: dict[str, dict[str, Any]] = self.json["ledger"]
        return ledger

    def table(self, key: str = "layers") -> pandas.DataFrame:
        """A list of the JSON as a frame, such as `layers`, `by_op`, `warnings`; of `ledger`, a row a unit."""
        rows = self.json[key]
        if isinstance(rows, Mapping):
            rows = [{"name": name, **row} for name, row in rows.items()]
        return frame(rows)


def run(network: str | os.PathLike[str], config: str | os.PathLike[str] | None = None, *,
        isa: str | os.PathLike[str] | None = None, set: Mapping[str, Setting] | None = None,
        device: str | None = None, inputs: Sequence[NDArray[Any]] | Mapping[str, NDArray[Any]] | None = None,
        outputs: bool = False, timing_only: bool = False, **options: Any) -> Run:
    """Runs a network of the zoo, a model file or a module, as `cosim run` does.

    inputs: of a file, an array for each input, in their order or by name; without, the seed makes them.
    outputs: read them back as arrays.
    options: others of `cosim run --help`, as virtual_threads=1.
    """
    with tempfile.TemporaryDirectory(prefix="cosim-") as folder:
        if inputs is not None:
            options["input"] = _write(inputs, Path(folder))
        file = Path(folder) / "outputs.npz"
        json = tree("run", network, config=config, isa=isa, set=set, device=device, timing_only=timing_only,
                    output=file if outputs else None, **options)
        return Run(json, _read(file) if outputs else {})


def _write(inputs: Sequence[NDArray[Any]] | Mapping[str, NDArray[Any]], folder: Path) -> list[str]:
    import numpy

    named = inputs.items() if isinstance(inputs, Mapping) else ((None, array) for array in inputs)
    words = []
    for number, (name, array) in enumerate(named):
        file = folder / f"{number}.npy"
        numpy.save(file, array)
        words.append(str(file) if name is None else f"{name}={file}")
    return words


def _read(file: Path) -> dict[str, NDArray[Any]]:
    import numpy

    with numpy.load(file) as arrays:
        return dict(arrays)
