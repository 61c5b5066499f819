// Package egress is the only way out for a browser: an HTTP proxy on loopback, one for each episode. It
// decides by host and by address what may leave, resolves names itself and connects to the addresses that it
// checked.
package egress
