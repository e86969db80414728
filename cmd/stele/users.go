package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/uid"
)

func newUsers(w world, f *flags) *cobra.Command {
	users := &cobra.Command{Use: "users", Short: "Manage who may sign in to the console"}
	users.AddCommand(newUsersCreate(w, f))
	return users
}

func newUsersCreate(w world, f *flags) *cobra.Command {
	var email, passwordFile string
	var admin, asJSON bool
	c := &cobra.Command{
		Use: "create --email ADDRESS", Short: "Let a person sign in to the console", Args: cobra.NoArgs,
		Long: "Let a person sign in to the console.\n" +
			"The password is read from --password-file (- is standard input); without it one is made and printed once.",
		Example: "  stele users create --admin --email admin@example.com",
		RunE: func(c *cobra.Command, _ []string) error {
			password, made, err := choosePassword(passwordFile, c.InOrStdin())
			if err != nil {
				return err
			}
			return withAccess(c.Context(), w, f, func(s *access.Service) error {
				u, err := s.CreateUser(c.Context(), access.CommandLine(access.DefaultWorkspace), email, password, admin)
				if err != nil {
					return err
				}
				if !made {
					password = ""
				}
				return printUser(c, u, password, asJSON)
			})
		},
	}
	c.Flags().StringVar(&email, "email", "", "the address they sign in with")
	c.Flags().StringVar(&passwordFile, "password-file", "", "a file with the password; - reads standard input")
	c.Flags().BoolVar(&admin, "admin", false, "may do everything")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON for scripts")
	_ = c.MarkFlagRequired("email")
	return c
}

// choosePassword reads the password, or makes one where no file is named.
func choosePassword(file string, stdin io.Reader) (password string, made bool, err error) {
	var text []byte
	switch file {
	case "":
		return uid.Secret(15), true, nil
	case "-":
		text, err = io.ReadAll(io.LimitReader(stdin, 4096))
	default:
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", false, fmt.Errorf("read password: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), false, nil
}

func printUser(c *cobra.Command, u access.User, password string, asJSON bool) error {
	if asJSON {
		return printJSON(c, struct {
			ID        string `json:"id"`
			Email     string `json:"email"`
			Admin     bool   `json:"admin"`
			CreatedAt string `json:"created_at"`
			Password  string `json:"password,omitempty"`
		}{u.ID, u.Email, u.Admin, stamp(u.CreatedAt), password})
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "%s may sign in.\n", u.Email); err != nil || password == "" {
		return err
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "The password is %s and cannot be shown again.\n", password)
	return err
}
