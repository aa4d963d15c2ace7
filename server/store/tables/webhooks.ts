// Webhook subscriptions.
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { WebhookFormat } from '../../../schemas/webhooks.ts';
import type { Actor } from '../actor.ts';
import { StoreConflictError, StoreUnavailableError } from '../store.ts';
import type {
  Change,
  SealedSecret,
  Slice,
  WebhookChanges,
  WebhookRecord,
  WebhookStatus,
  WebhookStore,
} from '../webhook-store.ts';
import { appendAudit } from './audit.ts';
import {
  type Connection,
  integerOf,
  integerOrNull,
  jsonOf,
  type Row,
  type Session,
  textOf,
  textOrNull,
} from './session.ts';

const COLUMNS = [
  ...['id', 'org', 'url', 'events', 'description', 'status', 'disabled_reason', 'secret_prefix', 'secrets'],
  ...['starts_after', 'failing_since_ms', 'warned_ms', 'last_success_ms', 'last_failure_ms'],
  ...['created_ms', 'updated_ms', 'format', 'target', 'filters', 'grouping', 'quiet_hours'],
] as const;
const INSERT = `insert into webhook (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`;
const UPDATE = `update webhook set ${COLUMNS.map((column) => `${column} = ?`).join(', ')} where id = ?`;

export class WebhookTable implements WebhookStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  create(webhook: WebhookRecord, actor: Actor): Promise<void> {
    return this.#session.write(async (db) => {
      await db.run(INSERT, ...valuesOf(webhook));
      await noteChange(db);
      const details = { org: webhook.org, ...factsOf(webhook) };
      await appendAudit(db, actor, { action: 'webhook.create', subject: webhook.id, details });
    });
  }

  get(org: string, id: string): Promise<WebhookRecord | undefined> {
    return this.#session.read(async (db) => {
      const found = await webhookById(db, id);
      return found?.org === org ? found : undefined;
    });
  }

  list(org: string, { before, limit }: Slice): Promise<readonly WebhookRecord[]> {
    const sql =
      'select * from webhook where org = ? and id < ? and deleted_ms is null order by id desc limit ?';
    return this.#session.read(async (db) => (await db.all(sql, org, before ?? '~', limit)).map(webhookOf));
  }

  count(org: string): Promise<number> {
    return this.#session.read(async (db) => {
      const row = await db.get('select count(*) as n from webhook where org = ? and deleted_ms is null', org);
      return row === undefined ? 0 : integerOf(row, 'n');
    });
  }

  change(id: string, { action, changes }: Change, actor: Actor): Promise<WebhookRecord> {
    return this.#session.write(async (db) => {
      const next = { ...(await existing(db, id)), ...changes, updated_ms: actor.atMs };
      await db.run(UPDATE, ...valuesOf(next), id);
      await noteChange(db);
      await appendAudit(db, actor, { action, subject: id, details: factsOf(changes) });
      return next;
    });
  }

  remove(id: string, actor: Actor): Promise<void> {
    return this.#session.write(async (db) => {
      const { org } = await existing(db, id);
      await db.run('delete from webhook_group where webhook = (select num from webhook where id = ?)', id);
      await db.run(
        `update webhook set deleted_ms = ?, secrets = '[]', target = null, status = 'paused' where id = ?`,
        actor.atMs,
        id,
      );
      await noteChange(db);
      await appendAudit(db, actor, { action: 'webhook.delete', subject: id, details: { org } });
    });
  }

  all(): Promise<readonly WebhookRecord[]> {
    return this.#session.read(async (db) =>
      (await db.all('select * from webhook where deleted_ms is null order by id')).map(webhookOf),
    );
  }

  revision(): Promise<number> {
    return this.#session.read(revisionOf);
  }
}

export async function revisionOf(db: Connection): Promise<number> {
  const row = await db.get('select revision from webhook_state');
  if (row === undefined) throw new StoreUnavailableError('The store is damaged: webhooks have no revision.');
  return integerOf(row, 'revision');
}

/** Signals a change to the dispatcher, whichever process it runs in. */
export async function noteChange(db: Connection): Promise<void> {
  await db.run('update webhook_state set revision = revision + 1');
}

async function existing(db: Connection, id: string): Promise<WebhookRecord> {
  const found = await webhookById(db, id);
  if (found === undefined) throw new StoreConflictError(`There is no subscription ${id}.`);
  return found;
}

async function webhookById(db: Connection, id: string): Promise<WebhookRecord | undefined> {
  const row = await db.get('select * from webhook where id = ? and deleted_ms is null', id);
  return row === undefined ? undefined : webhookOf(row);
}

/** The audit log details of a change, without secrets, sealed or not. */
const factsOf = ({ secrets: _, target: __, ...facts }: WebhookChanges): Readonly<Record<string, unknown>> =>
  facts;

const secretsJson = (secrets: readonly SealedSecret[]): string =>
  JSON.stringify(
    secrets.map(({ sealed, ends_ms }) => ({ sealed: Buffer.from(sealed).toString('base64'), ends_ms })),
  );

function valuesOf(webhook: WebhookRecord): (string | number | null)[] {
  return COLUMNS.map((column) => {
    if (column === 'secrets') return secretsJson(webhook.secrets);
    if (column === 'target')
      return webhook.target === null ? null : Buffer.from(webhook.target).toString('base64');
    if (column === 'grouping' || column === 'quiet_hours')
      return webhook[column] === null ? null : canonicalJson(webhook[column]);
    return column === 'events' || column === 'filters' ? canonicalJson(webhook[column]) : webhook[column];
  });
}

const webhookOf = (row: Row): WebhookRecord => ({
  id: textOf(row, 'id'),
  org: textOf(row, 'org'),
  format: textOf(row, 'format') as WebhookFormat,
  target: row['target'] === null ? null : Buffer.from(textOf(row, 'target'), 'base64'),
  filters: jsonOf(row, 'filters'),
  grouping: row['grouping'] === null ? null : jsonOf(row, 'grouping'),
  quiet_hours: row['quiet_hours'] === null ? null : jsonOf(row, 'quiet_hours'),
  url: textOf(row, 'url'),
  events: jsonOf(row, 'events'),
  description: textOrNull(row, 'description'),
  status: textOf(row, 'status') as WebhookStatus,
  disabled_reason: textOrNull(row, 'disabled_reason') as WebhookRecord['disabled_reason'],
  secret_prefix: textOf(row, 'secret_prefix'),
  secrets: jsonOf<{ sealed: string; ends_ms: number | null }[]>(row, 'secrets').map(
    ({ sealed, ends_ms }) => ({
      sealed: Buffer.from(sealed, 'base64'),
      ends_ms,
    }),
  ),
  starts_after: textOrNull(row, 'starts_after'),
  failing_since_ms: integerOrNull(row, 'failing_since_ms'),
  warned_ms: integerOrNull(row, 'warned_ms'),
  last_success_ms: integerOrNull(row, 'last_success_ms'),
  last_failure_ms: integerOrNull(row, 'last_failure_ms'),
  created_ms: integerOf(row, 'created_ms'),
  updated_ms: integerOf(row, 'updated_ms'),
});
