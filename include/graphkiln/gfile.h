// Files, here and wherever a file system is registered for: what tf.io.gfile is
// in Python.
//
//   namespace gfile = gk::io::gfile;
//   gfile::makedirs("out/logs");
//   gfile::GFile file("out/logs/a.txt", "w");
//   file.write("one line\n");
//   file.close();
//   for (const std::string& path : gfile::glob("out/*/*.txt")) ...
//
// Paths are "a/b", "/a/b" and "scheme://host/a/b". All functions are
// thread-safe. They throw Error: NotFound, PermissionDenied,
// FailedPrecondition (a file where a folder is wanted, or the other way
// round), AlreadyExists, ResourceExhausted (a full disk), InvalidArgument,
// Unimplemented (a scheme that nobody registered); its text names the path,
// what was asked and what helps.
#ifndef GRAPHKILN_GFILE_H_
#define GRAPHKILN_GFILE_H_

#include <graphkiln/error.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace io {

  // What is known of a file or folder.
  struct FileStatistics {
    int64_t length = 0;      // in bytes
    int64_t mtime_nsec = 0;  // when it was last changed, since 1970
    bool is_directory = false;
  };

  // Where the files of a scheme are: derive from it, register one, and every
  // function and op that takes a path finds it. Members get whole paths, with
  // their scheme, on any thread, several at once; they throw Error.
  class GK_EXPORT FileSystem {
   public:
    virtual ~FileSystem();
    // The bytes at `offset`, as many as `to` has room for; gives how many
    // there were, fewer only at the end.
    virtual size_t read(const std::string& path, uint64_t offset,
                        std::span<char> to) = 0;
    // The file becomes these bytes, or, `append`, gets them at its end. It is
    // made if it is not there.
    virtual void write(const std::string& path, std::string_view bytes,
                       bool append) = 0;
    // NotFound if there is nothing.
    virtual FileStatistics stat(const std::string& path) = 0;
    // The names in a folder.
    virtual std::vector<std::string> list(const std::string& path) = 0;
    // AlreadyExists.
    virtual void make_directory(const std::string& path) = 0;
    virtual void delete_file(const std::string& path) = 0;
    // FailedPrecondition unless it is empty.
    virtual void delete_directory(const std::string& path) = 0;
    // Replaces what is there. By default the file is copied and deleted.
    virtual void rename(const std::string& from, const std::string& to);
  };

  // For paths "scheme://...", as long as the program runs. Throws Error:
  // AlreadyExists if the scheme has one.
  GK_EXPORT void register_file_system(const std::string& scheme,
                                      std::shared_ptr<FileSystem> file_system);

  // A file in memory as long as this lives; copies share it. Local files are
  // mapped: pages are read when they are looked at. Others must not cut the
  // file off meanwhile.
  class GK_EXPORT MappedFile {
   public:
    // Throws Error: NotFound and the like.
    explicit MappedFile(const std::string& path);
    // All of it.
    std::string_view bytes() const { return bytes_; }

   private:
    std::shared_ptr<const void> rep_;
    std::string_view bytes_;
  };

  namespace gfile {

  // A file that is read in pieces and lines, or written. Copies are the same
  // file. It is opened by the first call that reads or writes.
  class GK_EXPORT GFile {
   public:
    // "r", "w", "a", "r+", "w+", "a+", also with a "b". Those with "w", and
    // "r+", replace the file when they first write.
    explicit GFile(const std::string& name, const std::string& mode = "r");

    // What it was made with.
    const std::string& name() const;
    const std::string& mode() const;
    // In bytes.
    int64_t size() const;
    // `n` bytes, fewer at the end; -1: all that are left.
    std::string read(int64_t n = -1) const;
    // With its "\n", without carriage returns; empty at the end.
    std::string readline() const;
    std::vector<std::string> readlines() const;
    // From the beginning (0), from here (1), from the end (2). Throws Error
    // (OutOfRange) behind the end, where it is then.
    void seek(int64_t offset, int whence = 0) const;
    int64_t tell() const;
    // True.
    bool seekable() const { return true; }
    void write(std::string_view bytes) const;
    // Readers see what was written.
    void flush() const;
    // It opens again when it is next used.
    void close() const;

   private:
    struct Rep;
    std::shared_ptr<Rep> rep_;
  };

  // The file at `dst` becomes that at `src`. Throws Error: AlreadyExists.
  GK_EXPORT void copy(const std::string& src, const std::string& dst,
                      bool overwrite = false);
  GK_EXPORT bool exists(const std::string& path);
  GK_EXPORT bool isdir(const std::string& path);
  // Sorted names. Throws Error: NotFound unless it is a folder.
  GK_EXPORT std::vector<std::string> listdir(const std::string& path);
  // With the folders around it; nothing if it is there.
  GK_EXPORT void makedirs(const std::string& path);
  // Nothing if there is something of that name.
  GK_EXPORT void mkdir(const std::string& path);
  // Of a file.
  GK_EXPORT void remove(const std::string& path);
  // Throws Error: AlreadyExists.
  GK_EXPORT void rename(const std::string& src, const std::string& dst,
                        bool overwrite = false);
  // With all that is in it; links are deleted, not followed.
  GK_EXPORT void rmtree(const std::string& path);
  GK_EXPORT FileStatistics stat(const std::string& path);
  // Paths that a pattern with "*", "?" and "[...]" describes, sorted.
  GK_EXPORT std::vector<std::string> glob(const std::string& pattern);
  GK_EXPORT std::vector<std::string> glob(
      const std::vector<std::string>& patterns);
  // With one "/" between them; what begins with one replaces those before it.
  GK_EXPORT std::string join(const std::vector<std::string>& paths);
  GK_EXPORT std::vector<std::string> get_registered_schemes();

  // A folder and the names of what is in it, sorted.
  struct Folder {
    std::string path;
    std::vector<std::string> folders, files;
  };
  // Calls `visit` for a folder and all folders in it, before those in it or
  // after them; of names that it takes out of `folders` before, none is
  // visited. What cannot be read is told to `onerror`, or left out.
  GK_EXPORT void walk(const std::string& top,
                      const std::function<void(Folder&)>& visit,
                      bool topdown = true,
                      const std::function<void(const Error&)>& onerror = {});

  }  // namespace gfile
  }  // namespace io
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_GFILE_H_
