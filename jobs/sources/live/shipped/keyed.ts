// Sources that need a key or a permission. Each is read once its environment variables are set; until then its state names them.
import type { LiveSection } from '../fetch/section.ts';

const secret = (name: string) => `\${${name}}`;

export const KEYED: { readonly [id: string]: LiveSection } = {
  'github-releases': {
    table: 'development_release',
    name: 'GitHub releases',
    url: 'https://docs.github.com/rest/releases',
    license: 'terms of GitHub',
    terms_url: 'https://docs.github.com/site-policy/github-terms/github-terms-of-service',
    request: {
      url: 'https://api.github.com/repos/{repository}/releases',
      query: { per_page: '100' },
      headers: { authorization: `Bearer ${secret('GITHUB_TOKEN')}`, accept: 'application/vnd.github+json' },
    },
    each: [
      { repository: 'aave-dao/aave-v3-origin' },
      { repository: 'compound-finance/comet' },
      { repository: 'morpho-org/morpho-blue' },
      { repository: 'uniswap/v4-core' },
    ],
    every: '1h',
    pager: { kind: 'link', max_pages: 50 },
    guards: { min_records: 0, present: ['tag_name'] },
    records: '',
    where: { draft: { not: 'true' }, published_at: { not: '' } },
    fields: {
      repository: { recording: 'param.repository' },
      tag: 'tag_name',
      released_at: { from: 'published_at', time: 'iso8601' },
    },
  },
  'reddit-comments': {
    table: 'social_message',
    name: 'Reddit comments',
    url: 'https://www.reddit.com/dev/api',
    license: 'terms of Reddit',
    terms_url: 'https://redditinc.com/policies/data-api-terms',
    redistributable: true,
    request: {
      url: 'https://oauth.reddit.com/r/{subreddit}/comments',
      query: { limit: '100', after: '{cursor}' },
      headers: { authorization: `Bearer ${secret('REDDIT_TOKEN')}` },
    },
    each: [
      { subreddit: 'Aave_Official', protocol: 'aave' },
      { subreddit: 'UniSwap', protocol: 'uniswap' },
    ],
    every: '15m',
    pager: { kind: 'cursor', next: 'data.after', max_pages: 12 },
    guards: { min_records: 0 },
    records: 'data.children',
    where: { kind: 't1' },
    fields: {
      channel: { value: 'reddit' },
      protocol: { recording: 'param.protocol' },
      sent_at: { from: 'data.created_utc', time: 'unix_s' },
      author: 'data.author',
      text: 'data.body',
      message_id: 'data.id',
    },
  },
  'discord-messages': {
    table: 'social_message',
    name: 'Discord messages',
    url: 'https://discord.com/developers/docs/resources/message',
    license: 'terms of Discord',
    terms_url: 'https://discord.com/developers/docs/policies-and-agreements/developer-terms-of-service',
    request: {
      url: `https://discord.com/api/v10/channels/${secret('DISCORD_CHANNEL')}/messages`,
      query: { limit: '100', before: '{key}' },
      headers: { authorization: `Bot ${secret('DISCORD_TOKEN')}` },
    },
    every: '15m',
    pager: { kind: 'keyset', field: 'id', order: 'desc', time: 'timestamp', max_pages: 200 },
    window: { history: '7d', step: '30d', overlap: '1h' },
    guards: { min_records: 0 },
    records: '',
    where: { type: ['0', '19'] },
    fields: {
      channel: { value: 'discord' },
      protocol: { value: 'aave' },
      sent_at: { from: 'timestamp', time: 'iso8601' },
      author: 'author.username',
      text: 'content',
      message_id: 'id',
    },
  },
};
