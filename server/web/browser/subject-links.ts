// Pages about the subject of a condition or an event, by its id.
import { link } from './state.ts';

export interface Link {
  readonly text: string;
  readonly href: string;
}

/** Those that the id alone names. */
export function subjectLinks(subject_id: string): readonly Link[] {
  const [kind = '', chain = '', ...rest] = subject_id.split(':');
  const id = rest.join(':');
  if (id === '') return [];
  if (kind === 'peg') return [{ text: 'Peg', href: link('/pegs', { chain, symbol: id }) }];
  if (kind === 'vault')
    return [{ text: 'Vault', href: link('/lending', { chain, vault: id }) }, contagion(subject_id)];
  if (kind === 'assumption')
    return [
      { text: 'Oracles that assume it', href: link('/oracles', { chain, assumption: id }) },
      contagion(subject_id),
    ];
  if (kind === 'oracle') return [{ text: 'Feed', href: link('/pegs', { chain, feed: rest[0] }) }];
  return kind === 'liquidity' ? [{ text: 'Market', href: link('/lending', { chain, market: id }) }] : [];
}

const contagion = (from: string): Link => ({
  text: 'What falls with it',
  href: link('/contagion', { from }),
});
