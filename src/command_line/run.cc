// graphkiln run: what a model makes of given values.
#include <unistd.h>

#include <chrono>

#include "command_line/commands.h"
#include "command_line/find_callable.h"
#include "command_line/value_files.h"
#include "framework/tensor_text.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Slice.h"

namespace gk::command {
namespace {

// Of a printed result: so many at both ends of each dimension.
constexpr int64_t kPrintedAtEnds = 3;
constexpr int kBarWidth = 30;
constexpr double kSecondsBetweenBars = 0.1;

// How far it is, on a terminal.
class ProgressBar {
 public:
  ProgressBar(const Console& console, int64_t total)
      : console_(console),
        total_(total),
        shown_(isatty(fileno(console.err)) == 1) {}
  ~ProgressBar() {
    if (drawn_) console_.Tell("\r\x1b[K");
  }
  ProgressBar(const ProgressBar&) = delete;

  void Show(int64_t done) {
    if (!shown_) return;
    const double seconds = Since(start_);
    if (done < total_ && drawn_ && Since(last_) < kSecondsBetweenBars) return;
    last_ = std::chrono::steady_clock::now();
    drawn_ = true;
    const int filled = static_cast<int>(kBarWidth * done / total_);
    console_.Tell(Format("\r[{}{}] {}/{} rows, {:.0f} rows/s\x1b[K",
                         std::string(filled, '='),
                         std::string(kBarWidth - filled, ' '), done, total_,
                         seconds > 0 ? done / seconds : 0.0));
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  static double Since(Time then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         then)
        .count();
  }

  const Console& console_;
  const int64_t total_;
  const bool shown_;
  bool drawn_ = false;
  const Time start_ = std::chrono::steady_clock::now();
  Time last_ = start_;
};

TensorVector CallOnce(const Callable& callable, const TensorVector& inputs) {
  TensorVector results;
  Must(Exit::kFailed, callable.function->Call(inputs, &results));
  return results;
}

// Has the input a row for each example?
bool HasRows(const Callable::Input& input) {
  return input.shape.unknown_rank() ||
         (input.shape.rank() > 0 && input.shape.dim(0) < 0);
}

int64_t NumRows(const Callable& callable, const TensorVector& inputs) {
  int64_t rows = -1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!HasRows(callable.inputs[i]) || inputs[i].rank() == 0) continue;
    if (rows >= 0 && inputs[i].dim(0) != rows) {
      throw Failure::Make(Exit::kFailed,
                          "--batch: the inputs have {} and {} rows.", rows,
                          inputs[i].dim(0));
    }
    rows = inputs[i].dim(0);
  }
  if (rows >= 0) return rows;
  throw Failure::Make(Exit::kFailed,
                      "--batch: no input has a first dimension that may be of "
                      "any size.");
}

Tensor Rows(const Tensor& all, int64_t begin, int64_t count) {
  std::vector<int64_t> starts(all.rank()), sizes(all.rank(), -1);
  starts[0] = begin;
  sizes[0] = count;
  return ops::Slice(all, Tensor::Vector<int64_t>(starts),
                    Tensor::Vector<int64_t>(sizes));
}

TensorVector CallInBatches(const Callable& callable, const TensorVector& inputs,
                           int64_t batch, const Console& console) {
  const int64_t rows = NumRows(callable, inputs);
  if (rows <= batch) return CallOnce(callable, inputs);
  std::vector<TensorVector> parts(callable.outputs.size());
  ProgressBar bar(console, rows);
  for (int64_t begin = 0; begin < rows; begin += batch) {
    const int64_t count = std::min(batch, rows - begin);
    TensorVector part = inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (HasRows(callable.inputs[i]) && inputs[i].rank() > 0) {
        part[i] = Rows(inputs[i], begin, count);
      }
    }
    const TensorVector results = CallOnce(callable, part);
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].rank() == 0 || results[i].dim(0) != count) {
        throw Failure::Make(
            Exit::kFailed,
            "--batch: '{}' has shape {} for {} rows; it has no row for each. "
            "Run without --batch.",
            Shown(callable.outputs[i]), results[i].shape().DebugString(),
            count);
      }
      parts[i].push_back(results[i]);
    }
    bar.Show(begin + count);
  }
  TensorVector whole;
  for (const TensorVector& part : parts) {
    whole.push_back(ops::ConcatV2(part, Tensor::Scalar<int32_t>(0)));
  }
  return whole;
}

std::string ResultsText(const NamedTensors& results) {
  std::string text;
  for (const auto& [name, tensor] : results) {
    text += Format("{}: {} {}\n{}\n", Shown(name), DataTypeName(tensor.dtype()),
                   tensor.partial_shape().PythonString(),
                   BothEndsText(tensor, kPrintedAtEnds));
  }
  return text;
}

Exit Run(const Arguments& arguments, const Console& console) {
  const Callable callable = FindCallable(arguments.words()[0], arguments);
  const TensorVector inputs = ReadInputs(callable, arguments, console);
  const int64_t batch = arguments.Number("batch", 0, 1, int64_t{1} << 40);
  const TensorVector values =
      batch > 0 ? CallInBatches(callable, inputs, batch, console)
                : CallOnce(callable, inputs);
  NamedTensors results;
  for (size_t i = 0; i < values.size(); ++i) {
    results.emplace_back(callable.outputs[i], values[i]);
  }
  std::vector<std::string> targets = arguments.Values("output");
  if (targets.empty() && !arguments.Has("json")) {
    console.Print(ResultsText(results));
  }
  if (arguments.Has("json")) targets.emplace_back("-");
  WriteOutputs(results, targets, console);
  return Exit::kDone;
}

constexpr Option kRunOptions[] = {
    kInputOption,
    kValueOption,
    {"output", "[NAME=]FILE",
     "where a result goes: .npy, .npz, .json, .csv, .tsv, .png, .jpg; - is\n"
     "the standard output, as JSON. Without NAME: all of them"},
    {"json", nullptr, "print all values as JSON"},
    {"batch", "ROWS",
     "call the model for so many rows at a time and join the results"},
    kSignatureOption,
    kFeedOption,
    kFetchOption,
    kTagsOption,
};
constexpr Example kRunExamples[] = {
    {"run model --value 'x=[[1, 2, 3, 4]]'", "values on the command line"},
    {"run model --input x=rows.npy --output result.npz",
     "from and to NumPy's files"},
    {"run model --input table.csv --batch 256 --output scores=scores.csv",
     "a table in pieces, with a progress bar on a terminal"},
    {"run model --input picture.png --signature classify --json",
     "a picture; pixels are 0 to 255 whatever the type of the input"},
    {"run graph.pb --input x=- --fetch softmax:0 < rows.json",
     "a tensor of a GraphDef, with values from the standard input"},
};

}  // namespace

const Command kRunCommand = {
    "run",
    "MODEL",
    1,
    1,
    "Runs a model on values from files.",
    "MODEL is a SavedModel's folder or a GraphDef. What is in a file is seen\n"
    "from its content. Values are taken as the type of the input where none "
    "of\n"
    "them changes, but for the rounding of real numbers. Without --output and\n"
    "--json, results are printed, long ones in part.",
    kRunOptions,
    kRunExamples,
    Run};

}  // namespace gk::command
