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


PAGE, OWN_PROCESS = (SOURCE / "docs/how-to/use-from-python.md").read_text(), "\n## In your own process\n"


def run_examples(test, text):
    """The page's blocks of code, one after the other, print its blocks of text."""
    code, printed = re.findall(r"```python\n(.*?)```", text, re.S), re.findall(r"```text\n(.*?)```", text, re.S)
    test.assertGreater(len(code), 2)
    out, names = io.StringIO(), {}
    with contextlib.redirect_stdout(out), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in code:
            exec(block, names)
    test.assertEqual(out.getvalue(), "".join(printed))


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


class Specifications(unittest.TestCase):
    """The native half."""

    def test_what_the_command_says(self):
        spec = cosim.load_spec("tiny.yaml", set={"memory.latency": 77, "parameters.block_out": 8})
        run = cosim.run("mlp", "tiny.yaml", timing_only=True,
                        set={"memory.latency": 77, "parameters.block_out": 8}).json
        self.assertEqual((spec.isa, spec.config, spec.dram.latency), ("cosim", "tiny", 77))
        self.assertEqual(spec.fingerprint, run["fingerprint"])
        said = run["configuration"]
        self.assertEqual({name: of.value for name, of in spec.parameters.items()}, said["parameters"])
        self.assertEqual({name: of.depth for name, of in spec.memories.items()},
                         {name: of["depth"] for name, of in said["memories"].items()})
        self.assertEqual(spec.memories["acc"].element_bits, said["memories"]["acc"]["element_bits"])
        self.assertEqual(set(spec.instructions), set(said["instructions"]))
        self.assertEqual(spec.units["gemm"].latency, said["units"]["gemm"]["latency"])

    def test_words_are_the_assembler_s(self):
        spec = cosim.load_spec("tiny.yaml")
        source = SOURCE / "docs/examples/gemm.s"
        with tempfile.TemporaryDirectory() as folder:
            cosim.text("asm", source, config="tiny.yaml", output=Path(folder) / "words")
            data = (Path(folder) / "words").read_bytes()
        size = spec.word_bits // 8
        decoded = [spec.decode(int.from_bytes(data[at:at + size], "little")) for at in range(0, len(data), size)]
        lines = [line.split() for line in source.read_text().splitlines() if re.match("[a-z]", line)]
        self.assertEqual([instruction.name for instruction, _ in decoded], [line[0] for line in lines])
        for (instruction, fields), at in zip(decoded, range(0, len(data), size)):
            self.assertEqual(instruction.encode(**fields), int.from_bytes(data[at:at + size], "little"))
        (_, fields), = (each for each in decoded if each[0].name == "alu")
        self.assertEqual((fields["lo"], fields["hi"], fields["iter_in"]), (-128, 127, 4))
        gemm = spec.instructions["gemm"]
        given = {field.name: 1 for field in gemm.fields if field.name not in gemm.match}
        found, fields = spec.decode(gemm.encode(**given))
        self.assertEqual(found, gemm)
        self.assertEqual(fields, given | gemm.match)
        for wrong in ({"opcode": gemm.opcode + 1}, {"no_such": 1}, {gemm.fields[-1].name: 1 << 60}):
            with self.assertRaises(ValueError):
                gemm.encode(**wrong)

    def test_diagnostics(self):
        with self.assertRaises(cosim.Error) as raised:
            cosim.load_spec("tiny.yaml", set={"clock": 1})
        self.assertEqual((raised.exception.diagnostics[0].code, raised.exception.status), ("E0005", 1))
        with self.assertRaises(cosim.Error) as raised:
            cosim.load_spec("no_such.yaml")
        self.assertEqual(raised.exception.diagnostics[0].code, "E0001")


