// 100 GiB of the host's memory.
#include <vector>

extern "C" void relu(const float*, float*, int) {
  volatile char* const much = new char[100ull << 30];
  much[0] = 1;
}
