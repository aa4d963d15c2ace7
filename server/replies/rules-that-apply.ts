// The rules that concern an event. Where a policy has one rule per kind of peg, source or chain, selects those of the event.
import type { RiskEvent } from '../../schemas/event.ts';

type About = Pick<RiskEvent, 'chain' | 'data'>;

/** Rules named `<prefix><member>.…`, and the members of an event. */
const GROUPS: readonly { readonly prefix: string; readonly members: (event: About) => readonly unknown[] }[] =
  [
    { prefix: 'peg.bands.', members: ({ data }) => [data['peg_kind']] },
    { prefix: 'peg.weights.', members: ({ data }) => sourceKinds(data['sources']) },
    { prefix: 'lending.finality.', members: ({ chain, data }) => [chain ?? data['chain']] },
  ];

/** Applies if the policy has nothing for the chain itself. */
const DEFAULT_FINALITY = 'lending.default_finality.';

const sourceKinds = (sources: unknown): readonly unknown[] =>
  Array.isArray(sources)
    ? sources.map((source: { source_kind?: unknown } | null) => source?.source_kind)
    : [];

/** Rules of single assets are named by their symbols; an asset that is not named has none of its own. */
function isOfAsset(name: string, { data }: About): boolean {
  const [, asset] = /^peg\.assets\.([^.]+)\./.exec(name) ?? [];
  const symbol = data['asset_symbol'];
  return asset === undefined || typeof symbol !== 'string' || asset.split('-').includes(symbol);
}

/** If the policy has none of the event's members, the whole group is kept, because it is unknown which rule applied. */
export function rulesThatApply<T extends { readonly name: string }>(
  event: About,
  rules: readonly T[],
): readonly T[] {
  const kept = GROUPS.reduce((left, { prefix, members }) => {
    const own = members(event).filter((one) => typeof one === 'string');
    const isOwn = ({ name }: T) =>
      own.some((member) => name.startsWith(`${prefix}${member}.`) || name === prefix + member);
    return left.some(isOwn) ? left.filter((rule) => !rule.name.startsWith(prefix) || isOwn(rule)) : left;
  }, rules);
  const chain = event.chain ?? event.data['chain'];
  const hasOwnFinality = kept.some(({ name }) => name.startsWith(`lending.finality.${chain}.`));
  return kept
    .filter(({ name }) => isOfAsset(name, event))
    .filter(({ name }) =>
      hasOwnFinality
        ? !name.startsWith(DEFAULT_FINALITY)
        : !(
            name.startsWith('lending.finality.') && kept.some((one) => one.name.startsWith(DEFAULT_FINALITY))
          ),
    );
}
