# The image of a release is made by `make release`, without a daemon. This is for those who build their own:
#
#   docker build -t stele .        (or podman build, or buildah bud)

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG COMMIT=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/usr/bin/stele \
      -ldflags "-s -w -X main.version=$(cat cmd/stele/VERSION) -X main.commit=${COMMIT}" ./cmd/stele \
 && install -D -m 644 /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ca-certificates.crt \
 && install -d -m 700 /out/data

FROM scratch
COPY --from=build /out/usr /usr
COPY --from=build /out/etc /etc
COPY --from=build --chown=65532:65532 --chmod=700 /out/data /data
USER 65532:65532
WORKDIR /data
# The root may be read-only: what waits on a disk waits in the volume.
ENV PATH=/usr/bin HOME=/data TMPDIR=/data STELE_LISTEN=0.0.0.0:8080 STELE_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s --retries=3 CMD ["/usr/bin/stele", "healthcheck"]
ENTRYPOINT ["/usr/bin/stele"]
