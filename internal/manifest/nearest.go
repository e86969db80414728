package manifest

import (
	"fmt"
	"strings"
)

// longestName is the longest name that others are compared with: comparing takes time in
// the square of it.
const longestName = 100

// DidYouMean returns `; did you mean "strategy"?` with the known name that is
// nearest to a misspelt one, or nothing if none is near. It is made to end a
// message.
func DidYouMean(name string, known []string) string {
	if len(name) > longestName {
		return ""
	}
	best, least := "", min(max(len(name)/3, 1), 3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the letters to add, drop, change or swap with their neighbour to
// turn a into b. It may stop counting at limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var before []int // the row above the row above
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above = above, row
	}
	return above[len(b)]
}
