//go:build torture

package money

const (
	rounds  = 100
	clients = 500
)
