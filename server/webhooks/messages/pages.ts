// Messages for PagerDuty and Alertmanager, which open an incident for a condition and close it again, and CloudEvents.
import { hash } from 'node:crypto';
import { DAY_MS } from '../../../platform/base/time.ts';
import { SEVERITIES } from '../../../schemas/event.ts';
import type { Alert } from './alert.ts';
import { fitted } from './message-text.ts';

const PAGERDUTY = { dedupKey: 255, summary: 1_024 };
const PAGERDUTY_SEVERITIES = { info: 'info', warn: 'warning', high: 'error', critical: 'critical' } as const;
const KEY_HASH_CHARACTERS = 32;

/** The condition as a key of at most 255 characters; a longer one ends with its hash, so that two conditions never share a key. */
export function dedupKeyOf(alert: Pick<Alert, 'condition'>): string {
  const condition = alert.condition.toWellFormed();
  if (condition.length <= PAGERDUTY.dedupKey) return condition;
  const end = hash('sha256', condition, 'hex').slice(0, KEY_HASH_CHARACTERS);
  return `${fitted(condition, { max: PAGERDUTY.dedupKey - end.length - 1 })}#${end}`;
}

/** PagerDuty requires a severity: an unknown one is `warning`. */
export function pagerDutyEvent(alert: Alert, routingKey: string): object {
  const { action, name, sentence, severity, ts, type, links } = alert;
  const details = Object.fromEntries(alert.figures);
  return {
    routing_key: routingKey,
    event_action: action,
    dedup_key: dedupKeyOf(alert),
    payload: {
      summary: fitted(`${name}: ${sentence}`, { max: PAGERDUTY.summary }),
      source: fitted(alert.subject_id, { max: PAGERDUTY.summary }),
      severity: severity === undefined ? 'warning' : PAGERDUTY_SEVERITIES[severity],
      timestamp: ts,
      component: fitted(name, { max: PAGERDUTY.summary }),
      class: type,
      ...(alert.protocol === undefined ? {} : { group: alert.protocol }),
      custom_details: {
        ...details,
        severity: severity ?? 'unknown',
        event_id: alert.event_id,
        evidence: links.evidence,
        ...(alert.doubts.length === 0 ? {} : { doubts: alert.doubts }),
        ...(alert.isTest ? { test: true } : {}),
      },
    },
    links: [{ href: links.page, text: 'What happened, and the evidence' }],
    client: 'DeFi risk data',
    client_url: links.page,
  };
}

/** Without an end, Alertmanager ends an alert after minutes: one whose end will be reported lasts until then, any other a day. */
const LASTING_MS = { untilEnd: 365 * DAY_MS, alone: DAY_MS };
const UNKNOWN_SEVERITY = 'unknown';

/**
 * The labels identify an alert, and severity is one of them, for routing. So every message also ends the alerts of the other severities, of
 * which Alertmanager ignores those that it does not know.
 */
export function alertmanagerAlerts(alert: Alert, nowMs: number): object[] {
  const { action, since, ts } = alert;
  const severity = alert.severity ?? UNKNOWN_SEVERITY;
  const until = new Date(nowMs + (alert.hasEnd ? LASTING_MS.untilEnd : LASTING_MS.alone)).toISOString();
  return [...SEVERITIES, UNKNOWN_SEVERITY].map((other) => ({
    labels: labelsOf(alert, other),
    annotations: annotationsOf(alert),
    // An alert must not end before it starts.
    startsAt: Date.parse(since) <= Date.parse(ts) ? since : ts,
    endsAt: action === 'trigger' && other === severity ? until : ts,
    generatorURL: alert.links.page,
  }));
}

const labelsOf = ({ kind, subject_id, chain, protocol, isTest }: Alert, severity: string) => ({
  alertname: kind,
  subject: subject_id.toWellFormed(),
  severity,
  ...(chain === undefined ? {} : { chain }),
  ...(protocol === undefined ? {} : { protocol }),
  ...(isTest ? { test: 'true' } : {}),
});

const annotationsOf = ({ name, sentence, figures, links, doubts, event_id, type }: Alert) => ({
  summary: name.toWellFormed(),
  description: sentence.toWellFormed(),
  ...Object.fromEntries(figures.map(([label, text]) => [label.toLowerCase().replaceAll(' ', '_'), text])),
  ...(doubts.length === 0 ? {} : { doubts: doubts.join('; ') }),
  event_id,
  event_type: type,
  evidence: links.evidence,
});

/** CloudEvents 1.0 in structured mode; `data` is the envelope, byte for byte. `base`: address of the service. */
export function cloudEvent(envelope: Buffer, base: string): Buffer {
  const { event_id, type, subject_id, ts } = JSON.parse(envelope.toString()) as Record<string, string>;
  const attributes = JSON.stringify({
    specversion: '1.0',
    id: event_id,
    source: `${base}/v2/events`,
    type,
    subject: subject_id,
    time: ts,
    datacontenttype: 'application/json',
  });
  return Buffer.concat([Buffer.from(`${attributes.slice(0, -1)},"data":`), envelope, Buffer.from('}')]);
}
