#include "ops/string/regex.h"

#include <dlfcn.h>
#include <re2/re2.h>

#include <array>
#include <cctype>
#include <cstring>
#include <optional>

#include "base/late_library.h"

namespace gk {
namespace {

constexpr char kLibrary[] = "libre2.so.9";

// Functions of the library by the names that its linker knows.
struct Library {
  using Text = re2::StringPiece;

  void (*make)(void* self, const Text& pattern, const RE2::Options&) = nullptr;
  void (*unmake)(void* self) = nullptr;
  bool (*full_match)(const Text&, const RE2&, const RE2::Arg* const*,
                     int) = nullptr;
  bool (*match)(const RE2*, const Text&, size_t begin, size_t end, RE2::Anchor,
                Text* found, int) = nullptr;
  bool (*replace)(std::string*, const RE2&, const Text& rewrite) = nullptr;
  int (*replace_all)(std::string*, const RE2&, const Text& rewrite) = nullptr;
  std::string error;

  Library() {
    void* handle = OpenLateLibrary(kLibrary);
    if (handle == nullptr) {
      error = dlerror();
      return;
    }
    const auto find = [&](const char* name, auto* function) {
      void* found = dlsym(handle, name);
      if (found == nullptr) error = Format("{} has no {}", kLibrary, name);
      std::memcpy(function, &found, sizeof(found));
    };
    find("_ZN3re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE", &make);
    find("_ZN3re23RE2D1Ev", &unmake);
    find("_ZN3re23RE210FullMatchNERKNS_11StringPieceERKS0_PKPKNS0_3ArgEi",
         &full_match);
    find("_ZNK3re23RE25MatchERKNS_11StringPieceEmmNS0_6AnchorEPS1_i", &match);
    find(
        "_ZN3re23RE27ReplaceEPNSt7__cxx1112basic_stringIcSt11char_traitsIcE"
        "SaIcEEERKS0_RKNS_11StringPieceE",
        &replace);
    find(
        "_ZN3re23RE213GlobalReplaceEPNSt7__cxx1112basic_stringIcSt11char_"
        "traitsIcESaIcEEERKS0_RKNS_11StringPieceE",
        &replace_all);
  }

  static const Library& Get() {
    static const Library* library = new Library;
    return *library;
  }
};

// "[a-z_]" and "[a-z_]+", of letters, digits and plain signs: what they match
// in any text, valid UTF-8 or not, is known byte by byte.
struct ByteRuns {
  std::array<bool, 256> members{};
  bool many = false;  // all that stand together, not each

  static std::optional<ByteRuns> Of(const std::string& pattern) {
    ByteRuns found;
    const size_t end = pattern.find(']');
    if (pattern.size() < 3 || pattern[0] != '[' || end == pattern.npos ||
        end < 2) {
      return std::nullopt;
    }
    found.many = pattern.size() == end + 2 && pattern[end + 1] == '+';
    if (!found.many && pattern.size() != end + 1) return std::nullopt;
    const auto is_word = [](unsigned char c) {
      return c < 0x80 && std::isalnum(c) != 0;
    };
    for (size_t i = 1; i < end; ++i) {
      const unsigned char c = pattern[i];
      if (i + 2 < end && pattern[i + 1] == '-') {
        const unsigned char last = pattern[i + 2];
        if (!is_word(c) || !is_word(last) || last < c) return std::nullopt;
        for (int member = c; member <= last; ++member) {
          found.members[member] = true;
        }
        i += 2;
        continue;
      }
      if (!is_word(c) && std::strchr(" _,.;:!?'\"/@#%=<>", c) == nullptr) {
        return std::nullopt;
      }
      if (c == 0) return std::nullopt;
      found.members[c] = true;
    }
    return found;
  }

  void Replace(const std::string& text, const std::string& rewrite,
               std::string* to) const {
    const auto is_member = [&](size_t i) {
      return members[static_cast<unsigned char>(text[i])];
    };
    to->clear();
    size_t done = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (!is_member(i)) continue;
      to->append(text, done, i - done).append(rewrite);
      while (many && i + 1 < text.size() && is_member(i + 1)) ++i;
      done = i + 1;
    }
    to->append(text, done);
  }
};

class LoadedRegex final : public Regex {
 public:
  LoadedRegex(const Library& library, const std::string& pattern)
      : library_(library), runs_(ByteRuns::Of(pattern)) {
    RE2::Options options;
    options.set_log_errors(false);
    library_.make(memory_, pattern, options);
  }
  ~LoadedRegex() override { library_.unmake(memory_); }

  const RE2& get() const { return *reinterpret_cast<const RE2*>(memory_); }

  bool MatchesAll(const std::string& text) const override {
    return library_.full_match(text, get(), nullptr, 0);
  }
  void Replace(const std::string& text, const std::string& rewrite, bool all,
               std::string* to) const override {
    if (all && rewrite.find('\\') == rewrite.npos) {
      if (runs_) return runs_->Replace(text, rewrite, to);
      if (ReplaceWithText(text, rewrite, to)) return;
    }
    *to = text;
    if (all) {
      library_.replace_all(to, get(), rewrite);
    } else {
      library_.replace(to, get(), rewrite);
    }
  }

 private:
  // Replaces all matches by the same text, without the library's copies. False:
  // a match is empty, and where the next one may begin is the library's matter.
  bool ReplaceWithText(const std::string& text, const std::string& rewrite,
                       std::string* to) const {
    const Library::Text whole(text);
    size_t done = 0;
    to->clear();
    for (Library::Text found; done <= text.size();) {
      if (!library_.match(&get(), whole, done, text.size(), RE2::UNANCHORED,
                          &found, 1)) {
        break;
      }
      if (found.empty()) return false;
      const size_t begin = found.data() - text.data();
      if (done == 0) to->reserve(text.size() + rewrite.size());
      to->append(text, done, begin - done).append(rewrite);
      done = begin + found.size();
    }
    if (done == 0) {
      *to = text;
    } else {
      to->append(text, done);
    }
    return true;
  }

  const Library& library_;
  const std::optional<ByteRuns> runs_;
  alignas(RE2) char memory_[sizeof(RE2)];
};

}  // namespace

StatusOr<std::shared_ptr<const Regex>> Regex::Of(const std::string& pattern) {
  const Library& library = Library::Get();
  if (!library.error.empty()) {
    return Unimplemented("Regular expressions need the library RE2: {}",
                         library.error);
  }
  thread_local std::shared_ptr<const LoadedRegex> last;
  if (last == nullptr || last->get().pattern() != pattern) {
    last = std::make_shared<const LoadedRegex>(library, pattern);
  }
  if (!last->get().ok()) {
    return InvalidArgument("Invalid pattern: {}, error: {}", pattern,
                           last->get().error());
  }
  return std::shared_ptr<const Regex>(last);
}

}  // namespace gk
