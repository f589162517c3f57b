// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <typeinfo>

#include "cli/module.h"
#include "cli/print.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/import/file_kind.h"
#include "compiler/import/import.h"
#include "compiler/schedules/accel/array.h"
#include "isa/spec/config_memory.h"
#include "isa/spec/loader.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace po = boost::program_options;

int Fail(const std::string& message, const std::string& hint) {
  PrintError("cosim: error: {}\n", message);
  if (!hint.empty()) PrintError("  hint: {}\n", hint);
  return 1;
}

void AddSpecOptions(po::options_description& options) {
  options.add_options()("config", po::value<std::string>()->value_name("FILE")->default_value("pynq.yaml"),
                        "configuration: a path, or a name in configs/")(
      "isa", po::value<std::string>()->value_name("FILE")->default_value(""),
      "ISA: a path, or a name in isa/ (default: the configuration's)")(
      "set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE")->composing(),
      "override a key of the configuration, e.g. memory.latency=80")(
      "memory", po::value<std::string>()->value_name("SETTING"),
      "low | typical | high: what the configuration's memory costs (--set memory.setting)");
}

void AddActivationBits(po::options_description& options) {
  options.add_options()("activation-bits", po::value<int>()->value_name("8|16"),
                        "quantize activations to so many bits (default: 16 where the lanes hold them)");
}

std::optional<int> ActivationBitsIn(const po::variables_map& values, const isa::Spec& spec) {
  if (values.count("activation-bits") == 0) return 0;
  const int bits = values["activation-bits"].as<int>();
  std::string why;
  const kernels::Array array = kernels::FindArray(spec, why);
  if (bits != 8 && bits != 16) {
    Fail(fmt::format("--activation-bits={}: 8 or 16", bits));
    return std::nullopt;
  }
  for (const char* name : {"MODEL", "PROGRAM"})
    if (values.count(name) && import::IsModelFile(values[name].as<std::string>())) {
      Fail("--activation-bits is for networks of the zoo: a model from a file runs as it is");
      return std::nullopt;
    }
  if (array.gemm >= 0 && bits > array.activation_bits) {
    Fail(fmt::format("--activation-bits={}: lanes of '{}' have {} bits", bits,
                     spec.memories[array.activations].name, array.activation_bits),
         "use --set parameters.inp_bits=16 where the ISA has that parameter");
    return std::nullopt;
  }
  return bits;
}

namespace {

/// What is wrong with an option that counts and was given a negative number, which reading it as unsigned
/// would wrap; empty: nothing.
std::string NegativeFault(const po::parsed_options& parsed) {
  for (const auto& option : parsed.options) {
    const auto* description = parsed.description->find_nothrow(option.string_key, false);
    if (description == nullptr || option.value.empty() || !option.value[0].starts_with('-')) continue;
    const auto* typed = dynamic_cast<const po::typed_value_base*>(description->semantic().get());
    if (typed != nullptr &&
        (typed->value_type() == typeid(uint64_t) || typed->value_type() == typeid(size_t)))
      return fmt::format("--{}={}: must not be negative", option.string_key, option.value[0]);
  }
  return "";
}

}  // namespace

