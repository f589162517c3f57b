// SPDX-License-Identifier: Apache-2.0
// Writes traces in Perfetto's protobuf format (perfetto.proto). Knows tracks, slices, counters and flows;
// what they mean is cli/trace/network_trace.h's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cosim::perfetto {
class TrackDescriptor;
class TrackEvent;
}  // namespace cosim::perfetto

namespace cosim::cli {

/// What a slice carries along: its instruction and the layer that it is of.
struct SliceDetails {
  int64_t instruction = -1;  ///< -1: none of the two
  uint32_t layer = 0;        ///< of TraceWriter::Interned
};

/// Takes events in any order and writes them by time; of one time, ends come before counters and those before
/// begins.
class TraceWriter {
 public:
  using Track = uint64_t;

  /// `process` stands over all tracks.
  explicit TraceWriter(std::string process);

  Track root() const { return 1; }
  /// Tracks stand below `parent` in the order in which they are added.
  Track AddTrack(const std::string& name, Track parent);
  Track AddCounter(const std::string& name, const std::string& unit, Track parent);
  /// The number of a text that many slices share.
  uint32_t Interned(const std::string& text);

  /// A slice of [begin, end) ns; slices of one track do not overlap. The number that Flow() takes.
  size_t AddSlice(Track track, uint64_t begin, uint64_t end, uint32_t name, const SliceDetails& details = {});
  /// An arrow from one slice to a later one.
  void AddFlow(size_t from, size_t to);
  void AddCount(Track track, uint64_t ns, double value);

  /// The file's bytes.
  std::string Bytes() const;

 private:
  struct TrackInfo {
    std::string name, unit;
    Track parent;
    bool is_counter;
    int rank;
  };
  struct Slice {
    Track track;
    uint64_t begin, end;
    uint32_t name;
    SliceDetails details;
    std::vector<uint64_t> flows, ending_flows;
  };
  struct Count {
    Track track;
    uint64_t ns;
    double value;
  };
  struct Event;
  std::vector<Event> EventsByTime() const;
  Track Add(TrackInfo info);
  void Describe(size_t track, perfetto::TrackDescriptor& descriptor) const;
  void Describe(const Event& at, perfetto::TrackEvent& event) const;

  std::string process_;
  std::vector<TrackInfo> tracks_;  ///< number 2 and on
  std::vector<std::string> texts_;
  std::map<std::string, uint32_t> text_numbers_;
  std::vector<Slice> slices_;
  std::vector<Count> counts_;
  uint64_t flows_ = 0;
};

}  // namespace cosim::cli
