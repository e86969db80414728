//go:build race

package memory

// spoils has memory written over when it is given back, so that tests see who still reads it.
const spoils = true
