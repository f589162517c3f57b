// SPDX-License-Identifier: Apache-2.0
// --tuned=FILE: schedules that `cosim tune` has found, for the verbs that compile.
#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/options.h"
#include "compiler/cpu/host_target.h"
#include "compiler/network/lower_group.h"
#include "compiler/tune/tuning_log.h"

namespace cosim::cli {

void AddTunedOption(boost::program_options::options_description& options);

/// What a log knows schedules of the network by, which is quantized to so many bits.
tune::LogKey TuningKey(const boost::program_options::variables_map& values, const isa::Spec& spec,
                       int activation_bits, int virtual_threads);

/// The schedules that --tuned asks for, and null without it. Nothing after printing a mistake: no log, or
/// none of this network on this hardware.
std::optional<std::shared_ptr<const network::TunedTiles>> TunedSchedules(
    const boost::program_options::variables_map& values, const isa::Spec& spec, int activation_bits,
    int virtual_threads);

/// The schedules of a processor that --tuned asks for, none without it. Nothing after printing a mistake: no
/// log, or none of this processor.
std::optional<schedules::ContractionSchedules> TunedHostSchedules(
    const boost::program_options::variables_map& values, const cpu::HostTarget& target);

/// Those that the log of --tuned has of a processor, none where it has none.
schedules::ContractionSchedules LoggedHostSchedules(const boost::program_options::variables_map& values,
                                                    const cpu::HostTarget& target);

/// For an experiment's fingerprint; empty without schedules.
std::string Identity(const std::shared_ptr<const network::TunedTiles>& tuned);

}  // namespace cosim::cli
