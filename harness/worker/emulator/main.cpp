// The worker that runs candidates and whole programs on the CPU.

#include <utility>

#include "worker/emulator/confine.h"
#include "worker/emulator/emulator_device.h"
#include "worker/emulator/locate.h"
#include "worker/emulator/profile.h"
#include "worker/emulator/program.h"
#include "worker/serve.h"

int main(int argc, char** argv) {
  using namespace kata;
  // A grid that is resident as a whole is as large as the device, and all of its threads go from
  // barrier to barrier together: of 270000 each would take 0.1 s.
  constexpr unsigned few = 2;
  return serve({.open_device = [](const Job& job) -> Result<std::unique_ptr<Device>> {
                  locate_in(job.module);
                  // Without checks there is one thread: a seed gives the same run everywhere.
                  const Problem* const problem = find_problem(job.operator_name);
                  auto device = std::make_unique<EmulatorDevice>(
                      emulator::Options{.threads = job.checked ? 0u : 1u,
                                        .access_limit = job.checked ? 4'000'000'000 : ~0ull,
                                        .checked = job.checked,
                                        .spoils_new_memory = !job.checked,
                                        .machine_code = job.machine_code.string(),
                                        .multiprocessors = job.cooperates ? few : 0u},
                      problem ? most_devices(*problem) : 1);
                  device->release(
                      device->allocate(Type::f32, 1, "first"));  // device memory is reserved now
                  confine_candidate();
                  return std::unique_ptr<Device>(std::move(device));
                },
                .code = code_of_candidate(),
                .lines =
                    [](const void* function) {
                      std::vector<CodeBlock> lines;
                      for (const auto& [line, ran] : emulator::code_lines(function))
                        lines.push_back({line, ran});
                      return lines;
                    },
                .profile = profile,
                .run =
                    [&](const Job& job, int answers) {
                      run_program(job, {argv + 1, argv + argc}, answers);
                    }});
}
