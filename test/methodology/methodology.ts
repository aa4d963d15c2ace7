// Whether the texts that decide figures are those for which the methodology version was set: the SQL of each family's models and events,
// without comments and layout, and the defaults of its policy.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { definitionsOf } from '../../jobs/policies.ts';
import { defaultPolicy } from '../../jobs/define/policy/load.ts';
import { domains } from '../../jobs/registry.ts';
import { PROJECT } from '../rules/source-tree.ts';

export const METHODOLOGY_FILE = `${PROJECT}jobs/define/policy/methodology.json`;

/** A hash for each family, and one for the policy that belongs to none. */
export type Texts = { readonly [family: string]: string };

export interface Methodology {
  /** `major.minor.patch`, published as `methodology_version`. */
  readonly version: string;
  readonly texts: Texts;
}

export type Figures = 'same' | 'other';

export const recordedMethodology = (): Methodology => JSON.parse(readFileSync(METHODOLOGY_FILE, 'utf8'));

/** Audits are left out: they decide what is published, and change no figure. */
const decidesFigures = (file: string) =>
  /^(obs|derived|out|event)\..*\.sql$/.test(file) && !file.endsWith('.audit.sql');

/** Of the files as they are now. */
export function presentTexts(): Texts {
  const {
    policy_version: _policy,
    methodology_version: _methodology,
    ...sections
  } = defaultPolicy(definitionsOf());
  const own = new Map(domains.map(({ id, policy }) => [id, policy.map(({ section }) => section)]));
  const shared = Object.keys(sections).filter(
    (name) => ![...own.values()].flat().some((section) => section === name),
  );
  return Object.fromEntries([
    ...domains.map(({ id, folder }) => {
      const files = readdirSync(folder).filter(decidesFigures).sort();
      const sql = files.map((file) => [file, plainSql(readFileSync(new URL(file, folder), 'utf8'))]);
      return [id, hashOf([sql, (own.get(id) ?? []).map((name) => [name, sections[name]])])];
    }),
    ['every family', hashOf(shared.map((name) => [name, sections[name]]))],
  ]);
}

/** SQL without comments, with single spaces; text in quotes as it is. */
export const plainSql = (text: string): string =>
  text.replaceAll(/('(?:[^']|'')*')|(?:--[^\n]*|\s)+/g, (_, quoted?: string) => quoted ?? ' ').trim();

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

export const changedFamilies = (recorded: Texts, present: Texts): readonly string[] =>
  [...new Set([...Object.keys(recorded), ...Object.keys(present)])].filter(
    (family) => recorded[family] !== present[family],
  );

/** The next methodology. The version changes only with the figures: a new one corrects every published day whose documents state it. */
export function nextMethodology({ version }: Methodology, texts: Texts, figures: Figures): Methodology {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { version: figures === 'same' ? version : `${major}.${minor + 1}.0`, texts };
}
