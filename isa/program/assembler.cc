// SPDX-License-Identifier: Apache-2.0
// Parses program text line by line. Every line is parsed even after a mistake, so that all are reported at
// once.
#include "isa/program/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "isa/check.h"
#include "isa/program/assembler_codes.h"
#include "isa/program/codec.h"
#include "isa/program/microops.h"
#include "isa/program/program_text.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

class Assembler {
 public:
  Assembler(const Spec& spec, const SourceText& source, Diagnostics& diags)
      : spec_(spec),
        path_(source.path),
        text_(source, diags),
        diags_(diags),
        errors_before_(diags.list().size()) {
    assembly_.program.fingerprint = spec.fingerprint;
    for (const InstructionFormat& format : spec.formats) mnemonics_.push_back(format.name);
  }

  std::optional<Assembly> Run() {
    while (text_.NextLine()) {
      if (FingerprintDirective() || !text_.Cut() || text_.AtEnd()) continue;
      text_.Peek().text.starts_with('.') ? Directive() : Instruct();
    }
    for (const char* required : {".dram", ".code"}) {
      if (seen_.contains(required)) continue;
      diags_.Error(codes::kAsmMissing, {path_}, fmt::format("there is no '{}'", required)).hint =
          fmt::format("add a line '{} <number>'", required);
    }
    if (diags_.list().size() != errors_before_) return std::nullopt;
    EncodeInstructions();
    return std::move(assembly_);
  }

 private:
  // Directives.

  void Directive() {
    const Word name = text_.Next();
    if (name.text == ".instructions" || name.text == ".micro_ops" || name.text == ".constants") {
      return SegmentDirective(name);
    }
    static const std::vector<std::string> kOthers = {".isa",          ".fingerprint", ".dram",     ".code",
                                                     ".instructions", ".micro_ops",   ".constants"};
    if (std::ranges::find(kOthers, name.text) == kOthers.end()) {
      text_.ErrorAt(codes::kAsmDirective, name, fmt::format("there is no directive '{}'", name.text)).hint =
          NameHint(name.text, kOthers);
      return;
    }
    if (!Once(name.text, name.column)) return;
    if (name.text == ".isa") return IsaDirective();
    const bool dram = name.text == ".dram";
    const std::optional<uint64_t> value = text_.ExpectAddress(dram ? "a number of bytes" : "an address");
    if (value) (dram ? assembly_.program.dram_bytes : assembly_.program.code_address) = *value;
    if (value) text_.ExpectEnd();
  }

