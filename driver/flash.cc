// SPDX-License-Identifier: Apache-2.0
#include "driver/flash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "driver/bitstream.h"
#include "driver/dfx_manager.h"
#include "driver/diagnostic_codes.h"
#include "driver/hardware_check.h"
#include "driver/open_board.h"
#include "driver/uio.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostBytes = 64 << 20;

std::optional<std::string> ReadFile(const fs::path& file, Diagnostics& diags) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(file, error) && fs::file_size(file, error) <= kMostBytes;
  std::ifstream stream;
  if (is_file) stream.open(file, std::ios::binary);
  if (stream.is_open())
    return std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  diags.Error(codes::kBadBitstream, {file.string()}, "cannot be read, or is no file of at most 64 MiB");
  return std::nullopt;
}

std::vector<fs::path> WithExtension(const fs::path& folder, const char* extension) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  return found;
}

bool IsFor(const Bitstream& bitstream, const isa::BoardFacts& board, const std::string& path,
           Diagnostics& diags) {
  std::string part = bitstream.part;
  std::ranges::transform(part, part.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (part.empty() || part.find(board.device) != std::string::npos) return true;
  diags
      .Error(codes::kOtherPart, {path},
             fmt::format("the bitstream is for part {}, and {} has {}", bitstream.part, board.name,
                         board.device))
      .hint = "--board names another board, or Vivado was run for another part";
  return false;
}

/// The registers, once the kernel has made their device; what they say.
std::optional<std::string> ReadBack(const isa::Spec& spec, const FlashOptions& options, Diagnostics& diags) {
  options.patience.For([&] {
    Diagnostics ignored;
    return FindUio(options.root, kUioName, ignored).has_value();
  });
  const auto node = FindUio(options.root, kUioName, diags);
  if (!node) return std::nullopt;
  const auto registers = UioRegisters::Open(*node, diags);
  if (!registers) return std::nullopt;
  const HardwareIdentity identity = ReadIdentity(*registers);
  const std::string differs = DiffersFrom(identity, spec.fingerprint);
  if (differs.empty())
    return fmt::format("{}, version {:#010x}, spec {:016x}", node->device, identity.version,
                       identity.fingerprint);
  diags.Error(codes::kOtherHardware, {}, differs).hint =
      "the bitstream is not of this configuration: --config names the one that it was made of";
  return std::nullopt;
}

/// Sets `dfx_client` if dfx-mgr is to load. What sysfs lacks, Configure reports.
bool ChooseManager(const FlashOptions& options, const isa::BoardFacts& board,
                   std::optional<fs::path>& dfx_client, Diagnostics& diags) {
  if (options.manager == Manager::kSysfs) return true;
  const bool is_asked = options.manager == Manager::kDfxMgr;
  if (is_asked && !board.has_dfx) {
    diags
        .Error(codes::kNoManager, {},
               fmt::format("dfx-mgr does not load packages on {}, a Zynq-7000", board.name))
        .hint = "--manager=sysfs";
    return false;
  }
  if (board.has_dfx && (is_asked || !HasManager(options.root))) dfx_client = FindDfxClient(options.root);
  if (!is_asked || dfx_client) return true;
  diags.Error(codes::kNoManager, {}, "there is no dfx-mgr-client in /usr/bin").hint =
      "the package dfx-mgr of the board's image has it; --manager=sysfs asks the kernel itself";
  return false;
}

}  // namespace

std::optional<FlashFiles> FindFlashFiles(const fs::path& path, Diagnostics& diags) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return FlashFiles{path, {}};
  std::vector<fs::path> bitstreams = WithExtension(path, ".bit");
  if (bitstreams.empty()) bitstreams = WithExtension(path, ".bin");
  const std::vector<fs::path> overlays = WithExtension(path, ".dtbo");
  if (bitstreams.size() == 1 && overlays.size() <= 1)
    return FlashFiles{bitstreams[0], overlays.empty() ? fs::path() : overlays[0]};
  diags
      .Error(codes::kBadBitstream, {path.string()},
             fmt::format("the folder has {} bitstreams and {} overlays (.dtbo)", bitstreams.size(),
                         overlays.size()))
      .hint = "it has to have one .bit, or else one .bin, and at most one overlay";
  return std::nullopt;
}

std::optional<Manager> ManagerNamed(const std::string& name) {
  if (name.empty()) return Manager::kThere;
  if (name == "sysfs") return Manager::kSysfs;
  return name == "dfx-mgr" ? std::optional(Manager::kDfxMgr) : std::nullopt;
}

bool Flash(const FlashFiles& files, const isa::BoardFacts& board, const isa::Spec& spec,
           const FlashOptions& options, Diagnostics& diags) {
  const auto say = [&](const char* step, const std::optional<std::string>& done) {
    if (done && options.said) options.said(step, *done);
    return done.has_value();
  };
  const auto bytes = ReadFile(files.bitstream, diags);
  if (!bytes) return false;
  const std::string path = files.bitstream.string();
  const auto bitstream = ReadBitstream({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                       board.bin_alignment, path, diags);
  if (!bitstream || !IsFor(*bitstream, board, path, diags)) return false;
  std::optional<std::string> overlay;
  if (!files.overlay.empty()) {
    overlay = ReadFile(files.overlay, diags);
    if (!overlay) return false;
  }
  const fs::path& root = options.root;
  std::optional<fs::path> dfx_client;
  if (!ChooseManager(options, board, dfx_client, diags)) return false;
  if (dfx_client && !SuitsDfx(overlay, diags)) return false;
  say("bitstream", bitstream->part.empty() ? fmt::format("{}, a .bin, which does not name its part", path)
                                           : fmt::format("{}, {} for {}, {} {}", path, bitstream->design,
                                                         bitstream->part, bitstream->date, bitstream->time));
  const auto load = [&] {
    if (dfx_client)
      return say("package", WriteDfxPackage(root, bitstream->bin, *overlay, diags)) &&
             say("old overlay", RemoveOverlay(root, diags)) &&
             say("old logic", UnloadByDfx(*dfx_client, diags)) &&
             say("logic", LoadByDfx(root, *dfx_client, options.patience, diags));
    return (!overlay || say("old overlay", RemoveOverlay(root, diags))) &&
           say("logic", Configure(root, bitstream->bin, diags));
  };
  return load() && say("memory ports", SetPortWidths(root, board, spec.ports, spec.dram.port_bits, diags)) &&
         say("clock", SetClock(root, board.ProcessorMhz(spec.clock_mhz), diags)) &&
         (!overlay || dfx_client || say("overlay", ApplyOverlay(root, *overlay, options.patience, diags))) &&
         say("registers", ReadBack(spec, options, diags));
}

}  // namespace cosim::driver
