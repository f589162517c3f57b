// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/tokens.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/program/decode.h"
#include "isa/program/disassembler.h"
#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

// One instruction of a unit that reads and writes the given elements of `acc` (content does not matter to
// tokens).
struct Touch {
  std::string format;
  std::vector<int32_t> reads, writes;
};

class Builder {
 public:
  explicit Builder(const isa::Spec& spec) : spec_(spec), tokens_(spec, {{0, 4096}}) {}

  void Add(const Touch& touch, const std::string& memory = "acc") {
    const int format = spec_.FormatIndex(touch.format), m = spec_.MemoryIndex(memory);
    isa::Instruction instruction{format, std::vector<int64_t>(spec_.formats[format].fields.size(), 0)};
    for (const auto& [field, value] : spec_.formats[format].match) instruction.values[field] = value;
    Footprint footprint;
    for (const int32_t e : touch.reads) footprint.on_chip.push_back({m, false, e, e + 1});
    for (const int32_t e : touch.writes) footprint.on_chip.push_back({m, true, e, e + 1});
    tokens_.Add(std::move(instruction), footprint, static_cast<int>(added_.size()));
    added_.push_back(touch);
  }

  // "gemm push(gemm_to_alu)" a line.
  std::string Text() {
    result_ = tokens_.Finish();
    std::string text;
    for (const auto& instruction : result_.instructions) {
      const auto& format = spec_.formats[instruction.format];
      text += format.name;
      for (const auto& [queue, field] : format.pops)
        if (instruction.values[field]) text += " pop(" + spec_.queues[queue].name + ")";
      for (const auto& [queue, field] : format.pushes)
        if (instruction.values[field]) text += " push(" + spec_.queues[queue].name + ")";
      text += "\n";
    }
    return text;
  }

  const isa::Spec& spec_;
  TokenInserter tokens_;
  TokenInserter::Result result_;
  std::vector<Touch> added_;
};

TEST(Tokens, OrdersAReadAfterAWrite) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Builder b(spec);
  b.Add({"gemm", {}, {1, 2}});
  b.Add({"alu", {2}, {}});
  EXPECT_EQ(b.Text(), "gemm push(gemm_to_alu)\nalu pop(gemm_to_alu)\n");
}

TEST(Tokens, LeavesWhatDoesNotMeetAlone) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Builder b(spec);
  b.Add({"gemm", {}, {1, 2}});
  b.Add({"alu", {3}, {}});
  b.Add({"gemm", {1}, {2}});
  EXPECT_EQ(b.Text(), "gemm\nalu\ngemm\n");
}

TEST(Tokens, DropsAnOrderThatIsImplied) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Builder b(spec);
  b.Add({"gemm", {}, {1}});
  b.Add({"gemm", {}, {2}});
  b.Add({"alu", {2}, {}});
  b.Add({"alu", {1}, {}});
  EXPECT_EQ(b.Text(), "gemm\ngemm push(gemm_to_alu)\nalu pop(gemm_to_alu)\nalu\n");
}

TEST(Tokens, DropsAnOrderThatAThirdUnitImplies) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Builder b(spec);
  b.Add({"load_inp", {}, {1}});
  b.Add({"gemm", {1}, {2}});
  b.Add({"alu", {2}, {3}});
  b.Add({"alu", {1}, {}});  // after the load, because the gemm was
  EXPECT_EQ(
      b.Text(),
      "load_inp push(load_to_gemm)\ngemm pop(load_to_gemm) push(gemm_to_alu)\nalu pop(gemm_to_alu)\nalu\n");
}

TEST(Tokens, RoutesThroughAUnitThatHasQueues) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");  // no queue from gemm to store
  Builder b(spec);
  b.Add({"gemm", {}, {1}});
  b.Add({"store_out", {1}, {}});
  EXPECT_EQ(
      b.Text(),
      "gemm push(gemm_to_alu)\nsync_alu pop(gemm_to_alu) push(alu_to_store)\nstore_out pop(alu_to_store)\n");
}

TEST(Tokens, PullsPopsForwardToStayWithinCapacity) {
  const isa::Spec spec = Load("tiny.yaml", "cosim", {{"parameters.tokens", "1"}});
  Builder b(spec);
  b.Add({"gemm", {}, {1}});
  b.Add({"gemm", {}, {2}});
  b.Add({"alu", {1}, {}});
  b.Add({"alu", {2}, {}});
  EXPECT_EQ(b.Text(),
            "gemm push(gemm_to_alu)\nsync_alu pop(gemm_to_alu)\ngemm push(gemm_to_alu)\nalu\nalu "
            "pop(gemm_to_alu)\n");
}

