// Runs the C++ texts of the tables, or those that are named, and writes what
// they show.
#include <complex>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "show.h"

namespace {

template <class T>
std::string Text(const T& x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return '"' + x + '"';
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(x);
  } else {
    char text[40];
    std::snprintf(
        text, sizeof text, sizeof(T) == 8 ? "%.17g" : "%.9g",
        static_cast<double>(
            static_cast<
                std::conditional_t<std::is_floating_point_v<T>, T, float>>(x)));
    return text;
  }
}
template <class T>
std::string Text(const std::complex<T>& x) {
  return Text(x.real()) + "," + Text(x.imag());
}

template <class T>
void WriteAs(const gk::Tensor& t) {
  for (const T& x : t.flat<T>()) std::cout << ' ' << Text(x);
}

// Calls `f` with a value of the first of the types that is t's.
template <class... T>
void WriteElements(const gk::Tensor& t) {
  ((t.dtype() == gk::kDataTypeOf<T> ? WriteAs<T>(t) : void()), ...);
}

const char* NameOf(gk::ErrorCode code) {
  switch (code) {
    case gk::ErrorCode::kInvalidArgument:
      return "InvalidArgumentError";
    case gk::ErrorCode::kOutOfRange:
      return "OutOfRangeError";
    case gk::ErrorCode::kFailedPrecondition:
      return "FailedPreconditionError";
    case gk::ErrorCode::kUnimplemented:
      return "UnimplementedError";
    case gk::ErrorCode::kTypeError:
      return "TypeError";
    case gk::ErrorCode::kValueError:
      return "ValueError";
    case gk::ErrorCode::kLookupError:
      return "LookupError";
    case gk::ErrorCode::kRuntimeError:
      return "RuntimeError";
    case gk::ErrorCode::kIndexError:
      return "IndexError";
    default:
      return "Error";
  }
}

}  // namespace

void Show::operator()(const gk::Tensor& t) const {
  if (!t.defined()) {
    std::cout << "None\n";
    return;
  }
  std::cout << gk::name(t.dtype()) << " [";
  for (int i = 0; i < t.rank(); ++i) std::cout << (i ? ", " : "") << t.dim(i);
  std::cout << "]:";
  WriteElements<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                int64_t, uint64_t, float, double, gk::half, gk::bfloat16,
                std::string, std::complex<float>, std::complex<double>>(t);
  std::cout << "\n";
}

int main(int argc, char** argv) {
  const std::set<std::string_view> wanted(argv + 1, argv + argc);
  Show show;
  for (const auto& [name, run] : AllPrograms()) {
    if (!wanted.empty() && !wanted.contains(name)) continue;
    std::cout << "## " << name << "\n";
    try {
      run(show);
    } catch (const gk::Error& error) {
      std::cout << "error " << NameOf(error.code()) << "\n";
      if (!wanted.empty()) std::cerr << error.what() << "\n";
    }
  }
}
