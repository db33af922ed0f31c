// The person's attempts, newest first, each with its text and what changed since the one before.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/views.h"
#include "site/builder.h"

namespace kata::site {
namespace {

constexpr std::size_t most_shown = 30;  // of an operator; the newest

/// In the person's time zone.
std::string minute_of(Time time) {
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(time)));
}

std::string outcome(const Attempt& attempt) {
  if (!attempt.verdict) return "kept";
  std::string text = to_string(*attempt.verdict);
  if (*attempt.verdict == Verdict::pass && attempt.rung > 0)
    text += fmt::format(", rung {} of {}", attempt.rung, attempt.rungs);
  if (const Finding* const error = first_error(attempt.findings))
    text += std::string(": ") + to_string(error->kind);
  return text;
}

std::string page_of_attempt(const Attempt& attempt) {
  return fmt::format("mine/{}/{}.html", attempt.operator_name, attempt.id);
}

Json summary(const Attempt& attempt) {
  return {{"number", attempt.id},
          {"at", minute_of(attempt.at)},
          {"how", to_string(attempt.kind)},
          {"outcome", outcome(attempt)},
          {"hints", attempt.hints > 0 ? Json(attempt.hints) : Json()},
          {"file", attempt.path.empty() ? Json() : Json(attempt.path.filename().string())},
          {"time", attempt.median_us > 0
                       ? Json(fmt::format("{:.1f} us at {}", attempt.median_us, attempt.size))
                       : Json()}};
}

Json findings_of(const Attempt& attempt) {
  Json result = Json::array();
  for (const Finding& one : attempt.findings) {
    result.push_back({{"severity", to_string(one.severity)},
                      {"finding", to_string(one.kind)},
                      {"at_line", one.line > 0 ? Json(one.line) : Json()},
                      {"message", one.message}});
  }
  return result;
}

/// `before` and `after` are its neighbours in time, or null.
std::optional<Error> add_attempt(Builder& builder, const Attempt& attempt, const Attempt* before,
                                 const Attempt* after) {
  const std::string page = page_of_attempt(attempt);
  const std::string text = attempt.text.value_or("");
  Json values = summary(attempt);
  values["operator"] = attempt.operator_name;
  values["operator_link"] = relative(page, operator_page(attempt.operator_name));
  values["findings"] = findings_of(attempt);
  values["lines"] = html::code({.name = "yours", .source = text}, true);
  values["change"] = Json();
  if (before && before->text && attempt.text) {
    const Json changed = html::difference(*before->text, text);
    values["change"] = {{"before", fmt::format("attempt {}", before->id)},
                        {"before_link", relative(page, page_of_attempt(*before))},
                        {"alike", changed.empty()},
                        {"changed", changed}};
  }
  const auto link = [](const Attempt* one) { return one ? page_of_attempt(*one) : ""; };
  return builder.add_page(
      page, "attempt.html", fmt::format("{} attempt {}", attempt.operator_name, attempt.id), values,
      {.previous = link(before), .next = link(after), .up = attempts_page(attempt.operator_name)});
}

/// Oldest first.
std::optional<Error> add_operator(Builder& builder, const std::string& name,
                                  const std::vector<const Attempt*>& attempts) {
  const std::string page = attempts_page(name);
  const std::size_t first = attempts.size() - std::min(attempts.size(), most_shown);
  Json rows = Json::array();
  for (std::size_t i = attempts.size(); i-- > first;) {
    Json row = summary(*attempts[i]);
    row["link"] = relative(page, page_of_attempt(*attempts[i]));
    rows.push_back(row);
    if (auto failed = add_attempt(builder, *attempts[i], i > first ? attempts[i - 1] : nullptr,
                                  i + 1 < attempts.size() ? attempts[i + 1] : nullptr))
      return failed;
  }
  builder.index(page, "Your attempts: " + name, fmt::format("{} attempts", attempts.size()));
  return builder.add_page(page, "attempts.html", "Your attempts: " + name,
                          {{"operator", name},
                           {"operator_link", relative(page, operator_page(name))},
                           {"all", attempts.size()},
                           {"shown", rows.size()},
                           {"attempts", rows}},
                          {.up = "mine/index.html"});
}

}  // namespace

std::optional<Error> add_attempts(Builder& builder, const std::vector<Attempt>& attempts) {
  std::map<std::string, std::vector<const Attempt*>> by_operator;
  for (const Attempt& attempt : attempts) by_operator[attempt.operator_name].push_back(&attempt);
  Json rows = Json::array();
  for (const auto& [name, all] : by_operator) {
    if (auto failed = add_operator(builder, name, all)) return failed;
    rows.push_back({{"operator", name},
                    {"link", relative("mine/index.html", attempts_page(name))},
                    {"all", all.size()},
                    {"at", minute_of(all.back()->at)},
                    {"outcome", outcome(*all.back())}});
  }
  return builder.add_page("mine/index.html", "mine.html", "Your attempts", {{"operators", rows}},
                          {.up = "index.html"});
}

}  // namespace kata::site
