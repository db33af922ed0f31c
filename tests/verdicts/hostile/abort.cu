// Gives up the whole process.
#include <cstdlib>

extern "C" void relu(const float*, float*, int) {
  std::abort();
}
