// The policy in force: the defaults of all definitions with the configuration's `policy` section merged over them. All wrong values are
// reported together, and an override always shows in the published policy version.

import { SettingsError, type SettingsProblem } from '../../../platform/settings/settings-error.ts';
import { Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { deepFreeze, defaultsOf, membersOf } from './schema.ts';
import type { NamedList, PolicyDefinition, PolicyValues } from './define.ts';
import methodology from './methodology.json' with { type: 'json' };
import { problemsOfShape, sectionOf } from './section.ts';

const VERSIONS = {
  policy_version: Type.String({
    pattern: '^[0-9A-Za-z.+-]{1,64}$',
    expected: 'a version such as 1.1.0',
    default: '1.0.0',
    description: 'Version of the policy, published with everything that it shapes',
  }),
  methodology_version: Type.String({
    default: methodology.version,
    readOnly: true,
    description: 'Version of the formulas, published with everything that they compute',
  }),
};

/** The whole policy as one schema: the versions, and a member for each section. */
export function policySchema(definitions: readonly PolicyDefinition[]): TSchema {
  const sections = new Map<string, TSchema>();
  for (const { section, schema } of new Set(definitions)) {
    const earlier = sections.get(section);
    sections.set(section, earlier === undefined ? schema : joined(section, earlier, schema));
  }
  return Strict({ ...VERSIONS, ...Object.fromEntries(sections) });
}

function joined(section: string, one: TSchema, other: TSchema): TSchema {
  const [some, more] = [membersOf(one), membersOf(other)];
  if (some === undefined || more === undefined || some.some(([name]) => more.some(([same]) => same === name)))
    throw new Error(`Two definitions of the policy section ${section} overlap: give each its own members.`);
  return Strict(Object.fromEntries([...some, ...more]));
}

const sectionSchemas = new Map<string, TSchema>();

/** Schema of the `policy` section. Equal schemas share one object, because compiling the checks of each takes a tenth of a second. */
function sectionSchema(definitions: readonly PolicyDefinition[]): TSchema {
  const made = sectionOf(policySchema(definitions));
  const text = JSON.stringify(made);
  const schema = sectionSchemas.get(text) ?? made;
  sectionSchemas.set(text, schema);
  return schema;
}

export const defaultPolicy = (definitions: readonly PolicyDefinition[]): PolicyValues =>
  defaultsOf(policySchema(definitions)) as PolicyValues;

/** @throws SettingsError that lists every wrong value of the section. */
export function mergePolicy(definitions: readonly PolicyDefinition[], section: unknown): PolicyValues {
  const defaults = defaultPolicy(definitions);
  if (section === undefined) return defaults;
  const shape = problemsOfShape(sectionSchema(definitions), section);
  if (shape.length > 0) throw new SettingsError(shape);
  const lists = listsOf(definitions);
  const policy = merge({ base: defaults, over: section, path: '' }, lists) as PolicyValues;
  const problems = [...repeated(section, lists), ...contradictions(definitions, policy)];
  if (problems.length > 0) throw new SettingsError(problems);
  return deepFreeze({ ...policy, policy_version: publishedVersion(policy, defaults) });
}

type Members = Readonly<Record<string, unknown>>;
type Lists = ReadonlyMap<string, NamedList>;

const listsOf = (definitions: readonly PolicyDefinition[]): Lists =>
  new Map(
    definitions.flatMap(({ section, lists }) =>
      Object.entries(lists).map(
        ([path, list]) => [`.${section}${path === '' ? '' : `.${path}`}`, list] as const,
      ),
    ),
  );

function merge(
  { base, over, path }: { readonly base: unknown; readonly over: unknown; readonly path: string },
  lists: Lists,
): unknown {
  const list = lists.get(path);
  if (list !== undefined) return mergeNamed(base as readonly Members[], over as readonly Members[], list);
  if (!isRecord(base) || !isRecord(over)) return over;
  const changed = Object.entries(over).map(([key, value]) => [
    key,
    merge({ base: base[key], over: value, path: `${path}.${key}` }, lists),
  ]);
  return { ...base, ...Object.fromEntries(changed) };
}

function mergeNamed(base: readonly Members[], over: readonly Members[], { name, either = [] }: NamedList) {
  const entries = new Map(base.map((entry) => [name(entry), entry]));
  for (const entry of over) {
    const earlier = Object.entries(entries.get(name(entry)) ?? {});
    const isReplaced = either.some((member) => member in entry);
    const kept = earlier.filter(([member]) => !isReplaced || !either.includes(member));
    entries.set(name(entry), { ...Object.fromEntries(kept), ...entry });
  }
  return [...entries.values()];
}

const contradictions = (definitions: readonly PolicyDefinition[], policy: PolicyValues): SettingsProblem[] =>
  [...new Set(definitions)].flatMap((definition) =>
    definition
      .contradictions(policy)
      .map(([where, given, expected]) => problem(`.${definition.section}${where}`, given, expected)),
  );

const problem = (where: string, given: string, expected: string): SettingsProblem => ({
  where: `policy${where}`,
  given,
  expected,
  closest: null,
});

/** Entries named twice in the section: which one is intended is unknown. */
function repeated(section: unknown, lists: Lists): SettingsProblem[] {
  return [...lists].flatMap(([path, { name }]) => {
    const list = path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), section);
    if (!Array.isArray(list)) return [];
    const names = list.map(name);
    const twice = new Set(names.filter((one, index) => names.indexOf(one) !== index));
    return [...twice].map((one) => problem(path, `${one} is named twice`, 'one entry each'));
  });
}

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The version under which a policy is published: its own version, or the default version with a fingerprint of its content.

/** An explicit version is kept; otherwise a policy that differs from the defaults is marked by a hash of the whole policy. */
function publishedVersion(policy: PolicyValues, defaults: PolicyValues): string {
  const { policy_version: version, ...content } = policy;
  const { policy_version: standard, ...standardContent } = defaults;
  const text = canonical(content);
  return version !== standard || text === canonical(standardContent)
    ? version
    : `${version}+${fingerprint(text)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

/** 64-bit FNV-1a in hex: distinguishes policies, but is no protection against tampering. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
