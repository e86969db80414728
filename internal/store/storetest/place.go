// Package storetest gives tests databases of every engine, empty or filled. Its own tests are the
// suite that every engine passes.
package storetest

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"stele/internal/uid"
)

// Engines are the engines that a store may have beneath it.
func Engines() []string { return []string{"sqlite", "postgres"} }

// Place gives an empty database of an engine for store.Open, and takes it away
// with the test. Where there is no PostgreSQL the test is skipped, or fails if
// everything is said to be there.
func Place(t testing.TB, engine string) (databaseURL, folder string) {
	t.Helper()
	if engine == "sqlite" {
		return "", t.TempDir()
	}
	return placePostgres(t, func(string) (string, error) { return "template1", nil }), ""
}

// placePostgres makes a database that is a copy of a template.
func placePostgres(t testing.TB, template func(server string) (string, error)) (databaseURL string) {
	t.Helper()
	server := os.Getenv("STELE_TEST_POSTGRES")
	if server == "" {
		if os.Getenv("STELE_TEST_REQUIRE") != "" {
			t.Fatal("STELE_TEST_POSTGRES is not set")
		}
		t.Skip("STELE_TEST_POSTGRES is not set: make test sets it")
	}
	from, err := template(server)
	if err != nil {
		t.Fatal(err)
	}
	name := "stele_" + strings.ToLower(uid.Secret(10))
	if err := create(t.Context(), server, name, from); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := administer(context.WithoutCancel(t.Context()), server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// create makes a database as a copy of another. Where nothing is synced its files are copied: by default, from version 15
// on, every page goes through the server's log, which takes four times as much of a processor.
func create(ctx context.Context, server, name, template string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var strategy string
	if err := conn.QueryRow(ctx, `SELECT CASE WHEN current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000
		THEN ' STRATEGY FILE_COPY' ELSE '' END`).Scan(&strategy); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+strategy)
	return err
}

func administer(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
