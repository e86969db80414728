//go:build !torture

package money

const (
	rounds  = 10
	clients = 100
	billed  = 300 // chats whose rows are held against the providers' bills
)
