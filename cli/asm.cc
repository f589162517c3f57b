// SPDX-License-Identifier: Apache-2.0
// cosim asm: program text to instruction words.
#include <fmt/format.h>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "isa/program/assembler.h"
#include "isa/program/codec.h"
#include "isa/program/disassembler.h"
#include "isa/spec/loader.h"

namespace cosim::cli {
namespace po = boost::program_options;

int AsmVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
                        "where to write; - is standard output")(
      "text", "write the canonical program text instead of the instruction words");
  const auto parsed = Parse(arguments, options, "asm FILE [--config=FILE] [-o FILE]",
                            "cosim asm docs/examples/gemm.s --config=tiny.yaml --text", "FILE");
  if (parsed.exit) return *parsed.exit;
  const std::string path = parsed.values["output"].as<std::string>();
  if (!CheckWritable(path)) return 1;
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  Diagnostics diags;
  const auto source = isa::ReadSource(parsed.values["FILE"].as<std::string>(), diags);
  const auto assembly = source ? isa::Assemble(*spec, *source, diags) : std::nullopt;
  if (!assembly) {
    PrintError("{}", diags.Render());
    return 1;
  }
  if (parsed.values.count("text")) return WriteFile(path, isa::Disassemble(*spec, assembly->program)) ? 0 : 1;
  std::vector<isa::CodecError> errors;
  const auto code = isa::EncodeProgram(*spec, assembly->program, errors);
  if (!code) {
    for (const auto& error : errors)
      Fail(fmt::format("instruction {}: {}", error.instruction, error.message));
    return 1;
  }
  return WriteFile(path, std::string(code->bytes.begin(), code->bytes.end())) ? 0 : 1;
}

}  // namespace cosim::cli
