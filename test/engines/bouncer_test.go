package engines

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// bouncer starts a PgBouncer that gives every transaction whichever of two connections
// is free, and returns the URL of a database behind it.
func bouncer(t *testing.T, database string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // not in everybody's path
	}
	if _, err := os.Stat(program); err != nil {
		rig.Lacking(t, "PgBouncer is not installed")
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "bouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	c := &cluster{folder: folder, bin: filepath.Dir(program)}
	c.dropPrivileges(t)
	address := rig.FreePort(t)
	_, port, _ := net.SplitHostPort(address)
	config := fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
`, u.Hostname(), u.Port(), u.User.Username(), port)
	file := filepath.Join(folder, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	cmd := c.command(filepath.Base(program), file)
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	rig.Eventually(t, "PgBouncer is ready", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	u.Host = address
	return u.String()
}

// TestServersBehindPgBouncer has all that servers do done through a pooler that gives
// each transaction another connection: the tables made by several at once, orders,
// chats, keys that change.
func TestServersBehindPgBouncer(t *testing.T) {
	t.Parallel()
	database := bouncer(t, rig.NewDatabase(t))
	f := newFleet(t, 100*time.Millisecond, database, database)
	clients := f.begin(4, 2)
	for some := bounced / 20; some <= bounced; some += bounced / 20 { // it may take long, and goes on
		rig.Eventually(t, "the provider works", func() bool { return f.maker.started() >= some })
	}
	t.Log("the provider works")
	f.servesEverything(0)
	f.servesEverything(1)
	t.Log("everything is served")
	for _, h := range f.servers {
		if told := h.Try(t, "doctor").Stdout; strings.Contains(told, "cannot be used") {
			t.Errorf("the doctor says %s", told)
		}
		for _, l := range h.Log(t) {
			level, slow := l.Text("level"), strings.Contains(l.Text("error"), "deadline exceeded") // on a busy machine
			if (level == "ERROR" || level == "WARN") && !slow {
				t.Errorf("the log says %v", l)
			}
		}
	}
	f.judge(clients.end())
}
