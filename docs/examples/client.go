//go:build ignore

// Client has a task done by cua-runner serve and waits up to a minute for its end:
//
//	go run docs/examples/client.go URL INSTRUCTION [LABEL=VALUE …]
//
// CUA_SERVER is the server's address, CUA_TOKEN the token. Exit code 0 is success.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	fields := []map[string]string{}
	for _, f := range os.Args[3:] {
		label, value, _ := strings.Cut(f, "=")
		fields = append(fields, map[string]string{"label": label, "value": value})
	}
	task, _ := json.Marshal(map[string]any{"url": os.Args[1], "instruction": os.Args[2], "fields": fields,
		"attended": false})
	r, err := http.NewRequest("POST", cmp.Or(os.Getenv("CUA_SERVER"), "http://127.0.0.1:8700")+"/v1/cua",
		strings.NewReader(string(task)))
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("CUA_TOKEN"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Prefer", "wait=60")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	var e struct {
		State, Detail string // Detail and Errors are those of a problem (RFC 9457)
		Errors        []struct{ Location, Message string }
		Result        struct {
			Success bool
			Reason  string `json:"termination_reason"`
			Steps   int
		}
	}
	switch err := json.NewDecoder(answer.Body).Decode(&e); {
	case err != nil:
		log.Fatal(answer.Status, ": ", err)
	case answer.StatusCode >= 400:
		for _, x := range e.Errors {
			e.Detail += "; " + x.Location + ": " + x.Message
		}
		log.Fatalf("%d: %s", answer.StatusCode, e.Detail)
	case !e.Result.Success:
		log.Fatal(e.State, " ", e.Result.Reason)
	}
	fmt.Println(e.Result.Reason, "after", e.Result.Steps, "steps")
}
