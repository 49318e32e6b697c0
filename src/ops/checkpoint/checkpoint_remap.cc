// What a model takes over of an older one whose vocabulary was another: where
// entries were, and the rows and columns of a matrix by that.
#include <algorithm>
#include <unordered_map>

#include "checkpoint/bundle_reader.h"
#include "framework/op_registry.h"
#include "io/buffered_reader.h"
#include "ops/checkpoint/named_tensors.h"

namespace gk {
namespace {

constexpr int64_t kAllLines = -1;

Status OneFile(const Tensor& t, std::string_view input) {
  if (t.shape().IsScalar()) return OkStatus();
  return InvalidArgument("{} should be a single string, but got {}", input,
                         t.shape().DebugString());
}

// Calls `use` with each line and its number, until that gives false or fails.
template <class Use>
Status ForEachLine(const std::string& path, Use use) {
  GK_ASSIGN_OR_RETURN(io::BufferedReader reader,
                      io::BufferedReader::Open(path));
  std::string line;
  for (int64_t number = 0;; ++number) {
    GK_ASSIGN_OR_RETURN(const bool there, reader.ReadLine(&line));
    if (!there) return OkStatus();
    GK_ASSIGN_OR_RETURN(const bool more, use(line, number));
    if (!more) return OkStatus();
  }
}

using NumberOfEntry = std::unordered_map<std::string, int64_t>;

StatusOr<NumberOfEntry> ReadOldEntries(const std::string& path, int64_t size) {
  NumberOfEntry numbers;
  int64_t read = 0;
  GK_RETURN_IF_ERROR(ForEachLine(
      path, [&](const std::string& line, int64_t number) -> StatusOr<bool> {
        if (size != kAllLines && number >= size) return false;
        const auto [known, is_new] = numbers.emplace(line, number);
        if (!is_new) {
          return FailedPrecondition(
              "HashTable has different value for same key. Key {} has {} and "
              "trying to add value {} ({} has the entry twice)",
              line, known->second, number, path);
        }
        ++read;
        return true;
      }));
  if (read < size) {
    return InvalidArgument("Invalid vocab_size in {}: expected {} but got {}",
                           path, size, read);
  }
  if (read == 0) return OutOfRange("Finished reading 0 of lines from {}", path);
  return numbers;
}

Status ComputeRemapping(KernelContext& c) {
  GK_RETURN_IF_ERROR(OneFile(c.input(0), "new_vocab_file"));
  GK_RETURN_IF_ERROR(OneFile(c.input(1), "old_vocab_file"));
  const std::string& path = c.input(0).flat<std::string>()[0];
  const auto offset = c.attr<int64_t>("new_vocab_offset");
  const auto count = c.attr<int64_t>("num_new_vocab");
  std::vector<std::string> wanted;
  int64_t lines = 0;
  GK_RETURN_IF_ERROR(ForEachLine(
      path, [&](const std::string& line, int64_t number) -> StatusOr<bool> {
        ++lines;
        if (number < offset) return true;
        if (static_cast<int64_t>(wanted.size()) == count) return false;
        wanted.push_back(line);
        return true;
      }));
  if (lines == 0) return OutOfRange("{} has no entries", path);
  if (static_cast<int64_t>(wanted.size()) < count) {
    return InvalidArgument(
        "lookup table size must be larger than last new vocab entry's line: {} "
        "entries were asked for from line {} of {}, which has {} lines",
        count, offset, path, lines);
  }
  GK_ASSIGN_OR_RETURN(const NumberOfEntry old,
                      ReadOldEntries(c.input(1).flat<std::string>()[0],
                                     c.attr<int64_t>("old_vocab_size")));
  std::vector<int64_t> remapping;
  int32_t present = 0;
  for (const std::string& entry : wanted) {
    const auto known = old.find(entry);
    remapping.push_back(known == old.end() ? -1 : known->second);
    if (known != old.end()) ++present;
  }
  c.set_output(0, Tensor::Vector(std::span<const int64_t>(remapping)));
  c.set_output(1, Tensor::Scalar(present));
  return OkStatus();
}

Status RemappingShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 0, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &shape));
  c.set_output(0, {c.attr<int64_t>("num_new_vocab")});
  c.set_output(1, TensorShape());
  return OkStatus();
}

// Where old ones go to, of which each may go to one place: {new, old}.
using Moves = std::vector<std::pair<int64_t, int64_t>>;
StatusOr<Moves> MovesOf(std::span<const int64_t> remapping) {
  Moves moves;
  std::unordered_map<int64_t, int64_t> place_of;
  for (size_t i = 0; i < remapping.size(); ++i) {
    const int64_t old = remapping[i];
    if (old < 0) continue;
    const auto place = static_cast<int64_t>(i);
    const auto [known, is_new] = place_of.emplace(old, place);
    if (!is_new) {
      return Unimplemented(
          "Old ID {} is mapped to both new ID {} and {}, which is not "
          "supported.",
          old, known->second, place);
    }
    moves.emplace_back(place, old);
  }
  return moves;
}

Status CheckOld(const Moves& moves, int64_t num_old, std::string_view what) {
  for (const auto& [place, old] : moves) {
    if (old < num_old) continue;
    return InvalidArgument("{}[{}] is {}; the old matrix has {} there", what,
                           place, old, num_old);
  }
  return OkStatus();
}

