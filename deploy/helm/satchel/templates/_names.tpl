{{- define "satchel.name" -}}
{{- if contains "satchel" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-satchel" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "satchel.selector" -}}
app.kubernetes.io/name: satchel
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "satchel.labels" -}}
{{ include "satchel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "satchel.account" -}}
{{ .Values.serviceAccount.name | default (ternary (include "satchel.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "satchel.alone" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
