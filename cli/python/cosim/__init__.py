# SPDX-License-Identifier: Apache-2.0
"""cosim from Python: run networks on simulated accelerators, read profiles as tables, explore designs.

    import cosim

    run = cosim.run("resnet18", config="pynq.yaml")
    print(run.cycles, run.frame_ms)
    run.table("layers").nlargest(5, "cycles")        # a pandas frame

Calls start the command `cosim` (see `cosim.command`), so that results are those of the command line, mistakes are its
diagnostics (`cosim.Error`), and nothing has to be built for a version of Python. Needs nothing but the standard library;
tables need pandas, arrays NumPy. Only `load_spec` and `load_module` work in this process, for what is asked for often:
they need the package's native half, and raise `cosim.NativeMissing` without it.
"""

from .command import command, text, version
from .compare import Change, Comparison, compare
from .errors import Diagnostic, Error
from .loaded import Array, LoadedModule, Profile, Sample, load_module
from .model import Module, compile, configs, explain, inspect, isas, networks
from .native import NativeMissing
from .results import Run, run
from .spec import AluOp, Dram, Field, Instruction, Memory, Operand, Parameter, Queue, Spec, Unit, load_spec
from .sweep import Point, Sweep, pareto, sweep

__all__ = [
    "AluOp", "Array", "Change", "Comparison", "Diagnostic", "Dram", "Error", "Field", "Instruction", "LoadedModule",
    "Memory", "Module", "NativeMissing", "Operand", "Parameter", "Point", "Profile", "Queue", "Run", "Sample", "Spec",
    "Sweep", "Unit", "command", "compare", "compile", "configs", "explain", "inspect", "isas", "load_module", "load_spec",
    "networks", "pareto", "run", "sweep", "text", "version",
]
