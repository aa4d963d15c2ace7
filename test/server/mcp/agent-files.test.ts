import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { PROJECT } from '../../rules/source-tree.ts';

const read = (path: string) => readFileSync(`${PROJECT}${path}`, 'utf8');
const names = new Set(TOOLS.flatMap(({ name, input }) => [name, ...Object.keys(input.properties)]));

interface RegistryEntry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly remotes: readonly { readonly type: string; readonly url: string; readonly variables: object }[];
}

// The rules of the registry's schema of 2025-12-11 for what the entry uses; the schema itself is published, not ours.
test('the entry for the registry has the version of the product and keeps the limits of the registry', () => {
  const entry = JSON.parse(read('examples/agents/server.json')) as RegistryEntry;
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  expect(entry.version).toBe(version);
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  for (const { type, url, variables } of entry.remotes) {
    expect(type).toBe('streamable-http');
    const inUrl = [...url.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable);
    expect(inUrl).toEqual(Object.keys(variables));
    expect(url.endsWith('/mcp')).toBe(true);
  }
});

test('the skill and the page name tools that exist', () => {
  const skill = read('examples/agents/SKILL.md');
  const named = [...`${skill}${read('docs/agents.md')}`.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].flatMap(
    ([, name = '']) =>
      /^(?:what|is|explain|search|get|find|score|coverage|list|query|exit)_/.test(name) ? [name] : [],
  );
  expect(new Set(named).size).toBeGreaterThan(10);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  expect(skill).toMatch(/^---\nname: [a-z-]{1,64}\ndescription: .{50,1024}\n---\n/);
});
