//go:build !torture

package money

const (
	rounds  = 10
	abreast = 5   // rounds at once
	clients = 20  // of each
	dear    = 3   // how often a provider's list price is paid
	billed  = 300 // chats whose rows are held against the providers' bills
	pieces  = 160 // generations of which the same is true
	deaths  = 2   // of servers meanwhile
)
