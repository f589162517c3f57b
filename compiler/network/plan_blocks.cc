// SPDX-License-Identifier: Apache-2.0
// Which groups of the host read and write blocks. See plan.h.
#include <algorithm>
#include <optional>
#include <set>

#include "compiler/network/plan.h"

namespace cosim::network {
namespace {

bool IsPlainForm(const FormKey& form) { return form.layout.kind == Layout::Kind::kPlain; }
bool IsBlockedForm(const FormKey& form) {
  return form.layout.kind == Layout::Kind::kBlocked && form.layout.pixels == 0;
}

class BlocksForHost {
 public:
  BlocksForHost(Plan& plan, const graph::Graph& graph, const Array& array)
      : plan_(plan), graph_(graph), array_(array) {}

  void Run(const std::vector<FormKey>& results) {
    for (size_t i = 0; i < plan_.items.size(); ++i) {
      Item& item = plan_.items[i];
      if (item.kind == Item::Kind::kCpu) TakeGroup(i);
      if (item.kind == Item::Kind::kConvert) TakeMatrices(item);
      if (IsBlockedForm(item.writes)) blocked_.insert({item.writes.value, item.writes});
    }
    EraseUnread(results);
  }

 private:
  /// Where the blocks that a form of the host's group becomes are made; the number of items where they are
  /// not, or in two ways, or those of a view of it, which are others.
  size_t PackOf(const FormKey& form) const {
    const size_t none = plan_.items.size();
    size_t pack = none;
    for (size_t i = 0; i < plan_.items.size(); ++i) {
      const Item& item = plan_.items[i];
      if (item.kind != Item::Kind::kConvert || item.reads[0] != form) continue;
      if (pack != none || !IsBlockedForm(item.writes) || item.writes.value != form.value) return none;
      pack = i;
    }
    return pack;
  }

  /// Whether what the group reads are values themselves, and no views of some.
  bool ReadsValues(const Item& item, const std::vector<graph::ValueId>& nodes) const {
    return std::ranges::all_of(nodes, [&](graph::ValueId node) {
      return std::ranges::all_of(graph_.node(node).inputs, [&](graph::ValueId input) {
        return graph_.node(input).As<graph::Constant>() || std::ranges::count(nodes, input) > 0 ||
               std::ranges::count(item.reads, input, &FormKey::value) > 0;
      });
    });
  }

  /// What the item reads, in blocks of so many groups of channels. Nothing: not all of it is there so.
  std::optional<std::vector<FormKey>> ReadsInBlocks(const Item& item, int64_t groups) const {
    std::vector<FormKey> reads;
    for (const FormKey& form : item.reads) {
      const auto blocked = blocked_.find(form.value);
      if (blocked == blocked_.end() || blocked->second.layout.groups != groups) return std::nullopt;
      reads.push_back(blocked->second);
    }
    return reads;
  }

  void TakeGroup(size_t i) {
    Item& item = plan_.items[i];
    cpu::HostGroup& group = plan_.cpu_groups[item.cpu_kernel];
    const size_t pack = PackOf(item.writes);
    if (pack == plan_.items.size() || item.writes.value != group.nodes.back()) return;
    const FormKey plain = item.writes, blocked = plan_.items[pack].writes;
    const auto reads = ReadsInBlocks(item, blocked.layout.groups);
    if (!reads || !ReadsValues(item, group.nodes)) return;
    cpu::HostGroup in_blocks{group.nodes, {}, blocked.layout.groups};
    for (const FormKey& form : *reads) in_blocks.blocks[form.value] = BlockingOf(graph_, form, array_);
    in_blocks.blocks[blocked.value] = BlockingOf(graph_, blocked, array_);
    if (!cpu::TakesBlocks(graph_, in_blocks)) return;
    group = std::move(in_blocks);
    item.reads = *reads;
    item.writes = blocked;
    Unpack(pack, blocked, plain, i);
  }

  /// What made blocks of a value makes it plain, behind `item`, for those who read it so.
  void Unpack(size_t pack, const FormKey& blocked, const FormKey& plain, size_t item) {
    Item& unpack = plan_.items[pack];
    unpack.reads = {blocked};
    unpack.writes = plain;
    Conversion conversion = ConversionOf(graph_, blocked, plain, array_);
    plan_.conversions[unpack.cpu_kernel] = std::move(conversion.function);
    runtime::Layer& layer = plan_.layers[unpack.layer];
    layer.name = std::move(conversion.name);
    layer.op = std::move(conversion.op);
    layer.reason = std::move(conversion.reason);
    const auto begin = plan_.items.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(item) + 1, begin + static_cast<std::ptrdiff_t>(pack),
                begin + static_cast<std::ptrdiff_t>(pack) + 1);
  }

  void TakeMatrices(Item& item) {
    const auto from = blocked_.find(item.reads[0].value);
    if (from == blocked_.end() || item.writes.layout.kind != Layout::Kind::kMatrices ||
        item.reads[0].value != item.writes.value || from->second.layout.groups != 1)
      return;
    item.reads[0] = from->second;
    plan_.conversions[item.cpu_kernel] = ConversionOf(graph_, from->second, item.writes, array_).function;
  }

  void EraseUnread(const std::vector<FormKey>& results) {
    std::set<FormKey> read(results.begin(), results.end());
    for (const Item& item : plan_.items) read.insert(item.reads.begin(), item.reads.end());
    for (size_t i = plan_.items.size(); i-- > 0;) {
      const Item& item = plan_.items[i];
      if (item.kind == Item::Kind::kConvert && IsPlainForm(item.writes) && !read.count(item.writes))
        Erase(plan_, i);
    }
  }

  Plan& plan_;
  const graph::Graph& graph_;
  const Array& array_;
  std::map<graph::ValueId, FormKey> blocked_;  ///< of values that stand in blocks so far
};

}  // namespace

void StayInBlocks(Plan& plan, const graph::Graph& graph, const Array& array,
                  const std::vector<FormKey>& results) {
  BlocksForHost(plan, graph, array).Run(results);
}

}  // namespace cosim::network
