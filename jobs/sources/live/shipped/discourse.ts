// Governance forums on Discourse: posts, newest first. Keyless; by default 200 requests a minute for a whole forum.
import type { LiveSection } from '../fetch/section.ts';

export const DISCOURSE: { readonly [id: string]: LiveSection } = {
  'forum-posts': {
    table: 'social_message',
    name: 'Posts in governance forums; published where policy.social.channels has forum',
    url: 'https://www.discourse.org',
    license: 'terms of each forum',
    request: { url: 'https://{host}/posts.json', query: { before: '{key}' } },
    each: [
      { host: 'governance.aave.com', protocol: 'aave' },
      { host: 'forum.arbitrum.foundation', protocol: 'arbitrum' },
      { host: 'www.comp.xyz', protocol: 'compound' },
      { host: 'research.lido.fi', protocol: 'lido' },
      { host: 'gov.uniswap.org', protocol: 'uniswap' },
    ],
    every: '15m',
    pager: { kind: 'keyset', field: 'id', order: 'desc', time: 'created_at', max_pages: 200 },
    window: { history: '7d', step: '30d', overlap: '1h' },
    // A page shows the newest posts, however old they are.
    guards: { min_records: 1, present: ['id', 'created_at', 'raw'] },
    records: 'latest_posts',
    where: { post_type: '1', hidden: { not: 'true' } },
    fields: {
      channel: { value: 'forum' },
      protocol: { recording: 'param.protocol' },
      sent_at: { from: 'created_at', time: 'iso8601' },
      author: 'username',
      text: 'raw',
      message_id: 'id',
    },
  },
};
