// A feed as JSON Feed 1.1. What the format has no member for is under `_risk`, as its extensions are.
import { displayable, type Feed, type FeedNotice, linesOf, tagsOf } from './feed.ts';
import type { FeedEntry } from './feed-entries.ts';

export function jsonFeedOf({ title, description, links, as_of, version, notice, entries }: Feed): Buffer {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: displayable(title),
    description: displayable(description),
    home_page_url: links.page,
    feed_url: links.self,
    language: 'en',
    authors: [{ name: 'DeFi risk data service' }],
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
