#include "emulator/runtime/cublas/blas.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kata::emulator {

void* blas_function(const std::string& name) {
  static void* const library = [] {
    if (const char* chosen = std::getenv("KATA_BLAS"); chosen && *chosen)
      return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    void* loaded = nullptr;
    for (const char* file : {"libopenblas.so.0", "libblas.so.3"})
      if (!loaded) loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return loaded;
  }();
  return library ? dlsym(library, (name + "_").c_str()) : nullptr;
}

}  // namespace kata::emulator
