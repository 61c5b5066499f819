package anthropic

import (
	"encoding/base64"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/cua-runner/cua-runner/brain/model"
)

// Pruning of pictures (reference: the vendor's advice). Taking one away changes the prompt from there on, so
// it is done in steps: the prompt's cache then holds for a step's length.
const (
	keepShots  = 3
	pruneEvery = 25
)

// Bounds of one request: the wire takes 32 MB and, with 200K models, 100 pictures. Beyond them, and well
// before them, the conversation starts anew from what the runner remembers.
const (
	maxShots = 90
	maxBytes = 20 << 20
	// maxTokens is where the vendor's own compaction begins, where it is asked for.
	maxTokens = 150_000
)

// omitted stands where a picture was.
const omitted = "[Image Omitted]"

// conversation is what was said, as it is sent.
type conversation struct {
	messages []sdk.MessageParam
	ids      map[string]bool // of all calls: none may come twice
	dropped  int             // pictures that were taken away
	last     string          // the digest of the frame that was sent last
	tokens   int             // that the newest reply was read from
}

// picture is one image of a conversation and where it is.
type picture struct {
	image *sdk.ImageBlockParam
	drop  func()
}

// user appends what we say.
func (c *conversation) user(blocks []sdk.ContentBlockParamUnion) {
	c.messages = append(c.messages, sdk.NewUserMessage(blocks...))
}

// assistant appends what the model said, unchanged but for empty texts, which the wire does not take back. A
// reply without words and calls cannot be sent back, and is forgotten.
func (c *conversation) assistant(m *sdk.Message) {
	p := m.ToParam()
	said := false
	kept := p.Content[:0]
	for _, b := range p.Content {
		if b.OfText != nil && b.OfText.Text == "" {
			continue
		}
		said = said || b.OfThinking == nil && b.OfRedactedThinking == nil
		if b.OfToolUse != nil {
			if c.ids == nil {
				c.ids = map[string]bool{}
			}
			c.ids[b.OfToolUse.ID] = true
		}
		kept = append(kept, b)
	}
	if p.Content = kept; said {
		c.messages = append(c.messages, p)
	}
}

// pictures are all images, oldest first.
func (c *conversation) pictures() []picture {
	var out []picture
	for i := range c.messages {
		content := c.messages[i].Content
		for j := range content {
			switch b := &content[j]; {
			case b.OfImage != nil:
				out = append(out, picture{b.OfImage, func() { *b = sdk.NewTextBlock(omitted) }})
			case b.OfToolResult != nil:
				for k := range b.OfToolResult.Content {
					if r := &b.OfToolResult.Content[k]; r.OfImage != nil {
						out = append(out, picture{r.OfImage, func() {
							*r = sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{
								Text: omitted}}
						}})
					}
				}
			}
		}
	}
	return out
}

// prune takes the oldest pictures away, a whole step of them at a time.
func (c *conversation) prune() {
	all := c.pictures()
	from := model.Images{Keep: keepShots, Every: pruneEvery}.From(c.dropped + len(all))
	for _, p := range all[:from-c.dropped] {
		p.drop()
	}
	c.dropped = from
}

// tooLong says whether the conversation has outgrown what one request may hold.
func (c *conversation) tooLong() bool {
	all, size := c.pictures(), 0
	for _, p := range all {
		if src := p.image.Source.OfBase64; src != nil {
			size += len(src.Data)
		}
	}
	return len(all) > maxShots || size > maxBytes || c.tokens > maxTokens
}

// maxMarks is how many of our cache breakpoints stand in the conversation: with the one after tools and
// system the wire's four.
const maxMarks = 3

// mark puts the cache breakpoints: on the last block of each of the newest messages of ours.
func (c *conversation) mark() {
	left := maxMarks
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		at := markable(c.messages[i].Content)
		for j := range c.messages[i].Content {
			var m sdk.CacheControlEphemeralParam
			if j == at && left > 0 {
				m = sdk.NewCacheControlEphemeralParam()
				left--
			}
			setMark(&c.messages[i].Content[j], m)
		}
	}
}

// markable is the block that a message's breakpoint stands on: its last tool_result, or its last block.
func markable(blocks []sdk.ContentBlockParamUnion) int {
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].OfToolResult != nil {
			return i
		}
	}
	return len(blocks) - 1
}

func setMark(b *sdk.ContentBlockParamUnion, m sdk.CacheControlEphemeralParam) {
	switch {
	case b.OfToolResult != nil:
		b.OfToolResult.CacheControl = m
	case b.OfText != nil:
		b.OfText.CacheControl = m
	case b.OfImage != nil:
		b.OfImage.CacheControl = m
	}
}

// imageOf is a picture as the wire takes it.
func imageOf(mime string, data []byte) *sdk.ImageBlockParam {
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
		Data: base64.StdEncoding.EncodeToString(data), MediaType: sdk.Base64ImageSourceMediaType(mime)}}}
}
