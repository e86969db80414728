package anthropic

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// toolset is several tools that Anthropic defined under one entry, and that the client itself runs. Claude is told
// of the entry, and names the set beside the tool in each of its calls; other models are offered each tool.
type toolset struct {
	name    string            // as calls have it
	fields  map[string]string // schemas of what the tools take
	members []member
}

// member is a tool of a set.
type member struct {
	name, about string
	needs       string // what it must be given
	takes       string // what it may be given besides
	off         bool   // it is offered only where the client says so
}

// toolsets are the sets by the types of their entries.
var toolsets = map[string]*toolset{"computer_toolset_20260801": &computerTools, "browser_toolset_20260801": &browserTools}

const (
	pair      = `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2,"description":"x and y in pixels of the screenshot, from the upper left corner."}`
	region    = `{"type":"array","items":{"type":"integer"},"minItems":4,"maxItems":4,"description":"left, top, right and bottom, in pixels of the screenshot."}`
	direction = `{"type":"string","enum":["up","down","left","right"]}`
	words     = `{"type":"string"}`
	seconds   = `{"type":"number","description":"Seconds."}`
	count     = `{"type":"integer"}`
	element   = `{"type":"object","properties":{"type":{"type":"string","enum":["ref"]},"ref":{"type":"string","description":"Of an element, as read_page and find give it."}},"required":["type","ref"]}`
	point     = `{"type":"object","properties":{"type":{"type":"string","enum":["coordinate"]},"x":{"type":"integer"},"y":{"type":"integer"}},"required":["type","x","y"]}`
)

var computerTools = toolset{
	"computer",
	map[string]string{"coordinate": pair, "start_coordinate": pair, "region": region, "scroll_direction": direction, "scroll_amount": count, "duration": seconds, "repeat": count, "text": words},
	[]member{
		{"key", "Presses a key or several at once, as in ctrl+s; repeat says how often.", "text", "repeat", false},
		{"hold_key", "Holds a key or several down for a while.", "text duration", "", false},
		{"type", "Types a text.", "text", "", false},
		{"cursor_position", "Tells where the cursor is.", "", "", false},
		{"mouse_move", "Moves the cursor.", "coordinate", "", false},
		{"left_mouse_down", "Presses the left button and holds it.", "", "", false},
		{"left_mouse_up", "Releases the left button.", "", "", false},
		{"left_click", "Clicks, where the cursor is or at a coordinate; text is keys to hold meanwhile.", "", "coordinate text", false},
		{"left_click_drag", "Drags from start_coordinate to coordinate; text is keys to hold meanwhile.", "start_coordinate coordinate", "text", false},
		{"right_click", "Clicks with the right button; text is keys to hold meanwhile.", "", "coordinate text", false},
		{"middle_click", "Clicks with the middle button; text is keys to hold meanwhile.", "", "coordinate text", false},
		{"double_click", "Clicks twice; text is keys to hold meanwhile.", "", "coordinate text", false},
		{"triple_click", "Clicks three times; text is keys to hold meanwhile.", "", "coordinate text", false},
		{"scroll", "Scrolls so many clicks of the wheel; text is keys to hold meanwhile.", "scroll_direction scroll_amount", "coordinate text", false},
		{"wait", "Waits.", "duration", "", false},
		{"screenshot", "Takes a picture of the screen.", "", "", false},
		{"zoom", "Takes a picture of a part of the screen.", "region", "", false},
	},
}

