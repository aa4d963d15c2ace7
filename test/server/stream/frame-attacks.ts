// Frames that a client of the stream should not send, and frames that are unusual but allowed, each with its outcome.
import { clientFrame } from './raw-client.ts';

const [CONTINUE, TEXT, BINARY, CLOSE, PING, PONG] = [0x0, 0x1, 0x2, 0x8, 0x9, 0xa];
const MORE = { flags: 0 };
const BARE = { isMasked: false };
const closeWith = (code: number, reason: Uint8Array | string = ''): Buffer => {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason)]);
  payload.writeUInt16BE(code);
  return clientFrame(CLOSE, payload);
};
const times = (count: number, frame: Buffer) => Buffer.concat(Array.from({ length: count }, () => frame));
const together = (...frames: readonly Buffer[]) => Buffer.concat(frames);
const claiming = (bytes: 2 | 8, length: bigint) => clientFrame(TEXT, 'x', { claim: { bytes, length } });

/** Name, bytes, and the close code; `lives` when the connection stays open. */
export type Attack = readonly [name: string, bytes: Buffer, code: number | 'lives'];

const UNMASKED: readonly Attack[] = [TEXT, BINARY, PING, PONG, CLOSE, CONTINUE].map((opcode) => [
  `opcode ${opcode} that is not masked`,
  clientFrame(opcode, opcode === CLOSE ? Buffer.from([3, 232]) : 'hello', BARE),
  1002,
]);

const RESERVED: readonly Attack[] = [
  ...[0xc0, 0xa0, 0x90, 0xf0].map(
    (flags): Attack => [
      `text with reserved bits ${flags.toString(16)}`,
      clientFrame(TEXT, 'hello', { flags }),
      1002,
    ],
  ),
  ['a ping with a reserved bit', clientFrame(PING, '', { flags: 0xc0 }), 1002],
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(
    (opcode): Attack => [`reserved opcode ${opcode}`, clientFrame(opcode, 'hello'), 1002],
  ),
];

const FRAGMENTS: readonly Attack[] = [
  ['a final continuation without a start', clientFrame(CONTINUE, 'x'), 1002],
  ['a continuation without a start', clientFrame(CONTINUE, 'x', MORE), 1002],
  ['a text frame inside a text', together(clientFrame(TEXT, 'a', MORE), clientFrame(TEXT, 'b')), 1002],
  ['a binary frame inside a text', together(clientFrame(TEXT, 'a', MORE), clientFrame(BINARY, 'b')), 1002],
  ['a fragmented ping', clientFrame(PING, 'a', MORE), 1002],
  ['a fragmented pong', clientFrame(PONG, 'a', MORE), 1002],
  ['a fragmented close', clientFrame(CLOSE, Buffer.from([3, 232]), MORE), 1002],
  [
    'a hundred empty fragments',
    together(clientFrame(TEXT, '', MORE), times(100, clientFrame(CONTINUE, '', MORE))),
    1008,
  ],
  [
    'fragments that are too long together',
    together(clientFrame(TEXT, Buffer.alloc(4_000), MORE), clientFrame(CONTINUE, Buffer.alloc(97))),
    1009,
  ],
];

const LENGTHS: readonly Attack[] = [
  ['4,097 bytes', clientFrame(TEXT, Buffer.alloc(4_097, 'x')), 1009],
  ['a megabyte', clientFrame(BINARY, Buffer.alloc(1_048_576)), 1009],
  ['a claim of 65,535 bytes', claiming(2, 65_535n), 1009],
  ['a claim of 4 GiB', claiming(8, 2n ** 32n), 1009],
  ['a claim of 2^53 bytes', claiming(8, 2n ** 53n), 1009],
  ['a claim of 2^63 bytes', claiming(8, 2n ** 63n), 1009],
  ['a claim of 2^64 - 1 bytes', claiming(8, 2n ** 64n - 1n), 1009],
  ...[PING, PONG, CLOSE].map(
    (opcode): Attack => [`opcode ${opcode} of 126 bytes`, clientFrame(opcode, Buffer.alloc(126)), 1002],
  ),
];

const CLOSES: readonly Attack[] = [
  ...[0, 999, 1004, 1005, 1006, 1015, 2_999, 5_000, 65_535].map(
    (code): Attack => [`a close with ${code}`, closeWith(code), 1002],
  ),
  ['a close with half a status code', clientFrame(CLOSE, Buffer.from([3])), 1002],
  ['a close whose reason is not UTF-8', closeWith(1000, Buffer.from([0xff])), 1007],
  ['a close with 1000', closeWith(1000, 'bye'), 1000],
  ['a close with 4999', closeWith(4_999), 4_999],
  ['a close without a code', clientFrame(CLOSE), 1005],
  ['two closes and more', together(closeWith(1000), closeWith(1001), clientFrame(TEXT, 'x')), 1000],
];

const TEXTS: readonly Attack[] = [
  ['a byte that is not in UTF-8', [0xff]],
  ['half a character', [0xe2, 0x82]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['half a surrogate pair', [0xed, 0xa0, 0x80]],
  ['a character past the last', [0xf4, 0x90, 0x80, 0x80]],
  ['a continuation byte alone', [0x80]],
].map(([name, bytes]) => [`text with ${name}`, clientFrame(TEXT, Buffer.from(bytes as number[])), 1007]);

const FLOODS: readonly Attack[] = [
  ['eleven pings', times(11, clientFrame(PING)), 1008],
  ['eleven pongs', times(11, clientFrame(PONG)), 1008],
  ['eleven texts', times(11, clientFrame(TEXT, 'x')), 1008],
  ['ten thousand pings', times(10_000, clientFrame(PING, 'x'.repeat(100))), 1008],
  ['a hundred thousand empty texts', times(100_000, clientFrame(TEXT)), 1008],
];

const NO_FRAMES: readonly Attack[] = [
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 1002],
  ['a TLS greeting', Buffer.from('16030100a1010000', 'hex'), 1002],
  ['zeros', Buffer.alloc(1_000), 1002],
  ['ones', Buffer.alloc(1_000, 0xff), 1002],
];

const HARMLESS: readonly Attack[] = [
  ['4,096 bytes', clientFrame(TEXT, Buffer.alloc(4_096, 'x')), 'lives'],
  ['an empty text', clientFrame(TEXT), 'lives'],
  ['an empty message', clientFrame(BINARY), 'lives'],
  ['ten pings', times(10, clientFrame(PING, 'x')), 'lives'],
  ['an unsolicited pong', clientFrame(PONG, 'x'.repeat(125)), 'lives'],
  [
    'a length in more bytes than needed',
    clientFrame(TEXT, 'x', { claim: { bytes: 8, length: 1n } }),
    'lives',
  ],
  ['half a frame', clientFrame(TEXT, 'hello').subarray(0, 5), 'lives'],
  [
    'a ping inside a fragmented text',
    together(clientFrame(TEXT, 'a', MORE), clientFrame(PING), clientFrame(CONTINUE, 'b')),
    'lives',
  ],
];

export const ATTACKS: readonly Attack[] = [
  ...UNMASKED,
  ...RESERVED,
  ...FRAGMENTS,
  ...LENGTHS,
  ...CLOSES,
  ...TEXTS,
  ...FLOODS,
  ...NO_FRAMES,
  ...HARMLESS,
];
