package study

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestAdmissionByMemory(t *testing.T) {
	for _, row := range []struct {
		name      string
		need      int
		available func() int
		enter     int // how many of four may be inside while no page is open
	}{
		{"nobody asks", 0, func() int { return 1 }, 4},
		{"nobody knows", 100, nil, 4},
		{"unknown", 100, func() int { return 0 }, 4},
		{"enough for all", 100, func() int { return 400 }, 4},
		{"enough for two", 100, func() int { return 299 }, 2},
		{"too little for any: one goes on", 100, func() int { return 10 }, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdmission(Memory{NeedMB: row.need, AvailableMB: row.available}, 0)
				inside, out := 0, make(chan func(), 4)
				for range 4 {
					go func() {
						seat, err := a.enter(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						inside++ // one goroutine runs at a time up to each Wait
						out <- seat.leave
					}()
					synctest.Wait()
				}
				if inside != row.enter {
					t.Errorf("%d went in, want %d", inside, row.enter)
				}
				for range 4 { // each that leaves lets the others in
					leave := <-out
					leave()
					leave()
					synctest.Wait()
				}
				if inside != 4 || len(a.inside) != 0 || a.opening != 0 {
					t.Errorf("%d went in, %d run, %d open", inside, len(a.inside), a.opening)
				}
			})
		})
	}
}

// The memory of an episode's page is known once the page is open: then the next is judged by what is left.
func TestAdmissionWaitsForOpenPagesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 150
		a := newAdmission(Memory{NeedMB: 100, AvailableMB: func() int { return left }}, 0)
		first, err := a.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer first.leave()
		in := false
		go func() {
			if seat, err := a.enter(t.Context()); err == nil {
				in = true
				seat.leave()
			}
		}()
		synctest.Wait()
		if in {
			t.Error("a second went in while the first page was not open")
		}
		left = 120
		first.opened()
		synctest.Wait()
		if !in {
			t.Error("nobody went in after the first page was open")
		}
	})
}

// The memory of an episode is measured once its page is open: the next needs twice that, whatever was said
// before. A cell that waits for memory is reported once.
func TestAdmissionByMeasuredMemory(t *testing.T) {
	for _, row := range []struct {
		name  string
		taken int
		in    bool   // a second goes in beside an open one
		told  [3]int // need, available and running of the message; zero is none
	}{
		{"unknown: the need that was said", 0, false, [3]int{500, 300, 1}},
		{"little is taken", 100, true, [3]int{}},
		{"much is taken", 200, false, [3]int{400, 300, 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told [][3]int
				a := newAdmission(Memory{NeedMB: 500, AvailableMB: func() int { return 300 },
					TakenMB: func(int) int { return row.taken },
					Short: func(need, available, running int) {
						told = append(told,
							[3]int{need, available, running})
					}}, 0)
				first, err := a.enter(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				first.opened()
				in := false
				go func() {
					if seat, err := a.enter(t.Context()); err == nil {
						in = true
						seat.leave()
					}
				}()
				synctest.Wait()
				a.change(func() {}) // it looks again, and is told of once
				synctest.Wait()
				if in != row.in || row.told == [3]int{} && len(told) > 0 || row.told != [3]int{} &&
					(len(told) != 1 || told[0] != row.told) {
					t.Errorf("went in: %v, told %v, want %v and %v", in, told, row.in, row.told)
				}
				first.leave()
				synctest.Wait()
			})
		})
	}
}

func TestAdmissionEndsWithTheStudy(t *testing.T) {
	a := newAdmission(Memory{NeedMB: 100, AvailableMB: func() int { return 1 }}, 0)
	seat, err := a.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer seat.leave()
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if _, err := a.enter(ctx); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
}
