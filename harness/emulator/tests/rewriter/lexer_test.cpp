#include <doctest/doctest.h>

#include "emulator/lexer/lexer.h"

using namespace kata::emulator;

namespace {

std::string joined(const std::string& source) {
  std::string text;
  for (const Token& token : lex(source)) text += token.text;
  return text;
}

std::vector<std::string> words(const std::string& source) {
  std::vector<std::string> result;
  for (const Token& token : lex(source)) {
    if (token.kind != TokenKind::space && token.kind != TokenKind::define_end) {
      result.push_back(token.text);
    }
  }
  return result;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("every character of a file is kept") {
  for (const char* source :
       {"", "\n", "int x;", "#define A \\\n  1\nint y;\n", "// no new line at the end",
        "/* never closed", "\"never closed", "R\"(never closed", "'", "#", "#define", "\\",
        "a\\\nb", "auto s = R\"x(a \" )\" <<<)x\";", "x = 1'000'000 + 0x1p-3f + .5e+7;\r\n",
        "caf\xc3\xa9 \xf0\x9f\x98\x80", "#if 0\nk<<<1,2>>>(x\n#endif\n"}) {
    CAPTURE(source);
    CHECK(joined(source) == source);
  }
}

TEST_CASE("every token knows the line where it starts") {
  const std::vector<Token> tokens = lex("a\n/* two\nlines */ b\n#define M \\\n 7\nc");
  for (const Token& token : tokens) {
    if (token.text == "a") CHECK(token.line == 1);
    if (token.text == "b") CHECK(token.line == 3);
    if (token.text == "7") CHECK(token.line == 5);
    if (token.text == "c") CHECK(token.line == 6);
  }
}

TEST_CASE("launch brackets, shifts and templates are distinguished") {
  CHECK(words("k<<<a>>1, b>>>(c)") ==
        Words{"k", "<<<", "a", ">>", "1", ",", "b", ">>>", "(", "c", ")"});
  CHECK(words("x<<=2") == Words{"x", "<<", "=", "2"});
  CHECK(words("v<v<int>>::t") == Words{"v", "<", "v", "<", "int", ">>", "::", "t"});
}

TEST_CASE("literals swallow what looks like code") {
  CHECK(words("f(\"<<< // \\\" /*\", '\"')") ==
        Words{"f", "(", "\"<<< // \\\" /*\"", ",", "'\"'", ")"});
  CHECK(words("R\"(a)b\" \")\" c") == Words{"R\"(a)b\" \")\"", "c"});
  CHECK(words("u8\"x\" L'y' FOO\"z\"") == Words{"u8\"x\"", "L'y'", "FOO", "\"z\""});
  CHECK(words("1e+5f 0x1e+5 1'000 .5") == Words{"1e+5f", "0x1e", "+", "5", "1'000", ".5"});
}

TEST_CASE("a macro's body is code, other directives are not") {
  const std::vector<Token> tokens =
      lex("#define L(k, n) k<<<1, n>>>()\n#include <a//b>\n  # if X /* \n */ > 1\n");
  CHECK(tokens[0].text == "#define L(k, n)");
  CHECK(tokens[0].kind == TokenKind::define);
  int launches = 0, ends = 0, directives = 0;
  for (const Token& token : tokens) {
    launches += token.text == "<<<";
    ends += token.kind == TokenKind::define_end;
    directives += token.kind == TokenKind::directive;
  }
  CHECK(launches == 1);
  CHECK(ends == 1);
  CHECK(directives == 2);
}

TEST_CASE("a define behind a comment is one, a directive that only begins so is none") {
  const std::vector<Token> define = lex("#/**/define L x");
  CHECK(define.front().kind == TokenKind::define);
  CHECK(define.back().kind == TokenKind::define_end);
  CHECK(lex("#defined L x").back().kind == TokenKind::directive);
}

TEST_CASE("an untouched stub stays untouched when only layout and comments change") {
  const std::string stub =
      "#include <kata/kata.h>\n\n__global__ void k(float* y, int n) {\n  // your code\n}\n"
      "#define N 4\nvoid relu() { k<<<1, N>>>(y, n); }\n";
  const std::string same =
      "/* mine */ #include <kata/kata.h> // yes\n__global__ void\nk(float * y,int n){}\n"
      "#define   N  4  \nvoid relu(){k<<<1,N>>>(y,n);}";
  CHECK(significant_tokens(same) == significant_tokens(stub));

  SUBCASE("one token more is an attempt") {
    std::string tried = stub;
    tried.replace(tried.find("// your code"), 12, ";");
    CHECK(significant_tokens(tried) != significant_tokens(stub));
  }
  SUBCASE("a changed directive is an attempt") {
    std::string tried = stub;
    tried.replace(tried.find("N 4"), 3, "N 8");
    CHECK(significant_tokens(tried) != significant_tokens(stub));
  }
  SUBCASE("a changed string is an attempt") {
    CHECK(significant_tokens("f(\"a  b\")") != significant_tokens("f(\"a b\")"));
  }
  SUBCASE("two tokens never become one") {
    CHECK(significant_tokens("unsigned int x") != significant_tokens("unsignedint x"));
  }
}
