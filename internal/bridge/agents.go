package bridge

import (
	"strings"

	"stele/internal/jsonscan"
)

// addAgentMessage adds what one of Codex's agents has written to another, as words of the
// user's: a chat has no third speaker. It is how an agent is given its task, and how it
// hears what others have found.
func (t *talk) addAgentMessage(v jsonscan.Value, path string) error {
	list, err := readParts(v.Get("content"), path+".content", t.drop)
	if err != nil {
		return err
	}
	if list.text() == "" && len(list.others) == 0 {
		return nil
	}
	t.turnEnd()
	t.begin()
	message := t.message("user")
	if len(list.others) == 0 {
		message.Text(routeOf(v) + ":\n\n" + list.text())
	} else {
		message.Open(array).Open(object).Key("type").Plain("text").Key("text").Text(routeOf(v) + ":").Close(object).Raw(list.all).Close(array)
	}
	t.endMessage()
	return nil
}

// routeOf says who wrote an agent's message, and to whom.
func routeOf(v jsonscan.Value) string {
	return "Message from agent " + v.Get("author").View() + " to agent " + v.Get("recipient").View()
}

// plainContent is a content that is to be encrypted and is not: only OpenAI's own service
// encrypts what its models write to other agents, and all others leave it as it is.
func plainContent(v jsonscan.Value) string {
	text := v.Get("encrypted_content").View()
	const fernet = "gAAAA" // how all begin that OpenAI has encrypted
	if strings.HasPrefix(text, fernet) && !strings.ContainsAny(text, " \n") {
		return ""
	}
	return text
}
