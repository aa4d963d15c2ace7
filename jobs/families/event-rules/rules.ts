// The policy values that apply to each event type, as a table, so the published values are those in force. The detectors of the domains
// name the values.
import type { RuleRole } from '../../../schemas/event-rules.ts';
import type { Detector } from '../../define/detector.ts';
import type { Domain } from '../../define/domain.ts';
import { definePolicyTable, type PolicyTable, type PolicyValues } from '../../define/policy/define.ts';

/** Units by the suffix of a name; a domain can add its own. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_bps$/, 'bps'],
  [/_s$/, 'seconds'],
  [/_hours$/, 'hours'],
  [/_days$/, 'days'],
  [/_usd$/, 'USD'],
  [/_blocks$/, 'blocks'],
  [/_z$/, 'robust z'],
  [/\.is_[a-z_]+$/, 'flag'],
  [/(_fraction|_change|confidence)$/, 'fraction'],
];

type Family = Pick<Domain, 'detectors'>;

interface NamedValue {
  readonly name: string;
  readonly value: number;
}

export const eventRuleTable = (families: readonly Family[]): PolicyTable => {
  const detectors = families.flatMap((family) => family.detectors);
  return definePolicyTable({
    name: 'event_rule',
    columns: {
      type: 'VARCHAR',
      place: 'BIGINT',
      role: 'VARCHAR',
      name: 'VARCHAR',
      value: 'DOUBLE',
      unit: 'VARCHAR',
      policy_version: 'VARCHAR',
    },
    rows: (policy) =>
      detectors.flatMap((detector) =>
        rulesOf(detector, policy).map(([role, { name, value }], index) => ({
          type: detector.type,
          place: index + 1,
          role,
          name,
          value,
          unit: unitOf(name, detector),
          policy_version: policy.policy_version,
        })),
      ),
  });
};

function rulesOf(
  { type, rules = {} }: Detector,
  policy: PolicyValues,
): readonly (readonly [RuleRole, NamedValue])[] {
  const { threshold = [], confirmation = [] } = rules;
  const valuesOf = (role: RuleRole, names: readonly string[]) =>
    names.flatMap((name) => valuesAt(policy, name)).map((named) => [role, named] as const);
  const cooldown = { name: `storm.cooldown_s.${type}`, value: cooldownOf(type, policy) };
  return [
    ...valuesOf('threshold', threshold),
    ...valuesOf('confirmation', confirmation),
    ['cooldown', cooldown],
  ];
}

/** Names of the policy values that govern an event type and can be set by name; entries of lists cannot. */
export const settableNames = (detector: Detector, policy: PolicyValues): readonly string[] =>
  rulesOf(detector, policy).flatMap(([role, { name }]) =>
    role === 'cooldown' || /\.assets\b|\.markets\b/.test(name) ? [] : [name],
  );

/** 0 if the type has no cooldown, and for every type if the guard is off. */
function cooldownOf(type: string, policy: PolicyValues): number {
  const [isEnabled] = valuesAt(policy, 'storm.is_enabled');
  const wanted = `storm.cooldown_s.${type}`;
  const cooldown = valuesAt(policy, 'storm.cooldown_s').find(({ name }) => name === wanted);
  return isEnabled?.value === 1 ? (cooldown?.value ?? 0) : 0;
}

const unitOf = (name: string, { rules }: Detector): string | null => {
  if (name.startsWith('storm.cooldown_s.')) return 'seconds';
  return [...UNITS, ...(rules?.units ?? [])].find(([pattern]) => pattern.test(name))?.[1] ?? null;
};

/** All numbers and flags under a dotted name. @throws Error when the policy has no such name. */
function valuesAt(policy: PolicyValues, wanted: string): readonly NamedValue[] {
  const found = walk(policy, wanted.split('.'), '');
  if (found === undefined) throw new Error(`The policy has no ${wanted}.`);
  return found;
}

/** Undefined when part of the path is missing. */
function walk(value: unknown, path: readonly string[], name: string): readonly NamedValue[] | undefined {
  const [next, ...rest] = path;
  if (next === undefined) return leaves(value, name);
  if (typeof value !== 'object' || value === null) return undefined;
  if (next === '*')
    return children(value).flatMap(([key, child]) => walk(child, rest, `${name}.${key}`) ?? []);
  const child = children(value).find(([key]) => key === next);
  return child === undefined ? undefined : walk(child[1], rest, `${name}.${next}`);
}

function leaves(value: unknown, name: string): readonly NamedValue[] {
  if (typeof value === 'number') return [{ name: name.slice(1), value }];
  if (typeof value === 'boolean') return [{ name: name.slice(1), value: Number(value) }];
  if (typeof value !== 'object' || value === null) return [];
  return children(value).flatMap(([key, child]) => leaves(child, `${name}.${key}`));
}

/** Entries of a list are named by their members, not by their position. */
const children = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value) ? value.map((entry) => [entryName(entry), entry]) : Object.entries(value);

const NAMES = ['chain', 'market_id', 'asset_id', 'feed_address', 'symbol', 'quote'];
const entryName = (entry: Readonly<Record<string, unknown>>): string =>
  NAMES.flatMap((name) => entry[name] ?? []).join('-');
