// Package upstream is three chat APIs that are not there: OpenAI Chat
// Completions, Anthropic Messages and Gemini generateContent, as HTTP servers on
// this machine. Each refuses what the real one refuses, with the real one's words,
// answers deterministically from what it was asked, whole or streamed, and can be
// scripted to misbehave. What they check and say comes from the fact sheet of the
// three dialects and from the vendors' own types. The package knows nothing of
// Stele: it must not be possible to be wrong in the same way twice.
//
// Orders in the last user text:
//
//	call:NAME        call that tool
//	call:A,B         call both in one turn
//	call:NAME*3      call it in three turns, one after another
//	redact           (anthropic) hide the thinking in a redacted block
package upstream
