#include "serve/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "config/config.h"
#include "grading/ladder.h"
#include "practice/drill/choose.h"
#include "practice/exercise/exercise_text.h"
#include "practice/exercise/hint.h"
#include "practice/exercise/labels.h"
#include "practice/path.h"
#include "practice/plan/next.h"
#include "practice/review.h"
#include "practice/state.h"
#include "report/html/views.h"
#include "report/text/highlight.h"
#include "site/markdown.h"
#include "site/site.h"
#include "support/date.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::serve {

void remember_solution_seen(const std::string& operator_name, const std::string& rung) {
  if (Result<History> history = History::open()) {
    history->add(
        Event{.operator_name = operator_name, .kind = Event::Kind::solution, .detail = rung});
  }
}

namespace {

using Json = nlohmann::json;

std::map<std::string, std::string> by_path(Result<site::Site> site) {
  std::map<std::string, std::string> files;
  if (!site) return files;
  for (site::File& file : site->files) files[file.path] = std::move(file.content);
  return files;
}

/// The attempts as they are now: that part of the site changes.
std::map<std::string, std::string> attempts_now() {
  const Result<History> history = History::open();
  if (!history) return {};
  Result<std::vector<Attempt>> attempts = history->attempts_at_any_file();
  return attempts ? by_path(site::make_attempts(*attempts)) : std::map<std::string, std::string>();
}

/// The part of a README from "## title" to the next heading of that level; taken out of it.
std::string take_section(std::string& markdown, const std::string& title) {
  const std::size_t begin = markdown.find("\n## " + title + "\n");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(markdown.find("\n## ", begin + 1), markdown.size());
  std::string section = markdown.substr(begin, end - begin);
  markdown.erase(begin, end - begin);
  return section;
}

const char* css_of(State state) {
  switch (state) {
    case State::passes:
      return "right";
    case State::fails:
    case State::does_not_compile:
      return "wrong";
    default:
      return "dim";
  }
}

/// A text that is compared: the person's own, or a rung's.
struct Side {
  std::string name, text;
  bool is_rung = false;
};

Result<Side> read_side(const Problem& problem, const std::string& what) {
  if (what == yours_name) {
    const auto text = read_file(exercise(problem.name));
    if (!text) return Error{"cannot read " + exercise(problem.name).string()};
    return Side{"your file", *text};
  }
  for (const Rung& rung : ladder(problem.name)) {
    if (rung.name == what || std::to_string(rung.number) == what)
      return Side{rung.name, read_file(rung.path).value_or(""), true};
  }
  return Error{fmt::format("{} has no rung {}", problem.name, what)};
}

/// The lessons in their order, each a link to its exercise.
Json steps(const Result<History>& history) {
  Json rows = Json::array();
  for (const Lesson& one : lessons()) {
    const State state = state_of(one.problem->name, history);
    rows.push_back({{"operator", one.problem->name},
                    {"number", rows.size() + 1},
                    {"step", one.title},
                    {"state", to_string(state)},
                    {"css", css_of(state)}});
  }
  return rows;
}

/// Every track that an operator names.
std::vector<std::string> tracks() {
  std::vector<std::string> found;
  for (const Problem& problem : problems()) {
    const Result<ExerciseText> text = read_exercise_text(problem.name);
    if (text) found.insert(found.end(), text->tracks.begin(), text->tracks.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Json progress_of(const Problem& problem, const std::vector<AttemptOutcome>& attempts) {
  const AttemptOutcome* best = nullptr;
  for (const AttemptOutcome& one : attempts) {
    if (one.verdict == Verdict::pass && (!best || one.rung >= best->rung)) best = &one;
  }
  const auto standing = standing_of(attempts);
  const bool is_due = standing && standing->is_due(day_of(now()));
  return {{"operator", problem.name},
          {"tried", attempts.size()},
          {"rung", best && best->rung > 0 ? fmt::format("{} of {}", best->rung, best->rungs) : "-"},
          {"grade", standing ? to_string(standing->grade) : "-"},
          {"due", is_due     ? "now"
                  : standing ? date_of(standing->due_day)
                             : "-"}};
}

/// The weakest first.
Json drills_of(const std::vector<DrillResult>& results) {
  std::vector<drill::Strength> all = drill::strengths(results);
  std::ranges::stable_sort(all, {}, &drill::Strength::mean);
  Json rows = Json::array();
  for (const drill::Strength& one : all) {
    rows.push_back({{"kind", one.kind},
                    {"topic", drill::words_of_topic(one.kind, one.topic)},
                    {"found", one.found},
                    {"asked", one.asked},
                    {"mean", fmt::format("{:.0f}", one.mean())}});
  }
  return rows;
}

/// Nothing where there is none, it is over, or its settings are wrong.
std::optional<PlanRequest> wanted_plan(const Result<Config>& config) {
  if (!config) return {};
  const auto wanted =
      plan_request(config->plan_until, config->plan_track, config->plan_minutes, now());
  return wanted ? *wanted : std::nullopt;
}

/// Null where there is no plan.
Json todays_plan(const NextStep& step, const Result<Config>& config) {
  if (!step.plan) return {};
  Json items = Json::array();
  for (const PlanItem& item : step.plan->today) {
    items.push_back({{"operator", item.problem ? Json(item.problem->name) : Json()},
                     {"link", item.drills > 0 ? "/drill" : "/quiz"},
                     {"what", item.drills > 0 ? fmt::format("{} drill", item.drills)
                                              : fmt::format("quiz, {} cards", item.cards)},
                     {"minutes", item.minutes},
                     {"reason", item.reason},
                     {"done", item.done}});
  }
  const auto next = std::ranges::find_if(items, [](const Json& one) { return !one["done"]; });
  return {{"until", config->plan_until},
          {"days", step.plan->days},
          {"track", config->plan_track.empty() ? Json() : Json(config->plan_track)},
          {"items", items},
          {"next", next == items.end() ? Json() : *next}};
}

}  // namespace

Pages::Pages(std::string keys, Templates templates)
    : keys_(std::move(keys)), templates_(std::move(templates)) {
  std::packaged_task<Files(std::stop_token)> make([](std::stop_token stop) {
    return by_path(site::make_site(std::vector<Attempt>(), site::Where::server, std::move(stop)));
  });
  site_ = make.get_future().share();
  maker_ = std::jthread(std::move(make));
}

Result<Pages> Pages::read(const std::string& keys) {
  Result<Templates> templates = Templates::read({"report/html", "site", "serve"});
  if (!templates) return templates.error();
  return Pages(keys, std::move(*templates));
}

Result<std::string> Pages::page(const std::string& template_name, const std::string& title,
                                Json values) const {
  values.update({{"title", title},
                 {"root", "/"},
                 {"with_mine", true},
                 {"served", true},
                 {"keys", keys_},
                 {"vim", keys_ == "vim"},
                 {"emacs", keys_ == "emacs"},
                 {"previous", Json()},
                 {"next", Json()},
                 {"up", "/index.html"},
                 {"line_links", false}});
  return templates_.fill_in(template_name, values);
}

Result<std::string> Pages::markdown(const std::string& text) const {
  const auto nowhere = [](const std::string&) { return std::optional<std::string>(); };
  Result<site::Document> document = site::render_markdown(text, nowhere, templates_);
  if (!document) return document.error();
  return std::move(document->html);
}

std::string Pages::entrance(const std::string& path) const {
  const Result<std::string> html = templates_.fill_in("entrance.html", {{"path", path}});
  return html ? *html : html.error().message;
}

Result<std::string> Pages::operators(const std::string& track) const {
  const auto chosen = problems_with(track, "");
  if (!chosen) return chosen.error();
  const Result<History> history = History::open();
  Json rows = Json::array(), links = Json::array();
  for (const std::string& name : tracks())
    links.push_back({{"track", name}, {"current", name == track}});
  for (const Problem* problem : *chosen) {
    const State state = state_of(problem->name, history);
    rows.push_back({{"operator", problem->name},
                    {"summary", problem->summary},
                    {"frequency", problem->frequency},
                    {"difficulty", problem->difficulty},
                    {"rung_count", ladder(problem->name).size()},
                    {"state", to_string(state)},
                    {"css", css_of(state)}});
  }
  return page("operators.html", "kata",
              {{"operators", rows},
               {"tracks", links},
               {"all", track.empty()},
               {"begin", track.empty() ? Json{{"steps", steps(history)}} : Json()}});
}

Result<std::string> Pages::exercise(const Problem& problem) const {
  auto readme = read_file(exercise_readme(problem.name));
  if (!readme) return Error{fmt::format("{} has no exercise", problem.name)};
  take_section(*readme, "Hints");  // they open one by one
  take_section(*readme, "Labels");
  const std::string asked = take_section(*readme, "Clarifying questions"),
                    follow_up = take_section(*readme, "Follow-up questions");
  const Result<std::string> body = markdown(*readme), questions = markdown(asked + follow_up);
  if (!body) return body.error();
  if (!questions) return questions.error();
  Json rungs = Json::array();
  for (const Rung& rung : ladder(problem.name)) {
    rungs.push_back({{"name", rung.name},
                     {"link", fmt::format("/solutions/{}/{}.cu.html", problem.name, rung.name)},
                     {"beside", fmt::format("/exercises/{}/beside/{}", problem.name, rung.name)},
                     {"idea", rung.idea},
                     {"is_goal", rung.is_goal}});
  }
  return page("exercise.html", problem.name,
              {{"operator", problem.name},
               {"file", shown(kata::exercise(problem.name))},
               {"frequency", problem.frequency},
               {"difficulty", problem.difficulty},
               {"body", *body},
               {"questions", *questions},
               {"rungs", rungs}});
}

Result<std::string> Pages::difference(const Problem& problem, const std::string& from,
                                      const std::string& to) const {
  const auto before = read_side(problem, from), after = read_side(problem, to);
  if (!before) return before.error();
  if (!after) return after.error();
  const Json changed = html::difference(before->text, after->text);
  for (const Side* const side : {&*before, &*after})
    if (side->is_rung) remember_solution_seen(problem.name, side->name);
  return page("beside.html", problem.name + ": " + after->name,
              {{"operator", problem.name},
               {"before", before->name},
               {"after", after->name},
               {"paragraphs", header_of(after->text).paragraphs},
               {"alike", changed.empty()},
               {"changed", changed}});
}

Result<std::string> Pages::practice(const std::string& remark) const {
  const Result<History> history = History::open();
  if (!history) return history.error();
  const Result<Config> config = read_config();
  const Result<NextStep> next = next_step(wanted_plan(config), history, now());
  if (!next) return next.error();
  auto outcomes = history->outcomes();
  if (!outcomes) return outcomes.error();
  auto attempts = by_operator(std::move(*outcomes));
  Json rows = Json::array();
  for (const Problem* problem : learning_order()) {
    if (!attempts[problem->name].empty())
      rows.push_back(progress_of(*problem, attempts[problem->name]));
  }
  const auto drilled = history->drill_results();
  if (!drilled) return drilled.error();
  const Json plan = todays_plan(*next, config);
  const Json due = {{"operator", next->exercise.problem->name}, {"reason", next->exercise.reason}};
  const Json planned = plan.is_null() ? Json() : plan["next"];
  return page("practice.html", "Practice",
              {{"remark", remark.empty() ? Json() : Json(remark)},
               {"next_step", planned.is_null() ? due : planned},
               {"drills", drilled->empty() ? Json() : Json{{"rows", drills_of(*drilled)}}},
               {"plan", plan},
               {"today", date_of(day_of(now()))},
               {"minutes_a_day", config ? config->plan_minutes : Config().plan_minutes},
               {"in_weeks", date_of(day_of(now()) + 28)},
               {"any", !rows.empty()},
               {"progress", rows}});
}

std::optional<Error> Pages::keep_plan(const std::string& until, const std::string& minutes) const {
  const auto day = day_from(until);
  if (!day || *day < day_of(now())) return Error{"The plan needs a day from today on."};
  if (const auto failed = set_config("plan.until", until)) return failed;
  return set_config("plan.minutes", minutes);
}

Result<std::string> Pages::hint(const std::string& operator_name) const {
  Result<History> history = History::open();
  if (const auto next = idea_after_pass(operator_name, history)) {
    const std::string idea = !next->known ? "Your level is not known; the ladder has the ideas."
                             : next->idea.empty()
                                 ? "None: you are level with the top of the ladder."
                                 : next->idea;
    return templates_.fill_in("idea.html", {{"idea", idea}});
  }
  const Result<Hint> hint = take_hint(operator_name, "", std::move(history));
  if (!hint) return hint.error();
  const Result<std::string> body = markdown(hint->text);
  if (!body) return body.error();
  return templates_.fill_in("hint.html", {{"number", hint->number},
                                          {"all", hint->all},
                                          {"last", hint->number == hint->all},
                                          {"counts", hint->counts},
                                          {"body", *body}});
}

std::optional<std::string> Pages::file(const std::string& path) const {
  if (path == "style.css") {
    return templates_.text("style.css") + templates_.text("site.css") +
           templates_.text("serve.css");
  }
  constexpr std::array scripts = {"script.js", "editor.js",    "exercise.js",
                                  "drill.js",  "interview.js", "clock.js"};
  if (std::ranges::find(scripts, path) != scripts.end()) return templates_.text(path);
  const bool is_mine = path.starts_with("mine/"), is_page = path.ends_with(".html");
  if (is_page && !is_mine && !site::has_source(path)) return {};
  const bool is_made = site_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  const Files now = is_mine               ? attempts_now()
                    : is_page && !is_made ? by_path(site::make_page(path))
                                          : Files();
  const Files& files = is_mine || now.contains(path) ? now : site_.get();
  const auto found = files.find(path);
  if (found == files.end()) return {};
  for (const Problem& problem : problems()) {
    const std::string folder = "solutions/" + problem.name + "/";
    if (path.starts_with(folder)) {
      remember_solution_seen(problem.name,
                             path.substr(folder.size(), path.find(".cu") - folder.size()));
    }
  }
  return found->second;
}

}  // namespace kata::serve
