// pthread_create, which a module and the C++ library find here first, as they do main/copies.cpp.
#include <dlfcn.h>
#include <pthread.h>

#include <memory>
#include <string_view>

#include "worker/gpu/host_threads.h"

namespace {

struct Start {
  void* (*routine)(void*);
  void* argument;
};

/// Its end is noted however the thread ends.
struct Ended {
  ~Ended() { kata::note_thread_ended(); }
};

void* run(void* start) {
  const Ended ended;
  const std::unique_ptr<Start> own(static_cast<Start*>(start));
  return own->routine(own->argument);
}

/// The driver and NVIDIA's libraries have threads of their own.
bool belongs_to_cuda(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || !info.dli_fname) return false;
  const std::string_view path = info.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libcu") || file.starts_with("libnv");
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) {
  static auto* const real =
      reinterpret_cast<decltype(pthread_create)*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (belongs_to_cuda(reinterpret_cast<const void*>(routine)))
    return real(thread, attributes, routine, argument);
  auto start = std::make_unique<Start>(Start{routine, argument});
  kata::note_thread_started();
  const int error = real(thread, attributes, run, start.get());
  if (error == 0) {
    start.release();
  } else {
    kata::note_thread_ended();
  }
  return error;
}
