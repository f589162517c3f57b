// SPDX-License-Identifier: Apache-2.0
// The ONNX backend suite through the whole command, on a device.
#include <gmock/gmock.h>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;

class Conformance : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    if (!std::filesystem::exists("/usr/share/libonnx-testdata/data/node"))
      GTEST_SKIP() << "libonnx-testdata is not installed";
  }
};

TEST_F(Conformance, PassesOnADeviceWhatItPassesOnTheHost) {
  const Outcome host = Run("conformance onnx"),
                device = Run("conformance onnx --device=functional --config=tiny.yaml");
  EXPECT_EQ(host.status, 0) << host.err;
  EXPECT_EQ(device.status, 0) << device.err;
  EXPECT_EQ(host.out, device.out);
  EXPECT_THAT(device.out, HasSubstr("1072 cases: 1035 passed, 0 failed, 37 unsupported"));
  EXPECT_THAT(device.out, HasSubstr("| strings | 18 |"));
  EXPECT_THAT(device.out, HasSubstr("| training | 9 |"));
  EXPECT_THAT(device.out, HasSubstr("| random | 10 |"));
  EXPECT_THAT(device.out, HasSubstr("Of the other 1035 cases, 1035 passed (100.0 %)"));
}

TEST_F(Conformance, NamesWhatIsUnsupported) {
  const Outcome outcome = Run("conformance onnx --verbose --filter=test_adam_multiple");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("operator ai.onnx.preview.training.Adam (operator set 1)"));
}

TEST_F(Conformance, ADeviceThatThereIsNotIsNamed) {
  const Outcome outcome = Run("conformance onnx --device=gpu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("unknown device 'gpu'"));
}

}  // namespace
}  // namespace cosim::cli::testing
