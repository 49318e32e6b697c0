// Numbers as strings, strings as numbers.
#include "ops/fn/string_number.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "kernels/sort.h"
#include "ops/element_moves.h"
#include "ops/string/parse_number.h"

namespace gk {
namespace {

// ---- AsString ----

struct NumberFormat {
  std::string flags;      // what stands between % and the conversion
  char conversion = 'f';  // of floats
};

template <class... Args>
std::string Printed(const std::string& format, Args... args) {
  const int n = std::snprintf(nullptr, 0, format.c_str(), args...);
  if (n > 0) CountText(n);
  std::string s(n > 0 ? n : 0, '\0');
  std::snprintf(s.data(), s.size() + 1, format.c_str(), args...);
  return s;
}

// As printf writes them, without its reading of formats: a number of no flags
// and no width.
std::string WrittenInteger(auto value) {
  char room[24];
  const auto end = std::to_chars(room, room + sizeof(room), value).ptr;
  CountText(end - room);
  return std::string(room, end);
}
// Empty if the number is to be printed: infinities, and what takes much room.
std::string WrittenReal(double value, char conversion, int precision) {
  if (!(std::abs(value) < 1e20) || precision > 32) return {};
  const std::chars_format format =
      conversion == 'e'   ? std::chars_format::scientific
      : conversion == 'g' ? std::chars_format::general
                          : std::chars_format::fixed;
  char room[64];
  const auto end =
      std::to_chars(room, room + sizeof(room), value, format, precision).ptr;
  CountText(end - room);
  return std::string(room, end);
}

// Widths and precisions beyond this are no use to anybody.
constexpr int64_t kMaxWidth = 1 << 16;

Status ReadFormat(KernelContext& c, DataType t, NumberFormat* format) {
  const int64_t precision = c.attr<int64_t>("precision");
  const int64_t width = c.attr<int64_t>("width");
  const bool scientific = c.attr<bool>("scientific");
  const bool shortest = c.attr<bool>("shortest");
  const std::string& fill = c.attr<std::string>("fill");
  const bool real = t == DataType::kFloat || t == DataType::kDouble ||
                    t == DataType::kHalf || t == DataType::kBfloat16 ||
                    t == DataType::kComplex64 || t == DataType::kComplex128;
  if (scientific && shortest) {
    return InvalidArgument(
        "Cannot select both scientific and shortest notation");
  }
  if (!real && (scientific || shortest)) {
    return InvalidArgument(
        "scientific and shortest format not supported for datatype {}",
        DataTypeString(t));
  }
  if (!real && precision >= 0) {
    return InvalidArgument("precision not supported for datatype {}",
                           DataTypeString(t));
  }
  if (fill.size() > 1) {
    return InvalidArgument("Fill string must be one or fewer characters");
  }
  if (!fill.empty() &&
      std::string_view(" +-0#").find(fill[0]) == std::string_view::npos) {
    return InvalidArgument("Fill argument not supported: \"{}\"", fill);
  }
  if (width > kMaxWidth || precision > kMaxWidth) {
    return InvalidArgument("width and precision must be at most {}", kMaxWidth);
  }
  // The other flags mean nothing for texts, # nothing for integers.
  const bool keep =
      real || (fill != "#" && (t != DataType::kString || fill == "-"));
  if (keep) format->flags += fill;
  if (width > 0) format->flags += std::to_string(width);
  if (precision >= 0) format->flags += "." + std::to_string(precision);
  format->conversion = scientific ? 'e' : shortest ? 'g' : 'f';
  return OkStatus();
}

Status ComputeAsString(KernelContext& c) {
  const Tensor& x = c.input(0);
  NumberFormat format;
  GK_RETURN_IF_ERROR(ReadFormat(c, x.dtype(), &format));
  const int64_t width = c.attr<int64_t>("width");
  if (width > 15 && x.dtype() != DataType::kBool) {
    const int64_t bytes = MultiplyWithoutOverflow(width, x.num_elements());
    GK_RETURN_IF_ERROR(CheckTextBytes(
        bytes < 0 ? std::numeric_limits<int64_t>::max() : bytes));
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  const int64_t n = x.num_elements();
  std::string* to = out->data<std::string>();
  const bool plain = width <= 0 && c.attr<std::string>("fill").empty();
  const int64_t precision = c.attr<int64_t>("precision");
  const int digits = precision < 0 ? 6 : static_cast<int>(precision);
  const std::string real = "%" + format.flags + format.conversion;
  const std::string pair = "(" + real + "," + real + ")";
  const std::string whole = "%" + format.flags + "lld";
  const std::string natural = "%" + format.flags + "llu";
  if (x.dtype() == DataType::kBool) {
    for (int64_t i = 0; i < n; ++i) {
      to[i] = x.data<bool>()[i] ? "true" : "false";
    }
    return OkStatus();
  }
  if (x.dtype() == DataType::kString) {
    const std::string text = "%" + format.flags + "s";
    for (int64_t i = 0; i < n; ++i) {
      const std::string& s = x.data<std::string>()[i];
      to[i] = format.flags.empty() ? s : Printed(text, s.c_str());
    }
    return OkStatus();
  }
  const bool known =
      VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t, float, double, half, bfloat16, complex64, complex128>(
          x.dtype(), [&](auto tag) {
            using T = decltype(tag);
            const T* from = x.data<T>();
            TurnPoll poll;
            for (int64_t i = 0; i < n; ++i) {
              poll();
              if constexpr (std::is_same_v<T, complex64> ||
                            std::is_same_v<T, complex128>) {
                to[i] = Printed(pair, static_cast<double>(from[i].real()),
                                static_cast<double>(from[i].imag()));
              } else if constexpr (!std::is_integral_v<T>) {
                const double value = static_cast<double>(SortKey(from[i]));
                if (plain)
                  to[i] = WrittenReal(value, format.conversion, digits);
                if (plain && !to[i].empty()) continue;
                to[i] = Printed(real, value);
              } else if (plain) {
                to[i] = WrittenInteger(
                    static_cast<std::conditional_t<std::is_signed_v<T>, int64_t,
                                                   uint64_t>>(from[i]));
              } else if constexpr (std::is_signed_v<T>) {
                to[i] = Printed(whole, static_cast<long long>(from[i]));
              } else {
                to[i] =
                    Printed(natural, static_cast<unsigned long long>(from[i]));
              }
            }
          });
  if (known) return OkStatus();
  return c.NoKernel();
}

// ---- StringToNumber ----

Status ComputeToNumber(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("out_type"), x.shape(), &out));
  Status status;
  const bool known =
      VisitType<float, double, int32_t, int64_t, uint32_t, uint64_t>(
          out->dtype(), [&](auto tag) {
            using T = decltype(tag);
            TurnPoll poll;
            for (int64_t i = 0; i < x.num_elements(); ++i) {
              poll();
              const std::string& s = x.data<std::string>()[i];
              if (ParseNumber(s, out->data<T>() + i)) continue;
              status = InvalidArgument(
                  "StringToNumberOp could not correctly convert string: {}", s);
              return;
            }
          });
  if (known) return status;
  return c.NoKernel();
}

const OpRecord kRecords[] = {
    {.name = "AsString",
     .inputs = "input: T",
     .outputs = "output: string",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64, complex64, complex128, "
              "bool, variant, string]; precision: int = -1; scientific: bool = "
              "False; shortest: bool = False; width: int = -1; fill: string = "
              "''",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeAsString},
     .python = {.names = "strings.as_string|as_string"},
     .doc = "Numbers written as text.",
     .example = ">>> tf.strings.as_string([3, 2]).numpy().tolist()\n"
                "[b'3', b'2']"},

    {.name = "StringToNumber",
     .inputs = "string_tensor: string",
     .outputs = "output: out_type",
     .attrs = "out_type: type in [float, double, int32, int64, uint32, uint64] "
              "= float",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeToNumber},
     .python = {.names = "strings.to_number", .args = "input, out_type"},
     .doc = "Texts read as numbers.",
     .example = ">>> tf.strings.to_number('1.55').numpy().item() > 1.5\nTrue"},
};

}  // namespace

GK_REGISTER_OPS(string_number)

}  // namespace gk
