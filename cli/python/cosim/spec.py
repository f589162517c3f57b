# SPDX-License-Identifier: Apache-2.0
"""Specifications as objects: an ISA under a configuration, every width and depth a number. Sizes are in elements or, as
named, bits and bytes; times in cycles."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .command import Setting, value
from .native import native
from .tables import frame

if TYPE_CHECKING:
    import pandas

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Parameter:
    name: str
    value: int
    doc: str


@dataclass(frozen=True)
class Field:
    """Bits of a word or of a record; `offset` counts from the lowest."""

    name: str  #: "" in a memory of plain elements
    offset: int
    width: int
    signed: bool
    doc: str


@dataclass(frozen=True)
class Memory:
    """On chip. An element has as many records as the product of `lanes`, each with these fields."""

    name: str
    depth: int
    banks: int
    lanes: list[int]
    fields: list[Field]
    element_bits: int
    stored_bytes: int  #: of an element in DRAM
    mirrors: str | None  #: the memory whose elements it reads instead of its own
    readers: list[str]
    writers: list[str]
    doc: str


@dataclass(frozen=True)
class Unit:
    name: str
    commands: int
    overlap: bool
    latency: int
    lanes: int  #: of the ALU, a cycle; 0: it has none
    buffer_beats: int
    port: int
    doc: str


@dataclass(frozen=True)
class Queue:
    """Of dependency tokens, between two units."""

    name: str
    source: str
    target: str
    capacity: int


@dataclass(frozen=True)
class Instruction:
    """Its encoding is `fields`, some of them fixed to the values of `match`, the opcode first."""

    name: str
    kind: str  #: "load", "store", "gemm", "alu" or "sync"
    unit: str
    opcode: int
    fields: list[Field]
    match: dict[str, int]
    pops: list[str]  #: queues
    pushes: list[str]
    memory: str | None  #: of a load or store
    micro_ops: str | None  #: the memory that they come from
    computes: str | None  #: a gemm's intrinsic
    doc: str

    def encode(self, **values: int) -> int:
        """The word with these fields, 0 in those that are not given. Raises ValueError."""
        word = 0
        names = {field.name for field in self.fields}
        for name in values:
            if name not in names:
                raise ValueError(f"{self.name} has no field {name!r}")
        for field in self.fields:
            of = values.get(field.name, self.match.get(field.name, 0))
            least = -(1 << (field.width - 1)) if field.signed else 0
            if not least <= of < least + (1 << field.width):
                raise ValueError(f"{self.name}: {of} does not fit the {field.width} bits of {field.name}")
            if of != self.match.get(field.name, of):
                raise ValueError(f"{self.name}: {field.name} is {self.match[field.name]}, not {of}")
            word |= (of & ((1 << field.width) - 1)) << field.offset
        return word

    def decode(self, word: int) -> dict[str, int] | None:
        """The fields of a word; None of another instruction's."""
        found = {}
        for field in self.fields:
            of = word >> field.offset & ((1 << field.width) - 1)
            found[field.name] = of - (1 << field.width) if field.signed and of >> (field.width - 1) else of
        return found if all(found[name] == of for name, of in self.match.items()) else None


@dataclass(frozen=True)
class Operand:
    name: str
    memory: str
    index: str


@dataclass(frozen=True)
class AluOp:
    name: str
    code: int
    instruction: str
    operands: list[Operand]
    result: Operand
    body: list[str]  #: what it computes, line by line
    initiation_interval: int
    available: bool
    unavailable: str  #: why it is not
    doc: str


@dataclass(frozen=True)
class Dram:
    """The memory system, of which all ports are alike."""

    port_bits: int
    burst_beats: int
    latency: int
    write_latency: int
    outstanding: int
    jitter: int
    seed: int
    dram_bytes: float  #: that all ports share in a cycle; 0: as much as they take


@dataclass(frozen=True)
class Spec:
    """Parts by their names, in the order of the file."""

    isa: str
    config: str
    board: str
    clock_mhz: float
    word_bits: int
    ports: int
    fingerprint: str
    macs_per_cycle: int
    parameters: dict[str, Parameter]
    memories: dict[str, Memory]
    units: dict[str, Unit]
    queues: dict[str, Queue]
    instructions: dict[str, Instruction]
    alu_ops: dict[str, AluOp]
    dram: Dram
    doc: str
    config_doc: str

    def decode(self, word: int) -> tuple[Instruction, dict[str, int]] | None:
        """The instruction that a word is, and its fields; None where it is none."""
        for instruction in self.instructions.values():
            fields = instruction.decode(word)
            if fields is not None:
                return instruction, fields
        return None

    def table(self, part: str = "memories") -> pandas.DataFrame:
        """A row a part: of `parameters`, `memories`, `units`, `queues`, `instructions` or `alu_ops`."""
        rows = [vars(of) for of in getattr(self, part).values()]
        return frame([{key: of for key, of in row.items() if key not in ("fields", "operands", "result")} for row in rows])


_Part = TypeVar("_Part")


def _by_name(kind: type[_Part], rows: list[dict[str, Any]]) -> dict[str, _Part]:
    return {row["name"]: kind(**row) for row in rows}


def _with_fields(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"fields": [Field(**field) for field in row["fields"]]}


def _with_operands(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"operands": [Operand(**of) for of in row["operands"]], "result": Operand(**row["result"])}


def spec_of(tree: dict[str, Any]) -> Spec:
    """Of what the native half says."""
    parts: dict[str, Any] = tree | {
        "parameters": _by_name(Parameter, tree["parameters"]),
        "memories": _by_name(Memory, [_with_fields(row) for row in tree["memories"]]),
        "units": _by_name(Unit, tree["units"]),
        "queues": _by_name(Queue, tree["queues"]),
        "instructions": _by_name(Instruction, [_with_fields(row) for row in tree["instructions"]]),
        "alu_ops": _by_name(AluOp, [_with_operands(row) for row in tree["alu_ops"]]),
        "dram": Dram(**tree["dram"]),
    }
    return Spec(**parts)


def settings_of(set: Mapping[str, Setting] | None) -> list[tuple[str, str]]:
    return [(key, value(of)) for key, of in (set or {}).items()]


def load_spec(config: _Path = "pynq.yaml", *, isa: _Path | None = None, set: Mapping[str, Setting] | None = None) -> Spec:
    """An ISA (the configuration's own, if `isa` is not given) under a configuration, found as the command finds them,
    with settings on top. In this process: needs the native half."""
    tree = native("load_spec").load_spec(os.fspath(config), os.fspath(isa) if isa is not None else "", settings_of(set))
    return spec_of(tree)
