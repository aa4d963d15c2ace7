// Vaults: the list, one vault, its history and holdings, and delayed changes.
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { Nullable, Strict, Type } from '../../schemas/define.ts';
import { unmatchedSchema, V2Document } from '../../schemas/envelopes.ts';
import { EXIT_UNITS, VaultExitSchema } from '../../schemas/vault-exit.ts';
import { VaultHoldingsSchema } from '../../schemas/vault-holdings.ts';
import { MAX_SET_VAULTS, VaultSetExitSchema } from '../../schemas/vault-set-exit.ts';
import { VaultTotalsSchema } from '../../schemas/vault-totals.ts';
import { VAULT_NUMBERS, VAULT_SERIES, VaultChangeSchema, VaultSchema } from '../../schemas/vaults.ts';
import { HOLDINGS } from '../analytics/published-vaults.ts';
import { vaultExitReply } from '../analytics/vault-exit.ts';
import { vaultSetExitReply } from '../analytics/vault-set-exit.ts';
import { vaultTotalsReply } from '../analytics/vault-totals.ts';
import { filterParameters, filtersIn, listEndpoint } from '../data/paging/list-endpoint.ts';
import { unmatchedIn } from '../data/paging/list-page.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { unmatchedMember } from '../define/filter-values.ts';
import type { AnyOf } from '../data/paging/selection.ts';
import { type Fields, facetOf, filteredBy, type ListShape } from '../define/list-shape.ts';
import { currentVersion, missingDocument, servedVersion } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import { DOUBT_DATASETS } from '../analytics/oracle-doubts.ts';
import { aboutDocumentReply, documentKeys } from '../replies/document-reply.ts';
import { seriesEndpoint } from '../series/series-endpoint.ts';
import type { Services } from '../services.ts';

const VAULT = Strict({
  chain: Type.String({ description: 'Chain name, lower case', examples: ['ethereum'] }),
  address: Type.String({
    description: 'Address of the vault',
    examples: ['0xf42042a9b5d149c0662fb60147aaef7f81a5ae0e'],
  }),
});
const SEPARATOR = '|';
const addressIn = ({ address = '' }: Readonly<Record<string, string>>): string => foldAddresses(address);
const keyOf = (params: Readonly<Record<string, string>>) =>
  `${params['chain']}${SEPARATOR}${addressIn(params)}`;
function paramsOf(key: string): { readonly chain: string; readonly address: string } {
  const at = key.indexOf(SEPARATOR);
  return { chain: key.slice(0, at), address: key.slice(at + SEPARATOR.length) };
}

const LIST = filteredBy(VAULT_SERIES.dataset, 'chain', 'kind', 'protocol', 'has_metadata', 'state_status');

/** What selects vaults, for the list and for figures of all that it selects. */
const SELECTION = {
  shape: {
    ...LIST,
    facets: {
      ...LIST.facets,
      vault: ({ chain, vault_address: address }: Fields) => [
        `${address}`.toLowerCase(),
        `${chain}:${address}`.toLowerCase(),
      ],
      asset: facetOf('asset_symbol', 'asset_address'),
      curator: facetOf('curator', 'curator_address'),
      has_pending: ({ pending_changes: count }: Fields) => [
        count === null ? 'unknown' : String(Number(count) > 0),
      ],
    },
    numbers: VAULT_NUMBERS,
  },
  filters: {
    vault: 'addresses of vaults, or `<chain>:<address>`',
    chain: 'chains',
    kind: 'kinds of contract',
    protocol: 'protocols',
    asset: 'symbols or addresses of the asset',
    curator: 'ids or addresses of curators',
    has_metadata: '`true` for vaults of a registry and `false` for those of none',
    state_status: 'freshness of the newest state',
    has_pending:
      '`true` for vaults with delayed changes without an end, `false`, and `unknown` for vaults whose logs were not read',
  },
  values: { has_pending: ['true', 'false', 'unknown'] },
  row: VaultSchema,
  minimums: {
    min_assets_usd: { field: 'total_assets_usd', description: 'Keep vaults with at least these assets, USD' },
  },
};

