// Webhook subscriptions of an organisation (4.20; decisions 46-49). The operations are in server/webhooks.
import { type Static, Strict, type TSchema, Type } from '../../schemas/define.ts';
import { uncheckedSchema, unmatchedSchema } from '../../schemas/envelopes.ts';
import { LIMITS } from '../../schemas/plans.ts';
import {
  DeliveryDaySchema,
  DeliverySchema,
  ListMetaSchema,
  ListQuerySchema,
  NewWebhookSchema,
  RotationSchema,
  TestRequestSchema,
  WebhookChangeSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from '../../schemas/webhooks.ts';
import { keyOf } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint, type Reply } from '../define/endpoint.ts';
import { parameterFailure } from '../define/failure.ts';
import { type FilterValue, uncheckedMember, unmatchedMember } from '../define/filter-values.ts';
import { daysParameter } from '../define/parameters.ts';
import { TAGS } from '../define/tags.ts';
import { isReadUpTo, unmatchedSubject } from '../replies/event-log-view.ts';
import { checkNames } from '../replies/known-names.ts';
import { formatParameter, formOf, NEGOTIATED, tableReply } from '../series/series-forms.ts';
import type { Services } from '../services.ts';

const PAGE = LIMITS.webhook_page;
const DELIVERY_DAYS = LIMITS.delivery_days;
const WEBHOOK_ID = /^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const DELIVERY_ID = /^dlv_\d{16}$/;

const read = { plan: 'team', scope: 'webhooks:read' } as const;
const write = { plan: 'team', scope: 'webhooks:write' } as const;
const shared = { envelope: 'v2', cache: 'none' } as const;
const one = Strict({
  id: Type.String({ description: 'Id of the subscription', examples: ['wh_01JZ8T7B4M3N5P6Q7R8S9T0V1W'] }),
});
const none = Strict({});
const document = (data: TSchema) => Strict({ data, meta: Strict({}), error: Type.Null() });
/** With the filters that no event passes, and those that could not be looked up. */
const filtered = (data: TSchema) =>
  Strict({
    data,
    meta: Strict({ unmatched: unmatchedSchema, unchecked: uncheckedSchema }),
    error: Type.Null(),
  });
const page = (row: TSchema) => Strict({ data: Type.Array(row), meta: ListMetaSchema, error: Type.Null() });

export const listWebhooks = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/v2/webhooks',
  tag: TAGS.webhooks,
  summary: "Webhook subscriptions of the key's organisation, newest first",
  access: read,
  params: none,
  query: ListQuerySchema,
  response: page(WebhookSchema),
  errors: ['invalid_request', 'unavailable', 'internal_error'],
  async handle({ query, caller }, { store, webhooks }) {
    const { org } = keyOf(caller);
    const { limit, slice } = sliceOf(query, WEBHOOK_ID);
    return pageOf(await webhooks.subscriptions.list(store, org, slice), limit);
  },
});

export const createWebhook = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/v2/webhooks',
  tag: TAGS.webhooks,
  summary: 'Subscribe a URL to event types; only this response contains the signing secret',
  access: write,
  params: none,
  query: none,
  body: NewWebhookSchema,
  status: 201,
  response: filtered(WebhookWithSecretSchema),
  errors: ['invalid_request', 'conflict', 'unavailable', 'internal_error'],
  async handle({ body, caller, requestId, commit }, services) {
    const { subscriptions } = services.webhooks;
    const owner = ownerOf(caller, requestId);
    await subscriptions.checkUrl(body.url, body.format);
    const meta = await strangeFilters(services, body);
    const draft = { body, max: caller.limits.webhook_subscriptions, startsAfter: newestEvent(services) };
    return commit(async (tables) => ({ payload: await subscriptions.create(tables, owner, draft), meta }));
  },
});

export const getWebhook = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/v2/webhooks/:id',
  tag: TAGS.webhooks,
  summary: 'One webhook subscription',
  access: read,
  params: one,
  query: none,
  response: document(WebhookSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, caller }, { store, webhooks }) {
    return { payload: await webhooks.subscriptions.get(store, keyOf(caller).org, webhookId(params.id)) };
  },
});

