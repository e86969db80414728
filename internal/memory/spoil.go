//go:build !race

package memory

const spoils = false
