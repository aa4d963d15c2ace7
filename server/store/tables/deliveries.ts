// Webhook deliveries: many small rows, written in groups by the dispatcher.
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { Actor } from '../actor.ts';
import { bucketSql } from '../latency-buckets.ts';
import type { Leadership } from '../processes.ts';
import { StoreConflictError } from '../store.ts';
import type {
  AttemptRecord,
  DeliveryCount,
  DeliveryRecord,
  DeliveryStore,
  DeliveryTally,
  DueDeliveries,
  DueDelivery,
  DueSlice,
  EnqueuedTo,
  EventGroup,
  GroupChange,
  Health,
  NewDelivery,
  Postponement,
  Slice,
} from '../webhook-store.ts';
import { appendAudit } from './audit.ts';
import {
  bytesOf,
  type Connection,
  integerOf,
  integerOrNull,
  jsonOf,
  type Row,
  type Session,
  textOf,
  textOrNull,
  type Value,
} from './session.ts';
import { noteChange, revisionOf } from './webhooks.ts';

const SELECT = 'select * from webhook_delivery';
const SELECT_DUE = `select seq, event_id, event_type, origin, attempt, most_attempts, next_ms, body
  from webhook_delivery
  where webhook = ? and next_ms <= ? and (next_ms, seq) > (?, ?) order by next_ms, seq limit ?`;
const SELECT_NEXT = 'select min(next_ms) as at from webhook_delivery where webhook = ? and next_ms > ?';
/** Deliveries of events are added in the order of the log, those of groups are not. */
const SELECT_OLDEST = `select min(event_id) as event_id from (
    select * from (
      select event_id from webhook_delivery
      where webhook = ? and next_ms is not null and origin = 'event' order by seq limit 1
    ) in_order
    union all
    select min(event_id) from webhook_delivery where webhook = ? and next_ms is not null and origin = 'group'
    union all
    select min(first_event_id) from webhook_group where webhook = ?
  ) oldest`;
const PUT_GROUP = `insert into webhook_group (webhook, kind, name, ends_ms, severity, first_event_id, held)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict (webhook, kind, name) do update set ends_ms = excluded.ends_ms, severity = excluded.severity,
    first_event_id = excluded.first_event_id, held = excluded.held`;
const INSERT = `insert into webhook_delivery
  (webhook, event_id, event_type, subject_id, origin, status, attempt, most_attempts, created_ms, next_ms, body)
  values (?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?, ?)`;
const SETTLE = `update webhook_delivery set status = ?, attempt = ?, next_ms = ?, attempted_ms = ?, duration_ms = ?,
  url = ?, response_status = ?, error_code = ?, error_message = ?, response_body = ?, replay_cursor = ?
  where seq = ? and (next_ms is not null or ? = 'delivered')`;
const TALLY = `select day, status, bucket, count(*) as deliveries, min(seq) as oldest,
    cast(sum(attempt) as bigint) as attempts, cast(coalesce(sum(duration_ms), 0) as bigint) as duration_ms
  from (
    select seq, created_ms / 86400000 as day, status, attempt, duration_ms, ${bucketSql('duration_ms')} as bucket
    from webhook_delivery where webhook = ? and seq < ? order by seq desc limit ?
  ) part
  group by day, status, bucket order by day, status, bucket`;
const POSTPONE = 'update webhook_delivery set next_ms = ? where seq = ? and next_ms is not null';
const HEALTH = `update webhook set failing_since_ms = ?, warned_ms = ?, last_success_ms = ?, last_failure_ms = ?
  where id = ?`;

export class DeliveryTable implements DeliveryStore {
  readonly #session: Session;
  readonly #leadership: Leadership;

  constructor(session: Session, leadership: Leadership) {
    this.#session = session;
    this.#leadership = leadership;
  }

