//go:build !torture

package dialect_test

// cutStep is how far one cut of a stream is from the next.
const cutStep = 10
