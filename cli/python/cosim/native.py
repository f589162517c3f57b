# SPDX-License-Identifier: Apache-2.0
"""Finds the package's native half, the extension module _native, for the calls that need it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from .command import command


class NativeMissing(ImportError):
    """The native half is not there, or was built for another version of Python."""


def _program() -> Path | None:
    try:
        return Path(command()).resolve()
    except FileNotFoundError:
        return None


def _file(program: Path | None) -> Path | None:
    """In the package, where it is installed; else in the build that the command is of."""
    folders = [Path(__file__).parent, *([program.parent / "python" / "native"] if program else [])]
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            if (folder / f"_native{suffix}").is_file():
                return folder / f"_native{suffix}"
    return None


@cache
def _load() -> ModuleType:
    program = _program()
    file = _file(program)
    if file is None:
        raise NativeMissing("the native half of cosim's package is not built for Python "
                            f"{sys.version_info.major}.{sys.version_info.minor}")
    spec = importlib.util.spec_from_file_location("cosim._native", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    share = program.parents[1] / "share" / "cosim" if program else None
    if share is not None and (share / "isa").is_dir():
        module.set_home(str(share))
    return module


def native(call: str) -> ModuleType:
    """The module. Raises NativeMissing, with what to do, in the name of `call`."""
    try:
        return _load()
    except NativeMissing as missing:
        raise NativeMissing(f"{call}: {missing}. It is built with the command where pybind11-dev and python3-dev are "
                            "installed, for /usr/bin/python3; all calls but load_spec and load_module do without it"
                            ) from None
