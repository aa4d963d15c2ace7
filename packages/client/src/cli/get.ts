// `get`: any path of the API as JSON, or all pages of a list as one row a line.
import type { ListPath } from '../client.ts';
import { type Command, required, UsageError } from './options.ts';

export const GET: Command = {
  usage: 'get PATH [-q NAME=VALUE]… [--all]',
  options: { query: { type: 'string', short: 'q', multiple: true }, all: { type: 'boolean' } },
  async run({ client, positionals, options, isSet, print, signal }) {
    const path = required(positionals[0], 'The path, such as /v2/pegs,');
    if (!path.startsWith('/')) throw new UsageError(`The path must begin with "/", and not be "${path}".`);
    const query = Object.fromEntries(options('query').map(pairOf));
    if (isSet('all')) {
      // What a path answers is known to the service alone: a path that is no list of rows shows in the first page.
      for await (const row of client.list(path as ListPath, { query, signal })) print(JSON.stringify(row));
      return;
    }
    const answer = await client.download(withQuery(path, query), { signal });
    print(new TextDecoder().decode(answer.bytes).trimEnd());
  },
};

function pairOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`"${text}" is not NAME=VALUE, such as chain=ethereum.`);
  return [name, value];
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
