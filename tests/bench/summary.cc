// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/summary.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace cosim::bench {
namespace {

struct Row {
  std::string what, goal;
  std::function<std::optional<std::string>()> measured;
};

class Table {
 public:
  explicit Table(const Figures& figures) : figures_(figures) {}

  std::string Print() const {
    std::string text = "| what | goal | measured |\n|---|---|---|\n";
    for (const Row& row : Rows())
      if (const auto measured = row.measured())
        text += fmt::format("| {} | {} | {} |\n", row.what, row.goal, *measured);
    return text;
  }

 private:
  using Text = std::optional<std::string>;

  std::optional<double> Find(const std::string& name) const {
    const auto at = figures_.find(name);
    return at == figures_.end() ? std::nullopt : std::optional(at->second);
  }
  /// The figure, scaled, in the format's words.
  Text Show(const std::string& name, double scale, const char* format) const {
    const auto value = Find(name);
    return value ? Text(fmt::format(fmt::runtime(format), *value * scale)) : std::nullopt;
  }
  Text Ratio(const std::string& a, const std::string& b, const char* format) const {
    const auto x = Find(a), y = Find(b);
    return x && y ? Text(fmt::format(fmt::runtime(format), *x / *y)) : std::nullopt;
  }

  /// Of each network of the zoo, `prefix` of its figures; `what` has a place for its name.
  void AddNetworks(std::vector<Row>& rows, const std::string& prefix, const std::string& what,
                   const std::map<std::string, std::string>& goals) const {
    const std::string suffix = " cpu_s";
    for (const auto& [figure, value] : figures_) {
      if (!figure.starts_with(prefix) || !figure.ends_with(suffix)) continue;
      const std::string network = figure.substr(prefix.size(), figure.size() - prefix.size() - suffix.size());
      const auto goal = goals.find(network);
      rows.push_back({fmt::format(fmt::runtime(what), network), goal == goals.end() ? "" : goal->second,
                      [this, figure] { return Show(figure, 1, "{:.2f} CPU s"); }});
    }
  }

  std::vector<Row> Rows() const {
    const std::string run = "simulate/resnet18/", rate = " cycles_per_s";
    std::vector<Row> rows;
    const auto speed = [&](const std::string& what, const std::string& goal, const std::string& name) {
      rows.push_back({what, goal, [=, this] { return Show(run + name + rate, 1e-6, "{:.0f} M cycles/s"); }});
    };
    speed("bit-exact, the best kernels", "150 M cycles/s", "best");
    speed("bit-exact, AVX2 kernels", "", "avx2");
    speed("bit-exact, portable kernels", "", "portable");
    speed("timing only", "1,000 M cycles/s", "timing_only");
    const auto against = [&](const std::string& what, const std::string& goal, const std::string& name) {
      rows.push_back(
          {what, goal, [=, this] { return Ratio(run + name + rate, "rtl/resnet18" + rate, "{:.0f} x"); }});
    };
    rows.push_back({"RTL under Verilator", "",
                    [this] { return Show("rtl/resnet18 cycles_per_s", 1e-6, "{:.3f} M cycles/s"); }});
    against("bit-exact against the RTL", "100 x", "best");
    against("timing only against the RTL", "1,000 x", "timing_only");
    rows.push_back({"the RTL's model, built from nothing", "",
                    [this] { return Show("rtl/build/pynq cpu_s", 1, "{:.1f} CPU s"); }});
    AddNetworks(rows, "quantize/", "making and quantizing {}", {{"resnet18", "0.2 s"}});
    AddNetworks(rows, "compile/", "compilation of {}, schedule choice included",
                {{"resnet18", "0.5 s"}, {"resnet50", "3 s"}});
    rows.push_back({"peak memory of `cosim run resnet18 --check=none`", "300 MiB",
                    [this] { return Show("run_resnet18/cosim/unchecked peak_rss_mb", 1, "{:.0f} MiB"); }});
    rows.push_back({"`cosim run resnet18`, golden check included", "",
                    [this] { return Show("run_resnet18/cosim/cycle cpu_s", 1, "{:.2f} CPU s"); }});
    rows.push_back({"frames at a time, 2 against 1: frames a second of wall time", "",
                    [this] { return Ratio("frames/2 frames_per_s", "frames/1 frames_per_s", "{:.2f} x"); }});
    rows.push_back({"… and CPU seconds of a frame's simulation", "",
                    [this] { return Ratio("frames/2 simulate_s", "frames/1 simulate_s", "{:.2f} x"); }});
    for (const std::string kernel : {"portable", "avx2", "avx512vnni"})
      rows.push_back({"tile kernel, " + kernel, "", [=, this] {
                        return Show("tile_gemm/" + kernel + " items_per_second", 1e-9 / 256,
                                    "{:.3f} G micro-ops/s");
                      }});
    return rows;
  }

  const Figures& figures_;
};

}  // namespace

std::string SummaryTable(const Figures& figures) { return Table(figures).Print(); }

}  // namespace cosim::bench
