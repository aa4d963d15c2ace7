// One reading of vaults at one block, in rounds: what each vault accounts for and holds, the markets behind it, then its figures, which some
// vaults a reading confirm by asking the contract itself.
import { type Ask, askEach, question } from '../contract-call.ts';
import { readBooked } from './booked-vaults.ts';
import { type AdapterKind, readLimited } from './limited-vaults.ts';
import { readMarketStates } from './market-state.ts';
import { readPlain, readYearn } from './other-vaults.ts';
import { readPending } from './pending-getters.ts';
import { assetsFor, type VaultFacts } from './share-value.ts';
import { readSubmitted, type SubmitLogs, type SubmittedCalls } from './submitted-calls.ts';
import { readLimits } from './vault-caps.ts';
import { type MorphoContracts, recogniseVaults, UNKNOWN_VAULT, VAULT_ABI } from './vault-kinds.ts';
import { positionRows, unknownVaultRow, vaultStateRow } from './vault-rows.ts';
import {
  type DraftResult,
  figuresOf,
  holdingKey,
  type Limits,
  type VaultDraft,
  type VaultEntry,
  type VaultFigures,
} from './vault-totals.ts';

/** Incremented when what the state holds is read in another way. */
const STATE_VERSION = 2;
const RECOGNISED_FOR_S = 86_400;
/** A day has 24 turns at four readings an hour: each vault is confirmed, and its caps are read again, four times a day. */
const TURNS = 24;
const TURN_S = 900;
/** The heaviest calls: a vault adds up all its markets. */
const HEAVY_BATCH = 20;

/** What the next reading continues from; a JSON value. */
export interface VaultsState {
  readonly version: number;
  /** Unix seconds. */
  readonly recognised_at: number;
  readonly vaults: { readonly [vault: string]: VaultFacts };
  readonly adapters: { readonly [adapter: string]: AdapterKind };
  readonly limits: { readonly [holding: string]: Limits };
  readonly submitted?: SubmittedCalls;
}

export interface VaultsTask {
  readonly morpho: string;
  readonly vaults: readonly string[];
  /** Contracts whose word on a vault decides what it is. */
  readonly factories: readonly string[];
  /** Whoever may move assets between markets in the name of anyone; null if it is not known. */
  readonly allocator: string | null;
  readonly submits: { readonly logs: SubmitLogs; readonly since: number };
  readonly before: VaultsState | null;
  readonly head: { readonly number: number; readonly timestamp: number };
  /** Name of the chain in rows. */
  readonly chain: string;
}

export interface VaultsReading {
  readonly rows: { readonly vault_state: readonly object[]; readonly vault_position: readonly object[] };
  readonly missing: readonly { readonly id: string; readonly why: string }[];
  readonly state: VaultsState;
}

export async function readVaultStates(ask: Ask, task: VaultsTask): Promise<VaultsReading> {
  const { morpho, head, factories, allocator } = task;
  const before = task.before?.version === STATE_VERSION ? task.before : null;
  const isDue = before === null || head.timestamp >= before.recognised_at + RECOGNISED_FOR_S;
  const facts = new Map(Object.entries(isDue ? {} : before.vaults));
  await recognise(ask, { vaults: task.vaults, morpho, factories, facts });
  const drafts = await readDrafts(ask, { morpho, factories, facts, adapters: before?.adapters ?? {} });
  const now = BigInt(head.timestamp);
  const ids = [...new Set([...drafts.found.values()].flatMap(marketsOf))];
  const states = await readMarketStates(ask, { morpho, ids, now });
  const markets = new Map(states.markets.map((market) => [market.id, market]));
  const figures = figuresOf({ drafts: drafts.found, markets, now });
  // A vault that is new, or of another kind than before, does not wait for its turn.
  const isTurn = (vault: string) =>
    before?.vaults[vault]?.kind !== facts.get(vault)?.kind ||
    turnOf(vault) === Math.floor(head.timestamp / TURN_S) % TURNS;
  const refuted = await refutedBy(ask, [...figures.values()], isTurn);
  const due = [...drafts.found.values()].filter(
    ({ vault, holdings }) =>
      isTurn(vault) || holdings.some((one) => before?.limits[holdingKey(vault, one)] === undefined),
  );
  const limits = { ...before?.limits, ...(await readLimits(ask, due, { markets, allocator })) };
  const pending = await readWaiting(ask, task, { due, before, contracts: drafts.contracts });
  const tokens = await tokensIn(ask, morpho, new Set(states.markets.map(({ loan }) => loan)));
  const missing = new Map([...drafts.missing, ...refuted]);
  const sources = { markets, tokens, limits };
  const rows = rowsOf(task, { facts, figures, missing, pending: pending.byVault, sources });
  return {
    rows,
    missing: [...[...missing].map(([id, why]) => ({ id, why })), ...pending.missing],
    state: {
      version: STATE_VERSION,
      recognised_at: isDue ? head.timestamp : before.recognised_at,
      vaults: Object.fromEntries(facts),
      adapters: Object.fromEntries(drafts.adapters),
      limits: present(limits, drafts.found),
      submitted: pending.submitted,
    },
  };
}

