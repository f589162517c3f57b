// SPDX-License-Identifier: Apache-2.0
// Combines values pairwise until one is left, keeping a bound on its width so that nothing exceeds 64 bits.
#include "tests/isa/program/random_body.h"

#include <fmt/format.h>

#include <algorithm>

namespace cosim::isa::testing {
namespace {

constexpr int kInputBits = 32;  ///< of the widest operand or immediate
constexpr int kMostBits = 58;   ///< of any value here, so that one operator more still fits 64

struct Value {
  std::string text;
  int bits = kInputBits;  ///< at most
};

class BodyMaker {
 public:
  BodyMaker(Random& random, const std::vector<std::string>& immediates,
            const std::vector<std::string>& amounts, const std::vector<BodyTable>& tables)
      : random_(random), immediates_(immediates), amounts_(amounts), tables_(tables) {}

  std::vector<std::string> Make(const std::vector<std::string>& operands, const std::string& result_bits) {
    std::vector<Value> values;
    for (const std::string& operand : operands) values.push_back({operand});
    for (int64_t more = random_.Uniform(values.empty() ? 1 : 0, 2); more > 0; --more)
      values.push_back(Immediate());
    while (values.size() > 1) {
      const size_t at = random_.Uniform(0, static_cast<int64_t>(values.size()) - 2);
      values[at] = Cut(Maybe(Binary(values[at], values[at + 1])));
      values.erase(values.begin() + static_cast<int64_t>(at) + 1);
    }
    const char* narrow = random_.Percent(50) ? "wrap" : "sat";
    lines_.push_back(fmt::format("{}({}, {})", narrow, Maybe(values[0]).text, result_bits));
    return std::move(lines_);
  }

 private:
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[random_.Uniform(0, static_cast<int64_t>(from.size()) - 1)];
  }

  Value Immediate() {
    if (!immediates_.empty() && random_.Percent(70)) return {Pick(immediates_)};
    return {std::to_string(random_.Uniform(0, 1000)), 11};
  }

  Value Narrowed(const Value& value) {
    if (value.bits <= kMostBits / 2) return value;
    const int bits = static_cast<int>(random_.Uniform(9, kMostBits / 2));
    return {fmt::format("{}({}, {})", random_.Percent(60) ? "wrap" : "sat", value.text, bits), bits};
  }

  Value Binary(const Value& a, const Value& b) {
    const int wider = std::max(a.bits, b.bits) + 1;
    switch (random_.Uniform(0, 6)) {
      case 0:
      case 1: {
        const Value left = Narrowed(a), right = Narrowed(b);
        return {fmt::format("({}) * ({})", left.text, right.text), left.bits + right.bits};
      }
      case 2:
        return Limited(fmt::format("({}) + ({})", a.text, b.text), wider + 1);
      case 3:
        return Limited(fmt::format("({}) - ({})", a.text, b.text), wider + 1);
      case 4:
        return Limited(fmt::format("{}({}, {})", random_.Percent(50) ? "min" : "max", a.text, b.text), wider);
      case 5:
        return Limited(fmt::format("({}) {} ({})", a.text, Pick<std::string>({"&", "|", "^"}), b.text),
                       wider);
      default:
        return Limited(fmt::format("({0}) {2} ({1}) ? ({0}) : ({1})", a.text, b.text,
                                   Pick<std::string>({"<", "<=", ">", ">=", "==", "!="})),
                       wider);
    }
  }

  Value Limited(std::string text, int bits) {
    if (bits <= kMostBits) return {std::move(text), bits};
    return {fmt::format("wrap({}, {})", text, kMostBits / 2), kMostBits / 2};
  }

  /// Sometimes an operator of one value on top.
  Value Maybe(Value value) {
    switch (random_.Uniform(0, 11)) {
      case 0:
        return {fmt::format("abs({})", value.text), value.bits + 1};
      case 1:
        return {fmt::format("~({})", value.text), value.bits + 1};
      case 2:
        return {fmt::format("-({})", value.text), value.bits + 1};
      case 3:
        if (amounts_.empty()) return value;
        return {fmt::format("round_shift({}, {})", value.text, Pick(amounts_)), value.bits + 1};
      case 4:
        if (amounts_.empty()) return value;
        return {fmt::format("({}) >> {}", value.text, Pick(amounts_)), value.bits};
      case 5:
        if (random_.Percent(50) && value.bits < kMostBits)
          return Limited(
              fmt::format("({}) << uwrap({}, 2)", value.text, amounts_.empty() ? value.text : Pick(amounts_)),
              value.bits + 3);
        return Limited(fmt::format("({}) << {}", value.text, random_.Uniform(1, 4)), value.bits + 4);
      case 6:
        return {fmt::format("clamp({}, -100, 90)", value.text), 8};
      case 7:
        return {fmt::format("uwrap({}, {})", value.text, 15), 16};
      case 8: {
        if (tables_.empty()) return value;
        const BodyTable& table = Pick(tables_);
        return {fmt::format("lookup({}, uwrap({}, {}))", table.name, value.text, table.index_bits),
                table.bits + 1};
      }
      default:
        return value;
    }
  }

  /// Sometimes gives the value a name, and registers after it.
  Value Cut(Value value) {
    if (random_.Percent(50)) return value;
    const std::string name = fmt::format("v{}", lines_.size());
    lines_.push_back(fmt::format("{} = {}", name, value.text));
    for (int64_t stages = random_.Uniform(0, 2); stages > 0; --stages) lines_.push_back("stage");
    return {name, value.bits};
  }

  Random& random_;
  const std::vector<std::string>& immediates_;
  const std::vector<std::string>& amounts_;
  const std::vector<BodyTable>& tables_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> RandomBody(Random& random, const std::vector<std::string>& operands,
                                    const std::vector<std::string>& immediates,
                                    const std::vector<std::string>& amounts, const std::string& result_bits,
                                    const std::vector<BodyTable>& tables) {
  return BodyMaker(random, immediates, amounts, tables).Make(operands, result_bits);
}

}  // namespace cosim::isa::testing
