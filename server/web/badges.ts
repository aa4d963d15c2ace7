// Badges: one fact as a small picture, for pages of others. What cannot be known is grey and says so; nothing that is late or held back is
// shown as good.
import { Strict, Type } from '../../schemas/define.ts';
import type { FRESHNESS_STATUSES } from '../../schemas/provenance.ts';
import type { SERVICE_STATUSES } from '../../schemas/service-status.ts';
import { heldDataset } from '../../snapshots/verdict.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { currentVersion, missingDocument, servedVersion } from '../define/missing-data.ts';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { TAGS } from '../define/tags.ts';
import { isOfFamily, verdictOf } from '../replies/verdict.ts';
import type { Services } from '../services.ts';
import { html } from './html.ts';

const COLOURS = { good: '#2f6f3e', warn: '#8a5a00', bad: '#b3261e', unknown: '#5f6368' } as const;

interface Badge {
  readonly label: string;
  readonly value: string;
  readonly sign: keyof typeof COLOURS;
}

const unknown = (label: string, why: string): Badge => ({
  label,
  value: `not known: ${why}`,
  sign: 'unknown',
});

const fileOf = ([description, example]: readonly [description: string, example: string]) =>
  Strict({
    file: Type.String({
      description: `${description}, and .svg`,
      examples: [`${example}.svg`],
      maxLength: 200,
    }),
  });

const MISSING = ['not_found', 'unavailable'] as const;

/** @throws Failure `unavailable` before the first version, `not_found` for another extension */
function nameIn(params: { readonly file?: unknown }, services: Services): string {
  currentVersion(services);
  const file = String(params.file);
  if (!file.endsWith('.svg')) throw new Failure('not_found', 'The name of a badge ends with .svg.');
  return file.slice(0, -'.svg'.length);
}

const badgeEndpoint = (
  path: string,
  summary: string,
  {
    name,
    badge,
  }: {
    /** What `:file` names, without its extension; absent if the path names nothing. */
    readonly name?: readonly [description: string, example: string];
    /** @throws Failure `not_found` for a name that does not exist */
    readonly badge: (services: Services, named: string) => Badge;
  },
): Endpoint =>
  defineEndpoint({
    method: 'GET',
    path,
    tag: TAGS.operations,
    summary,
    access: 'open',
    isBrowsed: true,
    envelope: 'plain',
    cache: 'shared',
    mediaTypes: ['image/svg+xml'],
    params: name === undefined ? Strict({}) : fileOf(name),
    query: Strict({}),
    response: Type.String(),
    errors: ['invalid_request', ...(name === undefined ? [] : MISSING), 'internal_error'],
    handle: ({ params }, services) =>
      pictureOf(badge(services, name === undefined ? '' : nameIn(params, services)), services),
    mirror: () => [],
  });

function pictureOf(badge: Badge, services: Services): Reply {
  const payload = Buffer.from(svg(badge));
  return {
    payload,
    media: { type: 'image/svg+xml', isCompact: false },
    headers: ['Content-Security-Policy', "default-src 'none'"],
    identity: services.identify(payload),
  };
}

/** Widths of letters differ between fonts: the text is fitted to its box. */
const widthOf = (text: string): number => Math.round(text.length * 6.4);
const PADDING = 8;

function svg({ label, value, sign }: Badge): string {
  const [left, right] = [widthOf(label) + 2 * PADDING, widthOf(value) + 2 * PADDING];
  const part = (text: string, x: number) =>
    html`<text x="${x + PADDING}" y="14" textLength="${widthOf(text)}" lengthAdjust="spacingAndGlyphs">${text}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}"><title>${label}: ${value}</title><rect width="${left}" height="20" fill="#33373b"/><rect x="${left}" width="${right}" height="20" fill="${COLOURS[sign]}"/><g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">${part(label, 0)}${part(value, left)}</g></svg>
`.text;
}

/** Then the rows are those of an earlier version. */
const isHeld = (services: Services, dataset: string): boolean =>
  heldDataset(currentVersion(services).manifest, dataset) !== undefined;

const STATUS_SIGNS: Readonly<Record<(typeof SERVICE_STATUSES)[number], Badge['sign']>> = {
  ok: 'good',
  degraded: 'warn',
  unavailable: 'bad',
  empty: 'unknown',
  stopping: 'unknown',
};