export const updateWebhook = defineEndpoint({
  ...shared,
  method: 'PATCH',
  path: '/v2/webhooks/:id',
  tag: TAGS.webhooks,
  summary: 'Change the URL, event types or description of a subscription; pause or reactivate it',
  access: write,
  params: one,
  query: none,
  body: WebhookChangeSchema,
  response: filtered(WebhookSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, body, caller, requestId, commit }, services) {
    const { store, webhooks } = services;
    const owner = ownerOf(caller, requestId);
    const { url } = body;
    const current = await webhooks.subscriptions
      .get(store, owner.org, webhookId(params.id))
      .catch(async (error: unknown) => {
        // What the request itself has wrong is said first.
        if (url !== undefined) await webhooks.subscriptions.checkUrl(url);
        throw error;
      });
    // The URL is checked when it changes, and again when the subscription becomes active.
    if (url !== undefined) await webhooks.subscriptions.checkUrl(url, current.format);
    if (url === undefined && body.status === 'active') await webhooks.subscriptions.checkUrl(current.url);
    const meta = await strangeFilters(services, body);
    const change = { id: webhookId(params.id), body, startsAfter: newestEvent(services) };
    return commit(async (tables) => ({
      payload: await webhooks.subscriptions.change(tables, owner, change),
      meta,
    }));
  },
});

export const deleteWebhook = defineEndpoint({
  ...shared,
  method: 'DELETE',
  path: '/v2/webhooks/:id',
  tag: TAGS.webhooks,
  summary: 'Delete a subscription and its delivery records',
  access: write,
  params: one,
  query: none,
  status: 204,
  response: none,
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, caller, requestId, commit }, { webhooks }) {
    const owner = ownerOf(caller, requestId);
    return commit(async (tables) => {
      await webhooks.subscriptions.remove(tables, owner, webhookId(params.id));
      return { payload: null };
    });
  },
});

export const rotateWebhookSecret = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/v2/webhooks/:id/rotate-secret',
  tag: TAGS.webhooks,
  summary: 'Create a new signing secret, shown once; both secrets sign deliveries during the grace period',
  access: write,
  params: one,
  query: none,
  body: RotationSchema,
  response: document(WebhookWithSecretSchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, body, caller, requestId, commit }, { webhooks }) {
    const owner = ownerOf(caller, requestId);
    const rotation = { id: webhookId(params.id), graceSeconds: body.grace_period_seconds };
    return commit(async (tables) => ({
      payload: await webhooks.subscriptions.rotate(tables, owner, rotation),
    }));
  },
});

export const testWebhook = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/v2/webhooks/:id/test',
  tag: TAGS.webhooks,
  summary:
    'Send a sample event to a subscription; the response is its delivery record before the first attempt',
  access: write,
  params: one,
  query: none,
  body: TestRequestSchema,
  status: 202,
  response: document(DeliverySchema),
  errors: ['invalid_request', 'not_found', 'conflict', 'unavailable', 'internal_error'],
  async handle({ params, body, caller, requestId, commit }, { store, webhooks }) {
    const owner = ownerOf(caller, requestId);
    const { url } = await webhooks.subscriptions.get(store, owner.org, webhookId(params.id));
    await webhooks.subscriptions.checkUrl(url);
    const asked = { id: webhookId(params.id), type: body.type };
    return commit(async (tables) => ({ payload: await webhooks.deliveries.test(tables, owner, asked) }));
  },
});

export const listDeliveries = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/v2/webhooks/:id/deliveries',
  tag: TAGS.webhooks,
  summary: 'Deliveries of a subscription in the last 30 days, each with its last attempt, newest first',
  access: read,
  params: one,
  query: ListQuerySchema,
  response: page(DeliverySchema),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, query, caller }, { store, webhooks }) {
    const { org } = keyOf(caller);
    const { limit, slice } = sliceOf(query, DELIVERY_ID);
    return pageOf(await webhooks.deliveries.list(store, { org, id: webhookId(params.id) }, slice), limit);
  },
});

