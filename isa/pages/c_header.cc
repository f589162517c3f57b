// SPDX-License-Identifier: Apache-2.0
#include "isa/pages/c_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "isa/spec/registers.h"

namespace cosim::isa {
namespace {

constexpr char kHead[] = R"(#ifndef COSIM_ACCELERATOR_H
#define COSIM_ACCELERATOR_H

#include <stdint.h>
#include <string.h>

)";

constexpr char kPut[] = R"(
/* Puts the lowest `width` bits of `value` where zeros stand, from bit `offset` on, the lowest bits first. */
static inline void cosim_put(uint8_t *bytes, unsigned offset, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; ++i)
    bytes[(offset + i) / 8] |= (uint8_t)((value >> i & 1) << (offset + i) % 8);
}
)";

std::string Upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// "InterruptEnable" as INTERRUPT_ENABLE.
std::string Constant(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) && !text.empty()) text += '_';
    text += c;
  }
  return Upper(text);
}

/// No text ends a comment.
std::string Comment(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
  std::ranges::replace(text, '\n', ' ');
  return "/* " + text + " */";
}

void Define(std::string& to, const std::string& name, const std::string& value, const std::string& doc) {
  to += fmt::format("#define {:<32} {:<12} {}\n", "COSIM_" + name, value, Comment(doc));
}

std::string Registers(const Spec& spec) {
  std::string text =
      "\n/* Registers: offsets in bytes; what they do is said by `cosim isa doc registers`. */\n";
#define COSIM_WRITE(name, offset, bits, access, doc) \
  Define(text, "REG_" + Constant(#name), fmt::format("{:#05x}", offset), doc);
  COSIM_REGISTERS(COSIM_WRITE)
#undef COSIM_WRITE
#define COSIM_WRITE(reg, name, bit, doc) \
  Define(text, Constant(#reg) + "_" + Constant(#name), fmt::format("(1u << {})", bit), doc);
  COSIM_REGISTER_BITS(COSIM_WRITE)
#undef COSIM_WRITE
#define COSIM_WRITE(name, code, doc) Define(text, "ERROR_" + Constant(#name), fmt::format("{}", code), doc);
  COSIM_REGISTER_ERRORS(COSIM_WRITE)
#undef COSIM_WRITE
  for (size_t unit = 0; unit < spec.units.size(); ++unit)
    Define(text, "REG_LEDGER_" + Upper(spec.units[unit].name),
           fmt::format("{:#05x}", registers::LedgerOffset(spec, unit, 0)),
           "busy, wait_push, a wait_token for each queue, wait_port, wait_memory, idle: 8 bytes each");
  return text;
}

/// A field's name as C takes it.
std::string Member(const std::string& name) {
  static const std::set<std::string> keywords = {
      "auto",   "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
      "else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
      "long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
      "switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while"};
  return keywords.count(name) ? name + "_" : name;
}

/// A struct of the fields that are not fixed, and the function that packs them.
std::string Packer(const std::string& name, const std::string& doc, const std::vector<Field>& fields,
                   const std::vector<std::pair<int, int64_t>>& fixed, const std::string& bytes) {
  std::string members, puts;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    const auto match = std::ranges::find(fixed, static_cast<int>(i), &std::pair<int, int64_t>::first);
    std::string value = "from->" + Member(field.name);
    if (match != fixed.end()) {
      value = fmt::format("{}", match->second);
    } else {
      members += fmt::format(
          "  {}int64_t {}; {}\n", field.type.is_signed ? "" : "u", Member(field.name),
          Comment(fmt::format("{} bits{}{}", field.type.width, field.doc.empty() ? "" : ": ", field.doc)));
    }
    puts += fmt::format("  cosim_put(to, {}, {}, (uint64_t){});\n", field.offset, field.type.width, value);
  }
  if (members.empty()) members = "  char nothing;\n";
  return fmt::format(
      "\n{}\nstruct cosim_{} {{\n{}}};\n"
      "static inline void cosim_pack_{}(uint8_t to[{}], const struct cosim_{} *from) {{\n"
      "  (void)from;\n  memset(to, 0, {});\n{}}}\n",
      Comment(doc.empty() ? name : doc), name, members, name, bytes, name, bytes, puts);
}

}  // namespace

std::string CHeader(const Spec& spec) {
  std::string text = Comment(fmt::format("The accelerator {} under the configuration {}, written by cosim.",
                                         spec.isa, spec.config)) +
                     "\n" + kHead;
  Define(text, "FINGERPRINT", fmt::format("0x{}ull", spec.FingerprintText()),
         "what the register Fingerprint reads as");
  Define(text, "WORD_BYTES", fmt::format("{}", spec.word_bytes()), "of an instruction");
  for (const Memory& memory : spec.memories) {
    if (memory.mirrors >= 0) continue;
    Define(text, Upper(memory.name) + "_ELEMENTS", fmt::format("{}", memory.depth), memory.doc);
    Define(text, Upper(memory.name) + "_BYTES", fmt::format("{}", memory.stored_bytes),
           "of an element in DRAM");
  }
  text += Registers(spec) + kPut;
  for (const InstructionFormat& format : spec.formats)
    text += Packer(format.name, format.doc, format.fields, format.match, "COSIM_WORD_BYTES");
  for (const Memory& memory : spec.memories)
    if (memory.is_micro_ops)
      text += Packer(memory.name, memory.doc, memory.fields, {},
                     fmt::format("COSIM_{}_BYTES", Upper(memory.name)));
  return text + "\n#endif\n";
}

}  // namespace cosim::isa