var browserTools = toolset{
	"browser",
	map[string]string{
		"tab_id": `{"type":"string","description":"Of a tab; where it may be left out, that is the active one."}`, "url": words, "query": words, "text": words, "modifiers": words, "ref": words,
		"depth": count, "repeat": count, "duration": seconds, "region": region, "scroll_direction": direction, "scroll_amount": count, "filter": `{"type":"string","enum":["all","interactive"]}`,
		"value": `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}`, "paths": `{"type":"array","items":{"type":"string"}}`, "document_ids": `{"type":"array","items":{"type":"string"}}`,
		"target": `{"anyOf":[` + point + `,` + element + `]}`, "from": point,
	},
	[]member{
		{"navigate", "Goes to an address, or back, forward or reload.", "url", "tab_id", false},
		{"list_tabs", "Lists the open tabs.", "", "", false},
		{"new_tab", "Opens an empty tab.", "", "", false},
		{"switch_tab", "Makes a tab the active one.", "tab_id", "", false},
		{"close_tab", "Closes a tab.", "tab_id", "", false},
		{"read_page", "Gives the tree of the page's elements with a ref for each; ref is where it begins.", "", "filter depth ref tab_id", false},
		{"get_page_text", "Gives the text of the page.", "", "tab_id", false},
		{"read_console", "Gives what the console said since it was last read.", "", "tab_id", true},
		{"read_network", "Lists the requests since they were last read.", "", "tab_id", true},
		{"find", "Finds elements by a description in words.", "query", "tab_id", false},
		{"form_input", "Sets the value of a form's element, which target refers to.", "target value", "tab_id", false},
		{"file_upload", "Puts files into an element, which target refers to.", "target", "paths document_ids tab_id", true},
		{"scroll_to", "Scrolls to an element, which target refers to.", "target", "tab_id", false},
		{"screenshot", "Takes a picture of the page.", "", "tab_id", false},
		{"zoom", "Takes a picture of a part of the page.", "region", "tab_id", false},
		{"left_click", "Clicks; modifiers are keys to hold meanwhile.", "target", "modifiers tab_id", false},
		{"right_click", "Clicks with the right button.", "target", "modifiers tab_id", false},
		{"middle_click", "Clicks with the middle button.", "target", "modifiers tab_id", false},
		{"double_click", "Clicks twice.", "target", "modifiers tab_id", false},
		{"triple_click", "Clicks three times.", "target", "modifiers tab_id", false},
		{"hover", "Moves the cursor to a point or an element.", "target", "tab_id", false},
		{"left_click_drag", "Drags from one point to another.", "from target", "tab_id", false},
		{"left_mouse_down", "Presses the left button at a point and holds it.", "target", "tab_id", false},
		{"left_mouse_up", "Releases the left button at a point.", "target", "tab_id", false},
		{"mouse_move", "Moves the cursor to a point.", "target", "tab_id", false},
		{"scroll", "Scrolls at a point.", "target scroll_direction", "scroll_amount tab_id", false},
		{"type", "Types a text.", "text", "tab_id", false},
		{"key", "Presses a key, several at once as in ctrl+a, or one after another with blanks between.", "text", "repeat tab_id", false},
		{"hold_key", "Holds a key or several down for a while.", "text duration", "tab_id", false},
		{"wait", "Waits.", "duration", "tab_id", false},
		{"javascript_exec", "Runs JavaScript in the page and gives the value of its last expression.", "text", "tab_id", true},
	},
}

// openSet gives the tools of a set that its entry offers, each as a function that models of other dialects can call.
func openSet(entry chat.Tool, v jsonscan.Value) []chat.Tool {
	set := toolsets[v.Get("type").View()]
	if set == nil {
		return nil
	}
	var list []chat.Tool
	for _, m := range set.members {
		on := !m.off
		if said, ok := v.Get("configs", m.name, "enabled").Bool(); ok {
			on = said
		}
		if on {
			list = append(list, chat.Tool{Name: m.name, Description: m.about, Schema: set.schemaOf(&m), At: entry.At, Set: set.name, Offer: chat.Abroad})
		}
	}
	return list
}

// schemaOf is what a tool takes.
func (s *toolset) schemaOf(m *member) []byte {
	needs := strings.Fields(m.needs)
	w := new(jsonscan.Writer).Open(jsonscan.Object).Key("type").Plain("object").Key("properties").Open(jsonscan.Object)
	for _, name := range slices.Concat(needs, strings.Fields(m.takes)) {
		w.Key(name).Raw([]byte(s.fields[name]))
	}
	w.Close(jsonscan.Object)
	if len(needs) > 0 {
		w.Key("required").Open(jsonscan.Array)
		for _, name := range needs {
			w.Plain(name)
		}
		w.Close(jsonscan.Array)
	}
	return w.Close(jsonscan.Object).Bytes()
}

// setOf is the set that a call's tool belongs to; "": none.
func setOf(req *chat.Request, name string) string {
	talk, err := req.Conversation()
	if err != nil {
		return ""
	}
	for i := range talk.Tools {
		if t := &talk.Tools[i]; t.Set != "" && t.Name == name {
			return t.Set
		}
	}
	return ""
}
