// Operations on subscriptions. URLs are checked before the transaction, because that queries DNS; everything else happens inside it. An id
// of another organisation is treated like an unknown id.

import { randomUlid } from '../../platform/base/ulid.ts';
import type { Static } from '../../schemas/define.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type {
  NewWebhookSchema,
  WebhookChangeSchema,
  WebhookFormat,
  WebhookSchema,
} from '../../schemas/webhooks.ts';
import { Failure, fieldFailure } from '../define/failure.ts';
import type { Actor } from '../store/actor.ts';
import type { Sealer } from '../store/seal.ts';
import type { OpsTables } from '../store/store.ts';
import {
  type SealedSecret,
  secretBinding,
  type WebhookChanges,
  type WebhookRecord,
} from '../store/webhook-store.ts';
import { AddressError, type AddressGuard, isLoopback } from './address-guard.ts';
import { changedFilters } from './filters.ts';
import {
  isSigned,
  type MessageTarget,
  openTarget,
  sealTarget,
  shownUrl,
  targetProblem,
  urlProblem,
} from './messages/targets.ts';
import { checkQuietHours } from './quiet-hours.ts';
import { makeSecret } from './sign.ts';

const PREFIX_CHARACTERS = 10;
/** Maximum number of secrets valid at the same time, including the current one. */
const MAX_SECRETS = 4;

