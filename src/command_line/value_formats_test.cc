// The forms of values: .npy, .npz, CSV, JSON.
#include <gtest/gtest.h>

#include "command_line/csv.h"
#include "command_line/npy.h"
#include "command_line/value_text.h"
#include "function/control_flow.h"

namespace gk::command {
namespace {

std::string NpyOf(std::string_view header, std::string_view values) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file.append(header).append(values);
}
std::string NpyError(std::string_view header, std::string_view values) {
  const StatusOr<Tensor> read = ReadNpy(NpyOf(header, values));
  return read.ok() ? "none" : read.status().message();
}

TEST(NpyTest, ReadsWhatItWrites) {
  const float floats[] = {1.5f, -2, 3, 4, 5, 6};
  const std::string texts[] = {"a", "", "\u00e9\n"};
  for (const Tensor& t :
       {Tensor::OfValues<float>(floats, {2, 3}), Tensor::Scalar<int64_t>(-7),
        Tensor::Scalar<bool>(true), Tensor::Scalar<complex64>({1, 2}),
        Tensor::OfValues<float>({}, {0, 3}),
        Tensor::Vector<std::string>(texts)}) {
    const StatusOr<std::string> bytes = WriteNpy(t);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    const StatusOr<Tensor> read = ReadNpy(*bytes);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->DebugString(), t.DebugString());
  }
}

TEST(NpyTest, OrdersOfBytesAndDimensions) {
  InitControlFlow();
  const StatusOr<Tensor> big = ReadNpy(
      NpyOf("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n",
            std::string_view("\0\1\0\2\0\3\0\4", 8)));
  ASSERT_TRUE(big.ok()) << big.status().message();
  const std::vector<int16_t> expected = {1, 3, 2, 4};
  EXPECT_TRUE(std::ranges::equal(big->flat<int16_t>(), expected));
  const StatusOr<Tensor> wide = ReadNpy(
      NpyOf("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }\n",
            std::string_view("\xe9\0\0\0\0\0\0\0", 8)));
  ASSERT_TRUE(wide.ok()) << wide.status().message();
  EXPECT_EQ(wide->scalar<std::string>(), "\u00e9");
}

TEST(NpyTest, SaysWhatIsWrong) {
  const char* const order = "'fortran_order': False, 'shape': ";
  EXPECT_EQ(ReadNpy("PK").status().message(), "it is no .npy file");
  EXPECT_EQ(NpyError("{'descr': '<f4'", ""), "its header cannot be read");
  EXPECT_EQ(NpyError(Format("{{'descr': '<f4', {}(3,)}}", order), "1234"),
            "it has 4 bytes of values; its shape [3] takes 12");
  EXPECT_EQ(NpyError(Format("{{'descr': '<f4', {}(-3,)}}", order), "1234")
                .substr(0, 10),
            "its shape:");
  EXPECT_EQ(
      NpyError(Format("{{'descr': '<f4', {}({},)}}", order, 1ll << 62), "1234"),
      "it has 4 bytes of values; its shape [4611686018427387904] takes "
      "more than there can be");
  EXPECT_EQ(NpyError(Format("{{'descr': '|O', {}(3,)}}", order), "1234")
                .substr(0, 24),
            "it holds Python objects,");
  EXPECT_EQ(NpyError(Format("{{'descr': '<m8', {}(3,)}}", order), "1234"),
            "no tensor has the type '<m8'");
  EXPECT_EQ(
      NpyError(Format("{{'descr': '|S0', {}({},)}}", order, 1ll << 40), ""),
      "it says to have 1099511627776 empty texts");
  const std::string whole = *WriteNpy(Tensor::Scalar<float>(1));
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(ReadNpy(std::string_view(whole).substr(0, n)).ok()) << n;
  }
}

TEST(NpzTest, ReadsWhatItWritesAndNoticesDamage) {
  const float floats[] = {1, 2, 3};
  const NamedTensors written = {{"x", Tensor::Vector<float>(floats)},
                                {"a/b", Tensor::Scalar<int32_t>(4)}};
  const std::string bytes = *WriteNpz(written);
  const StatusOr<NamedTensors> read = ReadNpz(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].first, "a/b");
  EXPECT_EQ((*read)[0].second.DebugString(), written[0].second.DebugString());
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(ReadNpz(std::string_view(bytes).substr(0, n)).ok()) << n;
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 0x41);
    (void)ReadNpz(changed);  // an error or not, it ends
  }
  std::string changed = bytes;
  changed[bytes.find('\n', 64) + 1] ^= 1;  // a value of x
  EXPECT_EQ(ReadNpz(changed).status().message(),
            "x.npy: the archive is damaged: a checksum does not match");
}