/** What waits for its timelock, of the vaults whose turn it is. */
async function readWaiting(
  ask: Ask,
  { submits, head }: VaultsTask,
  {
    due,
    before,
    contracts,
  }: {
    readonly due: readonly VaultDraft[];
    readonly before: VaultsState | null;
    readonly contracts: Drafts['contracts'];
  },
) {
  const reading = await readSubmitted({
    ...{ ...submits, head: head.number, before: before?.submitted ?? {}, contracts },
    due: new Set(due.map(({ vault }) => vault)),
  });
  const missing = reading.unread === null ? [] : [{ id: 'calls submitted to vaults', why: reading.unread }];
  return { ...(await readPending(ask, due, reading)), missing };
}

/** Adds the facts of vaults that are not known yet. */
async function recognise(
  ask: Ask,
  {
    vaults,
    facts,
    ...known
  }: MorphoContracts & { readonly vaults: readonly string[]; readonly facts: Map<string, VaultFacts> },
): Promise<void> {
  const fresh = vaults.filter((vault) => !facts.has(vault));
  for (const [vault, found] of await recogniseVaults(ask, fresh, known)) facts.set(vault, found);
}

interface Drafts {
  readonly found: ReadonlyMap<string, VaultDraft>;
  readonly missing: ReadonlyMap<string, string>;
  readonly adapters: ReadonlyMap<string, AdapterKind>;
  /** Version 2 vaults with their adapters. */
  readonly contracts: ReadonlyMap<string, readonly string[]>;
}

/** Version 2 first: the vaults that its adapters hold are read with the others. */
async function readDrafts(
  ask: Ask,
  {
    morpho,
    factories,
    facts,
    adapters,
  }: MorphoContracts & {
    readonly facts: Map<string, VaultFacts>;
    readonly adapters: VaultsState['adapters'];
  },
): Promise<Drafts> {
  const ofKind = (...kinds: readonly string[]): VaultEntry[] =>
    [...facts].filter(([, { kind }]) => kinds.includes(kind)).map(([vault, own]) => ({ vault, facts: own }));
  const known = new Map(Object.entries(adapters));
  const seconds = ofKind('morpho_v2');
  const limited = await readLimited(ask, seconds, { morpho, known });
  const held = [...limited.adapters.values()].flatMap((one) => (one.kind === 'vault' ? [one.held] : []));
  await recognise(ask, { vaults: [...new Set(held)], morpho, factories, facts });
  const results: DraftResult[] = [
    ...limited.results,
    ...(await readBooked(ask, ofKind('morpho_v1_0', 'morpho_v1_1', 'euler_earn'), morpho)),
    ...(await readYearn(ask, ofKind('yearn_v3'))),
    ...(await readPlain(ask, ofKind('erc4626'))),
  ];
  return {
    found: new Map(results.flatMap((one) => ('why' in one ? [] : [[one.vault, one] as const]))),
    missing: new Map(results.flatMap((one) => ('why' in one ? [[one.vault, one.why] as const] : []))),
    adapters: limited.adapters,
    contracts: new Map(seconds.map(({ vault }) => [vault, limited.byVault.get(vault) ?? []])),
  };
}

