// A feed of events before it is written as Atom or JSON Feed, and the text that both forms may contain.
import type { FeedEntry } from './feed-entries.ts';

/** Says that the feed itself is late, because a feed without new entries looks as if nothing had happened. */
export interface FeedNotice {
  /** Id of the version. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface Feed {
  readonly title: string;
  readonly description: string;
  /** The page of events, the documentation, and the feed itself. */
  readonly links: { readonly page: string; readonly docs: string; readonly self: string };
  /** Logical time and name of the version, ISO 8601. */
  readonly as_of: string;
  readonly version: string;
  readonly notice: FeedNotice | undefined;
  readonly entries: readonly FeedEntry[];
}

/** Control characters and non-characters, which XML forbids, and characters that reorder the text after them. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names may contain them
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** Names are texts of others: only what every reader can show is kept of them. */
export const displayable = (text: string): string => text.toWellFormed().replace(UNSAFE, '');

/** Sentence, figures and doubts, each on a line of its own. */
export function linesOf({ alert: { sentence, figures, doubts } }: FeedEntry): readonly string[] {
  const named = figures.map(([label, text]) => `${label}: ${text}`);
  const doubted =
    doubts.length === 0 ? [] : [`${doubts.length === 1 ? 'Doubt' : 'Doubts'}: ${doubts.join('; ')}`];
  return [sentence, ...named, ...doubted].map(displayable);
}

/** Severity, type, chain and protocol, and the state if the event is not as it was first reported. */
export function tagsOf({ state, alert: { severity, type, chain, protocol } }: FeedEntry): readonly string[] {
  const known = [severity, type, chain, protocol, state === 'event' ? undefined : state];
  return known.flatMap((tag) => (tag === undefined ? [] : displayable(tag)));
}
