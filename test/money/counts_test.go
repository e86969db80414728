//go:build !torture

package money

const (
	rounds  = 10
	clients = 100
)
