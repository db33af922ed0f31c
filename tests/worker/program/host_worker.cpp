// A worker whose device is ordinary memory: it shows what every worker does with a candidate.

#include <dlfcn.h>

#include "judge/host_device.h"
#include "worker/serve.h"

namespace {

/// The function's name where a worker says the file's.
std::string locate(const void* address) {
  Dl_info info;
  const bool known = dladdr(address, &info) && info.dli_sname;
  return known && std::string(info.dli_fname).find("misbehaving") != std::string::npos
             ? std::string(info.dli_sname) + ":1"
             : "";
}

// y = x + y, with output where in_out is needed.
const kata::RegisterProblem registered{
    {.name = "add_in_place",
     .summary = "",
     .frequency = "",
     .difficulty = "",
     .signature = kata::signature(kata::input<float>("x", kata::dims<0>),
                                  kata::output<float>("y", kata::dims<0>), kata::integer("n")),
     .cases = {{{5}}},
     .bench_shapes = {{5}},
     .reference =
         [](const kata::Inputs& inputs, const kata::Case&) {
           return kata::Outputs{{.value = {inputs[0][0] + inputs[1][0]}}};
         },
     .cost = [](const kata::Shape&) { return kata::Cost{}; }}};

}  // namespace

int main() {
  using namespace kata;
  return serve({.open_device = [](const Job&) -> Result<std::unique_ptr<Device>> {
                  return std::unique_ptr<Device>(std::make_unique<test::HostDevice>());
                },
                .code = {.locate = locate}});
}
