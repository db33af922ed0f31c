#pragma once
// The report as JSON: the schema that `--json` promises, and the same spelling between processes.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/profile.h"
#include "report/report.h"

namespace kata {

/// The one object of `--json` (schema 1), indented, with a newline at the end.
std::string to_json_text(const Report& report);

/// Back from that text; nothing if it is no such object.
std::optional<Report> report_from_json_text(const std::string& text);

/// An object with a call's launches, each different one once: "launches", and in "order" their
/// indices where some are repeated.
nlohmann::json launches_to_json(const std::vector<LaunchProfile>& launches);
std::vector<LaunchProfile> launches_from_json(const nlohmann::json& json);

void to_json(nlohmann::json& json, const Report& report);
void to_json(nlohmann::json& json, const Finding& finding);
void to_json(nlohmann::json& json, const Case& one_case);
void to_json(nlohmann::json& json, const CaseResult& result);
void to_json(nlohmann::json& json, const RowKind& kind);
void to_json(nlohmann::json& json, const TimingRow& row);
void to_json(nlohmann::json& json, const CountRow& row);
void to_json(nlohmann::json& json, const SizeLevel& level);
void to_json(nlohmann::json& json, const Level& level);
void to_json(nlohmann::json& json, const Estimate& estimate);

void from_json(const nlohmann::json& json, Report& report);
void from_json(const nlohmann::json& json, Finding& finding);
void from_json(const nlohmann::json& json, Case& one_case);
void from_json(const nlohmann::json& json, CaseResult& result);
void from_json(const nlohmann::json& json, RowKind& kind);
void from_json(const nlohmann::json& json, TimingRow& row);
void from_json(const nlohmann::json& json, CountRow& row);
void from_json(const nlohmann::json& json, SizeLevel& level);
void from_json(const nlohmann::json& json, Level& level);

namespace emulator {  // found there by the types' own namespace

void to_json(nlohmann::json& json, const LineRecord& line);
void to_json(nlohmann::json& json, const BufferRead& read);
void to_json(nlohmann::json& json, const BufferRecord& buffer);
void to_json(nlohmann::json& json, const KernelRecord& kernel);
void to_json(nlohmann::json& json, const LaunchProfile& profile);

void from_json(const nlohmann::json& json, LineRecord& line);
void from_json(const nlohmann::json& json, BufferRead& read);
void from_json(const nlohmann::json& json, BufferRecord& buffer);
void from_json(const nlohmann::json& json, KernelRecord& kernel);
void from_json(const nlohmann::json& json, LaunchProfile& profile);

}  // namespace emulator

}  // namespace kata
