// `tail`: events as they come, one a line, without a gap or a repetition.
import type { FollowOptions } from '../client.ts';
import { type Command, type CommandInput, required } from './options.ts';

export const TAIL: Command = {
  usage: 'tail [--since EVENT_ID] [--types TYPE,…] [--json]',
  options: { since: { type: 'string' }, types: { type: 'string' }, json: { type: 'boolean' } },
  async run(input) {
    required(input.client.key, 'The key (--key, or DEFI_RISK_KEY)');
    for await (const event of input.client.follow(followOptionsOf(input))) {
      const { ts, severity = '', type, subject_id, event_id, retracts_event_id } = event;
      const retracted = retracts_event_id === undefined ? '' : ` retracts ${retracts_event_id}`;
      const line = `${ts} ${severity} ${type} ${subject_id} ${event_id}${retracted}`.replaceAll(/\s/g, ' ');
      input.print(input.isSet('json') ? JSON.stringify(event) : line);
    }
  },
};

export function followOptionsOf({ option, signal, say, pauses }: CommandInput): FollowOptions {
  const since = option('since');
  const types = (option('types') ?? '').split(',').filter((type) => type !== '');
  return {
    signal,
    types,
    log: say,
    ...(since !== undefined && { since }),
    ...(pauses !== undefined && { pauseMs: pauses.streamMs }),
  };
}
