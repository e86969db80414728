package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nonroot is who a container runs as.
const nonroot = 65532

// image makes the container image: an archive for each platform that docker load and podman load take, and one OCI layout of
// all of them.
func (r *release) image(list []platform) error {
	if len(list) == 0 {
		return nil
	}
	tag, err := name.NewTag("stele:"+r.version, name.WithDefaultRegistry(""))
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range list {
		img, err := r.imageOf(p)
		if err != nil {
			return err
		}
		if err := tarball.WriteToFile(filepath.Join(r.out, "stele_"+r.version+"_image_"+p.arch+".tar"), tag, img); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	folder := filepath.Join(r.work, "oci")
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	return write(filepath.Join(r.out, "stele_"+r.version+"_image_oci.tar"), func(w io.Writer) error { return r.writeFolder(w, folder) })
}

// imageOf is the image of one platform. Two layers: the certificates change less often than the program.
func (r *release) imageOf(p platform) (v1.Image, error) {
	roots, err := rootCertificates()
	if err != nil {
		return nil, err
	}
	base, err := r.layer([]entry{
		{name: "data/", mode: 0o700, owner: nonroot},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", text: []byte("nonroot:x:65532:\n"), mode: 0o644},
		{name: "etc/passwd", text: []byte("nonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n"), mode: 0o644},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", text: roots, mode: 0o644},
	})
	if err != nil {
		return nil, err
	}
	program, err := r.layer([]entry{
		{name: "usr/", mode: 0o755},
		{name: "usr/bin/", mode: 0o755},
		{name: "usr/bin/stele", source: r.binary(p), mode: 0o755},
		{name: "usr/share/", mode: 0o755},
		{name: "usr/share/doc/", mode: 0o755},
		{name: "usr/share/doc/stele/", mode: 0o755},
		{name: "usr/share/doc/stele/LICENSES.txt", source: r.licences(p), mode: 0o644},
	})
	if err != nil {
		return nil, err
	}
	img, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.OCIManifestSchema1), r.imageConfig(p))
	if err != nil {
		return nil, err
	}
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	add := func(layer v1.Layer, what string) mutate.Addendum {
		return mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.stamp}, CreatedBy: what}}
	}
	return mutate.Append(img, add(base, "certificates, user 65532, /data"), add(program, "stele "+r.version))
}

func (r *release) imageConfig(p platform) *v1.ConfigFile {
	return &v1.ConfigFile{
		OS: p.os, Architecture: p.arch, Created: v1.Time{Time: r.stamp},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: "65532:65532", WorkingDir: "/data",
			Entrypoint: []string{"/usr/bin/stele"},
			// The root is read-only: what waits on a disk waits in the volume.
			Env:          []string{"PATH=/usr/bin", "STELE_LISTEN=0.0.0.0:8080", "STELE_DATA=/data", "TMPDIR=/data", "HOME=/data"},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Volumes:      map[string]struct{}{"/data": {}},
			StopSignal:   "SIGTERM",
			Healthcheck: &v1.HealthConfig{
				Test: []string{"CMD", "/usr/bin/stele", "healthcheck"}, Interval: 10 * time.Second, Timeout: 6 * time.Second,
				StartPeriod: 10 * time.Second, Retries: 3,
			},
			Labels: map[string]string{
				"org.opencontainers.image.title": "stele", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.created": r.stamp.Format(time.RFC3339),
			},
		},
	}
}

func (r *release) layer(entries []entry) (v1.Layer, error) {
	var b bytes.Buffer
	if err := writeTar(&b, entries, r.stamp); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9), tarball.WithCompressedCaching)
}

// writeFolder packs the files below a folder, in the order of their names.
func (r *release) writeFolder(w io.Writer, folder string) error {
	var entries []entry
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
		case e.IsDir():
			entries = append(entries, entry{name: path + "/", mode: 0o755})
		default:
			entries = append(entries, entry{name: path, source: filepath.Join(folder, path), mode: 0o644})
		}
		return nil
	})
	return errors.Join(err, writeTar(w, entries, r.stamp))
}
