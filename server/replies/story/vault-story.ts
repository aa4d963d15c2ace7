// Actions of those who govern vaults, the tenures of curators, and falls of share prices and liquidity.
import { ownMember } from '../../../platform/base/own-member.ts';
import { nameOf, onChain, type StoryFacts, subjectOf } from './story-facts.ts';
import {
  bps,
  digits,
  dollars,
  duration,
  joined,
  list,
  moment,
  numberIn,
  percent,
  price,
  readableName,
  short,
  textIn,
} from './story-text.ts';

type Params = Readonly<Record<string, unknown>>;

const paramsOf = ({ event }: StoryFacts): Params => {
  const { params } = event.data;
  return typeof params === 'object' && params !== null ? (params as Params) : {};
};

const vaultOf = (facts: StoryFacts): string => {
  const address = textIn(facts.event.data, 'vault_address');
  return address === undefined
    ? `the vault ${subjectOf(facts)}`
    : `the vault ${nameOf(facts, address)}${onChain(facts.event)}`;
};

const marketOf = (facts: StoryFacts): string | undefined => {
  const market = textIn(paramsOf(facts), 'market_id');
  return market === undefined ? undefined : ` for the market ${nameOf(facts, market)}`;
};

const by = (facts: StoryFacts): string | undefined => {
  const caller = textIn(facts.event.data, 'caller_address');
  return caller === undefined ? undefined : ` by ${nameOf(facts, caller)}`;
};

/** Amounts are in the smallest unit of the asset, whose decimals the event does not state. */
const SMALLEST = ' in the smallest unit of its asset';

/** ` from 1 to 2`, or ` to 2` if what was before is unknown; undefined if the new value is. */
const change = (before: string | undefined, after: string | undefined): string | undefined =>
  after === undefined
    ? undefined
    : joined(before === undefined ? undefined : ` from ${before}`, ` to ${after}`);

export function capChanged(facts: StoryFacts): string {
  const params = paramsOf(facts);
  const values = change(digits(params['old_cap']), digits(params['new_cap']));
  return joined(
    `The supply cap of ${vaultOf(facts)}${marketOf(facts) ?? ''} was changed on ${moment(facts.event.ts)}`,
    values && `${values}${SMALLEST}`,
    by(facts),
  );
}

const WAD = 1e18;
const feeText = (value: unknown): string | undefined =>
  digits(value) === undefined ? undefined : `${price((Number(value) / WAD) * 100)} %`;

export function feeChanged(facts: StoryFacts): string {
  const params = paramsOf(facts);
  return joined(
    `The performance fee of ${vaultOf(facts)} was changed on ${moment(facts.event.ts)}`,
    change(feeText(params['old_fee']), feeText(params['new_fee'])),
    by(facts),
  );
}

export function curatorChanged(facts: StoryFacts): string {
  const params = paramsOf(facts);
  const role = (name: string) => {
    const address = textIn(params, name);
    return address === undefined ? undefined : nameOf(facts, address);
  };
  return joined(
    `The curator of ${vaultOf(facts)} was changed on ${moment(facts.event.ts)}`,
    change(role('old_curator'), role('new_curator')),
    by(facts),
  );
}

export function allocationChanged(facts: StoryFacts): string {
  const params = paramsOf(facts);
  const [supplied, withdrawn] = [digits(params['supplied_assets']), digits(params['withdrawn_assets'])];
  const market = textIn(params, 'market_id');
  const where = market === undefined ? 'a market' : `the market ${nameOf(facts, market)}`;
  const at = moment(facts.event.ts);
  const move =
    withdrawn === undefined
      ? supplied === undefined
        ? undefined
        : `: ${supplied}${SMALLEST} was supplied to ${where}`
      : `: ${withdrawn}${SMALLEST} was withdrawn from ${where}`;
  return joined(`The supply of ${vaultOf(facts)} was reallocated on ${at}`, by(facts), move);
}

export function curatorAction(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const action = textIn(data, 'on_chain_event');
  const values = Object.entries(paramsOf(facts)).flatMap(([name, value]) => {
    const text = paramText(value);
    return text === undefined ? [] : [`${readableName(name)} ${text}`];
  });
  return joined(
    `${action === undefined ? 'An action of governance' : `The action “${readableName(action)}”`} was taken on ${vaultOf(facts)} on ${moment(ts)}`,
    by(facts),
    values.length === 0 ? undefined : `: ${list(values)}`,
  );
}

