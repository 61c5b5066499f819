//go:build server

package temporal

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/trajectories"
)

var s3Program = flag.String("engine.s3", os.Getenv("CUA_VERSITYGW"),
	"the program versitygw, an S3 server, which make temporal-test installs")

// s3 is an S3 server in a process of its own, which can be killed and started again, with one bucket.
type s3 struct {
	t       *testing.T
	root    string
	address string
	process *exec.Cmd
}

// newS3 starts one; it ends with the test.
func newS3(t *testing.T) *s3 {
	t.Helper()
	if *s3Program == "" && os.Getenv("CI") == "" {
		t.Skip("no S3 server: -engine.s3 or CUA_VERSITYGW names the program versitygw")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &s3{t: t, root: t.TempDir(), address: l.Addr().String()}
	l.Close()
	s.start()
	t.Cleanup(func() { kill(s.process) })
	b, err := OpenBucket("s3://frames", s.env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.client.MakeBucket(t.Context(), "frames", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts it and waits until it is there.
func (s *s3) start() {
	s.t.Helper()
	s.process = exec.Command(*s3Program, "--quiet", "--port", s.address, "posix", s.root)
	s.process.Env = append(os.Environ(), "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=of-the-test")
	s.process.SysProcAttr = dieWithUs()
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	await(s.t, "S3 server", func() bool {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// env is the environment of who may use it, but for some variables.
func (s *s3) env(but map[string]string) func(string) string {
	all := map[string]string{endpointVariable: "http://" + s.address, "AWS_ACCESS_KEY_ID": "key",
		"AWS_SECRET_ACCESS_KEY": "of-the-test"}
	maps.Copy(all, but)
	return func(name string) string { return all[name] }
}

func (s *s3) bucket(address string, but map[string]string) *Bucket {
	s.t.Helper()
	b, err := OpenBucket(address, s.env(but))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// objects are the sizes of those in the bucket, without what Check wrote.
func (s *s3) objects() map[string]int64 {
	s.t.Helper()
	out := map[string]int64{}
	for o := range s.bucket("s3://frames", nil).client.ListObjects(s.t.Context(), "frames",
		minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			s.t.Fatal(o.Err)
		}
		if !strings.HasSuffix(o.Key, probeName) {
			out[o.Key] = o.Size
		}
	}
	return out
}

// proxy passes connections on to address. The first so many are cut after some bytes; cut < 0 is all.
func proxy(t *testing.T, address string, cut, after int) (at string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() { l.Close(); open.Wait() })
	open.Go(func() {
		for n := 0; ; n++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", address)
			if err != nil {
				in.Close()
				continue
			}
			from := io.Reader(in)
			if cut < 0 || n < cut {
				from = io.LimitReader(in, int64(after))
			}
			both := func() { in.Close(); out.Close() }
			open.Go(func() { defer both(); _, _ = io.Copy(out, from) }) // cut, or closed by its client
			open.Go(func() { defer both(); _, _ = io.Copy(in, out) })
		}
	})
	return l.Addr().String()
}

// Each error says what is wrong with what was set up, before a cell is played.
func TestBucketRefuses(t *testing.T) {
	for _, row := range []struct {
		name, address string
		env           map[string]string
		want          string // in the error of OpenBucket
	}{
		{"no scheme", "frames/a", nil, "s3://BUCKET"},
		{"another scheme", "https://frames/a", nil, "s3://BUCKET"},
		{"no bucket", "s3:///a", nil, "s3://BUCKET"},
		{"keys in it", "s3://key:secret@frames", nil, "s3://BUCKET"},
		{"no keys", "s3://frames", map[string]string{"AWS_ACCESS_KEY_ID": ""}, "AWS_ACCESS_KEY_ID"},
		{"an endpoint without a scheme", "s3://frames", map[string]string{endpointVariable: "localhost:9"},
			endpointVariable},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := OpenBucket(row.address, (&s3{address: "127.0.0.1:1"}).env(row.env))
			if err == nil || !strings.Contains(err.Error(), row.want) ||
				strings.Contains(err.Error(), "of-the-test") {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
	s := newS3(t)
	for _, row := range []struct {
		name, address string
		env           map[string]string
		want          string // in the error of Check
	}{
		{"what is there", "s3://frames", nil, ""},
		{"below a prefix", "s3://frames/a/b/", nil, ""},
		{"another bucket", "s3://other", nil, "there is no such bucket (NoSuchBucket)"},
		{"another key", "s3://frames", map[string]string{"AWS_ACCESS_KEY_ID": "another"}, "access key ID"},
		{"a wrong secret", "s3://frames", map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong-wrong"},
			"AWS_SECRET_ACCESS_KEY is wrong"},
		{"no server", "s3://frames", map[string]string{endpointVariable: "http://127.0.0.1:1"},
			"connection refused"},
		{"TLS where there is none", "s3://frames", map[string]string{endpointVariable: "https://" + s.address},
			"HTTP"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := s.bucket(row.address, row.env)
			err := b.Check(t.Context())
			if row.want == "" && err == nil {
				return
			}
			if err == nil || row.want == "" || !strings.Contains(err.Error(), row.want) ||
				!strings.Contains(err.Error(), row.address) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

// An upload that is cut is repeated, and one that stays cut leaves no object.
func TestHalfAnUpload(t *testing.T) {
	s := newS3(t)
	for _, row := range []struct {
		name string
		cut  int
		fits bool
	}{{"none is cut", 0, true}, {"three are cut", 3, true}, {"all are cut", -1, false}} {
		t.Run(row.name, func(t *testing.T) {
			at := proxy(t, s.address, row.cut, 100_000)
			b := s.bucket("s3://frames/half", map[string]string{endpointVariable: "http://" + at})
			name, data := blob(300_000)
			err := b.put(t.Context(), name, data)
			size, there := s.objects()["half/"+name]
			if row.fits != (err == nil) || row.fits != there || there && size != int64(len(data)) {
				t.Errorf("%v; in the bucket: %v, %d bytes", err, there, size)
			}
		})
	}
}

// An object that is another one than its name says is not handed on, and is written again.
func TestWrongObject(t *testing.T) {
	s := newS3(t)
	b := s.bucket("s3://frames", nil)
	name, data := blob(1000)
	if err := b.write(t.Context(), name, data[:999]); err != nil {
		t.Fatal(err)
	}
	if _, err := b.get(t.Context(), name); err == nil || !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("a wrong object was read: %v", err)
	}
	if err := b.put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
	if got, err := b.get(t.Context(), name); err != nil || string(got) != string(data) {
		t.Errorf("%d bytes: %v", len(got), err)
	}
	if err := b.put(t.Context(), name, data[1:]); err == nil {
		t.Error("a blob with a wrong name was written")
	}
}

// withBlobs is the folder of a study whose episodes have so many blobs each, and their names by path.
func withBlobs(t *testing.T, n int) (dir string, want map[string][]byte) {
	t.Helper()
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), studytest.Plan(1))
	if err != nil {
		t.Fatal(err)
	}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := study.Play(t.Context(), s, study.Options{Factory: f}); err != nil {
		t.Fatal(err)
	}
	want = blobsOf(t, s.Dir)
	for _, r := range s.Results {
		for i := range n {
			name, data := blob(1000 * (i + 1))
			path := filepath.Join(s.EpisodeDir(r.Episode), trajectories.BlobsDir, name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			want[path] = data
		}
	}
	return s.Dir, want
}

// blobsOf are the blobs in the episodes of the study in dir, by path.
func blobsOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, benchmarks.RunsName, "*", trajectories.BlobsDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		if out[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Blobs that were moved come back, also if the server is away in between: then nothing is lost, and the next
// try goes on.
func TestBlobsMoveAndComeBack(t *testing.T) {
	s := newS3(t)
	b := s.bucket("s3://frames/nightly", nil)
	dir, want := withBlobs(t, 3)
	runs := filepath.Join(dir, benchmarks.RunsName)
	entries, err := os.ReadDir(runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.moveEpisode(t.Context(), filepath.Join(runs, entries[0].Name())); err != nil {
		t.Fatal(err)
	}
	kill(s.process)
	err = b.MoveBlobs(t.Context(), dir)
	left := len(blobsOf(t, dir))
	if err == nil || !strings.Contains(err.Error(), "connection refused") || left != len(want)-3 {
		t.Errorf("%d of %d blobs are left: %v", left, len(want), err)
	}
	s.start()
	if err := b.MoveBlobs(t.Context(), dir); err != nil || len(blobsOf(t, dir)) > 0 ||
		len(s.objects()) != len(want) {
		t.Fatalf("%d blobs are left, %d of %d are in the bucket: %v", len(blobsOf(t, dir)), len(s.objects()),
			len(want), err)
	}
	kill(s.process)
	if n, err := FetchBlobs(t.Context(), dir, s.env(nil)); err == nil || n > 0 {
		t.Errorf("%d blobs of a server that is away", n)
	}
	s.start()
	for _, n := range []int{len(want), 0} {
		got, err := FetchBlobs(t.Context(), dir, s.env(nil))
		if err != nil || got != n {
			t.Errorf("%d blobs were brought, want %d: %v", got, n, err)
		}
	}
	if got := blobsOf(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d blobs are back, want %d", len(got), len(want))
	}
}

// A cell whose blobs cannot be moved has no result yet; once they can, it has the one that was played.
func TestCellWithoutItsBucket(t *testing.T) {
	s := newS3(t)
	w := &Worker{Shared: t.TempDir(), Program: os.Args[0], StepTimeout: time.Minute,
		Blobs: s.bucket("s3://frames", nil)}
	in, err := study.Create(filepath.Join(w.Shared, "study"), studytest.Plan(1))
	if err != nil {
		t.Fatal(err)
	}
	cell := CellInput{in.Dir, in.ID(), 1}
	kill(s.process)
	t.Setenv(playerVariable, "plays with a frame")
	if _, err := w.attempt(cell); code(err) != codeStorage {
		t.Fatalf("without its server: %v", err)
	}
	if done, _ := filepath.Glob(in.Path("cells/done/*")); len(done) > 0 {
		t.Error("the cell has a result")
	}
	s.start()
	t.Setenv(playerVariable, "refuses")
	if out, err := w.attempt(cell); err != nil || out.End != "done" {
		t.Fatalf("with its server: %+v, %v", out, err)
	}
	done, _ := filepath.Glob(in.Path("cells/done/*"))
	if len(done) != 1 || len(blobsOf(t, done[0])) > 0 || len(s.objects()) != 1 {
		t.Fatalf("%d results, %d objects", len(done), len(s.objects()))
	}
	if n, err := FetchBlobs(t.Context(), done[0], s.env(nil)); err != nil || n != 1 {
		t.Errorf("%d blobs were brought: %v", n, err)
	}
}

// code is that of an error of an activity; "" is none.
func code(err error) string {
	var e *sdk.ApplicationError
	if errors.As(err, &e) {
		return e.Type()
	}
	return ""
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed, or has ended
}

// await waits until done.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("no %s after a minute", what)
		}
	}
}
