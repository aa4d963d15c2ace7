// The policy in force: the defaults with the configuration's `policy` section merged over them. Wrong values are reported all at
// once, and an override always shows in the published policy version.
import { lendingContradictions } from './lending-policy.ts';
import { wrongOverall } from './overall-policy.ts';
import { type AssetName, assetName, pegContradictions } from './peg-contradictions.ts';
import { DEFAULT_POLICY, type Policy } from './policy.ts';
import { problemsOfShape } from './policy-section.ts';
import { SettingsError, type SettingsProblem, written } from './settings-error.ts';
import { wrongYields } from './yields-policy.ts';

/** @throws SettingsError that lists every wrong value of the section. */
export function loadPolicy(section: unknown): Policy {
  if (section === undefined) return DEFAULT_POLICY;
  const shape = problemsOfShape(section);
  if (shape.length > 0) throw new SettingsError(shape);
  const policy = merge(DEFAULT_POLICY, section, '') as Policy;
  const problems = [
    ...repeated(section),
    ...pegContradictions(policy.peg).map(([where, given, expected]) => problem(where, given, expected)),
    ...wrongTimes(policy),
    ...lendingContradictions(policy.lending).map(([where, given, expected]) =>
      problem(where, given, expected),
    ),
    ...wrongYields(policy.yields).map(({ where, given, expected }) => problem(where, given, expected)),
    ...wrongOverall(policy.overall).map(([where, given, expected]) => problem(where, given, expected)),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return deepFreeze({ ...policy, policy_version: truthfulVersion(policy) });
}

type Named = Readonly<Record<string, unknown>>;

/** Lists whose entries are found again by name; every other list is replaced as a whole. */
const NAMED_LISTS: ReadonlyMap<string, (entry: Named) => string> = new Map([
  ['.peg.assets', (entry: Named) => assetName(entry as Named & AssetName)],
  ['.peg.sources', (entry: Named) => `${entry['chain']}|${entry['feed_address']}`],
  ['.market_hours', (entry: Named) => String(entry['name'])],
  ['.lending.markets', (entry: Named) => `${entry['chain']}|${entry['market_id']}`],
  ['.lending.finality', (entry: Named) => String(entry['chain'])],
  ['.layer2.facts', (entry: Named) => `${entry['network']}.${entry['fact']}`],
  ['.social.protocols', (entry: Named) => String(entry['protocol_id'])],
  ['.yields.asset.assets', (entry: Named) => String(entry['symbol'])],
]);

function merge(base: unknown, over: unknown, path: string): unknown {
  const nameOf = NAMED_LISTS.get(path);
  if (nameOf !== undefined) return mergeNamed(base as readonly Named[], over as readonly Named[], nameOf);
  if (!isRecord(base) || !isRecord(over)) return over;
  const changed = Object.entries(over).map(([key, value]) => [
    key,
    merge(base[key], value, `${path}.${key}`),
  ]);
  return { ...base, ...Object.fromEntries(changed) };
}

function mergeNamed(base: readonly Named[], over: readonly Named[], nameOf: (entry: Named) => string) {
  const entries = new Map(base.map((entry) => [nameOf(entry), entry]));
  for (const entry of over) {
    const { reference_price, reference_pair, ...rest } = entries.get(nameOf(entry)) ?? {};
    const hasReference = 'reference_price' in entry || 'reference_pair' in entry;
    const reference = reference_price === undefined ? { reference_pair } : { reference_price };
    const kept = hasReference || Object.values(reference)[0] === undefined ? {} : reference;
    entries.set(nameOf(entry), { ...rest, ...kept, ...entry });
  }
  return [...entries.values()];
}

const problem = (where: string, given: string, expected: string): SettingsProblem => ({
  where: `policy${where}`,
  given,
  expected,
  closest: null,
});

/** One entry twice in the section: which one is meant cannot be known. */
function repeated(section: unknown): SettingsProblem[] {
  return [...NAMED_LISTS].flatMap(([path, nameOf]) => {
    const list = path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), section);
    if (!Array.isArray(list)) return [];
    const names = list.map(nameOf);
    const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    return [...twice].map((name) => problem(path, `${name} is named twice`, 'one entry each'));
  });
}

function wrongTimes({ oracle, market_hours }: Policy): SettingsProblem[] {
  const { stale_high_s: high, stale_critical_s: critical } = oracle;
  const order = problem(
    '.oracle',
    `stale_high_s ${high}, stale_critical_s ${critical}`,
    'high before critical',
  );
  const hours = market_hours.flatMap(({ name, open }) => {
    const isOrdered = open.every(([from, to], index) => from < to && from >= (open[index - 1]?.[1] ?? 0));
    const expected = 'spans in order that do not overlap, each [from, to] in minutes since Monday 00:00 UTC';
    return isOrdered ? [] : [problem(`.market_hours ${name}`, written(open), expected)];
  });
  return [...(high < critical ? [] : [order]), ...hours];
}

/** A version of its own is kept; otherwise what differs from the defaults is marked by a hash of the whole policy. */
function truthfulVersion(policy: Policy): string {
  const { policy_version: version, ...content } = policy;
  const { policy_version: standard, ...standardContent } = DEFAULT_POLICY;
  const text = canonical(content);
  return version !== standard || text === canonical(standardContent)
    ? version
    : `${version}+${fingerprint(text)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

/** 64-bit FNV-1a in hex: tells two policies apart; protects nothing. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

const isRecord = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
