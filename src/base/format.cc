#include "base/format.h"

// The out-of-line part of {fmt} is compiled once, here.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float) noexcept
    -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept
    -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref)
    -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<buffer_context<char>>,
                                 locale_ref);

}  // namespace detail
FMT_END_NAMESPACE

namespace gk {
namespace {

template <class T, class Text>
std::string JoinAs(std::span<const T> values, std::string_view separator,
                   Text text) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += separator;
    out += text(values[i]);
  }
  return out;
}

}  // namespace

std::string FormatArgs(std::string_view pattern,
                       std::span<const FormatArg> args) {
  using Context = fmt::format_context;
  fmt::basic_format_arg<Context> erased[kMaxFormatArgs];
  const size_t n = std::min(args.size(), kMaxFormatArgs);
  for (size_t i = 0; i < n; ++i) {
    const FormatArg& a = args[i];
    const auto set = [&](auto v) {
      erased[i] = fmt::detail::make_arg<Context>(v);
    };
    switch (a.kind_) {
      case FormatArg::Kind::kInt:
        set(a.int_);
        break;
      case FormatArg::Kind::kUint:
        set(a.uint_);
        break;
      case FormatArg::Kind::kBool:
        set(a.uint_ != 0);
        break;
      case FormatArg::Kind::kChar:
        set(static_cast<char>(a.int_));
        break;
      case FormatArg::Kind::kFloat:
        set(a.float_);
        break;
      case FormatArg::Kind::kDouble:
        set(a.double_);
        break;
      case FormatArg::Kind::kText:
        set(fmt::string_view(a.text_.data, a.text_.size));
        break;
    }
  }
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()),
                      fmt::format_args(erased, static_cast<int>(n)));
}

std::string JoinText(std::span<const int64_t> values,
                     std::string_view separator) {
  return JoinAs(values, separator, [](int64_t v) { return std::to_string(v); });
}
std::string JoinText(std::span<const int32_t> values,
                     std::string_view separator) {
  return JoinAs(values, separator, [](int32_t v) { return std::to_string(v); });
}
std::string JoinText(std::span<const std::string> values,
                     std::string_view separator) {
  return JoinAs(values, separator,
                [](const std::string& v) -> const std::string& { return v; });
}

}  // namespace gk
