//go:build !torture

package console_test

// screens are those on which walks are taken. Pages are made narrow for a moment wherever a walk comes by; on a phone from
// beginning to end are those who have everyScreen here, and all of them by make torture.
var screens = []screen{{1440, "/stele"}}

const alsoNarrow = true

// textsAlike is how many texts of a long page are looked at that are alike; 0 is all.
const textsAlike = 3
