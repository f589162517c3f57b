// SPDX-License-Identifier: Apache-2.0
#include "driver/bitstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/diagnostic_codes.h"

namespace cosim::driver {
namespace {

constexpr size_t kWordBytes = 4;
/// Where a configuration begins, behind dummy words.
constexpr std::array<uint8_t, 4> kSync = {0xAA, 0x99, 0x55, 0x66}, kSwappedSync = {0x66, 0x55, 0x99, 0xAA};
constexpr std::array<uint8_t, 4> kNothing = {0x20, 0x00, 0x00, 0x00};  // a packet
constexpr size_t kSyncWithin = 4096;
/// A field of a fixed pattern, then the tag of the first field.
constexpr std::array<uint8_t, 14> kBitHeader = {0x00, 0x09, 0x0F, 0xF0, 0x0F, 0xF0, 0x0F,
                                                0xF0, 0x0F, 0xF0, 0x00, 0x00, 0x01, 'a'};

bool HasWord(std::span<const uint8_t> bytes, const std::array<uint8_t, 4>& word) {
  for (size_t at = 0; at + kWordBytes <= std::min(bytes.size(), kSyncWithin); at += kWordBytes)
    if (std::ranges::equal(bytes.subspan(at, kWordBytes), word)) return true;
  return false;
}

/// The fields of a .bit, one after the other; once something is missing, nothing more is given.
class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : left_(bytes) {}

  std::span<const uint8_t> Take(uint64_t count) {
    if (!whole_ || count > left_.size()) return whole_ = false, std::span<const uint8_t>();
    const auto taken = left_.first(static_cast<size_t>(count));
    left_ = left_.subspan(static_cast<size_t>(count));
    return taken;
  }
  uint64_t Number(size_t bytes) {
    uint64_t value = 0;
    for (const uint8_t byte : Take(bytes)) value = value << 8 | byte;
    return value;
  }
  void Tag(char tag) { whole_ = Number(1) == static_cast<uint8_t>(tag) && whole_; }
  /// With its length before it, and a zero at its end.
  std::string Text() {
    const auto bytes = Take(Number(2));
    std::string text(bytes.begin(), bytes.end());
    return text.substr(0, text.find('\0'));
  }
  bool whole() const { return whole_; }

 private:
  std::span<const uint8_t> left_;
  bool whole_ = true;
};

std::optional<Bitstream> ReadBit(std::span<const uint8_t> bytes, size_t alignment, const std::string& path,
                                 Diagnostics& diags) {
  BitReader reader(bytes.subspan(kBitHeader.size()));
  Bitstream bitstream;
  bitstream.design = reader.Text();
  reader.Tag('b');
  bitstream.part = reader.Text();
  reader.Tag('c');
  bitstream.date = reader.Text();
  reader.Tag('d');
  bitstream.time = reader.Text();
  reader.Tag('e');
  const auto configuration = reader.Take(reader.Number(4));
  if (!reader.whole() || configuration.size() % kWordBytes != 0) {
    diags.Error(codes::kBadBitstream, {path}, "the bitstream is cut off or damaged").hint =
        "copy it again, or write it again by Vivado's write_bitstream";
    return std::nullopt;
  }
  if (!HasWord(configuration, kSync)) {
    diags.Error(codes::kBadBitstream, {path}, "the bitstream has no sync word: it configures nothing");
    return std::nullopt;
  }
  bitstream.bin = BinOf(configuration, alignment);
  return bitstream;
}

}  // namespace

std::vector<uint8_t> BinOf(std::span<const uint8_t> configuration, size_t alignment) {
  std::vector<uint8_t> bin((configuration.size() + alignment - 1) / alignment * alignment);
  std::ranges::copy(configuration, bin.begin());
  for (size_t at = configuration.size(); at < bin.size(); ++at) bin[at] = kNothing[at % kWordBytes];
  for (size_t at = 0; at < bin.size(); at += kWordBytes)
    std::reverse(bin.begin() + static_cast<int64_t>(at), bin.begin() + static_cast<int64_t>(at + kWordBytes));
  return bin;
}

std::optional<Bitstream> ReadBitstream(std::span<const uint8_t> bytes, size_t alignment,
                                       const std::string& path, Diagnostics& diags) {
  if (bytes.size() >= kBitHeader.size() && std::ranges::equal(bytes.first(kBitHeader.size()), kBitHeader))
    return ReadBit(bytes, alignment, path, diags);
  if (HasWord(bytes, kSwappedSync) && bytes.size() % kWordBytes == 0) {
    Bitstream bitstream;
    bitstream.bin.assign(bytes.begin(), bytes.end());
    return bitstream;
  }
  const bool is_raw = HasWord(bytes, kSync);
  diags
      .Error(codes::kBadBitstream, {path},
             is_raw ? "the words of the .bin are not swapped, and the FPGA manager would refuse it"
                    : "neither a .bit of Vivado nor a .bin for the FPGA manager")
      .hint = is_raw ? "give the .bit instead" : "";
  return std::nullopt;
}

}  // namespace cosim::driver
