#pragma once
// The lanes of a warp that hold the same 8-bit digit, looked up with two shuffles.
//
// A ballot per bit says which lanes have that bit set. SameDigit (radix_tile.h) makes each lane
// combine the eight votes for its own digit, and each bit costs a choice between the vote and its
// complement. Here lane L combines the votes for the number L: which lanes have L in the lower five
// bits of their digit, and which have L % 8 in the upper three. The bits of L are the same for all
// keys, so a vote costs one logical instruction. Each lane then fetches the masks for the two parts
// of its digit.

// The lanes where `bits` is not 0. In this form nvcc 13.0 moves seven bits of a digit to predicates
// with one instruction (R2P). For __ballot_sync it tests each bit with an instruction of its own.
__device__ inline unsigned ballot_nonzero(unsigned bits) {
  unsigned lanes;
  asm volatile(
      "{\n"
      "  .reg .pred nonzero;\n"
      "  setp.ne.u32 nonzero, %1, 0;\n"
      "  vote.sync.ballot.b32 %0, nonzero, 0xffffffff;\n"
      "}"
      : "=r"(lanes)
      : "r"(bits));
  return lanes;
}

class DigitMasks {
 public:
  __device__ DigitMasks() {
#pragma unroll
    for (int bit = 0; bit < 5; ++bit) ones_[bit] = threadIdx.x >> bit & 1 ? 0xffffffffu : 0;
  }

  // The lanes that hold the same digit as this one. The whole warp calls it.
  __device__ unsigned operator()(unsigned digit) const {
    unsigned lower = 0xffffffffu;
    unsigned upper = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 5; ++bit) lower &= ~(ballot_nonzero(digit & 1u << bit) ^ ones_[bit]);
#pragma unroll
    for (int bit = 0; bit < 3; ++bit) upper &= ~(ballot_nonzero(digit & 32u << bit) ^ ones_[bit]);
    return __shfl_sync(0xffffffffu, lower, digit) & __shfl_sync(0xffffffffu, upper, digit >> 5);
  }

 private:
  unsigned ones_[5];  // all ones where the lane's number has this bit set
};
