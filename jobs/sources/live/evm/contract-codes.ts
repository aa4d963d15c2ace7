// What runs at an address: the hash of its code, the implementation behind a proxy, and the admin who may replace that. Hashes of many
// contracts come from one call of code that is never deployed; slots of many proxies from one call in which code that returns them stands in
// for theirs. A node that takes no such code is asked for each slot.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { ChainFault } from './chain-fault.ts';
import { AGGREGATE, type Ask, addressInWord, MULTICALL3, readResult } from './contract-call.ts';
import { bytesOf, quantityOf, toHex } from './hex.ts';
import { type BlockRef, type Rpc, RpcError, refusalOf } from './rpc.ts';

export interface ContractCode {
  /** Of the implementation, if the contract is a proxy. Null for an address without code. */
  readonly hash: string | null;
  /** Null if the contract is no proxy that is known here. */
  readonly implementation: string | null;
  readonly admin: string | null;
}

/**
 * For every word behind it, returns the hash of the code at that address, its length, and its first 32 bytes. A word of zeros comes before
 * them, because no code may begin with the byte 0xef.
 */
const HASHES =
  '0x60366020' + // the words begin after these 54 bytes; the results begin after a word
  '5b38821015603257' + // while there are words
  '602082823980516020600083604001833c' + // copy the word, and 32 bytes of the code at its address
  '803b8260200152' + // store the length
  '3f8152' + // store the hash
  '60600190602001906004565b6000f3'; // the next word; at the end return all results
const WORDS_OF_RESULT = 3;
/** What a node returns as code has at most 24,576 bytes. */
const HASHED_AT_ONCE = 200;
/** Number of contracts whose code is replaced in one call. */
const REPLACED_AT_ONCE = 200;

/** Implementation, beacon and admin of a proxy as EIP-1967 places them. */
const SLOTS = [
  '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  'b53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
] as const;
/** Returns the three slots. */
const SLOTS_CODE = `0x${SLOTS.map((slot, at) => `7f${slot}5460${(at * 32).toString(16).padStart(2, '0')}52`).join('')}60606000f3`;

/** Without code, so that it returns the slots only at a node that puts this code there. */
const WITNESS = `0x${'5107'.repeat(10)}`;

const BEACON = contractFunction('implementation', {}, 'address');
/** EIP-1167: a proxy of 45 bytes, in which the address of its implementation stands. */
const CLONE = /^363d3d373d3d3d363d73([0-9a-f]{40})5af4$/;
const CLONE_LENGTH = 45n;
const EMPTY_HASHES: readonly string[] = [
  '0'.repeat(64),
  'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
];

/** Codes by address, all of one block. @throws ChainFault, RpcError */
export async function readCodes(
  rpc: Rpc,
  ask: Ask,
  { contracts, block }: { readonly contracts: readonly string[]; readonly block: BlockRef },
): Promise<ReadonlyMap<string, ContractCode>> {
  const distinct = [...new Set(contracts)];
  const own = await readHashes(rpc, distinct, block);
  const slots = await readSlots(rpc, distinct, block);
  const beacons = await beaconsIn(ask, [...slots.values()]);
  const proxies = new Map(
    distinct.map((contract) => {
      const [direct = null, beacon = null, admin = null] = slots.get(contract) ?? [];
      const behind = beacon === null ? null : (beacons.get(beacon) ?? null);
      return [
        contract,
        { implementation: own.get(contract)?.clonedFrom ?? direct ?? behind, admin: admin ?? beacon },
      ];
    }),
  );
  const behind = [...proxies.values()].flatMap(({ implementation }) => implementation ?? []);
  const hashes = new Map([...(await readHashes(rpc, [...new Set(behind)], block)), ...own]);
  return new Map(
    distinct.map((contract): [string, ContractCode] => {
      const { implementation = null, admin = null } = proxies.get(contract) ?? {};
      return [
        contract,
        { hash: hashes.get(implementation ?? contract)?.hash ?? null, implementation, admin },
      ];
    }),
  );
}

interface CodeFacts {
  readonly hash: string | null;
  readonly clonedFrom: string | null;
}

