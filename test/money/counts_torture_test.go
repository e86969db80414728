//go:build torture

package money

const (
	rounds  = 100
	abreast = 1 // rounds at once
	clients = 500
	dear    = 1      // how often a provider's list price is paid
	billed  = 10_000 // chats whose rows are held against the providers' bills
	pieces  = 10_000 // generations of which the same is true
	deaths  = 12     // of servers meanwhile
)
