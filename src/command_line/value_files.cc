#include "command_line/value_files.h"

#include <algorithm>
#include <cstring>

#include "command_line/csv.h"
#include "command_line/value_text.h"
#include "io/files.h"
#include "kernels/picture_codec.h"
#include "ops/fn/Cast.h"
#include "ops/fn/DecodeImage.h"
#include "ops/fn/EncodeJpeg.h"
#include "ops/fn/EncodePng.h"

namespace gk::command {
namespace {

enum class Form { kNpy, kNpz, kJson, kCsv, kTsv, kPicture, kJpeg };

// What a file is to be by the end of its name.
std::optional<Form> FormOfName(std::string_view path) {
  constexpr std::pair<std::string_view, Form> kEndings[] = {
      {".npy", Form::kNpy},  {".npz", Form::kNpz},   {".json", Form::kJson},
      {".csv", Form::kCsv},  {".tsv", Form::kTsv},   {".png", Form::kPicture},
      {".jpg", Form::kJpeg}, {".jpeg", Form::kJpeg},
  };
  for (const auto& [ending, form] : kEndings) {
    if (path.ends_with(ending)) return form;
  }
  return std::nullopt;
}

// What it is by its first bytes; text by its name, or how it begins.
Form FormOf(std::string_view path, std::string_view bytes) {
  if (bytes.starts_with(kNpyMagic)) return Form::kNpy;
  if (bytes.starts_with(kZipMagic)) return Form::kNpz;
  if (PictureFormatOf(bytes) != PictureFormat::kUnknown) return Form::kPicture;
  if (const std::optional<Form> form = FormOfName(path)) return *form;
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  const char c = start == bytes.npos ? ' ' : bytes[start];
  return c == '[' || c == '{' || c == '"' ? Form::kJson : Form::kCsv;
}

[[noreturn]] void Refuse(Exit exit, const std::string& path,
                         std::string_view what) {
  throw Failure::Make(exit, "{}: {}",
                      path == "-" ? std::string("the standard input") : path,
                      what);
}
template <class T>
T OfFile(const std::string& path, StatusOr<T> value) {
  if (!value.ok()) Refuse(Exit::kDamaged, path, value.status().message());
  return std::move(value).value();
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
}

// In the type that is taken, if no value changes but for the rounding of real
// numbers.
Tensor InType(const Callable::Input& input, const Tensor& given,
              const std::string& path) {
  if (given.dtype() == input.dtype) return given;
  const auto plain = [](DataType t) {
    return !IsObjectType(t) && DataTypeSize(t) > 0;
  };
  if (plain(given.dtype()) && plain(input.dtype)) {
    const bool real = IsFloating(given.dtype()) && IsFloating(input.dtype);
    const Tensor made = ops::Cast(given, input.dtype);
    if (real || SameBytes(ops::Cast(made, given.dtype()), given)) return made;
  }
  Refuse(Exit::kFailed, path,
         Format("its values are {}, which cannot all be what the input takes: "
                "{}",
                DataTypeName(given.dtype()), InputText(input)));
}

Tensor WithFirstDim(const Tensor& tensor) {
  TensorShape shape = tensor.shape();
  shape.InsertDim(0, 1);
  return tensor.WithShape(shape);
}

Tensor OfPicture(const Callable::Input& input, const std::string& bytes,
                 const std::string& path) {
  Tensor made;
  if (input.dtype == DataType::kString) {
    made = Tensor::Scalar<std::string>(bytes);
  } else {
    const int rank = input.shape.rank();
    const int64_t channels = rank > 0 ? input.shape.dim(rank - 1) : -1;
    const bool asked = channels == 1 || channels == 3 || channels == 4;
    try {
      made = ops::DecodeImage(Tensor::Scalar<std::string>(bytes),
                              asked ? channels : 0, DataType::kUint8,
                              /*expand_animations=*/false);
    } catch (const Error& error) {
      Refuse(Exit::kDamaged, path, error.status().message());
    }
    made = InType(input, made, path);
  }
  return input.shape.rank() == made.rank() + 1 ? WithFirstDim(made) : made;
}

Tensor OfTable(const Callable::Input& input, const CsvTable& table,
               const std::string& path) {
  const size_t begin = HasNames(table, input.dtype) ? 1 : 0;
  const size_t columns = table.rows.empty() ? 0 : table.rows[0].size();
  const Tensor made =
      OfFile(path, TensorOfColumns(table, begin, 0, columns, input.dtype));
  if (input.shape.rank() == 1 && columns == 1) {
    return made.WithShape({made.dim(0)});
  }
  if (input.shape.rank() == 1 && made.dim(0) == 1) {
    return made.WithShape({made.dim(1)});
  }
  return input.shape.rank() == 0 && made.num_elements() == 1
             ? made.WithShape({})
             : made;
}

// One input's values, from the whole of a file.
Tensor OfBytes(const Callable::Input& input, const std::string& bytes,
               const std::string& path) {
  switch (FormOf(path, bytes)) {
    case Form::kNpy:
      return InType(input, OfFile(path, ReadNpy(bytes)), path);
    case Form::kNpz: {
      const NamedTensors all = OfFile(path, ReadNpz(bytes));
      for (const auto& [name, tensor] : all) {
        if (name == input.name || all.size() == 1) {
          return InType(input, tensor, path);
        }
      }
      Refuse(Exit::kFailed, path,
             Format("it has no array '{}'", Shown(input.name)));
    }
    case Form::kJson:
      return OfFile(
          path, TensorOfJson(OfFile(path, Json::Parse(bytes)), input.dtype));
    case Form::kPicture:
    case Form::kJpeg:
      return OfPicture(input, bytes, path);
    default: {
      const char separator = path.ends_with(".tsv") ? '\t' : ',';
      return OfTable(input, OfFile(path, ParseCsv(bytes, separator)), path);
    }
  }
}

class InputReader {
 public:
  InputReader(const Callable& callable, const Console& console)
      : callable_(callable),
        console_(console),
        values_(callable.inputs.size()) {}

