# SPDX-License-Identifier: Apache-2.0
"""Modules loaded once and run many times, in this process, on the functional and the cycle simulator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .command import Setting
from .errors import Error
from .native import native
from .spec import Spec, settings_of, spec_of
from .tables import frame

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from . import _native


@dataclass(frozen=True)
class Array:
    """What an input or output is. Where `scale` is not 0, real values are (x - zero_point) * scale."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: float
    zero_point: int


@dataclass(frozen=True)
class Sample:
    """Inputs that came with a module, and the golden model's outputs for them, by name."""

    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Profile:
    """What came of one run. Cycles are None on the functional simulator."""

    cycles: int | None
    outputs: dict[str, NDArray[Any]]  #: by name; empty when timing only
    layers: list[dict[str, Any]] = field(repr=False)
    ledger: dict[str, dict[str, Any]] = field(repr=False)  #: cycles of each unit, by what it did

    def table(self, key: str = "layers") -> pandas.DataFrame:
        """`layers`, or `ledger` with a row a unit."""
        if key == "ledger":
            return frame([{"name": name, **row} for name, row in self.ledger.items()])
        return frame(self.layers)


def _array(row: dict[str, Any]) -> Array:
    dtype, _, shape = row["type"].rstrip("]").partition("[")
    return Array(row["name"], dtype, tuple(int(extent) for extent in shape.split(",") if extent), row["scale"],
                 row["zero_point"])


def _arrays(of: Sequence[Array], values: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    import numpy

    return {array.name: numpy.frombuffer(data, array.dtype).reshape(array.shape).copy()
            for array, data in zip(of, values)}


class LoadedModule:
    """A network compiled for one accelerator, ready to run. Several threads may each run one of their own at once."""

    def __init__(self, module: _native.LoadedModule) -> None:
        self._module = module
        self.name: str = module.name
        self.spec: Spec = spec_of(module.spec)
        self.inputs: list[Array] = [_array(row) for row in module.inputs]
        self.outputs: list[Array] = [_array(row) for row in module.outputs]

    def __repr__(self) -> str:
        return f"<cosim module {self.name} for {self.spec.config} ({self.spec.isa})>"

    @property
    def samples(self) -> list[Sample]:
        """What `cosim compile --samples` put into the module."""
        return [Sample(_arrays(self.inputs, inputs), _arrays(self.outputs, outputs))
                for inputs, outputs in self._module.samples]

    def run(self, inputs: Sequence[NDArray[Any]] | Mapping[str, NDArray[Any]] | None = None, *,
            device: str = "cycle", timing_only: bool = False) -> Profile:
        """One frame on the simulator "cycle" or "functional".

        inputs: an array for each, in their order or by name, of their types and shapes; none when timing only.
        timing_only: the cycles alone, which is quicker.
        """
        given = [] if timing_only else self._check(inputs if inputs is not None else [])
        said = self._module.run(given, device, timing_only)
        outputs = {} if timing_only else _arrays(self.outputs, said["outputs"])
        return Profile(said["cycles"], outputs, said["layers"], said["ledger"])

    def _check(self, inputs: Sequence[NDArray[Any]] | Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        import numpy

        def wrong(what: str) -> Error:
            return Error(f"cosim: error: {self.name}: {what}", 1)

        if isinstance(inputs, Mapping):
            names = [array.name for array in self.inputs]
            if set(inputs) != set(names):
                raise wrong(f"its inputs are {', '.join(names)}, not {', '.join(inputs) or 'none'}")
            inputs = [inputs[name] for name in names]
        if len(inputs) != len(self.inputs):
            raise wrong(f"it takes {len(self.inputs)} inputs, not {len(inputs)}")
        arrays = []
        for array, of in zip(self.inputs, inputs):
            of = numpy.asarray(of)
            if of.dtype != numpy.dtype(array.dtype) or of.shape != array.shape:
                raise wrong(f"input {array.name} is {array.dtype}{list(array.shape)}, not {of.dtype}{list(of.shape)}")
            arrays.append(numpy.ascontiguousarray(of))
        return arrays


def load_module(path: str | os.PathLike[str], *, set: Mapping[str, Setting] | None = None,
                trust: bool = False) -> LoadedModule:
    """A module that `cosim.compile` has written, in this process: needs the native half.

    set: settings on top of those it was compiled with, as {"memory.latency": 80}; not what its programs depend on.
    trust: also a module with machine code that you did not make on this machine, which can do what your programs can.
    """
    return LoadedModule(native("load_module").LoadedModule(os.fspath(path), settings_of(set), trust))
