// The order of search results: an exact name first, then a name that begins with the text, then a word of a name, then any part of it, and
// last what matches only by its kind. Results of a kind stay together.

/** In the order in which groups of equal rank are shown. */
export const KINDS = [
  'protocol',
  'asset',
  'pegged asset',
  'feed',
  'market',
  'vault',
  'oracle',
  'assumption',
  'curator',
  'yield',
  'network',
  'event type',
  'event',
  'dataset',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Entry {
  readonly kind: Kind;
  readonly name: string;
  /** Other names, such as the id of a dataset. */
  readonly aliases?: readonly string[];
  /** Shown after the name: `feed on ethereum`. */
  readonly context: string;
  readonly href: string;
}

export interface Group {
  readonly kind: Kind;
  readonly entries: readonly Entry[];
  /** Those that are not shown. */
  readonly more: number;
}

const MAX_OF_KIND = 5;
const MAX_SHOWN = 24;

/** From the best to the worst match. */
const RANK = { exact: 0, prefix: 1, word: 2, part: 3, context: 4 } as const;

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** The rank of one name; undefined if the name does not contain the text. Whole words precede parts of words: `ETH-USD`, then `ETHFI-USD`. */
function nameRank(name: string, text: string): number | undefined {
  if (name === text) return RANK.exact;
  if (!name.includes(text)) return undefined;
  const words = wordsOf(name);
  const half = words.includes(text) || /[^\p{L}\p{N}]/u.test(text) ? 0 : 0.5;
  if (name.startsWith(text)) return RANK.prefix + half;
  return words.some((word) => word.startsWith(text)) ? RANK.word + half : RANK.part;
}

/** The rank of an entry for a text in lower case; undefined if it does not match. */
export function rankOf({ name, aliases = [], context }: Entry, text: string): number | undefined {
  const names = [name, ...aliases].map((one) => one.toLowerCase());
  const whole = names.map((one) => nameRank(one, text)).filter((one) => one !== undefined);
  if (whole.length > 0) return Math.min(...whole);
  const all = `${names.join(' ')} ${context.toLowerCase()}`;
  const terms = text.split(/\s+/).filter(Boolean);
  if (!terms.every((term) => all.includes(term))) return undefined;
  const named = terms.flatMap((term) => names.map((one) => nameRank(one, term) ?? RANK.context));
  return terms.length === 1 ? RANK.context : Math.max(RANK.word, Math.min(...named));
}

interface Match {
  readonly entry: Entry;
  readonly rank: number;
}

const byRank = (a: Match, b: Match): number =>
  a.rank - b.rank || a.entry.name.length - b.entry.name.length || a.entry.name.localeCompare(b.entry.name);

/** Entries that match, best first, in groups by kind. The group of the best match is first. */
export function searchResults(all: readonly Entry[], typed: string): readonly Group[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return [];
  const matches = all.flatMap((entry): Match[] => {
    const rank = rankOf(entry, text);
    return rank === undefined ? [] : [{ entry, rank }];
  });
  const groups = KINDS.map((kind) => ({
    kind,
    matches: matches.filter(({ entry }) => entry.kind === kind).toSorted(byRank),
  })).filter((group) => group.matches.length > 0);
  // The sort is stable: groups with equally good matches keep the order of kinds.
  const ordered = groups.toSorted((a, b) => (a.matches[0]?.rank ?? 0) - (b.matches[0]?.rank ?? 0));
  let room = MAX_SHOWN;
  return ordered.flatMap(({ kind, matches: own }): Group[] => {
    const entries = own.slice(0, Math.min(MAX_OF_KIND, room)).map(({ entry }) => entry);
    room -= entries.length;
    return entries.length === 0 ? [] : [{ kind, entries, more: own.length - entries.length }];
  });
}
