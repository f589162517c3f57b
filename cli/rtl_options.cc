// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "sim/rtl/rtl_library.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

constexpr char kTrace[] = "trace", kTraceFrom[] = "trace-from", kTraceCycles[] = "trace-cycles";

}  // namespace

void AddRtlOptions(po::options_description& options) {
  options.add_options()(kTrace, po::value<std::string>()->value_name("FILE"),
                        "write waves of all signals, as FST (rtl device)")(
      kTraceFrom, po::value<int64_t>()->value_name("C"), "the first cycle of the waves (default: 0)")(
      kTraceCycles, po::value<int64_t>()->value_name("N"), "how many cycles of waves (default: 10000)");
}

bool ReadRtlOptions(const po::variables_map& values, session::Options& run) {
  const auto refuse = [](const std::string& message, const std::string& hint = "") {
    Fail(message, hint);
    return false;
  };
  for (const char* option : {kTraceFrom, kTraceCycles})
    if (values.count(option) && !values.count(kTrace))
      return refuse(fmt::format("--{} says which cycles to trace, but --trace=FILE is missing", option));
  if (!values.count(kTrace)) return true;
  if (run.device != "rtl")
    return refuse(fmt::format("--trace: the {} device has no signals", run.device), "use --device=rtl");
  constexpr int64_t kDefaultCycles = 10'000;
  run.rtl_trace = {
      .file = values[kTrace].as<std::string>(),
      .from = values.count(kTraceFrom) ? values[kTraceFrom].as<int64_t>() : 0,
      .cycles = values.count(kTraceCycles) ? values[kTraceCycles].as<int64_t>() : kDefaultCycles};
  if (run.rtl_trace.from < 0) return refuse("--trace-from: cycles count from 0");
  if (run.rtl_trace.cycles < 1) return refuse("--trace-cycles: at least 1");
  if (run.frames > 1) return refuse("--trace: which of several frames is not said", "leave out --frames");
  if (run.rtl_trace.file == "-") return refuse("--trace: waves need a file with a name");
  return CheckWritable(run.rtl_trace.file.string());
}

bool BuildRtlOf(const isa::Spec& spec, session::Options& run) {
  if (run.device != "rtl" && run.device != "tlm-rtl") return true;
  Diagnostics diags;
  const auto library = [&] {
    ProgressLine line;
    return sim::BuildRtl(spec, {.trace = !run.rtl_trace.file.empty(), .progress = line.Teller()}, diags);
  }();
  if (!library) {
    PrintError("{}", diags.Render());
    return false;
  }
  run.rtl_library = *library;
  return true;
}

}  // namespace cosim::cli
