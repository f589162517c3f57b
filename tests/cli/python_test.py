# SPDX-License-Identifier: Apache-2.0
"""The Python package against the command, and the examples of its page."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("COSIM_PYTHON", str(SOURCE / "cli/python")))

import cosim  # noqa: E402
from cosim.errors import Diagnostic, parse  # noqa: E402


class Runs(unittest.TestCase):
    def test_what_the_command_says(self):
        run = cosim.run("mlp", config="tiny.yaml", set={"memory.latency": 50}, virtual_threads=1)
        said = subprocess.run([cosim.command(), "run", "mlp", "--config=tiny.yaml", "--set=memory.latency=50",
                               "--virtual-threads=1"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"total: {run.cycles:,} cycles", said)
        self.assertIn(f"= {run.frame_ms:.2f} ms", said)
        self.assertEqual(run.mismatches, 0)
        self.assertEqual(set(run.ledger), {"load", "gemm", "alu", "store"})
        self.assertTrue(all(layer["name"] in said for layer in run.layers))

    def test_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            module = cosim.compile("mlp", Path(folder) / "mlp.cosim", config="tiny.yaml")
            self.assertIn("spec", module.text)
            self.assertEqual(module.run().cycles, cosim.run("mlp", config="tiny.yaml").cycles)

    def test_comparisons(self):
        slow, fast = (cosim.run("mlp", config="tiny.yaml", set={"memory.latency": of}) for of in (90, 20))
        (compared,) = cosim.compare(slow, fast)
        cycles = next(total for total in compared.totals if total.name == "cycles")
        self.assertEqual((int(cycles.before), int(cycles.after)), (slow.cycles, fast.cycles))

    def test_lists(self):
        self.assertIn("resnet18", cosim.networks())
        self.assertIn("pynq.yaml", cosim.configs())
        self.assertIn("cosim", cosim.isas())
        self.assertIn("0.", cosim.version())


class Errors(unittest.TestCase):
    def test_diagnostics_have_their_places(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bad.yaml"
            file.write_text("clok_mhz: 3\n")
            with self.assertRaises(cosim.Error) as raised:
                cosim.run("mlp", config=file)
        first = raised.exception.diagnostics[0]
        self.assertEqual((first.code, first.file, first.line, first.column), ("E0005", str(file), 1, 1))
        self.assertIn("clok_mhz", first.message)
        self.assertIn("clock_mhz", first.hint)
        self.assertEqual(raised.exception.status, 1)

    def test_messages_of_all_forms(self):
        text = "cosim: error: no\n  hint: yes\na b.yaml: error[E0001]: gone\n1: x\nm:2:3: warning: w: v\n  hint: h\n"
        self.assertEqual(parse(text), [Diagnostic("error", "no", hint="yes"), Diagnostic("error", "gone", "E0001", "a b.yaml"),
                                       Diagnostic("warning", "w: v", None, "m", 2, 3, "h")])

    def test_what_ends_before_it_says_anything(self):
        self.assertEqual(str(cosim.Error("", 7)), "cosim ended with status 7")


class Sweeps(unittest.TestCase):
    def test_points_come_as_they_are_done_and_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            file, seen = Path(folder) / "s.sqlite", []
            settings = {"memory.latency": [20, 40], "clock_mhz": [100, -1]}
            sweep = cosim.sweep("mlp", "tiny.yaml", set=settings, db=file, on_point=seen.append)
            self.assertEqual(sorted(point.id for point in seen), [1, 2, 3, 4])
            self.assertEqual([point.done for point in sweep.points], [True, False, True, False])
            self.assertTrue(sweep.points[1].diagnostic)
            self.assertEqual(sweep.points[2].settings, {"memory.latency": "40", "clock_mhz": "100"})
            self.assertEqual(sweep.points[2].result["cycles"],
                             cosim.run("mlp", config="tiny.yaml", set={"memory.latency": 40}).cycles)
            (rows,) = cosim.pareto(file, ["cycles"]).values()
            self.assertEqual([row["id"] for row in rows if row["on_front"]], [1])
            again = []
            cosim.sweep("mlp", "tiny.yaml", set=settings, db=file, on_point=again.append)
            self.assertEqual(again, [])

    def test_what_on_point_raises_ends_it(self):
        def stop(_):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            cosim.sweep("mlp", "tiny.yaml", set={"memory.latency": [20, 40]}, on_point=stop)

    def test_a_wrong_plan(self):
        with self.assertRaises(cosim.Error):
            cosim.sweep("mlp", "tiny.yaml", sample="dice")


class Tables(unittest.TestCase):
    def test_layers_and_units(self):
        run = cosim.run("mlp", config="tiny.yaml")
        self.assertEqual(run.table("layers")["cycles"].dropna().sum(), run.cycles)
        self.assertEqual(list(run.table("ledger")["name"]), list(run.ledger))

    def test_outputs_and_inputs(self):
        import numpy

        model = Path(os.environ.get("COSIM_TEST_DATA", "")) / "tflite/resnet8_cifar10_int8.tflite"
        if not model.is_file():
            self.skipTest("there are no model files")
        image = numpy.random.default_rng(1).integers(-128, 128, (1, 32, 32, 3), dtype=numpy.int8)
        given, again = (cosim.run(model, inputs=[image], outputs=True) for _ in range(2))
        other = cosim.run(model, inputs=[image[:, ::-1] // 2], outputs=True)
        (name, values), = given.outputs.items()
        self.assertEqual(values.shape, (1, 10))
        self.assertTrue((values == again.outputs[name]).all())
        self.assertFalse((values == other.outputs[name]).all())

    def test_sweeps(self):
        table = cosim.sweep("mlp", "tiny.yaml", set={"memory.latency": [20, 40]}).table("cycles", "area.dsp")
        self.assertEqual(list(table["memory.latency"]), ["20", "40"])
        self.assertTrue((table["cycles"] > 0).all())

    def test_the_examples_of_the_page(self):
        text = (SOURCE / "docs/how-to/use-from-python.md").read_text()
        code, printed = re.findall(r"```python\n(.*?)```", text, re.S), re.findall(r"```text\n(.*?)```", text, re.S)
        self.assertGreater(len(code), 2)
        out, names = io.StringIO(), {}
        with contextlib.redirect_stdout(out), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in code:
                exec(block, names)
        self.assertEqual(out.getvalue(), "".join(printed))


if __name__ == "__main__":
    unittest.main(verbosity=2)
