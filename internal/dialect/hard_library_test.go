package dialect_test

// What clients' libraries send and read as their own vendors' services do and take it.
var hardLibrary = section{"BE", "what clients' libraries send and read", []hard{
	{number: 1450, name: "thoughts that a library lost, to the sandbox", answer: "it does not think in that turn, with a warning, as a Claude behind the house; clients of Claude's dialect are refused, as by Claude", elsewhere: "TestHard1450LostThoughtsInDialectsThatUpstreamsDoNotSee"},
	{number: 1451, name: "bodies packed with gzip or deflate", answer: "read, within the bounds of plain ones; zstd and br are refused by name", elsewhere: "TestHard1451PackedBodies"},
	{number: 1452, name: "a byte order mark before a body", elsewhere: "TestHard1452AByteOrderMark"},
	{number: 1453, name: "events asked for by the other name that Google has for it", elsewhere: "TestHard1453EventsByEitherName"},
}}
