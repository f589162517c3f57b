// SPDX-License-Identifier: Apache-2.0
// What the verbs share: parsing with one style of error, the spec's options, names that have to exist.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "runtime/module.h"

namespace cosim::cli {

/// Prints `cosim: error: …` and the hint; returns 1.
int Fail(const std::string& message, const std::string& hint = "");

/// Adds --config, --isa, --set and --memory.
void AddSpecOptions(boost::program_options::options_description& options);

struct Parsed {
  boost::program_options::variables_map values;
  std::optional<int> exit;  ///< set when there is nothing left to do (--help, or a mistake already reported)
};

/// How many positional arguments there may be: the values of an option of strings, or of lists of them.
enum class Positionals { kOne, kSeveral };

/// `usage`: the line after "usage: cosim "; `example`: a command that works. Positional arguments are the
/// option `positional`.
Parsed Parse(const Arguments& arguments, boost::program_options::options_description options,
             const std::string& usage, const std::string& example, const char* positional = nullptr,
             Positionals positionals = Positionals::kOne);

/// The spec that the options ask for; mistakes are printed. With `more` overrides or another `isa`, which are
/// not the user's, nothing is printed.
std::optional<isa::Spec> LoadSpecFrom(const boost::program_options::variables_map& values,
                                      const std::vector<isa::Override>& more = {},
                                      const std::string& isa = "");

struct SpecWithSource {
  isa::Spec spec;
  runtime::SpecSource source;
  std::string isa_path, config_path;  ///< "" when they come from a module
};
/// As LoadSpecFrom, with the texts it was elaborated from.
std::optional<SpecWithSource> LoadSpecWithSource(const boost::program_options::variables_map& values);

/// The spec a module was compiled for, under any --set on top of those it was compiled with; if the options
/// name a configuration or an ISA, theirs.
std::optional<SpecWithSource> LoadSpecOf(const runtime::SpecSource& source,
                                         const boost::program_options::variables_map& values);

/// The spec with its memory at its best and at its worst (`low` and `high` of the configuration; typical
/// where there is but one of them). Nothing for a configuration that knows one memory only, or when --memory
/// or a
/// --set has chosen.
struct BandSpecs {
  isa::Spec low, high;
};
std::optional<BandSpecs> LoadBand(const SpecWithSource& loaded);

/// Random inputs that may be asked for.
inline constexpr size_t kMostSamples = 100'000;

/// Whether there is a device of that name; else prints the nearest. `or_host`: "host", which is none of them,
/// would do too.
bool CheckDevice(const std::string& name, bool or_host = false);

/// Adds --activation-bits, for networks of the zoo.
void AddActivationBits(boost::program_options::options_description& options);

/// What that says, 0 if nothing. Nothing after printing a mistake: no such width, a model from a file, or
/// lanes of `spec` that do not hold it.
std::optional<int> ActivationBitsIn(const boost::program_options::variables_map& values,
                                    const isa::Spec& spec);

/// Whether the zoo has a network of that name and arguments; else prints the nearest.
bool CheckNetwork(const std::string& name);

}  // namespace cosim::cli
