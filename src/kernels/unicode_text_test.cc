#include "kernels/unicode_text.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace gk {
namespace {

using Found = std::vector<std::tuple<int32_t, int, bool>>;

Found Decoded(const std::string& encoding, std::string_view text) {
  Found found;
  TextDecoder::Make(encoding)->Decode(
      text, [&](int32_t code, int bytes, bool malformed) {
        found.emplace_back(code, bytes, malformed);
      });
  return found;
}

constexpr int32_t kBad = kReplacementCharacter;

TEST(UnicodeTextTest, Utf8) {
  EXPECT_EQ(Decoded("UTF-8", "a\xC3\xA9"),
            (Found{{'a', 1, false}, {0xE9, 2, false}}));
  // The beginning of a character counts once, surrogates byte by byte.
  EXPECT_EQ(Decoded("utf8", "\xE2\x82z"),
            (Found{{kBad, 2, true}, {'z', 1, false}}));
  EXPECT_EQ(Decoded("utf8", "\xED\xA0\x80"),
            (Found{{kBad, 1, true}, {kBad, 1, true}, {kBad, 1, true}}));
  EXPECT_EQ(Decoded("utf8", "\xF0\x9F\x98"), (Found{{kBad, 3, true}}));
  EXPECT_EQ(Decoded("utf8", "\xF4\x90\x80\x80").size(), 4u);
  EXPECT_EQ(Decoded("utf8", "\xC0\x80").size(), 2u);
}

TEST(UnicodeTextTest, WiderUnits) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Decoded("UTF-16-BE", "\xD8\x3D\xDE\x00"sv),
            (Found{{0x1F600, 4, false}}));
  EXPECT_EQ(Decoded("UTF-16-BE", "\xD8\x00\x00\x61"sv),
            (Found{{kBad, 2, true}, {'a', 2, false}}));
  EXPECT_EQ(Decoded("UTF-16-BE", "\xD8\x00\x00"sv), (Found{{kBad, 3, true}}));
  EXPECT_EQ(Decoded("UTF-16", "\xFF\xFE\x61\x00"sv), (Found{{'a', 4, false}}));
  EXPECT_EQ(Decoded("UTF-32-BE", "\x00\x11\x00\x00\x00"sv),
            (Found{{kBad, 4, true}, {kBad, 1, true}}));
}

TEST(UnicodeTextTest, OtherEncodings) {
  EXPECT_EQ(Decoded("latin1", "\xE9"), (Found{{0xE9, 1, false}}));
  EXPECT_EQ(Decoded("US-ASCII", "\xE9"), (Found{{kBad, 1, true}}));
  EXPECT_EQ(TextDecoder::Make("no such"), nullptr);
  EXPECT_EQ(TextDecoder::Make("UTF-8//IGNORE"), nullptr);
}

TEST(UnicodeTextTest, WritesWhatItReads) {
  const std::pair<TextForm, std::string> forms[] = {
      {TextForm::kUtf8, "UTF-8"},
      {TextForm::kUtf16Be, "UTF-16-BE"},
      {TextForm::kUtf32Be, "UTF-32-BE"}};
  for (const auto& [form, name] : forms) {
    for (const int32_t code :
         {0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, kMaxCodePoint}) {
      std::string text;
      AppendCharacter(form, code, &text);
      EXPECT_EQ(Decoded(name, text),
                (Found{{code, static_cast<int>(text.size()), false}}));
    }
  }
}

TEST(UnicodeTextTest, Cases) {
  EXPECT_EQ(CasedText("Fox \xC3\x89", false), "fox \xC3\xA9");
  // Sharp s and the ligature fi become two letters.
  EXPECT_EQ(CasedText("\xC3\x9F\xEF\xAC\x81", true), "SSFI");
  // Sigma at the end of a word, and within one.
  EXPECT_EQ(CasedText("\xCE\x91\xCE\xA3", false), "\xCE\xB1\xCF\x82");
  EXPECT_EQ(CasedText("\xCE\xA3\xCE\x91", false), "\xCF\x83\xCE\xB1");
  EXPECT_EQ(CasedText("A\xFF", false), "a\xEF\xBF\xBD");
}

TEST(UnicodeTextTest, Scripts) {
  EXPECT_EQ(ScriptOf('a'), 25);     // Latin
  EXPECT_EQ(ScriptOf(0x3B1), 14);   // Greek
  EXPECT_EQ(ScriptOf(0x4E00), 17);  // Han
  EXPECT_EQ(ScriptOf('!'), 0);
  EXPECT_EQ(ScriptOf(kMaxCodePoint), 103);
  EXPECT_EQ(ScriptOf(-1), -1);
  EXPECT_EQ(ScriptOf(kMaxCodePoint + 1), -1);
}

}  // namespace
}  // namespace gk