Parsed Parse(const Arguments& arguments, po::options_description options, const std::string& usage,
             const std::string& example, const char* positional, Positionals positionals) {
  options.add_options()("quiet,q", "no progress on the terminal")("help,h", "print this and stop");
  po::options_description all = options;
  po::positional_options_description positions;
  if (positional && positionals == Positionals::kSeveral) {
    all.add_options()(positional, po::value<std::vector<std::string>>());
    positions.add(positional, -1);
  } else if (positional) {
    all.add_options()(positional, po::value<std::string>());
    positions.add(positional, 1);
  }
  Parsed parsed;
  try {
    const po::parsed_options given =
        po::command_line_parser(arguments)
            .options(all)
            .positional(positions)
            .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
            .run();
    if (const std::string fault = NegativeFault(given); !fault.empty()) {
      parsed.exit = Fail(fault, "it is a whole number from 0");
      return parsed;
    }
    po::store(given, parsed.values);
    po::notify(parsed.values);
  } catch (const po::unknown_option& e) {
    std::vector<std::string> known;
    for (const auto& option : options.options()) known.push_back(option->long_name());
    std::string given = e.get_option_name();
    given = given.substr(0, given.find('='));
    given.erase(0, given.find_first_not_of('-'));
    const std::string closest = isa::ClosestName(given, known);
    const std::string list =
        fmt::format("`cosim {} --help` lists the options", usage.substr(0, usage.find(' ')));
    parsed.exit =
        Fail(e.what(), closest.empty() ? list : fmt::format("did you mean '--{}'? {}", closest, list));
    return parsed;
  } catch (const po::too_many_positional_options_error&) {
    parsed.exit = Fail("there are too many arguments", fmt::format("usage: cosim {}", usage));
    return parsed;
  } catch (const po::error& e) {
    parsed.exit = Fail(e.what(), fmt::format("usage: cosim {}", usage));
    return parsed;
  }
  if (parsed.values.count("quiet")) BeQuiet();
  if (parsed.values.count("help")) {
    std::ostringstream text;
    text << options;
    Print("usage: cosim {}\n\n{}\nexample:\n  {}\n", usage, text.str(), example);
    parsed.exit = 0;
  } else if (positional && !parsed.values.count(positional)) {
    parsed.exit = Fail(fmt::format("{} is missing", positional), fmt::format("usage: cosim {}", usage));
  }
  return parsed;
}

