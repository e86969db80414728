//go:build !torture

package store

// manyHolds is how many holds are taken and settled before the sums are compared.
const manyHolds = 1_500
