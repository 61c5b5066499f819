package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// sealer replaces the values of known secrets in what is kept by their names, in each spelling in which a
// page may have written them, and puts them back.
type sealer struct {
	secrets map[string]string
	names   []string
	pairs   []string // of text and name, for a replacer
	// rest finds what is mixed of several spellings. It is named too, and cannot be put back.
	rest *redact.Set
}

func newSealer(secrets map[string]string) sealer {
	s := sealer{secrets: secrets, names: slices.Sorted(maps.Keys(secrets)), rest: redact.New(secrets)}
	for _, name := range s.names {
		for i, form := range redact.Spellings(secrets[name]) {
			if form.Text != "" {
				s.pairs = append(s.pairs, form.Text, "<secret:"+name+"~"+strconv.Itoa(i)+">")
			}
		}
	}
	return s
}

// text is what may be kept of s. Text of the page that looks like the name of a secret is marked as no name:
// a page must not be given a secret because it wrote its name.
func (s sealer) text(v string) string {
	v = strings.ReplaceAll(v, "<secret:", "<secret:>")
	if len(s.pairs) == 0 {
		return v
	}
	return s.rest.Text(strings.NewReplacer(s.pairs...).Replace(v))
}

// named is the name that stands for what a control of that type holds, where it is a secret and nothing else,
// and how the page parts its digits (cua.ControlState); "" when it is none.
func (s sealer) named(controlType, v string) (name, mask string) {
	for _, n := range s.names {
		switch secret := s.secrets[n]; {
		case v == "":
		case secret == v:
			return "<secret:" + n + "~0>", ""
		case controlType != "password" && masked(v, secret):
			return "<secret:" + n + "~0>", digit.ReplaceAllString(v, "0")
		}
	}
	return "", ""
}

var digit = regexp.MustCompile(`[0-9]`)

// unmasked is the secret with its digits parted as mask says.
func unmasked(mask, secret string) string {
	digits := digitsOf(secret)
	return digit.ReplaceAllStringFunc(mask, func(string) string {
		if digits == "" {
			return ""
		}
		d := digits[:1]
		digits = digits[1:]
		return d
	})
}

// all is m with its keys and values sealed; nil stays nil.
func (s sealer) all(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[s.text(k)] = s.text(v)
	}
	return out
}

var sealed = regexp.MustCompile(`<secret:(?:>|([^<>~]+)~(\d{1,2})>)`)

// open undoes text. The error names a secret that is not known any more.
func (s sealer) open(v string) (string, error) {
	if !strings.Contains(v, "<secret:") {
		return v, nil
	}
	var lost error
	out := sealed.ReplaceAllStringFunc(v, func(m string) string {
		part := sealed.FindStringSubmatch(m)
		if part[1] == "" {
			return "<secret:"
		}
		i, _ := strconv.Atoi(part[2])
		switch value := s.secrets[part[1]]; {
		case value != "" && i == 0: // a field that holds nothing else is named whatever its length
			return value
		case value != "":
			if forms := redact.Spellings(value); i < len(forms) {
				return forms[i].Text
			}
		}
		lost = fmt.Errorf("the secret %s is not known", part[1])
		return ""
	})
	return out, lost
}

// openAll is open for a map; what cannot be opened is left out, and the last error says so.
func (s sealer) openAll(m map[string]string) (map[string]string, error) {
	if m == nil {
		return nil, nil
	}
	var lost error
	out := make(map[string]string, len(m))
	for k, v := range m {
		key, err1 := s.open(k)
		value, err2 := s.open(v)
		if err1 != nil || err2 != nil {
			lost = fmt.Errorf("browser: giving back what was stored: %w", firstOf(err1, err2))
			continue
		}
		out[key] = value
	}
	return out, lost
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cookies puts those of the session back, if that was asked for.
func (r *restoration) cookies(ctx context.Context) {
	if !r.asks(cua.FacetCookies) || r.want.Cookies == nil {
		return
	}
	if r.s.id == "" {
		r.lose(cua.FacetCookies, fmt.Errorf("%w: others use its only context", errUnsupported))
		return
	}
	list := []*network.CookieParam{}
	for _, c := range r.want.Cookies {
		value, err := r.seal.open(c.Value)
		if err != nil {
			r.lose(cua.FacetCookies, err)
			continue
		}
		p := &network.CookieParam{Name: c.Name, Value: value, Domain: c.Domain, Path: c.Path,
			Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite)}
		if c.Expires > 0 {
			p.Expires = cdp.TimeSinceEpoch(c.Expires)
		}
		if c.Partition != nil {
			p.PartitionKey = &network.CookiePartitionKey{}
			if err := json.Unmarshal(c.Partition, p.PartitionKey); err != nil {
				r.lose(cua.FacetCookies, err)
				continue
			}
		}
		list = append(list, p)
	}
	_, err := cdp.Call(ctx, r.s.b.root, storage.ClearCookies,
		storage.ClearCookiesParams{BrowserContextID: r.s.id})
	if err == nil && len(list) > 0 {
		_, err = cdp.Call(ctx, r.s.b.root, storage.SetCookies, storage.SetCookiesParams{Cookies: list,
			BrowserContextID: r.s.id})
	}
	r.s.jar.known = false
	if err != nil {
		r.lose(cua.FacetCookies, err)
	}
}
