// SPDX-License-Identifier: Apache-2.0
// The Python package, by its own tests (python_test.py), and as it is installed.
#include <gmock/gmock.h>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Python : public testing::Command {
 protected:
  void SetUp() override {
    if (Shell("/usr/bin/python3 -c 'import sys; assert sys.version_info >= (3, 10)'").status != 0)
      GTEST_SKIP() << "there is no Python 3.10";
  }
  void Passes(const std::string& classes) {
    const std::string data = import::DataFolder();  // empty where there is none
    const testing::Outcome run =
        Shell("COSIM_TEST_DATA='" + (data.empty() ? data : std::filesystem::absolute(data).string()) +
              "' COSIM='" COSIM_BINARY "' PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 " COSIM_SOURCE_DIR
              "/tests/cli/python_test.py " +
              classes);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("OK"));
  }
};

TEST_F(Python, DoesWhatTheCommandDoes) { Passes("Runs Errors Sweeps"); }

TEST_F(Python, MakesTablesAndArrays) {
  if (Shell("/usr/bin/python3 -c 'import numpy, pandas'").status != 0)
    GTEST_SKIP() << "NumPy and pandas are not installed";
  Passes("Tables");
}

TEST_F(Python, IsTypedStrictly) {
  if (Shell("/usr/bin/python3 -c 'import mypy, numpy'").status != 0)
    GTEST_SKIP() << "mypy is not installed: apt-get install mypy";
  Passes("Types");
}

#ifdef COSIM_PYTHON_NATIVE

TEST_F(Python, RunsModulesInItsOwnProcess) {
  if (Shell("/usr/bin/python3 -c 'import numpy'").status != 0) GTEST_SKIP() << "NumPy is not installed";
  Passes("Specifications Modules");
}

TEST_F(Python, FindsItsNativeHalfWhereItIsInstalled) {
  const testing::Outcome installed = Shell("cmake --install '" COSIM_BUILD_DIR "' --prefix made");
  ASSERT_EQ(installed.status, 0) << installed.err;
  std::filesystem::rename(folder_ / "made", folder_ / "moved");
  const testing::Outcome run = Shell(
      "env -u COSIM -u COSIM_HOME PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=moved/lib/python3/dist-packages "
      "/usr/bin/python3 -c 'import cosim; from cosim import native; "
      "print(cosim.load_spec(\"tiny.yaml\").macs_per_cycle, native.native(\"\").__spec__.origin)'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("16 "));
  EXPECT_THAT(run.out, HasSubstr("moved/lib/python3/dist-packages/cosim/_native."));
  // Its files are those it is installed with.
  Write("moved/share/cosim/configs/tiny.yaml", "clok: 1\n");
  EXPECT_THAT(
      Shell("env -u COSIM -u COSIM_HOME PYTHONPATH=moved/lib/python3/dist-packages /usr/bin/python3 -c "
            "'import cosim; cosim.load_spec(\"tiny.yaml\")'")
          .err,
      HasSubstr("unknown key 'clok'"));
}

#endif

TEST_F(Python, SaysWhereItsNativeHalfIsMissing) {
  const testing::Outcome run = Shell(
      "COSIM=/bin/true PYTHONDONTWRITEBYTECODE=1 "
      "PYTHONPATH=" COSIM_SOURCE_DIR "/cli/python /usr/bin/python3 -c 'import cosim; cosim.load_spec()'");
  EXPECT_NE(run.status, 0);
  EXPECT_THAT(
      run.err,
      HasSubstr("cosim.native.NativeMissing: load_spec: the native half of cosim's package is not built"));
  EXPECT_THAT(run.err, HasSubstr("pybind11-dev"));
}

TEST_F(Python, FindsTheCommandItIsInstalledWith) {
  const testing::Outcome installed = Shell("cmake --install '" COSIM_BUILD_DIR "' --prefix made");
  ASSERT_EQ(installed.status, 0) << installed.err;
  const testing::Outcome run = Shell(
      "env -u COSIM PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=made/lib/python3/dist-packages /usr/bin/python3 -c "
      "'import cosim; print(cosim.command(), cosim.run(\"mlp\", config=\"tiny.yaml\").mismatches)'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("made/bin/cosim 0"));
}

}  // namespace
}  // namespace cosim::cli
