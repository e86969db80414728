package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// packages makes the Debian and the RPM package of a Linux binary.
func (r *release) packages(p platform) error {
	for kind, packager := range map[string]nfpm.Packager{"deb": deb.Default, "rpm": rpm.DefaultRPM} {
		info := r.contents(p)
		if err := nfpm.PrepareForPackager(info, kind); err != nil {
			return err
		}
		name := filepath.Join(r.out, packager.ConventionalFileName(info))
		if err := write(name, func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
			return err
		}
	}
	return nil
}

// contents says what is in a package and what is done when it comes and goes.
func (r *release) contents(p platform) *nfpm.Info {
	scripts := r.path("deploy", "packages")
	info := &nfpm.Info{
		Name: "stele", Arch: p.arch, Platform: "linux", Version: r.version, Release: "1", Section: "net", Priority: "optional",
		Maintainer:  "The Stele authors <stele@localhost>",
		Description: "Self-hosted AI API platform: one key, three chat dialects, media as durable generations",
		License:     "Apache-2.0", MTime: r.stamp,
		Overridables: nfpm.Overridables{
			Recommends: []string{"ca-certificates"},
			Suggests:   []string{"ffmpeg", "espeak-ng"},
			Contents: files.Contents{
				r.file(r.binary(p), "/usr/bin/stele", 0o755),
				r.file(r.path("deploy", "systemd", "stele.service"), "/usr/lib/systemd/system/stele.service", 0o644),
				r.file(r.path("deploy", "systemd", "stele.sysusers"), "/usr/lib/sysusers.d/stele.conf", 0o644),
				r.setting(r.path("deploy", "systemd", "stele.yaml"), "/etc/stele/stele.yaml"),
				r.setting(r.path("deploy", "systemd", "environment"), "/etc/stele/environment"),
				r.file(r.path("docs", "operate", "stele.example.yaml"), "/usr/share/doc/stele/stele.example.yaml", 0o644),
				r.file(r.licences(p), "/usr/share/doc/stele/LICENSES.txt", 0o644),
				r.file(r.path("LICENSE"), "/usr/share/doc/stele/copyright", 0o644),
			},
			Scripts: nfpm.Scripts{
				PostInstall: filepath.Join(scripts, "postinstall.sh"),
				PreRemove:   filepath.Join(scripts, "preremove.sh"),
				PostRemove:  filepath.Join(scripts, "postremove.sh"),
			},
		},
	}
	info.RPM.BuildHost = "localhost" // the machine's name otherwise
	info.RPM.Compression = "zstd"
	info.Deb.Compression = "xz"
	return nfpm.WithDefaults(info)
}

// file is a file that belongs to root.
func (r *release) file(source, destination string, mode os.FileMode) *files.Content {
	return &files.Content{Source: source, Destination: destination, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.stamp}}
}

// setting is a file that its administrator edits: an upgrade leaves it alone. It may hold secrets.
func (r *release) setting(source, destination string) *files.Content {
	c := r.file(source, destination, 0o640)
	c.Type = files.TypeConfigNoReplace
	return c
}
