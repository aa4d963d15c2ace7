// The changes that wait for their timelock as contracts state them: vaults of Morpho of both versions, and of Euler Earn. Models take them from
// logs; a log that is missing shows in what the contract itself states at the same block.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, NO_ADDRESS, type Question, question } from '../contract-call.ts';
import { EULER_CONFIG, MORPHO_CONFIG } from './cap-ids.ts';
import type { VaultSubmissions, SubmittedCalls, SubmittedReading } from './submitted-calls.ts';
import type { VaultDraft } from './vault-totals.ts';

const TIMELOCK = contractFunction('pendingTimelock', {}, { value: 'uint192', validAt: 'uint64' });
const GUARDIAN = contractFunction('pendingGuardian', {}, { value: 'address', validAt: 'uint64' });
const OWNER = contractFunction('pendingOwner', {}, 'address');
const CAP = contractFunction('pendingCap', { id: 'bytes32' }, { value: 'uint192', validAt: 'uint64' });
const EULER_CAP = contractFunction('pendingCap', { id: 'address' }, { value: 'uint192', validAt: 'uint64' });
const EXECUTABLE_AT = contractFunction('executableAt', { data: 'bytes' }, 'uint256');

/** What a vault has that does not answer everything, or of which more waits than a row may hold. */
const UNANSWERED = 'unanswered';
const MAX_CHARACTERS = 20_000;

export interface PendingReading {
  /** By vault, what waits as `key@second`, sorted and joined by spaces, `none`, or `unanswered`. */
  readonly byVault: ReadonlyMap<string, string>;
  /** Without the calls that no longer wait. */
  readonly submitted: SubmittedCalls;
}

/** Asks the vaults whose turn it is, and the contracts to which calls were submitted that were not known. */
export async function readPending(
  ask: Ask,
  drafts: readonly VaultDraft[],
  { submitted, fresh, unread }: SubmittedReading,
): Promise<PendingReading> {
  const due = new Set(drafts.map(({ vault }) => vault));
  const contracts = Object.entries(submitted);
  const answers = await askEach(
    ask,
    [
      ...drafts.flatMap(bookedQuestions),
      ...contracts.flatMap(callQuestions).filter(({ vault, key }) => due.has(vault) || fresh.has(key)),
    ],
    ({ second }) => ({ second }),
  );
  const found = answers.map(({ item: { vault, key }, answers: { second } }) => ({ vault, key, second }));
  const byVault = Map.groupBy(found, ({ vault }) => vault);
  const ended = new Set(found.filter(({ second }) => second === NEVER).map(({ key }) => key));
  const readFrom = Map.groupBy(unread === null ? contracts : [], ([, { vault }]) => vault);
  const isRead = ({ vault, facts: { kind } }: VaultDraft) => isBooked(kind) || readFrom.has(vault);
  return {
    byVault: new Map(
      drafts
        .filter(isRead)
        .map(({ vault }) => [vault, textOf(byVault.get(vault) ?? [], readFrom.get(vault) ?? [])]),
    ),
    submitted: Object.fromEntries(contracts.map((one) => withoutEnded(one, ended))),
  };
}

interface PendingQuestion {
  readonly vault: string;
  readonly key: string;
  /** The second from which on it may be executed, or that nothing waits. */
  readonly second: Question<string>;
}

const NEVER = 'never';
const secondOf = (second: bigint): string => (second === 0n ? NEVER : second.toString());
/** The same question with its answer in other words. */
const inWords = <T>({ call, read }: Question<T>, say: (answer: T) => string): Question<string> => ({
  call,
  read: (result) => {
    const answer = read(result);
    return answer === null ? null : say(answer);
  },
});

const isBooked = (kind: string): boolean =>
  kind === 'morpho_v1_0' || kind === 'morpho_v1_1' || kind === 'euler_earn';

function bookedQuestions({ vault, facts: { kind }, holdings }: VaultDraft): PendingQuestion[] {
  if (!isBooked(kind)) return [];
  const [cap, config] = kind === 'euler_earn' ? [EULER_CAP, EULER_CONFIG] : [CAP, MORPHO_CONFIG];
  const markets = holdings.flatMap(({ held: id }) => [
    { key: `cap|${id}`, second: inWords(question(cap, vault, { id }), (one) => secondOf(one.validAt)) },
    {
      key: `removal|${id}`,
      second: inWords(question(config, vault, { id }), (one) => secondOf(one.removableAt)),
    },
  ]);
  return [
    { key: 'timelock', second: inWords(question(TIMELOCK, vault), (one) => secondOf(one.validAt)) },
    { key: 'guardian', second: inWords(question(GUARDIAN, vault), (one) => secondOf(one.validAt)) },
    { key: 'owner', second: inWords(question(OWNER, vault), (one) => (one === NO_ADDRESS ? NEVER : '0')) },
    ...markets,
  ].map((one) => ({ vault, ...one }));
}

const callKey = (contract: string, data: string): string => `${contract}|${data}`;

const callQuestions = ([contract, { vault, calls }]: readonly [
  string,
  VaultSubmissions,
]): PendingQuestion[] =>
  calls.map((data) => ({
    vault,
    key: callKey(contract, data),
    second: inWords(question(EXECUTABLE_AT, contract, { data }), secondOf),
  }));

/** Of version 2 also the block from which on the calls of each contract are known. */
function textOf(
  answers: readonly { readonly key: string; readonly second: string | null }[],
  readFrom: readonly (readonly [string, VaultSubmissions])[],
): string {
  if (answers.some(({ second }) => second === null)) return UNANSWERED;
  const waiting = answers
    .filter(({ second }) => second !== NEVER)
    .map(({ key, second }) => `${key}@${second}`);
  const known = readFrom.map(([contract, { first }]) => `since|${contract}@${first}`);
  const text = [...waiting, ...known].sort().join(' ') || 'none';
  return text.length > MAX_CHARACTERS ? UNANSWERED : text;
}

const withoutEnded = (
  [contract, one]: readonly [string, VaultSubmissions],
  ended: ReadonlySet<string>,
): [string, VaultSubmissions] => [
  contract,
  { ...one, calls: one.calls.filter((data) => !ended.has(callKey(contract, data))) },
];
