// A feed as Atom 1.0 (RFC 4287).
import { type Html, html } from '../web/html.ts';
import { displayable, type Feed, type FeedNotice, linesOf, tagsOf } from './feed.ts';
import type { FeedEntry } from './feed-entries.ts';

const AUTHOR = 'DeFi risk data service';

/** Ids of Atom are IRIs; those of events are ULIDs. */
const idOf = (ulid: string): string => `urn:ulid:${ulid}`;

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
