// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/netlist.h"

#include <fmt/format.h>

#include <unordered_map>

namespace cosim::synth {
namespace {

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class Parser {
 public:
  /// False: the line means nothing here.
  bool Line(const std::vector<std::string_view>& words);
  Netlist Take() { return std::move(netlist_); }

 private:
  int Net(std::string_view name);
  bool Begin(std::string_view name);
  bool AddCell(const std::vector<std::string_view>& words);
  void AddPorts(const std::vector<std::string_view>& words, std::vector<Pin>& ports);

  Netlist netlist_;
  Module* module_ = nullptr;
  std::unordered_map<std::string, int> nets_;  // of module_
};

int Parser::Net(std::string_view name) {
  if (name == "$false" || name == "$true" || name == "$undef") return kConstant;
  const auto [entry, is_new] = nets_.try_emplace(std::string(name), static_cast<int>(module_->nets.size()));
  if (is_new) module_->nets.emplace_back(name);
  return entry->second;
}

bool Parser::Begin(std::string_view name) {
  if (netlist_.modules.empty()) netlist_.top = name;
  const auto [entry, is_new] = netlist_.modules.try_emplace(std::string(name));
  if (!is_new || module_) return false;
  module_ = &entry->second;
  module_->name = name;
  nets_.clear();
  return true;
}

void Parser::AddPorts(const std::vector<std::string_view>& words, std::vector<Pin>& ports) {
  for (size_t i = 1; i < words.size(); ++i) ports.push_back({std::string(words[i]), Net(words[i])});
}

bool Parser::AddCell(const std::vector<std::string_view>& words) {
  if (words.size() < 2) return false;
  Cell& cell = module_->cells.emplace_back();
  cell.type = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view net = words[i].substr(equals + 1);
    cell.pins.push_back({std::string(words[i].substr(0, equals)), net.empty() ? kConstant : Net(net)});
  }
  return true;
}

bool Parser::Line(const std::vector<std::string_view>& words) {
  const std::string_view key = words[0];
  if (key == ".model") return words.size() == 2 && Begin(words[1]);
  if (!module_) return false;
  if (key == ".end") {
    module_ = nullptr;
  } else if (key == ".blackbox") {
    module_->is_library = true;
  } else if (key == ".inputs") {
    AddPorts(words, module_->inputs);
  } else if (key == ".outputs") {
    AddPorts(words, module_->outputs);
  } else if (key == ".subckt" || key == ".gate") {
    return AddCell(words);
  } else if (key == ".cname" || key == ".param") {
    if (module_->cells.empty() || words.size() < 2) return false;
    Cell& cell = module_->cells.back();
    if (key == ".cname") {
      cell.name = words[1];
    } else {
      cell.parameters.emplace_back(words[1], words.size() > 2 ? words[2] : "");
    }
  } else if (key == ".conn") {
    if (words.size() != 3) return false;
    const int from = Net(words[1]), to = Net(words[2]);
    if (from != kConstant && to != kConstant) module_->joined.emplace_back(from, to);
  } else {
    // The three constants: a name, and a line "1" for that of $true.
    return (key == ".names" && words.size() == 2 && Net(words[1]) == kConstant) || key == "1";
  }
  return true;
}

}  // namespace

std::optional<Netlist> ParseNetlist(std::string_view text, std::string& error) {
  Parser parser;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = Words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (words.empty() || words[0][0] == '#') continue;
    if (!parser.Line(words)) {
      error = fmt::format("line {} of the netlist: '{}' is not understood", number, words[0]);
      return std::nullopt;
    }
  }
  Netlist netlist = parser.Take();
  if (netlist.modules.empty()) {
    error = "the netlist is empty";
    return std::nullopt;
  }
  return netlist;
}

}  // namespace cosim::synth
