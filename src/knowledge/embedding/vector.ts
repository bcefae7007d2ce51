const BYTES = 4;

/**
 * A vector as it is stored: of length one, so that a product is the cosine, as 32-bit floats, low
 * byte first. A model's own numbers are no finer.
 */
export function vectorBytes(numbers: readonly number[]): Buffer {
  const length = Math.hypot(...numbers);
  const bytes = Buffer.alloc(numbers.length * BYTES);
  for (const [place, number] of numbers.entries()) {
    bytes.writeFloatLE(number / length, place * BYTES);
  }
  return bytes;
}

/** From -1 to 1; both as `vectorBytes` made them, of equal length. */
export function cosine(a: Buffer, b: Buffer): number {
  let product = 0;
  for (let at = 0; at < a.length; at += BYTES) product += a.readFloatLE(at) * b.readFloatLE(at);
  return product;
}
