#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/AsString.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Greater.h"
#include "ops/fn/ReduceJoin.h"
#include "ops/fn/Size.h"
#include "ops/fn/StringJoin.h"
#include "ops/fn/StringSplitV2.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

Tensor Text(std::string text) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Scalar(std::move(text)), {}));
}

Tensor Joined(const TensorVector& parts) { return ops::StringJoin(parts); }

Tensor JoinedRows(const RaggedValue& rows) {
  return ops::ReduceJoin(RaggedToTensor(rows), IntegerConstant(1));
}

// Strings with a backslash before each backslash and quote.
Tensor Escaped(Tensor flat) {
  for (const std::string special : {"\\", "'"}) {
    const TensorVector pieces = ops::StringSplitV2(flat, Text(special));
    const TensorVector places =
        CallComposition("unstack", {pieces[0], int64_t{2}, int64_t{1}});
    const Tensor values =
        Select(ops::Greater(places[1], Number(0, places[1])),
               Joined({Text("\\" + special), pieces[1]}), pieces[1]);
    flat = JoinedRows(
        {values, RowPartition::FromRowids(
                     places[0], ops::Size(flat, DataType::kInt64), false)});
  }
  return flat;
}

// The elements of each row, joined in brackets.
Tensor InBrackets(Tensor texts, const RowPartition& rows, int64_t summarize) {
  const Tensor ids = rows.rowids(), place = rows.columns(ids);
  texts = Select(ops::Greater(place, Number(0, place)),
                 Joined({Text(", "), texts}), texts);
  if (summarize >= 0) {
    const Tensor end = Take(rows.lengths(), ids) - summarize;
    const Tensor dropped = (place >= summarize) & (place < end);
    const Tensor first = ops::Equal(place, Number(summarize, place));
    const Tensor dots = Text(summarize > 0 ? ", ..." : "...");
    texts = Select(dropped, Select(first, dots, Text("")), texts);
  }
  return Joined({Text("["), JoinedRows({texts, rows}), Text("]")});
}

}  // namespace

Tensor RaggedText(const RaggedValue& ragged, int64_t summarize) {
  const int inner = ragged.flat().partial_shape().rank();
  if (inner < 0) {
    throw Error(ValueError(
        "The values of a ragged tensor to print must be of known rank."));
  }
  // Inner dimensions print as rows of their own.
  const RaggedValue deep = ragged.Deepened(ragged.ragged_rank() + inner - 1)
                               .WithSplitsType(DataType::kInt64);
  const Tensor& flat = deep.flat();
  Tensor texts = flat.dtype() == DataType::kString
                     ? Joined({Text("'"), Escaped(flat), Text("'")})
                     : ops::AsString(flat);
  for (int i = deep.ragged_rank(); i-- > 0;) {
    texts = InBrackets(texts, deep.partitions()[i], summarize);
  }
  const Tensor count = Row(ops::Size(texts, DataType::kInt64));
  return At(InBrackets(texts, RowPartition::OfLengths(count), summarize), 0);
}

}  // namespace gk
