// Configurations that read a chain: the one for a single vault is complete; the one for a whole chain says what is left to fill in.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../jobs/config.ts';
import { PROJECT } from '../rules/source-tree.ts';

const textOf = (name: string) => readFileSync(`${PROJECT}examples/live/${name}.json`, 'utf8');
const load = (text: string) => loadConfig({ env: { CONFIG: 'x.json' }, readFile: () => text });
const tablesOf = (text: string) =>
  load(text)
    .live_sources.map(({ table }) => table)
    .sort();

const TABLES = ['lending_market', 'lending_vault', 'market_state', 'oracle_leg', 'oracle_price'];

test('a vault can be watched as it is', () => {
  expect(tablesOf(textOf('vault'))).toEqual([...TABLES, 'vault_log', 'vault_position', 'vault_state']);
});

test('a whole chain names the addresses that are left to fill in, and is complete with them', () => {
  const text = textOf('base-vaults');
  const error = (() => {
    try {
      load(text);
      return '';
    } catch (problem) {
      return String(problem);
    }
  })();
  for (const member of ['states.request.chain.contracts[0]', 'states.request.chain.vault_factories[0]'])
    expect(error).toContain(`sources.base-vaults-${member}`);
  expect(error).toContain('an address of 20 bytes in hex');
  const filled = text.replace(/"<address of [^"]+>"/g, `"0x${'1'.repeat(40)}"`);
  expect(tablesOf(filled)).toEqual([...TABLES, 'vault_position', 'vault_state']);
});
