package model_test

import (
	"net/url"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

func TestAKeyIsNotSentInTheClear(t *testing.T) {
	for _, row := range []struct {
		name, address string
		keyed, good   bool
	}{
		{"none is the vendor's own", "", true, true},
		{"encrypted, with a key", "https://api.test/v1", true, true},
		{"in the clear, with a key", "http://api.test/v1", true, false},
		{"in the clear to an address of a network, with a key", "http://192.168.0.7:8000/v1", true, false},
		{"a name that only begins like this machine's", "http://localhost.test/v1", true, false},
		{"in the clear, without a key", "http://gpu.test:8000/v1", false, true},
		{"in the clear to this machine by name", "http://localhost:8000/v1", true, true},
		{"in the clear to this machine by address", "http://127.0.0.1:8000/v1", true, true},
		{"in the clear to this machine, IPv6", "http://[::1]:8000/v1", true, true},
		{"another scheme", "ftp://api.test/v1", false, false},
		{"with a user", "https://me:word@api.test/v1", false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := model.BaseURL(brain.Spec{Name: "parrot",
				Values: url.Values{"base_url": {row.address}}}, row.keyed)
			if row.good != (err == nil) || row.good && got != row.address {
				t.Errorf("%q keyed %v: %q, %v", row.address, row.keyed, got, err)
			}
		})
	}
}
