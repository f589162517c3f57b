// SPDX-License-Identifier: Apache-2.0
// See capabilities.h. Records of parameters in channel_record.cc.
#include "compiler/accel/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace cosim::accel {
namespace {

bool Has(const isa::Operand& operand, int axis) { return std::ranges::count(operand.axes, axis) > 0; }

// What keeps a matching instruction from the form above, if anything does.
std::string ReadIntrinsic(const isa::Intrinsic& intrinsic, Contraction& out) {
  const std::string form = "acc[b, o] += inp[b, k] * wgt[o, k]";
  if (intrinsic.dst.axes.size() != 2 || intrinsic.sources.size() != 2)
    return fmt::format("computes {}, not {}", intrinsic.text, form);
  const int b = intrinsic.dst.axes[0], o = intrinsic.dst.axes[1];
  const isa::Operand *x = nullptr, *w = nullptr;
  for (const isa::Operand& source : intrinsic.sources) {
    if (source.axes.size() != 2) return fmt::format("computes {}, not {}", intrinsic.text, form);
    if (Has(source, b) && !Has(source, o)) x = &source;
    if (Has(source, o) && !Has(source, b)) w = &source;
  }
  if (!x || !w || x->memory == w->memory || x->memory == intrinsic.dst.memory ||
      w->memory == intrinsic.dst.memory)
    return fmt::format("computes {}, not {}", intrinsic.text, form);
  const int k = x->axes[1];
  if (x->axes[0] != b || !Has(*w, k))
    return fmt::format("computes {}: rows of activations have to come first, as in {}", intrinsic.text, form);
  out.accumulators = intrinsic.dst.memory;
  out.activations = x->memory;
  out.weights = w->memory;
  out.weights_by_input = w->axes[0] == k;
  out.batch = intrinsic.axes[b].extent;
  out.block_out = intrinsic.axes[o].extent;
  out.block_in = intrinsic.axes[k].extent;
  return {};
}

std::string MissingIndex(const isa::Spec& spec, const isa::InstructionFormat& format,
                         const std::vector<const isa::Operand*>& operands) {
  const isa::Memory& micro_ops = spec.memories[format.micro_ops];
  for (const isa::Operand* operand : operands)
    if (std::ranges::find(micro_ops.fields, operand->index, &isa::Field::name) == micro_ops.fields.end())
      return fmt::format("micro-ops of '{}' have no field '{}'", micro_ops.name, operand->index);
  return {};
}

}  // namespace

std::string Misfit(const isa::Spec& spec, const isa::InstructionFormat& format) {
  const isa::Unit& unit = spec.units[format.unit];
  if (format.kind == isa::Kind::kAlu && unit.overlap)
    return fmt::format(
        "unit '{}' may start an instruction before the one before has retired (overlap), and no queue orders "
        "its own",
        unit.name);
  if (FindTransfer(spec, format.micro_ops, false) < 0)
    return fmt::format("no instruction loads '{}', its micro-ops", spec.memories[format.micro_ops].name);
  if (!format.intrinsic) return {};
  if (format.FieldIndex("overwrite") < 0 && format.FieldIndex("reset") < 0)
    return "it has neither a field 'overwrite' nor 'reset' to start a sum with";
  std::vector<const isa::Operand*> operands = {&format.intrinsic->dst};
  for (const isa::Operand& source : format.intrinsic->sources) operands.push_back(&source);
  return MissingIndex(spec, format, operands);
}

std::string Misfit(const isa::Spec& spec, const isa::AluOp& op) {
  if (!op.available) return op.unavailable;
  const isa::InstructionFormat& format = spec.formats[op.format];
  if (std::string why = Misfit(spec, format); !why.empty())
    return fmt::format("instruction '{}': {}", format.name, why);
  std::vector<const isa::Operand*> operands = {&op.result};
  for (const isa::Operand& operand : op.operands) operands.push_back(&operand);
  return MissingIndex(spec, format, operands);
}

Contraction FindContraction(const isa::Spec& spec, std::string& why) {
  Contraction best;
  std::string first_misfit;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (!format.intrinsic) continue;
    Contraction found;
    std::string misfit = ReadIntrinsic(*format.intrinsic, found);
    if (misfit.empty()) misfit = Misfit(spec, format);
    for (const int memory : {found.activations, found.weights})
      if (misfit.empty() && FindTransfer(spec, memory, false) < 0)
        misfit = fmt::format("no instruction loads '{}'", spec.memories[memory].name);
    if (!misfit.empty()) {
      if (first_misfit.empty()) first_misfit = fmt::format("instruction '{}': {}", format.name, misfit);
      continue;
    }
    found.format = static_cast<int>(f);
    const auto products = [](const Contraction& c) { return c.batch * c.block_in * c.block_out; };
    if (best.format < 0 || products(found) > products(best)) best = found;
  }
  if (best.format < 0)
    why = !first_misfit.empty() ? first_misfit
                                : "the ISA has no instruction acc[b, o] += inp[b, k] * wgt[o, k]";
  return best;
}

int FindTransfer(const isa::Spec& spec, int memory, bool is_store, int lane_bits) {
  const auto most = [](const isa::InstructionFormat& format, const char* field) {
    const int index = format.FieldIndex(field);
    return index < 0 ? int64_t{0} : format.fields[index].type.Max();
  };
  const auto worth = [&](const isa::InstructionFormat& format) {
    int64_t padding = 0;
    for (const char* side : {"pad_top", "pad_bottom", "pad_left", "pad_right"}) padding += most(format, side);
    return std::tuple(format.FieldIndex("pad_value") >= 0, padding, most(format, "cols"),
                      most(format, "rows"));
  };
  int best = -1;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (format.kind != (is_store ? isa::Kind::kStore : isa::Kind::kLoad) || format.Gathers()) continue;
    const isa::Memory& moved = spec.memories[format.memory];
    if (format.memory != memory && !(is_store && moved.mirrors == memory)) continue;
    if (lane_bits != 0 && moved.fields[0].type.width != lane_bits) continue;
    if (best < 0 || worth(format) > worth(spec.formats[best])) best = static_cast<int>(f);
  }
  return best;
}

int FindGather(const isa::Spec& spec, int memory) {
  const auto longest = [](const isa::InstructionFormat& format) {
    return format.fields[format.FieldIndex("piece_step")].type.Max();
  };
  int best = -1;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (format.kind != isa::Kind::kLoad || format.memory != memory || !format.Gathers()) continue;
    if (best < 0 || longest(format) > longest(spec.formats[best])) best = static_cast<int>(f);
  }
  return best;
}

}  // namespace cosim::accel