// Random touches on any ISA: every queue stays within capacity in program order, and every conflict is
// ordered, judged by a transitive closure that knows nothing of how the tokens were placed.
void ExpectOrdered(const isa::Spec& spec, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> formats;
  for (const auto& format : spec.formats)
    if (format.kind != isa::Kind::kSync) formats.push_back(format.name);
  Builder b(spec);
  for (int i = 0; i < 40; ++i) {
    Touch touch{formats[random() % formats.size()], {}, {}};
    for (int e = 0; e < 2; ++e) touch.reads.push_back(static_cast<int32_t>(random() % 12));
    touch.writes.push_back(static_cast<int32_t>(random() % 12));
    b.Add(touch);
  }
  const std::string text = b.Text();
  const auto& list = b.result_.instructions;
  const size_t n = list.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  std::vector<std::vector<size_t>> pushes(spec.queues.size()), pops(spec.queues.size());
  std::vector<int> unit(n);
  for (size_t i = 0; i < n; ++i) {
    const auto& format = spec.formats[list[i].format];
    unit[i] = format.unit;
    for (const auto& [queue, field] : format.pops)
      if (list[i].values[field]) pops[queue].push_back(i);
    for (const auto& [queue, field] : format.pushes)
      if (list[i].values[field]) pushes[queue].push_back(i);
    for (size_t j = 0; j < i; ++j) before[j][i] = unit[j] == unit[i];
  }
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    ASSERT_EQ(pushes[q].size(), pops[q].size());
    for (size_t k = 0; k < pops[q].size(); ++k) {
      ASSERT_LT(pushes[q][k], pops[q][k]) << text;
      before[pushes[q][k]][pops[q][k]] = true;
      const size_t capacity = static_cast<size_t>(spec.queues[q].capacity);
      if (k + capacity < pushes[q].size()) {
        EXPECT_LT(pops[q][k], pushes[q][k + capacity]) << text;
      }
    }
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (before[i][k] && before[k][j]) before[i][j] = true;
  std::vector<size_t> at;  // position of each added instruction
  std::vector<int> next(b.added_.size(), 0);
  for (size_t i = 0; i < n; ++i)
    if (spec.formats[list[i].format].kind != isa::Kind::kSync) at.push_back(i);
  ASSERT_EQ(at.size(), b.added_.size());
  const auto meet = [](const std::vector<int32_t>& x, const std::vector<int32_t>& y) {
    for (int32_t e : x)
      if (std::find(y.begin(), y.end(), e) != y.end()) return true;
    return false;
  };
  for (size_t i = 0; i < at.size(); ++i)
    for (size_t j = i + 1; j < at.size(); ++j) {
      const Touch &x = b.added_[i], &y = b.added_[j];
      if (meet(x.writes, y.reads) || meet(x.writes, y.writes) || meet(x.reads, y.writes)) {
        EXPECT_TRUE(before[at[i]][at[j]]) << i << " and " << j << "\n" << text;
      }
    }
}

TEST(Tokens, OrderEveryConflictWithinEveryCapacity) {
  for (const char* isa : {"cosim", "vta"})
    for (const char* capacity : {"1", "2", "16"}) {
      const isa::Spec spec = Load("tiny.yaml", isa, {{"parameters.tokens", capacity}});
      for (uint32_t seed = 0; seed < 60; ++seed) ExpectOrdered(spec, seed);
    }
}

TEST(MissingOrder, NamesUnitsThatNothingOrders) {
  isa::Spec spec = Load("tiny", "cosim");
  EXPECT_EQ(MissingOrder(spec), "");
  EXPECT_EQ(MissingOrder(Load("tiny", "vta")), "");
  isa::Spec cut = spec;
  std::erase_if(cut.queues, [&](const auto& queue) { return queue.to == cut.UnitIndex("store"); });
  EXPECT_EQ(MissingOrder(cut), "no chain of queues leads from unit 'load' to unit 'store'");
  isa::Spec mute = spec;
  std::erase_if(mute.formats, [](const auto& format) { return format.name == "sync_alu"; });
  EXPECT_EQ(MissingOrder(mute), "unit 'alu' has no sync instruction");
}

}  // namespace
}  // namespace cosim::accel
