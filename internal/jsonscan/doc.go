// Package jsonscan reads, edits and writes JSON where it lies: in the bytes of a
// request, an answer or a frame. It builds no tree and copies nothing that it need not.
//
// There are four things in it. A [Scan] walks over a document once and tells whether
// it is valid (UTF-8, no member twice in an object, bounded depth), its outermost
// members, how much there is in it, and whether some texts occur in its strings. A
// [Value] is a value in its place: its members and elements are loops that leap over
// what they pass, and must be given what a Scan, or its writer, vouches for.
// [Edits] change some bytes of a document in one copy. A [Writer] appends a new one.
//
// It knows JSON and nothing else: no dialect, no faults.
package jsonscan
