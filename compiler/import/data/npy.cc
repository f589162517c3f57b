// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "compiler/import/data/arrays.h"

namespace cosim::import {
namespace {

using graph::DType;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMostElements = int64_t{1} << 30;

struct TypeCode {
  std::string_view code;
  DType dtype;
};
constexpr TypeCode kTypes[] = {{"i1", DType::kInt8},    {"u1", DType::kUint8},   {"i2", DType::kInt16},
                               {"u2", DType::kUint16},  {"i4", DType::kInt32},   {"u4", DType::kUint32},
                               {"i8", DType::kInt64},   {"u8", DType::kUint64},  {"f2", DType::kFloat16},
                               {"f4", DType::kFloat32}, {"f8", DType::kFloat64}, {"b1", DType::kBool}};

// What follows `key` in the header's dictionary, up to the next comma or brace outside parentheses.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return "";
  std::string_view rest = header.substr(at + key.size() + 3);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  int depth = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
    if ((rest[i] == ',' && depth == 0) || rest[i] == '}') return rest.substr(0, i);
  }
  return "";
}

std::optional<DType> ParseType(std::string_view text) {
  if (text.size() < 4 || text.front() != '\'' || text.back() != '\'') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  if (text[0] != '<' && text[0] != '|' && text[0] != '=') return std::nullopt;
  for (const TypeCode& type : kTypes)
    if (text.substr(1) == type.code) return type.dtype;
  return std::nullopt;
}

std::optional<graph::Shape> ParseShape(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  graph::Shape shape;
  int64_t elements = 1;
  const char *at = text.data() + 1, *end = text.data() + text.size() - 1;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    const auto [next, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) return std::nullopt;
    at = next;
  }
  return shape;
}

}  // namespace

std::optional<graph::Tensor> ParseNpy(std::span<const uint8_t> bytes, std::string& error) {
  const auto fail = [&](const char* what) { return error = what, std::nullopt; };
  if (bytes.size() < 12 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return fail("not an .npy array: it does not begin with \\x93NUMPY");
  const bool wide = bytes[6] >= 2;
  const size_t begin = wide ? 12 : 10;
  size_t length = bytes[8] | bytes[9] << 8;
  if (wide) length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  if (length > bytes.size() - begin) return fail("the header is truncated");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + begin, length);
  const auto dtype = ParseType(ValueOf(header, "descr"));
  if (!dtype) return fail("the element type is none of numpy's little-endian integers, floats or bool");
  if (ValueOf(header, "fortran_order") != "False") return fail("the array is not in C order");
  const auto shape = ParseShape(ValueOf(header, "shape"));
  if (!shape) return fail("the shape is malformed or too large");
  const auto data = bytes.subspan(begin + length);
  if (static_cast<int64_t>(data.size()) != graph::NumElements(*shape) * graph::SizeOf(*dtype))
    return fail("the data has not the size that the header says");
  graph::Tensor tensor({*dtype, *shape});
  if (!data.empty()) std::memcpy(tensor.mutable_bytes().data(), data.data(), data.size());
  return tensor;
}

std::vector<uint8_t> FormatNpy(const graph::Tensor& tensor) {
  std::string_view code;
  for (const TypeCode& type : kTypes)
    if (type.dtype == tensor.dtype()) code = type.code;
  const auto& shape = tensor.shape();
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  code.back() == '1' ? '|' : '<', code, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  text += header;
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.insert(bytes.end(), tensor.bytes().begin(), tensor.bytes().end());
  return bytes;
}

}  // namespace cosim::import
