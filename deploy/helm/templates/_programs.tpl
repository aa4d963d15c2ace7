{{/* The containers of each program. */}}
{{- define "risk.jobs" -}}
- name: jobs
  {{- include "risk.container" . | nindent 2 }}
    {{- include "risk.job-settings" . | nindent 4 }}
  args: ['--max-semi-space-size=4', jobs/main.ts, schedule]
  resources: {{- toYaml .Values.jobs.resources | nindent 4 }}
  # Without a probe, because a host that stands by has written nothing: any sign to wait for would restart it for ever. It is ready as soon as
  # it runs: where it shares a pod with the server, nothing that it waits for may take the server out of the service. Whether its work is done
  # says the doctor, and the alert rules.
  {{- include "risk.mounts" . | nindent 2 }}
    {{- include "risk.seal-key" . | nindent 4 }}
    {{- include "risk.job-keys" . | nindent 4 }}
{{- if .Values.backup.enabled }}
- name: backup
  {{- include "risk.container" . | nindent 2 }}
    {{- include "risk.job-settings" . | nindent 4 }}
  command: [tini, --, sh, -c]
  args:
    - |
      # One host of several makes the backups; the first one as soon as there is a version.
      case "$HOSTNAME" in *-0) ;; *) exec sleep infinity ;; esac
      while :; do
        if node operations/backup.ts --to {{ .Values.backup.to | default "/backups" | squote }} --keep {{ .Values.backup.keep }}; then sleep {{ .Values.backup.everySeconds }}; else sleep 60; fi
      done
  {{- include "risk.mounts" . | nindent 2 }}
    {{- include "risk.seal-key" . | nindent 4 }}
    {{- include "risk.job-keys" . | nindent 4 }}
    {{- if not .Values.backup.to }}
    - { name: backups, mountPath: /backups }
    {{- end }}
{{- end }}
{{- end -}}

{{- define "risk.what-if" -}}
{{- if .Values.whatIf.enabled -}}
- name: what-if
  {{- include "risk.container" . | nindent 2 }}
  args: ['--max-semi-space-size=4', jobs/main.ts, what-if]
  resources: {{- toYaml .Values.whatIf.resources | nindent 4 }}
  {{- include "risk.mounts" . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "risk.server" -}}
- name: server
  {{- include "risk.container" . | nindent 2 }}
  args: [server/main.ts]
  ports:
    - { name: http, containerPort: 8080 }
    - { name: metrics, containerPort: {{ .Values.metrics.port }} }
  resources: {{- toYaml .Values.server.resources | nindent 4 }}
  # Ready once it serves a version; alive while it accepts connections, also without data.
  readinessProbe:
    httpGet: { path: /v1/ready, port: http }
    periodSeconds: 5
    timeoutSeconds: 3
  livenessProbe:
    tcpSocket: { port: http }
    periodSeconds: 10
  startupProbe:
    tcpSocket: { port: http }
    periodSeconds: 2
    failureThreshold: 90
  lifecycle:
    # The endpoint is taken out of the service before the server drains.
    preStop: { exec: { command: [sleep, '5'] } }
  {{- include "risk.mounts" . | nindent 2 }}
    {{- include "risk.seal-key" . | nindent 4 }}
{{- end -}}