export interface SubscriptionsDeps {
  readonly guard: Pick<AddressGuard, 'check'>;
  /** Development only: allows stand-ins of chat products on this machine. */
  readonly isLoopbackAllowed: boolean;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** Who acts, and for which organisation. */
export interface Owner {
  readonly org: string;
  readonly keyId: string;
  readonly requestId: string;
}

type View = Static<typeof WebhookSchema>;
type NewWebhook = Static<typeof NewWebhookSchema>;
type WebhookChange = Static<typeof WebhookChangeSchema>;

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /**
   * `format`: of a new address, which must belong to its product; this is checked first, because a mistyped host has no address either.
   * @throws Failure `validation_failed` unless events may be sent there now
   */
  async checkUrl(url: string, format: WebhookFormat = 'standard'): Promise<void> {
    const problem = urlProblem(format, url, this.#isLocal);
    if (problem !== undefined) throw fieldFailure('url', problem);
    try {
      await this.#deps.guard.check(url);
    } catch (error) {
      if (error instanceof AddressError) throw fieldFailure('url', error.message);
      throw error;
    }
  }

  /** `startsAfter`: the newest event. @throws Failure `conflict` beyond `max` */
  async create(
    tables: OpsTables,
    owner: Owner,
    draft: { body: NewWebhook; max: number; startsAfter: string | null },
  ): Promise<View & { signing_secret: string }> {
    const { body, max, startsAfter } = draft;
    const nowMs = this.#deps.nowMs();
    if ((await tables.webhooks.count(owner.org)) >= max) {
      const message = `The plan of this organisation includes ${max} subscriptions: delete one first.`;
      throw new Failure('conflict', message, { details: { limit: max } });
    }
    const id = `wh_${randomUlid(nowMs, this.#deps.randomBytes)}`;
    const { secret, sealed } = this.#newSecret(id);
    const format = body.format ?? 'standard';
    const record: WebhookRecord = {
      id,
      org: owner.org,
      format,
      ...this.#addressed(id, format, targetIn(body, body.url)),
      filters: changedFilters({}, body),
      grouping: null,
      quiet_hours: null,
      ...groupingIn(body),
      events: body.events,
      description: body.description ?? null,
      status: 'active',
      disabled_reason: null,
      secret_prefix: secret.slice(0, PREFIX_CHARACTERS),
      secrets: [{ sealed, ends_ms: null }],
      starts_after: startsAfter,
      failing_since_ms: null,
      warned_ms: null,
      last_success_ms: null,
      last_failure_ms: null,
      created_ms: nowMs,
      updated_ms: nowMs,
    };
    await tables.webhooks.create(record, this.#actor(owner));
    return { ...webhookView(record, nowMs), signing_secret: secret };
  }

  async get(tables: OpsTables, org: string, id: string): Promise<View> {
    return webhookView(await findSubscription(tables, org, id), this.#deps.nowMs());
  }

  async list(
    tables: OpsTables,
    org: string,
    slice: { before?: string | undefined; limit: number },
  ): Promise<View[]> {
    const records = await tables.webhooks.list(org, slice);
    return records.map((record) => webhookView(record, this.#deps.nowMs()));
  }

  /** `startsAfter`: events published while the subscription was inactive are not sent. */
  async change(
    tables: OpsTables,
    owner: Owner,
    { id, body, startsAfter }: { id: string; body: WebhookChange; startsAfter: string | null },
  ): Promise<View> {
    const record = await findSubscription(tables, owner.org, id);
    const wakes = body.status === 'active' && record.status !== 'active';
    const { events, description, status, min_severity, protocols, chains, subjects } = body;
    const filters = { min_severity, protocols, chains, subjects };
    const changes: WebhookChanges = {
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
      ...this.#newAddress(record, body),
      ...(Object.values(filters).every((value) => value === undefined)
        ? {}
        : { filters: changedFilters(record.filters, filters) }),
      ...groupingIn(body),
      ...(status === undefined ? {} : { status, disabled_reason: null }),
      ...(wakes ? { failing_since_ms: null, warned_ms: null, starts_after: startsAfter } : {}),
    };
    const next = await tables.webhooks.change(id, { action: 'webhook.update', changes }, this.#actor(owner));
    return webhookView(next, this.#deps.nowMs());
  }

  async remove(tables: OpsTables, owner: Owner, id: string): Promise<void> {
    await findSubscription(tables, owner.org, id);
    await tables.webhooks.remove(id, this.#actor(owner));
  }

  async rotate(
    tables: OpsTables,
    owner: Owner,
    { id, graceSeconds }: { id: string; graceSeconds: number | undefined },
  ): Promise<View & { signing_secret: string }> {
    const record = await findSubscription(tables, owner.org, id);
    const nowMs = this.#deps.nowMs();
    const endsMs = nowMs + (graceSeconds ?? LIMITS.webhook_grace_seconds.default) * 1_000;
    const { secret, sealed } = this.#newSecret(id);
    const changes = {
      secret_prefix: secret.slice(0, PREFIX_CHARACTERS),
      secrets: [{ sealed, ends_ms: null }, ...stillGood(record.secrets, endsMs, nowMs)].slice(0, MAX_SECRETS),
    };
    const next = await tables.webhooks.change(id, { action: 'webhook.rotate', changes }, this.#actor(owner));
    return { ...webhookView(next, nowMs), signing_secret: secret };
  }

  /** The address as it is shown and, of a chat or paging product, sealed. @throws Failure `validation_failed` */
  #addressed(
    id: string,
    format: WebhookFormat,
    target: MessageTarget,
  ): Pick<WebhookRecord, 'url' | 'target'> {
    const problem = targetProblem(format, target, this.#isLocal);
    if (problem !== undefined) throw fieldFailure(problem.field, problem.problem);
    const { sealer } = this.#deps;
    return {
      url: shownUrl(format, target, sealer),
      target: isSigned(format) ? null : sealTarget(sealer, id, target),
    };
  }

  readonly #isLocal = (host: string): boolean =>
    this.#deps.isLoopbackAllowed && (host === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, '')));

  #newAddress(
    { id, format, url, target }: WebhookRecord,
    change: Pick<WebhookChange, 'url' | 'routing_key' | 'chat_id'>,
  ): Partial<Pick<WebhookRecord, 'url' | 'target'>> {
    const { url: newUrl, routing_key, chat_id } = change;
    if (newUrl === undefined && routing_key === undefined && chat_id === undefined) return {};
    const current = target === null ? { url } : openTarget(this.#deps.sealer, id, target);
    return this.#addressed(id, format, { ...current, ...targetIn(change, newUrl ?? current.url) });
  }

  #newSecret(id: string): { secret: string; sealed: Uint8Array } {
    const secret = makeSecret(this.#deps.randomBytes);
    return { secret, sealed: this.#deps.sealer.seal(Buffer.from(secret), secretBinding(id)) };
  }

  #actor({ keyId, requestId }: Owner): Actor {
    return { who: `key:${keyId}`, requestId, atMs: this.#deps.nowMs() };
  }
}

const targetIn = (
  { routing_key, chat_id }: Pick<NewWebhook, 'routing_key' | 'chat_id'>,
  url: string,
): MessageTarget => ({
  url,
  ...(routing_key === undefined ? {} : { routing_key }),
  ...(chat_id === undefined ? {} : { chat_id }),
});

/** A subscription as callers see it (decision 47): times as ISO 8601, and no secrets, sealed or not. */
function webhookView(record: WebhookRecord, nowMs: number): View {
  const ends = record.secrets.flatMap(({ ends_ms }) =>
    ends_ms !== null && ends_ms > nowMs ? [ends_ms] : [],
  );
  return {
    id: record.id,
    format: record.format,
    url: record.url,
    events: [...record.events],
    min_severity: record.filters.min_severity ?? null,
    protocols: listOrNull(record.filters.protocols),
    chains: listOrNull(record.filters.chains),
    subjects: listOrNull(record.filters.subjects),
    grouping: record.grouping,
    quiet_hours: record.quiet_hours && {
      ...record.quiet_hours,
      always_send: [...record.quiet_hours.always_send],
    },
    description: record.description,
    status: record.status,
    disabled_reason: record.disabled_reason,
    secret_prefix: record.secret_prefix,
    previous_secret_expires_at: ends.length === 0 ? null : isoOf(Math.max(...ends)),
    failing_since: isoOrNull(record.failing_since_ms),
    last_success_at: isoOrNull(record.last_success_ms),
    last_failure_at: isoOrNull(record.last_failure_ms),
    created_at: isoOf(record.created_ms),
    updated_at: isoOf(record.updated_ms),
  };
}

/** What a caller gives of them, with the defaults of what it leaves out. @throws Failure `validation_failed` */
function groupingIn({
  grouping,
  quiet_hours,
}: Pick<NewWebhook, 'grouping' | 'quiet_hours'>): Pick<WebhookChanges, 'grouping' | 'quiet_hours'> {
  const minutes = LIMITS.webhook_group_minutes.default;
  const quiet = quiet_hours && { always_send: LIMITS.webhook_always_send, ...quiet_hours };
  if (quiet) checkQuietHours(quiet);
  return {
    ...(grouping === undefined ? {} : { grouping: grouping && { minutes, ...grouping } }),
    ...(quiet === undefined ? {} : { quiet_hours: quiet }),
  };
}

const listOrNull = (names: readonly string[] | undefined) => (names === undefined ? null : [...names]);

export const isoOf = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));

/** @throws Failure `not_found` */
export async function findSubscription(tables: OpsTables, org: string, id: string): Promise<WebhookRecord> {
  const record = await tables.webhooks.get(org, id);
  if (record === undefined) throw new Failure('not_found', 'There is no such subscription.');
  return record;
}

/** No secret stays valid beyond `endsMs` or its own end. */
const stillGood = (secrets: readonly SealedSecret[], endsMs: number, nowMs: number): SealedSecret[] =>
  secrets
    .map(({ sealed, ends_ms }) => ({ sealed, ends_ms: Math.min(ends_ms ?? endsMs, endsMs) }))
    .filter(({ ends_ms }) => ends_ms > nowMs);
