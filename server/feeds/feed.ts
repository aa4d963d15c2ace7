// A feed of events and its two forms, Atom and JSON Feed, with the text that both may contain.

import { type Html, html } from '../web/html.ts';
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

const AUTHOR = 'DeFi risk data service';

/** Ids of Atom are IRIs; those of events are ULIDs. */
const idOf = (ulid: string): string => `urn:ulid:${ulid}`;

/** A feed as Atom 1.0 (RFC 4287). */
export function atomOf({ title, description, links, as_of, version, notice, entries }: Feed): Buffer {
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${links.self}</id>
<title>${displayable(title)}</title>
<subtitle>${displayable(description)}</subtitle>
<updated>${as_of}</updated>
<author><name>${AUTHOR}</name></author>
<generator>${AUTHOR}, version ${version}</generator>
<link rel="self" type="application/atom+xml" href="${links.self}"/>
<link rel="alternate" type="text/html" href="${links.page}"/>
${notice && noticeEntry(notice)}${entries.map(entry)}</feed>
`;
  return Buffer.from(feed.text);
}

// Links of entries state no media type: readers take a link for that of the entry only if it is of HTML, or of no type.
const noticeEntry = ({ id, title, text, url, at }: FeedNotice): Html => html`<entry>
<id>${idOf(id)}</id>
<title>${displayable(title)}</title>
<updated>${at}</updated>
<link rel="alternate" href="${url}"/>
<summary>${displayable(text)}</summary>
</entry>
`;

function entry(one: FeedEntry): Html {
  const [sentence = '', ...lines] = linesOf(one);
  const content = html`<p>${sentence}</p>${lines.length > 0 && html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}`;
  return html`<entry>
<id>${idOf(one.id)}</id>
<title>${displayable(one.title)}</title>
<published>${one.published}</published>
<updated>${one.updated}</updated>
<link rel="alternate" href="${one.url}"/>
${tagsOf(one).map((term) => html`<category term="${term}"/>`)}
<summary>${sentence}</summary>
<content type="html">${content.text}</content>
</entry>
`;
}

/** A feed as JSON Feed 1.1. What the format has no member for is under `_risk`, as its extensions are. */
export function jsonFeedOf({ title, description, links, as_of, version, notice, entries }: Feed): Buffer {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: displayable(title),
    description: displayable(description),
    home_page_url: links.page,
    feed_url: links.self,
    language: 'en',
    authors: [{ name: AUTHOR }],
    _risk: { about: links.docs, as_of, version },
    items: [...(notice === undefined ? [] : [noticeItem(notice)]), ...entries.map(item)],
  };
  return Buffer.from(JSON.stringify(feed));
}

const noticeItem = ({ id, title, text, url, at }: FeedNotice): object => ({
  id,
  url,
  title: displayable(title),
  content_text: displayable(text),
  date_published: at,
  _risk: { state: 'notice' },
});

function item(one: FeedEntry): object {
  const { alert } = one;
  const lines = linesOf(one);
  return {
    id: one.id,
    url: one.url,
    title: displayable(one.title),
    summary: lines[0],
    content_text: lines.join('\n'),
    date_published: one.published,
    date_modified: one.updated,
    tags: tagsOf(one),
    _risk: {
      state: one.state,
      type: alert.type,
      severity: alert.severity ?? null,
      subject_id: alert.subject_id,
      name: displayable(alert.name),
      chain: alert.chain ?? null,
      protocol: alert.protocol ?? null,
      since: alert.since,
      figures: alert.figures.map(([label, text]) => ({ label, text: displayable(text) })),
      doubts: alert.doubts.map(displayable),
      retracts_event_id: one.retracts_event_id ?? null,
    },
  };
}
