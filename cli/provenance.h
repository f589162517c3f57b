// SPDX-License-Identifier: Apache-2.0
// What a report says of itself: the files it came from, with digests, and how far the memory may move it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/options.h"
#include "compiler/session/origin.h"
#include "compiler/session/session.h"

namespace cosim::cli {

/// Fills in origin; if the run was timed, the evidence for its clock, with a warning when something was
/// routed below it, and the band if the configuration has one. False, and `error` set, when the programs get
/// stuck behind another memory.
bool Describe(const SpecWithSource& loaded, const session::ExperimentKey& key, session::Result& result,
              std::string& error);

/// Stands for MODEL in the experiment's fingerprint: a network's name; of a file the digest of its bytes and
/// every --shape, which moves its cycles.
std::string NetworkIdentity(const boost::program_options::variables_map& values);

/// Of what was loaded. Without a key there is no network, and no fingerprint of an experiment.
session::Origin OriginFor(const SpecWithSource& loaded, const session::ExperimentKey& key = {});

/// Two lines: files and overrides, fingerprints.
std::string OriginLines(const session::Origin& origin);
nlohmann::ordered_json OriginJson(const session::Origin& origin);

/// ", 73.51 to 80.97 by its memory" behind the milliseconds of a total; "" when there is no band.
std::string BandText(const session::Result& result, const isa::Spec& spec);
/// ", 74.10 to 81.56 by its memory" behind a frame's milliseconds: the host's time is the same in all
/// settings.
std::string FrameBandText(const session::Result& result, const isa::Spec& spec);
/// The setting, and the band in cycles and in milliseconds if there is one.
nlohmann::ordered_json MemoryJson(const session::Result& result, const isa::Spec& spec);

}  // namespace cosim::cli