  cursor(): Promise<string | null> {
    return this.#session.read(async (db) => {
      const row = await db.get('select cursor from webhook_state');
      return row === undefined ? null : textOrNull(row, 'cursor');
    });
  }

  behind(): Promise<ReadonlyMap<string, string>> {
    return this.#session.read(async (db) => {
      const rows = await db.all('select org, cursor from webhook_behind order by rowid');
      return new Map(rows.map((row) => [textOf(row, 'org'), textOf(row, 'cursor')]));
    });
  }

  enqueue(
    to: EnqueuedTo,
    deliveries: readonly NewDelivery[],
    groups: readonly GroupChange[] = [],
  ): Promise<boolean> {
    return this.#session.writeSoon(async (db) => {
      if ((await revisionOf(db)) !== to.revision) return false;
      const numbers = new Map<string, number | undefined>();
      for (const { webhook_id: id } of [...deliveries, ...groups])
        if (!numbers.has(id)) numbers.set(id, await numberOf(db, id));
      for (const delivery of deliveries) {
        const webhook = numbers.get(delivery.webhook_id);
        if (webhook !== undefined) await db.run(INSERT, ...valuesOf(webhook, delivery));
      }
      for (const change of groups) {
        const webhook = numbers.get(change.webhook_id);
        if (webhook !== undefined) await changeGroup(db, webhook, change);
      }
      await db.run('update webhook_state set cursor = ?', to.cursor);
      for (const [org, cursor] of to.behind ?? []) await moveOrg(db, org, cursor);
      return true;
    });
  }

  groups(): Promise<readonly EventGroup[]> {
    const sql = `select webhook.id as webhook_id, kind, name, ends_ms, severity, held
      from webhook_group join webhook on webhook.num = webhook_group.webhook order by webhook.id, kind, name`;
    return this.#session.read(async (db) => (await db.all(sql)).map(groupOf));
  }

  add(delivery: NewDelivery, actor: Actor): Promise<DeliveryRecord> {
    return this.#session.write(async (db) => {
      const webhook = await numberOf(db, delivery.webhook_id);
      if (webhook === undefined)
        throw new StoreConflictError(`There is no subscription ${delivery.webhook_id}.`);
      const row = await db.get(`${INSERT} returning *`, ...valuesOf(webhook, delivery));
      if (row === undefined) throw new Error('The delivery that was just added does not exist.');
      await noteChange(db);
      const { event_id, event_type } = delivery;
      const details = { webhook_id: delivery.webhook_id, event_id, event_type };
      await appendAudit(db, actor, {
        action: `webhook.${delivery.origin}`,
        subject: deliveryId(integerOf(row, 'seq')),
        details,
      });
      return deliveryOf(row, delivery.webhook_id);
    });
  }

  due(webhookId: string, nowMs: number, { limit, after }: DueSlice): Promise<DueDeliveries> {
    return this.#session.read(async (db) => {
      const webhook = (await numberOf(db, webhookId)) ?? -1;
      const [afterMs, afterSeq] = after === undefined ? [-1, -1] : [after.next_ms, seqOf(after.id) ?? -1];
      const rows = await db.all(SELECT_DUE, webhook, nowMs, afterMs, afterSeq, limit);
      const has_more = rows.length === limit;
      const next = has_more ? undefined : await db.get(SELECT_NEXT, webhook, nowMs);
      const oldest = await db.get(SELECT_OLDEST, webhook, webhook, webhook);
      return {
        due: rows.map(dueOf),
        has_more,
        next_ms: next === undefined ? null : integerOrNull(next, 'at'),
        oldest_event_id: oldest === undefined ? null : textOrNull(oldest, 'event_id'),
      };
    });
  }

  settle(attempts: readonly (AttemptRecord | Postponement)[], healths: readonly Health[]): Promise<void> {
    return this.#session.writeSoon(async (db) => {
      for (const attempt of attempts) await settleOne(db, attempt);
      for (const { id, failing_since_ms, warned_ms, last_success_ms, last_failure_ms } of healths)
        await db.run(HEALTH, failing_since_ms, warned_ms, last_success_ms, last_failure_ms, id);
    });
  }

  skip(webhookId: string, error: { code: string; message: string }, limit: number): Promise<number> {
    return this.#session.writeSoon(
      async (db) =>
        await db.run(
          `update webhook_delivery set status = 'skipped', next_ms = null, error_code = ?, error_message = ?
         where seq in (select seq from webhook_delivery where webhook = ? and next_ms is not null limit ?)`,
          error.code,
          error.message,
          (await numberOf(db, webhookId)) ?? -1,
          limit,
        ),
    );
  }

  get(webhookId: string, id: string): Promise<DeliveryRecord | undefined> {
    return this.#session.read(async (db) => {
      const webhook = (await numberOf(db, webhookId)) ?? -1;
      const row = await db.get(`${SELECT} where seq = ? and webhook = ?`, seqOf(id) ?? -1, webhook);
      return row === undefined ? undefined : deliveryOf(row, webhookId);
    });
  }

  list(webhookId: string, { before, limit }: Slice): Promise<readonly DeliveryRecord[]> {
    const below = belowOf(before);
    return this.#session.read(async (db) => {
      const webhook = (await numberOf(db, webhookId)) ?? -1;
      const sql = `${SELECT} where webhook = ? and seq < ? order by seq desc limit ?`;
      return (await db.all(sql, webhook, below, limit)).map((row) => deliveryOf(row, webhookId));
    });
  }

  tally(webhookId: string, { before, limit }: Slice): Promise<DeliveryTally> {
    const below = belowOf(before);
    return this.#session.read(async (db) => {
      const webhook = (await numberOf(db, webhookId)) ?? -1;
      return tallyOf(await db.all(TALLY, webhook, below, limit), limit);
    });
  }

  forget(beforeMs: number, limit: number): Promise<number> {
    return this.#session.writeSoon(async (db) => {
      const old = await db.run(
        `delete from webhook_delivery where created_ms < ?
         and seq in (select seq from webhook_delivery order by seq limit ?)`,
        beforeMs,
        limit,
      );
      return old + (await forgetDeleted(db, limit));
    });
  }

  async lead(): Promise<boolean> {
    return this.#leadership.take();
  }
}

