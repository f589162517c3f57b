// SPDX-License-Identifier: Apache-2.0
// Which file a name stands for, and what an ISA that was changed is called.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "isa/home.h"
#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

class FindFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string Complaint(const std::string& config, const std::string& isa) const {
    Diagnostics diags;
    EXPECT_FALSE(LoadSpec(config, isa, {}, diags));
    return diags.Render();
  }
  const fs::path folder_ =
      fs::path(::testing::TempDir()) /
      fmt::format("{}_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
};

// The working directory has files of these names too, which are not meant.
TEST_F(FindFiles, AConfigurationsIsaStandsBesideIt) {
  const std::string config = Write("sub/small.yaml", kConfig);
  Write("sub/mini.yaml", kIsa);
  Write("mini.yaml", "no ISA at all");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  Diagnostics diags;
  const auto spec = LoadSpec(config, "", {}, diags);
  const auto named = LoadSpec(config, "mini", {}, diags);
  fs::current_path(before);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  EXPECT_EQ(spec->isa, "mini");
  EXPECT_FALSE(named.has_value()) << "--isa is looked for where the user stands";
}

TEST_F(FindFiles, AConfigurationsIsaMayBeAnInstalledOne) {
  Diagnostics diags;
  std::ifstream pynq(Home() / "configs" / "pynq.yaml");
  const std::string text{std::istreambuf_iterator<char>(pynq), {}};
  const auto spec = LoadSpec(Write("mine.yaml", text), "", {}, diags);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  EXPECT_EQ(spec->isa, "cosim");
}

TEST_F(FindFiles, ANameIsNotThatOfAnotherFileInTheWorkingDirectory) {
  Write("cosim", "a program, say");
  Write("tiny", "and data");
  Write("mine", kConfig);
  Write("mini.yaml", kIsa);
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  Diagnostics diags;
  const auto spec = LoadSpec("tiny", "cosim", {}, diags), mine = LoadSpec("mine", "", {}, diags);
  fs::current_path(before);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  EXPECT_EQ(spec->isa, "cosim");
  EXPECT_TRUE(mine.has_value()) << diags.Render();  // nothing else is called so
}

TEST_F(FindFiles, ADirectoryIsCalledOne) {
  Write("sub/a.yaml", kConfig);
  Write("sub/b.yaml", kConfig);
  EXPECT_EQ(
      Complaint((folder_ / "sub").string(), ""),
      (folder_ / "sub").string() + ": error[E0001]: it is a directory\n  hint: name a file in it: a, b\n");
}

TEST_F(FindFiles, NearNamesMayStandInSubFolders) {
  EXPECT_THAT(Complaint("pynq", "split_loads"),
              HasSubstr("hint: did you mean 'test/split_loads'? looked for"));
  EXPECT_THAT(Complaint("pynq", "split_load.yaml"),
              HasSubstr("hint: did you mean 'test/split_loads.yaml'? "));
  EXPECT_THAT(Complaint("wide", ""), HasSubstr("hint: did you mean 'test/wide'? looked for"));
}

TEST_F(FindFiles, AnEditedCopyHasNoNameOfAnother) {
  std::ifstream file(Home() / "isa" / "cosim.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto load = [&](const std::string& isa) {
    Diagnostics diags;
    const auto spec = LoadSpec("pynq", isa, {}, diags);
    EXPECT_TRUE(spec.has_value()) << diags.Render();
    return spec.value_or(Spec{});
  };
  const Spec original = load("cosim"), copy = load(Write("copy.yaml", text)),
             comment = load(Write("comment.yaml", text + "# mine\n")),
             edited = load(
                 Write("cosim.yaml", Replace(text, "latency: 6 + alu_stages", "latency: 7 + alu_stages")));
  EXPECT_EQ(copy.isa, "cosim");
  EXPECT_EQ(comment.isa, "cosim (edited)");
  EXPECT_EQ(edited.isa, "cosim (edited)");
  EXPECT_EQ(comment.fingerprint, original.fingerprint) << "it says the same";
  EXPECT_NE(edited.fingerprint, original.fingerprint);
}

}  // namespace
}  // namespace cosim::isa
