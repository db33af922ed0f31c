// What ncu prints, and what a person reads of it.
#include "report/hardware.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

std::string ncu_table() {
  return test::content_of(KATA_SOURCE_DIR "/tests/report/ncu_raw.csv");
}

}  // namespace

TEST_CASE("ncu's table becomes launches, with plain names and numbers without commas") {
  const std::vector<MeasuredLaunch> launches = launches_from_ncu(ncu_table());
  REQUIRE(launches.size() == 4);
  CHECK(launches[1].kernel == "max_kernel");
  CHECK(launches[1].grid == "2048x1x1");
  CHECK(launches[1].block == "256x1x1");
  CHECK(launches[1].metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 2097152);
  CHECK(launches[3].kernel == "quotient_kernel");
  CHECK(launches[3].metrics.at("gpu__time_duration.sum") == 45920);
  CHECK(launches_from_ncu("==PROF== nothing\n").empty());

  const std::vector<MeasuredLaunch> other = launches_from_ncu(
      "\"ID\",\"Kernel Name\",\"lts__t_sector_hit_rate.pct\"\n"
      "\"\",\"\",\"%\"\n"
      "\"0\",\"void <unnamed>::partials<(int)4>(const float *)\",\"n/a\"\n");
  REQUIRE(other.size() == 1);
  CHECK(other[0].kernel == "partials");
  CHECK(other[0].metrics.empty());
}

TEST_CASE("each launch is described beside the prediction, in 80 columns, with its roofline") {
  HardwareProfile profile{.operator_name = "softmax",
                          .candidate = "mine.cu",
                          .size = "16777216",
                          .device = "NVIDIA H200",
                          .launches = launches_from_ncu(ncu_table()),
                          .operations = 83886080,
                          .roof = Roof{"H200", 66.9e12, 4.8e12}};
  profile.predicted.resize(4);
  profile.predicted[1].counts.global_load.sectors = 2097152;
  profile.predicted[3].us = 41;
  profile.launches[3].metrics.erase("lts__t_sector_hit_rate.pct");
  const std::string text = hardware_text(profile, false);
  CHECK(contains(text, "max_kernel<<<2048x1x1, 256x1x1>>>"));
  CHECK(contains(text, "global loads: sectors of 32 bytes          2.10M         2.10M\n"));
  CHECK(contains(text, "duration                                 45.9 us       41.0 us\n"));
  CHECK(contains(text, "sectors found in L2                            -\n"));
  CHECK(contains(text, "Roofline of the H200"));
  CHECK(contains(text, "memory is the roof"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);

  profile.predicted.clear();
  profile.not_predicted = "it does not compile there";
  CHECK(contains(hardware_text(profile, false), "No prediction: it does not compile there"));
}

TEST_CASE("asynchronous copies are stores to shared memory, of which ncu counts apart") {
  const std::string wavefronts = "l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum";
  MeasuredLaunch launch;
  launch.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"] = 100;
  launch.metrics["smsp__sass_" + wavefronts] = 3200;
  launch.metrics["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = 0;
  HardwareProfile profile;
  profile.launches.push_back(launch);
  const std::string text = hardware_text(profile, false);
  CHECK(contains(text, "shared stores: wavefronts                   3300\n"));
  CHECK(contains(text, "bytes used of each sector loaded             -\n"));
}

TEST_CASE("the roofline names the roof that counts, and how near the kernel is") {
  const Roof roof{"X", 100e12, 5e12};
  CHECK(roof.ridge() == doctest::Approx(20));
  const std::string memory =
      roofline_text({.operations = 1e9, .bytes = 8e9, .seconds = 2e-3}, roof);
  CHECK(contains(memory, "memory is the roof"));
  CHECK(contains(memory, "80 %"));
  CHECK(contains(memory, "fewer bytes"));
  const std::string least =
      roofline_text({.operations = 1e9, .bytes = 8e9, .least_bytes = 7.9e9, .seconds = 2e-3}, roof);
  CHECK_FALSE(contains(least, "fewer bytes"));  // there are none to save
  CHECK(contains(least, "at most 1.25 times as fast is left"));
  CHECK(contains(
      roofline_text({.operations = 1e9, .bytes = 8e9, .least_bytes = 4e9, .seconds = 2e-3}, roof),
      "fewer bytes"));
  const std::string arithmetic =
      roofline_text({.operations = 1e12, .bytes = 1e9, .seconds = 0.1}, roof);
  CHECK(contains(arithmetic, "arithmetic is the roof"));
  CHECK(contains(arithmetic, "10 %"));
  CHECK(contains(arithmetic, "not at the roof"));
}
