// Whether a version publishes what a condition is found from: the dataset of its subject, the row of the subject, and sources that cover the
// time of the version.
import { ownMember } from '../../platform/base/own-member.ts';
import type { UncomparedReason, UncomparedDataset } from '../../schemas/changes.ts';
import type { Condition } from '../../schemas/conditions.ts';
import { datasetsAsOf, type Manifest } from '../../snapshots/layout.ts';
import { familyOf, heldDataset, heldSubject } from '../../snapshots/verdict.ts';
import type { LoadedDataset, Services } from '../services.ts';
import type { ConditionSubject, ConditionsOfVersion, Doubt } from './condition-changes.ts';

export const CONDITIONS = 'conditions';

interface Input {
  readonly dataset: string;
  /** Of its document; null if only the dataset matters. */
  readonly key: string | null;
}

const DATASETS = ['pegs', 'feeds', 'lending-markets', 'vaults', 'oracle-paths', 'market-regime'] as const;

/** The documents from which a condition is found. */
function inputsOf({ type, subject_id, symbols }: ConditionSubject): readonly Input[] {
  const [kind, chain = '', ...rest] = subject_id.split(':');
  const id = rest.join(':');
  const peg = { dataset: 'pegs', key: `${chain}|${symbols[0] ?? ''}` };
  if (kind === 'dataset') return [{ dataset: subject_id.slice('dataset:'.length), key: null }];
  if (kind === 'peg') return [{ dataset: 'pegs', key: `${chain}|${id}` }];
  if (kind === 'oracle') return [{ dataset: 'feeds', key: `${chain}|${rest[0] ?? ''}` }];
  if (kind === 'liquidity') {
    const market = { dataset: 'lending-markets', key: `${chain}|${id}` };
    // Its value depends on the price of the collateral, too.
    return type === 'market.collateral_below_oracle' ? [market, peg] : [market];
  }
  // One assumption may stand behind many markets.
  if (kind === 'assumption') return [{ dataset: 'oracle-paths', key: null }];
  if (kind === 'vault' && id !== '') return [{ dataset: 'vaults', key: `${chain}|${id}` }];
  return [{ dataset: 'market-regime', key: chain }];
}

type Row = Readonly<Record<string, unknown>>;

/** Whether the sources of a row cover the time of its version. */
const IS_LIVE: Readonly<Record<string, (row: Row) => boolean>> = {
  pegs: ({ source_status }) => source_status === 'live',
  feeds: ({ status }) => status === 'fresh' || status === 'stale',
  'lending-markets': ({ state_status }) => state_status === 'fresh',
  vaults: ({ state_status }) => state_status === 'fresh',
  'market-regime': ({ current_regime }) => current_regime !== null,
};

/** The conditions of a version, and what it can say about those that it does not have. */
export async function conditionsAt(
  { versions }: Pick<Services, 'versions'>,
  manifest: Manifest,
): Promise<ConditionsOfVersion> {
  const list = await versions.datasetOf(CONDITIONS, manifest);
  const loaded = new Map<string, LoadedDataset | undefined>();
  for (const id of DATASETS) loaded.set(id, await versions.datasetOf(id, manifest));
  const isOwn = list !== undefined && heldDataset(manifest, CONDITIONS) === undefined;
  return {
    conditions: isOwn ? conditionsIn(list) : null,
    asOf: Date.parse(datasetsAsOf(manifest)) / 1000,
    doubtOf: (condition) => {
      if (heldSubject(manifest, CONDITIONS, condition.subject_id.split(':').slice(1)) !== undefined)
        return { reason: 'held_back', dataset: CONDITIONS };
      for (const input of inputsOf(condition)) {
        const reason = problemOf(manifest, input, loaded.get(input.dataset));
        if (reason !== undefined) return { reason, dataset: input.dataset } satisfies Doubt;
      }
      return undefined;
    },
  };
}

function problemOf(
  manifest: Manifest,
  { dataset, key }: Input,
  loaded: LoadedDataset | undefined,
): UncomparedReason | undefined {
  const whole = problemOfDataset(manifest, dataset);
  // A dataset that is held back is itself a condition.
  if (key === null) return whole?.reason === 'held_back' ? undefined : whole?.reason;
  if (whole !== undefined) return whole.reason;
  if (heldSubject(manifest, dataset, key.split('|')) !== undefined) return 'held_back';
  const document = loaded?.documents.get(key);
  if (document === undefined) return 'no_row';
  const value = JSON.parse(document.toString()) as Row | readonly Row[];
  const row = Array.isArray(value) ? (value as readonly Row[])[0] : (value as Row);
  return row !== undefined && ownMember(IS_LIVE, dataset)?.(row) === true ? undefined : 'not_live';
}

function problemOfDataset(manifest: Manifest, dataset: string) {
  const held = heldDataset(manifest, dataset);
  if (held !== undefined) return { reason: 'held_back' as const, message: held.message };
  if (!Object.hasOwn(manifest.datasets, dataset))
    return { reason: 'not_published' as const, message: `This version has no ${dataset}.` };
  const family = familyOf(manifest, dataset);
  if (family?.state === 'unknown') return { reason: 'not_read' as const, message: family.message };
  return undefined;
}

/** The datasets of conditions that a version cannot compare. */
export const uncomparedIn = (
  manifest: Manifest,
  moment: UncomparedDataset['moment'],
): readonly UncomparedDataset[] =>
  [CONDITIONS, ...DATASETS].flatMap((dataset) => {
    const problem = problemOfDataset(manifest, dataset);
    return problem === undefined ? [] : [{ moment, dataset, ...problem }];
  });

/** Versions of earlier programs state neither reach nor the multiple of the threshold. */
export const completed = (condition: Condition): Condition => ({
  ...{ band_multiple: null, reach: null },
  ...condition,
});

export const parsedCondition = (text: string): Condition => completed(JSON.parse(text) as Condition);

const conditionsIn = ({ documents }: LoadedDataset): ReadonlyMap<string, Condition> =>
  new Map([...documents.keys()].map((key) => [key, parsedCondition(documents.get(key)?.toString() ?? '{}')]));
