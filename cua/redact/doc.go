// Package redact finds the values of secrets in what is about to be sent, stored or shown, in each spelling
// in which a page, a server or a model may repeat them, and puts a mark in their place. It also makes control
// characters visible. It is pure: text in, text out.
package redact
