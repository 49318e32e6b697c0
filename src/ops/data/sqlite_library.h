// SqliteQuery: the rows that a query of an SQLite database gives, one at a
// time. The library is loaded when the first one is asked.
//
// Not thread-safe.
#ifndef GK_OPS_DATA_SQLITE_LIBRARY_H_
#define GK_OPS_DATA_SQLITE_LIBRARY_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "framework/tensor.h"
#include "framework/types.h"

namespace gk {

class SqliteQuery {
 public:
  // Of a file, which is only read. Unimplemented if the library is not there;
  // InvalidArgument if there is no such file or the query is none.
  static StatusOr<SqliteQuery> Open(const std::string& file,
                                    const std::string& query);
  SqliteQuery(SqliteQuery&& other) noexcept;
  SqliteQuery& operator=(SqliteQuery&&) = delete;
  ~SqliteQuery();

  int num_columns() const;
  // The next row as scalars of the types, one for each column; *end behind the
  // last. Values become others as SQLite has it: a text that is no number is 0.
  Status Next(const std::vector<DataType>& types, TensorVector* row, bool* end);

  static bool Gives(DataType type);

 private:
  SqliteQuery() = default;
  Status Failed(int code, std::string_view what) const;
  StatusOr<Tensor> Column(int i, DataType type) const;

  void* database_ = nullptr;
  void* statement_ = nullptr;
};

}  // namespace gk

#endif  // GK_OPS_DATA_SQLITE_LIBRARY_H_
