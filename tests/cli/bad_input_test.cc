// SPDX-License-Identifier: Apache-2.0
// What a user gets to read after a mistake, to the letter: exit status 1, a diagnostic, and no file touched.
#include <gmock/gmock.h>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BadInput : public Command {
 protected:
  /// Runs, and expects status 1, exactly `text` on standard error, nothing elsewhere and no change in the
  /// folder.
  void ExpectRefused(const std::string& arguments, const std::string& text) {
    const auto before = Files();
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, text);
    EXPECT_EQ(Files(), before);
  }
};

TEST_F(BadInput, MisspeltKeyIsNamedWithItsNeighbour) {
  WriteChanged("configs/tiny.yaml", "mine.yaml", "  burst_beats:", "  burst_beat:");
  ExpectRefused("run mlp --config=mine.yaml --json=r.json",
                R"(mine.yaml:22:3: error[E0005]: unknown key 'burst_beat' in 'memory'
   22 |   burst_beat: 16
      |   ^~~~~~~~~~
  hint: did you mean 'burst_beats'?
)");
}

TEST_F(BadInput, WrongTypeShowsTheValue) {
  WriteChanged("configs/tiny.yaml", "mine.yaml", "  latency: 12", "  latency: fast");
  ExpectRefused("run mlp --config=mine.yaml --json=r.json",
                R"(mine.yaml:23:12: error[E0008]: 'latency' of 'memory' has to be an integer, not 'fast'
   23 |   latency: fast
      |            ^~~~
)");
}

TEST_F(BadInput, DuplicateKeyNamesTheFirst) {
  WriteChanged("configs/tiny.yaml", "mine.yaml", "clock_mhz: 100\n", "clock_mhz: 100\nclock_mhz: 3\n");
  ExpectRefused("run mlp --config=mine.yaml", R"(mine.yaml:7:1: error[E0006]: key 'clock_mhz' is given twice
    7 | clock_mhz: 3
      | ^~~~~~~~~
  note: the first one is at mine.yaml:6:1
)");
}

