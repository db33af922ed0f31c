// Whether the interviewer understands questions in free words, and what it finds in answers.
#include "practice/interview/listening.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "practice/interview/general_topics.h"
#include "problems/spec/problem.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

using namespace kata;

namespace {

/// One exercise's interviewer.
struct Interviewed {
  explicit Interviewed(const std::string& name)
      : text(read_exercise_text(name)), listener(Error{}) {
    REQUIRE(text);
    add_general_topics(*find_problem(name), *text);
    listener = Listener::open(name, *text);
    REQUIRE(listener);
  }

  std::vector<std::string> hear(const std::string& said) const {
    std::vector<std::string> topics;
    for (const std::size_t index : listener->hear(said))
      topics.push_back(text->clarify.at(index).topic);
    return topics;
  }

  Result<ExerciseText> text;
  Result<Listener> listener;
};

/// One for all tests: learning all that people ask takes a while.
const Interviewed& interviewer_of(const std::string& name) {
  static std::map<std::string, Interviewed> all;
  return all.try_emplace(name, name).first->second;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("questions in free words find their topic, and few find a wrong one") {
  // 460 lines by somebody who had seen the READMEs alone, none of them in the interviewer's texts:
  // docs/measured/listening.md has the first figures. "a|b": either would do.
  const auto file = read_file(root() / "tests/practice/phrasings.tsv");
  REQUIRE(file);
  int asked = 0, found = 0, one_of_two = 0, wrong = 0, others = 0, others_answered = 0;
  for (const std::string& line : lines_of(*file)) {
    const std::vector<std::string> parts = split(line, '\t');
    CAPTURE(line);
    REQUIRE(parts.size() == 3);
    const std::vector<std::string> heard = interviewer_of(parts[0]).hear(parts[2]);
    const std::vector<std::string> meant = split(parts[1], '|');
    const bool is_there = std::any_of(heard.begin(), heard.end(), [&](const std::string& topic) {
      return std::find(meant.begin(), meant.end(), topic) != meant.end();
    });
    if (meant.front() == "none") {
      ++others;
      others_answered += heard.size() == 1;
      continue;
    }
    ++asked;
    found += heard.size() == 1 && is_there;
    one_of_two += heard.size() == 2 && is_there;
    wrong += heard.size() == 1 && !is_there;
  }
  MESSAGE("of " << asked << " questions " << found << " found, " << one_of_two << " one of two, "
                << wrong << " wrong; of " << others << " others " << others_answered
                << " answered");
  REQUIRE(asked >= 390);
  CHECK(found >= asked * 88 / 100);
  CHECK(wrong <= asked * 3 / 100);
  CHECK(others_answered <= others * 15 / 100);
}

TEST_CASE("short plain questions find their topic") {
  struct Expected {
    std::string name, said, topic;
  };
  for (const Expected& one : {Expected{"softmax", "how big is the array?", "sizes"},
                              {"reduce_sum", "how many floats", "sizes"},
                              {"reduce_sum", "may n be zero", "smallest"},
                              {"transpose", "is it square", "sizes"},
                              {"sgemm", "may I use cublas", "launch"},
                              {"relu", "NaNs?", "values"}}) {
    CAPTURE(one.said);
    CHECK(interviewer_of(one.name).hear(one.said) == std::vector<std::string>{one.topic});
  }
}

TEST_CASE("what only other exercises answer is no question about a topic of this one") {
  for (const char* said : {"is the variance biased or unbiased?", "does the weather matter?"})
    CHECK(interviewer_of("add").hear(said).empty());
}

TEST_CASE(
    "of any operator the interviewer says what follows from its signature: types, outputs, sizes; "
    "what is allowed, and how speed is measured") {
  // Other lines than those in the interviewer's texts. An exercise may have a topic of its own that
  // answers them.
  struct Expected {
    std::vector<std::string> questions, topics;
  };
  const Expected all[] = {
      {{"Could I write the result over the input?", "do any of the buffers overlap?"},
       {"aliasing", "in-place", "output", "scratch", "order", "residual"}},
      {{"would calling CUB be allowed?", "can I use Thrust for this"},
       {"libraries", "launch", "launches"}},
      {{"Can one row be a single element?", "how tiny can the arrays be?",
        "is any dimension constant at compile time?", "is one size ever larger than another?"},
       {"smallest", "sizes", "overflow"}},
      {{"what graphics card do you use", "how is my speed going to be measured?"},
       {"target", "hardware"}},
      {{"which types are the results?", "is any input fp16"},
       {"types", "precision", "accuracy", "format", "keys", "sign"}},
      {{"does the whole output need writing", "shall I return anything else besides that",
        "anything to keep for the backward?"},
       {"output", "result", "saved", "training"}},
      {{"may I have a buffer for partial sums?", "is device memory for temporaries okay"},
       {"scratch", "launch", "launches", "memory", "workspace", "libraries"}},
      {{"am I allowed to sort first?", "is using shared memory fine"}, {"method"}},
      {{"must it be bit-identical each run?", "may two runs differ slightly"},
       {"determinism", "equal"}},
      {{"do rows have a pitch?", "are rows padded out to something"}, {"layout"}}};
  std::size_t answered[std::size(all)] = {};
  for (const Problem& problem : problems()) {
    const Interviewed& exercise = interviewer_of(problem.name);
    for (std::size_t i = 0; i < std::size(all); ++i) {
      for (const std::string& said : all[i].questions) {
        const std::vector<std::string> heard = exercise.hear(said);
        answered[i] +=
            heard.size() == 1 && std::ranges::find(all[i].topics, heard[0]) != all[i].topics.end();
      }
    }
  }
  for (std::size_t i = 0; i < std::size(all); ++i) {
    CAPTURE(all[i].questions.front());
    CHECK(answered[i] >= problems().size() * all[i].questions.size() * 85 / 100);
  }
}

TEST_CASE("what everybody asks is answered by each operator, with what was asked in the answer") {
  struct Asked {
    std::vector<std::string> questions;
    std::regex holds;  ///< the answer
  };
  const Asked all[] = {
      {{"how big can the input get?", "how much data will there be?"}, std::regex(R"(\d)")},
      {{"how many SMs does the GPU have?"}, std::regex("multiprocessors|emulated")},
      {{"how much time do I have left?", "what time is left?"}, std::regex("how much is left")},
      {{"which tolerance do you compare with?"}, std::regex(R"(off by \d|exactly)")},
      {{"what shape do the tensors have?"}, std::regex(R"(\[\w|one number)")},
      {{"may I use several kernels?"}, std::regex("kernels")},
      {{"may I allocate a workspace?"}, std::regex("llocat|scratch")},
      {{"what about streams?"}, std::regex("stream")},
      {{"can I use CUB?"}, std::regex("[Ll]ibrar|CUB")},
      {{"can there be NaN in the input?"}, std::regex("NaN|integers|infinit")},
      {{"are the sizes multiples of 32?"}, std::regex("multiple")},
      {{"is there a scale factor?"}, std::regex("formula|applied|scal")}};
  for (const Asked& one : all) {
    for (const std::string& said : one.questions) {
      std::size_t answered = 0, wrong = 0;
      std::string failed;
      for (const Problem& problem : problems()) {
        const Interviewed& exercise = interviewer_of(problem.name);
        const std::vector<std::size_t> heard = exercise.listener->hear(said);
        const bool holds = heard.size() == 1 &&
                           std::regex_search(exercise.text->clarify[heard[0]].answer, one.holds);
        answered += holds;
        wrong += heard.size() == 1 && !holds;
        if (!holds)
          failed += " " + problem.name + ":" + (heard.empty() ? "-" : exercise.hear(said).front());
      }
      CAPTURE(said);
      CAPTURE(failed);
      CHECK(answered >= problems().size() * 9 / 10);
      CHECK(wrong <= problems().size() * 3 / 100);
    }
  }
}

TEST_CASE("a general topic never wins over an exercise's own one that has the question's words") {
  std::size_t asked = 0, found = 0;
  std::string lost;
  for (const Problem& problem : problems()) {
    const Interviewed& exercise = interviewer_of(problem.name);
    for (const kata::Question& own : exercise.text->clarify) {
      if (own.is_general) continue;
      const std::vector<std::size_t> heard = exercise.listener->hear(own.question);
      ++asked;
      found += heard.size() == 1 && exercise.text->clarify[heard[0]].topic == own.topic;
      if (heard.size() == 1 && exercise.text->clarify[heard[0]].is_general)
        lost += " " + problem.name + ":" + own.topic;
    }
  }
  CHECK(lost == "");
  CHECK(found >= asked * 95 / 100);
}

TEST_CASE("tensor cores are allowed by no exercise that forbids TF32") {
  for (const Problem& problem : problems()) {
    const Interviewed& exercise = interviewer_of(problem.name);
    CAPTURE(problem.name);
    for (const kata::Question& one : exercise.text->clarify)
      if (one.is_general && one.topic != "tensor-cores")
        CHECK(one.answer.find("ensor core") == std::string::npos);
    for (const char* said : {"can I use tensor cores?", "are tensor cores allowed?"}) {
      const std::vector<std::size_t> heard = exercise.listener->hear(said);
      const bool speaks = exercise.text->constraints.find("TF32") != std::string::npos;
      if (speaks) REQUIRE(heard.size() == 1);
      if (heard.size() != 1) continue;
      const kata::Question& answer = exercise.text->clarify[heard[0]];
      if (speaks) CHECK_FALSE(answer.is_general);
    }
  }
  CHECK(interviewer_of("sgemm").hear("can I use tensor cores?") ==
        std::vector<std::string>{"precision"});
}

TEST_CASE("general answers are those of the operator") {
  const auto answer = [](const std::string& name, const std::string& topic) {
    const Interviewed& exercise = interviewer_of(name);
    const auto& all = exercise.text->clarify;
    const auto found =
        std::ranges::find_if(all, [&](const auto& one) { return one.topic == topic; });
    return found == all.end() ? "" : found->answer;
  };
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  };
  has(answer("topk_rows", "sizes"), "1 <= k <= cols");
  has(answer("topk_rows", "types"), "`indices` is an array of `int`");
  has(answer("topk_rows", "output"), "Write `values` and `indices`");
  has(answer("topk_rows", "determinism"), "`values` and `indices` are defined exactly");
  has(answer("fft", "determinism"), "`spectrum` is compared with a tolerance");  // not at n = 1
  has(answer("compact", "output"), "the rest may hold anything");
  has(answer("adamw", "output"), "`parameter`, `m` and `v` are updated in place");
  has(answer("embedding", "target"), "H200");
  has(answer("reduce_sum", "layout"), "`sum` is one number");
  has(answer("reduce_sum", "output"), "Before the call it holds NaN, so zeros must be written");
  has(answer("all_reduce", "target"), "emulated");
  // What follows from a limit that the range says already goes with it.
  CHECK(answer("igemm", "smallest").find("so that") == std::string::npos);
}

TEST_CASE("a question that may be about either of two topics is asked back") {
  const Interviewed& softmax_rows = interviewer_of("softmax_rows");
  CHECK(softmax_rows.hear("sizes") == std::vector<std::string>{"sizes"});
  CHECK(softmax_rows.hear("sizes or values").size() == 2);
}

TEST_CASE("what the task or the constraints say is quoted where no topic's answer has it") {
  struct Asked {
    std::string name, said, quote;
  };
  for (const Asked& one :
       {Asked{"scan", "does the total have to fit in a float?", ""},
        {"conv1d", "is the error of a single tap within the tolerance?", "leaving out one tap"},
        {"speculative_verify", "do the probabilities of a row sum to 1?", "sums to 1 within"},
        {"all_to_all", "what do I write into received", "`received[d][s] = send[s][d]`"},
        {"all_to_all", "what do the send counts add up to?", "add up to `rows`"}}) {
    CAPTURE(one.said);
    const Interviewed& exercise = interviewer_of(one.name);
    const std::string quote = exercise.listener->quote(one.said, exercise.listener->hear(one.said));
    CHECK((one.quote.empty() ? quote.empty() : quote.find(one.quote) != std::string::npos));
  }
}

TEST_CASE("what is asked of any operator: caches, grading, what else is applied, leave to use") {
  const auto heard = [](const char* name, const char* said) {
    const std::vector<std::string> topics = interviewer_of(name).hear(said);
    return topics.size() == 1 ? topics[0] : "";
  };
  CHECK(heard("batchnorm", "does x fit in L2?") == "cache");
  CHECK(heard("softmax", "do you grade speed or results first?") == "grading");
  CHECK(heard("layernorm", "is some dropout applied as well?") == "definition");
  // What nothing forbids, though the words around it are those of another topic.
  CHECK(heard("hgemm", "may I use a swizzled rasterization?") == "method");
  // An element is known by its name.
  const Interviewed& scan = interviewer_of("scan");
  const char* const element = "so what is y[0]?";
  CHECK((scan.hear(element) == std::vector<std::string>{"kind"} ||
         scan.listener->quote(element, scan.listener->hear(element)).find("y[0]") !=
             std::string::npos));
  // What is said of a parameter goes with an answer that does not say it.
  const Interviewed& nms = interviewer_of("nms");
  const char* const named = "what's the range of threshold";
  CHECK(nms.listener->quote(named, nms.listener->hear(named)).find("multiple of 1/16") !=
        std::string::npos);
  // Neither sure nor nothing: one sentence is offered.
  const char* const unsure = "are the speed tests random boxes or real detector output";
  CHECK(nms.hear(unsure).empty());
  CHECK(nms.listener->quote(unsure, {}).empty());
  CHECK(nms.listener->perhaps(unsure).find("detector") != std::string::npos);
  CHECK(nms.listener->perhaps("what is your favourite colour?").empty());
}

TEST_CASE("what no topic is about gets no answer") {
  const Interviewed& relu = interviewer_of("relu");
  for (const char* said :
       {"which compiler will you use?", "what is your salary?", "", "?", "and"}) {
    CAPTURE(said);
    CHECK(relu.hear(said).empty());
  }
}

TEST_CASE("an exercise without a list of questions is known by its own words") {
  ExerciseText text;
  text.clarify = {
      {.topic = "beam", .question = "How wide is the beam?", .answer = "4 to 64 hypotheses."},
      {.topic = "sizes", .question = "How long is n?", .answer = "Up to 2^20."}};
  const Result<Listener> listener = Listener::open("no_such_operator", text);
  REQUIRE(listener);
  CHECK(listener->hear("how many hypotheses are there in a beam?") == std::vector<std::size_t>{0});
}

TEST_CASE("the terms of a model answer that an answer has, and those that it lacks") {
  const Interviewed& relu = interviewer_of("relu");
  const auto terms = relu.listener->key_terms(
      "Each warp reads 128 bytes: 4 sectors, coalesced. Divergence costs nothing here.",
      "the warps' loads are coalesced");
  CHECK(has(terms.named, "warp"));
  CHECK(has(terms.named, "coalesced"));
  CHECK(has(terms.missing, "sectors"));
  CHECK(has(terms.missing, "divergence"));
}

TEST_CASE(
    "what an answer has of the model's rarer words is named, and no number with a small word") {
  const Interviewed& relu = interviewer_of("relu");
  const auto terms = relu.listener->key_terms(
      "All 2^24 of them update one address, which serializes: 512 and more wait, 20 would not, 95 "
      "active warps do.",
      "they get serialized at that address, read by 512");
  CHECK(has(terms.named, "serializes"));
  CHECK(has(terms.named, "512"));
  CHECK(has(terms.missing, "2^24"));
  CHECK(has(terms.missing, "20"));
  CHECK(has(terms.missing, "95"));
}

TEST_CASE("terms of a model answer are written as it writes them") {
  const auto terms = interviewer_of("relu").listener->key_terms(
      "Divergence is rare. NaN stays in the L2 cache, not in DRAM.", "nan is in l2");
  CHECK(std::ranges::find(terms.named, "NaN") != terms.named.end());
  CHECK(std::ranges::find(terms.named, "L2") != terms.named.end());
  CHECK(std::ranges::find(terms.missing, "DRAM") != terms.missing.end());
  CHECK(std::ranges::find(terms.missing, "divergence") != terms.missing.end());
}

TEST_CASE("numbers of a model answer are terms, and everyday words are none") {
  const Interviewed& relu = interviewer_of("relu");
  const auto terms = relu.listener->key_terms(
      "It reads 537 MB and writes 1.25 MB, so 4.8 TB/s take 125 us. Row 2 is a copy of `x[4096]`.",
      "540 MB of traffic, in 0.2 ms");
  CHECK(has(terms.named, "537 MB"));  // near enough
  CHECK(has(terms.missing, "125 us"));
  CHECK(has(terms.missing, "1.25 MB"));
  for (const char* no_term : {"reads", "row", "copy", "2 is", "4096"})
    CHECK_FALSE(has(terms.missing, no_term));
  const auto others = relu.listener->key_terms(
      "2^26 elements with 16-byte loads (H200, 2026-11-22).", "16-bit counters, 2^26 of them");
  CHECK(has(others.named, "2^26 elements"));
  CHECK(has(others.missing, "16-byte"));
  for (const char* no_term : {"2026", "11", "22", "26 elements"}) {
    CHECK_FALSE(has(others.missing, no_term));
    CHECK_FALSE(has(others.named, no_term));
  }
}
