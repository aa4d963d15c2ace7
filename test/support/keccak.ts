// Keccak-256 as Ethereum uses it (padding 0x01), to prove the topics that are written down in the product. Slow and plain on purpose.
const MASK = (1n << 64n) - 1n;
const ROUNDS = 24;
const RATE_BYTES = 136;

const rotate = (value: bigint, by: number): bigint =>
  by === 0 ? value : ((value << BigInt(by)) | (value >> BigInt(64 - by))) & MASK;

const at = (lanes: readonly bigint[], x: number, y: number) => lanes[(x % 5) + 5 * (y % 5)] ?? 0n;

function roundConstants(): readonly bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

function permute(lanes: bigint[]): void {
  for (const constant of roundConstants()) {
    const columns = [0, 1, 2, 3, 4].map((x) => [0, 1, 2, 3, 4].reduce((sum, y) => sum ^ at(lanes, x, y), 0n));
    const mixed = lanes.map(
      (lane, i) => lane ^ (columns[(i + 4) % 5] ?? 0n) ^ rotate(columns[((i % 5) + 1) % 5] ?? 0n, 1),
    );
    const moved = [...mixed];
    let [x, y] = [1, 0];
    for (let step = 0; step < ROUNDS; step++) {
      const [nextX, nextY] = [y, (2 * x + 3 * y) % 5];
      moved[nextX + 5 * nextY] = rotate(at(mixed, x, y), (((step + 1) * (step + 2)) / 2) % 64);
      [x, y] = [nextX, nextY];
    }
    for (let i = 0; i < 25; i++) {
      const row = Math.floor(i / 5);
      lanes[i] = at(moved, i % 5, row) ^ (~at(moved, (i % 5) + 1, row) & MASK & at(moved, (i % 5) + 2, row));
    }
    lanes[0] = (lanes[0] ?? 0n) ^ constant;
  }
}

/** Hash of a text's UTF-8 bytes as `0x` and 64 digits. */
export function keccak256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const lanes = Array.from({ length: 25 }, () => 0n);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let i = 0; i < RATE_BYTES / 8; i++)
      lanes[i] = (lanes[i] ?? 0n) ^ view.getBigUint64(block + 8 * i, true);
    permute(lanes);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 4; i++) digest.setBigUint64(8 * i, lanes[i] ?? 0n, true);
  return `0x${Buffer.from(digest.buffer).toString('hex')}`;
}