class Modules(unittest.TestCase):
    """The native half, with NumPy."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.module = cosim.compile("small_cnn", Path(cls.folder.name) / "m.cosim", config="tiny.yaml", isa="vta", samples=2)
        cls.loaded = cls.module.load()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_samples_come_out_as_the_golden_model_has_them(self):
        run = cosim.run(self.module.path)
        layers = [layer["name"] for layer in run.layers]
        for device in ("functional", "cycle"):
            for sample in self.loaded.samples * 2:
                profile = self.loaded.run(sample.inputs, device=device)
                for name, values in sample.outputs.items():
                    self.assertTrue((profile.outputs[name] == values).all())
                self.assertEqual(profile.cycles, run.cycles if device == "cycle" else None)
                self.assertEqual([layer["name"] for layer in profile.layers], layers)
        self.assertEqual({name: unit["busy"] for name, unit in profile.ledger.items()},
                         {name: unit["busy"] for name, unit in run.ledger.items()})
        self.assertEqual(sum(layer["cycles"] for layer in profile.layers), run.cycles)
        self.assertNotEqual(self.loaded.samples[0].inputs[self.loaded.inputs[0].name].tobytes(),
                            self.loaded.samples[1].inputs[self.loaded.inputs[0].name].tobytes())

    def test_settings_that_programs_do_not_depend_on(self):
        slow = cosim.load_module(self.module.path, set={"memory.latency": 300})
        profile = slow.run(timing_only=True)
        self.assertEqual(profile.outputs, {})
        self.assertEqual(profile.cycles, cosim.run(self.module.path, set={"memory.latency": 300}).cycles)
        self.assertGreater(profile.cycles, self.loaded.run(timing_only=True).cycles)
        with self.assertRaises(cosim.Error) as raised:
            cosim.load_module(self.module.path, set={"parameters.block_out": 8})
        self.assertIn("cannot run", str(raised.exception))

    def test_threads_do_not_disturb_each_other(self):
        from concurrent.futures import ThreadPoolExecutor

        sample = self.loaded.samples[0]
        others = [self.module.load() for _ in range(3)]
        with ThreadPoolExecutor(4) as pool:
            profiles = list(pool.map(lambda of: of.run(sample.inputs), (others + [self.loaded]) * 2))
        self.assertEqual({profile.cycles for profile in profiles}, {profiles[0].cycles})
        for profile in profiles:
            for name, values in sample.outputs.items():
                self.assertTrue((profile.outputs[name] == values).all())

    def test_wrong_inputs(self):
        import numpy

        name = self.loaded.inputs[0].name
        right = self.loaded.samples[0].inputs[name]
        for wrong in ([], [right, right], [right.astype(numpy.int32)], [right[..., :1]], {"no": right}):
            with self.assertRaises(cosim.Error) as raised:
                self.loaded.run(wrong)
            self.assertEqual(len(raised.exception.diagnostics), 1)
        for options in ({"device": "fpga"}, {"device": "functional", "timing_only": True}):
            with self.assertRaises(cosim.Error):
                self.loaded.run([right], **options)
        strided = numpy.repeat(right, 2, axis=1)[:, ::2]
        self.assertEqual(self.loaded.run([strided]).cycles, self.loaded.run([right]).cycles)

    def test_files_that_are_none(self):
        file = Path(self.folder.name) / "none.cosim"
        for text in (b"", b"text", self.module.path.read_bytes()[:5000]):
            file.write_bytes(text)
            with self.assertRaises(cosim.Error) as raised:
                cosim.load_module(file)
            self.assertEqual(raised.exception.diagnostics[0].severity, "error")
        with self.assertRaises(cosim.Error):
            cosim.load_module(Path(self.folder.name) / "no_such.cosim")

    def test_the_examples_of_the_page(self):
        run_examples(self, PAGE.partition(OWN_PROCESS)[2])

    def test_code_of_others_is_not_run(self):
        # An overwritten tag is another user's.
        changed = Path(self.folder.name) / "theirs.cosim"
        data = bytearray(self.module.path.read_bytes())
        data[-1] ^= 1
        changed.write_bytes(data)
        theirs, sample = cosim.load_module(changed), self.loaded.samples[0]
        self.assertEqual(theirs.run(timing_only=True).cycles, self.loaded.run(timing_only=True).cycles)
        with self.assertRaises(cosim.Error) as raised:
            theirs.run(sample.inputs)
        self.assertIn("trust=True", raised.exception.diagnostics[0].hint)
        self.assertEqual(cosim.load_module(changed, trust=True).run(sample.inputs).cycles,
                         self.loaded.run(sample.inputs).cycles)


class Types(unittest.TestCase):
    """`mypy --strict` on the package, and on the examples of the page as one program."""

    def checked(self, *subject):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-pandas.*]\nignore_missing_imports = True\n")
            (Path(folder) / "examples.py").write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S)))
            (Path(folder) / "wrong.py").write_text("import cosim\n\ncosim.run(1).cycles.upper()\n")
            return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=cache", *subject], cwd=folder, text=True,
                                  capture_output=True, env={**os.environ, "MYPYPATH": str(Path(cosim.__file__).parents[1])})

    def test_the_package_and_the_examples_of_the_page(self):
        for subject in (["examples.py"], ["-p", "cosim"]):
            found = self.checked(*subject)
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_mistakes_are_found(self):
        found = self.checked("wrong.py").stdout
        self.assertIn('wrong.py:3: error: Argument 1 to "run" has incompatible type "int"', found)
        self.assertIn('wrong.py:3: error: "int" has no attribute "upper"', found)


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
        run_examples(self, PAGE.partition(OWN_PROCESS)[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
