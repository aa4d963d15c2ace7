{{/* Names, labels, and what all containers have: no rights, a read-only root, settings. */}}
{{- define "risk.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "risk.labels" -}}
app.kubernetes.io/name: risk
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "risk.selector" -}}
app.kubernetes.io/name: risk
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "risk.check" -}}
{{- if and (eq .Values.layout "single") (or (gt (int .Values.jobs.replicas) 1) (gt (int .Values.server.replicas) 1)) -}}
{{- fail "layout single has one replica of jobs and one of server: set layout to distributed for more" -}}
{{- end -}}
{{- if eq .Values.layout "distributed" -}}
{{- range $name := list "snapshotStore" "dataStore" "opsStore" "leaseStore" "keysSecret" -}}
{{- if not (index $.Values.shared $name) -}}
{{- fail (printf "layout distributed needs shared.%s" $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.backup.enabled (not .Values.backup.to) -}}
{{- fail "layout distributed needs backup.to, an address s3://…, or backup.enabled: false" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "risk.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "risk.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- with .Values.secretName }}
envFrom:
  - secretRef: { name: {{ . }} }
{{- end }}
env:
  - { name: CONFIG, value: /etc/risk/config.json }
  - { name: METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
  {{- with .Values.trustedProxies }}
  - { name: TRUSTED_PROXIES, value: {{ . | quote }} }
  {{- end }}
  {{- if eq .Values.layout "distributed" }}
  {{- with .Values.shared }}
  - { name: INSTALLATION, value: {{ include "risk.name" $ | quote }} }
  - { name: SNAPSHOT_STORE, value: {{ .snapshotStore | quote }} }
  - { name: OPS_STORE, value: {{ .opsStore | quote }} }
  - { name: SEAL_KEY_FILE, value: /data/seal.key }
  {{- with .s3Endpoint }}
  - { name: S3_ENDPOINT, value: {{ . | quote }} }
  {{- end }}
  {{- end }}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
{{- end -}}

{{/* What job hosts have besides: follows the settings of a container. */}}
{{- define "risk.job-settings" -}}
{{- if eq .Values.layout "distributed" -}}
- { name: DATA_STORE, value: {{ .Values.shared.dataStore | quote }} }
- { name: LEASE_STORE, value: {{ .Values.shared.leaseStore | quote }} }
- { name: LANDING_KEY_FILE, value: /etc/risk-keys/landing.key }
- { name: BACKUP_KEY_FILE, value: /etc/risk-keys/backup.key }
{{- end -}}
{{- end -}}

{{- define "risk.mounts" -}}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: config, mountPath: /etc/risk, readOnly: true }
  - { name: tmp, mountPath: /tmp }
{{- end -}}

{{/* Of servers and job hosts. A server writes the head of the audit log next to the key, so it is a file in a folder that can be written. */}}
{{- define "risk.seal-key" -}}
{{- if eq .Values.layout "distributed" -}}
- { name: keys, mountPath: /data/seal.key, subPath: seal.key, readOnly: true }
{{- end -}}
{{- end -}}

{{/* Of job hosts alone: what requests reach has no key of names or backups. */}}
{{- define "risk.job-keys" -}}
{{- if eq .Values.layout "distributed" -}}
- { name: keys, mountPath: /etc/risk-keys, readOnly: true }
- { name: keys, mountPath: /data/author.key, subPath: author.key, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "risk.volumes" -}}
- name: config
  configMap: { name: {{ include "risk.name" . }} }
- name: tmp
  emptyDir: { sizeLimit: 512Mi }
{{- if eq .Values.layout "distributed" }}
- name: keys
  secret: { secretName: {{ .Values.shared.keysSecret }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{- define "risk.claim" -}}
metadata: { name: {{ .name }} }
spec:
  accessModes: [{{ .volume.accessMode }}]
  {{- with .volume.storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources: { requests: { storage: {{ .size }} } }
{{- end -}}
