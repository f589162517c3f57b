# SPDX-License-Identifier: Apache-2.0
"""Starts the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from .errors import Error

Setting = str | int | float | bool
Options = Mapping[str, Any]


def command() -> str:
    """The program: what the variable COSIM names, else that of the tree this package lies in, else that of PATH."""
    if os.environ.get("COSIM"):
        return os.environ["COSIM"]
    for folder in Path(__file__).resolve().parents:
        for place in ("bin/cosim", "build/release/cli/cosim"):
            if (folder / place).is_file():
                return str(folder / place)
    found = shutil.which("cosim")
    if found is None:
        raise FileNotFoundError("there is no command cosim: build or install it, or name it by the variable COSIM")
    return found


def value(of: Setting) -> str:
    """As YAML has it."""
    return str(of).lower() if isinstance(of, bool) else str(of)


def flags(options: Options) -> list[str]:
    """{"virtual_threads": 1, "timing_only": True} as the command takes it. None and False: not given. A list: the
    option several times. A mapping (settings): KEY=VALUE each."""
    words: list[str] = []
    for name, given in options.items():
        flag = "--" + name.replace("_", "-")
        if given is None or given is False:
            continue
        if given is True:
            words.append(flag)
        elif isinstance(given, Mapping):
            words += [f"{flag}={key}={value(of)}" for key, of in given.items()]
        elif isinstance(given, Iterable) and not isinstance(given, str):
            words += [f"{flag}={of}" for of in given]
        else:
            words.append(f"{flag}={value(given)}")
    return words


class Process:
    """A command that runs. What it prints goes to files, since a pipe that nobody reads would stop it."""

    def __init__(self, words: Sequence[str]) -> None:
        self._out, self._err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen([command(), *words], stdout=self._out, stderr=self._err)

    def runs_for(self, seconds: float) -> bool:
        """Whether it still runs after so long."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def finish(self) -> str:
        """Waits for its end and gives what it printed. Raises Error."""
        status = self._process.wait()
        out, err = (self._text(file) for file in (self._out, self._err))
        if status != 0:
            raise Error(err or out, status)
        return out

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    @staticmethod
    def _text(file: IO[str]) -> str:
        file.seek(0)
        return file.read()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._out.close()
        self._err.close()


def text(*words: str | os.PathLike[str], **options: Any) -> str:
    """What `cosim WORDS --OPTIONS` prints, as text("check", "mlp", config="tiny.yaml"). Raises Error."""
    with Process([*(os.fspath(word) for word in words), *flags(options)]) as process:
        return process.finish()


def tree(*words: str | os.PathLike[str], **options: Any) -> Any:
    """Its JSON."""
    return json.loads(text(*words, json="-", **options))


def version() -> str:
    return text("version").strip()
