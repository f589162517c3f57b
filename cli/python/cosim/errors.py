# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as the command says it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One message. `code` is None, or what `cosim help CODE` explains; `line` and `column` count from 1."""

    severity: str
    message: str
    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None


_HEAD = re.compile(
    r"^(?:(?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?: )?"
    r"(?P<severity>error|warning|note)(?:\[(?P<code>E\d{4})\])?: (?P<message>.*)$")


def parse(text: str) -> list[Diagnostic]:
    """The messages in what the command printed."""
    found: list[Diagnostic] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head:
            line_number, column = (int(head[key]) if head[key] else None for key in ("line", "column"))
            file = None if head["file"] == "cosim" else head["file"]
            found.append(Diagnostic(head["severity"], head["message"], head["code"], file, line_number, column))
        elif found and line.startswith("  hint: "):
            last = found[-1]
            hint = line.removeprefix("  hint: ")
            found[-1] = Diagnostic(last.severity, last.message, last.code, last.file, last.line, last.column, hint)
    return found


class Error(Exception):
    """The command failed. Its text is all that it printed; `diagnostics` are the messages in it."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text.strip() or f"cosim ended with status {status}")
        self.status = status
        self.diagnostics = parse(text)
