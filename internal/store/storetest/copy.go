package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Migrate makes the tables of an empty database and lets go of it.
type Migrate func(ctx context.Context, databaseURL, folder string) error

// Copy is like Place, but the database has its tables already: it is a copy of one
// that was migrated before. Making them takes longer than most tests do.
func Copy(t testing.TB, engine string, migrate Migrate) (databaseURL, folder string) {
	t.Helper()
	if engine != "sqlite" {
		return placePostgres(t, func(server string) (string, error) { return postgresTemplate(server, migrate) }), ""
	}
	folder = t.TempDir()
	CopyTo(t, folder, migrate)
	return "", folder
}

// CopyTo puts a SQLite database with its tables into a folder, if there is none.
func CopyTo(t testing.TB, folder string, migrate Migrate) {
	t.Helper()
	path := filepath.Join(folder, "stele.db")
	if _, err := os.Stat(path); err == nil {
		return
	}
	database, err := sqliteTemplate(migrate)
	if err == nil {
		err = os.WriteFile(path, database, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// templates are what this process has made.
var templates struct {
	mu       sync.Mutex // guards what follows
	sqlite   []byte
	postgres string
}

func sqliteTemplate(migrate Migrate) ([]byte, error) {
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if templates.sqlite != nil {
		return templates.sqlite, nil
	}
	folder, err := os.MkdirTemp("", "template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := migrate(context.Background(), "", folder); err != nil {
		return nil, err
	}
	templates.sqlite, err = os.ReadFile(filepath.Join(folder, "stele.db"))
	return templates.sqlite, err
}

// postgresTemplate is the name of a database that all processes copy. It is named
// after the migrations and stays on the server, for the next run.
func postgresTemplate(server string, migrate Migrate) (string, error) {
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if templates.postgres != "" {
		return templates.postgres, nil
	}
	name, err := templateName()
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx) // and with it the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var made bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&made); err != nil {
		return "", err
	}
	if !made {
		err = makeTemplate(ctx, conn, server, name, migrate)
	}
	templates.postgres = name
	return name, err
}

func makeTemplate(ctx context.Context, conn *pgx.Conn, server, name string, migrate Migrate) error {
	const half = "_unfinished" // of one who died
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name + half + " WITH (FORCE)", "CREATE DATABASE " + name + half} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	u.Path = "/" + name + half
	if err := migrate(ctx, u.String(), ""); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+name+half+" RENAME TO "+name)
	return err
}

// templateName changes with every migration.
func templateName() (string, error) {
	files, err := migrations()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	return "stele_template_" + hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

// migrations are the files that make the tables on PostgreSQL. Tests run in a folder of the source tree: a program that was
// built with -trimpath does not know where its sources are.
func migrations() ([]string, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for ; here != filepath.Dir(here); here = filepath.Dir(here) {
		files, err := filepath.Glob(filepath.Join(here, "internal", "store", "migrations", "postgres", "*.sql"))
		if err != nil || len(files) > 0 {
			return files, err
		}
	}
	return nil, errors.New("no migrations above the working directory")
}
