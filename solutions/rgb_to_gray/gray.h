#pragma once
// The gray value of pixels, one by one and four at a time.
//
// gray = (77 r + 150 g + 29 b + 128) >> 8: the CCIR 601 weights times 256, rounded so that they add
// up to 256.

__device__ inline unsigned gray1(unsigned r, unsigned g, unsigned b) {
  return (77 * r + 150 * g + 29 * b + 128) >> 8;
}

/// Byte k of a word, 0 the lowest.
__device__ inline unsigned byte_of(unsigned word, int k) {
  return word >> (8 * k) & 0xff;
}

/// Four pixels from the three words that hold them: r g b r, g b r g, b r g b, lowest byte first.
__device__ inline unsigned gray4(unsigned w0, unsigned w1, unsigned w2) {
  const unsigned p0 = gray1(byte_of(w0, 0), byte_of(w0, 1), byte_of(w0, 2));
  const unsigned p1 = gray1(byte_of(w0, 3), byte_of(w1, 0), byte_of(w1, 1));
  const unsigned p2 = gray1(byte_of(w1, 2), byte_of(w1, 3), byte_of(w2, 0));
  const unsigned p3 = gray1(byte_of(w2, 1), byte_of(w2, 2), byte_of(w2, 3));
  return p0 | p1 << 8 | p2 << 16 | p3 << 24;
}

/// Pixel i alone, for the tail.
__device__ inline void gray_pixel(const unsigned char* rgb, unsigned char* gray, size_t i) {
  gray[i] = static_cast<unsigned char>(gray1(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]));
}
