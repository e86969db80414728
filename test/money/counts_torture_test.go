//go:build torture

package money

const (
	rounds  = 100
	clients = 500
	billed  = 10_000 // chats whose rows are held against the providers' bills
)
