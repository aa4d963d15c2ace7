// Runs the client against a running service: `npm run client -- --base-url http://127.0.0.1:8080 --key rk_live_…`.

import { ApiError, Client } from '../../packages/client/src/client.ts';
import { readOptions } from '../read-options.ts';

const { values } = readOptions('npm run client -- --key KEY [--base-url URL]', {
  options: {
    'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
    key: { type: 'string' },
  },
});

async function show(client: Client): Promise<void> {
  const { data, freshness } = await client.get('/v2/data-manifest');
  console.info(`data as of ${data.generated_at}: ${freshness?.status}, ${freshness?.age_seconds} s old`);
  console.info(`feeds: ${data.feeds.complete} of ${data.feeds.total} have a complete history`);
  await client.get('/v2/datasets');
  const { isUnchanged } = await client.get('/v2/datasets');
  console.info(`datasets requested again: ${isUnchanged ? 'unchanged, not sent again' : 'changed'}`);
  console.info('worst covered:');
  const rows = client.list('/v2/data-manifest/coverage', { query: { limit: 3 } });
  for (const row of await rows.all(5))
    console.info(`  ${row.label}: ${percent(row.history_completeness_pct)}`);
  console.info('events:');
  for await (const event of first(5, client.events({ limit: '3' })))
    console.info(`  ${event.ts} ${event.type} ${event.subject_id}`);
}

const percent = (value: number | null): string => (value === null ? 'not known' : `${value} %`);

async function* first<T>(max: number, all: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const one of all) {
    yield one;
    count += 1;
    if (count === max) return;
  }
}

try {
  await show(new Client({ baseUrl: values['base-url'], key: values.key, rememberedAnswers: 10 }));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
