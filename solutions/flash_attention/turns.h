#pragma once
// Turns of two warpgroups at the tensor cores, by named barriers.

// Barrier 1 + w: warpgroup w's turn. It takes the arrivals of w, which waits, and of the other.
class Turns {
 public:
  __device__ explicit Turns(int warpgroup) : mine_(1 + warpgroup), other_(2 - warpgroup) {
    if (warpgroup == 1) pass();  // warpgroup 0 is first
  }
  __device__ void wait() { asm volatile("bar.sync %0, 256;" ::"r"(mine_) : "memory"); }
  __device__ void pass() { asm volatile("bar.arrive %0, 256;" ::"r"(other_) : "memory"); }

 private:
  const int mine_, other_;
};
