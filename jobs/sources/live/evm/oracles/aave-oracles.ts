// The price sources of Aave's markets: which feed the oracle of a market reads for each asset, and everything behind it.
import {
  assetPriceCall,
  dataProviderCall,
  depositTokenCall,
  depositTokenIn,
  priceIn,
  priceOracleCall,
  priceSourceCall,
  priceUnitCall,
  reservesCall,
  reservesIn,
} from '../aave-abi.ts';
import { type Ask, addressIn } from '../contract-call.ts';
import type { OracleFacts } from './oracle-kinds.ts';
import { legsFrom, type OraclePath, readLegs, sourcesOf } from './oracle-legs.ts';

/** Markets over USD; others would need the price of their unit. */
const USD_UNIT = 10n ** 8n;

export interface AavePaths {
  readonly paths: readonly OraclePath[];
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

interface ReserveOracle {
  readonly id: string;
  readonly facts: OracleFacts & { readonly kind: 'aave' };
}

/** `providers` are addresses providers, which name the contracts of their market. */
export async function readAavePaths(ask: Ask, providers: readonly string[]): Promise<AavePaths> {
  const reserves: ReserveOracle[] = [];
  const missing: { id: string; why: string }[] = [];
  for (const provider of providers) {
    const found = await reservesOf(ask, provider);
    if (typeof found === 'string') missing.push({ id: provider, why: found });
    else {
      reserves.push(...found.reserves);
      missing.push(...found.missing);
    }
  }
  const reading = await readLegs(
    ask,
    reserves.flatMap(({ facts }) => sourcesOf(facts)),
  );
  const paths = reserves.map(({ id, facts }): OraclePath => {
    const legs = sourcesOf(facts).flatMap((source) => legsFrom(source, { reading, first: 0 }));
    return {
      marketId: id,
      oracle: facts,
      inUse: facts,
      standbyPrice: null,
      legs: legs.map((leg) => ({ ...leg, isStandby: false })),
      tokens: { loan: null, collateral: null },
    };
  });
  return { paths, missing };
}

/** The reserves of one market with their sources, or why they cannot be read. */
async function reservesOf(ask: Ask, provider: string) {
  const [data, oracleResult] = await ask([dataProviderCall(provider), priceOracleCall(provider)], {
    mayRevert: true,
  });
  const [dataProvider, oracle] = [addressIn(data), addressIn(oracleResult)];
  if (dataProvider === null || oracle === null)
    return "it names no data provider and no oracle as Aave's addresses providers do";
  const [list, unit] = await ask([reservesCall(dataProvider), priceUnitCall(oracle)], { mayRevert: true });
  const tokens = reservesIn(list);
  if (tokens === null || tokens.length === 0) return `its data provider ${dataProvider} lists no reserves`;
  if (priceIn(unit) !== USD_UNIT) return `its oracle ${oracle} does not state prices in USD with 8 decimals`;
  const results = await ask(
    tokens.flatMap(({ asset }) => [
      priceSourceCall(oracle, asset),
      assetPriceCall(oracle, asset),
      depositTokenCall(dataProvider, asset),
    ]),
    { mayRevert: true },
  );
  const reserves: ReserveOracle[] = [];
  const missing: { id: string; why: string }[] = [];
  tokens.forEach(({ asset }, index) => {
    const [source, price, deposit] = results.slice(index * 3);
    const [contract, id] = [addressIn(source), depositTokenIn(deposit)];
    if (contract === null || id === null)
      missing.push({
        id: asset,
        why: contract === null ? 'its oracle names no source' : 'it has no deposit token',
      });
    else reserves.push({ id, facts: factsOf({ oracle, contract, price: priceIn(price) }) });
  });
  return { reserves, missing };
}

const factsOf = ({
  oracle,
  contract,
  price,
}: {
  readonly oracle: string;
  readonly contract: string;
  readonly price: bigint | null;
}): ReserveOracle['facts'] => ({
  ...{ oracle, price, kind: 'aave', kindBy: 'registry', scale: 1n },
  sources: [{ side: 'base', role: 'feed', contract, sample: null }],
});
