//go:build !torture

package money

const (
	rounds  = 4
	clients = 100
	billed  = 300 // chats whose rows are held against the providers' bills
	pieces  = 160 // generations of which the same is true
	deaths  = 2   // of servers meanwhile
)