Status ComputeMatrix(KernelContext& c) {
  GK_RETURN_IF_ERROR(OneElement(c.input(0), "ckpt_path"));
  GK_RETURN_IF_ERROR(OneElement(c.input(1), "old_tensor_name"));
  const std::string& name = c.input(1).flat<std::string>()[0];
  const std::span<const int64_t> rows = c.input(2).flat<int64_t>();
  const std::span<const int64_t> columns = c.input(3).flat<int64_t>();
  const std::span<const float> fill = c.input(4).flat<float>();
  const auto num_rows = c.attr<int64_t>("num_rows");
  const auto num_columns = c.attr<int64_t>("num_cols");
  if (static_cast<int64_t>(rows.size()) != num_rows) {
    return InvalidArgument(
        "Size of row_remapping is {} instead of being equal to num_rows={}",
        rows.size(), num_rows);
  }
  if (!columns.empty() && static_cast<int64_t>(columns.size()) != num_columns) {
    return InvalidArgument(
        "Provided col_remapping, but its size is {} instead of being equal to "
        "num_cols={}",
        columns.size(), num_columns);
  }
  GK_ASSIGN_OR_RETURN(const Moves row_moves, MovesOf(rows));
  GK_ASSIGN_OR_RETURN(Moves column_moves, MovesOf(columns));
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<BundleReader> reader,
                      BundleReader::Open(c.input(0).flat<std::string>()[0]));
  GK_ASSIGN_OR_RETURN(const BundleReader::TensorInfo* info, reader->Find(name));
  if (info->dtype != DataType::kFloat) {
    return InvalidArgument(
        "Tensor {} has invalid type {} instead of expected type float", name,
        DataTypeString(info->dtype));
  }
  if (info->shape.rank() != 2) {
    return InvalidArgument(
        "Tensor {} has shape {} of invalid rank {} instead of expected shape "
        "of rank 2.",
        name, info->shape.DebugString(), info->shape.rank());
  }
  const int64_t old_columns = info->shape.dim(1);
  if (columns.empty() && old_columns != num_columns) {
    return InvalidArgument(
        "Tensor {} has shape {}, where the size of its 2nd dimension is {} "
        "instead of being equal to num_cols={}",
        name, info->shape.DebugString(), old_columns, num_columns);
  }
  GK_RETURN_IF_ERROR(CheckOld(row_moves, info->shape.dim(0), "row_remapping"));
  GK_RETURN_IF_ERROR(CheckOld(column_moves, old_columns, "col_remapping"));
  if (columns.empty()) {
    for (int64_t i = 0; i < num_columns; ++i) column_moves.emplace_back(i, i);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat,
                                TensorShape({num_rows, num_columns}), &out));
  const std::span<float> to(out->data<float>(), out->num_elements());
  std::vector<bool> is_taken(to.size());
  if (!row_moves.empty()) {
    GK_ASSIGN_OR_RETURN(const Tensor old, reader->Read(name));
    const float* const from = old.data<float>();
    for (const auto& [row, old_row] : row_moves) {
      for (const auto& [column, old_column] : column_moves) {
        const int64_t place = row * num_columns + column;
        to[place] = from[old_row * old_columns + old_column];
        is_taken[place] = true;
      }
    }
  }
  size_t used = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (is_taken[i]) continue;
    if (used == fill.size()) {
      return InvalidArgument(
          "initializing_values contained {} elements, but more missing values "
          "remain.",
          fill.size());
    }
    to[i] = fill[used++];
  }
  if (used == fill.size()) return OkStatus();
  return InvalidArgument(
      "initializing_values contained {} elements, but only {} elements were "
      "used to fill in missing values.",
      fill.size(), used);
}

Status MatrixShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(3, 1, &shape));
  c.set_output(0, {c.attr<int64_t>("num_rows"), c.attr<int64_t>("num_cols")});
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "GenerateVocabRemapping",
     .inputs = "new_vocab_file: string; old_vocab_file: string",
     .outputs = "remapping: int64; num_present: int32",
     .attrs = "new_vocab_offset: int >= 0; num_new_vocab: int >= 0; "
              "old_vocab_size: int >= -1 = -1",
     .traits = kNoGradient,
     .shape = RemappingShape,
     .kernel = {.compute = ComputeRemapping},
     .doc = "For num_new_vocab lines of the new file, from new_vocab_offset "
            "on: which line of the old one it is, of its first old_vocab_size "
            "(-1: of all), or -1; and for how many there is one. Raises "
            "FailedPreconditionError if the old file has a line twice, "
            "InvalidArgumentError if one has too few."},

    {.name = "LoadAndRemapMatrix",
     .inputs = "ckpt_path: string; old_tensor_name: string; row_remapping: "
               "int64; col_remapping: int64; initializing_values: float",
     .outputs = "output_matrix: float",
     .attrs = "num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int "
              "= -1",
     .traits = kStateful | kNoGradient,
     .shape = MatrixShape,
     .kernel = {.compute = ComputeMatrix},
     .doc = "A matrix of a checkpoint, whose row i is the old row "
            "row_remapping[i], and the same of columns, unless col_remapping "
            "is empty: then they stay. What is -1 there is taken, in order, "
            "from initializing_values. max_rows_in_memory changes nothing. "
            "Raises NotFoundError for a name that the checkpoint does not "
            "have, UnimplementedError if an old row or column is asked for "
            "twice, InvalidArgumentError for sizes that do not fit."},
};

}  // namespace

GK_REGISTER_OPS(checkpoint_remap)

}  // namespace gk
