// Objects in a bucket. Conditional requests keep writers apart: If-None-Match for what is created once, If-Match for what is swapped.
import { forEachAtOnce } from '../../base/tasks.ts';
import {
  MAX_REQUESTS_AT_ONCE,
  type NewObject,
  type ObjectFacts,
  type ObjectStore,
  type OpenObject,
  type Replacement,
  type Swap,
  type SwapResult,
  type TaggedObject,
} from '../object-store.ts';
import { type Listing, parseListing, type S3Client } from './s3-client.ts';
import { StoreError } from './store-error.ts';

/** Limit of one request; a larger object would have to be sent in parts. */
const MAX_BYTES = 5 * 1024 ** 3;

export class S3ObjectStore implements ObjectStore {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  nameOf = (key: string): string => this.#client.nameOf(key);

  async get(key: string): Promise<Buffer | null> {
    const { status, body } = await this.#client.call({ method: 'GET', key, expected: [404] });
    return status === 404 ? null : body;
  }

  async getTagged(key: string, knownTag?: string): Promise<TaggedObject | 'same' | null> {
    const headers = knownTag === undefined ? {} : { 'if-none-match': knownTag };
    const response = await this.#client.call({ method: 'GET', key, headers, expected: [304, 404] });
    if (response.status === 304) return 'same';
    return response.status === 404 ? null : { bytes: response.body, tag: response.headers['etag'] ?? '' };
  }

  async open(key: string): Promise<OpenObject | null> {
    const facts = await this.facts(key);
    if (facts === null) return null;
    const read = async (target: Buffer, position: number): Promise<number> => {
      const end = Math.min(position + target.length, facts.bytes);
      if (position >= end) return 0;
      const headers = { range: `bytes=${position}-${end - 1}` };
      const { body } = await this.#client.call({ method: 'GET', key, headers });
      if (body.length !== end - position)
        throw new StoreError(
          'answer',
          `GET ${this.nameOf(key)}: ${body.length} bytes for a range of ${end - position}.`,
        );
      return body.copy(target);
    };
    return { read, close: async () => undefined };
  }

  async facts(key: string): Promise<ObjectFacts | null> {
    const { status, headers } = await this.#client.call({ method: 'HEAD', key, expected: [404] });
    if (status === 404) return null;
    return {
      bytes: Number(headers['content-length']),
      modifiedMs: Date.parse(headers['last-modified'] ?? ''),
    };
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const page of this.#pages(prefix, {})) keys.push(...page.keys);
    return keys.sort();
  }

  async names(prefix: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { keys, prefixes } of this.#pages(prefix, { delimiter: '/' }))
      names.push(...[...keys, ...prefixes].map((name) => name.slice(prefix.length).replace(/\/$/, '')));
    return names.sort();
  }

  async *#pages(prefix: string, query: { readonly [name: string]: string }): AsyncGenerator<Listing> {
    for (let next: string | null = ''; next !== null; ) {
      const page: Listing = await this.#page(prefix, {
        ...query,
        ...(next === '' ? {} : { 'continuation-token': next }),
      });
      yield page;
      next = page.next;
    }
  }

  async #page(prefix: string, query: { readonly [name: string]: string }): Promise<Listing> {
    const base = this.#client.prefix;
    const { body } = await this.#client.call({
      method: 'GET',
      key: '',
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(this.#client.pageKeys),
        prefix: `${base}${prefix}`,
        ...query,
      },
    });
    const { keys, prefixes, next } = parseListing(body.toString());
    const own = (name: string) => name.slice(base.length);
    return { keys: keys.map(own), prefixes: prefixes.map(own), next };
  }

  async put(key: string, chunks: readonly Uint8Array[]): Promise<void> {
    await this.#client.call({ method: 'PUT', key, chunks: this.#checked(key, chunks) });
  }

  replace = (key: string, bytes: Uint8Array): Promise<void> => this.put(key, [bytes]);

  async putOnce(key: string, chunks: readonly Uint8Array[]): Promise<'made' | 'there'> {
    const made = await this.#putIf(key, chunks, { 'if-none-match': '*' });
    return made === 'lost' ? 'there' : 'made';
  }

  swap({ key, bytes, expectedTag }: Swap): Promise<SwapResult> {
    const condition = expectedTag === null ? { 'if-none-match': '*' } : { 'if-match': expectedTag };
    return this.#putIf(key, [bytes], condition);
  }

  /** An earlier attempt without a response may have succeeded: then the object holds these bytes. */
  async #putIf(
    key: string,
    chunks: readonly Uint8Array[],
    headers: { readonly [name: string]: string },
  ): Promise<SwapResult> {
    const request = { method: 'PUT', key, headers, chunks: this.#checked(key, chunks) } as const;
    const response = await this.#client.call({ ...request, expected: [404, 412] });
    const { status, isRepeated } = response;
    if (status === 200) return { tag: response.headers['etag'] ?? '' };
    const now = isRepeated ? await this.getTagged(key) : null;
    if (now === null || now === 'same' || !now.bytes.equals(Buffer.concat(chunks))) return 'lost';
    return { tag: now.tag };
  }

  async commit(objects: readonly NewObject[], swap: Swap | Replacement): Promise<SwapResult> {
    for (const part of [objects.slice(0, -1), objects.slice(-1)])
      await forEachAtOnce(MAX_REQUESTS_AT_ONCE, part, ({ path, chunks }) => this.put(path, chunks));
    if ('expectedTag' in swap) return this.swap(swap);
    await this.put(swap.key, [swap.bytes]);
    return { tag: '' };
  }

  async remove(keys: readonly string[]): Promise<void> {
    await forEachAtOnce(MAX_REQUESTS_AT_ONCE, keys, (key) =>
      this.#client.call({ method: 'DELETE', key, expected: [404] }),
    );
  }

  /** What a bucket shows is durable. */
  settle = async (): Promise<void> => undefined;

  /** An interrupted request leaves nothing behind. */
  tidy = async (): Promise<void> => undefined;

  #checked(key: string, chunks: readonly Uint8Array[]): readonly Uint8Array[] {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (bytes <= MAX_BYTES) return chunks;
    throw new StoreError(
      'answer',
      `${this.nameOf(key)} has ${bytes} bytes; the limit of one request is ${MAX_BYTES}.`,
    );
  }
}
