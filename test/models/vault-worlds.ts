// Random vaults over three markets: V1 vaults, and V2 vaults with one liquidity market or V1 vault.
import fc from 'fast-check';
import { made } from './made-vaults.ts';

const CASHES = fc.array(fc.nat(20), { minLength: 3, maxLength: 3 });
const V1 = fc.record({
  address: fc.constantFrom('0xp', '0xq'),
  own: fc.array(fc.nat(20), { minLength: 3, maxLength: 3 }),
});
const V2 = fc.record({
  idle: fc.nat(5),
  via: fc.constantFrom('0', '1', '2', '0xp', '0xq'),
  own: fc.nat(20),
  other: fc.nat(5),
});
export const WORLD = fc.record({
  cashes: CASHES,
  v1: fc.uniqueArray(V1, { minLength: 1, selector: ({ address }) => address }),
  v2: fc.array(V2, { maxLength: 3 }),
});

export function worldOf({ cashes, v1, v2 }: typeof WORLD extends fc.Arbitrary<infer W> ? W : never) {
  const at = (name: number, own: number) => ({ in: `${name}`, own, cash: cashes[name] ?? 0, supply: 200 });
  const inner = v1.map(({ address, own }) =>
    made({ address, at: own.map((amount, name) => at(name, amount)) }),
  );
  // Holders of a vault together have at most all of it.
  const left = new Map(inner.map(({ row }) => [row.vault_address, row.total_assets ?? 0]));
  const outer = v2.flatMap(({ idle, via, own, other }, index) => {
    const rest = { ...at(0, other), isOther: true as const };
    const held = inner.find(({ row }) => row.vault_address === via);
    if (via.startsWith('0x') && held === undefined) return [];
    const part = Math.min(own, left.get(via) ?? 0);
    if (held !== undefined) left.set(via, (left.get(via) ?? 0) - part);
    const liquidity =
      held === undefined ? at(Number(via), own) : ({ in: via, own: part, is: 'vault' } as const);
    const positions = held === undefined && via === '0' ? [liquidity] : [liquidity, rest];
    return [made({ address: `0xw${index}`, kind: 'morpho_v2', idle, at: positions }, inner)];
  });
  return { inner, outer, all: [...inner, ...outer] };
}
