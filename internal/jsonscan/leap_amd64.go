package jsonscan

import "golang.org/x/sys/cpu"

// wide reports whether the processor looks at 32 bytes at once.
var wide = cpu.X86.HasAVX2

// plainWide is how much of b is surely plain ASCII, in whole steps.
func plainWide(b []byte) int { return plainAVX2(&b[0], len(b)) }

// textWide is how much of b is surely UTF-8 without quotes and control characters, in whole steps. It reports whether there are
// escapes in it, which are short ones; it may count one that it ends at.
func textWide(b []byte) (end int, escaped bool) { return textAVX2(&b[0], len(b)) }

// pairWide is how much of b has surely no two bytes beginning in it that are these, in whole steps, or where they are.
func pairWide(b []byte, one, two byte) int { return pairAVX2(&b[0], len(b), one, two) }

//go:noescape
func plainAVX2(p *byte, n int) int

//go:noescape
func textAVX2(p *byte, n int) (end int, escaped bool)

//go:noescape
func pairAVX2(p *byte, n int, one, two byte) int