export const getDeliveryStatistics = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/v2/webhooks/:id/statistics',
  tag: TAGS.webhooks,
  summary: 'Deliveries of a subscription by UTC day and status, oldest day first',
  access: read,
  ...NEGOTIATED,
  params: one,
  query: Strict({
    days: daysParameter({ max: DELIVERY_DAYS, default: DELIVERY_DAYS }),
    format: formatParameter('days'),
  }),
  response: Strict({
    data: Type.Array(DeliveryDaySchema, {
      description: 'Days on which the subscription existed; a day without deliveries has zeros',
    }),
    meta: Strict({
      is_complete: Type.Boolean({
        description: 'False if the deliveries before the first of these days are too many to count',
      }),
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
  async handle({ params, query, caller, accept }, { store, webhooks }) {
    const form = formOf({ format: query.format, accept });
    const asked = { org: keyOf(caller).org, id: webhookId(params.id) };
    const { days, is_complete } = await webhooks.deliveries.statistics(
      store,
      asked,
      query.days ?? DELIVERY_DAYS,
    );
    const table = { name: `deliveries-${asked.id}`, row: DeliveryDaySchema, rows: days };
    return form === 'json' ? { payload: days, meta: { is_complete } } : tableReply(form, table);
  },
});

export const redeliver = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/v2/webhooks/:id/deliveries/:delivery_id/redeliver',
  tag: TAGS.webhooks,
  summary: 'Send the event of a finished delivery again, as a new delivery',
  access: write,
  params: Strict({
    id: one.properties.id,
    delivery_id: Type.String({ description: 'Id of the delivery', examples: ['dlv_0000000000000001'] }),
  }),
  query: none,
  body: none,
  status: 202,
  response: document(DeliverySchema),
  errors: ['invalid_request', 'not_found', 'conflict', 'unavailable', 'internal_error'],
  async handle({ params, caller, requestId, commit }, { webhooks }) {
    const owner = ownerOf(caller, requestId);
    const windowDays = caller.limits.replay_window_days;
    const asked = { id: webhookId(params.id), deliveryId: params.delivery_id, windowDays };
    return commit(async (tables) => ({
      payload: await webhooks.deliveries.redeliver(tables, owner, asked),
    }));
  },
});

/** Base 32 is case-insensitive, but ids are stored as they were issued. */
function webhookId(text: string): string {
  const id = `wh_${text.slice(3).toUpperCase()}`;
  return text.startsWith('wh_') && WEBHOOK_ID.test(id) ? id : text;
}

const ownerOf = (caller: Caller, requestId: string) => {
  const { org, id } = keyOf(caller);
  return { org, keyId: id, requestId };
};

type Filters = Pick<Partial<Static<typeof WebhookChangeSchema>>, 'chains' | 'protocols' | 'subjects'>;

/**
 * Filters of a subscription that no event passes so far, and those of which that cannot be said now. Neither is refused: an event may have
 * the name later, and a subscription needs no published data.
 */
async function strangeFilters(services: Services, { chains, protocols, subjects }: Filters) {
  const manifest = services.versions.current?.manifest;
  const named = (parameter: string, facet: string, values: readonly string[] | null | undefined) =>
    (values ?? []).map((value) => ({ parameter, facet, value: value.toLowerCase() }));
  const names = [...named('chains', 'chain', chains), ...named('protocols', 'protocol', protocols)];
  const { unmatched, unchecked } = await checkNames(services, names, { manifest });
  const strange: FilterValue[] = [];
  for (const value of subjects ?? [])
    strange.push(...(await unmatchedSubject(services, { parameter: 'subjects', value, view: {} })));
  const isRead = manifest !== undefined && isReadUpTo(services, manifest);
  return {
    ...unmatchedMember([...unmatched, ...(isRead ? strange : [])]),
    ...uncheckedMember([...unchecked, ...(isRead ? [] : strange)]),
  };
}

/** Also while the log is not read up to it: what it has then is older than the subscription. */
function newestEvent({ replay, versions }: Services): string | null {
  const ids = [replay.lastId, versions.current?.manifest.events.last_event_id];
  return (
    ids
      .flatMap((id) => id ?? [])
      .sort()
      .at(-1) ?? null
  );
}

/** Requests one row more than the page, to see whether more follow. */
function sliceOf(
  { cursor: given, limit = PAGE.default }: { readonly cursor?: string; readonly limit?: number },
  form: RegExp,
) {
  const cursor = given && webhookId(given);
  if (cursor !== undefined && !form.test(cursor))
    throw parameterFailure('cursor', 'was not issued by this endpoint');
  return { limit, slice: { before: cursor, limit: limit + 1 } };
}

function pageOf(rows: readonly { readonly id: string }[], limit: number): Reply {
  const payload = rows.slice(0, limit);
  const has_more = rows.length > limit;
  return { payload, meta: { has_more, cursor: has_more ? (payload.at(-1)?.id ?? null) : null } };
}
