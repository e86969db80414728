{{- define "stele.name" -}}
{{- if contains "stele" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-stele" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "stele.selector" -}}
app.kubernetes.io/name: stele
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "stele.labels" -}}
{{ include "stele.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* Whatever a file may not contradict. */ -}}
{{- define "stele.config" -}}
{{- $own := dict "drain" (printf "%ds" (int .Values.drainSeconds)) }}
{{- if .Values.metrics.enabled }}{{- $_ := set $own "metrics" (merge (dict "listen" (printf ":%d" (int .Values.metrics.port))) (default dict .Values.config.metrics)) }}{{ end }}
{{- toYaml (merge $own .Values.config) }}
{{- end }}

{{- define "stele.check" -}}
{{- if not (and .Values.admin.email .Values.admin.existingSecret) }}{{ fail "set admin.email and admin.existingSecret: without an administrator Stele does not listen for others" }}{{ end }}
{{- if gt (int .Values.replicas) 1 }}
{{- if not .Values.database.existingSecret }}{{ fail "several replicas need database.existingSecret: SQLite belongs to one" }}{{ end }}
{{- if not .Values.blobs.existingSecret }}{{ fail "several replicas need blobs.existingSecret: a volume belongs to one" }}{{ end }}
{{- if not .Values.masterKey.existingSecret }}{{ fail "several replicas need masterKey.existingSecret: all must have the same" }}{{ end }}
{{- end }}
{{- end }}
