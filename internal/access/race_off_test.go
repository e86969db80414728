//go:build !race

package access_test

const raced = false
