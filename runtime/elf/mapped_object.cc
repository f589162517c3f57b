// SPDX-License-Identifier: Apache-2.0
// In the order of Map: reserve, fill, relocate, protect. Memory is never writable and executable at a time.
#include "runtime/elf/mapped_object.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/cpu_object.h"
#include "runtime/elf/outside_functions.h"

namespace cosim::runtime::elf {
namespace {

constexpr uint64_t kAlignment = 65'536;  // no segment asks for more (shared_object.h)

uint64_t PageBytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t RoundDown(uint64_t value, uint64_t to) { return value / to * to; }
uint64_t RoundUp(uint64_t value, uint64_t to) { return RoundDown(value + to - 1, to); }

bool SystemRefused(std::string& error, const char* what) {
  error = fmt::format("{}: {}", what, std::strerror(errno));
  return false;
}

}  // namespace

void* MappedObject::Find(const Addresses& addresses, std::string_view name) {
  const auto at = addresses.find(name);
  return at == addresses.end() ? nullptr : at->second;
}

std::unique_ptr<const MappedObject> MappedObject::Map(const SharedObject& object, std::string& error) {
  if (object.architecture != HostArchitecture()) {
    error = fmt::format("it is for {}, this machine is {}", object.architecture, HostArchitecture());
    return nullptr;
  }
  std::unique_ptr<MappedObject> mapped(new MappedObject);
  if (!mapped->Reserve(object, error)) return nullptr;
  mapped->Fill(object);
  if (!mapped->Relocate(object, error) || !mapped->Protect(object, error)) return nullptr;
  for (const Symbol& symbol : object.symbols)
    if (symbol.is_defined)
      (symbol.is_function ? mapped->functions_ : mapped->data_)
          .emplace(symbol.name, mapped->base_ + symbol.address);
  return mapped;
}

bool MappedObject::Reserve(const SharedObject& object, std::string& error) {
  reserved_bytes_ = RoundUp(object.bytes, PageBytes()) + kAlignment;
  void* memory = mmap(nullptr, reserved_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return SystemRefused(error, "no memory for it");
  reserved_ = memory;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  base_ = static_cast<std::byte*>(memory) + (RoundUp(address, kAlignment) - address);
  return true;
}

MappedObject::~MappedObject() {
  if (reserved_) munmap(reserved_, reserved_bytes_);
}

void MappedObject::Fill(const SharedObject& object) {
  for (const Segment& segment : object.segments)
    if (!segment.content.empty())
      std::memcpy(base_ + segment.address, segment.content.data(), segment.content.size());
}

bool MappedObject::Relocate(const SharedObject& object, std::string& error) {
  for (const Relocation& relocation : object.relocations) {
    const std::byte* target = base_;
    if (relocation.symbol != kTheObject) {
      const Symbol& symbol = object.symbols[relocation.symbol];
      target = symbol.is_defined ? base_ + symbol.address : static_cast<std::byte*>(FindOutside(symbol.name));
      if (!target) {
        error = fmt::format("it asks for '{}', which kernels cannot call", symbol.name);
        return false;
      }
    }
    const uintptr_t value = reinterpret_cast<uintptr_t>(target) + static_cast<uintptr_t>(relocation.addend);
    std::memcpy(base_ + relocation.address, &value, sizeof value);
  }
  return true;
}

// Holes between segments are nobody's.
bool MappedObject::Protect(const SharedObject& object, std::string& error) {
  const uint64_t page = PageBytes();
  std::vector<int> pages(RoundUp(object.bytes, page) / page, PROT_NONE);
  for (const Segment& segment : object.segments) {
    const int rights =
        PROT_READ | (segment.is_writable ? PROT_WRITE : 0) | (segment.is_executable ? PROT_EXEC : 0);
    for (uint64_t i = segment.address / page; i < RoundUp(segment.address + segment.bytes, page) / page;
         ++i) {
      if (pages[i] != PROT_NONE && pages[i] != rights) {
        error = fmt::format("two of its segments share a page of {} bytes", page);
        return false;
      }
      pages[i] = rights;
    }
  }
  // Pages that are constant as a whole: data that may be written can follow.
  for (uint64_t i = RoundUp(object.constant_begin, page) / page;
       i < std::min<uint64_t>(object.constant_end / page, pages.size()); ++i)
    if (pages[i] == (PROT_READ | PROT_WRITE)) pages[i] = PROT_READ;
  for (size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    end = std::find_if(pages.begin() + static_cast<ptrdiff_t>(begin), pages.end(),
                       [&](int rights) { return rights != pages[begin]; }) -
          pages.begin();
    std::byte* const from = base_ + begin * page;
    std::byte* const to = base_ + end * page;
    if (mprotect(from, static_cast<size_t>(to - from), pages[begin]) != 0)
      return SystemRefused(error, "its memory cannot be protected");
    // ARM's instruction cache does not see what was written. While code is readable, as flushing reads it.
    if ((pages[begin] & PROT_EXEC) != 0)
      __builtin___clear_cache(reinterpret_cast<char*>(from), reinterpret_cast<char*>(to));
  }
  return true;
}

}  // namespace cosim::runtime::elf
