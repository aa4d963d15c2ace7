// What can be judged of one family of data, and why not more.
import { NO_SOURCE } from '../schemas/provenance.ts';
import type { FamilyStatus, StatusReason } from '../schemas/service-status.ts';
import { isLost, isOn, isTroubled, listed, sourceText } from './input-trouble.ts';
import type { InputFamily, Inputs, Manifest } from './layout.ts';

/** A family with its verdict, and the sources behind it. */
export interface JudgedFamily extends FamilyStatus {
  readonly isDerived: boolean;
}

export const published = ({ isDerived: _, ...family }: JudgedFamily): FamilyStatus => family;

interface Facts {
  readonly inputs: Inputs;
  readonly manifest: Manifest;
  readonly held: readonly StatusReason[];
}

export function judged(family: InputFamily, facts: Facts): JudgedFamily {
  const { id, title, datasets, is_derived: isDerived } = family;
  const { state, why } = stateOf(family, facts);
  const because = why.length === 0 ? '' : `: ${listed(why)}`;
  return {
    id,
    title,
    state,
    message: `${title} ${STATE_WORDS[state]}${because}.`,
    datasets: [...datasets],
    isDerived,
  };
}

const STATE_WORDS: Readonly<Record<FamilyStatus['state'], string>> = {
  complete: 'can be judged',
  partial: 'can be judged in part',
  unknown: 'cannot be judged',
  no_source: 'cannot be judged',
  pending: 'cannot be judged yet',
};

function stateOf(
  family: InputFamily,
  { inputs, manifest, held }: Facts,
): { readonly state: FamilyStatus['state']; readonly why: readonly string[] } {
  const isPublished = (id: string) => Object.hasOwn(manifest.datasets, id);
  const own = held.filter(({ dataset }) => dataset !== null && family.datasets.includes(dataset));
  if (own.length === 0 && !family.datasets.some(isPublished))
    return { state: 'pending', why: ['it is not computed yet'] };
  const tables = family.tables.map((name) => tableState(name, inputs));
  if (tables.every(({ isSourced }) => !isSourced)) return { state: 'no_source', why: [NO_SOURCE] };
  const essential = tables.filter(({ name }) => family.essential.includes(name));
  const lacking = essential.filter(({ isUsable }) => !isUsable);
  const troubled = inputs.sources.filter(
    (source) => isTroubled(source) && [...family.tables, ...family.other_tables].includes(source.table),
  );
  const missing = family.datasets.filter((id) => !isPublished(id));
  const why = [
    ...lacking.filter(({ isSourced }) => !isSourced).map(({ name }) => `${NO_SOURCE} for ${name}`),
    ...sourceText(troubled),
    ...own.map((one) => one.message),
    ...missing
      .filter((id) => own.every(({ dataset }) => dataset !== id))
      .map((id) => `${id} is not computed yet`),
  ];
  const isUnknown =
    lacking.length > 0 ||
    tables.every(({ isUsable }) => !isUsable) ||
    missing.length === family.datasets.length;
  if (isUnknown) return { state: 'unknown', why };
  return { state: why.length > 0 ? 'partial' : 'complete', why };
}

interface TableState {
  readonly name: string;
  readonly isSourced: boolean;
  /** It has rows, or is known to have none, and at least one of its sources is read. */
  readonly isUsable: boolean;
}

function tableState(name: string, { tables, sources }: Inputs): TableState {
  const { is_sourced = false, has_rows = false } = tables.find((table) => table.name === name) ?? {};
  const own = sources.filter((source) => source.table === name && isOn(source));
  const isKnown = own.some((source) => source.state === 'read' || (has_rows && !isLost(source)));
  return { name, isSourced: is_sourced, isUsable: is_sourced && (own.length === 0 ? has_rows : isKnown) };
}