  void TakeFile(const std::string& given) {
    // Names may have anything in them, paths too: a file is what is there.
    const size_t equals = given.find('=');
    if (equals != given.npos && Has(given.substr(0, equals))) {
      const std::string path = given.substr(equals + 1);
      const size_t i = IndexOf(given.substr(0, equals));
      Set(i, OfBytes(callable_.inputs[i], Bytes(path), path), path);
      return;
    }
    if (equals != given.npos && !ValueOrThrow(io::Exists(given))) {
      IndexOf(given.substr(0, equals));  // fails
    }
    TakeAll(Bytes(given), given);
  }

  void TakeValue(const std::string& given) {
    const size_t equals = given.find('=');
    const bool named = equals != given.npos && Has(given.substr(0, equals));
    const size_t i = named ? IndexOf(given.substr(0, equals)) : OnlyOne();
    const std::string text = named ? given.substr(equals + 1) : given;
    const std::string path = "--value " + Shown(given);
    const StatusOr<Json> json = Json::Parse(text);
    if (!json.ok()) {
      if (!named && equals != given.npos) IndexOf(given.substr(0, equals));
      throw Failure::Make(Exit::kUsage, "{}: {}", path,
                          json.status().message());
    }
    Set(i, OfFile(path, TensorOfJson(*json, callable_.inputs[i].dtype)), path);
  }

  TensorVector Finish() {
    std::vector<std::string> missing;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i]) values_[i] = callable_.inputs[i].fallback;
      if (!values_[i]) missing.push_back(InputText(callable_.inputs[i]));
    }
    if (missing.empty()) return std::move(values_);
    throw Failure::Make(Exit::kUsage,
                        "{}: values are missing (--input, --value): {}",
                        callable_.model, JoinText(missing, "; "));
  }

 private:
  bool Has(const std::string& name) const {
    return std::ranges::any_of(callable_.inputs,
                               [&](const auto& i) { return i.name == name; });
  }

  size_t IndexOf(const std::string& name) const {
    std::vector<std::string> known;
    for (size_t i = 0; i < callable_.inputs.size(); ++i) {
      if (callable_.inputs[i].name == name) return i;
      known.push_back(InputText(callable_.inputs[i]));
    }
    throw Failure::Make(Exit::kUsage, "{} has no input '{}'. It takes {}.",
                        Shown(callable_.name), Shown(name),
                        known.empty() ? "nothing" : JoinText(known, "; "));
  }

  size_t OnlyOne() const {
    if (callable_.inputs.size() == 1) return 0;
    std::vector<std::string> known;
    for (const auto& input : callable_.inputs)
      known.push_back(InputText(input));
    throw Failure::Make(Exit::kUsage,
                        "say of which input: NAME=... {} takes {}.",
                        Shown(callable_.name),
                        known.empty() ? "nothing" : JoinText(known, "; "));
  }

  std::string Bytes(const std::string& path) const {
    return path == "-" ? console_.ReadInput() : MustRead(io::ReadFile(path));
  }

  // Arrays, members or columns by name, or the only input's values.
  void TakeAll(const std::string& bytes, const std::string& path) {
    const Form form = FormOf(path, bytes);
    if (form == Form::kNpz) {
      for (const auto& [name, tensor] : OfFile(path, ReadNpz(bytes))) {
        if (callable_.inputs.size() == 1 && !Has(name)) continue;
        const size_t i = IndexOf(name);
        Set(i, InType(callable_.inputs[i], tensor, path), path);
      }
      if (callable_.inputs.size() > 1 || values_.empty() || values_[0]) return;
    } else if (form == Form::kJson) {
      const Json json = OfFile(path, Json::Parse(bytes));
      if (const Json::Members* members = json.members()) {
        for (const auto& [name, value] : *members) {
          const size_t i = IndexOf(name);
          Set(i, OfFile(path, TensorOfJson(value, callable_.inputs[i].dtype)),
              path);
        }
        return;
      }
    } else if ((form == Form::kCsv || form == Form::kTsv) &&
               callable_.inputs.size() > 1) {
      return TakeColumns(
          OfFile(path, ParseCsv(bytes, form == Form::kTsv ? '\t' : ',')), path);
    }
    const size_t i = OnlyOne();
    Set(i, OfBytes(callable_.inputs[i], bytes, path), path);
  }

  void TakeColumns(const CsvTable& table, const std::string& path) {
    if (table.rows.empty()) Refuse(Exit::kDamaged, path, "it has no rows");
    for (size_t c = 0; c < table.rows[0].size(); ++c) {
      const size_t i = IndexOf(table.rows[0][c]);
      const Callable::Input& input = callable_.inputs[i];
      const Tensor made =
          OfFile(path, TensorOfColumns(table, 1, c, c + 1, input.dtype));
      Set(i, input.shape.rank() == 1 ? made.WithShape({made.dim(0)}) : made,
          path);
    }
  }

  void Set(size_t i, Tensor value, const std::string& path) {
    const Callable::Input& input = callable_.inputs[i];
    if (!input.shape.IsCompatibleWith(value.partial_shape())) {
      Refuse(Exit::kFailed, path,
             Format("its values are {} {}, the input is {}",
                    DataTypeName(value.dtype()),
                    value.partial_shape().PythonString(), InputText(input)));
    }
    values_[i] = std::move(value);
  }

  const Callable& callable_;
  const Console& console_;
  TensorVector values_;
};

