//go:build server

package temporal

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/testing/freeport"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/temporaltest"
)

// serverVariable makes the test program the Temporal server with that database, and serverPort is its port.
const (
	serverVariable = "ENGINE_TEST_DATABASE"
	serverPort     = "ENGINE_TEST_PORT"
)

func init() {
	programs[serverVariable] = func(file string) int {
		port, err := strconv.Atoi(os.Getenv(serverPort))
		if err == nil {
			err = serve(file, port)
		}
		fmt.Fprintln(os.Stderr, "test server:", err)
		return 1
	}
}

// serve is temporaltest's server, which has its state in memory, with the state in a file.
func serve(file string, port int) error {
	c := onDisk(file, port)
	sql := c.Persistence.DataStores[sqlite.PluginName].SQL
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := schema.SetupSchema(sql); err != nil {
			return err
		}
	}
	cluster := c.ClusterMetadata.CurrentClusterName
	ns, err := schema.NewNamespaceConfig(cluster, client.DefaultNamespace, false, nil)
	if err != nil {
		return err
	}
	if err := schema.CreateNamespaces(sql, ns); err != nil {
		return err
	}
	temporaltest.NewServer(temporaltest.WithBaseServerOptions(temporal.WithConfig(c)))
	fmt.Println("ready")
	select {} // until it is killed
}

// onDisk is the configuration of temporaltest but for the place of its state and the port.
func onDisk(file string, port int) *config.Config {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	service := func(port int) config.Service {
		return config.Service{RPC: config.RPC{GRPCPort: port, MembershipPort: freeport.MustGetFreePort(),
			BindOnLocalHost: true}}
	}
	store := &config.SQL{PluginName: sqlite.PluginName, DatabaseName: file,
		ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "normal"}}
	off := config.ArchivalNamespaceDefaults{
		History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
		Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"}}
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"},
			Metrics: &metrics.Config{Prometheus: &metrics.PrometheusConfig{HandlerPath: "/metrics",
				ListenAddress: fmt.Sprintf("127.0.0.1:%d", freeport.MustGetFreePort())}},
			PProf: config.PProf{Port: freeport.MustGetFreePort()},
		},
		Persistence: config.Persistence{DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName,
			NumHistoryShards: 1, DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: store}}},
		ClusterMetadata: &cluster.Config{FailoverVersionIncrement: 10, MasterClusterName: "active",
			CurrentClusterName: "active", ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}}},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{"frontend": service(port),
			"history": service(freeport.MustGetFreePort()), "matching": service(freeport.MustGetFreePort()),
			"worker": service(freeport.MustGetFreePort())},
		Archival: config.Archival{History: config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient:      config.PublicClient{HostPort: address},
		NamespaceDefaults: config.NamespaceDefaults{Archival: off},
	}
}

// server is a Temporal server in a process of its own, which can be killed and started again.
type server struct {
	t       *testing.T
	file    string
	port    int
	process *exec.Cmd
}

// newServer starts one; it ends with the test.
func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, file: filepath.Join(t.TempDir(), "temporal.db"), port: freeport.MustGetFreePort()}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// start starts it and waits until it is there.
func (s *server) start() {
	s.t.Helper()
	s.process = exec.Command(os.Args[0])
	s.process.Env = append(os.Environ(), serverVariable+"="+s.file, serverPort+"="+strconv.Itoa(s.port))
	s.process.SysProcAttr = dieWithUs()
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		s.t.Fatalf("the server said %q: %v", line, err)
	}
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait() // it was killed
}

func (s *server) dial() client.Client {
	s.t.Helper()
	c, err := client.DialContext(s.t.Context(), client.Options{HostPort: s.address()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}
