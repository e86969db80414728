//go:build torture

package jsonscan_test

const randomDocuments = 10_000