// ---- writing ----

std::string BytesOf(const Tensor& tensor, Form form, const std::string& path) {
  switch (form) {
    case Form::kNpy:
      return Must(Exit::kFailed, WriteNpy(tensor));
    case Form::kNpz:
      break;
    case Form::kJson:
      return JsonOfTensor(tensor).Text();
    case Form::kCsv:
      return Must(Exit::kFailed, CsvText(tensor, ','));
    case Form::kTsv:
      return Must(Exit::kFailed, CsvText(tensor, '\t'));
    case Form::kPicture:
    case Form::kJpeg: {
      Tensor pixels = tensor;
      if (tensor.rank() == 4 && tensor.dim(0) == 1) {
        TensorShape shape = tensor.shape();
        shape.RemoveDim(0);
        pixels = tensor.WithShape(shape);
      }
      if (pixels.dtype() != DataType::kUint8 || pixels.rank() != 3) {
        Refuse(Exit::kFailed, path,
               Format("{} {} is no picture: that is uint8 (height, width, "
                      "channels)",
                      DataTypeName(tensor.dtype()),
                      tensor.partial_shape().PythonString()));
      }
      const Tensor bytes = form == Form::kJpeg ? ops::EncodeJpeg(pixels)
                                               : ops::EncodePng(pixels);
      return bytes.scalar<std::string>();
    }
  }
  return "";
}

std::string AllBytes(const NamedTensors& results, Form form,
                     const std::string& path) {
  if (form == Form::kNpz) return Must(Exit::kFailed, WriteNpz(results));
  if (form == Form::kJson) {
    Json::Members members;
    for (const auto& [name, tensor] : results) {
      members.emplace_back(name, JsonOfTensor(tensor));
    }
    return Json(std::move(members)).Text();
  }
  if (results.size() == 1) return BytesOf(results[0].second, form, path);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : results) names.push_back(Shown(name));
  throw Failure::Make(Exit::kUsage,
                      "{} holds one tensor, the results are {}: say which "
                      "(NAME={}), or write .npz or .json.",
                      path, JoinText(names, ", "), path);
}

}  // namespace

TensorVector ReadInputs(const Callable& callable, const Arguments& arguments,
                        const Console& console) {
  InputReader reader(callable, console);
  for (const std::string& given : arguments.Values("input")) {
    reader.TakeFile(given);
  }
  for (const std::string& given : arguments.Values("value")) {
    reader.TakeValue(given);
  }
  return reader.Finish();
}

void WriteOutputs(const NamedTensors& results,
                  const std::vector<std::string>& targets,
                  const Console& console) {
  for (const std::string& target : targets) {
    std::string path = target;
    const Tensor* only = nullptr;
    const size_t equals = target.find('=');
    for (const auto& [name, tensor] : results) {
      if (equals == target.npos || target.substr(0, equals) != name) continue;
      only = &tensor;
      path = target.substr(equals + 1);
    }
    const std::optional<Form> form =
        path == "-" ? Form::kJson : FormOfName(path);
    if (!form) {
      throw Failure::Make(Exit::kUsage,
                          "--output {}: expected [NAME=]FILE, where NAME is a "
                          "result and FILE ends in .npy, .npz, .json, .csv, "
                          ".tsv, .png or .jpg.",
                          Shown(target));
    }
    std::string bytes;
    if (only == nullptr) {
      bytes = AllBytes(results, *form, path);
    } else if (*form == Form::kNpz) {
      bytes = AllBytes({{target.substr(0, equals), *only}}, *form, path);
    } else {
      bytes = BytesOf(*only, *form, path);
    }
    if (path == "-") {
      console.Print(bytes);
    } else {
      Must(Exit::kFile, io::WriteFile(path, bytes));
    }
  }
}

}  // namespace gk::command