export const listVaults = listEndpoint({
  tag: TAGS.vaults,
  path: '/v2/vaults',
  summary: 'Vaults: share prices and what backs them, what can be withdrawn, flags',
  access: 'open',
  ...SELECTION,
  sorts: VAULT_NUMBERS,
  sortRule: {
    ...{ facet: 'has_metadata', value: 'false', ranked: 'true', askedBy: ['has_metadata', 'vault'] },
    member: 'unregistered_left_out',
    description:
      'With `sort`: vaults of no registry, which pass the filters and are left out, because their figures are what their contracts say; `has_metadata=true,false` lists them among the others, `has_metadata=false` alone',
  },
});

export const getVaultTotals = defineEndpoint({
  method: 'GET',
  tag: TAGS.vaults,
  path: '/v2/vaults/totals',
  summary:
    'Figures of a set of vaults: total assets and what could be withdrawn from all of them, with vaults inside others and the cash of each market once',
  list: SELECTION.shape,
  datasets: [VAULT_SERIES.dataset],
  alsoReads: [HOLDINGS],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict(filterParameters(SELECTION)),
  response: V2Document(VaultTotalsSchema, { unmatched: unmatchedSchema }),
  errors: ['invalid_request', 'validation_failed', 'unavailable', 'internal_error'],
  async handle({ query }, services) {
    const { open, ...selection } = filtersIn(query, SELECTION);
    const { shape } = SELECTION;
    const { version, ...loaded } = currentVersion(services);
    const list = loaded.list(shape.dataset);
    const unmatched = list === undefined ? [] : await unmatchedIn(services, { list, version }, open);
    return { ...vaultTotalsReply(services, { selection, shape }), meta: unmatchedMember(unmatched) };
  },
  mirror: ({ versions }) => (versions.current?.list(VAULT_SERIES.dataset) === undefined ? [] : [{}]),
});

const single = {
  method: 'GET',
  tag: TAGS.vaults,
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: VAULT,
  query: Strict({}),
  errors: ['invalid_request', 'not_found', 'unavailable', 'internal_error'],
} as const;

export const getVault = defineEndpoint({
  ...single,
  path: '/v2/vaults/:chain/:address',
  summary: 'One vault: share prices, withdrawals, flags',
  datasets: [VAULT_SERIES.dataset],
  response: V2Document(VaultSchema),
  handle: ({ params }, services) => aboutDocumentReply(services, VAULT_SERIES.dataset, keyOf(params)),
  *prepare(services) {
    for (const key of documentKeys(services, VAULT_SERIES.dataset)) yield paramsOf(key);
  },
});

export const getVaultHoldings = defineEndpoint({
  ...single,
  path: '/v2/vaults/:chain/:address/holdings',
  summary: 'What a vault holds, and what that ultimately rests on',
  datasets: [HOLDINGS],
  alsoReads: [VAULT_SERIES.dataset],
  response: V2Document(VaultHoldingsSchema),
  handle: ({ params }, services) => aboutDocumentReply(services, HOLDINGS, keyOf(params)),
  *prepare(services) {
    for (const key of documentKeys(services, HOLDINGS)) yield paramsOf(key);
  },
});

const ExitUnitParameter = Type.Optional(
  Type.Enum([...EXIT_UNITS], {
    default: 'shares',
    description:
      'Unit of amounts: whole shares, units of the asset as the contract quotes them, or US dollars',
  }),
);

export const getVaultExit = defineEndpoint({
  ...single,
  tag: TAGS.simulations,
  path: '/v2/vaults/:chain/:address/exit',
  summary:
    'Exit of one holder from a vault: what leaves at once, what waits and for what, what the shares are worth, and what is in doubt',
  datasets: [VAULT_SERIES.dataset],
  alsoReads: [HOLDINGS, ...DOUBT_DATASETS],
  query: Strict({
    amount: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e30,
        description: 'Size of the position, at most all of the vault; without it, all of the vault',
      }),
    ),
    unit: ExitUnitParameter,
  }),
  response: V2Document(VaultExitSchema),
  errors: ['invalid_request', 'validation_failed', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ params, query }, services) =>
    vaultExitReply(services, {
      key: keyOf(params),
      amount: query.amount === undefined ? null : { unit: query.unit ?? 'shares', value: query.amount },
    }),
});

