// A worker whose device is ordinary memory: it shows what every worker does with a candidate.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

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

/// Processor time, as the candidate's limit counts it.
void take_time(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

kata::Signature of_x_and_y() {
  return kata::signature(kata::input<float>("x", kata::dims<0>),
                         kata::output<float>("y", kata::dims<0>), kata::integer("n"));
}

// relu, whose inputs and reference take longer than a candidate may.
const kata::RegisterProblem slow_to_judge{
    {.name = "slow_relu",
     .summary = "",
     .frequency = "",
     .difficulty = "",
     .signature = of_x_and_y(),
     .cases = {{{5}}},
     .bench_shapes = {{5}},
     .arrange = [](kata::Inputs&, const kata::Case&, const kata::Random&) { take_time(0.2); },
     .reference =
         [](const kata::Inputs& inputs, const kata::Case&) {
           take_time(0.2);
           kata::Expected y;
           for (float x : inputs[0].as<float>()) y.value.push_back(std::max(x, 0.0f));
           return kata::Outputs{y};
         },
     .cost = [](const kata::Shape&) { return kata::Cost{}; }}};

// y = x + y, with output where in_out is needed.
const kata::RegisterProblem registered{{.name = "add_in_place",
                                        .summary = "",
                                        .frequency = "",
                                        .difficulty = "",
                                        .signature = of_x_and_y(),
                                        .cases = {{{5}}},
                                        .bench_shapes = {{5}},
                                        .reference =
                                            [](const kata::Inputs& inputs, const kata::Case&) {
                                              return kata::Outputs{
                                                  {.value = {inputs[0][0] + inputs[1][0]}}};
                                            },
                                        .cost = [](const kata::Shape&) { return kata::Cost{}; }}};

/// Times the candidate, then draws the next size's inputs, and ends in one of them.
std::optional<kata::Error> end_while_timing(const kata::Job& job, const kata::Problem&,
                                            const kata::TimeEvents& events) {
  events.turn("yours");
  if (job.entry == "while_inputs_are_drawn") events.ended();
  _exit(0);
}

}  // namespace

int main() {
  using namespace kata;
  return serve({.open_device = [](const Job&) -> Result<std::unique_ptr<Device>> {
                  return std::unique_ptr<Device>(std::make_unique<test::HostDevice>());
                },
                .code = {.locate = locate},
                .time = end_while_timing});
}
