// SPDX-License-Identifier: Apache-2.0
// Text that others wrote (names in models, docs and keys of specifications, file names) on its way into what
// a terminal or a tool reads. What is plain printable UTF-8 stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace cosim::isa {

/// As part of one line on a terminal or in a file of text. What would not show as itself is written out:
/// control characters as \n, \t or \x1b, bytes that are not UTF-8 as \xff, and code points that control a
/// terminal, break lines or change the direction of what follows as \u202e.
std::string OneLine(std::string_view text);

/// As OneLine, but line breaks and tabs stay: for texts of several lines.
std::string Lines(std::string_view text);

/// After `//` in SystemVerilog and its words: one line, where a line break is a blank.
std::string CommentText(std::string_view text);

/// As part of a line of Markdown whose author may use inline markup, but neither HTML nor a line of its own.
std::string MarkdownText(std::string_view text);

/// As text or a quoted attribute of HTML. What would not show as itself is written out as in Lines.
std::string HtmlText(std::string_view text);

/// JSON in a <script> of HTML, where `</script` or `<!--` in a string would end or change it: each `<`
/// becomes an escape, which in JSON can stand in strings only.
std::string ScriptJson(std::string_view json);

/// As one word of a POSIX shell, in quotes when it needs them. Control characters are kept: pass what is
/// shown through OneLine afterwards.
std::string ShellWord(std::string_view text);

}  // namespace cosim::isa