function paramText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : list(value.map((one) => short(String(one))));
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? (digits(value) ?? short(value)) : undefined;
}

const tenure =
  (verb: string) =>
  (facts: StoryFacts): string => {
    const curator = textIn(facts.event.data, 'curator_address');
    const who = curator === undefined ? 'a curator' : `the curator ${nameOf(facts, curator)}`;
    return `The tenure of ${who} over ${vaultOf(facts)} ${verb} on ${moment(facts.event.ts)}`;
  };
export const tenureStart = tenure('began');
export const tenureEnd = tenure('ended');

const statementOf = ({ event }: StoryFacts): string | undefined => {
  const statement = textIn(event.data, 'statement');
  return statement === undefined ? undefined : `: ${statement}`;
};

export function changePending(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const due = numberIn(data, 'executable_at');
  return joined(
    `A change of ${vaultOf(facts)} was submitted on ${moment(ts)}`,
    by(facts),
    statementOf(facts),
    due === undefined
      ? '; from when it may be executed is not known'
      : `; it may be executed from ${moment(due)} on`,
  );
}

const changeEnded =
  (verb: string) =>
  (facts: StoryFacts): string => {
    const waited = numberIn(facts.event.data, 'waited_s');
    return joined(
      `A change of ${vaultOf(facts)} was ${verb} on ${moment(facts.event.ts)}`,
      waited === undefined ? undefined : `, ${duration(waited)} after its submission`,
      statementOf(facts),
    );
  };
export const changeExecuted = changeEnded('executed');
export const changeRevoked = changeEnded('revoked');

const CAUSES: Readonly<Record<string, string>> = {
  bad_debt_realised: 'bad debt of a market was written off',
  market_removed: 'a market was removed with assets in it',
  shares_burned: 'an adapter wrote off what it supplies',
  held_vault_fell: 'a vault that it holds lost assets',
};

export function sharePriceFell(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [fall, usd] = [numberIn(data, 'fall_bps'), numberIn(data, 'loss_usd')];
  const isHidden =
    data['quoted_before'] === data['quoted_after'] && textIn(data, 'quoted_after') !== undefined;
  const cause = ownMember(CAUSES, textIn(data, 'cause') ?? '');
  return joined(
    `${isOnlyQuoted(data) ? 'The quoted price' : 'What backs a share'} of ${vaultOf(facts)} fell by ${fall === undefined ? 'an unknown amount' : bps(fall)} until ${moment(ts)}`,
    usd === undefined ? undefined : `, a loss of ${dollars(usd)} to its holders`,
    cause && `, because ${cause}`,
    isHidden ? ', while the price that the contract quotes did not change' : undefined,
  );
}

/** What backs the shares was not known, and the quoted price was compared. */
const isOnlyQuoted = (data: Params): boolean =>
  numberIn(data, 'coverage') === undefined &&
  data['price_before'] === data['quoted_before'] &&
  data['price_after'] === data['quoted_after'];

export function liquidityLow(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [share, threshold, usd, atRisk] = [
    'share',
    'threshold',
    'withdrawable_usd',
    'collateral_at_risk_usd',
  ].map((name) => numberIn(data, name));
  if (data['basis'] === 'collateral')
    return joined(
      `Too little of ${vaultOf(facts)} could be withdrawn on ${moment(ts)} for the loans that its shares secure`,
      usd === undefined ? undefined : `: ${dollars(usd)}`,
      atRisk === undefined ? undefined : `, with ${dollars(atRisk)} of collateral at risk`,
      threshold === undefined ? undefined : `; the limit is ${threshold} times that`,
    );
  return joined(
    `${share === undefined ? 'Too little' : percent(share)} of the assets of ${vaultOf(facts)} could be withdrawn on ${moment(ts)}`,
    usd === undefined ? undefined : `, ${dollars(usd)}`,
    threshold === undefined ? undefined : `; the limit is ${percent(threshold)}`,
  );
}
