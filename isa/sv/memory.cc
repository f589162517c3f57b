// SPDX-License-Identifier: Apache-2.0
// Prints memories. A mirror is a copy that is written along with the original, so that reading it takes none
// of the original's ports: the low bits of each lane.
#include "isa/sv/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/check.h"
#include "isa/sv/template.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kMemory = R"(
  memory #(
    .Width(cosim_pkg::@M@Bits), .Depth(cosim_pkg::@M@Depth), .Banks(cosim_pkg::@M@Banks), .Readers(@readers@),
    .Writers(@writers@), .SliceBits(@slice_bits@),
    .BankRegister(@bank_register@)@copies@
  ) i_mem_@m@ (
    .clk_i,
    .rst_ni,
    .re_i   ({@re@}),
    .raddr_i({@raddr@}),
    .rdata_o({@rdata@}),
    .we_i   ({@we@}),
    .wslices_i({@wslices@}),
    .waddr_i({@waddr@}),
    .wdata_i({@wdata@})
  );
)";

std::string MemoryConstant(const Spec& spec, int memory) {
  return "Mem" + SvConstantName(spec.memories[memory].name);
}

/// Turns the writes to the original into those to its mirror.
void Mirror(const Spec& spec, int index, std::vector<SvAccess>& writes, SvMemoryText& text) {
  const Memory& mirror = spec.memories[index];
  const Memory& original = spec.memories[mirror.mirrors];
  for (size_t w = 0; w < writes.size(); ++w) {
    const std::string whole = fmt::format("unused_{}_whole{}", mirror.name, w),
                      low = fmt::format("{}_low{}", mirror.name, w);
    fmt::format_to(std::back_inserter(text.declarations),
                   "  logic [cosim_pkg::{}Bits-1:0] {};\n  logic [cosim_pkg::{}Bits-1:0] {};\n",
                   MemoryConstant(spec, mirror.mirrors), whole, MemoryConstant(spec, index), low);
    fmt::format_to(std::back_inserter(text.body), "  assign {} = {};\n", whole, writes[w].data);
    for (int64_t lane = 0; lane < mirror.LaneCount(); ++lane) {
      fmt::format_to(std::back_inserter(text.body), "  assign {}[{} +: {}] = {}[{} +: {}];\n", low,
                     lane * mirror.record_bits, mirror.record_bits, whole, lane * original.record_bits,
                     mirror.record_bits);
    }
    writes[w].data = low;
    if (!writes[w].slices.empty()) writes[w].slice_bits = mirror.record_bits;  // they are lanes
  }
}

/// Parts have enables of their own only where somebody writes some of them: all who do, parts of one size,
/// which is returned.
int64_t EnableSlices(const Memory& memory, std::vector<SvAccess>& writes) {
  const auto partial = std::ranges::find_if(writes, [](auto& write) { return !write.slices.empty(); });
  const int64_t slice_bits = partial == writes.end() ? memory.element_bits : partial->slice_bits;
  const int64_t slices = (memory.element_bits + slice_bits - 1) / slice_bits;
  for (SvAccess& write : writes) {
    COSIM_CHECK(write.slices.empty() || write.slice_bits == slice_bits);
    if (write.slices.empty()) write.slices = fmt::format("{{{}{{1'b1}}}}", slices);
  }
  return slice_bits;
}

/// The parameters that say how often the memory is there, and which of them each reader reads.
std::string Copies(int copies, const std::vector<SvAccess>& readers) {
  std::vector<std::string> read;
  for (const SvAccess& reader : readers) read.push_back(fmt::format("32'd{}", reader.copy));
  return fmt::format(", .Copies({}), .ReaderCopy({{{}}})", copies, SvConcatenation(read));
}

}  // namespace

SvMemoryText SvMemory(const Spec& spec, int index, const std::vector<SvAccess>& reads,
                      std::vector<SvAccess> writes, int copies) {
  SvMemoryText text;
  const Memory& memory = spec.memories[index];
  if (memory.mirrors >= 0) Mirror(spec, index, writes, text);
  if (writes.empty()) return text;
  const std::string constant = MemoryConstant(spec, index);
  const int64_t slice_bits = EnableSlices(memory, writes);
  auto list = [](const std::vector<SvAccess>& accesses, std::string SvAccess::* part) {
    std::vector<std::string> items;
    for (const SvAccess& access : accesses) items.push_back(access.*part);
    return SvConcatenation(items);
  };
  std::vector<SvAccess> readers = reads;
  if (readers.empty()) {
    const std::string unused = fmt::format("unused_{}_data", memory.name);
    text.declarations += fmt::format("  logic [cosim_pkg::{}Bits-1:0] {};\n", constant, unused);
    readers.push_back({index, "1'b0", fmt::format("cosim_pkg::{}AddrBits'(0)", constant), unused, ""});
  }
  text.body += FillSvTemplate(kMemory, {{"m", memory.name},
                                        {"M", constant},
                                        {"readers", std::to_string(readers.size())},
                                        {"writers", std::to_string(writes.size())},
                                        {"slice_bits", std::to_string(slice_bits)},
                                        {"bank_register", memory.is_micro_ops ? "1'b0" : "1'b1"},
                                        {"copies", copies > 1 ? Copies(copies, readers) : ""},
                                        {"re", list(readers, &SvAccess::enable)},
                                        {"raddr", list(readers, &SvAccess::addr)},
                                        {"rdata", list(readers, &SvAccess::data)},
                                        {"we", list(writes, &SvAccess::enable)},
                                        {"wslices", list(writes, &SvAccess::slices)},
                                        {"waddr", list(writes, &SvAccess::addr)},
                                        {"wdata", list(writes, &SvAccess::data)}});
  return text;
}

}  // namespace cosim::isa
