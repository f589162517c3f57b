// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/database.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cosim_db_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "sweep.sqlite";
  }
  ~DatabaseTest() override { std::filesystem::remove_all(folder_); }

  std::optional<Database> Make(const std::string& digest) {
    return Database::Make(path_, {digest, "the plan", "cosim test", 2}, {{"ab", "isa", "isa/x.yaml", "text"}},
                          error_);
  }
  void Execute(const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  std::filesystem::path folder_, path_;
  std::string error_;
};

const Row kDone{.id = 2,
                .network = "mlp",
                .config = "tiny.yaml",
                .isa = "cosim",
                .name = "half, \"quoted\"",
                .settings = {{"a.b", "7"}, {"c", "x=y"}},
                .status = "done",
                .diagnostic = "",
                .result = R"({"cycles": 77, "end_to_end": {"frame_ms": 1.5}})"};

TEST_F(DatabaseTest, RowsAreThereWhenItIsOpenedAgain) {
  {
    auto made = Make("d");
    ASSERT_TRUE(made) << error_;
    ASSERT_TRUE(made->Add(kDone, error_)) << error_;
    ASSERT_TRUE(made->Add({.id = 1, .network = "mlp", .status = "failed", .diagnostic = "why"}, error_))
        << error_;
  }
  const auto opened = Database::Open(path_, error_);
  ASSERT_TRUE(opened) << error_;
  EXPECT_EQ(opened->head().plan, "the plan");
  EXPECT_EQ(opened->head().points, 2);
  EXPECT_THAT(opened->Ids(), ElementsAre(1, 2));
  EXPECT_THAT(opened->Ids("failed"), ElementsAre(2));
  const auto row = opened->Find(2, error_);
  ASSERT_TRUE(row) << error_;
  EXPECT_EQ(row->name, kDone.name);
  EXPECT_EQ(row->result, kDone.result);
  ASSERT_EQ(row->settings.size(), 2u);
  EXPECT_EQ(row->settings[1].value, "x=y");
  EXPECT_FALSE(opened->Find(3, error_));
  EXPECT_THAT(error_, HasSubstr("there is no point 3"));
}

TEST_F(DatabaseTest, FiguresOfResultsAreColumns) {
  ASSERT_TRUE(Make("d")->Add(kDone, error_)) << error_;
  Execute("CREATE TABLE seen AS SELECT cycles, frame_ms FROM point WHERE cycles = 77 AND frame_ms = 1.5");
  sqlite3* handle = nullptr;
  sqlite3_open(path_.c_str(), &handle);
  int rows = 0;
  sqlite3_exec(
      handle, "SELECT * FROM seen", [](void* n, int, char**, char**) { return ++*static_cast<int*>(n), 0; },
      &rows, nullptr);
  sqlite3_close(handle);
  EXPECT_EQ(rows, 1);
}

TEST_F(DatabaseTest, AnotherSweepIsRefusedAndLeftAlone) {
  ASSERT_TRUE(Make("d")->Add(kDone, error_));
  EXPECT_FALSE(Make("e"));
  EXPECT_THAT(error_, HasSubstr("holds another sweep"));
  EXPECT_THAT(Make("d")->Ids(), ElementsAre(2));
}

TEST_F(DatabaseTest, FilesThatAreNoSweepsAreRefused) {
  std::ofstream(path_) << "not a database, but long enough to be looked at as if it were one\n";
  EXPECT_FALSE(Database::Open(path_, error_));
  EXPECT_THAT(error_, HasSubstr("is no database of a sweep"));
  EXPECT_FALSE(Make("d"));
  EXPECT_THAT(error_, HasSubstr("is no database of a sweep"));
  std::filesystem::remove(path_);
  EXPECT_FALSE(Database::Open(path_, error_));
  EXPECT_THAT(error_, HasSubstr("there is no such file"));
  Execute("CREATE TABLE mine (x)");
  EXPECT_FALSE(Make("d"));
  EXPECT_THAT(error_, HasSubstr("is no database of a sweep"));
}

TEST_F(DatabaseTest, AnotherVersionOfTheTablesIsRefused) {
  ASSERT_TRUE(Make("d"));
  Execute("PRAGMA user_version = 99");
  EXPECT_FALSE(Database::Open(path_, error_));
  EXPECT_THAT(error_, HasSubstr("has version 99 of a sweep's tables"));
}

TEST_F(DatabaseTest, ADamagedFileIsSaidToBeSo) {
  ASSERT_TRUE(Make("d")->Add(kDone, error_));
  Execute("PRAGMA journal_mode = DELETE; DROP TABLE sweep");
  EXPECT_FALSE(Database::Open(path_, error_));
  EXPECT_THAT(error_, HasSubstr("is damaged"));
}

TEST_F(DatabaseTest, AFolderThatIsNotThereIsAnError) {
  path_ = folder_ / "none" / "x.sqlite";
  EXPECT_FALSE(Make("d"));
  EXPECT_THAT(error_, HasSubstr("unable to open"));
}

}  // namespace
}  // namespace cosim::explore
