package anthropic

import (
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// clientTools are the tools that Anthropic defined and that the client itself runs, by
// what their types begin with. Claude knows how to call them; other models are given
// what Anthropic publishes of them: the clients run a call whichever model made it.
var clientTools = map[string]struct{ about, schema string }{
	"bash": {
		"Runs a command in a bash session that stays open between calls. Give either a command, or restart to begin a new session.",
		`{"type":"object","properties":{"command":{"type":"string","description":"The command to run."},"restart":{"type":"boolean","description":"true begins a new session."}}}`,
	},
	"text_editor": {
		"Views, creates and edits text files. Every command needs a path. str_replace replaces old_str, which must occur exactly once, by new_str; " +
			"insert puts text behind the line insert_line.",
		`{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert"%s]},` +
			`"path":{"type":"string","description":"Of the file or folder."},"file_text":{"type":"string","description":"Of create: what is in the file."},` +
			`"old_str":{"type":"string","description":"Of str_replace: what is replaced."},"new_str":{"type":"string","description":"Of str_replace: what replaces it%s."},` +
			`"insert_line":{"type":"integer","description":"Of insert: the line behind which the text goes; 0 is the beginning."},` +
			`%s"view_range":{"type":"array","items":{"type":"integer"},"description":"Of view: the first and the last line; -1 is the end."}},"required":["command","path"]}`,
	},
	"memory": {
		"Keeps notes in files under /memories, from one conversation to the next. view shows a file or folder; create, str_replace, insert, delete and rename change it.",
		`{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","delete","rename"]},` +
			`"path":{"type":"string"},"file_text":{"type":"string","description":"Of create."},"old_str":{"type":"string","description":"Of str_replace."},` +
			`"new_str":{"type":"string","description":"Of str_replace."},"insert_line":{"type":"integer","description":"Of insert."},"insert_text":{"type":"string","description":"Of insert."},` +
			`"view_range":{"type":"array","items":{"type":"integer"},"description":"Of view: the first and the last line."},` +
			`"old_path":{"type":"string","description":"Of rename."},"new_path":{"type":"string","description":"Of rename."}},"required":["command"]}`,
	},
	"computer": {
		"Uses the mouse and the keyboard of a computer and takes screenshots.",
		`{"type":"object","properties":{"action":{"type":"string","enum":["key","type","mouse_move","left_click","left_click_drag","right_click","middle_click",` +
			`"double_click","screenshot","cursor_position"%s]},"coordinate":{"type":"array","items":{"type":"integer"},"description":"x and y in pixels, from the upper left corner."},` +
			`"text":{"type":"string","description":"Of type: what is typed. Of key and hold_key: the keys, as in ctrl+s."}%s},"required":["action"]}`,
	},
}

// clientTool is a tool that the client runs, as a function that any model can call. Not
// ok is one that runs at the upstream, or that nothing is published of.
func clientTool(kind, name string, v jsonscan.Value) (t chat.Tool, ok bool) {
	if !dated().MatchString(kind) {
		return t, false
	}
	sort, date := kind[:len(kind)-len("_20250101")], kind[len(kind)-len("20250101"):]
	published, ok := clientTools[sort]
	if !ok || name == "" {
		return t, false
	}
	about, schema := published.about, published.schema
	switch sort {
	case "text_editor":
		undo, inserted, text := "", "", `"insert_text":{"type":"string","description":"Of insert: the text."},`
		if date < "20250429" { // of earlier models
			undo, inserted, text = `,"undo_edit"`, ", of insert the text", ""
		}
		schema = fmt.Sprintf(schema, undo, inserted, text)
	case "computer":
		schema = fmt.Sprintf(schema, moreActions(date), moreMembers(date))
		if width, height := v.Get("display_width_px").Number(), v.Get("display_height_px").Number(); width != "" && height != "" {
			about += " The screen has " + width + " by " + height + " pixels."
		}
	}
	return chat.Tool{Kind: chat.Client, Name: name, Description: about, Schema: []byte(schema), Raw: without(v, "cache_control")}, true
}

func moreActions(date string) string {
	var more strings.Builder
	if date >= "20250124" {
		more.WriteString(`,"left_mouse_down","left_mouse_up","scroll","hold_key","wait","triple_click"`)
	}
	if date >= "20251124" {
		more.WriteString(`,"zoom"`)
	}
	return more.String()
}

func moreMembers(date string) string {
	var more strings.Builder
	if date >= "20250124" {
		more.WriteString(`,"start_coordinate":{"type":"array","items":{"type":"integer"},"description":"Of left_click_drag."},` +
			`"scroll_direction":{"type":"string","enum":["up","down","left","right"]},"scroll_amount":{"type":"integer"},"duration":{"type":"number","description":"Seconds, of hold_key and wait."}`)
	}
	if date >= "20251124" {
		more.WriteString(`,"region":{"type":"array","items":{"type":"integer"},"description":"Of zoom: left, top, right, bottom."}`)
	}
	return more.String()
}