const marketsOf = ({ holdings }: VaultDraft): string[] =>
  holdings.flatMap(({ kind, held }) => (kind === 'market' ? [held] : []));

const turnOf = (vault: string): number => Number.parseInt(vault.slice(-4), 16) % TURNS;

/** Vaults whose contract states other totals than those computed, among those whose turn it is. */
async function refutedBy(
  ask: Ask,
  figures: readonly (VaultFigures | string)[],
  isTurn: (vault: string) => boolean,
): Promise<[string, string][]> {
  const due = figures.filter((one) => typeof one !== 'string').filter(({ draft }) => isTurn(draft.vault));
  const answers = await askEach(
    ask,
    due,
    ({ draft: { vault, facts } }) => ({
      assets: question(VAULT_ABI.totalAssets, vault),
      converted: question(VAULT_ABI.convertToAssets, vault, { shares: 10n ** BigInt(facts.shareDecimals) }),
    }),
    { batch: HEAVY_BATCH },
  );
  return answers.flatMap(
    ({ item: { draft, quoted }, answers: { assets, converted } }): [string, string][] => {
      const expected = assetsFor(10n ** BigInt(draft.facts.shareDecimals), quoted);
      if (assets !== quoted.assets)
        return [[draft.vault, `it states total assets of ${assets}, its positions give ${quoted.assets}`]];
      const isPlain = draft.facts.kind === 'erc4626';
      if (!isPlain && converted !== expected)
        return [[draft.vault, `it converts a share to ${converted}, its totals give ${expected}`]];
      return [];
    },
  );
}

async function tokensIn(
  ask: Ask,
  morpho: string,
  loans: ReadonlySet<string>,
): Promise<ReadonlyMap<string, bigint>> {
  const balances = await askEach(ask, [...loans], (loan) => ({
    balance: question(VAULT_ABI.balanceOf, loan, { account: morpho }),
  }));
  return new Map(
    balances.flatMap(({ item, answers: { balance } }) =>
      balance === null ? [] : [[item, balance] as const],
    ),
  );
}

interface RowSources {
  readonly facts: ReadonlyMap<string, VaultFacts>;
  readonly figures: ReadonlyMap<string, VaultFigures | string>;
  /** Gains the vaults without figures. */
  readonly missing: Map<string, string>;
  /** What waits for its timelock, of the vaults that were asked. */
  readonly pending: ReadonlyMap<string, string>;
  readonly sources: Parameters<typeof positionRows>[2];
}

function rowsOf(
  { chain, head }: VaultsTask,
  { facts, figures, missing, pending, sources }: RowSources,
): VaultsReading['rows'] {
  const at = { chain, observed_at: head.timestamp, block_number: head.number };
  const unknown = [...facts].filter(([, { kind }]) => kind === UNKNOWN_VAULT.kind).map(([vault]) => vault);
  const complete: VaultFigures[] = [];
  for (const [vault, one] of figures) {
    if (typeof one === 'string') missing.set(vault, one);
    else if (!missing.has(vault)) complete.push(one);
  }
  return {
    vault_state: [
      ...complete.map((one) => ({
        ...vaultStateRow(at, one),
        pending_getters: pending.get(one.draft.vault) ?? null,
      })),
      ...unknown.map((vault) => unknownVaultRow(at, vault)),
    ],
    vault_position: complete.flatMap((one) => positionRows(at, one, sources)),
  };
}

/** Limits of what is still held. */
function present(
  limits: VaultsState['limits'],
  drafts: ReadonlyMap<string, VaultDraft>,
): VaultsState['limits'] {
  const keys = new Set(
    [...drafts.values()].flatMap(({ vault, holdings }) => holdings.map((one) => holdingKey(vault, one))),
  );
  return Object.fromEntries(Object.entries(limits).filter(([key]) => keys.has(key)));
}
