// `pull`: a dataset as a file, complete or not at all.
import { rename, rm, writeFile } from 'node:fs/promises';
import { filled } from '../client.ts';
import { type Command, required, UsageError } from './options.ts';

const FORMS = ['json', 'ndjson', 'csv', 'parquet', 'arrow'];

export const PULL: Command = {
  usage:
    'pull DATASET [--form parquet|csv|ndjson|json|arrow] [--as-of TIME] [--version VERSION] [--output FILE]',
  options: {
    form: { type: 'string', default: 'parquet' },
    'as-of': { type: 'string' },
    version: { type: 'string' },
    output: { type: 'string', short: 'o' },
  },
  async run({ client, positionals, option, say, signal }) {
    const id = required(positionals[0], 'The dataset, such as pegs,');
    const form = option('form') ?? '';
    if (!FORMS.includes(form)) throw new UsageError(`"${form}" is not a form: ${FORMS.join(', ')}.`);
    const output = option('output') ?? `${id}.${form}`;
    const path = filled(`/v2/datasets/{id}.${form}`, {
      params: { id },
      query: { as_of: option('as-of'), version: option('version') },
    });
    const { bytes } = await client.download(path, { signal });
    const unfinished = `${output}.part`;
    try {
      await writeFile(unfinished, bytes);
      await rename(unfinished, output);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    say(`${output}: ${bytes.length} bytes`);
  },
};
