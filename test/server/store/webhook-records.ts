// Webhook records with defaults, for tests.
import type {
  EventGroup,
  HeldEvents,
  NewDelivery,
  WebhookRecord,
} from '../../../server/store/webhook-store.ts';
import { NOW_MS } from './store-fixture.ts';

export function webhookRecord(change: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    id: 'wh_1',
    org: 'acme',
    format: 'standard',
    url: 'https://receiver.example.com/',
    target: null,
    filters: {},
    grouping: null,
    quiet_hours: null,
    events: ['oracle.stale', 'peg.depeg.start'],
    description: null,
    status: 'active',
    disabled_reason: null,
    secret_prefix: 'whsec_abcd',
    secrets: [{ sealed: Buffer.from([1, 2, 255]), ends_ms: null }],
    starts_after: null,
    failing_since_ms: null,
    warned_ms: null,
    last_success_ms: null,
    last_failure_ms: null,
    created_ms: NOW_MS,
    updated_ms: NOW_MS,
    ...change,
  };
}

export const eventId = (n: number): string => `01HZX3K9Q4T2V7B8N6M5P${String(n).padStart(5, '0')}`;

export function newDelivery(n: number, change: Partial<NewDelivery> = {}): NewDelivery {
  return {
    webhook_id: 'wh_1',
    event_id: eventId(n),
    event_type: 'oracle.stale',
    subject_id: 'oracle:ethereum:0xf0:0xf0',
    origin: 'event',
    most_attempts: 10,
    created_ms: NOW_MS,
    body: null,
    ...change,
  };
}

export const heldEvents = (change: Partial<HeldEvents> = {}): HeldEvents => ({
  subject_id: 'oracle:ethereum:0xf0:0xf0',
  chain: 'ethereum',
  protocol: null,
  symbol: null,
  count: 1,
  types: { 'oracle.stale': 1 },
  severity: 'warn',
  first_event_id: eventId(5),
  last_event_id: eventId(5),
  last_type: 'oracle.stale',
  from: '2026-03-01T11:00:00Z',
  to: '2026-03-01T11:00:00Z',
  ...change,
});

export const eventGroup = (change: Partial<EventGroup> = {}): EventGroup => ({
  webhook_id: 'wh_1',
  kind: 'window',
  name: 'oracle:ethereum:0xf0:0xf0',
  ends_ms: null,
  severity: null,
  held: null,
  ...change,
});
