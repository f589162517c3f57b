// SPDX-License-Identifier: Apache-2.0
// Edits isa/cosim.yaml and isa/vta.yaml at random and runs small networks on what comes of it; see --help.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/network_fuzz/isa_case.h"

namespace {

using cosim::testing::IsaCase;
using cosim::testing::IsaOutcome;

constexpr int kSeconds = 120, kRtlSeconds = 900;  // for one case
constexpr int64_t kMostRtl = 10;
constexpr int64_t kLeastWorking = 30;  // percent: with fewer, a campaign says little
constexpr int64_t kLeastOfLoadable = 80;
constexpr int kMostDraws = 100;

int Usage() {
  fmt::print(
      "usage: isa_fuzz [--count=N] [--seed=S]      N random edits, from seed S on\n"
      "         [--loadable]                       draws again what the loader refuses: N edits that it "
      "takes\n"
      "         [--rtl=K]                          K of those that run on the accelerator on the RTL too, at "
      "most {}\n"
      "         [--reasons]                        every reason of the host, with an edit that led to it\n"
      "       isa_fuzz --case='isa=… edits=…'      one case, as a failure prints it\n",
      kMostRtl);
  return 1;
}

int RunOne(const std::string& text) {
  const auto c = cosim::testing::ParseIsaCase(text);
  if (!c) return Usage();
  const IsaOutcome outcome = RunIsaCase(*c);
  fmt::print("{}\n{}\n", Name(outcome.kind), outcome.text);
  return outcome.Good() ? 0 : 1;
}

class Campaign {
 public:
  Campaign(uint64_t seed, int64_t count, int64_t rtl, bool reasons, bool loadable)
      : seed_(seed), count_(count), rtl_(rtl), print_reasons_(reasons), loadable_(loadable) {}

  int Run() {
    for (uint64_t s = seed_; s < seed_ + static_cast<uint64_t>(count_); ++s) RunSeed(s);
    if (print_reasons_)
      for (const auto& [reason, text] : reasons_) fmt::print("reason: {}\n  after {}\n", reason, text);
    fmt::print("{} edits:", count_);
    int64_t bad = 0;
    for (int k = 0; k < cosim::testing::kIsaOutcomes; ++k) {
      const auto kind = static_cast<IsaOutcome::Kind>(k);
      fmt::print("{} {} {}", k == 0 ? "" : ",", kinds_[k], Name(kind));
      if (!IsaOutcome{kind, "", false}.Good()) bad += kinds_[k];
    }
    fmt::print("\n{} ({} %) ran work on the accelerator, {} of them on the RTL too\n", working_,
               100 * working_ / std::max<int64_t>(1, count_), on_rtl_);
    if (loadable_) fmt::print("{} more were refused, each with a place\n", refused_);
    return bad == 0 && 100 * working_ >= (loadable_ ? kLeastOfLoadable : kLeastWorking) * count_ ? 0 : 1;
  }

 private:
  void RunSeed(uint64_t s) {
    // Spread over the campaign: the first that works after each so many.
    const bool rtl =
        rtl_ > 0 && on_rtl_ < rtl_ && (static_cast<int64_t>(s - seed_) * rtl_ >= on_rtl_ * count_);
    const int seconds = rtl ? kRtlSeconds : kSeconds;
    IsaCase c;
    IsaOutcome outcome;
    for (int draw = 0; draw < kMostDraws; ++draw) {
      c = cosim::testing::DrawIsaCase(s + (static_cast<uint64_t>(draw) << 32U));
      c.rtl = rtl;
      outcome = RunIsaCaseIsolated(c, seconds);
      if (!loadable_ || outcome.kind != IsaOutcome::Kind::kRefused) break;
      ++refused_;
    }
    ++kinds_[static_cast<size_t>(outcome.kind)];
    working_ += outcome.works;
    on_rtl_ += outcome.works && c.rtl;
    if (outcome.kind == IsaOutcome::Kind::kPartly || outcome.kind == IsaOutcome::Kind::kHost)
      reasons_.try_emplace(outcome.text, ToString(c));
    if (outcome.Good()) return;
    const IsaCase small = Shrink(c, [&](const IsaCase& candidate) {
      return RunIsaCaseIsolated(candidate, seconds).kind == outcome.kind;
    });
    fmt::print("seed {} {}: {}\n  reproduce with --case='{}'\n", s, Name(outcome.kind), outcome.text,
               ToString(small));
    std::fflush(stdout);
  }

  uint64_t seed_;
  int64_t count_, rtl_;
  bool print_reasons_, loadable_;
  int64_t refused_ = 0;  ///< that were drawn again
  std::array<int64_t, cosim::testing::kIsaOutcomes> kinds_{};
  int64_t working_ = 0, on_rtl_ = 0;
  std::map<std::string, std::string> reasons_;  // and a case that gives it
};

}  // namespace

int main(int argc, char** argv) {
  int64_t count = 2000, rtl = 0;
  uint64_t seed = 1;
  bool reasons = false, loadable = false;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("--case=")) return RunOne(text.substr(7));
    if (text.starts_with("--count=")) {
      count = std::atoll(text.c_str() + 8);
    } else if (text.starts_with("--seed=")) {
      seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    } else if (text.starts_with("--rtl=")) {
      rtl = std::min<int64_t>(kMostRtl, std::atoll(text.c_str() + 6));
    } else if (text == "--reasons") {
      reasons = true;
    } else if (text == "--loadable") {
      loadable = true;
    } else {
      return Usage();
    }
  }
  return Campaign(seed, count, rtl, reasons, loadable).Run();
}
