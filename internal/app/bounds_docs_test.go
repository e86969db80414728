package app

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stele/internal/formula"
)

// TestTheDocumentedBoundsAreTrue keeps docs/apps.md in step with the code.
func TestTheDocumentedBoundsAreTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Bounds\n")
	for _, row := range []string{
		fmt.Sprintf("| its text | %d KB, in the console %d KB;", longestFile>>10, LongestSource>>10),
		fmt.Sprintf("| inputs, steps | %d, %d |", mostInputs, mostSteps),
		fmt.Sprintf("| `most`, `parallel`, `retries` of a step | %d (%d if not given), %d, %d |", largestMost, usualMost, mostParallel, mostRetries),
		fmt.Sprintf("| expressions | %d,", formula.MostExpressions),
		fmt.Sprintf("| one expression | %d KB, %d names, values and signs, %d brackets", formula.LongestText>>10, formula.MostNodes, formula.MostNesting),
		fmt.Sprintf("| apps that are written in one workspace | %d |", mostDrafts),
		fmt.Sprintf("%d,000,000 steps of work, %d MB made on the way, %d s |", formula.MostWork/1_000_000, formula.MostMade>>20, int(formula.LongestTime.Seconds())),
		fmt.Sprintf("| a text that an expression or a template makes | %d MB |", formula.LongestMade>>20),
		fmt.Sprintf("| all values that one evaluation gives | %d MB,", formula.MostGiven>>20),
		fmt.Sprintf("| what one chat answers, all chats of a run | %d KB, %d MB |", longestSaid>>10, mostSaid>>20),
		fmt.Sprintf("| files and texts of the result | %d,000 |", mostOutputs/1000),
	} {
		if !strings.Contains(text, row) {
			t.Errorf("the page does not say %q", row)
		}
	}
}