  void IsaDirective() {
    const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "the name of an ISA");
    if (!name || !text_.ExpectEnd() || name->text == spec_.isa) return;
    text_
        .ErrorAt(codes::kAsmIsa, *name,
                 fmt::format("the program is written for ISA '{}', not '{}'", name->text, spec_.isa))
        .hint = fmt::format("choose it with --isa={}", name->text);
  }

  bool Once(const std::string& directive, int column) {
    if (seen_.insert(directive).second) return true;
    text_.ErrorAt(codes::kAsmRepeated, column, static_cast<int>(directive.size()),
                  fmt::format("'{}' is given twice", directive));
    return false;
  }

  /// Takes the line if it is this directive. Its 16 hexadecimal digits are no word: they may look like a name
  /// or a number.
  bool FingerprintDirective() {
    constexpr std::string_view kName = ".fingerprint", kBlank = " \t";
    std::string_view code = text_.Code();
    const size_t begin = std::min(code.find_first_not_of(kBlank), code.size());
    std::string_view digits = code.substr(begin);
    if (!digits.starts_with(kName)) return false;
    digits.remove_prefix(kName.size());
    if (!digits.empty() && kBlank.find(digits[0]) == std::string_view::npos) return false;
    if (!Once(std::string(kName), static_cast<int>(begin) + 1)) return true;
    digits.remove_prefix(std::min(digits.find_first_not_of(kBlank), digits.size()));
    digits = digits.substr(0, digits.find_last_not_of(kBlank) + 1);
    uint64_t value = 0;
    const char* stop = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), stop, value, 16);
    if (digits.size() == 16 && error == std::errc() && end == stop) {
      assembly_.program.fingerprint = value;
    } else {
      text_.ErrorAt(codes::kAsmSyntax, static_cast<int>(digits.data() - code.data()) + 1,
                    static_cast<int>(digits.size()), "a fingerprint is 16 hexadecimal digits");
    }
    return true;
  }

  void SegmentDirective(const Word& directive) {
    Segment segment;
    segment.kind = directive.text == ".instructions" ? Segment::Kind::kInstructions
                   : directive.text == ".micro_ops"  ? Segment::Kind::kMicroOps
                                                     : Segment::Kind::kConstants;
    const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "the segment's name");
    const std::optional<uint64_t> address =
        name ? text_.ExpectAddress("the segment's address") : std::nullopt;
    bool ok = address.has_value();
    const bool encoded = ok && segment.kind == Segment::Kind::kInstructions && text_.AtEnd();
    if (ok && !encoded) ok = text_.Expect("{") && text_.ExpectEnd();
    if (!ok && !text_.line().ends_with('{')) return;  // no block follows
    const SourceLoc opened = text_.Loc(directive.column);
    if (!encoded) ReadBlock(segment, opened);
    if (!ok) return;
    segment.name = name->text;
    segment.address = *address;
    if (encoded) encoded_.push_back(assembly_.program.segments.size());
    assembly_.program.segments.push_back(std::move(segment));
  }

  void ReadBlock(Segment& segment, const SourceLoc& opened) {
    while (text_.NextLine()) {
      const std::string_view code = text_.Code();
      const size_t first = code.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (code[first] == '}') {
        if (text_.Cut() && text_.Expect("}")) text_.ExpectEnd();
        return;
      }
      if (code.substr(first).starts_with("left out:")) {
        text_
            .ErrorAt(codes::kAsmLeftOut, static_cast<int>(first) + 1, 8,
                     "the segment's contents were left out of this text")
            .hint = "disassemble the program again, with contents";
      } else if (segment.kind != Segment::Kind::kMicroOps) {
        ReadBytes(code, first, segment.bytes);
      } else if (code.substr(first).starts_with("bytes ")) {
        ReadBytes(code, first + 6, segment.bytes);
      } else {
        ReadMicroOp(segment.bytes);
      }
    }
    diags_.Error(codes::kAsmBlock, opened, "this block is not closed").hint = "end it with a line '}'";
  }

  void ReadBytes(std::string_view code, size_t at, std::vector<uint8_t>& bytes) {
    auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    while ((at = code.find_first_not_of(" \t", at)) != std::string_view::npos) {
      const size_t end = std::min(code.find_first_of(" \t", at), code.size());
      for (size_t i = at; i < end; i += 2) {
        const int high = digit(code[i]), low = i + 1 < end ? digit(code[i + 1]) : -1;
        if (high < 0 || low < 0) {
          text_
              .ErrorAt(codes::kAsmBytes, static_cast<int>(at) + 1, static_cast<int>(end - at),
                       fmt::format("'{}' is not a row of bytes", code.substr(at, end - at)))
              .hint = "a byte is two hexadecimal digits, 0-9 and a-f";
          return;
        }
        bytes.push_back(static_cast<uint8_t>(high * 16 + low));
      }
      at = end;
    }
  }

  void ReadMicroOp(std::vector<uint8_t>& bytes) {
    if (!text_.Cut()) return;
    const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "a micro-op memory, or 'bytes'");
    if (!name) return;
    const int index = spec_.MemoryIndex(name->text);
    if (index < 0 || !spec_.memories[index].is_micro_ops) {
      std::vector<std::string> names{"bytes"};
      for (const Memory& memory : spec_.memories) {
        if (memory.is_micro_ops) names.push_back(memory.name);
      }
      text_.ErrorAt(codes::kAsmMemory, *name, fmt::format("'{}' is no memory of micro-ops", name->text))
          .hint = NameHint(name->text, names);
      return;
    }
    const Memory& memory = spec_.memories[index];
    std::vector<int64_t> values(ValuesPerElement(memory), 0);
    std::set<size_t> given;
    while (!text_.AtEnd()) {
      if (!ReadMicroOpField(memory, values, given)) return;
    }
    const size_t before = bytes.size();
    bytes.resize(before + memory.stored_bytes);
    PackElements(memory, values, std::span(bytes).subspan(before));
  }

  bool ReadMicroOpField(const Memory& memory, std::vector<int64_t>& values, std::set<size_t>& given) {
    const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "a field");
    if (!name || !text_.Expect("=")) return false;
    const Word value = text_.Peek();
    if (!text_.ExpectNumber("a number")) return false;
    const auto field = std::ranges::find(memory.fields, name->text, &Field::name);
    if (field == memory.fields.end()) {
      std::vector<std::string> names;
      for (const Field& candidate : memory.fields) names.push_back(candidate.name);
      text_.ErrorAt(codes::kAsmField, *name, fmt::format("'{}' has no field '{}'", memory.name, name->text))
          .hint = NameHint(name->text, names);
      return false;
    }
    const size_t which = static_cast<size_t>(field - memory.fields.begin());
    if (!given.insert(which).second) {
      text_.ErrorAt(codes::kAsmRepeated, *name, fmt::format("field '{}' is given twice", name->text));
      return false;
    }
    return StoreValue(value, *field, values[which]);
  }

  // Instructions.

  bool StoreValue(const Word& word, const Field& field, int64_t& to) {
    if (Fits(word.number, field.type)) {
      to = word.number;
      return true;
    }
    text_.ErrorAt(codes::kAsmRange, word, fmt::format("{} does not fit field '{}'", word.text, field.name))
        .hint = fmt::format("it holds {} to {}", field.type.Min(), field.type.Max());
    return false;
  }

  void Instruct() {
    const std::optional<Word> mnemonic = text_.ExpectWord(Word::Kind::kName, "an instruction or a directive");
    if (!mnemonic) return;
    const int format = spec_.FormatIndex(mnemonic->text);
    if (format < 0) {
      text_
          .ErrorAt(codes::kAsmMnemonic, *mnemonic,
                   fmt::format("there is no instruction '{}'", mnemonic->text))
          .hint = NameHint(mnemonic->text, mnemonics_);
      return;
    }
    Instruction instruction = BlankInstruction(spec_, format);
    given_.clear();
    while (!text_.AtEnd()) {
      if (!ReadOperand(spec_.formats[format], instruction)) return;
    }
    assembly_.program.instructions.push_back(std::move(instruction));
    assembly_.locations.push_back(text_.Loc(mnemonic->column));
  }

  bool ReadOperand(const InstructionFormat& format, Instruction& instruction) {
    const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "a field, pop(…) or push(…)");
    if (!name) return false;
    if (name->text == "pop" && text_.Accept("(")) return ReadQueues(format, format.pops, *name, instruction);
    if (name->text == "push" && text_.Accept("("))
      return ReadQueues(format, format.pushes, *name, instruction);
    if (!text_.Expect("=")) return false;
    if (name->text == "uop" && format.FieldIndex("uop_begin") >= 0)
      return ReadRange(format, *name, instruction);
    const std::optional<int> field = FindField(format, *name);
    if (!field || !Give(*name, *field)) return false;
    if (format.kind == Kind::kAlu && name->text == "op" && text_.Peek().kind == Word::Kind::kName) {
      return ReadOp(instruction, *field);
    }
    const Word value = text_.Peek();
    return text_.ExpectNumber("a number") &&
           StoreValue(value, format.fields[*field], instruction.values[*field]);
  }

  /// The format's own field of that name that is not fixed; nothing after reporting that there is none.
  std::optional<int> FindField(const InstructionFormat& format, const Word& name) {
    const int first = static_cast<int>(1 + format.pops.size() + format.pushes.size());
    std::vector<std::string> names;
    for (int field = first; field < static_cast<int>(format.fields.size()); ++field) {
      const bool fixed =
          std::ranges::find(format.match, field, &std::pair<int, int64_t>::first) != format.match.end();
      if (fixed) continue;
      if (format.fields[field].name == name.text) return field;
      names.push_back(format.fields[field].name);
    }
    text_
        .ErrorAt(codes::kAsmField, name, fmt::format("'{}' has no field '{}' to set", format.name, name.text))
        .hint = NameHint(name.text, names);
    return std::nullopt;
  }

  bool Give(const Word& name, int field) {
    if (given_.insert(field).second) return true;
    text_.ErrorAt(codes::kAsmRepeated, name, fmt::format("'{}' is given twice", name.text));
    return false;
  }

  bool ReadRange(const InstructionFormat& format, const Word& name, Instruction& instruction) {
    const int begin = format.FieldIndex("uop_begin"), end = format.FieldIndex("uop_end");
    if (!Give(name, begin) || !Give(name, end) || !text_.Expect("[")) return false;
    const Word first = text_.Peek();
    if (!text_.ExpectNumber("the first micro-op") || !text_.Expect(",")) return false;
    const Word last = text_.Peek();
    if (!text_.ExpectNumber("the micro-op after the last") || !text_.Expect(")")) return false;
    return StoreValue(first, format.fields[begin], instruction.values[begin]) &&
           StoreValue(last, format.fields[end], instruction.values[end]);
  }

  bool ReadOp(Instruction& instruction, int field) {
    const Word name = text_.Next();
    std::vector<std::string> names;
    for (const AluOp& op : spec_.alu_ops) {
      if (op.format != instruction.format) continue;
      if (op.name == name.text) {
        instruction.values[field] = op.code;
        return true;
      }
      names.push_back(op.name);
    }
    text_.ErrorAt(codes::kAsmOp, name, fmt::format("there is no ALU op '{}'", name.text)).hint =
        NameHint(name.text, names);
    return false;
  }

  bool ReadQueues(const InstructionFormat& format, const std::vector<std::pair<int, int>>& flags,
                  const Word& word, Instruction& instruction) {
    do {
      const std::optional<Word> name = text_.ExpectWord(Word::Kind::kName, "a queue");
      if (!name) return false;
      std::vector<std::string> names;
      for (auto [queue, field] : flags) names.push_back(spec_.queues[queue].name);
      const auto found = std::ranges::find(names, name->text);
      if (found == names.end()) {
        const std::string& unit = spec_.units[format.unit].name;
        text_
            .ErrorAt(codes::kAsmQueue, *name,
                     fmt::format("unit '{}' cannot {} a queue '{}'", unit, word.text, name->text))
            .hint = NameHint(name->text, names);
        return false;
      }
      const int field = flags[found - names.begin()].second;
      if (!Give(*name, field)) return false;
      instruction.values[field] = 1;
    } while (text_.Accept(","));
    return text_.Expect(")");
  }

  void EncodeInstructions() {
    for (size_t which : encoded_) {
      std::vector<CodecError> errors;
      std::optional<Segment> code = EncodeProgram(spec_, assembly_.program, errors);
      COSIM_CHECK(code.has_value(), "{}", errors.front().message);
      assembly_.program.segments[which].bytes = std::move(code->bytes);
    }
  }

  const Spec& spec_;
  const std::string& path_;
  ProgramText text_;
  Diagnostics& diags_;
  size_t errors_before_ = 0;
  std::vector<std::string> mnemonics_;
  Assembly assembly_;
  std::set<std::string> seen_;   // directives that may stand once
  std::vector<size_t> encoded_;  // segments to be filled with the instructions
  std::set<int> given_;          // fields of the instruction under way
};

}  // namespace

std::optional<Assembly> Assemble(const Spec& spec, const SourceText& source, Diagnostics& diags) {
  return Assembler(spec, source, diags).Run();
}

}  // namespace cosim::isa
