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
  EXPECT_THAT(device.out, HasSubstr(" 0 failed"));
}

TEST_F(Conformance, NamesWhatIsUnsupported) {
  const Outcome outcome = Run("conformance onnx --verbose --filter=test_loop11");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("operator Loop (operator set 11)"));
}

TEST_F(Conformance, ADeviceThatThereIsNotIsNamed) {
  const Outcome outcome = Run("conformance onnx --device=gpu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("unknown device 'gpu'"));
}

}  // namespace
}  // namespace cosim::cli::testing