export const getStatusBadge = badgeEndpoint('/badges/status.svg', 'The status of the service as a badge', {
  badge: (services) => {
    const { status } = verdictOf(services);
    return { label: 'risk data', value: status, sign: STATUS_SIGNS[status] };
  },
});

export const getCoverageBadge = badgeEndpoint(
  '/badges/coverage.svg',
  'How many feeds have a complete history, as a badge',
  {
    badge: (services) => {
      const label = 'coverage';
      const summary = services.versions.current?.dataset('manifest-summary');
      const document = summary?.documents.get('summary');
      if (summary === undefined || document === undefined) return unknown(label, 'not published');
      if (isHeld(services, 'manifest-summary')) return unknown(label, 'held back');
      if (services.freshness(summary.entry).status !== 'fresh') return unknown(label, 'late');
      const { complete, total } = (
        JSON.parse(document.toString()) as { feeds: { complete: number; total: number } }
      ).feeds;
      if (total === 0) return unknown(label, 'no feeds');
      return {
        label,
        value: `${complete} of ${total} feeds complete`,
        sign: complete === total ? 'good' : 'warn',
      };
    },
  },
);

const FRESHNESS_SIGNS: Readonly<Record<(typeof FRESHNESS_STATUSES)[number], Badge['sign']>> = {
  fresh: 'good',
  aging: 'warn',
  stale: 'bad',
  unknown: 'unknown',
};

export const getDatasetBadge = badgeEndpoint(
  '/badges/datasets/:file',
  'The freshness of a dataset as a badge',
  {
    name: ['Id of a dataset', 'pegs'],
    badge: (services, id) => {
      const { manifest } = currentVersion(services);
      const entry = Object.hasOwn(manifest.datasets, id) ? manifest.datasets[id] : undefined;
      if (entry === undefined && !isOfFamily(manifest, id))
        throw new Failure('not_found', `There is no dataset "${id}".`);
      if (isHeld(services, id)) return unknown(id, 'held back');
      if (entry === undefined) return unknown(id, 'not published');
      const { status } = services.freshness(entry);
      return { label: id, value: status === 'unknown' ? 'not known' : status, sign: FRESHNESS_SIGNS[status] };
    },
  },
);

interface Peg {
  readonly asset_name: string;
  readonly state: 'pegged' | 'disputed' | 'depegged' | 'unknown';
  readonly source_status: string;
  readonly deviation_bps: number | null;
}

const PEG_SIGNS = { pegged: 'good', disputed: 'warn', depegged: 'bad', unknown: 'unknown' } as const;

export const getPegBadge = badgeEndpoint(
  '/badges/pegs/:file',
  'The state of a peg, and its distance from the reference, as a badge',
  {
    name: ['Chain and name of a peg, separated by a dot', 'ethereum.USDC'],
    badge: (services, named) => {
      const dot = named.indexOf('.');
      const key = `${named.slice(0, dot).toLowerCase()}|${foldAddresses(named.slice(dot + 1))}`;
      const label = `${named.slice(dot + 1)} peg`;
      const dataset = currentVersion(services).dataset('pegs');
      const document = dataset?.documents.get(key);
      if (dataset === undefined || document === undefined) return missing(services, key, label);
      const { state, source_status, deviation_bps } = JSON.parse(document.toString()) as Peg;
      if (isHeld(services, 'pegs')) return unknown(label, 'held back');
      if (services.freshness(dataset.entry).status !== 'fresh') return unknown(label, 'late');
      if (source_status !== 'live') return unknown(label, 'no live source');
      if (state === 'unknown' || deviation_bps === null) return unknown(label, 'no price');
      return { label, value: `${state}, ${signed(deviation_bps)} bps`, sign: PEG_SIGNS[state] };
    },
  },
);

/** What is held back or not yet published exists: the badge says that it is not known. */
function missing(services: Services, key: string, label: string): Badge {
  const failure = missingDocument(servedVersion(services), 'pegs', key);
  if (failure.code === 'not_found')
    throw new Failure('not_found', 'There is no such peg; `GET /v2/pegs` lists them.');
  return unknown(label, failure.details?.['reason'] === 'held_back' ? 'held back' : 'not published');
}

const signed = (bps: number): string => `${bps < 0 ? '−' : '+'}${Math.abs(Math.round(bps * 10) / 10)}`;