TEST_F(BadInput, BufferTooSmallForATileShowsWhereEachNumberComesFrom) {
  WriteChanged("configs/tiny.yaml", "mine.yaml",
               "block_in: 4\n  block_out: 4\n  inp_bytes: 2048\n  wgt_bytes: 4096",
               "block_in: 64\n  block_out: 64\n  inp_bytes: 2048\n  wgt_bytes: 2048");
  const auto before = Files();
  const Outcome outcome = Run("run mlp --config=mine.yaml --json=r.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("SRC/isa/cosim.yaml:"));
  // The rest of the position is the ISA file's business.
  EXPECT_THAT(
      outcome.err,
      HasSubstr("error[E0010]: memory 'wgt' holds no element: one takes 4096 bytes, 2048 more than it has"));
  EXPECT_THAT(outcome.err, HasSubstr(R"(|     depth: floor_div(wgt_bytes * 8, wgt.bits)
      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  note: 'block_in' is 64, from mine.yaml:9:13
  note: 'block_out' is 64, from mine.yaml:10:14
  note: 'wgt_bytes' is 2048, from mine.yaml:12:14
)"));
  EXPECT_EQ(Files(), before);
}

TEST_F(BadInput, FieldTooNarrowForItsMemoryNamesWhatItNeeds) {
  WriteChanged("isa/cosim.yaml", "mine.yaml", "uop_end: uint(index_bits(gemm_uop.depth) + 1)",
               "uop_end: uint(8)");
  const auto before = Files();
  const Outcome outcome = Run("run mlp --config=tiny.yaml --isa=./mine.yaml --json=r.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("error[E0103]: field 'uop_end' has 8 bits, but memory 'gemm_uop' has 512 elements "
                        "and needs 10\n"));
  EXPECT_THAT(outcome.err, HasSubstr(R"(|       uop_end: uint(8)
      |                ^~~~~~~
  hint: uint(index_bits(gemm_uop.depth) + 1) always fits
  note: 'gemm_uop' gets its depth from SRC/configs/tiny.yaml:14:14
)"));
  EXPECT_EQ(Files(), before);
}

TEST_F(BadInput, OverflowingWordNamesTheFirstFieldBeyondIt) {
  WriteChanged("isa/cosim.yaml", "mine.yaml", "word_bits: max(256, ceil_pow2(instruction_bits))",
               "word_bits: 256");
  const Outcome outcome =
      Run("run mlp --isa=mine.yaml --config=pynq.yaml --set parameters.acc_bytes=4194304");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("mine.yaml:"));
  EXPECT_THAT(outcome.err,
              HasSubstr("error[E0102]: instruction 'alu' has 271 bits, but a word has 256; 'lo' is the "
                        "first field beyond it\n"));
  EXPECT_THAT(outcome.err,
              HasSubstr("hint: word_bits: ceil_pow2(instruction_bits) always fits, and is 512 here\n"));
}

TEST_F(BadInput, MissingConfigurationTellsWhereItLooked) {
  ExpectRefused("run mlp --config=nope.yaml --json=r.json", R"(nope.yaml: error[E0001]: there is no such file
  hint: looked for nope.yaml, SRC/configs/nope.yaml
)");
}

TEST_F(BadInput, MissingProgramTextIsReported) {
  ExpectRefused("asm nope.s --config=tiny.yaml -o a.bin",
                "nope.s: error[E0001]: cannot be read: there is no such file\n");
}

TEST_F(BadInput, UnknownNetworkNamesTheNearestOrAll) {
  ExpectRefused("run mpl --json=r.json", R"(cosim: error: unknown network 'mpl'
  hint: did you mean 'mlp'? `cosim models` lists networks
)");
  ExpectRefused("run alexnet", R"(cosim: error: unknown network 'alexnet'
  hint: known networks: autoencoder, mlp, mobilenet_v1, mobilenet_v2, resnet18, resnet34, resnet50, small_cnn, squeezenet1_1, vgg16, vit_tiny; arguments as in mobilenet_v1:width=0.5,size=160,batch=4
)");
  ExpectRefused("run model.tfl", R"(cosim: error: unknown network 'model.tfl'
  hint: files of models end in .tflite or .onnx, modules in .cosim; `cosim models` lists networks
)");
}

TEST_F(BadInput, AFileOfAnotherNameIsToldWhatItIs) {
  Write("model.h5", "\x89HDF\r\n\x1a\n");
  ExpectRefused("run model.h5",
                R"(cosim: error: model.h5: files of models end in .tflite or .onnx, modules in .cosim
  hint: it is an HDF5 file, as Keras writes: convert the model by tf.lite.TFLiteConverter
)");
}

TEST_F(BadInput, ANetworksArgumentOutOfRangeIsRefused) {
  for (const std::string verb : {"run", "check"})
    EXPECT_THAT(Run(verb + " resnet18:size=7").err,
                testing::HasSubstr("cosim: error: size '7' is not in 32..512\n"));
}

TEST_F(BadInput, SettingAnUnknownKeyNamesItsNeighbour) {
  ExpectRefused("run mlp --set memory.latnecy=80 --json=r.json",
                R"(--set memory.latnecy=80: error[E0005]: unknown key 'latnecy' in 'memory'
  hint: did you mean 'latency'?
)");
}

TEST_F(BadInput, SettingToAWrongTypeIsRefused) {
  ExpectRefused(
      "run mlp --set memory.latency=fast",
      "--set memory.latency=fast: error[E0008]: 'latency' of 'memory' has to be an integer, not 'fast'\n");
}

TEST_F(BadInput, ASetThatIsTooLongIsNotRepeated) {
  ExpectRefused(
      "run mlp --set memory.latency=" + std::string(100'000, '9'),
      "cosim: error: --set memory.latency=9999999999999999999999999…: longer than 1000 characters\n");
}

TEST_F(BadInput, SetWithoutValueShowsTheForm) {
  ExpectRefused("run mlp --set latency", R"(cosim: error: --set latency: not of the form key=value
  hint: for example --set memory.latency=80
)");
}

TEST_F(BadInput, OutputIntoNoFolderIsRefusedBeforeAnythingRuns) {
  ExpectRefused("run resnet18 --json=no/r.json",
                "cosim: error: cannot write no/r.json: there is no folder no\n");
  ExpectRefused("disasm mlp -o no/p.s", "cosim: error: cannot write no/p.s: there is no folder no\n");
}

TEST_F(BadInput, OutputThatIsAFolderIsRefused) {
  std::filesystem::create_directory(folder_ / "r.json");
  ExpectRefused("run mlp --json=r.json", "cosim: error: cannot write r.json: it is a folder\n");
}

TEST_F(BadInput, OutputWithoutPermissionIsRefused) {
  // Root may write anywhere, so root becomes somebody else, who can reach a copy of the binary.
  std::string as_user;
  if (geteuid() == 0) {
    as_user = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    if (Shell(as_user + "true").status != 0) GTEST_SKIP() << "root cannot step down here";
  }
  std::filesystem::copy_file(COSIM_BINARY, output_ / "cosim");
  std::filesystem::permissions(output_, std::filesystem::perms(0755));
  std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  const Outcome outcome = Shell(as_user + (output_ / "cosim").string() + " run mlp --json=r.json");
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "cosim: error: cannot write r.json: Permission denied\n");
  EXPECT_TRUE(Files().empty());
}

TEST_F(BadInput, AFailedRunLeavesTheOldReportAlone) {
  Write("r.json", "old");
  ExpectRefused("run mlp --config=nope.yaml --json=r.json", R"(nope.yaml: error[E0001]: there is no such file
  hint: looked for nope.yaml, SRC/configs/nope.yaml
)");
  EXPECT_EQ(ReadFile(folder_ / "r.json"), "old");
}

TEST_F(BadInput, UnknownChoicesAreListed) {
  ExpectRefused("run mlp --check=some", "cosim: error: --check=some: not one of outputs, layers, none\n");
  ExpectRefused("run mlp --device=fpga", R"(cosim: error: unknown device 'fpga'
  hint: known here: functional, cycle, rtl, tlm, tlm-rtl, host
)");
  ExpectRefused(
      "run mlp --device=board",
      R"(cosim: error: --device=board: which board? This machine is none: no UIO device is named 'cosim': there is none at all
  hint: 'board_address: ssh://HOST' in the configuration or COSIM_BOARD=ssh://HOST names one
)");
  ExpectRefused("run mlp --device=cylce", R"(cosim: error: unknown device 'cylce'
  hint: did you mean 'cycle'?
)");
  ExpectRefused("run mlp --config=pinq.yaml", R"(pinq.yaml: error[E0001]: there is no such file
  hint: did you mean 'pynq.yaml'? looked for pinq.yaml, SRC/configs/pinq.yaml
)");
  ExpectRefused("run mlp --virtual-threads=0", "cosim: error: --virtual-threads: from 1 to 8\n");
  ExpectRefused("run mlp --activation-bits=12", "cosim: error: --activation-bits=12: 8 or 16\n");
  ExpectRefused("run mlp --activation-bits=16",
                R"(cosim: error: --activation-bits=16: lanes of 'inp' have 8 bits
  hint: use --set parameters.inp_bits=16 where the ISA has that parameter
)");
  ExpectRefused("frob", "cosim: error: unknown verb 'frob'\n  hint: `cosim --help` lists them\n");
  ExpectRefused("rnu",
                "cosim: error: unknown verb 'rnu'\n  hint: did you mean 'run'? `cosim --help` lists them\n");
  ExpectRefused("run mlp --bogus", R"(cosim: error: unrecognised option '--bogus'
  hint: `cosim run --help` lists the options
)");
  ExpectRefused("run mlp --frmaes=2", R"(cosim: error: unrecognised option '--frmaes=2'
  hint: did you mean '--frames'? `cosim run --help` lists the options
)");
  ExpectRefused("run mlp again", R"(cosim: error: there are too many arguments
  hint: usage: cosim run NETWORK|FILE.tflite|FILE.onnx|FILE.cosim [--config=FILE] [options]
)");
  ExpectRefused("explain mlp --config=tiny.yaml --layer=fc22",
                R"(cosim: error: 'fc22' is not a layer of mlp on the accelerator; did you mean 'fc2'?
)");
}

TEST_F(BadInput, OutputsThatCannotBeAreRefusedBeforeTheRun) {
  ExpectRefused("run mlp --labels=none.txt --top=1",
                "cosim: error: --labels=none.txt: there is no such file\n");
  ExpectRefused("run mlp --labels=none.txt",
                "cosim: error: --labels are for the lines of --top\n  hint: use --top=5 too\n");
  ExpectRefused("run mlp --top=0", "cosim: error: --top: at least 1\n");
  ExpectRefused("run mlp --output=y.npz --timing-only",
                "cosim: error: --output: --timing-only computes no outputs\n");
}

TEST_F(BadInput, TimingOnlyNeedsADeviceWithTiming) {
  ExpectRefused("run mlp --timing-only --device=functional",
                R"(cosim: error: --timing-only: the functional device has no timing
  hint: use --device=cycle
)");
}

TEST_F(BadInput, NegativeNumbersAreNoCounts) {
  for (const char* verb : {"run mlp", "compile mlp", "disasm mlp", "explain mlp", "quantize m.onnx"})
    ExpectRefused(std::string(verb) + " --seed=-1",
                  "cosim: error: --seed=-1: must not be negative\n  hint: it is a whole number from 0\n");
  EXPECT_THAT(ErrorOf("accuracy m.onnx --limit -3"),
              StartsWith("cosim: error: --limit=-3: must not be negative\n"));
  EXPECT_THAT(ErrorOf("run m.onnx --top=-1"), StartsWith("cosim: error: --top=-1: must not be negative\n"));
}

}  // namespace
}  // namespace cosim::cli::testing
