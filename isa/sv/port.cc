// SPDX-License-Identifier: Apache-2.0
#include "isa/sv/port.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "isa/sv/template.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kDeclarations = R"(
  logic [@requesters@-1:0]         req_valid, req_ready, beat_valid;
  logic [@requesters@*32-1:0]      req_addr;
  logic [@requesters@*LenBits-1:0] req_len;
  logic [cosim_pkg::Ports-1:0] beat_last, read_idle;
  logic [cosim_pkg::Ports*cosim_pkg::PortBits-1:0] beat_data;
  logic               write_idle;
  logic               unused_beats;  // fetch needs no last, where nothing reads nobody looks, a base is whole pages
  assign unused_beats = ^{beat_last, beat_data, base_i};
)";

constexpr std::string_view kReadPort = R"(
  // ---- Memory port @p@, read half. Requesters: @who@.
  read_port #(
    .Requesters(@count@), .PortBits(cosim_pkg::PortBits), .BurstBeats(cosim_pkg::BurstBeats),
    .Outstanding(cosim_pkg::Outstanding)
  ) i_read_port@suffix@ (
    .clk_i,
    .rst_ni,
    .req_valid_i (req_valid[@first@ +: @count@] & {@count@{~stop_i}}),
    .req_addr_i  (req_addr[@first@*32 +: @count@*32]),
    .req_len_i   (req_len[@first@*LenBits +: @count@*LenBits]),
    .base_i      (base_i[31:12]),
    .req_ready_o (req_ready[@first@ +: @count@]),
    .idle_o      (read_idle[@p@]),
    .beat_valid_o(beat_valid[@first@ +: @count@]),
    .beat_last_o (beat_last[@p@]),
    .beat_data_o (beat_data[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]),
    .ar_valid_o  (ar_valid_o[@p@]),
    .ar_ready_i  (ar_ready_i[@p@]),
    .ar_addr_o   (ar_addr_o[@p@*32 +: 32]),
    .ar_len_o    (ar_len_o[@p@*8 +: 8]),
    .r_valid_i   (r_valid_i[@p@]),
    .r_ready_o   (r_ready_o[@p@]),
    .r_data_i    (r_data_i[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]),
    .r_last_i    (r_last_i[@p@])
  );
)";

constexpr std::string_view kNoReadPort = R"(
  // ---- Memory port @p@: nothing reads.
  assign ar_valid_o[@p@]         = 1'b0;
  assign ar_addr_o[@p@*32 +: 32] = '0;
  assign ar_len_o[@p@*8 +: 8]    = '0;
  assign r_ready_o[@p@]          = 1'b1;
  assign read_idle[@p@]          = 1'b1;
  assign beat_last[@p@]          = r_last_i[@p@];
  assign beat_data[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]
      = r_data_i[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits];
  logic unused_read_@p@;
  assign unused_read_@p@ = ^{ar_ready_i[@p@], r_valid_i[@p@]};
)";

constexpr std::string_view kWriteDeclarations = R"(
  logic               write_valid, write_last, write_ready, write_response_last;
  logic [31:0]        write_addr;
  logic [LenBits-1:0] write_len;
)";

constexpr std::string_view kWritePort = R"(
  // ---- Memory port @p@, write half, of unit @u@.
  write_port #(.BurstBeats(cosim_pkg::BurstBeats), .Outstanding(cosim_pkg::Outstanding)) i_write_port@suffix@ (
    .clk_i,
    .rst_ni,
    .req_valid_i    (write_valid & ~stop_i),
    .req_addr_i     (write_addr),
    .req_len_i      (write_len),
    .req_last_i     (write_last),
    .base_i         (base_i[31:12]),
    .req_ready_o    (write_ready),
    .idle_o         (write_idle),
    .response_last_o(write_response_last),
    .aw_valid_o     (aw_valid_o[@p@]),
    .aw_ready_i     (aw_ready_i[@p@]),
    .aw_addr_o      (aw_addr_o[@p@*32 +: 32]),
    .aw_len_o       (aw_len_o[@p@*8 +: 8]),
    .b_valid_i      (b_valid_i[@p@]),
    .b_ready_o      (b_ready_o[@p@])
  );
)";

constexpr std::string_view kNoWritePort = R"(
  // ---- Memory port @p@: nothing writes.
  assign aw_valid_o[@p@]         = 1'b0;
  assign aw_addr_o[@p@*32 +: 32] = '0;
  assign aw_len_o[@p@*8 +: 8]    = '0;
  assign w_valid_o[@p@]          = 1'b0;
  assign w_data_o[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]     = '0;
  assign w_strb_o[@p@*cosim_pkg::PortBits/8 +: cosim_pkg::PortBits/8] = '0;
  assign w_last_o[@p@]           = 1'b0;
  assign b_ready_o[@p@]          = 1'b1;
  logic unused_write_@p@;
  assign unused_write_@p@ = ^{aw_ready_i[@p@], w_ready_i[@p@], b_valid_i[@p@]};
)";

/// Names of a port's requesters in the order of their turns.
std::string Requesters(const SvPlan& plan, int port) {
  std::string names = port == 0 ? "fetch" : "";
  for (const SvUnit& unit : plan.units) {
    if (unit.loads && unit.port == port) names += (names.empty() ? "" : ", ") + unit.name;
  }
  return names;
}

}  // namespace

SvPortText SvPorts(const SvPlan& plan) {
  SvPortText text;
  text.declarations = FillSvTemplate(kDeclarations, {{"requesters", std::to_string(plan.Requesters())}});
  const auto writer = std::ranges::find_if(plan.units, &SvUnit::stores);
  const bool writes = writer != plan.units.end();
  for (int port = 0; port < static_cast<int>(plan.readers.size()); ++port) {
    const SvReaders& readers = plan.readers[port];
    const bool written = writes && writer->port == port;
    const SvValues values = {{"p", std::to_string(port)},
                             {"suffix", port == 0 ? "" : fmt::format("_{}", port)},
                             {"first", std::to_string(readers.first)},
                             {"count", std::to_string(readers.count)},
                             {"who", Requesters(plan, port)},
                             {"u", written ? writer->name : ""}};
    text.body += FillSvTemplate(readers.count > 0 ? kReadPort : kNoReadPort, values);
    text.body += FillSvTemplate(written ? kWritePort : kNoWritePort, values);
  }
  if (writes) {
    text.declarations += kWriteDeclarations;
  } else {
    text.body += "  assign write_idle = 1'b1;\n";
  }
  return text;
}

}  // namespace cosim::isa