TEST(CsvTest, QuotesAndNames) {
  const StatusOr<CsvTable> table = ParseCsv(
      "\xEF\xBB\xBF"
      "a,\"b,\"\"c\"\"\n\"\r\n1,2\n\n-3.5,1e3");
  ASSERT_TRUE(table.ok()) << table.status().message();
  ASSERT_EQ(table->rows.size(), 3u);
  EXPECT_EQ(table->rows[0][1], "b,\"c\"\n");
  EXPECT_EQ(table->lines[1], 3u);
  EXPECT_TRUE(HasNames(*table, DataType::kFloat));
  EXPECT_FALSE(HasNames(*table, DataType::kString));
  const StatusOr<Tensor> made =
      TensorOfColumns(*table, 1, 0, 2, DataType::kFloat);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(*CsvText(*made), "1,2\n-3.5,1000\n");
  EXPECT_EQ(
      TensorOfColumns(*table, 1, 0, 2, DataType::kInt32).status().message(),
      "line 5, column 1: '-3.5' is no int32");
}

TEST(CsvTest, ErrorsSayWhere) {
  EXPECT_EQ(ParseCsv("1,2\n3").status().message(),
            "line 2 has 1 fields, line 1 has 2");
  EXPECT_EQ(ParseCsv("1\n\"2").status().message(),
            "line 2: a quote does not end");
  EXPECT_EQ(ParseCsv("\"1\"x").status().message(),
            "line 1: there is more after a quoted field");
  const std::string texts[] = {"plain", "a,b", "say \"x\""};
  EXPECT_EQ(*CsvText(Tensor::Vector<std::string>(texts)),
            "plain\n\"a,b\"\n\"say \"\"x\"\"\"\n");
}

std::string TensorError(std::string_view json, DataType dtype) {
  const StatusOr<Tensor> made = TensorOfJson(*Json::Parse(json), dtype);
  return made.ok() ? made->DebugString() : made.status().message();
}

TEST(ValueTextTest, JsonAndBack) {
  for (const char* text :
       {"[[1, 2], [3, 4]]", "[]", "0.1", "[NaN, Infinity, -Infinity]"}) {
    const StatusOr<Tensor> made =
        TensorOfJson(*Json::Parse(text), DataType::kFloat);
    ASSERT_TRUE(made.ok()) << made.status().message();
    const StatusOr<Tensor> again = TensorOfJson(
        *Json::Parse(JsonOfTensor(*made).Text()), DataType::kFloat);
    EXPECT_EQ(again->DebugString(), made->DebugString());
  }
  const std::string bytes[] = {"\xff\x00", "abc"};
  const Tensor texts = Tensor::Vector<std::string>(bytes);
  const std::string json = JsonOfTensor(texts).Text();
  EXPECT_NE(json.find("\"b64\": \"/w==\""), std::string::npos) << json;
  EXPECT_EQ(TensorOfJson(*Json::Parse(json), DataType::kString)->DebugString(),
            texts.DebugString());
}

TEST(ValueTextTest, SaysWhatDoesNotFit) {
  EXPECT_EQ(TensorError("[[1, 2], [3]]", DataType::kFloat),
            "[1]: expected 2, as in the lists beside it, got 1 values");
  EXPECT_EQ(TensorError("[1, [2]]", DataType::kFloat),
            "[1]: expected a value, got a list");
  EXPECT_EQ(TensorError("[1, 2.5]", DataType::kInt32),
            "[1]: expected a value of int32, got '2.5'");
  EXPECT_EQ(TensorError("[300]", DataType::kUint8),
            "[0]: expected a value of uint8, got '300'");
  EXPECT_EQ(TensorError("true", DataType::kFloat),
            "the value: expected a value of float32, got 'true'");
  EXPECT_EQ(TensorError("{\"b64\": \"*\"}", DataType::kString),
            "the value: expected digits of base 64, got something else");
}

TEST(ValueTextTest, Complex) {
  Tensor one = Tensor::Scalar<complex128>({0, 0});
  for (const auto& [text, value] :
       {std::pair<const char*, complex128>{"1.5+2j", {1.5, 2}},
        {"-3j", {0, -3}},
        {"(1e-3-2e+1j)", {1e-3, -20}},
        {"4", {4, 0}}}) {
    ASSERT_TRUE(ParseValue(text, &one, 0)) << text;
    EXPECT_EQ(one.scalar<complex128>(), value) << text;
    const std::string written = ValueText(one, 0);
    ASSERT_TRUE(ParseValue(written, &one, 0)) << written;
    EXPECT_EQ(one.scalar<complex128>(), value) << written;
  }
  for (const char* text : {"", "j", "1+j2", "+", "1++2j"}) {
    EXPECT_FALSE(ParseValue(text, &one, 0)) << text;
  }
}

}  // namespace
}  // namespace gk::command
