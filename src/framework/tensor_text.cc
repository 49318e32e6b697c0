#include "framework/tensor_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "framework/logical_device.h"
#include "framework/resource.h"
#include "framework/small_numbers.h"
#include "framework/variant.h"

namespace gk {
namespace {

// Few digits if they say it exactly, else enough to read the value back.
template <class T>
void AppendFloat(std::string& out, T v, int short_digits, int full_digits) {
  if (std::isnan(v)) {
    out += "nan";
    return;
  }
  char buffer[64];
  auto r = std::to_chars(buffer, buffer + sizeof(buffer), v,
                         std::chars_format::general, short_digits);
  T back = 0;
  auto parsed = std::from_chars(buffer, r.ptr, back);
  if (parsed.ec != std::errc() || back != v) {
    r = std::to_chars(buffer, buffer + sizeof(buffer), v,
                      std::chars_format::general, full_digits);
  }
  out.append(buffer, r.ptr);
}

// Bytes from 0x80 on belong to UTF-8 text and stay.
void AppendEscaped(std::string& out, const std::string& s) {
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          out += Format("\\{:03o}", byte);
        } else {
          out += c;
        }
    }
  }
}

// How long the text of one variant may get. Variants may hold others, one of
// them many times over.
constexpr size_t kMaxVariantText = 20000;

void AppendResource(std::string& out, const Tensor& t,
                    const ResourceHandle& h) {
  std::string data;
  for (const HandleShape& d : h.handle_data()) {
    if (!data.empty()) data += ", ";
    data += Format("DType enum: {}, Shape: {}", static_cast<int>(d.dtype),
                   d.shape.DebugString());
  }
  out += Format(
      "<ResourceHandle(name=\"{}\", device=\"{}\", container=\"{}\", "
      "type=\"{}\", dtype and shapes : \"[ {} ]\")>",
      h.name(), DeviceName(DeviceOf(t)), h.container(),
      h.resource() ? h.resource()->type_name() : "", data);
}

void AppendElement(std::string& out, const Tensor& t, int64_t i, bool quote,
                   size_t limit = 0) {
  if (t.dtype() == DataType::kResource) {
    return AppendResource(out, t, t.data<ResourceHandle>()[i]);
  }
  if (t.dtype() == DataType::kVariant) {
    const VariantObject* object = t.data<Variant>()[i].get();
    if (limit == 0) limit = out.size() + kMaxVariantText;
    out += '<';
    if (object == nullptr) {
      out += "[empty]";
    } else if (out.size() >= limit) {
      out += "...";
    } else {
      object->AppendText(&out, limit);
    }
    out += '>';
    return;
  }
  if (t.dtype() == DataType::kString) {
    if (quote) out += '"';
    AppendEscaped(out, t.data<std::string>()[i]);
    if (quote) out += '"';
    return;
  }
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
                float8_e5m2, float8_e4m3fn>(t.dtype(), [&](auto tag) {
        using T = decltype(tag);
        const T v = t.data<T>()[i];
        if constexpr (std::is_same_v<T, double>) {
          AppendFloat(out, v, 15, 17);
        } else if constexpr (std::is_same_v<T, bool>) {
          out += v ? '1' : '0';
        } else if constexpr (std::is_integral_v<T>) {
          out += std::to_string(v);
        } else {
          AppendFloat(out, static_cast<float>(v), 6, 9);
        }
      });
  if (known) return;
  if (IsSmallNumber(t.dtype())) {
    const auto* const bytes = static_cast<const uint8_t*>(t.raw_data());
    AppendFloat(out, SmallNumber(t.dtype(), bytes[i]), 6, 9);
  } else {
    out += '?';
  }
}

struct FirstValues {
  const Tensor& t;
  int64_t limit;
  std::string& out;
  size_t text_limit = 0;
  int64_t next = 0;

  void Dim(int d) {
    if (next >= limit) return;
    const int64_t n = t.dim(d);
    if (d == t.rank() - 1) {
      for (int64_t i = 0; i < n; ++i) {
        if (next >= limit) {
          if (d != 0) out += "...";
          return;
        }
        if (i > 0) out += ' ';
        AppendElement(out, t, next++, false, text_limit);
      }
      return;
    }
    for (int64_t i = 0; i < n && next < limit; ++i) {
      out += '[';
      Dim(d + 1);
      out += ']';
    }
  }
};

struct BothEnds {
  const Tensor& t;
  int64_t ends;
  std::string out;

  void Separator(int d) {
    if (d == t.rank() - 1) {
      out += ' ';
    } else {
      out.append(t.rank() - d - 1, '\n');
      out.append(d + 1, ' ');
    }
  }

  // `at` is the index of the first element below; `size` their number.
  void Dim(int d, int64_t at, int64_t size) {
    if (d == t.rank()) return AppendElement(out, t, at, true);
    const int64_t n = t.dim(d);
    const int64_t step = n > 0 ? size / n : 0;
    const int64_t head = std::min(n, ends);
    out += '[';
    for (int64_t i = 0; i < head; ++i) {
      if (i > 0) Separator(d);
      Dim(d + 1, at + i * step, step);
    }
    int64_t tail = head;
    if (n - head > ends) {
      Separator(d);
      out += "...";
      tail = n - ends;
    }
    for (int64_t i = tail; i < n; ++i) {
      Separator(d);
      Dim(d + 1, at + i * step, step);
    }
    out += ']';
  }
};

int64_t Limit(const Tensor& t, int64_t wanted) {
  return wanted < 0 ? t.num_elements() : std::min(wanted, t.num_elements());
}

void AppendFirstValues(std::string& out, const Tensor& t, int64_t max_values,
                       size_t text_limit = 0) {
  FirstValues text{.t = t,
                   .limit = Limit(t, max_values),
                   .out = out,
                   .text_limit = text_limit};
  if (t.rank() == 0) {
    if (text.limit > 0) AppendElement(out, t, 0, false, text_limit);
  } else {
    text.Dim(0);
  }
  if (t.num_elements() > text.limit) out += "...";
}

}  // namespace

std::string FirstValuesText(const Tensor& t, int64_t max_values) {
  std::string out;
  AppendFirstValues(out, t, max_values);
  return out;
}

std::string BothEndsText(const Tensor& t, int64_t at_ends) {
  BothEnds text{.t = t, .ends = Limit(t, at_ends)};
  if (t.rank() == 0) {
    if (text.ends == 0) return "...";
    AppendElement(text.out, t, 0, true);
  } else if (t.dtype() == DataType::kResource ||
             t.dtype() == DataType::kVariant) {
    text.out += '[';
    for (int64_t i = 0; i < text.ends; ++i) {
      if (i > 0) text.out += ' ';
      AppendElement(text.out, t, i, false);
    }
    text.out += text.ends < t.num_elements() ? "...]" : "]";
  } else {
    text.Dim(0, 0, t.num_elements());
  }
  return std::move(text.out);
}

void AppendTensorText(const Tensor& t, std::string* text, size_t limit) {
  *text +=
      Format("Tensor<type: {} shape: {} values: ", DataTypeString(t.dtype()),
             t.shape().DebugString());
  AppendFirstValues(*text, t, 3, limit);
  *text += '>';
}

std::string ShapeObjectText(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return "TensorShape(None)";
  std::string dims;
  for (const int64_t n : shape.dims()) {
    if (!dims.empty()) dims += ", ";
    dims += n < 0 ? "None" : Format("{}", n);
  }
  return "TensorShape([" + dims + "])";
}

}  // namespace gk
