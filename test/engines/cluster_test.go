package engines

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// cluster is a PostgreSQL with a standby that follows it: what the primary has
// committed, the standby has on its disk.
type cluster struct {
	bin, folder string
	as          *syscall.Credential // PostgreSQL refuses to run as root
	primary     *engine
	standby     *engine
}

// engine is a server of a cluster.
type engine struct {
	address string
	data    string
	cmd     *exec.Cmd
}

// newCluster makes both servers and an empty database called stele.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{bin: postgresPrograms(t)}
	var err error
	if c.folder, err = os.MkdirTemp("", "cluster-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(c.folder) })
	c.dropPrivileges(t)
	c.primary = &engine{address: rig.FreePort(t), data: filepath.Join(c.folder, "primary")}
	c.standby = &engine{address: rig.FreePort(t), data: filepath.Join(c.folder, "standby")}
	c.run(t, "initdb", "-D", c.primary.data, "-U", "stele", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	c.start(t, c.primary)
	host, port, _ := net.SplitHostPort(c.primary.address)
	c.run(t, "createdb", "-h", host, "-p", port, "-U", "stele", "stele")
	c.run(t, "pg_basebackup", "-D", c.standby.data, "--write-recovery-conf", "--checkpoint", "fast", "--no-sync",
		"-d", fmt.Sprintf("host=%s port=%s user=stele application_name=standby", host, port))
	c.start(t, c.standby)
	// Only now: before there was a standby every commit would have waited for one.
	c.ask(t, c.primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
	c.ask(t, c.primary, "SELECT pg_reload_conf()")
	rig.Eventually(t, "commits wait for the standby", func() bool {
		return c.ask(t, c.primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	return c
}

// postgresPrograms is the folder of PostgreSQL's own programs.
func postgresPrograms(t *testing.T) string {
	t.Helper()
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(folders)
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "pg_basebackup")); err == nil {
			return folder
		}
	}
	rig.Lacking(t, "PostgreSQL's own programs are not installed")
	return ""
}

// dropPrivileges has the cluster run by an ordinary user where the tests are root's.
func (c *cluster) dropPrivileges(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if err := os.Chown(c.folder, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.Env = c.folder, []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	return cmd
}

func (c *cluster) run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := c.command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// start starts a server and returns when it takes connections.
func (c *cluster) start(t *testing.T, e *engine) {
	t.Helper()
	log, err := os.Create(e.data + ".log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	host, port, _ := net.SplitHostPort(e.address)
	args := []string{"-D", e.data, "-p", port}
	for _, setting := range []string{
		"listen_addresses=" + host, "unix_socket_directories=", "shared_buffers=32MB", "fsync=off", "max_connections=150", "max_wal_senders=4", "timezone=UTC",
	} {
		args = append(args, "-c", setting)
	}
	if e == c.standby { // once it is promoted it stands alone
		args = append(args, "-c", "synchronous_standby_names=")
	}
	e.cmd = c.command("postgres", args...)
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.kill() })
	rig.Eventually(t, "PostgreSQL is ready", func() bool {
		told, _ := os.ReadFile(filepath.Join(e.data, "postmaster.pid"))
		return strings.Contains(string(told), "ready")
	})
}

// kill ends a server and all its processes as a loss of power does: none of them says
// anything any more.
func (e *engine) kill() {
	if e.cmd == nil {
		return
	}
	pid := e.cmd.Process.Pid
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it starts no more children
	for _, child := range childrenOf(pid) {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
	e.cmd = nil
}

func childrenOf(parent int) (list []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		// pid (name) state parent …, and a name may hold anything
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			list = append(list, pid)
		}
	}
	return list
}

// promote makes the standby the primary.
func (c *cluster) promote(t *testing.T) {
	t.Helper()
	if done := c.ask(t, c.standby, "SELECT pg_promote(true, 60)"); done != "true" {
		t.Fatalf("the standby was not promoted: %s", done)
	}
}

func (c *cluster) ask(t *testing.T, e *engine, query string) string {
	t.Helper()
	db, err := sql.Open("pgx", "postgres://stele@"+e.address+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var answer string
	if err := db.QueryRowContext(ctx, query).Scan(&answer); err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

// URL names both servers, the one that is to die first.
func (c *cluster) URL() string {
	return "postgres://stele@" + c.primary.address + "," + c.standby.address + "/stele?sslmode=disable&target_session_attrs=read-write"
}