async function readHashes(
  rpc: Rpc,
  contracts: readonly string[],
  block: BlockRef,
): Promise<ReadonlyMap<string, CodeFacts>> {
  const facts = new Map<string, CodeFacts>();
  for (let at = 0; at < contracts.length; at += HASHED_AT_ONCE) {
    const some = contracts.slice(at, at + HASHED_AT_ONCE);
    const data = HASHES + some.map((contract) => contract.slice(2).padStart(64, '0')).join('');
    const { result } = await rpc('eth_call', [{ data }, toHex(block.number)]);
    const words = wordsIn(bytesOf(result, 'the codes of contracts')).slice(1);
    if (words.length !== some.length * WORDS_OF_RESULT)
      throw new ChainFault('shape', `the codes of ${some.length} contracts came as ${words.length} words.`);
    some.forEach((contract, index) => {
      const [hash = '', length = '', head = ''] = words.slice(index * WORDS_OF_RESULT);
      const [, target] = BigInt(`0x${length}`) === CLONE_LENGTH ? (CLONE.exec(head) ?? []) : [];
      facts.set(contract, {
        hash: EMPTY_HASHES.includes(hash) ? null : `0x${hash}`,
        clonedFrom: target === undefined ? null : `0x${target}`,
      });
    });
  }
  return facts;
}

type Slots = readonly (string | null)[];

async function readSlots(
  rpc: Rpc,
  contracts: readonly string[],
  block: BlockRef,
): Promise<ReadonlyMap<string, Slots>> {
  const slots = new Map<string, Slots>();
  for (let at = 0; at < contracts.length; at += REPLACED_AT_ONCE) {
    const some = contracts.slice(at, at + REPLACED_AT_ONCE);
    for (const [contract, own] of await slotsOf(rpc, some, block)) slots.set(contract, own);
  }
  return slots;
}

async function slotsOf(
  rpc: Rpc,
  contracts: readonly string[],
  block: BlockRef,
): Promise<readonly (readonly [string, Slots])[]> {
  const words = await slotWords(rpc, contracts, block);
  return Array.fromAsync(contracts, async (contract, index): Promise<readonly [string, Slots]> => {
    const own = words?.[index] ?? [];
    if (own.length === SLOTS.length) return [contract, own.map((word) => addressInWord(`0x${word}`))];
    return [contract, await Array.fromAsync(SLOTS, (slot) => readSlot(rpc, { contract, slot }, block))];
  });
}

/**
 * What the code that returns the slots answers at each contract; null if the node takes no code in a call, or runs the contracts themselves,
 * which may answer anything.
 */
async function slotWords(
  rpc: Rpc,
  contracts: readonly string[],
  block: BlockRef,
): Promise<readonly (readonly string[])[] | null> {
  const targets = [WITNESS, ...contracts];
  const data = AGGREGATE.encodeCall({
    calls: targets.map((target) => ({ target, allowFailure: true, callData: '0x' })),
  });
  const replaced = Object.fromEntries(targets.map((target) => [target, { code: SLOTS_CODE }]));
  try {
    const { result } = await rpc('eth_call', [{ to: MULTICALL3, data }, toHex(block.number), replaced]);
    const [witness, ...words] = AGGREGATE.decodeResult(bytesOf(result, 'the slots of contracts')).map(
      ({ success, returnData }) => (success ? wordsIn(returnData) : []),
    );
    return witness?.length === SLOTS.length ? words : null;
  } catch (error) {
    const isRefusal = error instanceof RpcError && ['other', 'narrow'].includes(refusalOf(error).kind);
    if (isRefusal || error instanceof RangeError) return null;
    throw error;
  }
}

async function readSlot(
  rpc: Rpc,
  { contract, slot }: { readonly contract: string; readonly slot: string },
  block: BlockRef,
): Promise<string | null> {
  const { result } = await rpc('eth_getStorageAt', [contract, `0x${slot}`, toHex(block.number)]);
  return addressInWord(`0x${quantityOf(result, 'a slot of a contract').toString(16).padStart(64, '0')}`);
}

async function beaconsIn(ask: Ask, slots: readonly Slots[]): Promise<ReadonlyMap<string, string>> {
  const beacons = [...new Set(slots.flatMap(([, beacon]) => beacon ?? []))];
  const results = await ask(
    beacons.map((target) => ({ target, data: BEACON.encodeCall() })),
    { mayRevert: true },
  );
  return new Map(
    beacons.flatMap((beacon, at) => {
      const behind = readResult(BEACON, results[at]);
      return behind === null ? [] : [[beacon, behind] as const];
    }),
  );
}

const wordsIn = (bytes: string): readonly string[] => bytes.slice(2).match(/.{64}/g) ?? [];
