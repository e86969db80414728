//go:build !race

package console_test

// racing says that the race detector is on.
const racing = false
