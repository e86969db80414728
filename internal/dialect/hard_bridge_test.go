package dialect_test

// What clients of the bridge say and expect, and servers let fall.
var hardSpoken = section{"AX", "what is said to the bridge", []hard{
	// suhaibbinyounis/github-copilot-api-vscode#32: clients that hold answers against OpenAI's own types refuse them.
	{number: 1280, name: "items that are listed with less than OpenAI's library says they have", elsewhere: "TestHard1280ListedItemsAreWhole"},
	// jamesrochabrun/SwiftOpenAI#150: OpenAI's API says which field is missing; a server that takes it loses the schema.
	{number: 1281, name: "a schema in the form of another route, and fields of another kind", elsewhere: "TestHard1281FieldsOfAnotherKind"},
}}
