// SPDX-License-Identifier: Apache-2.0
// Models from files at the command line: their inputs, and what is done with their outputs.
#pragma once

#include <boost/program_options.hpp>

#include "compiler/import/data/inputs.h"
#include "compiler/session/session.h"

namespace cosim::cli {

/// Adds --input, --shape, --mean, --scale, --layout, --output, --top and --labels.
void AddModelOptions(boost::program_options::options_description& options);

/// Adds --shape, --mean, --scale and --layout: of the above, what says how to read a model and its inputs.
void AddReadingOptions(boost::program_options::options_description& options);

/// Adds --shape alone.
void AddShapeOption(boost::program_options::options_description& options);

/// What those say; nothing after printing a mistake.
std::optional<import::Options> ImportOptionsIn(const boost::program_options::variables_map& values);
std::optional<import::InputOptions> InputOptionsIn(const boost::program_options::variables_map& values);

/// Whether every --shape named something of the model; prints the first that did not.
bool CheckShapes(const import::Model& model, const std::string& path);

/// The model of a file, its open dimensions bound by --shape; null after printing a mistake.
std::shared_ptr<const import::Model> ImportModel(const boost::program_options::variables_map& values,
                                                 const std::string& path);

/// The integer graph of a network or a model file, for a verb that only compiles; prints mistakes.
std::optional<graph::Graph> LoadGraph(const boost::program_options::variables_map& values,
                                      const isa::Spec& spec, const std::string& name, uint64_t seed);

/// Whether `run.network` is a network of the zoo; the model of a file is read with its inputs into `run`.
/// Prints mistakes, options for the other of the two among them.
bool LoadNetwork(const boost::program_options::variables_map& values, session::Options& run);

/// The inputs that --input gives for such places, in their order; empty without --input. Nothing after
/// printing a mistake.
std::optional<std::vector<graph::Tensor>> InputsFor(const boost::program_options::variables_map& values,
                                                    const std::vector<runtime::Place>& places);

/// Whether --output, --top and --labels can be done once there are outputs; prints mistakes.
bool CheckOutputOptions(const boost::program_options::variables_map& values);

/// Does what --output, --top and --labels ask for; prints mistakes.
bool WriteOutputs(const boost::program_options::variables_map& values, const session::Result& result);

}  // namespace cosim::cli
