// Looks for files of the harness, its own module among them, and opens them for writing. Opened
// files are left as they are: this must not harm a tree in which it is not stopped.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

extern "C" void relu(const float* x, float*, int) {
  Dl_info own = {};
  dladdr(reinterpret_cast<void*>(&relu), &own);
  char worker[4096] = {};
  if (readlink("/proc/self/exe", worker, sizeof worker - 1) < 0) return;
  const std::string module = own.dli_fname, beside = module + ".planted";
  int opened = 0;
  for (const std::string& file : {module, std::string(worker), std::string(__FILE__)})
    opened += open(file.c_str(), O_WRONLY) >= 0;
  opened += open(beside.c_str(), O_WRONLY | O_CREAT, 0600) >= 0;
  const bool own_folder = open("scratch", O_WRONLY | O_CREAT, 0600) >= 0;
  unlink(beside.c_str());
  std::printf("%d files opened, %d of its own\n", opened, own_folder);
}
