// SPDX-License-Identifier: Apache-2.0
// Who made a module: the key, and the tag it makes.
#include "runtime/module_tag.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/runtime/small_module.h"

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModuleTagTest : public ::testing::Test {
 protected:
  ModuleTagTest()
      : home_(fs::path(::testing::TempDir()) / ("cosim_module_tag_test_" + std::to_string(getpid()))) {
    fs::remove_all(home_);
    setenv("XDG_STATE_HOME", home_.c_str(), 1);
  }
  ~ModuleTagTest() override {
    fs::remove_all(home_);
    unsetenv("XDG_STATE_HOME");
  }
  std::string Key() {
    const auto key = TagKey(error_);
    EXPECT_TRUE(key) << error_;
    return key.value_or("");
  }

  const std::vector<uint8_t> module_ = WriteModule(testing::SmallModule(testing::TinySpec()));
  fs::path home_;
  std::string error_;
};

TEST_F(ModuleTagTest, TheKeyIsMadeOnceAndIsThisUsersAlone) {
  const std::string key = Key();
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(Key(), key);
  EXPECT_EQ(fs::status(home_ / "cosim").permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(home_ / "cosim" / "module.key").permissions(), fs::perms(0600));
  EXPECT_EQ(std::distance(fs::directory_iterator(home_ / "cosim"), {}), 1);
  fs::remove_all(home_);
  EXPECT_NE(Key(), key);
}

TEST_F(ModuleTagTest, AKeyThatOthersMayKnowIsRefused) {
  const fs::path file = home_ / "cosim" / "module.key";
  Key();
  fs::permissions(file, fs::perms(0640));
  EXPECT_FALSE(TagKey(error_));
  EXPECT_EQ(error_, file.string() + ": it is no key that this user alone can read; delete it");
  fs::permissions(file, fs::perms(0600));
  fs::resize_file(file, 31);
  EXPECT_FALSE(TagKey(error_));
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_FALSE(TagKey(error_));
  fs::remove(file);
  fs::permissions(home_, fs::perms::all);
  EXPECT_FALSE(TagKey(error_));
  EXPECT_EQ(error_, "others may write to " + home_.string());
}

TEST_F(ModuleTagTest, SaysWhoMadeAModule) {
  const std::string key = Key(), other(32, 'k');
  auto tagged = AddTag(module_, key);
  ASSERT_EQ(tagged.size(), module_.size() + kTagBytes);
  EXPECT_EQ(AddTag(module_, key), tagged);
  EXPECT_EQ(OriginOf(tagged, key), Origin::kThisUser);
  EXPECT_EQ(OriginOf(tagged, other), Origin::kElsewhere);
  EXPECT_EQ(OriginOf(module_, key), Origin::kUnknown);
  EXPECT_EQ(OriginOf({}, key), Origin::kUnknown);
  for (size_t i = 0; i < tagged.size(); i += 7) {
    tagged[i] ^= 1;
    EXPECT_NE(OriginOf(tagged, key), Origin::kThisUser) << i;
    tagged[i] ^= 1;
  }
}

TEST_F(ModuleTagTest, ATaggedModuleIsReadAsTheModule) {
  const auto tagged = AddTag(module_, Key());
  const auto read = ReadModule(tagged, error_);
  ASSERT_TRUE(read) << error_;
  EXPECT_EQ(WriteModule(*read), module_);
  for (size_t size = module_.size() + 1; size < tagged.size(); ++size) {
    EXPECT_FALSE(ReadModule({tagged.data(), size}, error_));
    EXPECT_THAT(error_, StartsWith("is cut off: ")) << size;
  }
  auto longer = tagged;
  longer.push_back(0);
  EXPECT_FALSE(ReadModule(longer, error_));
  EXPECT_THAT(error_, StartsWith("goes on after its end: "));
}

}  // namespace
}  // namespace cosim::runtime