const belowOf = (before: string | undefined): number =>
  before === undefined ? Number.MAX_SAFE_INTEGER : (seqOf(before) ?? -1);

async function numberOf(db: Connection, id: string): Promise<number | undefined> {
  const row = await db.get('select num from webhook where id = ?', id);
  return row === undefined ? undefined : integerOf(row, 'num');
}

async function moveOrg(db: Connection, org: string, cursor: string | null): Promise<void> {
  await db.run('delete from webhook_behind where org = ?', org);
  if (cursor !== null) await db.run('insert into webhook_behind (org, cursor) values (?, ?)', org, cursor);
}

async function changeGroup(
  db: Connection,
  webhook: number,
  { kind, name, group }: GroupChange,
): Promise<void> {
  if (group === null) {
    await db.run(
      'delete from webhook_group where webhook = ? and kind = ? and name = ?',
      webhook,
      kind,
      name,
    );
    return;
  }
  const { ends_ms, severity, held } = group;
  const text = held === null ? null : canonicalJson(held);
  await db.run(PUT_GROUP, webhook, kind, name, ends_ms, severity, held?.first_event_id ?? null, text);
}

const groupOf = (row: Row): EventGroup => ({
  webhook_id: textOf(row, 'webhook_id'),
  kind: textOf(row, 'kind') as EventGroup['kind'],
  name: textOf(row, 'name'),
  ends_ms: integerOrNull(row, 'ends_ms'),
  severity: textOrNull(row, 'severity') as EventGroup['severity'],
  held: row['held'] === null ? null : jsonOf(row, 'held'),
});

function valuesOf(webhook: number, delivery: NewDelivery): Value[] {
  const { event_id, event_type, subject_id, origin, most_attempts, created_ms, body } = delivery;
  return [webhook, event_id, event_type, subject_id, origin, most_attempts, created_ms, created_ms, body];
}

