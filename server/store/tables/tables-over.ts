// All tables of a store over one session.
import type { Leadership } from '../processes.ts';
import type { OpsTables } from '../store.ts';
import { AnalyticsRunTable } from './analytics-runs.ts';
import { AuditTable } from './audit.ts';
import { DeliveryTable } from './deliveries.ts';
import { type ClaimContext, IdempotencyTable } from './idempotency.ts';
import { KeyTable } from './keys.ts';
import type { Session } from './session.ts';
import { UsageTable } from './usage.ts';
import { WebhookTable } from './webhooks.ts';

/** State shared by all views of one store, inside and outside a transaction. */
export interface TableContext extends ClaimContext {
  readonly leadership: Leadership;
}

export const tablesOver = (session: Session, context: TableContext): OpsTables => ({
  keys: new KeyTable(session),
  audit: new AuditTable(session),
  idempotency: new IdempotencyTable(session, context),
  usage: new UsageTable(session),
  analyticsRuns: new AnalyticsRunTable(session),
  webhooks: new WebhookTable(session),
  deliveries: new DeliveryTable(session, context.leadership),
});
