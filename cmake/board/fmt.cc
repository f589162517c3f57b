// SPDX-License-Identifier: Apache-2.0
// The part of {fmt} that is compiled, for machines for which Debian has it as a shared library only.
// Otherwise each file that formats would compile it for itself.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float x) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double x) noexcept;
template FMT_API locale_ref::locale_ref(const std::locale& locale);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char* begin, const char* end);
template FMT_API void vformat_to(buffer<char>& buffer, string_view text,
                                 basic_format_args<buffer_context<char>> args, locale_ref locale);
}  // namespace detail
FMT_END_NAMESPACE
