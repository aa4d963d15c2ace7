// What every implementation of OpsStore must do: named cases, run against each implementation.
import { describe, test } from 'vitest';
import { ANALYTICS_RUN_CASES } from './conformance-analytics-runs.ts';
import { AUDIT_CASES } from './conformance-audit.ts';
import type { Cases, Subject } from './conformance-case.ts';
import { DELIVERY_CASES } from './conformance-deliveries.ts';
import { TALLY_CASES } from './conformance-tallies.ts';
import { IDEMPOTENCY_CASES } from './conformance-idempotency.ts';
import { KEY_CASES, REVISION_CASES } from './conformance-keys.ts';
import { TRANSACTION_CASES } from './conformance-transactions.ts';
import { USAGE_CASES } from './conformance-usage.ts';
import { WEBHOOK_CASES } from './conformance-webhooks.ts';

const CASES: Readonly<Record<string, Cases>> = {
  keys: KEY_CASES,
  revisions: REVISION_CASES,
  'the audit log': AUDIT_CASES,
  idempotency: IDEMPOTENCY_CASES,
  transactions: TRANSACTION_CASES,
  'charged runs': ANALYTICS_RUN_CASES,
  usage: USAGE_CASES,
  webhooks: WEBHOOK_CASES,
  deliveries: DELIVERY_CASES,
  tallies: TALLY_CASES,
};

export function storeConforms(subject: () => Subject): void {
  for (const [subjectName, cases] of Object.entries(CASES)) {
    describe(subjectName, () => {
      for (const [name, check] of Object.entries(cases)) test(name, () => check(subject()));
    });
  }
}
