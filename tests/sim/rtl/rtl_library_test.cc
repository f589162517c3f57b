// SPDX-License-Identifier: Apache-2.0
// Building models: what is kept, what is told apart, and what is refused, each before anything dear is done.
#include "sim/rtl/rtl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "isa/home.h"
#include "isa/spec/loader.h"
#include "tests/environment.h"
#include "tests/hw/models.h"

namespace cosim::sim {
namespace {

namespace fs = std::filesystem;
using cosim::testing::Environment;
using cosim::testing::LibraryOf;
using cosim::testing::SpecOf;
using ::testing::HasSubstr;

fs::path Scratch(const std::string& name) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("rtl_library_test_" + std::to_string(getpid())) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string Refusal(const isa::Spec& spec) {
  Diagnostics diags;
  EXPECT_FALSE(BuildRtl(spec, {}, diags));
  return diags.Render();
}

TEST(RtlLibrary, IsBuiltOnce) {
  const fs::path library = LibraryOf("narrow");
  int built = 0;
  Diagnostics diags;
  const auto again = BuildRtl(SpecOf("narrow"),
                              {.assertions = true, .progress = [&](const std::string&) { ++built; }}, diags);
  EXPECT_EQ(again, library);
  EXPECT_EQ(built, 0);
}

TEST(RtlLibrary, TellsConfigurationsApart) { EXPECT_NE(LibraryOf("narrow"), LibraryOf("tiny_cosim")); }

TEST(RtlLibrary, RefusesASpecWithoutRtlBeforeAnythingIsRun) {
  const Environment no_programs("PATH", "/nowhere");
  isa::Spec spec = SpecOf("narrow");
  spec.dram.latency = 1;
  const std::string refusal = Refusal(spec);
  EXPECT_THAT(refusal, HasSubstr("error[E0701]: no RTL for this: memory.latency is 1"));
  EXPECT_THAT(refusal, ::testing::Not(HasSubstr("E0702")));
}

TEST(RtlLibrary, NamesThePackageThatIsMissing) {
  const Environment no_programs("PATH", "/nowhere");
  const std::string refusal = Refusal(SpecOf("narrow"));
  EXPECT_THAT(refusal, HasSubstr("error[E0702]: running the RTL needs 'verilator', which is not installed"));
  EXPECT_THAT(refusal, HasSubstr("apt-get install verilator"));
}

TEST(RtlLibrary, SaysWhenTheCacheCannotBeWritten) {
  const fs::path file = Scratch("cache") / "file";
  std::ofstream(file) << "no folder";
  const Environment cache("XDG_CACHE_HOME", file);
  EXPECT_THAT(Refusal(SpecOf("narrow")), HasSubstr("error[E0704]: cannot write the cache"));
}

/// A Verilator that takes no time, in a folder for the PATH: `command` makes model.so.
std::string StandIn(const std::string& command) {
  const fs::path programs = Scratch("programs"), script = programs / "verilator";
  std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = --version ] || " << command << "\n";
  fs::permissions(script, fs::perms::owner_all);
  return programs.string() + ":" + std::getenv("PATH");
}

TEST(RtlLibrary, SaysWhenAWholeModelIsOfAnotherMachine) {
  const Environment path("PATH", StandIn("printf 'the model' > model.so"));
  const Environment cache("XDG_CACHE_HOME", Scratch("foreign"));
  const std::string refusal = Refusal(SpecOf("narrow"));
  EXPECT_THAT(refusal, HasSubstr("error[E0707]: the model cannot be loaded: "));
  EXPECT_THAT(refusal, HasSubstr("hint: built for another machine? remove "));
}

TEST(RtlLibrary, BuildsADamagedModelAgain) {
  const Environment path("PATH", StandIn("g++ -shared -x c++ /dev/null -o model.so"));
  const Environment cache("XDG_CACHE_HOME", Scratch("damaged"));
  int built = 0;
  const auto build = [&] {
    Diagnostics diags;
    const auto library =
        BuildRtl(SpecOf("narrow"), {.progress = [&](const std::string&) { ++built; }}, diags);
    EXPECT_TRUE(library) << diags.Render();
    return library.value_or("");
  };
  const fs::path library = build();
  const auto size = fs::file_size(library);
  EXPECT_EQ(build(), library);
  EXPECT_EQ(built, 1);
  fs::resize_file(library, 4);
  EXPECT_EQ(build(), library);
  EXPECT_EQ(built, 2);
  EXPECT_EQ(fs::file_size(library), size);
}

TEST(RtlLibrary, KeepsTheLogOfRtlThatDoesNotCompile) {
  // An installation whose RTL is broken.
  const fs::path home = Scratch("home");
  fs::create_directories(home / "hw");
  fs::create_directories(home / "sim");
  fs::copy(isa::Home() / "hw" / "rtl", home / "hw" / "rtl");
  fs::copy(isa::Home() / "sim" / "rtl", home / "sim" / "rtl", fs::copy_options::recursive);
  std::ofstream(home / "hw" / "rtl" / "fifo.sv", std::ios::app) << "this is not SystemVerilog\n";
  const Environment installation("COSIM_HOME", home);
  const fs::path cache_home = Scratch("empty_cache");
  const Environment cache("XDG_CACHE_HOME", cache_home);
  const std::string refusal = Refusal(SpecOf("narrow"));
  EXPECT_THAT(refusal, HasSubstr("error[E0703]: the RTL does not compile"));
  const size_t begin = refusal.find(cache_home.string()), end = refusal.find(".log");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  std::ostringstream log;
  log << std::ifstream(refusal.substr(begin, end + 4 - begin)).rdbuf();
  EXPECT_THAT(log.str(), HasSubstr("fifo.sv"));
  fs::remove_all(home.parent_path());
}

}  // namespace
}  // namespace cosim::sim
