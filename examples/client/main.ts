// Runs the client against a running service: `npm run client -- --base-url http://127.0.0.1:8080 --key rk_live_…`.

import { readOptions } from '../read-options.ts';
import { type Api, connect, coverage, events } from '../../packages/client/src/client.ts';
import { ApiError, bodyOf } from '../../packages/client/src/pages.ts';

const { values } = readOptions('npm run client -- --key KEY [--base-url URL]', {
  options: {
    'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
    key: { type: 'string' },
  },
});

async function show(api: Api): Promise<void> {
  const { data, meta } = await bodyOf(api.GET('/v2/data-manifest'));
  const { status, age_seconds } = meta._agentic.freshness;
  console.info(`data as of ${data.generated_at}: ${status}, ${age_seconds} s old`);
  console.info(`feeds: ${data.feeds.complete} of ${data.feeds.total} have a complete history`);
  await showUnchanged(api);
  console.info('worst covered:');
  for await (const row of first(5, coverage(api, { limit: 3 })))
    console.info(`  ${row.label}: ${percent(row.history_completeness_pct)}`);
  console.info('events:');
  for await (const event of first(5, events(api, { limit: '3' })))
    console.info(`  ${event.ts} ${event.type} ${event.subject_id}`);
}

const percent = (value: number | null): string => (value === null ? 'not known' : `${value} %`);

/** Shows that unchanged data is not sent again. */
async function showUnchanged(api: Api): Promise<void> {
  const { response } = await api.GET('/v2/datasets');
  const etag = response.headers.get('ETag');
  if (etag === null) return;
  const again = await api.GET('/v2/datasets', { params: { header: { 'If-None-Match': etag } } });
  console.info(`datasets requested again: status ${again.response.status}`);
}

async function* first<T>(max: number, all: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const one of all) {
    yield one;
    count += 1;
    if (count === max) return;
  }
}

try {
  await show(connect({ baseUrl: values['base-url'], key: values.key }));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
