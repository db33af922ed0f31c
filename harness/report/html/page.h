#pragma once
// What `kata report` shows of one operator. Types alone: html.h renders them.

#include <string>
#include <vector>

#include "report/report.h"
#include "report/roofline.h"

namespace kata {

/// A rung, a library, the limit or the person's own file.
struct PageRow {
  RowKind kind = RowKind::rung;
  std::string name;
  std::string path = {};    ///< of its text, as a person types it
  std::string source = {};  ///< its text; empty for libraries and the limit
  std::string link = {};    ///< of a page about it; empty: none
  double us = 0;            ///< median; 0: not known
  bool estimated = false;   ///< `us` was not measured
  double of_limit = 0;
  double memory_bytes = 0;  ///< from and to device memory, as the emulator predicts; 0: not known
  std::vector<KernelRecord> kernels = {};  ///< of the counted case
  CountRow counts = {};                    ///< the same, added up
};

struct Page {
  std::string operator_name, summary, declaration;
  std::string size;    ///< of the times: "8192x4096"
  std::string origin;  ///< of the times: "measured on NVIDIA H200, 2026-11-21"
  std::string counted_case = {};
  std::string verdict = {};      ///< on the person's own file, in a sentence; empty for a stub
  bool passed = false;           ///< what `verdict` says
  double operations = 0;         ///< at that size
  bool counts_elements = false;  ///< there is no arithmetic: an operation is an element moved
  Roof roof;
  std::vector<PageRow> rows = {};  ///< yours, the rungs, the libraries, the limit
};

}  // namespace kata
