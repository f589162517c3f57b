// SPDX-License-Identifier: Apache-2.0
// lockstep: holds RTL and models against each other on random hardware and programs. scripts/lockstep builds
// and runs it.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>

#include "isa/home.h"
#include "tests/hw/lockstep_sweep.h"

namespace po = boost::program_options;

int main(int argc, char** argv) {
  cosim::testing::SweepOptions options;
  po::options_description described(
      "scripts/lockstep: RTL against models, on hardware and programs drawn at random");
  described.add_options()("help", "show this")  //
      ("minutes", po::value(&options.minutes)->default_value(options.minutes),
       "begin no configuration after these")                                                                //
      ("seed", po::value(&options.seed)->default_value(options.seed), "of everything that is drawn")        //
      ("isa", po::value(&options.isa), "file of the only ISA, like isa/vta.yaml; without, ISAs are drawn")  //
      ("configurations", po::value(&options.configurations), "end after so many")                           //
      ("programs", po::value(&options.programs)->default_value(options.programs),
       "for each configuration")  //
      ("reproduce", po::value<std::string>(), "run what was saved in this folder, and nothing else");
  po::variables_map given;
  try {
    po::store(po::parse_command_line(argc, argv, described), given);
    po::notify(given);
  } catch (const po::error& error) {
    std::cerr << "lockstep: " << error.what() << "\n" << described;
    return 2;
  }
  if (given.contains("help")) {
    std::cout << described;
    return 0;
  }
  if (given.contains("reproduce"))
    return cosim::testing::Reproduce(given["reproduce"].as<std::string>()) ? 0 : 1;

  if (!std::filesystem::is_regular_file(cosim::isa::Home() / options.isa) && !options.isa.empty()) {
    std::cerr << "lockstep: there is no ISA '" << options.isa << "'\n";
    return 2;
  }
  const cosim::testing::SweepResult result = cosim::testing::Sweep(options);
  fmt::print("programs that reached\n{}", result.coverage.Render());
  fmt::print(
      "{} pairs of configuration and program, {} of them again with stalls, over {} configurations ({} "
      "drawn)\n"
      "{} RTL cycles; {:.0f} s building, {:.0f} s running; seed {}\n{} differences\n",
      result.programs, result.stalled, result.configurations, result.drawn, result.cycles,
      result.build_seconds, result.run_seconds, options.seed, result.differences);
  return result.differences == 0 ? 0 : 1;
}
