// SPDX-License-Identifier: Apache-2.0
// The reference's side of memory: how transfers are cut into bursts, the two ports, and DRAM.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/sim/cycle/testing/reference_model.h"

namespace cosim::sim::testing {
namespace {

uint64_t Mix(uint64_t seed, uint64_t number) {
  uint64_t x = seed + (number + 1) * 0x9E3779B97F4A7C15ull;
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace

/// The beats of each burst of the program's words.
void ReferenceModel::CutFetch() {
  const int64_t beat = spec_.dram.port_bits / 8, word = spec_.word_bits / 8;
  const int64_t limit =
      std::max<int64_t>(1, std::min<int64_t>(spec_.dram.burst_beats, spec_.fetch_words / 2 * word / beat));
  const int64_t bytes = static_cast<int64_t>(program_.size()) * word;
  int beats = 0;
  for (int64_t at = 0; at < bytes; at += beat) {
    const bool page_starts = (static_cast<int64_t>(code_address_) + at) % 4096 == 0;
    if (beats > 0 && (beats == limit || page_starts)) {
      fetch_requests_.push_back(beats);
      beats = 0;
    }
    ++beats;
  }
  if (beats > 0) fetch_requests_.push_back(beats);
}

/// For each row the bursts, each as the number of elements that end in each of its beats; of gathers the
/// elements are single bytes.
std::vector<std::vector<int>> ReferenceModel::RowBursts(const isa::Transfer& transfer) const {
  const int64_t beat = spec_.dram.port_bits / 8;
  const int64_t stored =
      transfer.gathers ? 1 : spec_.memories[static_cast<size_t>(transfer.memory)].stored_bytes;
  std::vector<std::vector<int>> bursts;
  for (int64_t row = 0; row < transfer.rows; ++row) {
    const int64_t begin = static_cast<int64_t>(transfer.dram) + row * transfer.stride * stored;
    int64_t end = begin + transfer.cols * stored;
    if (transfer.gathers && transfer.cols > 0)
      end = begin + (transfer.cols - 1) * transfer.piece_step + transfer.piece_bytes;
    std::vector<int> burst;
    for (int64_t at = begin / beat * beat; begin < end && at < end; at += beat) {
      if (!burst.empty() && (static_cast<int>(burst.size()) == spec_.dram.burst_beats || at % 4096 == 0)) {
        bursts.push_back(burst);
        burst.clear();
      }
      int ends = 0;
      for (int64_t byte = std::max(at, begin); byte < std::min(at + beat, end); ++byte) {
        if ((byte - begin + 1) % stored == 0) ++ends;
      }
      burst.push_back(ends);
    }
    if (!burst.empty()) bursts.push_back(burst);
    bursts.push_back({});  // end of the row
  }
  return bursts;
}

bool ReferenceModel::Requests(int u, int port, bool reads) const {
  const UnitModel& unit = units_[static_cast<size_t>(u)];
  return unit.presented && unit.requests_are_reads == reads &&
         spec_.units[static_cast<size_t>(u)].port == port;
}

/// The DRAM moves the beats of a burst, byte by byte, when it has moved all before and `ready` cycles and
/// bytes are over: the first cycle that does not begin with any of them to come.
ReferenceModel::Cycle ReferenceModel::DramEnd(std::pair<Cycle, double> ready, int beats) {
  dram_taken_ = std::max(dram_taken_, ready);
  dram_taken_.second += beats * (spec_.dram.port_bits / 8.0);
  while (dram_taken_.second >= spec_.dram.dram_bytes) {
    ++dram_taken_.first;
    dram_taken_.second -= spec_.dram.dram_bytes;
  }
  return dram_taken_.first + (dram_taken_.second > 0 ? 1 : 0);
}

void ReferenceModel::ArbitrateReads(int p) {
  PortModel& port = ports_[static_cast<size_t>(p)];
  if (port.reads_outstanding >= spec_.dram.outstanding) return;
  const int requesters = static_cast<int>(units_.size()) + 1;
  for (int step = 1; step <= requesters; ++step) {
    const int r = (port.read_turn + step) % requesters;
    if (r == 0 ? p != 0 || !fetch_presented_ : !Requests(r - 1, p, true)) continue;
    Cycle latency = spec_.dram.latency;
    if (spec_.dram.jitter > 0) {
      latency += static_cast<Cycle>(Mix(spec_.dram.seed + static_cast<uint64_t>(p), port.reads) %
                                    static_cast<uint64_t>(spec_.dram.jitter + 1));
    }
    std::deque<int>& requests = r == 0 ? fetch_requests_ : units_[static_cast<size_t>(r - 1)].requests;
    const int beats = requests.front();
    Cycle ready = now_ + latency;
    if (spec_.dram.dram_bytes > 0) {
      // The last beat is there when the DRAM has moved it and the latency is over; the others right before.
      const Cycle read = DramEnd({now_, 0}, beats);
      ready = std::max(ready, read - 1 + latency - (beats - 1));
    }
    counters_.dram_read_bytes +=
        static_cast<uint64_t>(beats) * static_cast<uint64_t>(spec_.dram.port_bits / 8);
    port.reading.push_back({r, beats, true, ready});
    ++port.reads;
    ++port.reads_outstanding;
    port.read_turn = r;
    for (int u = 0; u < requesters - 1; ++u) {
      if (u + 1 != r && Requests(u, p, true)) units_[static_cast<size_t>(u)].lost_turn = true;
    }
    Happens([this, r] {
      if (r == 0) {
        fetch_requests_.pop_front();
        fetch_presented_ = false;
      } else {
        units_[static_cast<size_t>(r - 1)].requests.pop_front();
        units_[static_cast<size_t>(r - 1)].presented = false;
      }
    });
    return;
  }
}

void ReferenceModel::DeliverBeat(PortModel& port) {
  if (port.reading.empty() || now_ < port.reading.front().ready) return;
  ReadBurst& burst = port.reading.front();
  const int r = burst.requester;
  const bool first = std::exchange(burst.first, false);
  if (r == 0) {
    Happens([this] { ++fetch_beats_arrived_; });
  } else {
    Happens([this, r, first] {
      std::deque<int>& arrived = units_[static_cast<size_t>(r - 1)].arrived;
      if (first) arrived.push_back(0);
      ++arrived.back();
    });
  }
  if (--burst.beats_left == 0) {
    port.reading.pop_front();
    Happens([&port] { --port.reads_outstanding; });
  }
}

void ReferenceModel::ArbitrateWrites(int p) {
  PortModel& port = ports_[static_cast<size_t>(p)];
  if (port.writes_outstanding >= spec_.dram.outstanding) return;
  const int requesters = static_cast<int>(units_.size());
  for (int step = 1; step <= requesters; ++step) {
    const int u = (port.write_turn + step) % requesters;
    if (!Requests(u, p, false)) continue;
    UnitModel& unit = units_[static_cast<size_t>(u)];
    const int beats = unit.requests.front();
    counters_.dram_write_bytes +=
        static_cast<uint64_t>(beats) * static_cast<uint64_t>(spec_.dram.port_bits / 8);
    port.writing.push_back(
        {u, unit.store_cycles.front(), now_ + spec_.units[static_cast<size_t>(u)].latency, beats});
    ++port.writes_outstanding;
    port.write_turn = u;
    for (int other = 0; other < requesters; ++other) {
      if (other != u && Requests(other, p, false)) units_[static_cast<size_t>(other)].lost_turn = true;
    }
    Happens([&unit] {
      unit.requests.pop_front();
      unit.store_cycles.pop_front();
      unit.presented = false;
    });
    return;
  }
}

void ReferenceModel::SendBeat(PortModel& port) {
  if (port.writing.empty() || now_ < port.writing.front().earliest) return;
  WriteBurst& burst = port.writing.front();
  units_[static_cast<size_t>(burst.unit)].busy = true;
  something_happened_ = true;
  if (--burst.cycles_left > 0) return;
  port.sent = burst;
  port.writing.pop_front();
  if (spec_.dram.dram_bytes == 0) Write(port);
}

/// A burst that has left whole goes to the DRAM: with a limit of its own in the cycle after, behind the reads
/// of that cycle; without at once.
void ReferenceModel::Write(PortModel& port) {
  if (!port.sent) return;
  Cycle written = now_;
  if (const double share = spec_.dram.dram_bytes; share > 0) {
    // At best the DRAM took its bytes as they came, and the last one in the cycle before this one.
    const double bytes = port.sent->beats * (spec_.dram.port_bits / 8.0);
    const Cycle cycles = static_cast<Cycle>(std::ceil(bytes / share));
    written = std::max(now_ - 1, DramEnd({now_ - cycles, cycles * share - bytes}, port.sent->beats) - 1);
  }
  port.last_response = std::max(written + spec_.dram.write_latency, port.last_response + 1);
  port.responding.push_back({port.sent->unit, port.last_response});
  port.sent.reset();
}

void ReferenceModel::TakeResponses(PortModel& port) {
  if (port.responding.empty() || port.responding.front().second != now_) return;
  UnitModel& unit = units_[static_cast<size_t>(port.responding.front().first)];
  port.responding.pop_front();
  Happens([&port] { --port.writes_outstanding; });
  for (Flight& flight : unit.flights) {
    if (flight.responses_left == 0) continue;
    if (--flight.responses_left == 0) flight.not_before = now_ + 1;
    break;
  }
}

}  // namespace cosim::sim::testing
