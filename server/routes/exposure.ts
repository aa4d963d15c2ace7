// What rests on an asset or on an assumption of an oracle: every market, vault, asset and yield that would share its loss.
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { oncePer } from '../../platform/base/once-per.ts';
import { Strict, Type } from '../../schemas/define.ts';
import { AgenticSchema } from '../../schemas/envelopes.ts';
import { type ExposureNode, ExposurePathsSchema } from '../../schemas/exposure.ts';
import type { OraclePath } from '../../schemas/oracle-paths.ts';
import { FACTS_ACCESS } from '../../schemas/plans.ts';
import { isAuthorized } from '../access/authorize.ts';
import type { Caller } from '../define/caller.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import {
  exposureFrom,
  type MarketFacts,
  type PathInputs,
  type YieldFacts,
} from '../analytics/exposure-paths.ts';
import { parsedRows } from '../analytics/version-inputs.ts';
import { missingDataset, servedVersion } from '../define/missing-data.ts';
import { TAGS } from '../define/tags.ts';
import type { LoadedDataset, Services } from '../services.ts';

const GRAPH = 'exposure-graph';
const ORACLES = 'oracle-paths';
const MARKETS = 'lending-markets';
const YIELDS = 'yield-opportunities';
const YIELDS_ACCESS = { plan: 'free', scope: 'yield:read' } as const;
const LIMIT = { usual: 100, max: 1_000 } as const;

const DESCRIPTION =
  'An asset (`asset:USDC`), another node of the exposure graph, or an assumption of oracles (`assumption:ethereum:USDC=USD`)';

export const listExposurePaths = defineEndpoint({
  method: 'GET',
  path: '/v2/exposure/paths',
  tag: TAGS.markets,
  summary:
    'What rests on an asset or on an assumption of an oracle: markets, vaults, assets and yields, with their shares and dollars as bounds, the largest path, and the unknown part',
  datasets: [GRAPH],
  alsoReads: [ORACLES, MARKETS, YIELDS],
  access: FACTS_ACCESS,
  envelope: 'v2',
  cache: 'shared',
  params: Strict({}),
  query: Strict({
    from: Type.String({ description: DESCRIPTION, minLength: 3, maxLength: 200, examples: ['asset:USDC'] }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT.max,
        default: LIMIT.usual,
        description: 'Maximum number of nodes to list; `reach` counts all',
      }),
    ),
  }),
  response: Strict({
    data: ExposurePathsSchema,
    meta: Strict({
      total: Type.Integer({ minimum: 0, description: 'Nodes of which a part is known to rest on the start' }),
      has_more: Type.Boolean({ description: 'Not all of them are listed' }),
      _agentic: AgenticSchema,
    }),
    error: Type.Null(),
  }),
  errors: ['invalid_request', 'validation_failed', 'not_found', 'unavailable', 'internal_error'],
  handle({ query, caller }, services) {
    const loaded = required(services, GRAPH);
    const found = pathsFrom(foldAddresses(query.from), services, caller);
    const limit = query.limit ?? LIMIT.usual;
    const payload = { ...found, nodes: found.nodes.slice(0, limit) };
    const versions = [GRAPH, ORACLES, MARKETS, YIELDS].map(
      (id) => datasetOf(services, id)?.entry.sha256 ?? '',
    );
    return {
      payload,
      meta: { total: found.nodes.length, has_more: found.nodes.length > limit },
      about: loaded.entry,
      isPrivate: true,
      identity: services.identify(JSON.stringify([versions, query, found.gaps, found.reach])),
    };
  },
});

function pathsFrom(from: string, services: Services, caller: Caller) {
  const graph = nodesOf(required(services, GRAPH));
  const { yields, gaps } = yieldsFor(services, caller);
  const subjects = services.versions.current?.manifest.held_subjects?.list ?? [];
  const oracles = () => ({
    paths: oraclesOf(required(services, ORACLES)),
    markets: marketsOf(required(services, MARKETS)),
  });
  const found = exposureFrom(from, { graph, oracles, yields, subjects });
  return { ...found, gaps: [...gaps, ...found.gaps] };
}

function yieldsFor(
  services: Services,
  caller: Caller,
): { yields: PathInputs['yields']; gaps: ('yields_need_scope' | 'yields_not_published')[] } {
  if (!isAuthorized(YIELDS_ACCESS, caller)) return { yields: null, gaps: ['yields_need_scope'] };
  const loaded = datasetOf(services, YIELDS);
  return loaded === undefined
    ? { yields: null, gaps: ['yields_not_published'] }
    : { yields: yieldsOf(loaded), gaps: [] };
}

const datasetOf = ({ versions }: Services, id: string): LoadedDataset | undefined =>
  versions.current?.dataset(id);

function required(services: Services, id: string): LoadedDataset {
  const loaded = datasetOf(services, id);
  if (loaded === undefined) throw missingDataset(servedVersion(services), id);
  return loaded;
}

const parsed = <Row>() =>
  oncePer(({ documents }: LoadedDataset): readonly Row[] => [...parsedRows<Row>(documents).values()]);

const nodesOf = parsed<ExposureNode>();
const oraclesOf = parsed<OraclePath>();
const marketsOf = parsed<MarketFacts>();
const yieldsOf = parsed<YieldFacts>();
