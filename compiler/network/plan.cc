// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/plan.h"

#include <set>
#include <utility>

namespace cosim::network {
namespace {

/// How the input of the graph that `from` is stands as the image `to`. Nothing where that takes more than
/// copying rows: it is no plain input of bytes, or its channels are not last.
std::optional<runtime::ImageRows> RowsOf(const graph::Graph& graph, const FormKey& from, const FormKey& to,
                                         const Array& array, bool channels_last) {
  const bool is_input = graph.node(from.value).As<graph::Input>() && from.layout.kind == Layout::Kind::kPlain;
  if (to.layout.kind != Layout::Kind::kImage || !is_input) return std::nullopt;
  if (from.value == to.value && !channels_last) return std::nullopt;
  if (graph::SizeOf(graph.node(to.value).type.dtype) != 1) return std::nullopt;
  const auto& op = *graph.node(to.layout.patches_for).As<graph::Conv2d>();
  const accel::ImageWindow window = ImageOf(graph, to.value, to.layout);
  const auto [n, c, h, w] = Shape4(graph, to.value);
  const int64_t image = window.ImageBytes(array.activation_bytes), pitch = window.RowBytes();
  const auto bytes = [](int64_t count) { return static_cast<uint64_t>(count); };
  return runtime::ImageRows{.images = bytes(n),
                            .image_pitch = bytes(image),
                            .rows = bytes(h),
                            .row_bytes = bytes(w * c),
                            .row_pitch = bytes(pitch),
                            .first = bytes(op.pad[0] * pitch + op.pad[1] * c),
                            .fill = static_cast<uint8_t>(op.input_zero_point)};
}

}  // namespace

runtime::Layer LayerOf(const graph::Graph& graph, const Group& group) {
  runtime::Layer layer;
  layer.name = group.name;
  for (const graph::ValueId id : group.nodes) {
    layer.op += (layer.op.empty() ? "" : "+") + graph::DisplayName(graph.node(id).op);
    layer.macs += graph::Macs(graph, id);
  }
  return layer;
}

int AddLayer(Plan& plan, runtime::Layer layer, std::string reason, bool on_accelerator) {
  layer.on_accelerator = on_accelerator;
  layer.reason = std::move(reason);
  plan.layers.push_back(std::move(layer));
  return static_cast<int>(plan.layers.size()) - 1;
}

std::vector<FormKey> ReadsOf(const AcceleratorGroup& group, const Layout& read) {
  std::vector<FormKey> reads;
  if (group.input >= 0) reads.push_back({group.input, group.input_layout});
  if (group.residual >= 0) reads.push_back({group.residual, read});
  if (group.weights >= 0) reads.push_back({group.weights, group.weights_layout});
  return reads;
}

void Erase(Plan& plan, size_t i) {
  const Item item = std::move(plan.items[i]);
  const auto erase = [](auto& list, size_t index) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  };
  erase(plan.items, i);
  erase(plan.layers, static_cast<size_t>(item.layer));
  if (item.kind == Item::Kind::kCpu) erase(plan.cpu_groups, item.cpu_kernel);
  if (item.kind == Item::Kind::kConvert) erase(plan.conversions, item.cpu_kernel);
  for (Item& other : plan.items) {
    if (other.kind == item.kind && other.cpu_kernel > item.cpu_kernel) --other.cpu_kernel;
    if (other.layer > item.layer) --other.layer;
  }
}

void DropUnread(Plan& plan, const std::vector<FormKey>& results) {
  std::set<FormKey> read(results.begin(), results.end());
  for (size_t i = plan.items.size(); i-- > 0;) {
    const Item& item = plan.items[i];
    if (item.kind != Item::Kind::kCpu || read.count(item.writes)) {
      read.insert(item.reads.begin(), item.reads.end());
    } else {
      Erase(plan, i);
    }
  }
}

Images TakeImages(Plan& plan, const graph::Graph& graph, const Array& array,
                  const std::vector<FormKey>& results, bool channels_last) {
  std::map<graph::ValueId, int> readers;
  for (const FormKey& result : results) ++readers[result.value];
  for (const Item& item : plan.items)
    for (const FormKey& form : item.reads) ++readers[form.value];
  Images images;
  for (size_t i = plan.items.size(); i-- > 0;) {
    if (plan.items[i].kind != Item::Kind::kConvert) continue;
    const FormKey from = plan.items[i].reads[0], to = plan.items[i].writes;
    const int own = from.value == to.value ? 2 : 1;  // the step itself, and who gathers from what it makes
    const auto rows =
        readers[from.value] == own ? RowsOf(graph, from, to, array, channels_last) : std::nullopt;
    if (!rows) continue;
    images.insert({from.value, {to, *rows}});
    Erase(plan, i);
  }
  return images;
}

}  // namespace cosim::network