namespace {

constexpr size_t kLongestSet = 1000;  // of what is said in one line, errors too

std::optional<std::vector<isa::Override>> OverridesIn(const po::variables_map& values) {
  std::vector<isa::Override> overrides;
  const auto given =
      values.count("set") ? values["set"].as<std::vector<std::string>>() : std::vector<std::string>{};
  for (const std::string& text : given) {
    if (text.size() > kLongestSet) {
      Fail(fmt::format("--set {}…: longer than {} characters", text.substr(0, 40), kLongestSet));
      return std::nullopt;
    }
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      Fail(fmt::format("--set {}: not of the form key=value", text), "for example --set memory.latency=80");
      return std::nullopt;
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  if (!values.count("memory")) return overrides;
  const std::string setting = values["memory"].as<std::string>();
  if (setting != "low" && setting != "typical" && setting != "high") {
    Fail(fmt::format("--memory={}: not one of low, typical, high", setting));
    return std::nullopt;
  }
  overrides.push_back({"memory.setting", setting});
  return overrides;
}

isa::SourceText WithoutFolder(isa::SourceText source) {
  return {std::filesystem::path(source.path).filename().string(), std::move(source.text)};
}

}  // namespace

std::optional<SpecWithSource> LoadSpecWithSource(const po::variables_map& values) {
  auto overrides = OverridesIn(values);
  if (!overrides) return std::nullopt;
  Diagnostics diags;
  auto texts = isa::FindSpecTexts(values["config"].as<std::string>(), values["isa"].as<std::string>(),
                                  *overrides, diags);
  auto spec = texts ? isa::Elaborate(texts->isa, texts->config, *overrides, diags) : std::nullopt;
  if (!spec) {
    PrintError("{}", diags.Render());
    return std::nullopt;
  }
  std::string isa_path = texts->isa.path, config_path = texts->config.path;
  runtime::SpecSource source{WithoutFolder(std::move(texts->isa)), WithoutFolder(std::move(texts->config)),
                             std::move(*overrides), spec->isa, spec->config};
  return SpecWithSource{std::move(*spec), std::move(source), std::move(isa_path), std::move(config_path)};
}

std::optional<isa::Spec> LoadSpecFrom(const po::variables_map& values, const std::vector<isa::Override>& more,
                                      const std::string& isa) {
  if (more.empty() && isa.empty()) {
    auto loaded = LoadSpecWithSource(values);
    if (!loaded) return std::nullopt;
    return std::move(loaded->spec);
  }
  auto overrides = OverridesIn(values);
  if (!overrides) return std::nullopt;
  overrides->insert(overrides->end(), more.begin(), more.end());
  Diagnostics diags;
  return isa::LoadSpec(values["config"].as<std::string>(),
                       isa.empty() ? values["isa"].as<std::string>() : isa, *overrides, diags);
}

std::optional<SpecWithSource> LoadSpecOf(const runtime::SpecSource& source, const po::variables_map& values) {
  if (!values["config"].defaulted() || !values["isa"].defaulted()) return LoadSpecWithSource(values);
  const auto more = OverridesIn(values);
  if (!more) return std::nullopt;
  runtime::SpecSource changed = source;
  changed.overrides.insert(changed.overrides.end(), more->begin(), more->end());
  Diagnostics diags;
  auto spec = isa::Elaborate(changed.isa, changed.config, changed.overrides, diags);
  if (!spec) {
    PrintError("{}", diags.Render());
    return std::nullopt;
  }
  return SpecWithSource{std::move(*spec), std::move(changed), "", ""};
}

std::optional<BandSpecs> LoadBand(const SpecWithSource& loaded) {
  const runtime::SpecSource& source = loaded.source;
  if (isa::MemorySetting(source.config, source.overrides) != "typical") return std::nullopt;
  const auto with = [&](const char* setting) {
    auto overrides = source.overrides;
    overrides.push_back({"memory.setting", setting});
    Diagnostics diags;
    return isa::Elaborate(source.isa, source.config, overrides, diags);
  };
  const auto low = with("low"), high = with("high");
  if (!low && !high) return std::nullopt;
  return BandSpecs{low ? *low : loaded.spec, high ? *high : loaded.spec};
}

namespace {

const std::vector<std::string> kDevices = {"functional", "cycle", "rtl", "tlm", "tlm-rtl"};

}  // namespace

bool CheckDevice(const std::string& name, bool or_host) {
  if (std::ranges::count(kDevices, name) > 0) return true;
  std::vector<std::string> known = kDevices;
  if (or_host) known.emplace_back("host");
  Fail(fmt::format("unknown device '{}'", name),
       name == "board" ? "on a board, 'cosim-board run' runs modules: docs/how-to/run-on-a-board.md"
                       : isa::NameHint(name, known));
  return false;
}

namespace {

/// What a file of another name is, as a hint.
std::string FileKindText(const std::string& path) {
  std::vector<uint8_t> start(256);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  return import::FileKindHint(start);
}

}  // namespace

bool CheckNetwork(const std::string& name) {
  std::string error;
  if (graph::zoo::ParseVariant(name, error)) return true;
  const std::string stem = name.substr(0, name.find(':'));
  const std::vector<std::string> known(graph::zoo::Names().begin(), graph::zoo::Names().end());
  const std::string closest = isa::ClosestName(stem, known);
  const std::string arguments = "arguments as in mobilenet_v1:width=0.5,size=160,batch=4";
  if (NamesModule(name)) {
    Fail(fmt::format("{} is a module, which only `cosim run` takes", name),
         "name the model that it was compiled from");
  } else if (std::error_code failed; std::filesystem::is_regular_file(name, failed)) {
    Fail(fmt::format("{}: files of models end in .tflite or .onnx, modules in .cosim", name),
         FileKindText(name));
  } else if (stem.find_first_of("./") != std::string::npos) {
    Fail(error, "files of models end in .tflite or .onnx, modules in .cosim; `cosim models` lists networks");
  } else if (closest == stem) {  // then its arguments are wrong
    Fail(error, arguments);
  } else if (!closest.empty()) {
    Fail(error, fmt::format("did you mean '{}'? `cosim models` lists networks", closest));
  } else {
    Fail(error, fmt::format("known networks: {}; {}", fmt::join(known, ", "), arguments));
  }
  return false;
}

}  // namespace cosim::cli
