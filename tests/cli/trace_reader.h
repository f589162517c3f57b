// SPDX-License-Identifier: Apache-2.0
// Reads traces in Perfetto's format by what its documentation says of protobuf's encoding and of the fields'
// numbers: by nothing that wrote them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cosim::cli::testing {

/// The fields of a message by number, in order: numbers, and bytes of strings and messages.
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const uint64_t key = Varint(bytes), number = key >> 3;
      switch (key & 7) {
        case 0:
          numbers_[number].push_back(Varint(bytes));
          break;
        case 1:
          numbers_[number].push_back(Fixed64(bytes));
          break;
        case 2:
          texts_[number].push_back(Taken(bytes, Varint(bytes)));
          break;
        default:
          ADD_FAILURE() << "wire type " << (key & 7);
          return;
      }
    }
  }
  bool Has(uint64_t number) const { return numbers_.count(number) + texts_.count(number) > 0; }
  uint64_t Number(uint64_t number) const {
    const auto at = numbers_.find(number);
    return at == numbers_.end() ? 0 : at->second.back();
  }
  double Double(uint64_t number) const {
    const uint64_t bits = Number(number);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::string Text(uint64_t number) const {
    const auto at = texts_.find(number);
    return at == texts_.end() ? "" : std::string(at->second.back());
  }
  Fields Message(uint64_t number) const {
    const auto at = texts_.find(number);
    return Fields(at == texts_.end() ? std::string_view() : at->second.back());
  }
  std::vector<uint64_t> Numbers(uint64_t number) const {
    const auto at = numbers_.find(number);
    return at == numbers_.end() ? std::vector<uint64_t>() : at->second;
  }
  std::vector<std::string_view> Messages(uint64_t number) const {
    const auto at = texts_.find(number);
    return at == texts_.end() ? std::vector<std::string_view>() : at->second;
  }

 private:
  static std::string_view Taken(std::string_view& bytes, uint64_t count) {
    if (count > bytes.size()) ADD_FAILURE() << "cut short", count = bytes.size();
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }
  static uint64_t Varint(std::string_view& bytes) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(Taken(bytes, 1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "a number without end";
    return value;
  }
  static uint64_t Fixed64(std::string_view& bytes) {
    uint64_t value = 0;
    const std::string_view taken = Taken(bytes, 8);
    for (size_t i = 0; i < taken.size(); ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(taken[i])) << 8 * i;
    return value;
  }

  std::map<uint64_t, std::vector<uint64_t>> numbers_;
  std::map<uint64_t, std::vector<std::string_view>> texts_;
};

struct TraceSlice {
  std::string name, layer;
  uint64_t begin = 0, end = 0;
  int64_t instruction = -1;
};

struct TraceTrack {
  std::string name;
  uint64_t parent = 0;
  bool is_counter = false;
  std::vector<TraceSlice> slices;  ///< in the order of their begins
  std::vector<std::pair<uint64_t, double>> counts;
  std::vector<size_t> open;  ///< slices, the innermost last
};

struct Trace {
  std::string process;
  std::map<uint64_t, TraceTrack> tracks;                             ///< by uuid
  std::map<uint64_t, std::vector<uint64_t>> flow_begins, flow_ends;  ///< by flow: when
  /// Tracks of a name; the process's own has none.
  std::vector<const TraceTrack*> Named(const std::string& name) const {
    std::vector<const TraceTrack*> found;
    for (const auto& [uuid, track] : tracks)
      if (track.name == name) found.push_back(&track);
    return found;
  }
};

/// Fails where a trace is not what the format asks for: packets by time, tracks described before their
/// events, texts interned before their use, slices that end, the innermost first.
inline Trace ReadTrace(const std::string& bytes) {
  Trace trace;
  std::map<uint64_t, std::string> event_names, detail_names, detail_texts;
  uint64_t last = 0;
  const Fields file(bytes);
  for (const std::string_view each : file.Messages(1)) {
    const Fields packet(each);
    EXPECT_EQ(packet.Number(10), 1u) << "the sequence";
    const Fields tables = packet.Message(12);
    for (const auto& [field, table] :
         {std::pair(2, &event_names), std::pair(3, &detail_names), std::pair(29, &detail_texts)})
      for (const std::string_view entry : tables.Messages(static_cast<uint64_t>(field)))
        (*table)[Fields(entry).Number(1)] = Fields(entry).Text(2);
    if (packet.Has(60)) {
      const Fields descriptor = packet.Message(60);
      if (descriptor.Has(3)) trace.process = descriptor.Message(3).Text(6);
      TraceTrack& track = trace.tracks[descriptor.Number(1)];
      track.name = descriptor.Text(2);
      track.parent = descriptor.Number(5);
      track.is_counter = descriptor.Has(8);
      EXPECT_TRUE(descriptor.Has(3) || trace.tracks.count(track.parent)) << track.name;
    }
    if (!packet.Has(11)) continue;
    const uint64_t now = packet.Number(8);
    EXPECT_GE(now, last);
    last = now;
    const Fields event = packet.Message(11);
    EXPECT_EQ(trace.tracks.count(event.Number(11)), 1u);
    TraceTrack& track = trace.tracks[event.Number(11)];
    for (const uint64_t flow : event.Numbers(47)) trace.flow_begins[flow].push_back(now);
    for (const uint64_t flow : event.Numbers(48)) trace.flow_ends[flow].push_back(now);
    if (event.Number(9) == 4) {
      EXPECT_TRUE(track.is_counter);
      track.counts.emplace_back(now,
                                event.Has(44) ? event.Double(44) : static_cast<double>(event.Number(30)));
    } else if (event.Number(9) == 1) {
      EXPECT_FALSE(track.is_counter);
      EXPECT_EQ(event_names.count(event.Number(10)), 1u);
      TraceSlice slice{event_names[event.Number(10)], "", now, 0, -1};
      for (const std::string_view detail : event.Messages(4)) {
        const Fields fields(detail);
        const std::string name = detail_names[fields.Number(1)];
        if (name == "instruction") slice.instruction = static_cast<int64_t>(fields.Number(3));
        if (name == "layer") slice.layer = detail_texts[fields.Number(17)];
      }
      track.open.push_back(track.slices.size());
      track.slices.push_back(slice);
    } else {
      EXPECT_EQ(event.Number(9), 2u);
      if (track.open.empty()) {
        ADD_FAILURE() << "an end without its begin";
        continue;
      }
      track.slices[track.open.back()].end = now;
      track.open.pop_back();
    }
  }
  for (const auto& [uuid, track] : trace.tracks) EXPECT_TRUE(track.open.empty()) << track.name;
  return trace;
}

}  // namespace cosim::cli::testing
