# SPDX-License-Identifier: Apache-2.0
"""cosim from Python: run networks on simulated accelerators, read profiles as tables, explore designs.

    import cosim

    run = cosim.run("resnet18", config="pynq.yaml")
    print(run.cycles, run.frame_ms)
    run.table("layers").nlargest(5, "cycles")        # a pandas frame

Every call starts the command `cosim` (see `cosim.command`), so that results are those of the command line, mistakes
are its diagnostics (`cosim.Error`), and nothing has to be built for a version of Python. Needs nothing but the
standard library; tables need pandas, arrays NumPy.
"""

from .command import command, text, version
from .compare import Change, Comparison, compare
from .errors import Diagnostic, Error
from .model import Module, compile, configs, explain, inspect, isas, networks
from .results import Run, run
from .sweep import Point, Sweep, pareto, sweep

__all__ = [
    "Change", "Comparison", "Diagnostic", "Error", "Module", "Point", "Run", "Sweep", "command", "compare", "compile",
    "configs", "explain", "inspect", "isas", "networks", "pareto", "run", "sweep", "text", "version",
]
