#include "ops/data/sqlite_library.h"

#include <dlfcn.h>

#include <cstring>
#include <utility>

#include "base/late_library.h"

namespace gk {
namespace {

constexpr char kLibrary[] = "libsqlite3.so.0";

// Of SQLite's interface, which does not change within version 3.
constexpr int kOk = 0, kBusy = 5, kLocked = 6, kNoMemory = 7, kReadOnly = 8;
constexpr int kCorrupt = 11, kNotADatabase = 26, kRow = 100, kDone = 101;
constexpr int kOpenReadOnly = 0x1, kOpenNoMutex = 0x8000;

struct Library {
  int (*open)(const char* file, void** database, int flags,
              const char* vfs) = nullptr;
  int (*close)(void* database) = nullptr;
  const char* (*message)(void* database) = nullptr;
  int (*prepare)(void* database, const char* text, int size, void** statement,
                 const char** rest) = nullptr;
  int (*step)(void* statement) = nullptr;
  int (*finalize)(void* statement) = nullptr;
  int (*columns)(void* statement) = nullptr;
  const void* (*blob)(void* statement, int i) = nullptr;
  int (*bytes)(void* statement, int i) = nullptr;
  int64_t (*integer)(void* statement, int i) = nullptr;
  double (*real)(void* statement, int i) = nullptr;
  std::string error;

  Library() {
    // Where another library of the process offers SQLite to all, parts of the
    // system's would call parts of that one: it is used whole, or not at all.
    if (Take(RTLD_DEFAULT)) return;
    void* const handle = OpenLateLibrary(kLibrary);
    if (handle == nullptr) {
      error = dlerror();
    } else if (!Take(handle)) {
      error = Format("{} lacks functions", kLibrary);
    }
  }

  // False unless all functions are there, and of one library.
  bool Take(void* handle) {
    const void* owner = nullptr;
    const auto find = [&](const char* name, auto* function) {
      void* const found = dlsym(handle, name);
      std::memcpy(function, &found, sizeof(found));
      Dl_info info;
      if (found == nullptr || dladdr(found, &info) == 0) return false;
      if (owner == nullptr) owner = info.dli_fbase;
      return owner == info.dli_fbase;
    };
    return find("sqlite3_open_v2", &open) && find("sqlite3_close_v2", &close) &&
           find("sqlite3_errmsg", &message) &&
           find("sqlite3_prepare_v2", &prepare) &&
           find("sqlite3_step", &step) && find("sqlite3_finalize", &finalize) &&
           find("sqlite3_column_count", &columns) &&
           find("sqlite3_column_blob", &blob) &&
           find("sqlite3_column_bytes", &bytes) &&
           find("sqlite3_column_int64", &integer) &&
           find("sqlite3_column_double", &real);
  }

  static const Library& Get() {
    static const Library* library = new Library;
    return *library;
  }
};

const Library& Sqlite() { return Library::Get(); }

}  // namespace

Status SqliteQuery::Failed(int code, std::string_view what) const {
  const char* message =
      database_ == nullptr ? "not enough memory" : Sqlite().message(database_);
  switch (code & 0xff) {
    case kBusy:
    case kLocked:
      return Status(Code::kUnavailable, Format("{} failed: {}", what, message));
    case kNoMemory:
      return ResourceExhausted("{} failed: {}", what, message);
    case kReadOnly:
      return Status(Code::kPermissionDenied,
                    Format("{} failed: {}", what, message));
    case kCorrupt:
    case kNotADatabase:
      return DataLoss("{} failed: {}", what, message);
    default:
      return InvalidArgument("{} failed: {}", what, message);
  }
}

StatusOr<SqliteQuery> SqliteQuery::Open(const std::string& file,
                                        const std::string& query) {
  const Library& library = Sqlite();
  if (!library.error.empty()) {
    return Unimplemented(
        "SQLite cannot be loaded: {}. Where packages are Debian's, "
        "libsqlite3-0 has it",
        library.error);
  }
  SqliteQuery q;
  int code = library.open(file.c_str(), &q.database_,
                          kOpenReadOnly | kOpenNoMutex, nullptr);
  if (code != kOk) return q.Failed(code, Format("Sqlite::Open({})", file));
  if (query.size() > size_t{1} << 30) {
    return InvalidArgument("A query of {} bytes is too long", query.size());
  }
  code =
      library.prepare(q.database_, query.data(), static_cast<int>(query.size()),
                      &q.statement_, nullptr);
  if (code != kOk) {
    return q.Failed(code, Format("{}: Sqlite::Prepare({})", file, query));
  }
  if (q.statement_ == nullptr) {
    return InvalidArgument("{}: the query '{}' has no statement", file, query);
  }
  return q;
}

SqliteQuery::SqliteQuery(SqliteQuery&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      statement_(std::exchange(other.statement_, nullptr)) {}

SqliteQuery::~SqliteQuery() {
  if (statement_ != nullptr) Sqlite().finalize(statement_);
  if (database_ != nullptr) Sqlite().close(database_);
}

int SqliteQuery::num_columns() const { return Sqlite().columns(statement_); }

bool SqliteQuery::Gives(DataType type) {
  switch (type) {
    case DataType::kString:
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kBool:
    case DataType::kDouble:
      return true;
    default:
      return false;
  }
}

StatusOr<Tensor> SqliteQuery::Column(int i, DataType type) const {
  const Library& library = Sqlite();
  if (type == DataType::kString) {
    const void* bytes = library.blob(statement_, i);
    const int size = library.bytes(statement_, i);
    return Tensor::Scalar(
        size <= 0 ? std::string()
                  : std::string(static_cast<const char*>(bytes), size));
  }
  if (type == DataType::kDouble) {
    return Tensor::Scalar<double>(library.real(statement_, i));
  }
  const int64_t value = library.integer(statement_, i);
  if (type == DataType::kBool) return Tensor::Scalar<bool>(value != 0);
  Tensor t;
  const bool known =
      VisitType<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t>(
          type,
          [&]<class T>(T) { t = Tensor::Scalar<T>(static_cast<T>(value)); });
  if (!known) return Internal("{} of a column", DataTypeString(type));
  return t;
}

Status SqliteQuery::Next(const std::vector<DataType>& types, TensorVector* row,
                         bool* end) {
  const int code = Sqlite().step(statement_);
  if (code == kDone) {
    *end = true;
    return OkStatus();
  }
  if (code != kRow) return Failed(code, "Sqlite::Step()");
  row->clear();
  for (size_t i = 0; i < types.size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor value, Column(static_cast<int>(i), types[i]));
    row->push_back(std::move(value));
  }
  return OkStatus();
}

}  // namespace gk
