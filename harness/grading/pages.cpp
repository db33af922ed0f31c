#include "grading/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grading/counts.h"
#include "grading/estimates.h"
#include "grading/ladder.h"
#include "judge/judge.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/chip.h"
#include "timing/measured_times.h"
#include "timing/roof.h"
#include "timing/table.h"

namespace kata {
namespace {

/// The times of a size, and where they come from.
struct Times {
  std::vector<TimingRow> rows;
  std::string origin, device;
};

Result<Times> times_of(const Problem& problem, const Shape& shape, const GradeRequest& request) {
  if (request.backend == Backend::gpu) {
    GradeRequest timed = request;
    timed.candidate.size = shape;
    const Report report = bench(timed);
    if (!report.error.empty()) return Error{report.error, report.detail};
    return Times{report.timing, "measured on " + report.device + " for this report", report.device};
  }
  const Result<MeasuredTimes> kept = measured_times(problem);
  if (!kept) return kept.error();
  return Times{rows_at(kept->rows, to_string(shape)),
               fmt::format("measured on {}, {}", kept->device, kept->date), kept->device};
}

void add_times(const Times& times, Page& page) {
  for (PageRow& row : page.rows) {
    const TimingRow* const time = find_row(times.rows, row.name);
    if (!time || !time->error.empty()) continue;
    row.us = time->median_us;
    row.of_limit = time->of_limit;
  }
  for (const TimingRow& time : times.rows) {
    if (time.kind != RowKind::limit) continue;
    page.rows.push_back(
        {.kind = RowKind::limit, .name = time.name, .us = time.median_us, .of_limit = 1});
  }
}

/// An estimate on the basis of the measured times: as much longer than the rung with the nearest
/// estimate as it is estimated to be.
double like_measured(double us, const std::vector<Estimate>& estimates, const Page& page) {
  double nearest = HUGE_VAL, scale = 1;
  for (const Estimate& one : estimates) {
    const auto measured = std::ranges::find_if(page.rows, [&](const PageRow& row) {
      return row.kind == RowKind::rung && row.name == one.name && row.us > 0 && !row.estimated;
    });
    if (measured == page.rows.end() || !one.error.empty() || one.us <= 0) continue;
    const double apart = std::abs(std::log(us / one.us));
    if (apart >= nearest) continue;
    nearest = apart;
    scale = measured->us / one.us;
  }
  return us * scale;
}

/// Predicted bytes for all, and a time for what was not measured: the person's file without a GPU.
void add_estimates(const Shape& shape, const GradeRequest& request, bool yours_passed, Page& page) {
  GradeRequest emulated = request;
  emulated.backend = Backend::emulator;
  emulated.candidate.size = shape;
  if (!yours_passed) emulated.candidate.path.clear();  // the ladder alone
  const Report report = bench(emulated);
  const PageRow* const limit = page.rows.empty() ? nullptr : &page.rows.back();
  for (PageRow& row : page.rows) {
    for (const Estimate& one : report.estimates) {
      if (one.name != row.name || !one.error.empty()) continue;
      row.memory_bytes = one.memory_bytes;
      if (row.us > 0) continue;
      row.us = like_measured(one.us, report.estimates, page);
      row.estimated = true;
      if (limit && limit->kind == RowKind::limit) row.of_limit = limit->us / row.us;
    }
  }
}

void add_counts(const Problem& problem, const GradeRequest& request, Page& page) {
  const Case& counted = largest(problem, problem.cases);
  page.counted_case = to_string(counted.shape);
  for (CountedRung& rung : counted_ladder(problem, counted.shape, request)) {
    for (PageRow& row : page.rows) {
      if (row.kind == RowKind::rung && row.name == rung.name) row.kernels = std::move(rung.kernels);
    }
  }
  for (PageRow& row : page.rows) {
    if (!row.kernels.empty()) row.counts = add_up(row.kind, row.name, row.kernels);
  }
}

std::string verdict_sentence(const Report& report) {
  if (report.verdict == Verdict::error) return "Your file cannot be judged: " + report.error;
  if (report.verdict == Verdict::pass) {
    return fmt::format("Your file is right in all {} cases.", count_cases(report).of);
  }
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::fail) {
      return fmt::format("Your file fails at {}: {}", one.name, one.explanation);
    }
  }
  return "Your file fails: " + (report.findings.empty() ? "" : report.findings.front().message);
}

/// Judged in the emulator, whose counts the page shows. Nothing for a stub or no file. Whether it
/// passed.
bool add_yours(const GradeRequest& request, Page& page) {
  if (request.candidate.path.empty()) return false;
  GradeRequest emulated = request;
  emulated.backend = Backend::emulator;
  emulated.with_ladder = false;
  const Report report = grade(emulated);
  if (report.verdict == Verdict::not_attempted) return false;
  page.verdict = verdict_sentence(report);
  page.passed = report.verdict == Verdict::pass;
  page.rows.push_back({.kind = RowKind::yours,
                       .name = yours_name,
                       .path = shown(request.candidate.path),
                       .source = request.candidate.text,
                       .kernels = report.kernels});
  return report.verdict == Verdict::pass;
}

void add_timed_kernels(const std::vector<Rung>& kernels, RowKind kind, Page& page) {
  for (const Rung& one : kernels) {
    PageRow row{.kind = kind, .name = one.name, .path = shown(one.path)};
    if (kind == RowKind::rung) row.source = read_file(one.path).value_or("");
    page.rows.push_back(std::move(row));
  }
}

/// The timed chip; `other` if chips.json does not have it.
Result<Chip> chip_of(const Times& times, const std::string& other) {
  Result<Chip> chip = find_chip_of(times.device);
  return chip ? chip : find_chip(other);
}

/// Without rows.
Page empty_page(const Problem& problem, const Shape& shape, const Times& times, const Chip& chip) {
  return {.operator_name = problem.name,
          .summary = problem.summary,
          .declaration = declaration(problem),
          .size = to_string(shape),
          .origin = times.origin,
          .operations = roofline_operations(problem, shape),
          .counts_elements = problem.cost(shape).operations <= 0,
          .roof = roof_of(chip, problem.cost(shape).unit)};
}

}  // namespace

Result<Page> page_of(const Problem& problem, const GradeRequest& request) {
  const Shape& shape = problem.bench_shapes.at(0);
  const Result<Times> times = times_of(problem, shape, request);
  if (!times) return times.error();
  const Result<Chip> chip = chip_of(*times, request.chip);
  if (!chip) return chip.error();
  Page page = empty_page(problem, shape, *times, *chip);
  const bool passed = add_yours(request, page);
  add_timed_kernels(ladder(problem.name), RowKind::rung, page);
  add_timed_kernels(libraries(problem.name), RowKind::library, page);
  add_times(*times, page);
  add_estimates(shape, request, passed, page);
  add_counts(problem, request, page);
  return page;
}

Result<Page> kept_page(const Problem& problem) {
  const Shape& shape = problem.bench_shapes.at(0);
  const Result<Times> times = times_of(problem, shape, {});
  if (!times) return times.error();
  const Result<Chip> chip = chip_of(*times, GradeRequest{}.chip);
  if (!chip) return chip.error();
  Page page = empty_page(problem, shape, *times, *chip);
  add_timed_kernels(ladder(problem.name), RowKind::rung, page);
  add_times(*times, page);
  for (const Estimate& one : kept_estimates(problem, shape, *chip)) {
    for (PageRow& row : page.rows)
      if (row.name == one.name) row.memory_bytes = one.memory_bytes;
  }
  return page;
}

}  // namespace kata
