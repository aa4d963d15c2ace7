// Example responses of the reference, recorded from the demo by `npm run examples`.
import { readFileSync } from 'node:fs';
import { once } from './file-endpoint.ts';

type Examples = Readonly<Record<string, unknown>>;

const examples = once(
  () => JSON.parse(readFileSync(new URL('./response-examples.json', import.meta.url), 'utf8')) as Examples,
);

/** Undefined for operations that change something or need resources of a caller. */
export const responseExample = (method: string, path: string): unknown =>
  examples()[`${method.toUpperCase()} ${path}`];
