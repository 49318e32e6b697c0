#include "kernels/picture_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gk {
namespace {

// What a decoder made.
struct Picture {
  PictureShape shape;
  std::vector<uint8_t> pixels;
  int made = 0;

  auto Maker() {
    return [this](const PictureShape& s) -> StatusOr<void*> {
      shape = s;
      ++made;
      pixels.assign(s.frames * s.height * s.width * s.channels * 2, 0xcc);
      return static_cast<void*>(pixels.data());
    };
  }
};

std::vector<uint8_t> Ramp(const PictureShape& s) {
  std::vector<uint8_t> pixels(s.height * s.width * s.channels);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 3);
  }
  return pixels;
}

TEST(PictureCodec, PngKeepsPixels) {
  for (int channels = 1; channels <= 4; ++channels) {
    const PictureShape shape{1, 5, 7, channels};
    const std::vector<uint8_t> pixels = Ramp(shape);
    std::string bytes;
    ASSERT_TRUE(WritePng(pixels.data(), shape, 8, -1, &bytes).ok());
    EXPECT_EQ(PictureFormatOf(bytes), PictureFormat::kPng);
    Picture read;
    auto make = read.Maker();
    ASSERT_TRUE(ReadPng(bytes, 0, 8, make).ok());
    EXPECT_EQ(read.shape.channels, channels);
    read.pixels.resize(pixels.size());
    EXPECT_EQ(read.pixels, pixels);
  }
}

TEST(PictureCodec, PngOfEightBitsStandsForSixteen) {
  const PictureShape shape{1, 2, 2, 1};
  const std::vector<uint8_t> pixels = {0, 1, 128, 255};
  std::string bytes;
  ASSERT_TRUE(WritePng(pixels.data(), shape, 8, 9, &bytes).ok());
  Picture read;
  auto make = read.Maker();
  ASSERT_TRUE(ReadPng(bytes, 1, 16, make).ok());
  EXPECT_EQ(read.pixels,
            (std::vector<uint8_t>{0, 0, 1, 1, 128, 128, 255, 255}));
}

TEST(PictureCodec, JpegIsCroppedAndShrunk) {
  const PictureShape shape{1, 24, 40, 3};
  const std::vector<uint8_t> pixels(24 * 40 * 3, 90);
  std::string bytes;
  ASSERT_TRUE(WriteJpeg(pixels.data(), shape, {}, &bytes).ok());
  PictureShape told;
  ASSERT_TRUE(ReadJpegShape(bytes, &told).ok());
  EXPECT_EQ(told.width, 40);
  Picture read;
  auto make = read.Maker();
  JpegReading how;
  how.ratio = 2;
  ASSERT_TRUE(ReadJpeg(bytes, how, make).ok());
  EXPECT_EQ(read.shape.height, 12);
  how.ratio = 1;
  how.crops = true;
  how.top = 3;
  how.left = 11;
  how.height = 5;
  how.width = 6;
  ASSERT_TRUE(ReadJpeg(bytes, how, make).ok());
  EXPECT_EQ(read.shape.width, 6);
  EXPECT_EQ(read.pixels[0], 90);
  how.left = 35;
  EXPECT_FALSE(ReadJpeg(bytes, how, make).ok());
}

TEST(PictureCodec, CutOffFilesAreErrors) {
  const PictureShape shape{1, 24, 40, 3};
  const std::vector<uint8_t> pixels = Ramp(shape);
  std::string jpeg, png;
  ASSERT_TRUE(WriteJpeg(pixels.data(), shape, {}, &jpeg).ok());
  ASSERT_TRUE(WritePng(pixels.data(), shape, 8, -1, &png).ok());
  Picture read;
  auto make = read.Maker();
  for (size_t n = 0; n < jpeg.size(); n += 7) {
    EXPECT_FALSE(ReadJpeg(jpeg.substr(0, n), {}, make).ok()) << n;
    JpegReading how;
    how.recover = true;
    how.least = 0;
    // Ends, whatever it gives.
    (void)ReadJpeg(jpeg.substr(0, n), how, make).ok();
  }
  for (size_t n = 0; n < png.size(); n += 7) {
    EXPECT_FALSE(ReadPng(png.substr(0, n), 0, 8, make).ok()) << n;
  }
}

// A GIF of 60,000 x 60,000 pixels with data for a few of them.
TEST(PictureCodec, SizesWithoutDataTakeNoMemory) {
  std::string bytes = "GIF89a";
  bytes += std::string("\x60\xea\x60\xea\x80\0\0\0\0\0\xff\xff\xff", 13);
  bytes += std::string(",\0\0\0\0\x60\xea\x60\xea\0\x02\x02\x44\x01\0;", 16);
  Picture read;
  auto make = read.Maker();
  EXPECT_FALSE(ReadGif(bytes, true, make).ok());
  std::string bmp(54, '\0');
  bmp[0] = 'B';
  bmp[1] = 'M';
  bmp[10] = 54;
  bmp[20] = bmp[24] = 127;  // 8 million pixels each way
  bmp[28] = 24;
  EXPECT_FALSE(ReadBmp(bmp, 0, make).ok());
  EXPECT_EQ(read.made, 0);
}

TEST(PictureCodec, WebpHasThreeOrFourChannels) {
  // One pixel.
  const std::string bytes(
      "RIFF \0\0\0WEBPVP8L\x14\0\0\0/\0\0\0\0\x07P\x81T\x08 \0\x0a\x9a\xfe"
      "\xc7\x88\x88\xfe\x07",
      40);
  EXPECT_EQ(PictureFormatOf(bytes), PictureFormat::kWebp);
  Picture read;
  auto make = read.Maker();
  ASSERT_TRUE(ReadWebp(bytes, 0, true, make).ok());
  read.pixels.resize(3);
  EXPECT_EQ(read.pixels, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_FALSE(ReadWebp(bytes, 1, true, make).ok());
  EXPECT_FALSE(ReadWebp(bytes, 4, true, make).ok());
  EXPECT_FALSE(ReadWebp(bytes.substr(0, 30), 3, true, make).ok());
}

}  // namespace
}  // namespace gk
