package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// MissingError says that there is no browser to start.
type MissingError struct {
	// Path is what was asked for; "" when the usual places were searched.
	Path string
	// Cause is why Path cannot be started; nil when nothing was found.
	Cause error
}

// Error says in one line what is missing and how to install it.
func (e *MissingError) Error() string {
	what := "no Chromium found"
	if e.Path != "" {
		what = fmt.Sprintf("cannot start %s (%v)", e.Path, e.Cause)
	}
	return "browser: launching: " + what +
		"; install one (Debian, Ubuntu: apt-get install chromium; macOS: brew install chromium) or name it " +
		"with --browser or CUA_BROWSER"
}

// Unwrap is the cause, nil when nothing was found.
func (e *MissingError) Unwrap() error { return e.Cause }

// shellNames and browserNames are looked up in the path, places as they are.
func shellNames() []string {
	return []string{"chromium-headless-shell", "chrome-headless-shell", "headless-shell", "headless_shell"}
}

func browserNames() []string {
	return []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
		"microsoft-edge"}
}

func places() []string {
	return []string{
		"/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/snap/bin/chromium",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	}
}

// find is the executable to start.
func find(o Options) (string, error) {
	if o.Path != "" {
		path, err := exec.LookPath(o.Path)
		if err != nil {
			return "", &MissingError{Path: o.Path, Cause: err}
		}
		return unwrapped(path), nil
	}
	var names []string
	if !o.Headed {
		names = append(names, "/usr/lib/chromium/chromium-headless-shell")
		names = append(names, shellNames()...)
	}
	names = append(append(names, browserNames()...), places()...)
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return unwrapped(path), nil
		}
	}
	return "", &MissingError{}
}

// unwrapped is the real program behind Debian's start script: the script would stand
// between us and the browser when signals are sent.
func unwrapped(path string) string {
	if filepath.Dir(path) != "/usr/bin" || !strings.HasPrefix(filepath.Base(path), "chromium") {
		return path
	}
	real := filepath.Join("/usr/lib/chromium", filepath.Base(path))
	if st, err := os.Stat(real); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
		return real
	}
	return path
}

// isShell says whether path is a headless shell, which has no window and no profile UI.
func isShell(path string) bool {
	base := filepath.Base(path)
	return strings.Contains(base, "headless-shell") || strings.Contains(base, "headless_shell")
}
