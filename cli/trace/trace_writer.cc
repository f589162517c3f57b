// SPDX-License-Identifier: Apache-2.0
#include "cli/trace/trace_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <perfetto.pb.h>

#include <algorithm>
#include <cmath>

#include "isa/check.h"

namespace cosim::cli {
namespace {

namespace pb = google::protobuf;
using perfetto::InternedData;
using perfetto::TracePacket;
using perfetto::TrackDescriptor;
using perfetto::TrackEvent;

constexpr uint32_t kSequence = 1;
constexpr int kProcessNumber = 1;
constexpr uint64_t kInstructionName = 1, kLayerName = 2;  ///< of details

/// Packets one behind the other are a Trace.
class Packets {
 public:
  explicit Packets(std::string* bytes) : sink_(bytes), stream_(&sink_) {}
  void Write(TracePacket& packet) {
    packet.set_trusted_packet_sequence_id(kSequence);
    stream_.WriteTag(perfetto::Trace::kPacketFieldNumber << 3 | 2);
    stream_.WriteVarint64(packet.ByteSizeLong());
    packet.SerializeWithCachedSizes(&stream_);
    packet.Clear();
  }

 private:
  pb::io::StringOutputStream sink_;
  pb::io::CodedOutputStream stream_;
};

void Intern(const std::vector<std::string>& texts, InternedData& data) {
  for (size_t i = 0; i < texts.size(); ++i) {
    auto* name = data.add_event_names();
    name->set_iid(i + 1);
    name->set_name(texts[i]);
    auto* value = data.add_debug_annotation_string_values();
    value->set_iid(i + 1);
    value->set_str(texts[i]);
  }
  for (const auto& [number, text] : {std::pair(kInstructionName, "instruction"), {kLayerName, "layer"}}) {
    auto* name = data.add_debug_annotation_names();
    name->set_iid(number);
    name->set_name(text);
  }
}

}  // namespace

struct TraceWriter::Event {
  enum class Kind : uint8_t { kEnd, kCount, kBegin } kind;
  uint64_t ns;
  size_t index;  ///< of slices_, or of counts_
};

TraceWriter::TraceWriter(std::string process) : process_(std::move(process)) {}

TraceWriter::Track TraceWriter::Add(TrackInfo info) {
  info.rank = static_cast<int>(std::ranges::count(tracks_, info.parent, &TrackInfo::parent));
  tracks_.push_back(std::move(info));
  return root() + tracks_.size();
}

TraceWriter::Track TraceWriter::AddTrack(const std::string& name, Track parent) {
  return Add({name, "", parent, false, 0});
}

TraceWriter::Track TraceWriter::AddCounter(const std::string& name, const std::string& unit, Track parent) {
  return Add({name, unit, parent, true, 0});
}

uint32_t TraceWriter::Interned(const std::string& text) {
  const auto [at, is_new] = text_numbers_.emplace(text, static_cast<uint32_t>(texts_.size() + 1));
  if (is_new) texts_.push_back(text);
  return at->second;
}

size_t TraceWriter::AddSlice(Track track, uint64_t begin, uint64_t end, uint32_t name,
                             const SliceDetails& details) {
  COSIM_CHECK(begin <= end);
  slices_.push_back({track, begin, end, name, details, {}, {}});
  return slices_.size() - 1;
}

void TraceWriter::AddFlow(size_t from, size_t to) {
  COSIM_CHECK(slices_[from].begin <= slices_[to].begin);
  slices_[from].flows.push_back(++flows_);
  slices_[to].ending_flows.push_back(flows_);
}

void TraceWriter::AddCount(Track track, uint64_t ns, double value) { counts_.push_back({track, ns, value}); }

std::vector<TraceWriter::Event> TraceWriter::EventsByTime() const {
  std::vector<Event> events;
  events.reserve(2 * slices_.size() + counts_.size());
  for (size_t i = 0; i < slices_.size(); ++i) {
    events.push_back({Event::Kind::kBegin, slices_[i].begin, i});
    events.push_back({Event::Kind::kEnd, slices_[i].end, i});
  }
  for (size_t i = 0; i < counts_.size(); ++i) events.push_back({Event::Kind::kCount, counts_[i].ns, i});
  std::ranges::stable_sort(events, {}, [](const Event& event) { return std::pair(event.ns, event.kind); });
  return events;
}

void TraceWriter::Describe(size_t i, perfetto::TrackDescriptor& descriptor) const {
  const TrackInfo& track = tracks_[i];
  descriptor.set_uuid(root() + 1 + i);
  descriptor.set_name(track.name);
  descriptor.set_parent_uuid(track.parent);
  descriptor.set_sibling_order_rank(track.rank);
  descriptor.set_child_ordering(TrackDescriptor::EXPLICIT);
  if (track.is_counter) descriptor.mutable_counter()->set_unit_name(track.unit);
}

void TraceWriter::Describe(const Event& at, TrackEvent& event) const {
  if (at.kind == Event::Kind::kCount) {
    const Count& count = counts_[at.index];
    event.set_type(TrackEvent::TYPE_COUNTER);
    event.set_track_uuid(count.track);
    if (count.value == std::floor(count.value)) {
      event.set_counter_value(static_cast<int64_t>(count.value));
    } else {
      event.set_double_counter_value(count.value);
    }
    return;
  }
  const Slice& slice = slices_[at.index];
  event.set_track_uuid(slice.track);
  event.set_type(at.kind == Event::Kind::kEnd ? TrackEvent::TYPE_SLICE_END : TrackEvent::TYPE_SLICE_BEGIN);
  if (at.kind == Event::Kind::kEnd) return;
  event.set_name_iid(slice.name);
  for (const uint64_t flow : slice.flows) event.add_flow_ids(flow);
  for (const uint64_t flow : slice.ending_flows) event.add_terminating_flow_ids(flow);
  if (slice.details.instruction < 0) return;
  auto* instruction = event.add_debug_annotations();
  instruction->set_name_iid(kInstructionName);
  instruction->set_uint_value(static_cast<uint64_t>(slice.details.instruction));
  auto* layer = event.add_debug_annotations();
  layer->set_name_iid(kLayerName);
  layer->set_string_value_iid(slice.details.layer);
}

std::string TraceWriter::Bytes() const {
  std::string bytes;
  {
    Packets packets(&bytes);
    TracePacket packet;
    packet.set_sequence_flags(TracePacket::SEQ_INCREMENTAL_STATE_CLEARED |
                              TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
    Intern(texts_, *packet.mutable_interned_data());
    TrackDescriptor* process = packet.mutable_track_descriptor();
    process->set_uuid(root());
    process->mutable_process()->set_pid(kProcessNumber);
    process->mutable_process()->set_process_name(process_);
    process->set_child_ordering(TrackDescriptor::EXPLICIT);
    packets.Write(packet);
    for (size_t i = 0; i < tracks_.size(); ++i) {
      Describe(i, *packet.mutable_track_descriptor());
      packets.Write(packet);
    }
    for (const Event& event : EventsByTime()) {
      packet.set_timestamp(event.ns);
      packet.set_sequence_flags(TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
      Describe(event, *packet.mutable_track_event());
      packets.Write(packet);
    }
  }  // the streams hand over what they hold
  return bytes;
}

}  // namespace cosim::cli