async function settleOne(db: Connection, attempt: AttemptRecord | Postponement): Promise<void> {
  if (attempt.status === 'postponed') {
    await db.run(POSTPONE, attempt.next_ms, seqOf(attempt.id) ?? -1);
    return;
  }
  await db.run(
    SETTLE,
    attempt.status,
    attempt.attempt,
    attempt.next_ms,
    attempt.attempted_ms,
    attempt.duration_ms,
    attempt.url,
    attempt.response_status,
    attempt.error?.code ?? null,
    attempt.error?.message ?? null,
    attempt.response_body,
    attempt.replay_cursor,
    seqOf(attempt.id) ?? -1,
    attempt.status,
  );
}

/** Removes deliveries of deleted subscriptions first, then the subscription once it has none left. */
async function forgetDeleted(db: Connection, limit: number): Promise<number> {
  const gone = await db.get('select num from webhook where deleted_ms is not null limit 1');
  if (gone === undefined) return 0;
  const num = integerOf(gone, 'num');
  const removed = await db.run(
    'delete from webhook_delivery where seq in (select seq from webhook_delivery where webhook = ? limit ?)',
    num,
    limit,
  );
  if (removed < limit) await db.run('delete from webhook where num = ?', num);
  return removed + 1;
}

// Converts deliveries from and to rows, and their public ids.

const ID = /^dlv_(\d{16})$/;

/** Has enough digits for every safe integer, so that ids sort like numbers. */
const deliveryId = (seq: number): string => `dlv_${String(seq).padStart(16, '0')}`;

/** Undefined for text that is not an id. */
function seqOf(id: string): number | undefined {
  const digits = ID.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const dueOf = (row: Row): DueDelivery => ({
  id: deliveryId(integerOf(row, 'seq')),
  event_id: textOf(row, 'event_id'),
  event_type: textOf(row, 'event_type'),
  origin: textOf(row, 'origin') as DueDelivery['origin'],
  attempt: integerOf(row, 'attempt'),
  most_attempts: integerOf(row, 'most_attempts'),
  next_ms: integerOf(row, 'next_ms'),
  body: row['body'] === null ? null : bytesOf(row, 'body'),
});

function deliveryOf(row: Row, webhook_id: string): DeliveryRecord {
  const code = textOrNull(row, 'error_code');
  return {
    id: deliveryId(integerOf(row, 'seq')),
    webhook_id,
    event_id: textOf(row, 'event_id'),
    event_type: textOf(row, 'event_type'),
    subject_id: textOf(row, 'subject_id'),
    origin: textOf(row, 'origin') as DeliveryRecord['origin'],
    status: textOf(row, 'status') as DeliveryRecord['status'],
    attempt: integerOf(row, 'attempt'),
    most_attempts: integerOf(row, 'most_attempts'),
    created_ms: integerOf(row, 'created_ms'),
    next_ms: integerOrNull(row, 'next_ms'),
    attempted_ms: integerOrNull(row, 'attempted_ms'),
    duration_ms: integerOrNull(row, 'duration_ms'),
    url: textOrNull(row, 'url'),
    response_status: integerOrNull(row, 'response_status'),
    error: code === null ? null : { code, message: textOrNull(row, 'error_message') ?? '' },
    response_body: textOrNull(row, 'response_body'),
    replay_cursor: textOrNull(row, 'replay_cursor'),
    body: row['body'] === null ? null : bytesOf(row, 'body'),
  };
}

/** `limit`: the limit of the counted part. */
function tallyOf(rows: readonly Row[], limit: number): DeliveryTally {
  const counts = rows.map(
    (row): DeliveryCount => ({
      day: integerOf(row, 'day'),
      status: textOf(row, 'status') as DeliveryCount['status'],
      deliveries: integerOf(row, 'deliveries'),
      attempts: integerOf(row, 'attempts'),
      duration_ms: integerOf(row, 'duration_ms'),
      bucket: integerOrNull(row, 'bucket'),
    }),
  );
  const counted = counts.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const oldest = Math.min(...rows.map((row) => integerOf(row, 'oldest')));
  return { counts, oldest: counted < limit ? null : deliveryId(oldest) };
}
