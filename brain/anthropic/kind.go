package anthropic

import (
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// kind is one of the vendor's tools.
type kind struct {
	name    string // type on the wire
	browser bool   // the browser toolset: references, tabs, browser_state
	old     bool   // a single tool with actions, in the beta API
	halt    string // answer to a call that was not tried
	files   bool   // file_upload is offered
}

// The values of the option tool; the first is the default.
const (
	browserTool  = "browser_toolset_20260801"
	computerTool = "computer_toolset_20260801"
	olderTool    = "computer_20251124"
)

// kindOf is the tool for a value of the option tool: its type, or browser or computer for the newest of
// its family.
func kindOf(tool string, files bool) (kind, error) {
	switch tool {
	case "", "browser", browserTool:
		return kind{name: browserTool, browser: true, halt: browserHalt, files: files}, nil
	case "computer", computerTool:
		return kind{name: computerTool, halt: computerHalt}, nil
	case olderTool:
		return kind{name: olderTool, old: true, halt: computerHalt}, nil
	}
	return kind{}, fmt.Errorf("the option tool is browser, computer or %s, not %q", olderTool,
		brain.Line(tool, 40))
}

// read parses a call. Its toolset must be the offered one.
func (k kind) read(s *scene, c call) (order, *cua.Failure) {
	switch {
	case k.old:
		return readOlder(s, c)
	case k.browser && c.toolset == "browser":
		return readBrowser(s, c, k.files)
	case !k.browser && c.toolset == "computer":
		return readComputer(s, c)
	}
	return order{}, model.Unknown(strings.TrimSpace(c.toolset + " " + c.name))
}

// tools is the declaration for the API that is not beta. Members without a matching action are disabled.
func (k kind) tools() []sdk.ToolUnionParam {
	off := param.NewOpt(false)
	if !k.browser {
		t := &sdk.ComputerToolset20260801Param{}
		t.Configs.HoldKey.Enabled = off
		t.Configs.LeftMouseDown.Enabled = off
		t.Configs.LeftMouseUp.Enabled = off
		return []sdk.ToolUnionParam{{OfComputerToolset20260801: t}}
	}
	t := &sdk.BrowserToolset20260801Param{}
	t.Configs.HoldKey.Enabled = off
	t.Configs.LeftMouseDown.Enabled = off
	t.Configs.LeftMouseUp.Enabled = off
	if k.files {
		t.Configs.FileUpload.Enabled = param.NewOpt(true)
	}
	return []sdk.ToolUnionParam{{OfBrowserToolset20260801: t}}
}

// oldTools is the declaration of the old tool. Its coordinates are in pixels of a display of that size.
func oldTools(screen cua.Size) []sdk.BetaToolUnionParam {
	return []sdk.BetaToolUnionParam{{OfComputerUseTool20251124: &sdk.BetaToolComputerUse20251124Param{
		DisplayWidthPx: int64(max(screen.W, 1)), DisplayHeightPx: int64(max(screen.H, 1)),
		EnableZoom: param.NewOpt(true)}}}
}

// rules are the instructions about the tools, in addition to model.System.
func (k kind) rules() string {
	text := `
While a JavaScript dialog is open, pressing Return accepts it and Escape dismisses it; text answers an open prompt and accepts it. Nothing else reaches the page then.
Keys and buttons cannot be held down here, and clicks take no modifiers.`
	if k.browser {
		text += `
Elements are listed with references such as [ref_7]: prefer them to coordinates. A number drawn on an element, 7, is its reference, ref_7. A reference holds until the page is another one. read_page lists elements flat, without depth.
Actions go to the active tab.`
	}
	return text
}
