// SPDX-License-Identifier: Apache-2.0
// The verbs of the cosim command. Each parses its arguments, does one thing through the libraries and prints
// it; exit status 0 is success, 1 a user's mistake or a failed check, reported on standard error.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cosim::cli {

using Arguments = std::vector<std::string>;

int RunVerb(const Arguments& arguments);      // run.cc
int ExplainVerb(const Arguments& arguments);  // explain.cc
int CompileVerb(const Arguments& arguments);  // compile.cc
int DisasmVerb(const Arguments& arguments);   // disasm.cc
int AsmVerb(const Arguments& arguments);      // asm.cc
int CheckVerb(const Arguments& arguments);    // check.cc
int IsaVerb(const Arguments& arguments);      // isa.cc
int SynthVerb(const Arguments& arguments);    // synth.cc
int ExportVerb(const Arguments& arguments);   // export.cc
int FlashVerb(const Arguments& arguments);    // flash.cc
int SweepVerb(const Arguments& arguments);    // sweep.cc
int SearchVerb(const Arguments& arguments);   // search.cc
int CompareVerb(const Arguments& arguments);  // compare.cc
int ParetoVerb(const Arguments& arguments);   // pareto.cc
int TuneVerb(const Arguments& arguments);     // tune.cc
int ReportVerb(const Arguments& arguments);   // html_report.cc
int InspectVerb(const Arguments& arguments);  // inspect.cc
int ConfigsVerb(const Arguments& arguments);  // lists.cc
int ModelsVerb(const Arguments& arguments);   // lists.cc
int VersionVerb(const Arguments& arguments);  // version.cc

int AccuracyVerb(const Arguments& arguments);     // accuracy.cc
int QuantizeVerb(const Arguments& arguments);     // quantize.cc
int ConformanceVerb(const Arguments& arguments);  // conformance.cc

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
};
std::span<const Verb> Verbs();

/// The whole command: `arguments` without the program's name.
int Main(const Arguments& arguments);

}  // namespace cosim::cli
