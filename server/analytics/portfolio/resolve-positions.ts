// Resolves each position of a request to a yield opportunity.
import type { PositionRequest } from '../../../schemas/portfolio-request.ts';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';
import type { PreparedList } from '../../services.ts';
import { parsed } from '../task.ts';
import type { VersionInputs } from '../version-inputs.ts';

export const OPPORTUNITIES = 'yield-opportunities';

export interface PositionOpportunity {
  readonly opportunity: YieldOpportunity;
  readonly amount_usd: number;
}

export interface OpportunitySource {
  readonly inputs: VersionInputs;
  readonly list: PreparedList;
}

const MAX_CANDIDATES = 20;
/** Maximum number of rows for one chain, venue and asset. The assets of pools with several coins are compared afterwards. */
const MAX_MATCHES = 1_000;

/**
 * Returns the positions in the order of the request.
 * @throws Failure `validation_failed` for a position that names none, several, or one that another position names; `not_found` for one that
 * is not published
 */
export function resolvePositions(
  positions: readonly PositionRequest[],
  source: OpportunitySource,
): readonly PositionOpportunity[] {
  const seen = new Map<string, number>();
  for (const [index, position] of positions.entries()) checkForm(position, index);
  return positions.map((position, index) => {
    const opportunity =
      position.opportunity_id === undefined
        ? byDescription(position, index, source)
        : byId(position.opportunity_id, index, source);
    const before = seen.get(opportunity.id);
    if (before !== undefined)
      throw fieldFailure(
        `positions/${index}`,
        `is the same opportunity as positions/${before}: merge them into one position`,
      );
    seen.set(opportunity.id, index);
    return { opportunity, amount_usd: position.amount_usd };
  });
}

function checkForm({ opportunity_id, chain, venue, asset }: PositionRequest, index: number): void {
  const described = [chain, venue, asset].filter((one) => one !== undefined).length;
  const isWhole = opportunity_id === undefined ? described === 3 : described === 0;
  if (!isWhole)
    throw fieldFailure(`positions/${index}`, 'must have either opportunity_id, or chain, venue and asset');
}

function byId(id: string, index: number, { inputs }: OpportunitySource): YieldOpportunity {
  const found = inputs.document(OPPORTUNITIES, id);
  if (found === undefined)
    throw notFound(`positions/${index}/opportunity_id`, 'is not a published opportunity');
  return parsed(found);
}

function byDescription(
  { chain = '', venue = '', asset = '' }: PositionRequest,
  index: number,
  { list }: OpportunitySource,
): YieldOpportunity {
  const any = Object.entries({ chain, venue, asset }).map(([facet, value]) => ({
    facet,
    values: [value.toLowerCase()],
  }));
  const { rows } = list.table.page({ any, between: [] }, 0, MAX_MATCHES);
  const found = (JSON.parse(rows.toString('utf8')) as YieldOpportunity[]).filter(
    (one) => one.asset.toLowerCase() === asset.toLowerCase(),
  );
  const [only, other] = found;
  if (only === undefined)
    throw notFound(`positions/${index}`, 'matches no published opportunity with this chain, venue and asset');
  if (other === undefined) return only;
  const problem = `matches ${found.length} opportunities: select one by opportunity_id`;
  throw new Failure('validation_failed', `positions/${index} ${problem}.`, {
    details: {
      fields: [{ field: `positions/${index}`, problem }],
      candidates: found.slice(0, MAX_CANDIDATES).map(({ id, name }) => ({ opportunity_id: id, name })),
    },
  });
}

const notFound = (field: string, problem: string): Failure =>
  new Failure('not_found', `${field} ${problem}.`, { details: { fields: [{ field, problem }] } });
