// SPDX-License-Identifier: Apache-2.0
// A shared object in this process's memory, ready to be called. The system's dynamic linker has no part in
// it, so that a program linked statically loads code as well.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/elf/shared_object.h"

namespace cosim::runtime::elf {

class MappedObject {
 public:
  /// Null, and `error` set, when it is for another machine, asks for a function that there is not
  /// (outside_functions.h), or there is no memory. Runs none of its code.
  static std::unique_ptr<const MappedObject> Map(const SharedObject& object, std::string& error);
  ~MappedObject();
  MappedObject(const MappedObject&) = delete;
  MappedObject& operator=(const MappedObject&) = delete;

  /// Null when it exports no such function.
  void* FindFunction(std::string_view name) const { return Find(functions_, name); }
  /// Null when it exports no such data.
  const void* FindData(std::string_view name) const { return Find(data_, name); }

 private:
  using Addresses = std::map<std::string, void*, std::less<>>;

  MappedObject() = default;
  static void* Find(const Addresses& addresses, std::string_view name);
  bool Reserve(const SharedObject& object, std::string& error);
  void Fill(const SharedObject& object);
  bool Relocate(const SharedObject& object, std::string& error);
  bool Protect(const SharedObject& object, std::string& error);

  void* reserved_ = nullptr;
  size_t reserved_bytes_ = 0;
  std::byte* base_ = nullptr;  // within what is reserved
  Addresses functions_, data_;
};

}  // namespace cosim::runtime::elf