export const getVaultSetExit = defineEndpoint({
  method: 'GET',
  tag: TAGS.simulations,
  path: '/v2/vaults/exit',
  operation: 'getVaultSetExit',
  summary:
    'Exit of one holder from several vaults: what leaves each alone and all together, with the cash of each market once, and which markets limit it',
  datasets: [VAULT_SERIES.dataset],
  alsoReads: [HOLDINGS],
  access: 'open',
  isBrowsed: true,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    vault: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: `Comma-separated positions, at most ${MAX_SET_VAULTS}, each vault once: \`<chain>:<address>:<amount>\`, or \`<chain>:<address>\` for all of a vault`,
      examples: [
        'ethereum:0x6985b69da523dc91425740561faa964ee108c414,ethereum:0xf42042a9b5d149c0662fb60147aaef7f81a5ae0e',
      ],
    }),
    unit: ExitUnitParameter,
  }),
  response: V2Document(VaultSetExitSchema),
  errors: ['invalid_request', 'validation_failed', 'not_found', 'unavailable', 'internal_error'],
  handle: ({ query }, services) => vaultSetExitReply(services, query),
});

const CHANGES: ListShape = {
  ...filteredBy('vault-changes', 'chain', 'vault_address', 'protocol', 'status', 'severity', 'change'),
  numbers: ['submitted_at', 'executable_at'],
};
const CHANGE_FILTERS = {
  status: '`pending`, `executable`, `blocked`, `executed` and `revoked`',
  severity: 'severities',
  change: 'kinds of change',
};

/** What selects vaults, of what selects changes. */
const VAULT_FACETS: Readonly<Record<string, string>> = {
  chain: 'chain',
  protocol: 'protocol',
  vault_address: 'vault',
};

/** An empty list of changes would otherwise look like one of vaults without any. */
const UNREAD_VAULTS = {
  members: {
    vaults_unknown: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'Vaults of the same chain, protocol or address whose delayed changes are not known, so that the list may lack some; null if the vaults themselves are not known',
      }),
    ),
  },
  async of(
    { versions }: Services,
    { version, selected }: { readonly version: string; readonly selected: readonly AnyOf[] },
  ) {
    const list = await versions.listOf(VAULT_SERIES.dataset, version);
    const any = selected.flatMap(({ facet, values }) => {
      const own = VAULT_FACETS[facet];
      return own === undefined ? [] : [{ facet: own, values }];
    });
    const unknown = { facet: 'has_pending', values: ['unknown'] };
    return { vaults_unknown: list?.table.page({ any: [...any, unknown], between: [] }, 0, 1).total ?? null };
  },
};

export const listVaultChanges = listEndpoint({
  tag: TAGS.vaults,
  path: '/v2/vaults/changes',
  summary: 'Delayed changes of all vaults: what they do, and from which second they may be executed',
  access: 'open',
  shape: CHANGES,
  filters: { chain: 'chains', protocol: 'protocols', ...CHANGE_FILTERS },
  sorts: CHANGES.numbers,
  row: VaultChangeSchema,
  lacks: UNREAD_VAULTS,
});

export const getVaultChanges = listEndpoint({
  tag: TAGS.vaults,
  path: '/v2/vaults/:chain/:address/changes',
  summary: 'Delayed changes of one vault',
  operation: 'getVaultChanges',
  access: 'open',
  shape: CHANGES,
  filters: CHANGE_FILTERS,
  sorts: CHANGES.numbers,
  row: VaultChangeSchema,
  lacks: UNREAD_VAULTS,
  params: VAULT,
  selected: changesOf,
  *mirror(services) {
    for (const key of documentKeys(services, VAULT_SERIES.dataset)) yield paramsOf(key);
  },
});

/** A known vault without changes has an empty list; an unknown one is not found. */
function changesOf(services: Services, params: Readonly<Record<string, string>>) {
  const version = servedVersion(services);
  const isKnown =
    services.versions.current?.dataset(VAULT_SERIES.dataset)?.documents.get(keyOf(params)) !== undefined;
  if (!isKnown) throw missingDocument(version, VAULT_SERIES.dataset, keyOf(params));
  return [
    { facet: 'chain', values: [params['chain'] ?? ''] },
    { facet: 'vault_address', values: [addressIn(params)] },
  ];
}

export const getVaultHistory = seriesEndpoint({
  tag: TAGS.vaults,
  path: '/v2/vaults/:chain/:address/history',
  summary: 'Share prices, assets and liquidity of a vault over time',
  access: 'open',
  rawAccess: { plan: 'free', scope: 'data:read' },
  definitions: [VAULT_SERIES],
  params: VAULT,
  keyOf,
  paramsOf,
});
