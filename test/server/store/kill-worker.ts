// A process for tests to kill: changes a store as fast as it can and prints what was acknowledged, one per line.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isPostgres } from '../../../platform/postgres/pg-pool.ts';
import { createKey, rotateKey } from '../../../server/keys/issue.ts';
import { openPostgres } from '../../../server/store/postgres/open-postgres.ts';
import { openStore } from '../../../server/store/sqlite/open-sqlite.ts';
import { sealerOf } from './store-fixture.ts';

const [path = '', name = '', work = '', count = '1000000', sealKeyFile = ''] = process.argv.slice(2);
const clock = { steadyMs: () => performance.now(), wait: (ms: number) => wait(ms) };
const store = isPostgres(path)
  ? await openPostgres({ url: path, owner: name, sealer: () => sealerOf(1), sealKeyFile, ...clock })
  : await openStore({ path, owner: name, sealer: sealerOf(1), ...clock });
const issuer = { keys: store.keys, who: `cli:${name}`, nowMs: Date.now, randomBytes };
const request = { org: name, plan: 'team', scopes: ['data:read'], expires_ms: null } as const;
// Written straight to the descriptor, so that the output is out before the process can be killed.
const say = (line: string) => writeSync(1, `${line}\n`);

async function rotateOften(): Promise<void> {
  let { id } = await createKey(issuer, request);
  say(id);
  for (let made = 1; made < Number(count); made++) {
    const { issued } = await rotateKey(issuer, { id, overlapMs: 1_000 });
    id = issued.id;
    say(id);
  }
}

/** Each effect is a key of an organisation named like its idempotency key, so that effects and responses can be compared. */
async function answerOften(): Promise<void> {
  for (let made = 0; made < Number(count); made++) {
    const key = `${name}-${made}`;
    await store.idempotency.begin({ org: 'acme', key, fingerprint: 'f', nowMs: Date.now() });
    await store.transact(async ({ keys, idempotency }) => {
      const { id } = await createKey({ ...issuer, keys }, { ...request, org: key });
      const response = { status: 201, headers: [], body: Buffer.from(id) };
      await idempotency.settle({ org: 'acme', key, response, nowMs: Date.now() });
    });
    say(key);
  }
}

say('ready');
await (work === 'rotate' ? rotateOften() : answerOften());
await store.close();
