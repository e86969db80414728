package dialect_test

import (
	"fmt"
	"testing"

	"stele/internal/dialect"
)

// hard is one of the hard cases of translation: what goes wrong elsewhere, and
// what must come of it here.
type hard struct {
	number int
	name   string
	// answer says which one Stele gives where several would be right.
	answer string
	// elsewhere is the test outside this package that holds the case, where it needs
	// more than the codecs and the call.
	elsewhere string
	run       func(*testing.T)
}

// section is the hard cases about one thing.
type section struct {
	letter, title string
	cases         []hard
}

func sections() []section {
	return []section{
		hardTools, hardChoice, hardCalls, hardTurns, hardThinking, hardSchemas, hardSampling, hardMedia, hardCaching, hardUsage,
		hardStreams, hardErrors, hardWire, hardFound, hardOrder, hardMore, hardAsked, hardAnswered, hardHeardO, hardHeardA, hardHeardG,
		hardVaried, hardLong, hardSilent, hardPlaced, hardSharp, hardKept, hardEnded, hardLost, hardExact, hardNamed, hardMixed, hardBoth,
		hardUnasked, hardPaid, hardFacts, hardJoined, hardRead, hardEdges, hardPaused, hardBooked, hardRefused, hardFresh, hardStrayed, hardFitted, hardBegun, hardAgain, hardClaude, hardBehind, hardCodex, hardBrought, hardStrict,
		hardSpoken, hardTurned, hardWorded, hardLoose, hardCounted, hardBlank, hardSession, hardLibrary, hardHeld, hardAnnounced, hardGiven, hardTwice, hardPieced, hardRanges, hardNever, hardRest, hardDrawn, hardOwn, hardMined, hardRelayed, hardLearned, hardOpened, hardWordless,
	}
}

func TestHardCases(t *testing.T) {
	t.Parallel()
	for _, s := range sections() {
		for _, c := range s.cases {
			if c.run == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d %s", s.title, c.number, c.name), func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	}
}

// The dialects, by the letters that the list of cases has for them.
const (
	O = "openai"
	A = "anthropic"
	G = "gemini"
)

func codecOf(name string) dialect.Dialect {
	for _, d := range codecs {
		if d.Name() == name {
			return d
		}
	}
	panic(name)
}
