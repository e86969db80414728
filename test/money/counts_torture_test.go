//go:build torture

package money

const (
	rounds  = 100
	clients = 500
	billed  = 10_000 // chats whose rows are held against the providers' bills
	pieces  = 10_000 // generations of which the same is true
	deaths  = 12     // of servers meanwhile
)
